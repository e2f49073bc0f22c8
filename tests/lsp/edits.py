"""Doing what a server's workspace edit says, to the files below an editor's root."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from editor import Editor
from lsprotocol import types as lsp

from akm_ls.documents.text import LineIndex
from akm_ls.lsp.uris import path_of


def apply(editor: Editor, edit: lsp.WorkspaceEdit | None) -> list[str]:
    """Apply an edit in its order, as an editor does; the names of what it touched."""
    assert edit is not None
    touched: list[str] = []
    for change in edit.document_changes or ():
        if isinstance(change, lsp.TextDocumentEdit):
            identifier = change.text_document
            _edit_file(editor, identifier.uri, change.edits)
            touched.append(f"{editor.name(identifier.uri)} v{identifier.version}")
        else:
            assert isinstance(change, lsp.RenameFile)
            old, new = Path(path_of(change.old_uri) or ""), Path(path_of(change.new_uri) or "")
            assert not new.exists()
            new.parent.mkdir(parents=True, exist_ok=True)
            os.rename(old, new)
            touched.append(f"{editor.name(change.old_uri)} -> {editor.name(change.new_uri)}")
    for uri, edits in (edit.changes or {}).items():
        _edit_file(editor, uri, edits)
        touched.append(editor.name(uri))
    return touched


def _edit_file(editor: Editor, uri: str, edits: Sequence[lsp.TextEdit]) -> None:
    path = Path(path_of(uri) or "")
    text = editor.texts.get(uri)
    if text is None:
        text = path.read_bytes().decode()
    lines = LineIndex(text)
    for edit in sorted(
        edits, key=lambda edit: (edit.range.start.line, edit.range.start.character), reverse=True
    ):
        start = lines.offset(edit.range.start.line, edit.range.start.character, editor.encoding)
        end = lines.offset(edit.range.end.line, edit.range.end.character, editor.encoding)
        text = text[:start] + edit.new_text + text[end:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    if uri in editor.texts:
        editor.texts[uri] = text


def told(editor: Editor) -> str:
    """What the user was shown, apart from what is wrong with the tests' own settings."""
    messages = (message.message for message in editor.client.messages)
    return "\n".join(message for message in messages if "no-config.json" not in message)
