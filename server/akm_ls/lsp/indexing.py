"""The index in the background: one run at a time, with progress, while the loop stays free."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from akm_ls.index.delta import Delta
from akm_ls.index.indexer import IndexReport
from akm_ls.index.store import StoreError
from akm_ls.lsp.work import Workers, cancellation, holding_the_loop

if TYPE_CHECKING:
    from akm_ls.workspace.following import Followed, IndexFollower
    from akm_ls.workspace.workspace import Workspace

logger = logging.getLogger(__name__)

BATCH = 200
"""More changed files than this are one incremental run rather than one by one."""
QUIET = 0.1
"""Seconds without a further change before changed files are read."""
RETRY = 2.0
"""Seconds before files are tried again that another process's rebuild kept us from."""
FOLLOW = 2.0
"""Seconds between two looks at what other processes have written to the index."""
PART = 500
"""Assets that the catalog takes over at once; requests come in between."""
REMAKING = 1.0
"""Seconds that a question waits for an index that was lost and is being made again."""


class RunProgress(Protocol):
    """Shows how far one run is, and says whether somebody has had enough of it."""

    @property
    def cancelled(self) -> bool: ...

    def report(self, loop: asyncio.AbstractEventLoop, done: int, total: int) -> None:
        """From the thread that indexes; called for every file."""

    async def end(self) -> None: ...


class IndexHost(Protocol):
    """Whoever serves a workspace: an editor's session, or a server for agents.

    Everything but `RunProgress.report` is called on the event loop.
    """

    @property
    def workspace(self) -> Workspace: ...

    @property
    def workers(self) -> Workers: ...

    def settle(self) -> None:
        """Read the documents that were edited and not read since."""

    def spread(self, delta: Delta) -> None:
        """The catalog has taken over ``delta``."""

    def files_changed(self, paths: Iterable[str]) -> None:
        """These files were written, created or deleted, and the catalog knows."""

    def everything_stale(self) -> None:
        """The catalog was filled anew."""

    def index_progress(self, token: Any) -> RunProgress:
        """For one run; ``token`` is the client's, when it asked for the run."""

    def index_changed(self, counts: Mapping[str, int]) -> None:
        """A run or a few files are done: ``added``, ``changed``, ``removed``, ``entries``."""

    def index_failed(self, message: str) -> None:
        """The index file cannot be used."""


class BackgroundIndex:
    """Keeps the index, and the catalog with it, in step with the files."""

    def __init__(self, host: IndexHost) -> None:
        self._host = host
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._stop = threading.Event()
        self._changed: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._reading: asyncio.Task[None] | None = None
        """There while files are read that the editor itself has moved or deleted."""
        self._follower: IndexFollower | None = None
        self._following: asyncio.Task[None] | None = None
        self._remade: asyncio.Event | None = None
        """There while a lost index is being made again; set in the end."""

    def start(self) -> None:
        """Load what the index knows, bring it up to date, and follow what others write to it."""
        self._spawn(self._load_and_run())
        if self._following is not None:
            self._following.cancel()
        self._following = asyncio.get_running_loop().create_task(self._follow(self._stop))

    def restart(self) -> None:
        """After other bundles were found: give up what is running and begin anew."""
        self._stop.set()
        self._stop = threading.Event()
        self.start()

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being read or indexed, as far as anybody knows."""
        return not self._tasks and not self._changed

    async def idle(self, patience: float | None = None) -> None:
        """Wait until the catalog has what the files on disk say, as far as anybody knows.

        ``patience`` is in seconds; without it as long as it takes.
        """
        until = None if patience is None else time.monotonic() + patience
        while self._tasks:
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                return
            await asyncio.wait(tuple(self._tasks), timeout=left)
            await asyncio.sleep(0)

    def stop(self) -> None:
        self._stop.set()
        if self._timer is not None:
            self._timer.cancel()
        if self._following is not None:
            self._following.cancel()
        # Whoever has the lock may be at work with it; the end of the process closes it as well.
        if self._follower is not None and not self._lock.locked():
            self._follower.close()

    def _spawn(self, work: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("indexing failed", exc_info=error)

    async def _load_and_run(self) -> None:
        workers, stop = self._host.workers, self._stop
        async with self._lock:
            before, self._follower = self._follower, self._host.workspace.follower()
            if before is not None:
                await workers.run(before.close)
        await self._load()
        if not stop.is_set():
            await self.run()

    async def _load(self, *, keep: bool = False) -> None:
        """Fill the catalog from the index; ``keep`` what is there if that cannot be read."""
        host, stop, follower = self._host, self._stop, self._follower
        assert follower is not None
        async with self._lock:
            snapshot = await host.workers.run(follower.snapshot)
            if stop.is_set() or (keep and snapshot.problem):
                return
            host.workspace.take(snapshot)
            host.settle()
            host.workspace.reopen()
            host.everything_stale()

    async def run(
        self,
        *,
        full: bool = False,
        clean: bool = False,
        only: str | None = None,
        token: Any = None,
    ) -> IndexReport:
        """One run over the bundles; waits for one that is under way.

        ``token`` is the client's progress token, when it sent one with its request.
        """
        host = self._host
        async with self._lock:
            stop = self._stop
            request = cancellation()
            progress = host.index_progress(token)
            loop = asyncio.get_running_loop()
            pending: asyncio.Queue[Delta] = asyncio.Queue()

            def is_cancelled() -> bool:
                return stop.is_set() or request.cancelled or progress.cancelled

            def hand_over(delta: Delta) -> None:
                loop.call_soon_threadsafe(pending.put_nowait, delta)

            host.workspace.indexing = True
            feeding = loop.create_task(self._feed(pending))
            try:
                report = await host.workers.run(
                    host.workspace.index,
                    full=full,
                    clean=clean,
                    only=only,
                    on_progress=lambda done, total, _: progress.report(loop, done, total),
                    on_delta=hand_over,
                    cancelled=is_cancelled,
                )
                # What the thread has sent is in the queue once the loop has turned.
                await asyncio.sleep(0)
                await pending.join()
            except StoreError as problem:
                host.index_failed(str(problem))
                report = IndexReport(warnings=(str(problem),), of_run=(str(problem),))
            finally:
                feeding.cancel()
                host.workspace.indexing = False
                await progress.end()
            host.workspace.warnings = report.of_run
            for warning in report.warnings:
                logger.warning("%s", warning)
            self._announce(report.added, report.changed, report.removed, report.entries)
            return report

    async def _feed(self, pending: asyncio.Queue[Delta]) -> None:
        """Give the catalog one delta at a time, so that requests come in between."""
        while True:
            delta = await pending.get()
            try:
                with holding_the_loop("taking over a part of the index"):
                    self._host.spread(self._host.workspace.apply(delta))
            except Exception:
                logger.exception("a change of the index could not be taken over")
            finally:
                pending.task_done()
            await asyncio.sleep(0)

    def files_changed(self, paths: Iterable[str]) -> None:
        """Files were written, created or deleted: read them once the storm is over."""
        self._changed.update(paths)
        if not self._changed:
            return
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(QUIET, lambda: self._spawn(self._read_changed()))

    def read_now(self, paths: Iterable[str]) -> None:
        """As `files_changed`, but at once: questions wait for it (`ready`)."""
        self._changed.update(paths)
        if self._timer is not None:
            self._timer.cancel()
        before = self._reading

        async def read() -> None:
            if before is not None:
                await asyncio.wait([before])
            await self._read_changed()

        self._reading = self._spawn(read())

    async def complete(self, patience: float) -> bool:
        """Whether every bundle has been read to its end; waits ``patience`` seconds for it."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience
        while self._host.workspace.complete_catalog is None:
            if loop.time() >= deadline:
                return False
            await asyncio.sleep(0.05)
        return True

    async def _read_changed(self) -> None:
        paths, self._changed = self._changed, set()
        if not paths:
            return
        self.notice()
        host = self._host
        if len(paths) > BATCH:
            await self.run()
            host.files_changed(paths)
            return
        async with self._lock:
            delta = await host.workers.run(host.workspace.upsert, tuple(paths))
            if delta.deferred:
                loop = asyncio.get_running_loop()
                loop.call_later(RETRY, self.files_changed, delta.deferred)
            host.spread(host.workspace.apply(delta))
        host.files_changed(paths)
        if not delta.is_empty:
            counts = len(delta.added), len(delta.changed), len(delta.removed)
            self._announce(*counts, len(host.workspace.catalog))

    # What other processes do to the index.

    def notice(self) -> bool:
        """Whether the index file is still the one that the catalog was made from.

        If it was deleted or replaced, it is being made again from now on. This is asked before
        every question: it costs one look at the file's status.
        """
        if self._remade is None and self._follower is not None and self._follower.is_replaced():
            self._make_again()
        return self._remade is None

    async def ready(self) -> bool:
        """`notice`, with some patience for an index that is made again in a moment.

        What the editor has just moved or deleted is read before.
        """
        if self._reading is not None and not self._reading.done():
            await asyncio.wait([self._reading], timeout=REMAKING)
        if not self.notice() and self._remade is not None:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._remade.wait(), REMAKING)
        return self._remade is None

    async def _follow(self, stop: threading.Event) -> None:
        while not stop.is_set():
            await asyncio.sleep(FOLLOW)
            # Whoever has the lock writes; there will be another look.
            if self._remade is None and not self._lock.locked():
                try:
                    await self._look()
                except Exception:
                    logger.exception("the index could not be followed")

    async def _look(self) -> None:
        workspace, stop, follower = self._host.workspace, self._stop, self._follower
        if follower is None:
            return
        catalog = workspace.catalog
        async with self._lock:
            whole = [bundle.id for bundle in workspace.bundles if catalog.is_complete(bundle.id)]
            followed = await self._host.workers.run(follower.look, catalog.generation, whole)
            if followed is None or stop.is_set():
                return
            if not followed.lost:
                await self._take_over(followed)
                return
        if self._remade is None:
            self._make_again()

    async def _take_over(self, followed: Followed) -> None:
        workspace = self._host.workspace
        added = changed = removed = 0
        for part in followed.delta.parts(PART):
            told = workspace.apply(part)
            self._host.spread(told)
            added += len(told.added)
            changed += len(told.changed)
            removed += len(told.removed)
            await asyncio.sleep(0)
        workspace.catalog.generation = followed.generation
        if added or changed or removed:
            self._announce(added, changed, removed, len(workspace.catalog))

    def _make_again(self) -> None:
        workspace = self._host.workspace
        message = f"The index {workspace.store_path} was deleted or replaced: making it again."
        logger.warning("%s", message)
        workspace.warnings = (*workspace.warnings, message)
        workspace.indexing = True
        self._remade = asyncio.Event()
        self._spawn(self._run_and_load(self._remade))

    async def _run_and_load(self, remade: asyncio.Event) -> None:
        """Index everything while the catalog goes on with what it knows, then take stock."""
        workspace = self._host.workspace
        try:
            await self.run()
            workspace.indexing = True
            await self._load(keep=True)
        finally:
            workspace.indexing = False
            self._remade = None
            remade.set()

    def _announce(self, added: int, changed: int, removed: int, entries: int) -> None:
        counts = {"added": added, "changed": changed, "removed": removed, "entries": entries}
        self._host.index_changed(counts)
