"""How far the vectors of a workspace's bundles are, counted no more often than they change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from akm_ls.index.following import generation_of
from akm_ls.index.semantic_status import noted_problem
from akm_ls.index.vectors import count_embeddable, rows_by_model, vector_generation

if TYPE_CHECKING:
    import apsw

    from akm_ls.index.store import Store


class VectorCounts:
    """Rows by model and entries to embed; kept until the index or its vectors are others."""

    def __init__(self) -> None:
        self._counted: tuple[object, Mapping[str, int], int] | None = None

    def read(self, store: Store, model: str) -> tuple[Mapping[str, int], int, str | None]:
        """Vectors by model, entries that want one, and what stopped the model's last run."""
        keys = list(store.keys().values())

        def read(connection: apsw.Connection) -> tuple[Mapping[str, int], int, str | None]:
            generations = (generation_of(connection), vector_generation(connection))
            mark = (store.database.identity, tuple(keys), generations)
            if self._counted is None or self._counted[0] != mark:
                rows = rows_by_model(connection, keys)
                self._counted = (mark, rows, count_embeddable(connection, keys))
            _, counts, size = self._counted
            return counts, size, noted_problem(connection, model)

        return store.database.run(read)
