"""How vectors lie in memory: as they are, or in half the space where there are many.

All vectors have length 1. Numbers of 16 bits with one factor a row are nearer to the vector than
the half precision that it is stored in; reading them takes half as long again as plain floats.
numpy's own half precision would take ten times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MANY = 50_000
"""More vectors than this lie in half the space."""
_BLOCK = 4096
_TOP = 32_767


class VectorRows(Protocol):
    """A table of vectors that grows. Rows are counted from 0."""

    def put(self, at: int, vectors: NDArray[np.float32]) -> None:
        """Write some rows, the first one at ``at``; there is room for them."""

    def move(self, source: int, target: int) -> None:
        """Write one row over another."""

    def reserve(self, rows: int) -> None:
        """Make room for so many rows."""

    def products(self, count: int, query: NDArray[np.float32]) -> NDArray[np.float32]:
        """The first ``count`` rows' products with a vector."""

    def products_of(self, rows: Sequence[int], query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Some rows' products with a vector: the same numbers as those of `products`."""


def rows_for(count: int, dims: int) -> VectorRows:
    """Room for ``count`` vectors, in the layout that suits so many."""
    return CompactRows(count, dims) if count > MANY else PlainRows(count, dims)


class PlainRows:
    """Four bytes a number."""

    def __init__(self, count: int, dims: int) -> None:
        import numpy as np

        self._matrix = np.empty((count, dims), dtype=np.float32)

    def put(self, at: int, vectors: NDArray[np.float32]) -> None:
        self._matrix[at : at + len(vectors)] = vectors

    def move(self, source: int, target: int) -> None:
        self._matrix[target] = self._matrix[source]

    def reserve(self, rows: int) -> None:
        self._matrix = _grown(self._matrix, rows)

    def products(self, count: int, query: NDArray[np.float32]) -> NDArray[np.float32]:
        return _products(self._matrix[:count], query)

    def products_of(self, rows: Sequence[int], query: NDArray[np.float32]) -> NDArray[np.float32]:
        return _products(self._matrix[rows], query)


class CompactRows:
    """Two bytes a number, which is a share of the greatest one of its row."""

    def __init__(self, count: int, dims: int) -> None:
        import numpy as np

        self._matrix = np.empty((count, dims), dtype=np.int16)
        self._factors = np.empty(count, dtype=np.float32)

    def put(self, at: int, vectors: NDArray[np.float32]) -> None:
        import numpy as np

        greatest = np.abs(vectors).max(axis=1, initial=0.0)
        factors = np.where(greatest > 0, greatest, 1.0) / np.float32(_TOP)
        self._matrix[at : at + len(vectors)] = np.rint(vectors / factors[:, None])
        self._factors[at : at + len(vectors)] = factors

    def move(self, source: int, target: int) -> None:
        self._matrix[target] = self._matrix[source]
        self._factors[target] = self._factors[source]

    def reserve(self, rows: int) -> None:
        self._matrix = _grown(self._matrix, rows)
        self._factors = _grown(self._factors, rows)

    def products(self, count: int, query: NDArray[np.float32]) -> NDArray[np.float32]:
        import numpy as np

        found = np.empty(count, dtype=np.float32)
        block = np.empty((min(_BLOCK, count), self._matrix.shape[1]), dtype=np.float32)
        for start in range(0, count, _BLOCK):
            end = min(start + _BLOCK, count)
            part = block[: end - start]
            part[...] = self._matrix[start:end]
            found[start:end] = _products(part, query)
        found *= self._factors[:count]
        return found

    def products_of(self, rows: Sequence[int], query: NDArray[np.float32]) -> NDArray[np.float32]:
        import numpy as np

        found = _products(self._matrix[rows].astype(np.float32), query)
        found *= self._factors[rows]
        return found


def _grown(array: Any, rows: int) -> Any:
    import numpy as np

    if rows <= len(array):
        return array
    larger = np.empty((rows + rows // 8, *array.shape[1:]), dtype=array.dtype)
    larger[: len(array)] = array
    return larger


def _products(matrix: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Every row's product with a vector.

    Not ``@``: that wakes up BLAS's threads, which on a busy machine wait for one another ten times
    as long as the work takes.
    """
    import numpy as np

    products: NDArray[np.float32] = np.einsum("ij,j->i", matrix, query)
    return products
