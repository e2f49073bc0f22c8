"""Quick fixes for findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.lsp.convert import to_diagnostic

if TYPE_CHECKING:
    from akm_ls.lint.finding import Fix
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

KINDS = [lsp.CodeActionKind.QuickFix]


def code_actions(session: Session, params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
    """The fixes of the findings that touch the range; none in a bundle that is not writable."""
    opened = session.document(params.text_document.uri)
    if (
        opened is None
        or opened.bundle is None
        or not opened.bundle.writable
        or not session.client.literal_code_actions
    ):
        return None
    only = params.context.only
    if only and not any(kind in ("", lsp.CodeActionKind.QuickFix) for kind in only):
        return None
    start = session.offset(opened, params.range.start)
    end = session.offset(opened, params.range.end)
    actions = []
    for finding in session.workspace.findings(opened.path):
        if not finding.fixes or finding.span.end < start or end < finding.span.start:
            continue
        diagnostic = to_diagnostic(
            finding, opened.document.lines, session.encoding, session.uri, related=False
        )
        actions += [
            lsp.CodeAction(
                title=fix.title,
                kind=lsp.CodeActionKind.QuickFix,
                diagnostics=[diagnostic],
                is_preferred=fix.preferred or None,
                edit=_edit(session, opened, params.text_document.uri, fix),
            )
            for fix in finding.fixes
        ]
    return actions


def _edit(session: Session, opened: OpenDocument, uri: str, fix: Fix) -> lsp.WorkspaceEdit:
    lines = opened.document.lines
    edits = [lsp.TextEdit(session.range(lines, edit.span), edit.new_text) for edit in fix.edits]
    if not session.client.document_changes:
        return lsp.WorkspaceEdit(changes={uri: edits})
    versioned = lsp.OptionalVersionedTextDocumentIdentifier(uri, opened.version)
    return lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(versioned, edits)])
