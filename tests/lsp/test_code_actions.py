"""Quick fixes, fix-all and suppressions as an editor is offered them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from editor import Editor
from lsprotocol import types as lsp

from akm_ls.documents.text import LineIndex, Span
from akm_ls.lint.engine import CODES
from akm_ls.lint.finding import Fix, TextEdit
from akm_ls.lsp.client import Client
from akm_ls.lsp.convert import to_range
from akm_ls.lsp.offers import FIX_ALL
from akm_ls.lsp.uris import path_of, uri_of
from akm_ls.lsp.workspace_edits import workspace_edit
from akm_ls.workspace import Settings, Workspace

DRAFT = "team/knowledge/draft.md"
TWO_RULES = {
    "lint": {
        "rules": {code: "off" for code in CODES if code not in ("missing-ref", "unquoted-colon")}
    }
}
"""So that no other rule has something to say here."""
BROKEN = "---\ndescription: 😀 Use when: stuck\n---\n# D\n\nSee team//knowledge/gone.\n"


async def actions(
    editor: Editor,
    name: str,
    *,
    line: int | None = None,
    only: list[str] | None = None,
    trigger: lsp.CodeActionTriggerKind | None = None,
) -> list[lsp.CodeAction]:
    """What is offered for one line, or for the whole document."""
    last = len(LineIndex(editor.texts[editor.uri(name)])) - 1 if line is None else line
    where = lsp.Range(lsp.Position(line or 0, 0), lsp.Position(last, 1_000))
    found = await editor.client.text_document_code_action_async(
        lsp.CodeActionParams(
            lsp.TextDocumentIdentifier(editor.uri(name)),
            where,
            lsp.CodeActionContext([], only=only, trigger_kind=trigger),
        )
    )
    return [action for action in found or () if isinstance(action, lsp.CodeAction)]


def applied(editor: Editor, name: str, action: lsp.CodeAction) -> str:
    """The document's text after an action that touches nothing else."""
    text = editor.texts[editor.uri(name)]
    assert action.edit is not None and action.edit.document_changes is not None
    (change,) = action.edit.document_changes
    assert isinstance(change, lsp.TextDocumentEdit)
    assert change.text_document.uri == editor.uri(name)
    assert change.text_document.version == 1
    lines = LineIndex(text)
    for edit in sorted(
        change.edits,
        key=lambda e: (e.range.start.line, e.range.start.character),  # type: ignore[union-attr]
        reverse=True,
    ):
        assert isinstance(edit, lsp.TextEdit)
        start = lines.offset(edit.range.start.line, edit.range.start.character, editor.encoding)
        end = lines.offset(edit.range.end.line, edit.range.end.character, editor.encoding)
        text = text[:start] + edit.new_text + text[end:]
    return text


def titles(found: list[lsp.CodeAction]) -> list[str]:
    return [action.title for action in found]


async def test_a_line_offers_its_fixes_first_and_then_to_look_away(editor: Editor) -> None:
    await editor.start(options=TWO_RULES)
    editor.open(DRAFT, BROKEN)
    found = await actions(editor, DRAFT, line=1)
    assert titles(found)[:1] == ["Quote the description"]
    assert found[0].is_preferred
    here = [action for action in found if "Disable" in action.title or "lint_skip" in action.title]
    assert titles(here) == [
        "Disable unquoted-colon for this line",
        "Disable unquoted-colon for this file",
        "Add unquoted-colon to lint_skip",
    ]
    assert not any(action.is_preferred for action in here)
    assert applied(editor, DRAFT, here[0]) == BROKEN.replace(
        "description", "# akm-ls-disable-next-line unquoted-colon\ndescription"
    )


async def test_fix_all_comes_when_it_is_asked_for(editor: Editor) -> None:
    await editor.start(encodings=[lsp.PositionEncodingKind.Utf8], options=TWO_RULES)
    editor.open(DRAFT, BROKEN)
    for only in (["source"], ["source.fixAll"], [FIX_ALL]):
        (action,) = await actions(editor, DRAFT, only=only)
        assert action.kind == FIX_ALL
        assert applied(editor, DRAFT, action) == BROKEN.replace(
            "😀 Use when: stuck", '"😀 Use when: stuck"'
        )
    quick = await actions(editor, DRAFT, only=["quickfix"])
    assert quick and FIX_ALL not in [action.kind for action in quick]
    assert await actions(editor, DRAFT, only=["refactor"]) == []
    everything = await actions(editor, DRAFT)
    assert [action.kind for action in everything].count(FIX_ALL) == 1
    automatic = await actions(editor, DRAFT, trigger=lsp.CodeActionTriggerKind.Automatic)
    assert FIX_ALL not in [action.kind for action in automatic]


async def test_fix_all_of_one_rule_mends_those_too_that_stand_in_each_others_way(
    editor: Editor,
) -> None:
    await editor.start(options={"lint": {"rules": {"provenance-missing": "hint"}}})
    text = (
        "---\ndescription: What is known of both sources\nupdated: 2026-01-01\n---\n# D\n\n"
        "Derived from team//knowledge/auth/tls. Based on team//memories/note.\n"
    )
    editor.open(DRAFT, text)
    (all_of_it,) = [
        action
        for action in await actions(editor, DRAFT)
        if action.title == "Fix all provenance-missing in this file"
    ]
    left = applied(editor, DRAFT, all_of_it)
    assert "xrefs: [knowledge/auth/tls, memories/note]\n" in left


async def test_a_document_with_nothing_to_fix_has_no_fix_all(editor: Editor) -> None:
    await editor.start(options=TWO_RULES)
    editor.open(DRAFT, "---\ndescription: Fine\n---\nSee team//knowledge/gone.\n")
    assert await actions(editor, DRAFT, only=[FIX_ALL]) == []


async def test_a_file_of_no_bundle_is_offered_nothing(editor: Editor) -> None:
    await editor.start(["team"])
    editor.open("README.md", BROKEN)
    assert await actions(editor, "README.md") == []


async def test_several_findings_in_one_place_offer_the_file_once(editor: Editor) -> None:
    await editor.start(options=TWO_RULES)
    editor.open(DRAFT, "team//knowledge/gone1 and team//knowledge/gone2\n")
    found = titles(await actions(editor, DRAFT, line=0))
    assert found.count("Disable missing-ref for this file") == 1
    assert found.count("Disable missing-ref for this line") == 1


# Fixes that reach out of their document.


def session_on(
    root: Path, *, operations: list[str] | None = None, document_changes: bool = True
) -> Any:
    """Enough of a session for `workspace_edit`: a bundle with two open files."""
    for name in ("a.md", "b.md"):
        (root / "team/knowledge").mkdir(parents=True, exist_ok=True)
        (root / "team/knowledge" / name).write_bytes(f"# {name}\r\n\r\nold\r\n".encode())
    workspace = Workspace(
        Settings(bundle_dirs=(str(root / "team"),), data_dir=str(root / "data"), config="")
    )
    path = str(root / "team/knowledge/a.md")
    workspace.put(path, "# a.md\r\n\r\nold\r\n", 7)
    capabilities = lsp.ClientCapabilities(
        workspace=lsp.WorkspaceClientCapabilities(
            workspace_edit=lsp.WorkspaceEditClientCapabilities(
                document_changes=document_changes,
                resource_operations=[lsp.ResourceOperationKind(o) for o in operations or ()],
            )
        )
    )
    client = Client(lsp.InitializeParams(capabilities=capabilities))
    return SimpleNamespace(
        workspace=workspace,
        client=client,
        uri=uri_of,
        range=lambda lines, span: to_range(lines, span, "utf-16"),
        opened=workspace.documents.get(workspace.canonical(path)),
    )


def shown(session: Any, fix: Fix) -> list[str] | None:
    edit = workspace_edit(session, session.opened, fix)
    session.workspace.close()
    if edit is None:
        return None
    if edit.changes is not None:
        return [f"{Path(path_of(uri) or '').name}: {len(e)}" for uri, e in edit.changes.items()]
    told = []
    for change in edit.document_changes or ():
        if isinstance(change, lsp.TextDocumentEdit):
            name = Path(path_of(change.text_document.uri) or "").name
            told.append(f"edit {name} v{change.text_document.version}")
        else:
            told.append(f"{change.kind} {Path(path_of(change.uri) or '').name}")  # type: ignore[union-attr]
    return told


@pytest.fixture
def team(tmp_path: Path) -> str:
    return str(tmp_path / "team")


EDIT = (TextEdit(Span(0, 1), "x"),)


def test_edits_of_another_file_keep_its_own_version(tmp_path: Path, team: str) -> None:
    fix = Fix("Both", EDIT, elsewhere={f"{team}/knowledge/b.md": EDIT})
    assert shown(session_on(tmp_path), fix) == ["edit a.md v7", "edit b.md vNone"]
    assert shown(session_on(tmp_path, document_changes=False), fix) == ["a.md: 1", "b.md: 1"]


def test_new_and_deleted_files_need_a_client_that_can(tmp_path: Path, team: str) -> None:
    creates = Fix("New", EDIT, creates={f"{team}/knowledge/new.md": "# New\n"})
    assert shown(session_on(tmp_path), creates) is None
    assert shown(session_on(tmp_path, operations=["create"]), creates) == [
        "create new.md",
        "edit new.md vNone",
        "edit a.md v7",
    ]
    deletes = Fix("Delete", deletes=(f"{team}/knowledge/a.md",))
    assert shown(session_on(tmp_path, operations=["create"]), deletes) is None
    assert shown(session_on(tmp_path, operations=["delete"]), deletes) == ["delete a.md"]


def test_what_is_not_ours_to_change_is_not_offered(tmp_path: Path, team: str) -> None:
    everything = ["create", "delete"]
    (tmp_path / "outside.md").write_text("x")
    (tmp_path / "team/secrets").mkdir(parents=True)
    (tmp_path / "team/secrets/key.md").write_text("x")
    for fix in (
        Fix("Outside", elsewhere={str(tmp_path / "outside.md"): EDIT}),
        Fix("A secret", elsewhere={f"{team}/secrets/key.md": EDIT}),
        Fix("Gone", elsewhere={f"{team}/knowledge/gone.md": EDIT}),
        Fix("Taken", creates={f"{team}/knowledge/b.md": ""}),
        Fix("Outside", creates={str(tmp_path / "new.md"): ""}),
        Fix("Outside", deletes=(str(tmp_path / "outside.md"),)),
    ):
        assert shown(session_on(tmp_path, operations=everything), fix) is None, fix


async def test_a_workflow_is_not_offered_a_key_that_it_cannot_have(editor: Editor) -> None:
    name = "team/workflows/ship.md"
    text = (
        "---\nversion: 1\nname: ship\ndescription: Use when: shipping\nsteps:\n  - id: a\n---\n"
        "# Ship\n\n## a\n\nDo.\n"
    )
    await editor.start(options=TWO_RULES)
    editor.open(name, text)
    found = titles(await actions(editor, name, line=3))
    assert "Disable unquoted-colon for this file" in found
    assert not [title for title in found if "lint_skip" in title]
