"""Endpoints, time that passes at once, and what a run reported."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from akm_ls.embedders.embedder import Document, Skip, Watch
from akm_ls.embedders.remote import RemoteEmbedder
from akm_ls.embedders.settings import EmbeddingSettings

from .endpoint import DIMS, Endpoint, vector_of


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


@pytest.fixture
def other_endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


@dataclass
class Log:
    """Everything a run told its caller."""

    stored: dict[int, Any] = field(default_factory=dict)
    batches: list[tuple[int, ...]] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    waits: int = 0
    notices: list[str] = field(default_factory=list)
    go_on: Callable[[Skip], bool] = lambda skip: True
    cancelled: Callable[[], bool] = lambda: False

    @property
    def watch(self) -> Watch:
        return Watch(
            self._batch, self._skip, self._wait, self.notices.append, lambda: self.cancelled()
        )

    def _batch(self, keys: Sequence[int], vectors: Any) -> None:
        self.batches.append(tuple(keys))
        for key, vector in zip(keys, vectors, strict=True):
            self.stored[key] = vector

    def _skip(self, skip: Skip) -> bool:
        self.skips.append(skip)
        return self.go_on(skip)

    def _wait(self) -> None:
        self.waits += 1


@pytest.fixture
def log() -> Log:
    return Log()


class FastClock:
    """Sleeps last until everybody sleeps; then the first one wakes up."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._number = itertools.count()
        self._pump: asyncio.Task[None] | None = None

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, next(self._number), woken))
        if self._pump is None or self._pump.done():
            self._pump = asyncio.create_task(self._pass())
        await woken

    async def _pass(self) -> None:
        while self._sleepers:
            for _ in range(50):
                await asyncio.sleep(0)
            self.now, _, woken = heapq.heappop(self._sleepers)
            if not woken.done():
                woken.set_result(None)

    @property
    def pauses(self) -> list[float]:
        """What was slept apart from the 15 seconds between two heartbeats."""
        return [seconds for seconds in self.slept if seconds != 15.0]


Reply = Callable[["Sent"], Any]


@dataclass(frozen=True)
class Sent:
    """One request as the transport got it, and when."""

    texts: list[str]
    timeout: float
    at: float


class Scripted:
    """A transport whose answers a test decides: an exception to raise, seconds to take, or None.

    Answers come from ``reply`` if given, else in order from ``replies``; then it answers well.
    """

    def __init__(self, clock: FastClock, dims: int = DIMS) -> None:
        self.clock = clock
        self.dims = dims
        self.sent: list[Sent] = []
        self.replies: list[Any] = []
        self.reply: Reply | None = None
        self.running = self.most_running = 0
        self.closed = 0

    async def request(self, texts: Sequence[str], timeout: float) -> Any:
        sent = Sent(list(texts), timeout, self.clock.now)
        self.sent.append(sent)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            answer = self.reply(sent) if self.reply else self.replies.pop(0) if self.replies else 0
            if isinstance(answer, BaseException):
                raise answer
            await self.clock.sleep(answer or 0.001)
        finally:
            self.running -= 1
        return np.asarray([vector_of(text, self.dims) for text in texts], dtype=np.float32)

    async def close(self) -> None:
        self.closed += 1

    @property
    def sizes(self) -> list[int]:
        return [len(sent.texts) for sent in self.sent]


class Bench:
    """A remote model over a scripted transport."""

    def __init__(self) -> None:
        self.clock = FastClock()
        self.transport = Scripted(self.clock)

    def run(self, log: Log, texts: Iterable[str], **settings: Any) -> None:
        values = {"endpoint": "http://localhost/v1", "model": "m", **settings}
        embedder = RemoteEmbedder(
            EmbeddingSettings(**values), transport=lambda: self.transport, clock=self.clock
        )
        embedder.embed_documents((Document(key, text) for key, text in enumerate(texts)), log.watch)


@pytest.fixture
def bench() -> Bench:
    return Bench()
