"""Slow work beside the event loop, and how it learns that nobody wants its result any more."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Callable, Coroutine, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


logger = logging.getLogger(__name__)

handled_method: ContextVar[str] = ContextVar("handled_method", default="")
"""The method of the message that is being handled."""
AT_ONCE = 0.010
"""Seconds that something may hold the event loop: longer, and typing is felt to stick."""


@contextlib.contextmanager
def holding_the_loop(what: str) -> Iterator[None]:
    """Name ``what`` in the log, for debugging, if it holds the event loop for too long."""
    begun, worked = time.perf_counter(), time.thread_time()
    try:
        yield
    finally:
        took = time.perf_counter() - begun
        if took > AT_ONCE:
            own = time.thread_time() - worked
            logger.debug(
                "%s held the event loop for %.0f ms, at work for %.0f of them",
                what,
                took * 1000,
                own * 1000,
            )


def name_tasks_that_hold(loop: asyncio.AbstractEventLoop) -> None:
    """Have `holding_the_loop` watch every step of every task, if somebody reads the debug log."""
    if not logger.isEnabledFor(logging.DEBUG):
        return

    def watched(
        loop: asyncio.AbstractEventLoop, coro: Coroutine[Any, Any, T], **options: Any
    ) -> asyncio.Task[T]:
        return asyncio.Task(_Watched(coro), loop=loop, **options)

    loop.set_task_factory(watched)  # type: ignore[arg-type]


class _Watched(Coroutine[Any, Any, T]):
    """A coroutine whose steps are timed."""

    def __init__(self, inner: Coroutine[Any, Any, T]) -> None:
        self._inner = inner
        self._name = handled_method.get() or str(getattr(inner, "__qualname__", inner))

    def send(self, value: Any, /) -> Any:
        with holding_the_loop(self._name):
            return self._inner.send(value)

    def throw(self, *error: Any) -> Any:
        with holding_the_loop(self._name):
            return self._inner.throw(*error)

    def close(self) -> None:
        self._inner.close()

    def __await__(self) -> Generator[Any, None, T]:
        return self._inner.__await__()


class Cancelled(Exception):
    """The client cancelled the request; it is answered with -32800."""


class CancellationToken:
    """Whether a request was cancelled. Set by the reader thread the moment the client says so,
    even while the event loop is busy."""

    __slots__ = ("_cancelled", "tasks")

    def __init__(self) -> None:
        self._cancelled = False
        self.tasks: set[asyncio.Future[object]] = set()
        """What runs on the event loop for the request; touched only there."""

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        self._cancelled = True

    def raise_if_cancelled(self) -> None:
        """
        Raises:
            Cancelled: the request was cancelled.
        """
        if self._cancelled:
            raise Cancelled


_NEVER = CancellationToken()
request_token: ContextVar[CancellationToken] = ContextVar("request_token", default=_NEVER)


def cancellation() -> CancellationToken:
    """The token of the request being handled, in its handler and in what `Workers.run` runs for
    it; outside a request one that is never cancelled."""
    return request_token.get()


class Workers:
    """The threads for work of more than a few milliseconds.

    Reading the client never depends on them: with every one busy, messages still come in.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or min(4, max(2, os.cpu_count() or 1))
        self._pool: ThreadPoolExecutor | None = None

    async def run(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``function`` in a worker thread and await its result.

        Cancelling the request drops ``function`` while it is queued; once it runs, it goes on
        until it looks at `cancellation()`. The awaiting handler is released at once either way.
        """
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="akm-ls-worker")
        context, token = copy_context(), cancellation()

        def call() -> T:
            token.raise_if_cancelled()
            return context.run(function, *args, **kwargs)

        return await asyncio.wrap_future(self._pool.submit(call))

    def close(self) -> None:
        """Drop what is queued; running work is not waited for."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
