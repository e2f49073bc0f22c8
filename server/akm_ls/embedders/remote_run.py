"""One run over many documents: several requests at once, and what happens to those that fail.

The rules are those of akm.md §9.6: what is too long for the endpoint is halved; what takes too
long is asked again once, then halved; anything else loses its batch. Whether to go on after a
loss is for the caller to say.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from akm_ls.embedders.batching import Batch, Batcher, scaled_timeout
from akm_ls.embedders.clock import Clock
from akm_ls.embedders.embedder import Document, EmbeddingCancelled, Skip, SkipKind, Watch
from akm_ls.embedders.failures import Busy, ContextExceeded, RequestFailure, RequestTimeout
from akm_ls.embedders.http import Transport
from akm_ls.embedders.settings import EmbeddingSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HEARTBEAT_SECONDS = 15.0
FIRST_BACKOFF = 5.0
LONGEST_BACKOFF = 60.0
BUSY_ATTEMPTS = 5
CANCEL_POLL_SECONDS = 0.1


def backoff(attempt: int) -> float:
    """Seconds to wait before attempt number ``attempt`` + 2: 5, doubling, at most 60."""
    return min(FIRST_BACKOFF * 2.0 ** min(attempt, 10), LONGEST_BACKOFF)


class RemoteRun:
    """Used once. ``accept`` looks at every answer and may end the run by raising."""

    def __init__(
        self,
        settings: EmbeddingSettings,
        transport: Transport,
        clock: Clock,
        watch: Watch,
        accept: Callable[[NDArray[np.float32]], None],
    ) -> None:
        self._settings = settings
        self._transport = transport
        self._clock = clock
        self._watch = watch
        self._accept = accept
        self._stopped = False
        self._batcher = Batcher((), 0, 1, 1)

    async def run(self, documents: Iterable[Document]) -> None:
        """
        Raises:
            EmbeddingError: asking on is of no use.
            EmbeddingCancelled: the caller said so.
        """
        settings = self._settings
        self._batcher = Batcher(
            documents, settings.max_tokens, settings.batch_size, settings.max_input_tokens
        )
        senders = [asyncio.create_task(self._send_all()) for _ in range(self._width())]
        others = [
            asyncio.create_task(self._beat()),
            asyncio.create_task(self._listen_for_cancel()),
        ]
        try:
            await self._first_end(senders, others[1])
        finally:
            for task in (*senders, *others):
                task.cancel()
            await asyncio.gather(*senders, *others, return_exceptions=True)
            await self._transport.close()

    def _width(self) -> int:
        return self._settings.effective_concurrency

    async def _first_end(
        self, senders: list[asyncio.Task[None]], cancel: asyncio.Task[None]
    ) -> None:
        """Wait for all senders, or for the first error, or for the caller's wish to stop."""
        waiting: set[asyncio.Task[None]] = set(senders)
        while waiting:
            done, _ = await asyncio.wait({*waiting, cancel}, return_when=asyncio.FIRST_COMPLETED)
            waiting -= done
            for task in done:
                task.result()
            if self._stopped:
                return  # what is still on its way is given up with the rest
        if self._watch.cancelled():
            raise EmbeddingCancelled

    async def _beat(self) -> None:
        while True:
            await self._clock.sleep(HEARTBEAT_SECONDS)
            self._watch.on_wait()

    async def _listen_for_cancel(self) -> None:
        # In real time: the one who waits for the end is a person.
        while not self._watch.cancelled():  # noqa: ASYNC110 (the caller has no event to wait for)
            await asyncio.sleep(CANCEL_POLL_SECONDS)
        raise EmbeddingCancelled

    async def _send_all(self) -> None:
        while not self._stopped:
            if self._watch.cancelled():
                raise EmbeddingCancelled
            batch = self._batcher.take()
            if batch is None:
                return
            if batch.tokens > self._batcher.budget:
                self._skip(
                    batch,
                    "context-window-exceeded",
                    f"its estimated {batch.tokens} tokens exceed the request budget of"
                    f" {self._batcher.budget}",
                )
                continue
            await self._send(batch)

    async def _send(self, batch: Batch) -> None:
        """Send a batch, in smaller and smaller parts where it has to be."""
        parts = [batch]
        while parts and not self._stopped:
            part = parts.pop()
            try:
                vectors = await self._ask(part)
            except (ContextExceeded, RequestTimeout) as failure:
                if isinstance(failure, ContextExceeded):
                    self._shrink()
                if len(part.documents) > 1:
                    first, second = part.halves()
                    parts += (second, first)
                else:
                    self._skip(part, failure.kind, str(failure))
            except RequestFailure as failure:
                self._skip(part, failure.kind, str(failure))
            else:
                self._accept(vectors)
                self._watch.on_batch(part.keys, vectors)

    async def _ask(self, batch: Batch) -> NDArray[np.float32]:
        """One request, once more after a time-out, and as often as it takes where it is to wait.

        After a time-out the endpoint still computes what nobody waits for any more: give it time.
        """
        timeout = scaled_timeout(self._settings.timeout_ms, batch.tokens, self._settings.max_tokens)
        timeouts = busy = 0
        while True:
            try:
                return await self._transport.request(batch.texts, timeout)
            except RequestTimeout:
                if timeouts:
                    raise
                await self._clock.sleep(backoff(timeouts))
                timeouts += 1
            except Busy as failure:
                busy += 1
                asked = failure.retry_after
                if busy >= BUSY_ATTEMPTS or (asked or 0) > LONGEST_BACKOFF:
                    raise
                await self._clock.sleep(backoff(busy - 1) if asked is None else asked)

    def _shrink(self) -> None:
        budget = self._batcher.shrink()
        if budget is not None:
            self._watch.on_notice(
                f"The endpoint takes less than was sent: the request budget is {budget} tokens now."
            )

    def _skip(self, batch: Batch, kind: SkipKind, reason: str) -> None:
        if not self._watch.on_skip(Skip(batch.keys, kind, reason)):
            self._stopped = True
            self._batcher.close()
