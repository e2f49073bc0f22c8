"""One client's session: the workspace, its open documents, and what waits to be done."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from contextvars import Context
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from akm_ls.documents.text import PositionEncoding
from akm_ls.index.delta import Delta
from akm_ls.lsp.client import Client
from akm_ls.lsp.convert import file_start, to_offset, to_range
from akm_ls.lsp.embedding import BackgroundEmbedding
from akm_ls.lsp.features.diagnostics import Diagnostics, diagnostics_for
from akm_ls.lsp.features.pull_diagnostics import ClosedReports
from akm_ls.lsp.indexing import BackgroundIndex
from akm_ls.lsp.large import LargeDocuments
from akm_ls.lsp.progress import WorkProgress
from akm_ls.lsp.refreshing import Refreshing
from akm_ls.lsp.reports import Reports
from akm_ls.lsp.uris import path_of, uri_of
from akm_ls.lsp.watching import FileWatching
from akm_ls.lsp.work import holding_the_loop
from akm_ls.workspace import Settings, Workspace, read_settings
from akm_ls.workspace.open_documents import OpenDocument

if TYPE_CHECKING:
    from akm_ls.documents.text import LineIndex, Span
    from akm_ls.index.stub import Stub
    from akm_ls.lsp.server import AkmLanguageServer
    from akm_ls.lsp.work import Workers
    from akm_ls.search.usage import UseKind

logger = logging.getLogger(__name__)

WORTH_PROGRESS = 200
"""Files to read from which on an index run shows its progress."""


class Session:
    """Everything between ``initialize`` and ``exit``; lives on the event loop.

    Changes to documents are noted at once and read when somebody asks or the author pauses:
    a burst of keystrokes costs one parse.
    """

    def __init__(
        self, server: AkmLanguageServer, params: lsp.InitializeParams, base: Settings
    ) -> None:
        self.server = server
        self.client = Client(params)
        self.encoding: PositionEncoding = server.protocol.buffers.encoding
        self._base = base
        folders = server.protocol.buffers.folder_paths
        settings, problems = read_settings(
            params.initialization_options, base, relative_to=next(iter(folders), None)
        )
        self._problems = [problem.message for problem in problems]
        self._options = settings
        self.workspace = Workspace(settings.with_folders(folders))
        self.reports = Reports(self)
        self.diagnostics: Diagnostics = diagnostics_for(self)
        self.large = LargeDocuments(self)
        self.files = ClosedReports(self)
        self.refreshing = Refreshing(self)
        self.index = BackgroundIndex(self)
        self.embedding = BackgroundEmbedding(self)
        self.watching = FileWatching(self)
        self._unread: set[str] = set()
        self._nothing_open: str | None = None
        self._told: dict[str, tuple[str, ...]] = {}
        self._writing: set[asyncio.Future[None]] = set()

    # Start, settings and folders.

    async def start(self) -> None:
        """After ``initialized``: what needs the client's answers or takes longer."""
        self._tell("options", self._problems)
        self._tell_of_bundles()
        self.index.start()
        await self.watching.start()
        if self.client.configuration:
            await self.read_configuration()

    async def read_configuration(self) -> None:
        """Ask the client for its ``akm`` section and follow it."""
        items = [lsp.ConfigurationItem(section="akm")]
        answers = await self.server.workspace_configuration_async(lsp.ConfigurationParams(items))
        await self.take_settings(answers[0] if answers else None)

    async def take_settings(self, raw: object) -> None:
        """Follow a changed ``akm`` section."""
        folders = self.server.protocol.buffers.folder_paths
        settings, problems = read_settings(
            _plain(raw), self._options, relative_to=next(iter(folders), None)
        )
        self._tell("settings", [problem.message for problem in problems])
        settings = settings.with_folders(folders)
        before, self.workspace.settings = self.workspace.settings, settings
        if before == settings:
            return
        if before.shown != settings.shown:
            self.refreshing.everything()
        if (before.bundle_dirs, before.config, before.data_dir) != (
            settings.bundle_dirs,
            settings.config,
            settings.data_dir,
        ):
            await self.resolve(force=before.data_dir != settings.data_dir)
        else:
            self.everything_stale()
        if (before.embedding, before.offline, before.config) != (
            settings.embedding,
            settings.offline,
            settings.config,
        ):
            self.embedding.begin_anew()

    async def take_pushed_settings(self, settings: object) -> None:
        """Settings as older clients push them: the sections, ours among them."""
        sections = _plain(settings)
        if isinstance(sections, dict) and "akm" in sections:
            await self.take_settings(sections["akm"])

    async def folders_changed(self) -> None:
        folders = self.server.protocol.buffers.folder_paths
        self.workspace.settings = self.workspace.settings.with_folders(folders)
        await self.resolve()

    async def resolve(self, *, force: bool = False) -> None:
        """Find the bundles again and follow what changed."""
        changed = self.workspace.resolve()
        self.embedding.begin_anew()  # akm's configuration may name another model
        self._tell_of_bundles()
        if not changed and not force:
            return
        self.workspace.close()
        self.workspace.reopen()
        self.index.restart()
        await self.watching.restart()

    def bundle_settings_changed(self) -> None:
        """The settings file of a bundle was written, created or deleted."""
        self._tell_of_bundles()
        self.everything_stale()

    # The index (`IndexHost`).

    @property
    def workers(self) -> Workers:
        return self.server.protocol.workers

    def index_progress(self, token: lsp.ProgressToken | None) -> WorkProgress:
        return WorkProgress(self, "AKM: indexing", "files", WORTH_PROGRESS, token)

    def index_changed(self, counts: Mapping[str, int]) -> None:
        # Citations change without any asset looking different.
        self.refreshing.annotations()
        self.server.protocol.notify("akm/didIndex", dict(counts))
        self.embedding.due()

    def index_failed(self, message: str) -> None:
        self.server.window_show_message(
            lsp.ShowMessageParams(type=lsp.MessageType.Error, message=message)
        )

    # Documents.

    def opened(self, uri: str) -> None:
        path = path_of(uri)
        if path is not None:
            self._unread.add(uri)
            self.settle()
            self.diagnostics.opened(self.workspace.canonical(path))
            stub = self.workspace.stub_at(path) if self.workspace.usage.is_expectant else None
            if stub is not None:
                self.note_use("open", stub.bundle, stub.concept_id)

    def changed(self, uri: str) -> None:
        path = path_of(uri)
        if path is not None:
            self._unread.add(uri)
            self.diagnostics.edited(self.workspace.canonical(path))

    def closed(self, uri: str) -> None:
        path = path_of(uri)
        self._unread.discard(uri)
        if path is None:
            return
        canonical = self.workspace.canonical(path)
        self.diagnostics.closed(canonical, uri)
        other = self._other_spelling(canonical)
        if other is None:
            self.reports.forget(canonical)
            self.spread(self.workspace.drop(path))
            self.files.findings.buffer_changed(canonical)
            self.files.news()  # its findings are those of the file now
            self._tell_stale(self.reports.known.buffer_changed(canonical), at_once=False)
        else:
            self.opened(other)

    def _other_spelling(self, canonical: str) -> str | None:
        """The URI of an open document that is the same file by another path."""
        for buffer in self.server.protocol.buffers:
            if buffer.file is not None and self.workspace.canonical(buffer.file) == canonical:
                return buffer.uri
        return None

    def settle(self, *, at_once: bool = False) -> None:
        """Read every document that changed since it was last read; large ones in their thread.

        ``at_once``: the author has paused, so what depends on the changes need not wait again.
        """
        while self._unread:
            uri = self._unread.pop()
            buffer = self.server.protocol.buffers.open(uri)
            path = path_of(uri)
            if buffer is None or path is None:
                continue
            if self.large.takes(buffer.source):
                self.large.read(uri)
            else:
                opened = self.workspace.read_document(path, buffer.source, buffer.version)
                self.take(opened, at_once=at_once)

    def take(self, opened: OpenDocument, *, at_once: bool = True) -> None:
        """Take over what a document is now, and tell whom that concerns."""
        before = self._cited(opened.path) if self.workspace.usage.is_expectant else None
        with holding_the_loop("taking over a document"):
            self.spread(self.workspace.take_document(opened), at_once=at_once)
        self.files.findings.buffer_changed(opened.path)
        self._tell_stale(self.reports.known.buffer_changed(opened.path), at_once=at_once)
        if before is not None:
            for bundle, concept_id in (self._cited(opened.path) or set()) - before:
                self.note_use("insert", bundle, concept_id)

    def unread(self, uri: str) -> asyncio.Task[None] | None:
        """What a question about a large document has to wait for; ``None``: ask at once."""
        if uri in self._unread:
            self.settle()
        return self.large.reading(uri)

    def _cited(self, path: str) -> set[tuple[str, str]] | None:
        """What an open document cites, by bundle and concept id; ``None``: it is not open."""
        opened = self.workspace.documents.get(path)
        if opened is None:
            return None
        home = opened.bundle.id if opened.bundle is not None else ""
        return {(item.bundle or home, item.concept_id) for item in opened.citations}

    def spread(self, delta: Delta, *, at_once: bool = False) -> None:
        """Lint again what depends on what changed."""
        if not delta.is_empty:
            self.refreshing.annotations()
            self.files.findings.changed(delta)
            self.files.news()
            self._tell_stale(self.reports.known.changed(delta), at_once=at_once)

    def files_changed(self, paths: Iterable[str]) -> None:
        """Lint again what depends on files on disk: whether they are there, and what is in them."""
        paths = tuple(paths)
        self.files.findings.files_changed(paths)
        self.files.news()
        self._tell_stale(self.reports.known.files_changed(paths), at_once=False)

    def everything_stale(self) -> None:
        """Lint every open document again.

        While some bundle has not been read yet, what is on the screen stays: the rules that need
        all of them are silent, and squiggles that go and come back distract.
        """
        if self.workspace.complete_catalog is not None:
            self.reports.known.forget_all()
            self.files.findings.forget_all()
            self.files.news()
            self.diagnostics.all_stale()

    def _tell_stale(self, paths: Iterable[str], *, at_once: bool) -> None:
        for path in paths:
            self.diagnostics.stale(path, at_once=at_once)

    def document(self, uri: str) -> OpenDocument | None:
        """The open document behind a URI as it stands now; ``None``: not open, or not a file."""
        self.settle()
        path = path_of(uri)
        return (
            None if path is None else self.workspace.documents.get(self.workspace.canonical(path))
        )

    # Positions and places.

    def uri(self, path: str) -> str:
        """The URI of a canonical path: the client's own while it is open."""
        shown = self.workspace.display_path(path)
        buffers = self.server.protocol.buffers
        buffer = buffers.open_file(shown) or buffers.open_file(path)
        return uri_of(shown) if buffer is None else buffer.uri

    def range(self, lines: LineIndex, span: Span) -> lsp.Range:
        return to_range(lines, span, self.encoding)

    def place_of(self, stub: Stub, fragment: str | None = None) -> lsp.Range:
        """The heading of an asset that a fragment names, without one its title.

        Reads the file. Where nothing is found it is the file's start.
        """
        document = self.workspace.document(stub.path)
        if document is None:
            return file_start()
        if fragment is not None:
            heading = document.fragment(fragment)
        else:
            heading = next((item for item in document.headings if item.level == 1), None)
        return file_start() if heading is None else self.range(document.lines, heading.span)

    def offset(self, opened: OpenDocument, position: lsp.Position) -> int:
        return to_offset(opened.document.lines, position, self.encoding)

    # Use.

    def note_use(self, kind: UseKind, bundle: str, concept_id: str) -> None:
        """Note that something found was used; it is written beside the event loop."""
        if self.workspace.usage.used(kind, bundle, concept_id):
            # Not in the context of a request: that may be cancelled, and the use was one.
            task = Context().run(asyncio.ensure_future, self._write_use())
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)

    async def _write_use(self) -> None:
        try:
            await self.workers.run(self.workspace.usage.flush)
        except RuntimeError:
            logger.debug("the server is leaving: use is written on its way out")

    # Messages.

    def tell(self, messages: Sequence[str]) -> None:
        """Show the user what became of something that was asked for, in one message."""
        if messages:
            text = "\n".join(messages)
            self.server.window_show_message(
                lsp.ShowMessageParams(type=lsp.MessageType.Warning, message=text)
            )

    def _tell_of_bundles(self) -> None:
        self._tell("sources", self.workspace.unusable_sources())
        self._tell("bundle settings", self.workspace.settings_problems())
        nothing = self.workspace.nothing_open()
        if nothing is not None and nothing != self._nothing_open:
            # In the log, for who wonders: a folder without bundles is nothing to interrupt for.
            self.server.window_log_message(
                lsp.LogMessageParams(type=lsp.MessageType.Info, message=nothing)
            )
        self._nothing_open = nothing

    def _tell(self, of: str, problems: Sequence[str]) -> None:
        """Show the user what cannot be used: once, and again only if it was mended meanwhile."""
        told = {message for messages in self._told.values() for message in messages}
        self._told[of] = tuple(problems)
        for problem in dict.fromkeys(problems):
            if problem not in told:
                logger.warning("%s", problem)
                self.server.window_show_message(
                    lsp.ShowMessageParams(type=lsp.MessageType.Warning, message=problem)
                )

    def close(self) -> None:
        self.index.stop()
        self.embedding.stop()
        self.refreshing.stop()
        self.watching.stop()
        self.large.close()
        self.workspace.close()
        self.workspace.stores.close()
        self.workspace.usage.close()


def _plain(value: Any) -> Any:
    """A client's settings as JSON values (pygls hands objects over as attribute bags)."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
