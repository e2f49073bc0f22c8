"""Completion of refs: where it opens, what it offers, what accepting leaves behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from editor import Editor
from lsprotocol import types as lsp
from rpc import RpcClient

from akm_ls.lsp.uris import uri_of


async def complete(editor: Editor, name: str, marked: str) -> lsp.CompletionList:
    position = editor.open(name, marked)
    answer = await editor.client.text_document_completion_async(
        lsp.CompletionParams(**editor.at(name, position))
    )
    assert answer is None or isinstance(answer, lsp.CompletionList)
    return answer or lsp.CompletionList(False, [])


def labels(completions: lsp.CompletionList) -> list[str]:
    ranked = sorted(completions.items, key=lambda item: item.sort_text or item.label)
    return [item.label for item in ranked]


DRAFT = "team/knowledge/draft.md"


async def test_after_a_bundle_and_slashes_its_assets_are_offered(editor: Editor) -> None:
    await editor.start()
    found = await complete(editor, DRAFT, "# Draft\n\nSee team//$0\n")
    assert {
        "team//knowledge/auth/tokens",
        "team//skills/release",
        "team//env/staging",
        "team//secrets/deploy-key",
    } <= set(labels(found))
    assert "team//knowledge/draft" not in labels(found), "an asset is no use to itself"


@pytest.mark.parametrize(
    ("marked", "accepted"),
    [
        ("See team//knowledge/auth/to$0\n", "See team//knowledge/auth/tokens\n"),
        ("See team//knowledge/au$0th/old, then\n", "See team//knowledge/auth/tokens, then\n"),
        ("See **team//tok$0**.\n", "See **team//knowledge/auth/tokens**.\n"),
        ("(`team//tok$0`)\n", "(`team//knowledge/auth/tokens`)\n"),
        ("😀 team//tok$0 😀\n", "😀 team//knowledge/auth/tokens 😀\n"),
        ("team//tok$0🎉 x\n", "team//knowledge/auth/tokens🎉 x\n"),
        ("team//tok$0ens〜次\n", "team//knowledge/auth/tokens〜次\n"),
        ("| team//tok$0 | x |\n", "| team//knowledge/auth/tokens | x |\n"),
        ("見てteam//tok$0\n", "見てteam//knowledge/auth/tokens\n"),
        ("x=team//tok$0\n", "x=team//knowledge/auth/tokens\n"),
        ("[[team//tok$0]]\n", "[[team//knowledge/auth/tokens]]\n"),
        ("[x](team//tok$0)\n", "[x](team//knowledge/auth/tokens)\n"),
        ("`team//tok$0\n", "`team//knowledge/auth/tokens\n"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_accepting_replaces_the_whole_token_and_nothing_else(
    editor: Editor, marked: str, accepted: str, encoding: str
) -> None:
    await editor.start(encodings=[lsp.PositionEncodingKind(encoding)])
    found = await complete(editor, DRAFT, marked)
    assert editor.accept(DRAFT, found, "team//knowledge/auth/tokens") == accepted


async def test_a_bundle_name_leads_on_to_its_assets(editor: Editor) -> None:
    await editor.start(["team", "other"])
    assert labels(await complete(editor, DRAFT, "See te$0\n")) == ["team//"]
    found = await complete(editor, "team/knowledge/draft2.md", "See team/$0\n")
    assert editor.accept("team/knowledge/draft2.md", found, "team//knowledge/old") == (
        "See team//knowledge/old\n"
    )


@pytest.mark.parametrize("key", ["refs", "xrefs", "supersededBy", "contradictedBy"])
@pytest.mark.parametrize("form", ["{key}: [$0]", "{key}:\n  - $0", "{key}: $0", "{key}: ['$0']"])
async def test_ids_without_a_bundle_are_offered_in_the_frontmatter_lists(
    editor: Editor, key: str, form: str
) -> None:
    await editor.start(["team", "other"])
    block = form.format(key=key)
    found = await complete(editor, DRAFT, f"---\ndescription: D\n{block}\n---\n# Draft\n")
    assert "knowledge/auth/tokens" in labels(found)
    assert "other//knowledge/there" in labels(found), "another bundle's asset is qualified"


@pytest.mark.parametrize(
    "marked",
    [
        "---\nxrefs: [tok$0",
        "---\nxrefs:\n  - tok$0",
        "---\nname: d\nxrefs:\n  - tok$0\n# Title\n",
        '---\n"xrefs": [tok$0]\n---\n',
        "---\nxrefs : [tok$0]\n---\n",
    ],
)
async def test_half_typed_frontmatter_is_frontmatter(editor: Editor, marked: str) -> None:
    await editor.start()
    assert labels(await complete(editor, DRAFT, marked)) == ["knowledge/auth/tokens"]


async def test_other_frontmatter_keys_are_text(editor: Editor) -> None:
    await editor.start()
    assert not labels(await complete(editor, DRAFT, "---\ndescription: team//$0\n---\n"))


@pytest.mark.parametrize(
    "marked",
    ["```\nteam//$0\n```\n", "<!-- team//$0 -->\n", "> ```\n> team//$0\n> ```\n"],
)
async def test_nothing_is_offered_where_no_ref_can_be(editor: Editor, marked: str) -> None:
    await editor.start()
    assert not labels(await complete(editor, DRAFT, marked))


async def test_headings_are_offered_after_a_hash(editor: Editor) -> None:
    await editor.start()
    found = await complete(editor, DRAFT, "See team//knowledge/auth/tokens#$0.\n")
    assert labels(found) == ["token-rotation", "daily-rotation", "in-an-emergency"]
    assert editor.accept(DRAFT, found, "in-an-emergency") == (
        "See team//knowledge/auth/tokens#in-an-emergency.\n"
    )


async def test_headings_follow_the_open_document_not_the_disk(editor: Editor) -> None:
    await editor.start()
    editor.open("team/knowledge/auth/tls.md", "# TLS\n\n## Only in the buffer\n")
    found = await complete(editor, DRAFT, "---\nxrefs: [knowledge/auth/tls#$0]\n---\n")
    assert labels(found) == ["tls", "only-in-the-buffer"]


async def test_the_card_comes_with_resolve(editor: Editor) -> None:
    await editor.start()
    found = await complete(editor, DRAFT, "See team//tok$0\n")
    item = next(item for item in found.items if item.label == "team//knowledge/auth/tokens")
    assert item.documentation is None
    resolved = await editor.client.completion_item_resolve_async(item)
    assert isinstance(resolved.documentation, lsp.MarkupContent)
    assert "How tokens are rotated" in resolved.documentation.value


async def test_a_large_bundle_gives_a_capped_list_that_says_so(editor: Editor) -> None:
    for number in range(150):
        editor.write(f"team/knowledge/many/item-{number:03}.md", "# Item\n")
    await editor.start(options={"completion": {"maxItems": 50}})
    found = await complete(editor, DRAFT, "See team//knowledge/many/$0\n")
    assert len(found.items) == 50
    assert found.is_incomplete
    narrowed = await complete(
        editor, "team/knowledge/draft2.md", "See team//knowledge/many/item-14$0\n"
    )
    assert len(narrowed.items) == 10
    assert not narrowed.is_incomplete


async def test_what_is_superseded_is_struck_through(editor: Editor) -> None:
    await editor.start()
    found = await complete(editor, DRAFT, "See team//old$0\n")
    assert list(found.items[0].tags or ()) == [lsp.CompletionItemTag.Deprecated]


def test_before_the_index_is_there_the_list_says_that_it_is_not_whole(
    root: Path, server_command: list[str]
) -> None:
    environment = {**os.environ, "HOME": str(root / "home"), "AKM_CONFIG_DIR": str(root / "akm")}
    folder = {"uri": uri_of(str(root / "team")), "name": "team"}
    options = {"dataDir": str(root / "data")}
    uri = uri_of(str(root / DRAFT))
    with RpcClient(server_command, env=environment) as client:
        params = {"workspaceFolders": [folder], "initializationOptions": options}
        client.call("initialize", {"processId": None, "capabilities": {}, **params})
        document = {"uri": uri, "languageId": "markdown", "version": 1, "text": "team//\n"}
        client.notify("textDocument/didOpen", {"textDocument": document})
        place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 6}}
        listed = client.call("textDocument/completion", place)
        assert (listed["isIncomplete"], listed["items"]) == (True, [])
        client.notify("initialized", {})
        client.wait_for_method("akm/didIndex")
        listed = client.call("textDocument/completion", place)
        assert listed["isIncomplete"] is False
        assert "team//knowledge/auth/tls" in [item["label"] for item in listed["items"]]


@pytest.mark.parametrize(
    "marked", ["See team//with$0\n", "`team//with$0`\n", "See team//knowl$0\n"]
)
async def test_a_name_that_prose_cuts_short_is_offered_in_the_frontmatter_only(
    editor: Editor, marked: str
) -> None:
    editor.write("team/knowledge/auth/with space.md", "---\ndescription: D\n---\n# Blank\n")
    await editor.start()
    assert "team//knowledge/auth/with space" not in labels(await complete(editor, DRAFT, marked))
    name = "team/knowledge/draft2.md"
    found = await complete(editor, name, "---\nxrefs: [with$0]\n---\n# D\n")
    assert labels(found) == ["knowledge/auth/with space"]


async def test_a_name_with_a_blank_is_offered_where_it_can_be_written(editor: Editor) -> None:
    editor.write("team/agents/My Agent.md", "---\ndescription: Plans\n---\nYou are.\n")
    editor.write("team/agents/mine.md", "---\ndescription: Plans\n---\nYou are.\n")
    await editor.start()
    written = labels(await complete(editor, DRAFT, "See team//agents/m$0"))
    assert written == ["team//agents/mine"]
    listed = labels(await complete(editor, DRAFT, "---\nxrefs:\n  - agents/m$0\n---\n"))
    assert set(listed) == {"agents/mine", "agents/My Agent"}
