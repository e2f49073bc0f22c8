"""A model behind an endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from akm_ls.counts import count
from akm_ls.embedders.clock import Clock, SystemClock
from akm_ls.embedders.embedder import (
    Document,
    EmbeddingCancelled,
    EmbeddingError,
    Watch,
    never,
)
from akm_ls.embedders.failures import RequestFailure
from akm_ls.embedders.http import HttpTransport, Transport
from akm_ls.embedders.remote_run import RemoteRun
from akm_ls.embedders.settings import EmbeddingSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

QUERY_TIMEOUT = 10.0
"""Seconds; a query is one short text, and somebody waits for it."""
QUERY_POLL_SECONDS = 0.05
"""How soon it is noticed that nobody waits any more."""


class RemoteEmbedder:
    """Any OpenAI-compatible endpoint, or Ollama's own.

    ``transport`` is asked for a new connection for every run and every query.
    """

    def __init__(
        self,
        settings: EmbeddingSettings,
        *,
        transport: Callable[[], Transport] | None = None,
        clock: Clock | None = None,
    ) -> None:
        """
        Raises:
            EmbeddingError: the endpoint or the key cannot be used.
        """
        self._settings = settings
        if transport is None:
            HttpTransport(settings)  # says now what is wrong with the settings
        self._transport = transport or (lambda: HttpTransport(settings))
        self._clock = clock or SystemClock()
        self._dims = settings.dimension

    @property
    def id(self) -> str:
        return self._settings.remote_id

    @property
    def dims(self) -> int | None:
        return self._dims

    @property
    def body_limit(self) -> int | None:
        return None

    def embed_documents(self, documents: Iterable[Document], watch: Watch) -> None:
        run = RemoteRun(self._settings, self._transport(), self._clock, watch, self._accept)
        asyncio.run(run.run(documents))

    def embed_query(self, text: str, cancelled: Callable[[], bool] = never) -> NDArray[np.float32]:
        timeout = min(QUERY_TIMEOUT, self._settings.timeout_ms / 1000)

        async def ask() -> NDArray[np.float32]:
            transport = self._transport()
            request = asyncio.ensure_future(transport.request([text], timeout))
            try:
                while not request.done():
                    if cancelled():
                        raise EmbeddingCancelled
                    await asyncio.wait([request], timeout=QUERY_POLL_SECONDS)
                return request.result()
            finally:
                request.cancel()
                await asyncio.gather(request, return_exceptions=True)
                await transport.close()

        try:
            vectors = asyncio.run(ask())
        except RequestFailure as failure:
            raise EmbeddingError(f"the embedding model gave no answer: {failure}") from None
        self._accept(vectors)
        query: NDArray[np.float32] = vectors[0]
        return query

    def _accept(self, vectors: NDArray[np.float32]) -> None:
        """Vectors of another length than the model's make all of them incomparable."""
        width = int(vectors.shape[1])
        if self._dims is None:
            self._dims = width
        if width != self._dims:
            if self._settings.dimension is None:
                hint = f"the ones before had {self._dims}"
            else:
                hint = f"akm.embedding.dimension says {self._dims}"
            raise EmbeddingError(
                f"{self._settings.model} answers with vectors of {count(width, 'number')}, {hint}"
            )
