"""Hover on a ref: a card, a section, key names; nothing of a secret."""

from __future__ import annotations

import pytest
from editor import Editor
from lsprotocol import types as lsp

DRAFT = "team/knowledge/draft.md"


async def hover(editor: Editor, marked: str, name: str = DRAFT) -> lsp.Hover | None:
    position = editor.open(name, marked)
    return await editor.client.text_document_hover_async(
        lsp.HoverParams(**editor.at(name, position))
    )


async def card(editor: Editor, marked: str) -> str:
    answer = await hover(editor, marked)
    assert answer is not None and isinstance(answer.contents, lsp.MarkupContent)
    return answer.contents.value


async def test_a_ref_shows_the_assets_card(editor: Editor) -> None:
    await editor.start()
    text = await card(editor, "See team//knowledge/auth/to$0kens.\n")
    for part in ("Token rotation", "knowledge", "How tokens are rotated", "When a token leaks"):
        assert part in text
    assert "team//knowledge/auth/tokens" in text
    assert "tags: auth, tokens" in text
    assert "Opening line." in text
    assert "cited 3 times" in text, "the open document counts"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_the_range_is_the_ref_without_its_dress(editor: Editor, encoding: str) -> None:
    await editor.start(encodings=[lsp.PositionEncodingKind(encoding)])
    answer = await hover(editor, "😀 **team//knowledge/auth/to$0kens**, see\n")
    assert answer is not None and answer.range is not None
    text = editor.texts[editor.uri(DRAFT)]
    assert editor.covered(text, answer.range) == "team//knowledge/auth/tokens"


async def test_a_fragment_shows_its_section_only(editor: Editor) -> None:
    await editor.start()
    text = await card(editor, "See team//knowledge/auth/tokens#daily$0-rotation.\n")
    assert "Every night." in text
    assert "Call somebody" not in text
    assert "Opening line" not in text


async def test_a_superseded_asset_says_by_what(editor: Editor) -> None:
    await editor.start()
    assert "superseded by knowledge/auth/tls" in await card(editor, "See team//knowledge/ol$0d\n")


async def test_an_env_file_shows_key_names_and_no_value(editor: Editor) -> None:
    await editor.start()
    text = await card(editor, "Use team//env/stag$0ing\n")
    assert "API_TOKEN" in text and "REGION" in text
    assert "MARKER" not in text


async def test_a_secret_shows_nothing_but_its_name(editor: Editor) -> None:
    await editor.start()
    text = await card(editor, "Use team//secrets/deploy-k$0ey\n")
    assert "deploy-key" in text
    assert "MARKER" not in text


async def test_an_open_documents_text_wins(editor: Editor) -> None:
    await editor.start()
    editor.open("team/knowledge/auth/tls.md", "---\ndescription: Fresh words\n---\n# TLS now\n")
    text = await card(editor, "See team//knowledge/auth/tl$0s\n")
    assert "Fresh words" in text and "TLS now" in text


@pytest.mark.parametrize("marked", ["Plain te$0xt\n", "```\nteam//knowledge/auth/to$0kens\n```\n"])
async def test_elsewhere_there_is_no_card(editor: Editor, marked: str) -> None:
    await editor.start()
    assert await hover(editor, marked) is None


async def test_a_client_without_markdown_gets_plain_text(editor: Editor) -> None:
    def plain(capabilities: lsp.ClientCapabilities) -> None:
        assert capabilities.text_document and capabilities.text_document.hover
        capabilities.text_document.hover.content_format = [lsp.MarkupKind.PlainText]

    await editor.start(adjust=plain)
    answer = await hover(editor, "See team//knowledge/auth/to$0kens.\n")
    assert answer is not None and isinstance(answer.contents, lsp.MarkupContent)
    assert answer.contents.kind == lsp.MarkupKind.PlainText
    assert "**" not in answer.contents.value


async def test_a_key_that_somebody_pasted_is_not_on_the_card(editor: Editor) -> None:
    key = "ghp_" + "aB3d" * 9
    editor.write(
        "team/knowledge/paste.md",
        f"---\ndescription: Log in with {key}\nwhen_to_use: When {key} fails\n---\n"
        f"# Paste\n\nIt is {key}.\n\n## Part\n\npassword: hunter2hunter2\n",
    )
    await editor.start()
    for ref in ("team//knowledge/pa$0ste", "team//knowledge/pa$0ste#part"):
        shown = await hover(editor, f"{ref}\n")
        assert shown is not None
        text = str(shown)
        assert key not in text and "hunter2" not in text
        assert "[REDACTED:" in text


async def test_a_description_that_nobody_wrote_is_not_made_up(editor: Editor) -> None:
    editor.write("team/knowledge/otter-care.md", "Feed them.\n")
    await editor.start()
    shown = await hover(editor, "team//knowledge/otter$0-care\n")
    assert "otter care" not in str(shown)


async def test_the_count_is_the_one_that_the_list_of_references_has(editor: Editor) -> None:
    await editor.start()
    name = "team/knowledge/auth/tls.md"
    text = "---\ndescription: C\n---\n# T$0LS\n\nSee team//knowledge/auth/tls itself.\n"
    position = editor.open(name, text)
    places = await editor.client.text_document_references_async(
        lsp.ReferenceParams(**editor.at(name, position), context=lsp.ReferenceContext(False))
    )
    assert places is not None
    shown = await card(editor, "Now team//knowledge/auth/t$0ls and team//knowledge/auth/tls\n")
    assert f"cited {len(places) + 2} times" in shown, "the draft cites it twice more"
