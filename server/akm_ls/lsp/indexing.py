"""The index in the background: one run at a time, with progress, while the loop stays free."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import uuid
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from akm_ls.index.delta import Delta
from akm_ls.index.indexer import IndexReport, upsert_files
from akm_ls.index.store import Store, StoreError
from akm_ls.lsp.work import CancellationToken, cancellation

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session

logger = logging.getLogger(__name__)

BATCH = 200
"""More changed files than this are one incremental run rather than one by one."""
QUIET = 0.1
"""Seconds without a further change before changed files are read."""
RETRY = 2.0
"""Seconds before files are tried again that another process's rebuild kept us from."""
WORTH_PROGRESS = 200
"""Files to read from which on a run shows its progress."""


class BackgroundIndex:
    """Keeps the index, and the catalog with it, in step with the files."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._stop = threading.Event()
        self._changed: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Load what the index knows, then bring it up to date."""
        self._spawn(self._load_and_run())

    def restart(self) -> None:
        """After other bundles were found: give up what is running and begin anew."""
        self._stop.set()
        self._stop = threading.Event()
        self.start()

    def stop(self) -> None:
        self._stop.set()
        if self._timer is not None:
            self._timer.cancel()

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("indexing failed", exc_info=error)

    async def _load_and_run(self) -> None:
        session = self._session
        stop = self._stop
        async with self._lock:
            snapshot = await session.server.protocol.workers.run(session.workspace.snapshot)
            if stop.is_set():
                return
            session.workspace.take(snapshot)
            session.settle()
            session.workspace.reopen()
            session.diagnostics.refresh_all()
        await self.run()

    async def run(
        self,
        *,
        full: bool = False,
        clean: bool = False,
        only: str | None = None,
        token: lsp.ProgressToken | None = None,
    ) -> IndexReport:
        """One run over the bundles; waits for one that is under way.

        ``token`` is the client's progress token, when it sent one with its request.
        """
        session = self._session
        async with self._lock:
            stop = self._stop
            request = cancellation()
            progress = _Progress(session, token)
            loop = asyncio.get_running_loop()
            pending: asyncio.Queue[Delta] = asyncio.Queue()

            def is_cancelled() -> bool:
                return stop.is_set() or request.cancelled or progress.cancelled

            def hand_over(delta: Delta) -> None:
                loop.call_soon_threadsafe(pending.put_nowait, delta)

            session.workspace.indexing = True
            feeding = loop.create_task(self._feed(pending))
            try:
                report = await session.server.protocol.workers.run(
                    session.workspace.index,
                    full=full,
                    clean=clean,
                    only=only,
                    on_progress=lambda done, total, label: progress.report(
                        loop, done, total, label
                    ),
                    on_delta=hand_over,
                    cancelled=is_cancelled,
                )
                # What the thread has sent is in the queue once the loop has turned.
                await asyncio.sleep(0)
                await pending.join()
            except StoreError as problem:
                session.server.window_show_message(
                    lsp.ShowMessageParams(type=lsp.MessageType.Error, message=str(problem))
                )
                report = IndexReport(warnings=(str(problem),), of_run=(str(problem),))
            finally:
                feeding.cancel()
                session.workspace.indexing = False
                await progress.end()
            session.workspace.warnings = report.of_run
            for warning in report.warnings:
                logger.warning("%s", warning)
            self._announce(report.added, report.changed, report.removed, report.entries)
            return report

    async def _feed(self, pending: asyncio.Queue[Delta]) -> None:
        """Give the catalog one delta at a time, so that requests come in between."""
        while True:
            delta = await pending.get()
            try:
                self._session.spread(self._session.workspace.apply(delta))
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

    async def _read_changed(self) -> None:
        paths, self._changed = self._changed, set()
        if not paths:
            return
        if len(paths) > BATCH:
            await self.run()
            return
        session = self._session
        async with self._lock:
            delta = await session.server.protocol.workers.run(self._upsert, tuple(paths))
            if delta.deferred:
                loop = asyncio.get_running_loop()
                loop.call_later(RETRY, self.files_changed, delta.deferred)
            session.spread(session.workspace.apply(delta))
        if not delta.is_empty:
            counts = len(delta.added), len(delta.changed), len(delta.removed)
            self._announce(*counts, len(session.workspace.catalog))

    def _upsert(self, paths: tuple[str, ...]) -> Delta:
        workspace = self._session.workspace
        try:
            with Store(workspace.store_path, workspace.bundles) as store:
                return upsert_files(store, paths)
        except StoreError as problem:
            logger.warning("%s", problem)
            return Delta()

    def _announce(self, added: int, changed: int, removed: int, entries: int) -> None:
        counts = {"added": added, "changed": changed, "removed": removed, "entries": entries}
        self._session.server.protocol.notify("akm/didIndex", counts)


class _Progress:
    """Work-done progress of one run, begun once it is worth showing."""

    def __init__(self, session: Session, token: lsp.ProgressToken | None) -> None:
        self._server = session.server
        self._given = token is not None
        self._token: lsp.ProgressToken = token if token is not None else f"akm-index-{uuid.uuid4()}"
        self._offered = self._given or session.client.progress
        self._begun: asyncio.Task[None] | None = None
        self._shown = 0.0
        self._cancelled = CancellationToken()

    @property
    def cancelled(self) -> bool:
        if not self._cancelled.cancelled:
            future = self._server.work_done_progress.tokens.get(self._token)
            if future is not None and future.cancelled():
                self._cancelled.cancel()
        return self._cancelled.cancelled

    def report(self, loop: asyncio.AbstractEventLoop, done: int, total: int, label: str) -> None:
        """From the worker thread: at most ten times a second."""
        now = time.monotonic()
        if not self._offered or (total < WORTH_PROGRESS and not self._given):
            return
        if now - self._shown >= 0.1:
            self._shown = now
            loop.call_soon_threadsafe(self._show, done, total, label)

    def _show(self, done: int, total: int, label: str) -> None:
        if self._begun is None:
            self._begun = asyncio.get_running_loop().create_task(self._begin())
        if self._begun.done() and not self._begun.cancelled():
            percentage = 100 * done // total if total else 0
            self._server.work_done_progress.report(
                self._token,
                lsp.WorkDoneProgressReport(
                    message=f"{done:,}/{total:,} files", percentage=percentage, cancellable=True
                ),
            )

    async def _begin(self) -> None:
        progress = self._server.work_done_progress
        if not self._given:
            try:
                await progress.create_async(self._token)
            except Exception:
                self._offered = False
                return
        progress.begin(
            self._token,
            lsp.WorkDoneProgressBegin(title="AKM: indexing", percentage=0, cancellable=True),
        )

    async def end(self) -> None:
        if self._begun is None:
            return
        await self._begun
        if self._offered:
            self._server.work_done_progress.end(self._token, lsp.WorkDoneProgressEnd())
