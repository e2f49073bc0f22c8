"""Work-done progress of one piece of background work, begun once it is worth showing."""

from __future__ import annotations

import asyncio
import time
import uuid
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.lsp.work import CancellationToken

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session

EVERY = 0.1
"""Seconds between two reports, at least."""


class WorkProgress:
    """Made, awaited and shown on the event loop; `report` and `cancelled` are for any thread.

    Args:
        title: what is done, as the client shows it.
        unit: what is counted.
        worth: below this many of them nothing is shown, unless the client asked for it.
        token: the client's, when it sent one with its request.
    """

    def __init__(
        self,
        session: Session,
        title: str,
        unit: str,
        worth: int,
        token: lsp.ProgressToken | None = None,
    ) -> None:
        self._server = session.server
        self._title = title
        self._unit = unit
        self._worth = worth
        self._given = token is not None
        self._token: lsp.ProgressToken = token if token is not None else f"akm-{uuid.uuid4()}"
        self._offered = self._given or session.client.progress
        self._begun: asyncio.Task[None] | None = None
        self._shown = 0.0
        self._latest = (0, 0)
        self._cancelled = CancellationToken()

    @property
    def cancelled(self) -> bool:
        if not self._cancelled.cancelled:
            future = self._server.work_done_progress.tokens.get(self._token)
            if future is not None and future.cancelled():
                self._cancelled.cancel()
        return self._cancelled.cancelled

    def report(self, loop: asyncio.AbstractEventLoop, done: int, total: int) -> None:
        """So much is done; shown at most ten times a second."""
        now = time.monotonic()
        if not self._offered or (total < self._worth and not self._given):
            return
        if now - self._shown >= EVERY:
            self._shown = now
            loop.call_soon_threadsafe(self._show, done, total)

    def _show(self, done: int, total: int) -> None:
        self._latest = (done, total)
        if self._begun is None:
            self._begun = asyncio.get_running_loop().create_task(self._begin())
        elif self._begun.done() and not self._begun.cancelled():
            self._tell()

    def _tell(self) -> None:
        done, total = self._latest
        self._server.work_done_progress.report(
            self._token,
            lsp.WorkDoneProgressReport(
                message=f"{done:,}/{total:,} {self._unit}",
                percentage=100 * done // total if total else 0,
                cancellable=True,
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
            lsp.WorkDoneProgressBegin(title=self._title, percentage=0, cancellable=True),
        )
        self._tell()

    async def end(self) -> None:
        if self._begun is None:
            return
        await self._begun
        if self._offered:
            self._server.work_done_progress.end(self._token, lsp.WorkDoneProgressEnd())
