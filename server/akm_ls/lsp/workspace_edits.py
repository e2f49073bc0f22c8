"""From a fix to the protocol's workspace edit, for what the client can do and may be changed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.bundles.sensitive import is_secret

if TYPE_CHECKING:
    from akm_ls.documents.text import LineIndex
    from akm_ls.lint.finding import Fix, TextEdit
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

_Change = lsp.TextDocumentEdit | lsp.CreateFile | lsp.RenameFile | lsp.DeleteFile


def workspace_edit(session: Session, opened: OpenDocument, fix: Fix) -> lsp.WorkspaceEdit | None:
    """The edit that a fix of an open document is.

    ``None`` when the client cannot do it, or when it would touch something that is not ours to
    change: a bundle that is read-only, a file of no bundle, a secret, a new file's place that is
    taken already.
    """
    if not _is_possible(session, fix):
        return None
    texts = {opened.path: _edits(session, opened.document.lines, fix.edits)}
    for path, edits in fix.elsewhere.items():
        path = session.workspace.canonical(path)
        document = session.workspace.document(path)
        if document is None:
            return None
        texts.setdefault(path, []).extend(_edits(session, document.lines, edits))
    texts = {path: changed for path, changed in texts.items() if changed}
    if not session.client.document_changes:
        return lsp.WorkspaceEdit(
            changes={session.uri(path): changed for path, changed in texts.items()}
        )
    changes: list[_Change] = []
    for path, text in fix.creates.items():
        uri = session.uri(path)
        changes.append(lsp.CreateFile(uri=uri, kind="create"))
        if text:
            changes.append(_versioned(uri, None, [lsp.TextEdit(_START, text)]))
    for path, changed in texts.items():
        other = session.workspace.documents.get(path)
        changes.append(_versioned(session.uri(path), other.version if other else None, changed))
    changes += [lsp.DeleteFile(uri=session.uri(path), kind="delete") for path in fix.deletes]
    return lsp.WorkspaceEdit(document_changes=changes)


_START = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))


def _is_possible(session: Session, fix: Fix) -> bool:
    client = session.client
    if fix.creates and not client.can_change_files(lsp.ResourceOperationKind.Create):
        return False
    if fix.deletes and not client.can_change_files(lsp.ResourceOperationKind.Delete):
        return False
    if any(os.path.lexists(path) for path in fix.creates):
        return False
    return all(_may_change(session, path) for path in (*fix.elsewhere, *fix.creates, *fix.deletes))


def _may_change(session: Session, path: str) -> bool:
    owner = session.workspace.bundles.relative(path)
    return owner is not None and owner[0].writable and not is_secret(owner[1])


def _edits(session: Session, lines: LineIndex, edits: Iterable[TextEdit]) -> list[lsp.TextEdit]:
    return [lsp.TextEdit(session.range(lines, edit.span), edit.new_text) for edit in edits]


def _versioned(uri: str, version: int | None, edits: list[lsp.TextEdit]) -> lsp.TextDocumentEdit:
    return lsp.TextDocumentEdit(lsp.OptionalVersionedTextDocumentIdentifier(uri, version), edits)
