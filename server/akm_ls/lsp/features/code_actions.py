"""Quick fixes for findings, and the ways to switch a rule off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.documents.document import parse
from akm_ls.lint.engine import SKIPPABLE
from akm_ls.lint.finding import Fix
from akm_ls.lint.fixes import edits_between, fix_text, safe_edits
from akm_ls.lint.suppression_edits import suppression_fixes
from akm_ls.lsp.convert import to_diagnostic
from akm_ls.lsp.workspace_edits import workspace_edit

if TYPE_CHECKING:
    from akm_ls.lint.finding import Finding
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

FIX_ALL = "source.fixAll.akm"
KINDS = [lsp.CodeActionKind.QuickFix, FIX_ALL]
MAX_SUPPRESSED = 10
"""Findings of one range that are offered a suppression: each one is tried first."""


def code_actions(session: Session, params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
    """What can be done about the findings that touch the range, the likeliest first.

    Nothing in a bundle that is not writable. ``source.fixAll.akm`` takes all the safe fixes of the
    document; editors ask for it on saving.
    """
    opened = session.document(params.text_document.uri)
    if (
        opened is None
        or opened.bundle is None
        or not opened.bundle.writable
        or not session.client.literal_code_actions
    ):
        return None
    quick = _wanted(lsp.CodeActionKind.QuickFix, params.context)
    fix_all = _wanted(FIX_ALL, params.context)
    if not quick and not fix_all:
        return None
    findings = session.workspace.findings(opened.path)
    actions: list[lsp.CodeAction] = []
    if quick:
        actions += _quick_fixes(session, opened, params.range, findings)
    if fix_all:
        actions += _fix_all(session, opened, findings)
    return actions


def _wanted(kind: str, context: lsp.CodeActionContext) -> bool:
    """Whether the client asks for a kind, by its name or a wider one.

    A request that the editor makes by itself, to show a light bulb, is about quick fixes.
    """
    if context.only:
        return any(only in ("", kind) or kind.startswith(f"{only}.") for only in context.only)
    automatic = context.trigger_kind == lsp.CodeActionTriggerKind.Automatic
    return kind == lsp.CodeActionKind.QuickFix or not automatic


def _quick_fixes(
    session: Session, opened: OpenDocument, where: lsp.Range, findings: Sequence[Finding]
) -> Iterator[lsp.CodeAction]:
    start, end = session.offset(opened, where.start), session.offset(opened, where.end)
    here = [f for f in findings if f.span.start <= end and start <= f.span.end]
    for finding in here:
        for fix in finding.fixes:
            yield from _action(session, opened, fix, (finding,))
    mendable = Counter(finding.code for finding in findings if finding.fixable)
    for code in dict.fromkeys(finding.code for finding in here):
        if mendable[code] > 1:
            same = [finding for finding in findings if finding.code == code]
            fix = Fix(f"Fix all {code} in this file", safe_edits(same), preferred=False)
            yield from _action(session, opened, fix, [f for f in same if f.fixable])
    offered: set[tuple[object, ...]] = set()
    for finding in here[:MAX_SUPPRESSED]:
        skippable = finding.code in SKIPPABLE
        for fix in suppression_fixes(opened.document, finding, skippable=skippable):
            if (fix.title, fix.edits) not in offered:
                offered.add((fix.title, fix.edits))
                yield from _action(session, opened, fix, (finding,))


def _fix_all(
    session: Session, opened: OpenDocument, findings: Sequence[Finding]
) -> Iterator[lsp.CodeAction]:
    fixable = [finding for finding in findings if finding.fixable]
    if not fixable or opened.bundle is None:
        return
    bundle, path, rel, kind = opened.bundle, opened.path, opened.rel, opened.document.kind

    def lint_text(text: str) -> Sequence[Finding]:
        if text == opened.text:
            return findings
        return session.workspace.findings_in(parse(text, kind), path, bundle, rel)

    fixed = fix_text(opened.text, lint_text)
    fix = Fix("Fix all that is safe to fix", edits_between(opened.text, fixed.text))
    yield from _action(session, opened, fix, fixable, kind=FIX_ALL)


def _action(
    session: Session,
    opened: OpenDocument,
    fix: Fix,
    findings: Iterable[Finding],
    kind: str = lsp.CodeActionKind.QuickFix,
) -> Iterator[lsp.CodeAction]:
    edit = workspace_edit(session, opened, fix)
    if edit is None:
        return
    lines = opened.document.lines
    yield lsp.CodeAction(
        title=fix.title,
        kind=kind,
        diagnostics=[
            to_diagnostic(finding, lines, session.encoding, session.uri, related=False)
            for finding in findings
        ],
        is_preferred=(fix.preferred and kind == lsp.CodeActionKind.QuickFix) or None,
        edit=edit,
    )
