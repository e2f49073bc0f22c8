"""An editor in miniature: opens marked texts, waits for answers, reads them as a person would."""

from __future__ import annotations

import asyncio
import copy
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pytest_lsp import LanguageClient, client_capabilities

from akm_ls.documents.text import LineIndex, PositionEncoding
from akm_ls.lint.rules import ALL_RULES
from akm_ls.lsp.uris import path_of, uri_of

CURSOR = "$0"
ADVICE = frozenset(rule.code for rule in ALL_RULES if rule.severity == "hint")
PATIENCE = 20.0
T = TypeVar("T")


class Editor:
    """One client of one server, on bundles in a directory of its own."""

    def __init__(self, client: LanguageClient, root: Path) -> None:
        self.client = client
        self.root = root
        self.encoding: PositionEncoding = "utf-16"
        self.texts: dict[str, str] = {}
        self.indexed: list[dict[str, Any]] = []
        self.published: list[lsp.PublishDiagnosticsParams] = []
        self._versions: dict[str, int] = {}

        @client.feature("akm/didIndex")
        def _did_index(params: Any) -> None:
            self.indexed.append(params)

        # pytest-lsp keeps the latest list per document; the tests also want to count them.
        original = client.protocol.fm.features[lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS]

        def _published(params: lsp.PublishDiagnosticsParams) -> None:
            self.published.append(params)
            original(params)

        client.protocol.fm.features[lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = _published

    async def start(
        self,
        folders: list[str] | None = None,
        *,
        profile: str = "visual-studio-code",
        encodings: list[lsp.PositionEncodingKind] | None = None,
        options: dict[str, Any] | None = None,
        adjust: Callable[[lsp.ClientCapabilities], None] = lambda capabilities: None,
    ) -> lsp.InitializeResult:
        """Initialize the server on some directories below the root, and wait for the index."""
        capabilities = copy.deepcopy(_profile(profile))
        assert capabilities.general is not None
        capabilities.general.position_encodings = encodings or [lsp.PositionEncodingKind.Utf16]
        adjust(capabilities)
        paths = [self.root / name for name in (folders if folders is not None else ["team"])]
        result = await self.client.initialize_session(
            lsp.InitializeParams(
                capabilities=capabilities,
                process_id=None,
                workspace_folders=[
                    lsp.WorkspaceFolder(uri=uri_of(str(path)), name=path.name) for path in paths
                ],
                initialization_options={
                    "dataDir": str(self.root / "data"),
                    "config": str(self.root / "no-config.json"),
                    **(options or {}),
                },
            )
        )
        encoding = result.capabilities.position_encoding
        self.encoding = "utf-8" if encoding == lsp.PositionEncodingKind.Utf8 else "utf-16"
        await self.until(lambda: self.indexed)
        return result

    # Files and documents.

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def uri(self, name: str) -> str:
        return uri_of(str(self.root / name))

    def name(self, uri: str) -> str:
        path = path_of(uri)
        assert path is not None
        return str(Path(path).relative_to(self.root))

    def open(self, name: str, marked: str) -> lsp.Position:
        """Open a document whose text has the cursor at ``$0``; returns where that is."""
        at = marked.find(CURSOR)
        text = marked.replace(CURSOR, "", 1)
        uri = self.uri(name)
        self.texts[uri] = text
        self._versions[uri] = 1
        self.client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "markdown", 1, text))
        )
        return lsp.Position(*LineIndex(text).position(max(at, 0), self.encoding))

    def change(self, name: str, marked: str) -> lsp.Position:
        """Replace the whole text of an open document."""
        at = marked.find(CURSOR)
        text = marked.replace(CURSOR, "", 1)
        uri = self.uri(name)
        self.texts[uri] = text
        self._versions[uri] += 1
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(uri=uri, version=self._versions[uri]),
                [lsp.TextDocumentContentChangeWholeDocument(text)],
            )
        )
        return lsp.Position(*LineIndex(text).position(max(at, 0), self.encoding))

    def close(self, name: str) -> None:
        self.client.text_document_did_close(
            lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(self.uri(name)))
        )

    def save(self, name: str) -> None:
        """Write the open text to disk and say so."""
        self.write(name, self.texts[self.uri(name)])
        self.client.text_document_did_save(
            lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(self.uri(name)))
        )

    def outside_change(self, *changes: tuple[str, lsp.FileChangeType]) -> None:
        """Tell the server of files that changed behind the editor's back."""
        self.client.workspace_did_change_watched_files(
            lsp.DidChangeWatchedFilesParams(
                [lsp.FileEvent(self.uri(name), kind) for name, kind in changes]
            )
        )

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """Send a request of our own; the result as plain JSON values."""
        return plain(await self.client.protocol.send_request_async(method, params))

    def at(self, name: str, position: lsp.Position) -> dict[str, Any]:
        return {
            "text_document": lsp.TextDocumentIdentifier(self.uri(name)),
            "position": position,
        }

    # Reading answers.

    async def until(self, probe: Callable[[], T], what: str = "") -> T:
        """Wait for a condition; the assertion says what was waited for."""
        deadline = asyncio.get_running_loop().time() + PATIENCE
        while not (value := probe()):
            assert asyncio.get_running_loop().time() < deadline, f"waited in vain {what}"
            await asyncio.sleep(0.02)
        return value

    def diagnostics(self, name: str) -> list[lsp.Diagnostic]:
        """What is shown for a document, apart from rules that only give advice."""
        shown = self.client.diagnostics.get(self.uri(name), ())
        return [diagnostic for diagnostic in shown if diagnostic.code not in ADVICE]

    def squiggles(self, name: str) -> list[tuple[str, str]]:
        """(code, the text under the squiggle) of what is shown for a document."""
        text = self.texts[self.uri(name)]
        return [
            (str(diagnostic.code), self.covered(text, diagnostic.range))
            for diagnostic in self.diagnostics(name)
        ]

    async def shows(self, name: str, expected: list[tuple[str, str]]) -> None:
        """Wait until exactly these squiggles are shown."""
        try:
            await self.until(
                lambda: (
                    self.uri(name) in self.client.diagnostics and self.squiggles(name) == expected
                )
            )
        except AssertionError:
            raise AssertionError(f"{self.squiggles(name)} is not {expected}") from None

    def covered(self, text: str, where: lsp.Range) -> str:
        lines = LineIndex(text)
        start = lines.offset(where.start.line, where.start.character, self.encoding)
        end = lines.offset(where.end.line, where.end.character, self.encoding)
        return text[start:end]

    def place(self, location: lsp.Location) -> str:
        """A location as ``name:line:text``, read from the open document or the disk."""
        name = self.name(location.uri)
        text = self.texts.get(location.uri)
        if text is None:
            text = (self.root / name).read_bytes().decode()
        covered = self.covered(text, location.range)
        return f"{name}:{location.range.start.line}:{covered}"

    def accept(
        self, name: str, completions: lsp.CompletionList, label: str, *, insert: bool = False
    ) -> str:
        """The document's text after the completion with that label was accepted.

        ``insert``: as somebody who wants what stands behind the cursor to stay. The places that a
        snippet leaves to fill in are written as ``${1:…}``.
        """
        item = next(item for item in completions.items if item.label == label)
        text = self.texts[self.uri(name)]
        edit = item.text_edit
        if edit is not None:
            where: Any = edit.range if isinstance(edit, lsp.TextEdit) else edit
            new = edit.new_text
        else:
            assert completions.item_defaults is not None
            where = completions.item_defaults.edit_range
            new = item.text_edit_text or item.label
        if not isinstance(where, lsp.Range):
            where = where.insert if insert else where.replace
        lines = LineIndex(text)
        start = lines.offset(where.start.line, where.start.character, self.encoding)
        end = lines.offset(where.end.line, where.end.character, self.encoding)
        return text[:start] + new + text[end:]


@functools.cache
def _profile(name: str) -> lsp.ClientCapabilities:
    """What a client of that name can do, read once."""
    return client_capabilities(name)


def plain(value: Any) -> Any:
    """What pygls makes of a JSON object (a named tuple), as a dictionary again."""
    if hasattr(value, "_asdict"):
        return {key: plain(item) for key, item in value._asdict().items()}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value
