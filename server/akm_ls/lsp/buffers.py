"""The documents an editor has open, as the protocol defines their lines.

pygls splits lines where ``str.splitlines`` does, at form feeds and U+2028 too, which shifts every
later position and corrupts incremental edits. Here a line ends at ``\\n``, ``\\r\\n`` and ``\\r``.
`protocol.AkmProtocol` puts a `Buffers` in the place of pygls's workspace.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from itertools import pairwise
from re import Pattern

from lsprotocol import types
from pygls.workspace import PositionCodec, ServerTextPosition, ServerTextRange
from pygls.workspace import TextDocument as PyglsDocument
from pygls.workspace import Workspace as PyglsWorkspace
from pygls.workspace.text_document import RE_END_WORD, RE_START_WORD

from akm_ls.documents.text import LineIndex, PositionEncoding, Span
from akm_ls.lsp.uris import key_of, path_of, uri_of

__all__ = ["Buffers", "TextBuffer", "path_of", "uri_of"]

logger = logging.getLogger(__name__)

_ENCODINGS: dict[str, PositionEncoding] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}


class BufferLines(LineIndex):
    """A `LineIndex` that follows an edit without reading the whole text again."""

    __slots__ = ()

    def edited(self, span: Span, replacement: str) -> BufferLines:
        """The lines after ``span`` was replaced.

        Only the touched lines are scanned. One line more on each side, because a carriage
        return and a line feed may have met or been parted at the seams.
        """
        starts, old = self._starts, self.text
        new = "".join((old[: span.start], replacement, old[span.end :]))
        shift = len(new) - len(old)
        first = self.line_of(max(span.start - 1, 0))
        last = self.line_of(min(span.end + 1, len(old)))
        lines = BufferLines.__new__(BufferLines)
        lines.text = new
        lines._ascii = new.isascii()
        begin = starts[first]
        if last + 1 < len(starts):
            end = starts[last + 1] + shift
            touched = LineIndex(new[begin:end])._starts[1:-1]
            tail = [start + shift for start in starts[last + 1 :]] if shift else starts[last + 1 :]
        else:
            touched, tail = LineIndex(new[begin:])._starts[1:], []
        lines._starts = [*starts[: first + 1], *(begin + start for start in touched), *tail]
        return lines


class TextBuffer(PyglsDocument):
    """One open text document.

    It never reads the disk: what is not open is the workspace's business, which knows the
    files that may not be opened.

    Attributes:
        uri: as the client spelled it.
        file: its native absolute path; ``None`` for what is not a file (``untitled:`` …).
        version: the client's version number; grows with every change.
        language_id: the client's word for the language. Never decide by it: VS Code says
            ``skill`` for a SKILL.md.
    """

    def __init__(
        self,
        uri: str,
        source: str = "",
        version: int | None = None,
        language_id: str | None = None,
        encoding: PositionEncoding = "utf-16",
    ) -> None:
        # Not pygls's own __init__: it fails on URIs that urllib cannot parse.
        self.uri = uri
        self.file = path_of(uri)
        self.path = self.file if self.file is not None else uri
        self.filename = self.path.replace("\\", "/").rpartition("/")[2]
        self.version = version
        self.language_id = language_id
        self.encoding: PositionEncoding = encoding
        self._position_codec = PositionCodec(encoding)
        self._index = BufferLines(source)
        self._split: tuple[BufferLines, tuple[str, ...]] | None = None

    @property
    def index(self) -> LineIndex:
        """The current version's text and where its lines are."""
        return self._index

    @property
    def source(self) -> str:
        """The text of the current version."""
        return self._index.text

    @property
    def lines(self) -> Sequence[str]:
        """The lines with their ends; the last one has none and may be empty."""
        index = self._index
        if self._split is None or self._split[0] is not index:
            starts = [index.start_of(line) for line in range(len(index) + 1)]
            text = index.text
            self._split = index, tuple(text[start:end] for start, end in pairwise(starts))
        return self._split[1]

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Apply one change of a ``didChange``: to a range, or the whole text.

        Positions outside the document are clamped; a range written backwards is turned round.
        """
        if not isinstance(change, types.TextDocumentContentChangePartial):
            self._index = BufferLines(change.text)
            return
        start = self.offset_at_position(change.range.start)
        end = self.offset_at_position(change.range.end)
        span = Span(start, end) if start <= end else Span(end, start)
        self._index = self._index.edited(span, change.text)

    # Positions. The client's are in `encoding` units, pygls's "server" ones in characters.

    def offset_at_position(self, client_position: types.Position) -> int:
        return self._index.offset(client_position.line, client_position.character, self.encoding)

    def client_position_at_offset(self, offset: int) -> types.Position:
        return types.Position(*self._index.position(offset, self.encoding))

    def offset_at_server_position(self, server_position: ServerTextPosition) -> int:
        return self._index.offset(server_position.line, server_position.character, "utf-32")

    def server_position_at_offset(self, offset: int) -> ServerTextPosition:
        return ServerTextPosition(*self._index.position(offset, "utf-32"))

    def position_from_client_units(self, position: types.Position) -> ServerTextPosition:
        return self.server_position_at_offset(self.offset_at_position(position))

    def position_to_client_units(self, position: ServerTextPosition) -> types.Position:
        return self.client_position_at_offset(self.offset_at_server_position(position))

    def range_from_client_units(self, range: types.Range) -> ServerTextRange:
        return ServerTextRange(
            self.position_from_client_units(range.start), self.position_from_client_units(range.end)
        )

    def range_to_client_units(self, range: ServerTextRange) -> types.Range:
        return types.Range(
            self.position_to_client_units(range.start), self.position_to_client_units(range.end)
        )

    def word_at_position(
        self,
        client_position: types.Position,
        re_start_word: Pattern[str] = RE_START_WORD,
        re_end_word: Pattern[str] = RE_END_WORD,
    ) -> str:
        """The word around a position, by the two patterns; empty outside the document."""
        offset = self.offset_at_position(client_position)
        line = self._index.line_span(self._index.line_of(offset))
        before = re_start_word.search(self.source[line.start : offset])
        after = re_end_word.match(self.source[offset : line.end])
        return (before.group() if before else "") + (after.group() if after else "")


class Buffers(PyglsWorkspace):
    """The open documents and the workspace folders, by what they name rather than how.

    Documents and folders are looked up by `uris.key_of`, so ``file:///c%3A/x`` finds what was
    opened as ``file:///C:/x``. Nothing here raises on a strange URI.
    """

    def __init__(
        self,
        root_uri: str | None = None,
        sync_kind: types.TextDocumentSyncKind = types.TextDocumentSyncKind.Incremental,
        workspace_folders: Sequence[types.WorkspaceFolder] | None = None,
        position_encoding: types.PositionEncodingKind | str | None = None,
    ) -> None:
        super().__init__(None, sync_kind, None, position_encoding or "utf-16")
        self._root_uri = root_uri
        self._root_path = path_of(root_uri)
        self._root_uri_scheme = "file" if self._root_path is not None else None
        self.encoding: PositionEncoding = _ENCODINGS.get(_text(position_encoding), "utf-16")
        self._buffers: dict[str, TextBuffer] = {}
        for folder in workspace_folders or ():
            self.add_folder(folder)

    def __iter__(self) -> Iterator[TextBuffer]:
        """The open documents, in the order they were opened."""
        return iter(tuple(self._buffers.values()))

    def open(self, uri: str) -> TextBuffer | None:
        """The open document behind ``uri``, else ``None``."""
        return self._buffers.get(key_of(uri))

    def open_file(self, path: str) -> TextBuffer | None:
        """The open document whose file is ``path``, else ``None``."""
        return self.open(uri_of(path))

    def uri_for(self, path: str) -> str:
        """The URI to send for a file: the client's own spelling while the file is open."""
        buffer = self.open_file(path)
        return uri_of(path) if buffer is None else buffer.uri

    @property
    def folder_paths(self) -> tuple[str, ...]:
        """Paths of the workspace folders that are on the disk; the root's if there are none."""
        paths = [path for path in map(path_of, self._uris_of_folders()) if path is not None]
        if not paths and not self._folders and self._root_path is not None:
            paths = [self._root_path]
        return tuple(dict.fromkeys(paths))

    def _uris_of_folders(self) -> list[str]:
        return [folder.uri for folder in self._folders.values()]

    # What pygls's protocol and features call.

    @property
    def text_documents(self) -> dict[str, PyglsDocument]:
        """The open documents by the client's URI. A copy."""
        return {buffer.uri: buffer for buffer in self._buffers.values()}

    def get_text_document(self, doc_uri: str) -> TextBuffer:
        """The open document, else an empty one without a version."""
        return self.open(doc_uri) or TextBuffer(doc_uri, encoding=self.encoding)

    def put_text_document(
        self, text_document: types.TextDocumentItem, notebook_uri: str | None = None
    ) -> None:
        self._buffers[key_of(text_document.uri)] = TextBuffer(
            text_document.uri,
            source=text_document.text,
            version=text_document.version,
            language_id=_text(text_document.language_id),
            encoding=self.encoding,
        )
        if notebook_uri:
            self._cell_in_notebook[text_document.uri] = notebook_uri

    def update_text_document(
        self,
        text_doc: types.VersionedTextDocumentIdentifier,
        change: types.TextDocumentContentChangeEvent,
    ) -> None:
        buffer = self.open(text_doc.uri)
        if buffer is None:
            logger.warning("a change to a document that is not open was ignored")
            return
        buffer.apply_change(change)
        buffer.version = text_doc.version

    def remove_text_document(self, doc_uri: str) -> None:
        self._buffers.pop(key_of(doc_uri), None)
        self._cell_in_notebook.pop(doc_uri, None)

    def add_folder(self, folder: types.WorkspaceFolder) -> None:
        self._folders[key_of(folder.uri)] = folder

    def remove_folder(self, folder_uri: str) -> None:
        self._folders.pop(key_of(folder_uri), None)


def _text(value: str | None) -> str:
    """A plain string of an enumeration member or a string."""
    return str(getattr(value, "value", value or ""))
