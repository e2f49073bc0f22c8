"""What all searches of a workspace share: the embedding model's lane, and defaults of requests."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from akm_ls.embedders import EmbeddingError, EmbeddingSettings, embedder_for, model_id
from akm_ls.index.semantic_status import Readiness, readiness
from akm_ls.index.vector_counts import VectorCounts
from akm_ls.search.project import project_words
from akm_ls.search.request import SearchRequest
from akm_ls.search.semantic import SemanticIndex
from akm_ls.workspace.semantic import embedding_settings

if TYPE_CHECKING:
    from akm_ls.embedders import Embedder
    from akm_ls.index.store import Store
    from akm_ls.workspace.settings import Settings


class Searching:
    """Made anew for other settings where these say so; the model stays loaded where they do not.

    What it gives may be used by any thread, and so may `semantic`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._index: SemanticIndex | None = None
        self._of: tuple[EmbeddingSettings, bool] | None = None
        self._embedding: EmbeddingSettings | None = None
        self._settings: Settings | None = None
        self._project: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    def forget_settings(self) -> None:
        """The settings or akm's configuration may be others."""
        self._embedding = None

    def semantic(self, settings: Settings) -> SemanticIndex:
        """The lane of the configured model."""
        with self._lock:
            return self._semantic(settings)

    def _semantic(self, settings: Settings) -> SemanticIndex:
        if self._embedding is None or self._settings is not settings:
            self._settings = settings
            self._embedding = embedding_settings(settings)
        key = (self._embedding, settings.offline)
        if self._index is None or self._of != key:
            embedding, offline = key

            def open_model() -> Embedder | None:
                return embedder_for(embedding, offline=offline)

            self._index = SemanticIndex(open_model, _State(embedding, offline=offline))
            self._of = key
        return self._index

    def defaults(self, settings: Settings) -> SearchRequest:
        """What holds for a request that says nothing."""
        if self._project[0] != settings.folders:
            self._project = (settings.folders, project_words(settings.folders))
        return SearchRequest(
            plan=settings.search_plan, fusion=settings.search_fusion, project=self._project[1]
        )


class _State:
    """How far the vectors of the configured model are."""

    def __init__(self, embedding: EmbeddingSettings, *, offline: bool) -> None:
        self._embedding = embedding
        self._offline = offline
        self._model: str | None = None
        self._counts = VectorCounts()

    def __call__(self, store: Store) -> Readiness:
        is_off = self._embedding.mode == "off"
        unusable = None
        if self._model is None and not is_off:
            try:
                self._model = model_id(self._embedding, offline=self._offline)
            except EmbeddingError as error:
                unusable = str(error)
        if is_off or (self._model is None and unusable is None):
            return readiness(None, {}, 0, is_off=is_off)
        counts, size, problem = self._counts.read(store, self._model or "")
        return readiness(self._model, counts, size, unusable=unusable, problem=problem)
