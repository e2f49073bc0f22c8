"""What every embedding model can do, and how it reports while it does it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SkipKind = Literal["timeout", "network", "http", "malformed", "context-window-exceeded"]


class EmbeddingError(Exception):
    """A model that cannot be used at all; ``str(error)`` is one line for the user, no secrets."""


class EmbeddingCancelled(Exception):
    """The caller asked to stop. What had been handed over by then stays."""


class Document(NamedTuple):
    """One text to embed; ``key`` is the caller's."""

    key: int
    text: str


@dataclass(frozen=True, slots=True)
class Skip:
    """Documents that got no vector, and why; ``reason`` is one line without secrets."""

    keys: tuple[int, ...]
    kind: SkipKind
    reason: str

    @property
    def size(self) -> int:
        return len(self.keys)


def _ignore(*_: object) -> None:
    return None


def _go_on(skip: Skip) -> bool:
    return True


def never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Watch:
    """What a caller of `Embedder.embed_documents` is told. All calls come from its own thread."""

    on_batch: Callable[[Sequence[int], NDArray[np.float32]], None]
    """Keys, and their vectors as rows of length 1. What it raises ends the run and is raised."""
    on_skip: Callable[[Skip], bool] = _go_on
    """False: send nothing more and return. That is not an error."""
    on_wait: Callable[[], None] = _ignore
    """Called every 15 seconds of a run over the network."""
    on_notice: Callable[[str], None] = _ignore
    """One line that is worth showing."""
    cancelled: Callable[[], bool] = never


class Embedder(Protocol):
    """A model. Vectors are float32 of length 1; a text that says nothing to it gives zeros."""

    @property
    def id(self) -> str:
        """The fingerprint: two models with the same one give the same vectors."""

    @property
    def dims(self) -> int | None:
        """How long its vectors are; ``None`` until the first answer of a remote model."""

    @property
    def body_limit(self) -> int | None:
        """How many characters of a body are worth embedding; ``None``: all of them."""

    def embed_documents(self, documents: Iterable[Document], watch: Watch) -> None:
        """Embed texts, read from ``documents`` as they are needed, and hand over the vectors.

        Raises:
            EmbeddingError: the model cannot be used; batches handed over before stay valid.
            EmbeddingCancelled: ``watch.cancelled`` said so.
        """

    def embed_query(self, text: str, cancelled: Callable[[], bool] = never) -> NDArray[np.float32]:
        """The vector of a query; call it outside of every event loop.

        Raises:
            EmbeddingError: there is no answer.
            EmbeddingCancelled: ``cancelled`` said so while there was none yet.
        """
