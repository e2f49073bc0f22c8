"""Findings on the screen: when they come, when they go, what they cover."""

from __future__ import annotations

import asyncio
import os
from unittest.mock import MagicMock

import pytest
from editor import Editor
from lsprotocol import types as lsp

from akm_ls.lsp.features.diagnostics import PushedDiagnostics

DRAFT = "team/knowledge/draft.md"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_each_way_a_ref_can_miss_is_told_apart(editor: Editor, encoding: str) -> None:
    await editor.start(["team", "other"], encodings=[lsp.PositionEncodingKind(encoding)])
    editor.open(
        DRAFT,
        "# D\n\n😀 nosuch//knowledge/x1, team//knowledge/auth/tokenz.\n"
        "**team//knowledge/auth/tokens#nightly**, other//knowledge/auth/tls\n"
        "x//y, @repo//pkg:target, ${v//a/b}, https://example.com//knowledge/x\n",
    )
    await editor.shows(
        DRAFT,
        [
            ("missing-ref", "nosuch//knowledge/x1"),
            ("missing-ref", "team//knowledge/auth/tokenz"),
            ("dead-anchor", "nightly"),
            ("wrong-bundle", "other//knowledge/auth/tls"),
        ],
    )
    shown = editor.diagnostics(DRAFT)
    reasons = [diagnostic.data["reason"] for diagnostic in shown]  # type: ignore[index]
    assert reasons == ["unknown-bundle", "missing-asset", "missing-fragment", "other-bundle"]
    assert "team//knowledge/auth/tokens" in shown[1].message, "did you mean"
    assert "team//knowledge/auth/tls" in shown[3].message
    assert {diagnostic.source for diagnostic in shown} == {"akm"}


async def test_every_missing_ref_of_a_file_gets_its_suggestion(editor: Editor) -> None:
    await editor.start()
    names = ["knowledge/auth/tls", "knowledge/auth/tokens", "skills/release"]
    slips = [f"team//{name}{letter}" for letter in "abcdefghijkl" for name in names]
    editor.open(DRAFT, "\n".join([*slips, "team//agents/gone"]))
    await editor.shows(DRAFT, [("missing-ref", ref) for ref in (*slips, "team//agents/gone")])
    messages = [diagnostic.message for diagnostic in editor.diagnostics(DRAFT)]
    for message, slip in zip(messages, slips, strict=False):
        assert f"Did you mean {slip[:-1]}?" in message
    assert "Did you mean" not in messages[-1], "nothing is like it"


async def test_every_occurrence_is_marked_in_every_channel(editor: Editor) -> None:
    await editor.start()
    editor.open(
        DRAFT,
        "---\nxrefs: [knowledge/gone1]\nsupersededBy: knowledge/gone1\n"
        "contradictedBy:\n  - 'team//knowledge/gone1'\n---\n"
        "team//knowledge/gone1 and team//knowledge/gone1\n",
    )
    await editor.shows(
        DRAFT,
        [
            ("missing-ref", "knowledge/gone1"),
            ("missing-ref", "knowledge/gone1"),
            ("missing-ref", "team//knowledge/gone1"),
            ("missing-ref", "team//knowledge/gone1"),
            ("missing-ref", "team//knowledge/gone1"),
        ],
    )


async def test_lines_end_only_where_an_editor_ends_them(editor: Editor) -> None:
    await editor.start()
    editor.open(DRAFT, "A\fB\vC\u2028D\u0085E\r\nSee team//knowledge/gone here.\r\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/gone")])
    assert editor.diagnostics(DRAFT)[0].range.start.line == 1


async def test_a_file_that_appears_clears_the_squiggle_without_a_keystroke(
    editor: Editor,
) -> None:
    await editor.start()
    editor.open(DRAFT, "See team//knowledge/later.\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/later")])
    editor.write("team/knowledge/later.md", "# Later\n")
    editor.outside_change(("team/knowledge/later.md", lsp.FileChangeType.Created))
    await editor.shows(DRAFT, [])
    os.unlink(editor.root / "team/knowledge/later.md")
    editor.outside_change(("team/knowledge/later.md", lsp.FileChangeType.Deleted))
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/later")])


async def test_an_unsaved_heading_and_an_unsaved_file_count_at_once(editor: Editor) -> None:
    await editor.start()
    editor.open(DRAFT, "See team//knowledge/auth/tls#new-part and team//knowledge/fresh.\n")
    await editor.shows(
        DRAFT, [("dead-anchor", "new-part"), ("missing-ref", "team//knowledge/fresh")]
    )
    editor.open("team/knowledge/auth/tls.md", "# TLS\n\n## New part\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/fresh")])
    editor.open("team/knowledge/fresh.md", "# Fresh\n")
    await editor.shows(DRAFT, [])
    editor.close("team/knowledge/fresh.md")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/fresh")])


async def test_a_saved_file_counts_for_the_others(editor: Editor) -> None:
    await editor.start()
    editor.open(DRAFT, "See team//knowledge/saved.\n")
    editor.open("team/knowledge/saved.md", "# Saved\n")
    editor.save("team/knowledge/saved.md")
    await editor.until(lambda: len(editor.indexed) > 1)
    editor.close("team/knowledge/saved.md")
    await editor.shows(DRAFT, [])


async def test_two_files_that_claim_one_ref_point_at_each_other(editor: Editor) -> None:
    editor.write("team/knowledge/skills/release/references/steps.md", "# Steps again\n")
    await editor.start()
    first = "team/knowledge/skills/release/references/steps.md"
    second = "team/skills/release/references/steps.md"
    editor.open(first, "# Steps again\n")
    editor.open(second, "# Steps\n")
    await editor.shows(first, [("duplicate-ref", "# Steps again")])
    await editor.shows(second, [("duplicate-ref", "# Steps")])
    (holder,), (loser,) = editor.diagnostics(first), editor.diagnostics(second)
    assert holder.severity == lsp.DiagnosticSeverity.Information
    assert loser.severity == lsp.DiagnosticSeverity.Warning
    assert holder.related_information and loser.related_information
    assert holder.related_information[0].location.uri == editor.uri(second)
    assert loser.related_information[0].location.uri == editor.uri(first)
    os.unlink(editor.root / first)
    editor.close(first)
    editor.outside_change((first, lsp.FileChangeType.Deleted))
    await editor.shows(second, [])


async def test_one_ref_twice_in_a_list(editor: Editor) -> None:
    await editor.start()
    editor.open(
        DRAFT,
        "---\nxrefs: [knowledge/auth/tls, skills/release, team//knowledge/auth/tls]\n---\n",
    )
    await editor.shows(DRAFT, [("duplicate-ref", "team//knowledge/auth/tls")])


async def test_broken_frontmatter_is_marked_at_its_place_and_the_rest_still_works(
    editor: Editor,
) -> None:
    await editor.start()
    editor.open(
        DRAFT, '---\ndescription: "never closed\nxrefs: [knowledge/gone1]\n---\nSee team//env/no1\n'
    )
    await editor.until(lambda: editor.uri(DRAFT) in editor.client.diagnostics)
    found = editor.squiggles(DRAFT)
    assert found[0] == ("invalid-frontmatter", '"never closed')
    assert ("missing-ref", "team//env/no1") in found
    assert ("missing-ref", "knowledge/gone1") in found


async def test_a_colon_in_the_description_is_one_finding_with_a_fix(editor: Editor) -> None:
    await editor.start()
    marked = '---\nname: draft\ndescription: Use when: "x" or C:\\new\n---\n# D\n'
    editor.open(DRAFT, marked)
    await editor.shows(DRAFT, [("unquoted-colon", 'Use when: "x" or C:\\new')])
    (shown,) = editor.diagnostics(DRAFT)
    assert shown.severity == lsp.DiagnosticSeverity.Error
    actions = await editor.client.text_document_code_action_async(
        lsp.CodeActionParams(
            lsp.TextDocumentIdentifier(editor.uri(DRAFT)),
            shown.range,
            lsp.CodeActionContext([shown]),
        )
    )
    assert actions is not None
    (action,) = [a for a in actions if isinstance(a, lsp.CodeAction) and a.is_preferred]
    assert action.edit is not None
    (edit,) = (
        next(iter(action.edit.changes.values()))
        if action.edit.changes
        else (
            action.edit.document_changes[0].edits  # type: ignore[index,union-attr]
        )
    )
    assert isinstance(edit, lsp.TextEdit)
    editor.change(DRAFT, marked.replace('Use when: "x" or C:\\new', edit.new_text))
    await editor.shows(DRAFT, [])


async def test_lists_are_published_when_something_changed_and_only_then(editor: Editor) -> None:
    await editor.start()
    editor.open(DRAFT, "See team//knowledge/gone.\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/gone")])
    before = len(editor.published)
    for number in range(5):
        editor.change(DRAFT, f"See team//knowledge/gone.\n\nMore text {number}\n")
    editor.outside_change(("team/knowledge/auth/tls.md", lsp.FileChangeType.Changed))
    # A later change that does alter the list comes after everything above.
    editor.change(DRAFT, "All is well.\n")
    await editor.shows(DRAFT, [])
    assert len(editor.published) == before + 1


async def test_a_closed_document_takes_its_squiggles_along(editor: Editor) -> None:
    await editor.start()
    editor.open(DRAFT, "See team//knowledge/gone.\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/gone")])
    editor.close(DRAFT)
    await editor.shows(DRAFT, [])


async def test_a_folder_that_is_no_bundle_is_left_alone(editor: Editor) -> None:
    editor.write("code/README.md", "---\nx: [\n---\nSee team//knowledge/gone.\n")
    await editor.start(["team", "code"])
    editor.open("code/README.md", "---\nx: [\n---\nSee team//knowledge/gone.\n")
    editor.open(DRAFT, "See team//knowledge/gone.\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/gone")])
    assert not editor.diagnostics("code/README.md")


async def test_documents_are_told_by_path_not_by_language(editor: Editor) -> None:
    await editor.start()
    uri = editor.uri("team/skills/new/SKILL.md")
    text = "---\nname: new\ndescription: a: b\n---\n"
    editor.texts[uri] = text
    editor.client.text_document_did_open(
        lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "skill", 1, text))
    )
    await editor.shows("team/skills/new/SKILL.md", [("unquoted-colon", "a: b")])


async def test_news_that_never_ends_does_not_put_off_what_a_keystroke_has_made_due(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    due = asyncio.Event()
    session = MagicMock()
    session.workspace.settings.diagnostics_delay_ms = 60
    pushed = PushedDiagnostics(session)
    monkeypatch.setattr(pushed, "_due", lambda path: due.set())
    pushed.edited("/a.md")
    for _ in range(200):
        if due.is_set():
            break
        pushed.stale("/a.md", at_once=False)
        await asyncio.sleep(0.02)
    assert due.is_set()
