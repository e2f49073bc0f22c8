"""What refs mean, where they do not say it themselves."""

from __future__ import annotations

from typing import Any

import pytest
from editor import Editor
from lsprotocol import types as lsp

DRAFT = "team/knowledge/draft.md"
TEXT = """---
xrefs:
  - knowledge/auth/tokens
  - memories/note
  - team//knowledge/auth/tls
  - knowledge/there
  - knowledge/gone
supersededBy: skills/release/SKILL.md
---
😀 See team//knowledge/auth/tls, other//knowledge/auth/tls, team//skills/release/SKILL.md.
"""
TITLES = ["2 knowledge/auth/tokens| Token rotation", "3 memories/note| Note"]
TARGETS = [
    "5 knowledge/there| → other//knowledge/there",
    "7 skills/release/SKILL.md| → team//skills/release",
    "9 other//knowledge/auth/tls| → team//knowledge/auth/tls",
    "9 team//skills/release/SKILL.md| → team//skills/release",
]


async def hints(editor: Editor, first: int = 0, last: int = 99) -> list[str]:
    """Each hint as ``line text before| label``."""
    found = await editor.client.text_document_inlay_hint_async(
        lsp.InlayHintParams(
            lsp.TextDocumentIdentifier(editor.uri(DRAFT)),
            lsp.Range(lsp.Position(first, 0), lsp.Position(last, 0)),
        )
    )
    shown = []
    for hint in found or ():
        start = lsp.Position(hint.position.line, 0)
        before = editor.covered(
            editor.texts[editor.uri(DRAFT)], lsp.Range(start, hint.position)
        ).split()[-1]
        assert isinstance(hint.label, (list, tuple))
        assert hint.padding_left
        label = "".join(part.value for part in hint.label)
        shown.append(f"{hint.position.line} {before}| {label}")
    return shown


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_bare_ids_get_a_title_and_detours_their_end(editor: Editor, encoding: str) -> None:
    editor.write("team/memories/note.md", "---\ndescription: d\n---\ntext\n")
    await editor.start(["team", "other"], encodings=[lsp.PositionEncodingKind(encoding)])
    editor.open(DRAFT, TEXT)
    untitled = [TITLES[0], "3 memories/note| memory"]
    assert await hints(editor) == [*untitled, *TARGETS]
    assert await hints(editor, 3, 6) == [untitled[1], TARGETS[0]]
    editor.open("team/memories/note.md", "# Note\n")
    assert await hints(editor) == [*TITLES, *TARGETS]


SETTINGS: list[tuple[dict[str, Any], list[str]]] = [
    ({"titles": False}, TARGETS),
    (
        {"targets": False},
        [*TITLES, "5 knowledge/there| There", "7 skills/release/SKILL.md| Release"],
    ),
    ({"titles": False, "targets": False}, []),
]


@pytest.mark.parametrize(("settings", "expected"), SETTINGS)
async def test_each_kind_has_its_setting(
    editor: Editor, settings: dict[str, Any], expected: list[str]
) -> None:
    await editor.start(["team", "other"], options={"inlayHints": settings})
    editor.open(DRAFT, TEXT)
    assert await hints(editor) == expected


async def test_a_hint_leads_to_the_asset(editor: Editor) -> None:
    await editor.start()
    editor.open(DRAFT, TEXT)
    found = await editor.client.text_document_inlay_hint_async(
        lsp.InlayHintParams(
            lsp.TextDocumentIdentifier(editor.uri(DRAFT)),
            lsp.Range(lsp.Position(2, 0), lsp.Position(3, 0)),
        )
    )
    (hint,) = found or ()
    assert not isinstance(hint.label, str)
    assert hint.label[0].location is not None
    assert editor.name(hint.label[0].location.uri) == "team/knowledge/auth/tokens.md"
    assert "How tokens are rotated" in str(hint.tooltip)


async def test_a_client_that_can_is_asked_to_look_again(editor: Editor) -> None:
    refreshed: list[str] = []

    @editor.client.feature(lsp.WORKSPACE_INLAY_HINT_REFRESH)
    def _refresh(*_: Any) -> None:
        refreshed.append("hint")

    def refreshes(capabilities: lsp.ClientCapabilities) -> None:
        assert capabilities.workspace
        capabilities.workspace.inlay_hint = lsp.InlayHintWorkspaceClientCapabilities(
            refresh_support=True
        )
        capabilities.workspace.configuration = True

    await editor.start(adjust=refreshes)
    editor.open(DRAFT, TEXT)
    await editor.until(lambda: refreshed, "for the first index")
    before = len(refreshed)
    editor.client.set_configuration({"akm": {"inlayHints": {"titles": False}}})
    editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams({}))
    await editor.until(lambda: len(refreshed) > before, "after a change of settings")
    assert TITLES[0] not in await hints(editor)
