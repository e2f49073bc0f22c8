"""What searching wants of vectors, wherever they are kept."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from akm_ls.index.store import Store


class Match(NamedTuple):
    """An entry, and how near it is: from -1 to 1."""

    entry_id: int
    cosine: float


class VectorIndex(Protocol):
    """The vectors of one model. Answers are of the entries of the store it was refreshed with.

    Several threads may use it, each with a store of its own. `vectors.Vectors` is the one there
    is: rows in the index file, one matrix in memory. What it answers with is all that a search
    knows of vectors, so another one changes no result's shape.
    """

    @property
    def dims(self) -> int | None:
        """How long the vectors are; ``None``: there are none."""

    def __len__(self) -> int: ...

    def refresh(self, store: Store) -> int:
        """Take over what has changed; how many vectors that were.

        Raises:
            StoreError: the index file cannot be used.
        """

    def search(
        self, query: NDArray[np.float32], limit: int, among: Collection[int] | None = None
    ) -> list[Match]:
        """The ``limit`` nearest entries, of all or of those with the ids ``among``.

        Best first, ties by id; nothing for a query without a direction or of another length.
        """

    def cosines(self, query: NDArray[np.float32], ids: Collection[int]) -> dict[int, float]:
        """The cosine of every one of some entries that has a vector."""
