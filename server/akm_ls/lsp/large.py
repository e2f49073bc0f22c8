"""Documents too large to be read and linted between two messages: that is done beside the loop.

Requests about such a document wait until its text has been read (`pending`); all others go on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextvars import Context
from typing import TYPE_CHECKING, Any

from akm_ls.lsp.uris import path_of
from akm_ls.lsp.work import Workers

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session

logger = logging.getLogger(__name__)

LARGE = 32_000
"""Characters from which on a document is large: what is read in ten milliseconds at worst."""
_TRIES = 2
"""How often a document is linted anew because the catalog has changed meanwhile."""


class LargeDocuments:
    """What is being read and linted in a thread of its own; lives on the event loop."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._workers = Workers(1)
        self._reading: dict[str, asyncio.Task[None]] = {}
        self._linting: dict[str, asyncio.Task[None]] = {}

    def takes(self, text: str) -> bool:
        return len(text) >= LARGE

    def read(self, uri: str) -> None:
        """Read an open document as it stands now, and again if it changes meanwhile."""
        if uri not in self._reading:
            self._reading[uri] = _detached(self._read(uri))

    def reading(self, uri: str) -> asyncio.Task[None] | None:
        """There while the text of a document is being read."""
        return self._reading.get(uri)

    def pending(self, path: str) -> asyncio.Task[None] | None:
        """What there is to wait for until the findings of a document can be had at once."""
        for uri, task in self._reading.items():
            if self._canonical(uri) == path:
                return task
        opened = self._session.workspace.documents.get(path)
        if opened is None or not self.takes(opened.text):
            return None
        if self._session.reports.known.is_known(path):
            return None
        if path not in self._linting:
            self._linting[path] = _detached(self._lint(path))
        return self._linting[path]

    async def known(self, path: str) -> None:
        """Wait until the findings of a document can be had at once."""
        while (task := self.pending(path)) is not None:
            await asyncio.wait([task])

    def close(self) -> None:
        for task in (*self._reading.values(), *self._linting.values()):
            task.cancel()
        self._workers.close()

    def _canonical(self, uri: str) -> str | None:
        path = path_of(uri)
        return None if path is None else self._session.workspace.canonical(path)

    async def _read(self, uri: str) -> None:
        session = self._session
        buffers, path = session.server.protocol.buffers, path_of(uri)
        try:
            version: int | None = None
            while path is not None and (buffer := buffers.open(uri)) is not None:
                text, version = buffer.source, buffer.version
                opened = await self._workers.run(
                    session.workspace.read_document, path, text, version
                )
                if buffers.open(uri) is not buffer:
                    continue
                session.take(opened)
                if buffer.version == version:
                    break
        except Exception:
            logger.exception("a large document could not be read")
        finally:
            self._reading.pop(uri, None)

    async def _lint(self, path: str) -> None:
        """Run the rules in a thread; what they saw of a catalog that has changed does not count."""
        workspace, known = self._session.workspace, self._session.reports.known
        try:
            for _ in range(_TRIES):
                job = known.job(path)
                if job is None:
                    return
                edition = workspace.catalog.edition
                await self._workers.run(job.run)
                if workspace.catalog.edition == edition:
                    known.take(job)
                    return
            known.of(path)
        except Exception:
            logger.exception("a large document could not be linted")
            known.of(path)
        finally:
            self._linting.pop(path, None)


def _detached(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """A task that no request's cancellation ends."""
    task: asyncio.Task[None] = Context().run(asyncio.ensure_future, work)
    return task
