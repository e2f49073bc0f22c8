"""Code actions beyond fixes: create, extract, convert, relate, copy."""

from __future__ import annotations

from ast import literal_eval
from datetime import date
from typing import Any

import pytest
from editor import Editor
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from akm_ls.documents.text import LineIndex

DRAFT = "team/knowledge/draft.md"
HEAD = "---\ndescription: A draft\nupdated: 2026-01-01\n---\n"
TODAY = date.today().isoformat()


def able(*operations: str, resolve: bool = False, copying: bool = False) -> Any:
    """A client that can create files, and what else a test wants of it."""

    def adjust(capabilities: lsp.ClientCapabilities) -> None:
        assert capabilities.workspace and capabilities.text_document
        capabilities.workspace.workspace_edit = lsp.WorkspaceEditClientCapabilities(
            document_changes=True,
            resource_operations=[lsp.ResourceOperationKind(name) for name in operations],
        )
        action = capabilities.text_document.code_action
        assert action is not None
        action.data_support = resolve
        action.resolve_support = (
            lsp.ClientCodeActionResolveOptions(properties=["edit"]) if resolve else None
        )
        if copying:
            capabilities.experimental = {"commands": {"commands": ["akm.copyRef"]}}

    return adjust


async def asked(editor: Editor, name: str, marked: str) -> list[Any]:
    """What is offered at ``$0``."""
    uri = editor.uri(name)
    position = editor.change(name, marked) if uri in editor.texts else editor.open(name, marked)
    found = await editor.client.text_document_code_action_async(
        lsp.CodeActionParams(
            lsp.TextDocumentIdentifier(uri),
            lsp.Range(position, position),
            lsp.CodeActionContext([]),
        )
    )
    return list(found or ())


async def offered(editor: Editor, name: str, marked: str) -> dict[str, lsp.CodeAction]:
    """The actions that come with an edit, by title."""
    found = await asked(editor, name, marked)
    return {action.title: action for action in found if isinstance(action, lsp.CodeAction)}


async def copies(editor: Editor, name: str, marked: str) -> list[tuple[str, str]]:
    """The actions that run a command of the client's, with its argument."""
    # The client's library takes an action with a command for a bare command and keeps its text.
    found = [one for one in await asked(editor, name, marked) if isinstance(one, lsp.Command)]
    commands = [(one.title, literal_eval(one.command)) for one in found]
    assert all(command["command"] == "akm.copyRef" for _, command in commands)
    return [(title, *command["arguments"]) for title, command in commands]


def applied(editor: Editor, action: lsp.CodeAction) -> dict[str, str]:
    """The files that an action leaves behind, by name."""
    assert action.edit is not None and action.edit.document_changes is not None
    files: dict[str, str] = {}
    for change in action.edit.document_changes:
        if isinstance(change, lsp.CreateFile):
            assert not (editor.root / editor.name(change.uri)).exists()
            files[editor.name(change.uri)] = ""
            continue
        assert isinstance(change, lsp.TextDocumentEdit)
        uri = change.text_document.uri
        name = editor.name(uri)
        text = files.get(name, editor.texts.get(uri))
        if text is None:
            text = (editor.root / name).read_text()
        lines = LineIndex(text)
        for edit in sorted(change.edits, key=lambda e: _start(e), reverse=True):
            assert isinstance(edit, lsp.TextEdit)
            start = lines.offset(edit.range.start.line, edit.range.start.character, "utf-16")
            end = lines.offset(edit.range.end.line, edit.range.end.character, "utf-16")
            text = text[:start] + edit.new_text + text[end:]
        files[name] = text
    return files


def _start(edit: Any) -> tuple[int, int]:
    return edit.range.start.line, edit.range.start.character


# Create.


async def test_the_asset_that_a_ref_names_is_created_from_its_template(editor: Editor) -> None:
    await editor.start(adjust=able("create"))
    found = await offered(editor, DRAFT, HEAD + "# D\n\nSee team//lessons/web/go$0ne#why-so.\n")
    action = found["Create lessons/web/gone"]
    assert action.kind == lsp.CodeActionKind.QuickFix
    assert [diagnostic.code for diagnostic in action.diagnostics or ()] == ["missing-ref"]
    (created,) = applied(editor, action).items()
    name, text = created
    assert name == "team/lessons/web/gone.md"
    assert "when_to_use: " in text and f"updated: {TODAY}\n" in text
    assert "xrefs:\n  - knowledge/draft\n" in text
    assert text.endswith("\n## Why so\n")


@pytest.mark.parametrize(
    ("ref", "name"),
    [
        ("team//skills/new-one", "team/skills/new-one/SKILL.md"),
        ("team//skills/new-one/SKILL.md", "team/skills/new-one/SKILL.md"),
        ("team//skills/release/references/more.md", "team/skills/release/references/more.md"),
        ("team//tasks/nightly", "team/tasks/nightly.yml"),
        ("team//scripts/run.sh", "team/scripts/run.sh"),
        ("other//knowledge/new", "other/knowledge/new.md"),
    ],
)
async def test_it_lands_where_its_type_belongs(editor: Editor, ref: str, name: str) -> None:
    await editor.start(["team", "other"], adjust=able("create"))
    found = await offered(editor, DRAFT, HEAD + f"# D\n\nSee {ref}$0 .\n")
    (action,) = (action for title, action in found.items() if title.startswith("Create "))
    assert list(applied(editor, action)) == [name]


@pytest.mark.parametrize(
    "ref", ["team//secrets/new-key", "team//knowledge/old", "nobody//knowledge/x"]
)
async def test_secrets_and_what_is_there_are_not_created(editor: Editor, ref: str) -> None:
    await editor.start(adjust=able("create"))
    found = await offered(editor, DRAFT, HEAD + f"# D\n\nSee {ref}$0\n")
    assert not [title for title in found if title.startswith("Create ")]


async def test_a_client_that_creates_no_files_is_not_offered_any(editor: Editor) -> None:
    await editor.start(adjust=able())
    marked = HEAD + "# D\n\nSee team//knowledge/go$0ne\n\n"
    assert not [t for t in await offered(editor, DRAFT, marked) if t.startswith("Create ")]
    marked = HEAD + "# D\n\n## Pa$0rt\n\nText.\n"
    assert not [t for t in await offered(editor, DRAFT, marked) if t.startswith("Extract ")]


# Extract.


async def test_a_section_becomes_an_asset_and_leaves_a_ref(editor: Editor) -> None:
    await editor.start(adjust=able("create"))
    marked = (
        HEAD + "# D\n\n## How it $0works\n\nSo. See [old](old.md) and [top](#d).\n\n### Deep\n\n"
        "More.\n\n## After\n\nEnd.\n"
    )
    found = await offered(editor, DRAFT, marked)
    files = applied(editor, found["Extract this section to knowledge/how-it-works.md"])
    assert files[DRAFT] == (
        HEAD + "# D\n\n## How it works\n\nSee team//knowledge/how-it-works.\n\n## After\n\nEnd.\n"
    )
    text = files["team/knowledge/how-it-works.md"]
    assert "description: " in text and "xrefs:\n  - knowledge/draft\n" in text
    assert text.endswith(
        "---\n# How it works\n\nSo. See [old](old.md) and [top](draft.md#d).\n\n## Deep\n\nMore.\n"
    )


async def test_what_names_a_part_of_the_section_follows_it(editor: Editor) -> None:
    editor.write(
        "team/memories/citing.md",
        "---\nxrefs: [knowledge/draft#sub]\n---\n# C\n\nSee team//knowledge/draft#sub, "
        "[it](../knowledge/draft.md#sub) and [all](../knowledge/draft.md#big).\n",
    )
    await editor.start(adjust=able("create"))
    marked = (
        HEAD + "# D\n\nSee [sub](#sub), [big](#big) and [x].\n\n## B$0ig\n\n"
        "In team//knowledge/draft#sub, [here](draft.md#sub) and [there][y].\n\n"
        "[x]: old.md\n\n### Sub\n\nDeep.\n\n## After\n\n[y]: auth/tls.md 'TLS'\n"
    )
    found = await offered(editor, DRAFT, marked)
    files = applied(editor, found["Extract this section to knowledge/big.md"])
    assert files["team/memories/citing.md"] == (
        "---\nxrefs: [knowledge/big#sub]\n---\n# C\n\nSee team//knowledge/big#sub, "
        "[it](../knowledge/big.md#sub) and [all](../knowledge/draft.md#big).\n"
    )
    assert files[DRAFT] == (
        HEAD + "# D\n\nSee [sub](big.md#sub), [big](#big) and [x].\n\n## Big\n\n"
        "See team//knowledge/big.\n\n[x]: old.md\n\n## After\n\n[y]: auth/tls.md 'TLS'\n"
    )
    assert files["team/knowledge/big.md"].endswith(
        "# Big\n\nIn team//knowledge/big#sub, [here](#sub) and [there][y].\n\n"
        "[x]: old.md\n\n## Sub\n\nDeep.\n\n[y]: auth/tls.md 'TLS'\n"
    )


async def test_a_section_stays_while_a_read_only_bundle_names_a_part_of_it(editor: Editor) -> None:
    editor.write("other/memories/citing.md", "# C\n\nSee team//knowledge/draft#sub.\n")
    editor.write(
        "config.json",
        f'{{"bundles": {{"team": {{"path": "{editor.root}/team", "writable": true}}, '
        f'"other": {{"path": "{editor.root}/other", "writable": false}}}}}}',
    )
    options = {"config": str(editor.root / "config.json")}
    await editor.start([], options=options, adjust=able("create", resolve=True))
    text = HEAD + "# D\n\n## B$0ig\n\nText.\n\n### Sub\n\nDeep.\n"
    found = await offered(editor, DRAFT, text)
    with pytest.raises(JsonRpcException, match=r"other: memories/citing\.md"):
        await editor.client.code_action_resolve_async(
            found["Extract this section to knowledge/big.md"]
        )


async def test_in_a_skill_it_becomes_a_reference_that_is_linked(editor: Editor) -> None:
    await editor.start(adjust=able("create"))
    name = "team/skills/release/SKILL.md"
    head = "---\r\nname: release\r\ndescription: Releases the product\r\n---\r\n# R\r\n\r\n"
    marked = f"{head}## Last st$0eps\r\n\r\nSee [steps](references/steps.md#a).\r\n"
    found = await offered(editor, name, marked)
    files = applied(
        editor, found["Extract this section to skills/release/references/last-steps.md"]
    )
    assert files[name] == (
        f"{head}## Last steps\r\n\r\nSee [Last steps](references/last-steps.md).\r\n"
    )
    assert files["team/skills/release/references/last-steps.md"] == (
        "# Last steps\r\n\r\nSee [steps](steps.md#a).\r\n"
    )


@pytest.mark.parametrize(
    "marked", ["# On$0ly\n\nText.\n", "# A\n\n## Emp$0ty\n\n## B\n", "Te$0xt\n"]
)
async def test_titles_and_empty_sections_are_not_extracted(editor: Editor, marked: str) -> None:
    await editor.start(adjust=able("create"))
    assert not [t for t in await offered(editor, DRAFT, HEAD + marked) if t.startswith("Extract")]


# Convert and qualify.


@pytest.mark.parametrize(
    ("line", "title", "expected"),
    [
        (
            "See [the rules](auth/tok$0ens.md#daily-rotation).",
            "Convert to the ref team//knowledge/auth/tokens",
            "See the rules (team//knowledge/auth/tokens#daily-rotation).",
        ),
        (
            "See [Token ro$0tation](auth/tokens.md).",
            "Convert to the ref team//knowledge/auth/tokens",
            "See team//knowledge/auth/tokens.",
        ),
        (
            "See team//knowledge/auth/tok$0ens#daily-rotation.",
            "Convert to a relative link",
            "See [Daily rotation](auth/tokens.md#daily-rotation).",
        ),
        (
            "😀 See `team//skills/rel$0ease`.",
            "Convert to a relative link",
            "😀 See [Release](../skills/release/SKILL.md).",
        ),
    ],
)
async def test_links_and_refs_turn_into_each_other(
    editor: Editor, line: str, title: str, expected: str
) -> None:
    await editor.start(adjust=able())
    found = await offered(editor, DRAFT, f"{HEAD}# D\n\n{line}\n")
    assert applied(editor, found[title]) == {DRAFT: f"{HEAD}# D\n\n{expected}\n"}


async def test_a_name_that_no_ref_in_prose_can_say_stays_a_link(editor: Editor) -> None:
    name = "team/knowledge/auth/with space.md"
    text = "---\ndescription: D\n---\n# Blank\n"
    editor.write(name, text)
    await editor.start(adjust=able(copying=True))
    found = await offered(editor, DRAFT, HEAD + "# D\n\nSee [x](auth/with%20sp$0ace.md).\n")
    assert not [title for title in found if title.startswith("Convert")]
    assert "Add knowledge/auth/with space to xrefs" in found, "YAML has no such limit"
    assert await copies(editor, name, text.replace("# B", "# $0B")) == []


async def test_a_bare_ref_gets_its_bundle(editor: Editor) -> None:
    await editor.start(["team", "other"], adjust=able())
    found = await offered(editor, DRAFT, "---\nxrefs: [knowledge/the$0re#top]\n---\n# D\n")
    files = applied(editor, found["Write other// before the ref"])
    assert files == {DRAFT: "---\nxrefs: [other//knowledge/there#top]\n---\n# D\n"}


# Relations.


@pytest.mark.parametrize("line", ["See team//knowledge/o$0ld.", "See [x](ol$0d.md)."])
async def test_what_is_named_can_be_added_to_xrefs(editor: Editor, line: str) -> None:
    await editor.start(adjust=able())
    found = await offered(editor, DRAFT, f"{HEAD}# D\n\n{line}\n")
    (text,) = applied(editor, found["Add knowledge/old to xrefs"]).values()
    assert "\nxrefs: [knowledge/old]\n---\n" in text
    again = await offered(editor, DRAFT, f"---\nxrefs: [knowledge/old]\n---\n# D\n\n{line}\n")
    assert "Add knowledge/old to xrefs" not in again


async def test_superseding_changes_both_files(editor: Editor) -> None:
    await editor.start(adjust=able())
    found = await offered(editor, DRAFT, HEAD + "# D\n\nNow team//knowledge/auth/tl$0s holds.\n")
    files = applied(editor, found["Mark this as superseded by knowledge/auth/tls"])
    assert "beliefState: superseded\nsupersededBy: [knowledge/auth/tls]\n---\n" in files[DRAFT]
    assert "\nxrefs: [knowledge/draft]\n---\n" in files["team/knowledge/auth/tls.md"]


async def test_no_part_of_a_skill_replaces_the_skill(editor: Editor) -> None:
    await editor.start(adjust=able())
    skill = (
        "---\nname: release\ndescription: Releases\n---\n# R\n\nSee [a](references/st$0eps.md).\n"
    )
    found = await offered(editor, "team/skills/release/SKILL.md", skill)
    assert not [title for title in found if title.startswith("Mark")]
    found = await offered(
        editor,
        "team/skills/release/SKILL.md",
        skill.replace("references/", "../../knowledge/auth/t").replace("st$0eps", "l$0s"),
    )
    assert "Mark this as superseded by knowledge/auth/tls" in found


# Resolve, copy, read-only bundles.


async def test_the_edit_comes_when_it_is_asked_for(editor: Editor) -> None:
    await editor.start(adjust=able("create", resolve=True))
    found = await offered(editor, DRAFT, HEAD + "# D\n\nSee team//knowledge/go$0ne\n")
    action = found["Create knowledge/gone"]
    assert action.edit is None and action.data is not None
    resolved = await editor.client.code_action_resolve_async(action)
    assert list(applied(editor, resolved)) == ["team/knowledge/gone.md"]
    editor.change(DRAFT, HEAD + "# Changed\n")
    with pytest.raises(JsonRpcException, match="changed since"):
        await editor.client.code_action_resolve_async(action)


async def test_a_client_that_can_copies_the_ref_of_an_asset_or_heading(editor: Editor) -> None:
    await editor.start(adjust=able(copying=True))
    assert await copies(editor, DRAFT, HEAD + "# D\n\n## Pa$0rt\n") == [
        ("Copy ref of this heading", "team//knowledge/draft#part")
    ]
    assert await copies(editor, DRAFT, HEAD + "# $0D\n\n## Part\n") == [
        ("Copy ref of this asset", "team//knowledge/draft")
    ]


async def test_other_clients_are_not_offered_to_copy(editor: Editor) -> None:
    await editor.start(adjust=able())
    assert await copies(editor, DRAFT, HEAD + "# D$0\n") == []


async def test_a_bundle_that_is_not_writable_is_left_alone(editor: Editor) -> None:
    editor.write(
        "config.json",
        '{"bundles": {"team": {"path": "%s", "writable": false}}}' % (editor.root / "team"),
    )
    await editor.start(
        [],
        options={"config": str(editor.root / "config.json")},
        adjust=able("create", copying=True),
    )
    for line in ("See team//knowledge/go$0ne", "See team//knowledge/o$0ld", "## Pa$0rt\n\nText."):
        assert await offered(editor, DRAFT, f"{HEAD}# D\n\n{line}\n") == {}
        assert len(await copies(editor, DRAFT, f"{HEAD}# D\n\n{line}\n")) == 1
