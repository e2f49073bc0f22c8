"""Quick fixes for findings, the ways to switch a rule off, and what else can be done here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from akm_ls.documents.document import parse
from akm_ls.lint.engine import SKIPPABLE
from akm_ls.lint.finding import Fix, TextEdit
from akm_ls.lint.fixes import edits_between, fix_text, safe_edits, safe_fixes
from akm_ls.lint.suppression_edits import suppression_fixes
from akm_ls.lsp.convert import to_diagnostic
from akm_ls.lsp.features import refactorings
from akm_ls.lsp.features.frontmatter_keys import asset_type
from akm_ls.lsp.features.refactorings import Cursor
from akm_ls.lsp.features.refactorings.relations import ref_here
from akm_ls.lsp.features.rename import REQUEST_FAILED
from akm_ls.lsp.offers import FIX_ALL
from akm_ls.lsp.workspace_edits import workspace_edit
from akm_ls.workspace.renaming.plan import RenameRefused

if TYPE_CHECKING:
    from akm_ls.lint.finding import Finding
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

COPY_REF = "akm.copyRef"
"""A command of the client's own: it puts its one argument, a ref, on the clipboard."""
MAX_SUPPRESSED = 10
"""Findings of one range that are offered a suppression: each one is tried first."""


def code_actions(session: Session, params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
    """What can be done about the findings that touch the range, the likeliest first; then what
    else an author may want here.

    Nothing in a bundle that is not writable but to copy a ref. ``source.fixAll.akm`` takes all
    the safe fixes of the document; editors ask for it on saving.
    """
    opened = session.document(params.text_document.uri)
    if opened is None or opened.bundle is None or not session.client.literal_code_actions:
        return None
    start, end = (session.offset(opened, place) for place in (params.range.start, params.range.end))
    cursor = Cursor(session, opened, opened.bundle, start, end)
    context = params.context
    actions: list[lsp.CodeAction] = []
    if opened.bundle.writable:
        quick = _wanted(lsp.CodeActionKind.QuickFix, context)
        fix_all = _wanted(FIX_ALL, context)
        findings = session.workspace.findings(opened.path) if quick or fix_all else ()
        wanted = [
            offer
            for offer in (refactorings.offers(cursor) if _wants_any(context) else ())
            if _wanted(offer.kind, context)
        ]
        offered = [list(_offered(cursor, offer, findings)) for offer in wanted]
        mending = [action for found in offered for action in found if action.kind == "quickfix"]
        if quick:
            actions += _quick_fixes(session, opened, params.range, findings, mending)
        if fix_all:
            actions += _fix_all(session, opened, findings)
        actions += [action for found in offered for action in found if action.kind != "quickfix"]
    elif not _wanted(lsp.CodeActionKind.Refactor, context):
        return None
    if _wanted(lsp.CodeActionKind.Refactor, context):
        actions += _copy_ref(cursor)
    return actions


def resolve(session: Session, action: lsp.CodeAction) -> lsp.CodeAction:
    """The edit of an action that was offered without it.

    Raises:
        JsonRpcException: the document has changed since, and the client asks again; or the change
            cannot be made, with the reason in words.
    """
    data = action.data
    if not isinstance(data, dict):
        return action
    opened = session.document(str(data.get("uri")))
    place = data.get("range")
    if opened is None or opened.bundle is None or not isinstance(place, list | tuple):
        return action
    if opened.version != data.get("version"):
        raise JsonRpcException("the document has changed since", code=CONTENT_MODIFIED)
    start, end = (int(offset) for offset in place)
    cursor = Cursor(session, opened, opened.bundle, start, end)
    try:
        fix = refactorings.build(cursor, str(data.get("name")))
    except RenameRefused as reason:
        raise JsonRpcException(str(reason), code=REQUEST_FAILED) from None
    action.edit = None if fix is None else workspace_edit(session, opened, fix)
    return action


CONTENT_MODIFIED = -32801
"""LSP's ``ContentModified``."""


def _offered(
    cursor: Cursor, offer: refactorings.Offer, findings: Sequence[Finding]
) -> Iterator[lsp.CodeAction]:
    session, opened = cursor.session, cursor.opened
    here = [
        finding
        for finding in findings
        if finding.code == offer.code
        and finding.span.start <= cursor.end
        and cursor.start <= finding.span.end
    ]
    action = lsp.CodeAction(
        title=offer.title,
        kind=offer.kind,
        diagnostics=[
            to_diagnostic(
                finding, opened.document.lines, session.encoding, session.uri, related=False
            )
            for finding in here
        ]
        or None,
    )
    if session.client.code_action_resolve:
        action.data = {
            "uri": session.uri(opened.path),
            "version": opened.version,
            "name": offer.name,
            "range": [cursor.start, cursor.end],
        }
        yield action
        return
    try:
        fix = offer.build()
    except RenameRefused:
        return
    edit = None if fix is None else workspace_edit(session, opened, fix)
    if edit is not None:
        action.edit = edit
        yield action


def _copy_ref(cursor: Cursor) -> Iterator[lsp.CodeAction]:
    """For clients that have a command for it."""
    found = ref_here(cursor) if cursor.session.client.has_command(COPY_REF) else None
    if found is not None:
        ref, what = found
        yield lsp.CodeAction(
            title=f"Copy ref of this {what}",
            kind=lsp.CodeActionKind.Refactor,
            command=lsp.Command(f"Copy {ref}", COPY_REF, arguments=[ref]),
        )


def _wants_any(context: lsp.CodeActionContext) -> bool:
    return any(_wanted(kind, context) for kind in refactorings.KINDS)


def _wanted(kind: str, context: lsp.CodeActionContext) -> bool:
    """Whether the client asks for a kind, by its name or a wider one.

    A request that the editor makes by itself, to show a light bulb, is about quick fixes.
    """
    if context.only:
        return any(only in ("", kind) or kind.startswith(f"{only}.") for only in context.only)
    automatic = context.trigger_kind == lsp.CodeActionTriggerKind.Automatic
    return kind == lsp.CodeActionKind.QuickFix or not automatic


def _quick_fixes(
    session: Session,
    opened: OpenDocument,
    where: lsp.Range,
    findings: Sequence[Finding],
    more: Sequence[lsp.CodeAction],
) -> Iterator[lsp.CodeAction]:
    """Fixes, then ``more`` that mends, then the ways to look away."""
    start, end = session.offset(opened, where.start), session.offset(opened, where.end)
    here = [f for f in findings if f.span.start <= end and start <= f.span.end]
    for finding in here:
        for fix in finding.fixes:
            yield from _action(session, opened, fix, (finding,))
    mendable = Counter(finding.code for finding in findings if finding.fixable)
    for code in dict.fromkeys(finding.code for finding in here):
        if mendable[code] > 1:
            same = [finding for finding in findings if finding.code == code]
            edits = safe_edits(same)
            if len(safe_fixes(same)) < mendable[code]:  # some stand in each other's way
                edits = _in_rounds(session, opened, same, code)
            fix = Fix(f"Fix all {code} in this file", edits, preferred=False)
            yield from _action(session, opened, fix, [f for f in same if f.fixable])
    yield from more
    offered: set[tuple[object, ...]] = set()
    # Workflows and tasks have a closed set of keys.
    closed = asset_type(session, opened) in ("workflow", "task")
    for finding in here[:MAX_SUPPRESSED]:
        skippable = finding.code in SKIPPABLE and not closed
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
    fix = Fix("Fix all that is safe to fix", _in_rounds(session, opened, findings))
    yield from _action(session, opened, fix, fixable, kind=FIX_ALL)


def _in_rounds(
    session: Session, opened: OpenDocument, findings: Sequence[Finding], only: str | None = None
) -> tuple[TextEdit, ...]:
    """What all safe fixes, or those of one rule, come to: those too that others made room for."""
    bundle, path, rel, kind = opened.bundle, opened.path, opened.rel, opened.document.kind

    def lint_text(text: str) -> Sequence[Finding]:
        if text == opened.text or bundle is None:
            return findings
        found = session.workspace.findings_in(parse(text, kind), path, bundle, rel)
        return [finding for finding in found if only in (None, finding.code)]

    return edits_between(opened.text, fix_text(opened.text, lint_text).text)


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
