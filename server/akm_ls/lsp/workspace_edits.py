"""From a fix to the protocol's workspace edit, for what the client can do and may be changed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.bundles.sensitive import is_secret
from akm_ls.workspace.renaming import Move, Plan

if TYPE_CHECKING:
    from akm_ls.documents.text import LineIndex
    from akm_ls.lint.finding import Fix, TextEdit
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument
    from akm_ls.workspace.renaming import Change, FileChanges

_TextEdit = lsp.TextEdit | lsp.AnnotatedTextEdit | lsp.SnippetTextEdit
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


_LABELS = {
    "ref": "Refs to the renamed asset",
    "link": "Links by path",
    "path": "Paths in inline code",
    "name": "The skill's name",
    "heading": "The heading",
    "step": "The workflow step",
    "tag": "The tag",
}
_MOVED = "move"
_CONFIRMED = "-elsewhere"


def plan_edit(
    session: Session, plan: Plan, *, moves: Iterable[Move] = (), asked: str | None = None
) -> lsp.WorkspaceEdit:
    """A plan as an edit: first the texts under their old paths, then the ``moves``.

    The file ``asked`` and those that move are in the author's eye; every change elsewhere wants
    to be confirmed, where the client has a way to ask.
    """
    moves = tuple(moves)
    client = session.client
    if not moves and not client.document_changes:
        return lsp.WorkspaceEdit(
            changes={
                session.uri(file.source.path): _plan_edits(session, file) for file in plan.files
            }
        )
    annotated = client.change_annotations
    changes: list[_Change] = []
    annotations: dict[str, lsp.ChangeAnnotation] = {}
    for file in plan.files:
        path = file.source.path
        seen = path == asked or any(
            path == move.old or path.startswith(os.path.join(move.old, "")) for move in plan.moves
        )
        plain = _plan_edits(session, file)
        edits: Sequence[_TextEdit] = plain
        if annotated:
            edits = [
                lsp.AnnotatedTextEdit(
                    _annotate(annotations, change, seen=seen), edit.range, edit.new_text
                )
                for edit, change in zip(plain, file.changes, strict=True)
            ]
        uri = session.uri(path)
        changes.append(_versioned(uri, file.source.version, edits))
    for move in moves:
        operation = lsp.RenameFile(
            old_uri=session.uri(move.old),
            new_uri=session.uri(move.new),
            options=lsp.RenameFileOptions(overwrite=False, ignore_if_exists=False),
        )
        if annotated:
            annotations[_MOVED] = lsp.ChangeAnnotation("Files that move")
            operation.annotation_id = _MOVED
        changes.append(operation)
    return lsp.WorkspaceEdit(
        document_changes=changes, change_annotations=annotations if annotated else None
    )


def _annotate(annotations: dict[str, lsp.ChangeAnnotation], change: Change, *, seen: bool) -> str:
    label = _LABELS[change.kind]
    name = change.kind if seen else f"{change.kind}{_CONFIRMED}"
    if name not in annotations:
        annotations[name] = (
            lsp.ChangeAnnotation(label)
            if seen
            else lsp.ChangeAnnotation(f"{label}, in other files", needs_confirmation=True)
        )
    return name


def _plan_edits(session: Session, file: FileChanges) -> list[lsp.TextEdit]:
    lines = file.source.document.lines
    return [
        lsp.TextEdit(session.range(lines, change.span), change.new_text) for change in file.changes
    ]


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


def _versioned(uri: str, version: int | None, edits: Sequence[_TextEdit]) -> lsp.TextDocumentEdit:
    return lsp.TextDocumentEdit(
        lsp.OptionalVersionedTextDocumentIdentifier(uri, version), list(edits)
    )
