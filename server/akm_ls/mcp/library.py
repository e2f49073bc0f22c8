"""The workspace behind the tools: opened on start, and kept in step with the files while it runs.

What the language server does for an editor, without documents that are being edited: the same
index, the same follower of what other processes write to it, the same watcher.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from akm_ls.counts import count
from akm_ls.index.delta import Delta
from akm_ls.index.store import Store, StoreError
from akm_ls.lsp.indexing import BackgroundIndex
from akm_ls.lsp.work import Workers
from akm_ls.workspace import Settings, Workspace
from akm_ls.workspace.watching import directories_to_watch, sort_changes, watch

if TYPE_CHECKING:
    from akm_ls.search.library import Library

logger = logging.getLogger(__name__)

COLD = 40.0
"""Seconds that a question waits for an index that is built for the first time."""
WARM = 2.0
"""Seconds that a question waits until what has just changed is read."""
STEP = 0.25
"""Seconds between two reports of progress."""
TURN = 0.02
"""Seconds between two looks at whether changed files are read."""

T = TypeVar("T")
Report = Callable[[float, float | None, str], Awaitable[None]]
"""Tells a client how far something is: done, total, in words."""


class OpenLibrary:
    """One workspace and its index, on the event loop."""

    def __init__(self, settings: Settings) -> None:
        self.workspace = Workspace(settings)
        self.workers = Workers()
        self.index = BackgroundIndex(self)
        self._progress: _Progress | None = None
        self._enough: asyncio.Event | None = None
        self._watching: asyncio.Task[None] | None = None
        self._problem = ""

    def start(self) -> None:
        """Load what the index knows, bring it up to date, and follow the files from now on."""
        self._tell_of_bundles()
        self.index.start()
        self._watch()

    def open_folders(self, folders: Sequence[str]) -> None:
        """Work in other folders than until now, where the bundles are not named anyway."""
        settings = self.workspace.settings
        if settings.bundle_dirs or settings.folders == tuple(folders):
            return
        self.workspace.settings = settings.with_folders(folders)
        self._resolve()

    def close(self) -> None:
        self.index.stop()
        self._stop_watching()
        self.workers.close()
        self.workspace.close()

    # For the questions.

    async def settled(self, report: Report) -> tuple[str, ...]:
        """Wait until the answer would be about the files as they are; what it is not about.

        The index of an earlier run answers at once, but for what has changed in the last moments.
        Without one this waits for as long as a client may be expected to, and says how far it is.
        """
        begun = time.monotonic()
        while not self.index.is_idle:
            cold = self.workspace.complete_catalog is None
            if time.monotonic() - begun > (COLD if cold else WARM):
                return (self._so_far(),) if cold else ()
            await self.index.idle(STEP)
            await asyncio.sleep(TURN)
            if self._progress is not None and not self.index.is_idle:
                await report(*self._progress.told)
        await self.index.ready()
        return (self._problem,) if self._problem else ()

    async def ask(self, question: Callable[[Library], T]) -> T:
        """``question`` in a worker thread, with a store of that thread; without one if need be."""
        usable = await self.index.ready()
        workspace = self.workspace

        def run() -> T:
            if usable:
                try:
                    with Store(workspace.store_path, workspace.bundles) as store:
                        return question(workspace.library(store))
                except StoreError as problem:
                    logger.warning("%s", problem)
            return question(workspace.library_without_index())

        return await self.workers.run(run)

    def _so_far(self) -> str:
        done, total, _ = self._progress.told if self._progress else (0, None, "")
        of = f" ({done:,.0f} of {count(round(total), 'file')})" if total else ""
        return f"the index is still being built{of}: this is what is known so far"

    # The index (`IndexHost`).

    def settle(self) -> None:
        return None

    def spread(self, delta: Delta) -> None:
        return None

    def files_changed(self, paths: Iterable[str]) -> None:
        return None

    def everything_stale(self) -> None:
        return None

    def index_progress(self, token: Any) -> _Progress:
        self._problem = ""
        self._progress = _Progress()
        return self._progress

    def index_changed(self, counts: Mapping[str, int]) -> None:
        logger.info("indexed: %s", counts)

    def index_failed(self, message: str) -> None:
        self._problem = message
        logger.error("%s", message)

    # Files and bundles.

    def _changed(self, paths: Iterable[str]) -> None:
        changes = sort_changes(self.workspace.bundles, paths)
        if changes.bundles:
            self._resolve()
        if changes.settings:
            self._tell_of_bundles()
        self.index.files_changed(changes.files)

    def _resolve(self) -> None:
        if self.workspace.resolve():
            self._tell_of_bundles()
            self.index.restart()
            self._stop_watching()
            self._watch()

    def _watch(self) -> None:
        directories = directories_to_watch(self.workspace.bundles)
        if directories:
            self._enough = asyncio.Event()
            self._watching = asyncio.get_running_loop().create_task(
                watch(directories, self._enough, self._changed)
            )

    def _stop_watching(self) -> None:
        if self._enough is not None:
            self._enough.set()
        self._enough = self._watching = None

    def _tell_of_bundles(self) -> None:
        for problem in (*self.workspace.unusable_sources(), *self.workspace.settings_problems()):
            logger.warning("%s", problem)


class _Progress:
    """How far the run that is under way has come."""

    cancelled = False

    def __init__(self) -> None:
        self.told: tuple[float, float | None, str] = (0, None, "indexing")

    def report(self, _: asyncio.AbstractEventLoop, done: int, total: int) -> None:
        # From the thread that indexes: one assignment, which the loop reads whole.
        self.told = (done, total or None, f"indexing: {done:,} of {count(total, 'file')}")

    async def end(self) -> None:
        return None
