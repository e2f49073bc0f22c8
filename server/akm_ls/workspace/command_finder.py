"""The finder of commands that goes with a workspace's settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from akm_ls.embedders.choice import embedder_for
from akm_ls.embedders.embedder import Document, Embedder, EmbeddingError, Watch, never
from akm_ls.search.commands import CommandFinder

if TYPE_CHECKING:
    from akm_ls.embedders.settings import EmbeddingSettings
    from akm_ls.workspace.settings import Settings


class FinderOfSettings:
    """Keeps one `CommandFinder`; a new one when the embedding settings are others."""

    def __init__(self) -> None:
        self._embedding: EmbeddingSettings | None = None
        self._finder: CommandFinder | None = None

    def for_settings(self, settings: Settings) -> CommandFinder:
        if self._finder is None or self._embedding != settings.embedding:
            self._embedding = settings.embedding
            self._finder = CommandFinder(embedder=_local_model(settings.embedding))
        return self._finder


def _local_model(settings: EmbeddingSettings) -> Embedder | None:
    """A model on this machine. An endpoint is not asked: every command would be sent to it."""
    if settings.mode == "off" or settings.kind != "local":
        return None
    return _OnDemand(settings)


class _OnDemand:
    """A model that is read when it is first used, in the thread that uses it."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        self._settings = settings
        self._embedder: Embedder | None = None

    @property
    def _model(self) -> Embedder:
        if self._embedder is None:
            self._embedder = embedder_for(self._settings)
        if self._embedder is None:
            raise EmbeddingError("there is no embedding model")
        return self._embedder

    @property
    def id(self) -> str:
        return self._model.id

    @property
    def dims(self) -> int | None:
        return self._model.dims

    @property
    def body_limit(self) -> int | None:
        return self._model.body_limit

    def embed_documents(self, documents: Iterable[Document], watch: Watch) -> None:
        self._model.embed_documents(documents, watch)

    def embed_query(self, text: str, cancelled: Callable[[], bool] = never) -> Any:
        return self._model.embed_query(text, cancelled)
