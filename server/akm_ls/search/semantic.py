"""The semantic lane: one model, its vectors, and why there is nothing to be had from them."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from akm_ls.counts import count
from akm_ls.documents.redaction import redact
from akm_ls.embedders import EmbeddingCancelled, EmbeddingError
from akm_ls.index.semantic_status import NO_MODEL, Readiness
from akm_ls.index.store import StoreError
from akm_ls.search.library import Cancelled, never_cancelled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from akm_ls.index.store import Store
    from akm_ls.index.vector_index import Match, VectorIndex

NOT_CONFIGURED = Readiness("off", None, 0, 0, NO_MODEL)
KEPT_QUERIES = 64
REST_SECONDS = 30.0
"""How long a model that failed is left alone: every search would wait for it otherwise."""


class QueryModel(Protocol):
    """The part of an `Embedder` that searching needs."""

    @property
    def id(self) -> str: ...

    def embed_query(
        self, text: str, cancelled: Callable[[], bool] = ...
    ) -> NDArray[np.float32]: ...


class Unavailable(Exception):
    """The lane has no answer; ``str(error)`` says why, in one line."""


@dataclass(frozen=True, slots=True)
class Lane:
    """The lane for one query; call it from the thread that owns the store."""

    vectors: VectorIndex
    query: NDArray[np.float32]

    def nearest(self, limit: int, among: Collection[int] | None = None) -> list[Match]:
        return self.vectors.search(self.query, limit, among)

    def cosines(self, ids: Collection[int]) -> dict[int, float]:
        return self.vectors.cosines(self.query, ids)


def _vectors_of_the_index(model: str) -> VectorIndex:
    from akm_ls.index.vectors import Vectors

    return Vectors(model)


class SemanticIndex:
    """Shared by all searches of a workspace, from any thread; one configuration for its life.

    Nothing is loaded before the first query that wants it: numpy, model and matrix come then.

    Args:
        open_model: loads the configured model, ``None``: there is none; may raise
            `EmbeddingError`.
        state: how far the vectors of a store's bundles are; asked for every search.
        open_vectors: the vectors of a model, by its id; those of the index file unless given.
    """

    def __init__(
        self,
        open_model: Callable[[], QueryModel | None],
        state: Callable[[Store], Readiness],
        *,
        open_vectors: Callable[[str], VectorIndex] = _vectors_of_the_index,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open_model = open_model
        self._open_vectors = open_vectors
        self._state = state
        self._clock = clock
        self._lock = threading.Lock()
        self._model: QueryModel | None = None
        self._vectors: VectorIndex | None = None
        self._queries: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._failure: tuple[float, str] | None = None

    def state(self, store: Store | None) -> Readiness:
        """The state of semantic search for the bundles of a store. Never raises."""
        if store is None:
            return Readiness("blocked", None, 0, 0, "the index cannot be used")
        try:
            return self._state(store)
        except StoreError as error:
            return Readiness("blocked", None, 0, 0, str(error))

    def forget_failure(self) -> None:
        """The model works, or somebody wants it tried: ask it again with the next query."""
        self._failure = None

    def prepare(self, store: Store) -> None:
        """Load what the first search would load, so that it need not wait; never raises."""
        with contextlib.suppress(Unavailable, StoreError):
            with self._lock:
                _, vectors = self._opened()
            vectors.refresh(store)

    def lane(
        self,
        store: Store,
        readiness: Readiness,
        text: str,
        cancelled: Callable[[], bool] = never_cancelled,
    ) -> Lane:
        """The lane for a query.

        Raises:
            Unavailable: the model fails, or says nothing to these words.
            Cancelled: nobody wants the answer any more; an endpoint may take its time.
        """
        if not readiness.is_usable:
            raise Unavailable(readiness.reason or "there are no vectors yet")
        with self._lock:
            model, vectors = self._opened()
        query = self._embedded(model, text, cancelled)
        try:
            vectors.refresh(store)
        except StoreError as error:
            raise Unavailable(str(error)) from None
        if not query.any():
            raise Unavailable("the embedding model knows none of these words")
        if query.shape != (vectors.dims,):
            raise Unavailable(
                f"the model answers with vectors of {count(len(query), 'number')}, and those in the"
                f" index have {vectors.dims}"
            )
        return Lane(vectors, query)

    def _opened(self) -> tuple[QueryModel, VectorIndex]:
        failure = self._failure
        if failure is not None:
            since, reason = failure
            if self._clock() - since < REST_SECONDS:
                raise Unavailable(reason)
            self._failure = None
        if self._model is None or self._vectors is None:
            try:
                self._model = self._open_model()
            except EmbeddingError as error:
                raise self._failed(str(error)) from None
            except ImportError as error:
                raise self._failed(f"{error.name or 'a package'} is not installed") from None
            if self._model is None:
                raise Unavailable(NO_MODEL)
            self._vectors = self._open_vectors(self._model.id)
        return self._model, self._vectors

    def _embedded(
        self, model: QueryModel, text: str, cancelled: Callable[[], bool]
    ) -> NDArray[np.float32]:
        text = redact(text).text
        with self._lock:
            known = self._queries.get(text)
            if known is not None:
                self._queries.move_to_end(text)
                return known
        # An endpoint takes its time: other searches go on meanwhile.
        try:
            if cancelled is never_cancelled:
                query = model.embed_query(text)
            else:
                query = model.embed_query(text, cancelled)
        except EmbeddingCancelled:
            raise Cancelled from None
        except EmbeddingError as error:
            raise self._failed(str(error)) from None
        with self._lock:
            self._queries[text] = query
            while len(self._queries) > KEPT_QUERIES:
                self._queries.popitem(last=False)
        return query

    def _failed(self, reason: str) -> Unavailable:
        self._failure = (self._clock(), reason)
        return Unavailable(reason)
