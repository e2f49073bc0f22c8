"""Lines above a document's own: how often it is cited, what replaces it, how long it is."""

from __future__ import annotations

from typing import Any

import pytest
from editor import Editor
from lsprotocol import types as lsp

TOKENS = "team/knowledge/auth/tokens.md"
RELEASE = "team/skills/release/SKILL.md"
TOKENS_TEXT = "# Token rotation\n\n## Daily rotation\n\n## In an emergency\n"


async def lenses(editor: Editor, name: str) -> list[str]:
    """Each lens as ``line: text``, resolved."""
    found = await editor.client.text_document_code_lens_async(
        lsp.CodeLensParams(lsp.TextDocumentIdentifier(editor.uri(name)))
    )
    shown = []
    for lens in found or ():
        if lens.command is None:
            lens = await editor.client.code_lens_resolve_async(lens)
        assert lens.command is not None
        shown.append(f"{lens.range.start.line}: {lens.command.title}")
    return shown


async def test_citations_are_counted_at_the_title_and_at_cited_headings(editor: Editor) -> None:
    await editor.start(["team", "other"])
    editor.open(TOKENS, f"---\ntitle: Tokens\n---\n{TOKENS_TEXT}")
    assert await lenses(editor, TOKENS) == ["3: 2 citations", "5: 1 citation"]
    editor.open("team/memories/note.md", "team//knowledge/auth/tokens#in-an-emergency\n" * 2)
    assert await lenses(editor, TOKENS) == ["3: 3 citations", "5: 1 citation", "7: 2 citations"]
    editor.open("team/env/staging.env", "A=1\n")
    assert await lenses(editor, "team/env/staging.env") == ["0: no citations"]
    editor.open("team/README.md", "# Not an asset\n")
    assert await lenses(editor, "team/README.md") == []


async def test_citations_are_counted_when_a_lens_comes_into_view(editor: Editor) -> None:
    await editor.start()
    editor.open(TOKENS, TOKENS_TEXT)
    found = await editor.client.text_document_code_lens_async(
        lsp.CodeLensParams(lsp.TextDocumentIdentifier(editor.uri(TOKENS)))
    )
    assert found is not None and all(lens.command is None for lens in found)
    lens = await editor.client.code_lens_resolve_async(found[1])
    assert lens.command is not None and lens.command.command == "akm.showReferences"
    uri, position, places = lens.command.arguments or ()
    assert uri == editor.uri(TOKENS)
    assert position == {"line": 2, "character": 0} or position.line == 2
    assert [
        editor.name(place["uri"] if isinstance(place, dict) else place.uri) for place in places
    ] == [RELEASE]


async def test_what_replaces_an_asset_is_named(editor: Editor) -> None:
    await editor.start()
    name = "team/knowledge/old.md"
    editor.open(name, (editor.root / name).read_text())
    assert (await lenses(editor, name))[0] == "5: superseded by knowledge/auth/tls"
    editor.change(name, "---\nbeliefState: deprecated\n---\ntext\n")
    assert (await lenses(editor, name))[0] == "3: deprecated"


async def test_a_skill_tells_what_its_use_costs(editor: Editor) -> None:
    await editor.start()
    editor.open(RELEASE, "---\nname: release\ndescription: x\n---\n# Release\n\n" + "word " * 8000)
    assert await lenses(editor, RELEASE) == [
        "4: no citations",
        "4: about 10,003 tokens in 3 lines when it is used (recommended: up to 5,000 and 500)",
    ]


SETTINGS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["superseded", "citations", "tokens"]),
    ({"citations": False}, ["superseded", "tokens"]),
    ({"superseded": False, "tokens": False}, ["citations"]),
    ({"citations": False, "superseded": False, "tokens": False}, []),
]


@pytest.mark.parametrize(("settings", "expected"), SETTINGS)
async def test_each_kind_has_its_setting(
    editor: Editor, settings: dict[str, Any], expected: list[str]
) -> None:
    await editor.start(options={"codeLens": settings})
    editor.open(RELEASE, "---\nname: release\nbeliefState: superseded\n---\n# R\n")
    shown = await lenses(editor, RELEASE)
    for kind, text in zip(expected, shown, strict=True):
        assert {
            "superseded": "superseded",
            "citations": "citation",
            "tokens": "about 1 token in 1 line",
        }[kind] in text


async def test_a_client_that_can_is_asked_to_look_again(editor: Editor) -> None:
    refreshed: list[str] = []

    @editor.client.feature(lsp.WORKSPACE_CODE_LENS_REFRESH)
    def _refresh(*_: Any) -> None:
        refreshed.append("lens")

    await editor.start()
    editor.open(TOKENS, TOKENS_TEXT)
    await editor.until(lambda: refreshed, "for the first index")
    before = len(refreshed)
    editor.write("team/memories/note.md", "Nothing any more.\n")
    editor.outside_change(("team/memories/note.md", lsp.FileChangeType.Changed))
    await editor.until(lambda: len(refreshed) > before, "after a change outside")
    assert await lenses(editor, TOKENS) == ["0: 1 citation", "2: 1 citation"]


async def test_an_editor_that_cannot_list_places_is_shown_the_first(editor: Editor) -> None:
    def shows(capabilities: lsp.ClientCapabilities) -> None:
        capabilities.window = lsp.WindowClientCapabilities(
            show_document=lsp.ShowDocumentClientCapabilities(support=True)
        )

    result = await editor.start(adjust=shows)
    commands = result.capabilities.execute_command_provider
    assert commands is not None and "akm.showReferences" in commands.commands
    editor.open(TOKENS, TOKENS_TEXT)
    found = await editor.client.text_document_code_lens_async(
        lsp.CodeLensParams(lsp.TextDocumentIdentifier(editor.uri(TOKENS)))
    )
    assert found is not None
    lens = await editor.client.code_lens_resolve_async(found[0])
    assert lens.command is not None
    await editor.client.workspace_execute_command_async(
        lsp.ExecuteCommandParams(lens.command.command, lens.command.arguments)
    )
    shown = editor.client.shown_documents
    assert [editor.name(params.uri) for params in shown] == ["team/memories/note.md"]
    assert shown[0].selection is not None and shown[0].selection.start.line == 3
    await editor.until(lambda: any("2 citations" in it.message for it in editor.client.messages))
    for odd in ([], ["x"], ["x", 1, "y"], ["x", 1, [{}, 3]]):
        await editor.client.workspace_execute_command_async(
            lsp.ExecuteCommandParams("akm.showReferences", odd)
        )
