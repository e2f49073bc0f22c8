"""Files that change behind the editor's back: the client's watcher, or our own."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.lsp.uris import path_of, uri_of
from akm_ls.workspace.watching import directories_to_watch, sort_changes, watch

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session

logger = logging.getLogger(__name__)

_REGISTRATION = "akm-ls-watched-files"


class FileWatching:
    """Learns of changed files from the client when it can watch, else from the system."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._registered: list[lsp.GlobPattern] | None = None
        self._asked = 0
        self._settling: asyncio.Task[None] | None = None
        self._own: asyncio.Task[None] | None = None
        self._enough: asyncio.Event | None = None

    async def start(self) -> None:
        """Watch the bundles that are open now; again, when they have become others.

        Calls may overlap: the client is told one thing after the other, of the latest bundles.
        """
        self._asked += 1
        if self._settling is None or self._settling.done():
            self._settling = asyncio.get_running_loop().create_task(self._settle())
        await asyncio.shield(self._settling)

    restart = start

    async def _settle(self) -> None:
        settled = 0
        while settled != self._asked:
            settled = self._asked
            if not self._session.client.watches_files:
                self.stop()
                self._start_own()
                continue
            patterns = self._patterns()
            if patterns == self._registered:
                continue
            if self._registered is not None:
                await self._unregister()
            if settled == self._asked:
                await self._register(patterns)

    def stop(self) -> None:
        if self._enough is not None:
            self._enough.set()
        if self._own is not None:
            self._own.cancel()
            self._own = None

    def events(self, changes: Iterable[lsp.FileEvent]) -> None:
        """What the client saw."""
        self.changed(path for change in changes if (path := path_of(change.uri)) is not None)

    def changed(self, paths: Iterable[str]) -> None:
        """Sort changed files into those that say which bundles there are, and assets."""
        session = self._session
        changes = sort_changes(session.workspace.bundles, paths)
        if changes.bundles:
            session.index._spawn(session.resolve())
        if changes.settings:
            session.bundle_settings_changed()
        session.index.files_changed(changes.files)

    async def _register(self, patterns: list[lsp.GlobPattern]) -> None:
        registration = lsp.Registration(
            _REGISTRATION,
            lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            lsp.DidChangeWatchedFilesRegistrationOptions(
                [lsp.FileSystemWatcher(pattern) for pattern in patterns]
            ),
        )
        try:
            await self._session.server.client_register_capability_async(
                lsp.RegistrationParams([registration])
            )
        except Exception as problem:
            logger.warning("the client does not watch files (%s); watching them here", problem)
            self.stop()
            self._start_own()
        else:
            self.stop()
            self._registered = patterns

    async def _unregister(self) -> None:
        self._registered = None
        unregistration = lsp.Unregistration(_REGISTRATION, lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
        try:
            await self._session.server.client_unregister_capability_async(
                lsp.UnregistrationParams([unregistration])
            )
        except Exception as problem:
            logger.warning("the client does not stop watching files: %s", problem)

    def _patterns(self) -> list[lsp.GlobPattern]:
        bundles = self._session.workspace.bundles
        if not self._session.client.relative_patterns:
            return ["**/*"]
        patterns: list[lsp.GlobPattern] = [
            lsp.RelativePattern(uri_of(bundle.root), "**/*") for bundle in bundles
        ]
        patterns += [
            lsp.RelativePattern(uri_of(os.path.dirname(path)), os.path.basename(path))
            for path in bundles.watch
        ]
        return patterns or ["**/*"]

    def _start_own(self) -> None:
        roots = directories_to_watch(self._session.workspace.bundles)
        if roots:
            self._enough = asyncio.Event()
            self._own = asyncio.get_running_loop().create_task(
                watch(roots, self._enough, self.changed)
            )
