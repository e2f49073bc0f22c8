"""Files that change behind the editor's back: the client's watcher, or our own."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.lint.bundle_settings import is_settings_file
from akm_ls.lsp.uris import path_of, uri_of

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session

logger = logging.getLogger(__name__)

_REGISTRATION = "akm-ls-watched-files"
_SKIPPED = frozenset({".git", "node_modules", ".venv", "__pycache__", ".cache"})


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
        watched = {os.path.normpath(path) for path in session.workspace.bundles.watch}
        files: list[str] = []
        roots = False
        settings = False
        for path in paths:
            settings = settings or is_settings_file(path, session.workspace.bundles)
            if os.path.normpath(path) in watched:
                roots = True
            elif not _SKIPPED & set(path.split(os.sep)):
                files.append(path)
        if roots:
            session.index._spawn(session.resolve())
        if settings:
            session.bundle_settings_changed()
        session.index.files_changed(files)

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
        roots = self._directories()
        if roots:
            self._enough = asyncio.Event()
            self._own = asyncio.get_running_loop().create_task(self._watch(roots, self._enough))

    def _directories(self) -> list[str]:
        bundles = self._session.workspace.bundles
        wanted = {bundle.real_root for bundle in bundles}
        wanted |= {os.path.dirname(path) for path in bundles.watch}
        return sorted(path for path in wanted if os.path.isdir(path))

    async def _watch(self, roots: list[str], enough: asyncio.Event) -> None:
        from watchfiles import awatch

        def wanted(_change: object, path: str) -> bool:
            return not _SKIPPED & set(path.split(os.sep))

        try:
            async for changes in awatch(
                *roots,
                watch_filter=wanted,
                stop_event=enough,
                debounce=200,
                step=50,
                ignore_permission_denied=True,
            ):
                self.changed(path for _, path in changes)
        except Exception as problem:
            logger.warning("files cannot be watched: %s", problem)
