"""Vectors in the background: what an index run leaves without one gets it, beside the loop."""

from __future__ import annotations

import asyncio
import logging
import threading
from contextvars import Context
from typing import TYPE_CHECKING

from akm_ls.index.store import StoreError
from akm_ls.lsp.progress import WorkProgress
from akm_ls.lsp.work import Workers

if TYPE_CHECKING:
    from akm_ls.index.embedding import LineKind
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.semantic import EmbeddingOutcome

logger = logging.getLogger(__name__)

QUIET = 1.0
"""Seconds without a further change of the index before what is missing is embedded."""
REST = 60.0
"""Seconds that a model which failed is left alone; twice as long after each further failure."""
LONGEST_REST = 1800.0
WORTH_PROGRESS = 25
"""Assets to embed from which on a run shows its progress."""


class BackgroundEmbedding:
    """Keeps vectors in step with the index, where a model is configured. Lives on the event loop.

    One run at a time, in a thread of its own: an endpoint may take hours, and requests must not
    wait for it. A run that the user cancels is the last one until they ask for another, change
    settings, or start the server again.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._workers = Workers(1)
        self._stop = threading.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._again = False
        """Whether something was indexed while a run was under way."""
        self._reembed: tuple[str | None] | None = None
        """The bundle whose vectors are to be discarded first; ``None`` in it: all."""
        self._failures = 0
        self._refused = False

    @property
    def is_running(self) -> bool:
        return self._task is not None

    def due(self) -> None:
        """Something was indexed: embed what is missing once it is quiet."""
        if self._task is not None:
            self._again = True
        elif not self._refused and not self._failures:
            self._wait(QUIET)

    def begin_anew(self) -> None:
        """Settings or bundles are others: give up what is running, forget what failed."""
        self._stop.set()
        self._stop = threading.Event()
        self._failures, self._refused = 0, False
        self.due()

    def asked(self) -> None:
        """The user wants the index up to date: whatever came before, try again."""
        self._failures, self._refused = 0, False
        self._session.workspace.retry_semantic_search()
        self.due()

    def reembed(self, only: str | None) -> None:
        """Discard the vectors of one bundle or of all, and make new ones."""
        self._reembed = (only,)
        self.begin_anew()

    def stop(self) -> None:
        self._stop.set()
        if self._timer is not None:
            self._timer.cancel()
        self._workers.close()

    def _wait(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._start)

    def _start(self) -> None:
        self._timer = None
        if self._task is None and not self._stop.is_set():
            # Not in the context of the request that changed something: that may be cancelled.
            self._task = Context().run(asyncio.ensure_future, self._run())
            self._task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("embedding failed", exc_info=error)
            self._failures += 1
        again, self._again = self._again, False
        if self._stop.is_set() or self._refused:
            return
        if self._failures:
            self._wait(min(REST * 2.0 ** min(self._failures - 1, 10), LONGEST_REST))
        elif again:
            self._wait(QUIET)

    async def _run(self) -> None:
        session, stop = self._session, self._stop
        loop = asyncio.get_running_loop()
        progress = WorkProgress(session, "AKM: embedding", "assets", WORTH_PROGRESS)
        reembed, self._reembed = self._reembed, None

        def work() -> EmbeddingOutcome:
            outcome = session.workspace.embed(
                reembed=reembed is not None,
                only=None if reembed is None else reembed[0],
                lazily=True,
                on_line=_log,
                on_progress=lambda done, total: progress.report(loop, done, total),
                cancelled=lambda: stop.is_set() or progress.cancelled,
            )
            if outcome.report is not None and not outcome.report.problem:
                session.workspace.retry_semantic_search()
            if not stop.is_set():
                session.workspace.prepare_search()
            return outcome

        session.workspace.embedding = True
        try:
            outcome = await self._workers.run(work)
        except StoreError as problem:
            logger.warning("%s", problem)
            return
        finally:
            session.workspace.embedding = False
            await progress.end()
        if stop.is_set():
            self._again = True
        elif outcome.report is not None and outcome.report.cancelled:
            self._refused = True
            logger.info("Embedding was cancelled; akm/reindex or a restart goes on with it.")
        elif outcome.report is not None:
            self._failures = self._failures + 1 if outcome.report.problem else 0


def _log(kind: LineKind, text: str) -> None:
    logger.log(logging.DEBUG if kind == "batch" else logging.INFO, "%s", text)
