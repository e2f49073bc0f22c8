"""Vectors: rows of the index, and one matrix of them in memory to search in.

The rows are the truth. The matrix is loaded when it is first needed and follows them; both the
best matches and the cosines of given entries come out of it exactly, without approximation
beyond the half precision of the rows.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from akm_ls.index.fields import EMBEDDED
from akm_ls.index.following import generation_of
from akm_ls.index.vector_index import Match
from akm_ls.index.vector_rows import VectorRows, rows_for

if TYPE_CHECKING:
    import apsw
    import numpy as np
    from numpy.typing import NDArray

    from akm_ls.index.store import Store

_STORED_TYPE = "<f2"
_STORED_BYTES = 2
_CHUNK_ROWS = 2048
_SERVED = (
    "FROM embeddings AS v JOIN entries AS e ON e.id = v.entry_id"
    " WHERE v.model = ? AND v.dim = ? AND e.bundle_key IN (SELECT value FROM json_each(?))"
    f" AND length(v.embedding) = v.dim * {_STORED_BYTES} AND {EMBEDDED}"
)
"""The rows that readers see: of the configured model, and of entries that may have a vector."""


# Rows.


def next_vector_generation(connection: apsw.Connection) -> int:
    """The number of a write transaction that changes vectors."""
    # A new file may get the inode and the numbers of the one before it.
    connection.execute("INSERT OR IGNORE INTO meta VALUES ('vectors_file', hex(randomblob(8)))")
    connection.execute(
        "INSERT INTO meta VALUES ('vectors', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1"
    )
    return vector_generation(connection)


def vector_generation(connection: apsw.Connection) -> int:
    row = connection.execute("SELECT value FROM meta WHERE key = 'vectors'").fetchone()
    return 0 if row is None else int(row[0])


def put_vectors(
    connection: apsw.Connection,
    model: str,
    targets: Sequence[tuple[int, str]],
    vectors: NDArray[np.float32],
) -> int:
    """Write vectors inside a write transaction; how many entries took theirs.

    ``targets`` are the entries' ids and the hashes of the texts the vectors were made of: an
    entry that has another text by now, or is gone, takes nothing.
    """
    generation = next_vector_generation(connection)
    dim = int(vectors.shape[1])
    before = connection.total_changes()
    connection.executemany(
        "INSERT INTO embeddings (entry_id, model, dim, embedding, generation)"
        " SELECT e.id, ?, ?, ?, ? FROM entries AS e"
        f" WHERE e.id = ? AND e.embed_hash = ? AND {EMBEDDED}"
        " ON CONFLICT (entry_id) DO UPDATE SET model = excluded.model, dim = excluded.dim,"
        " embedding = excluded.embedding, generation = excluded.generation",
        [
            (model, dim, vector.astype(_STORED_TYPE).tobytes(), generation, entry_id, embed_hash)
            for (entry_id, embed_hash), vector in zip(targets, vectors, strict=True)
        ],
    )
    return connection.total_changes() - before


def delete_vectors(connection: apsw.Connection, keys: Collection[int]) -> None:
    """Remove every vector of some bundles, whatever the model; inside a write transaction."""
    generation = next_vector_generation(connection)
    connection.execute("REPLACE INTO meta VALUES ('vectors_discarded', ?)", (generation,))
    connection.execute(
        "DELETE FROM embeddings WHERE entry_id IN (SELECT id FROM entries"
        " WHERE bundle_key IN (SELECT value FROM json_each(?)))",
        (json.dumps(list(keys)),),
    )


def rows_by_model(connection: apsw.Connection, keys: Collection[int]) -> dict[str, int]:
    """How many entries of some bundles have a vector, by model."""
    return dict(
        connection.execute(
            "SELECT v.model, count(*) FROM embeddings AS v JOIN entries AS e ON e.id = v.entry_id"
            f" WHERE e.bundle_key IN (SELECT value FROM json_each(?)) AND {EMBEDDED}"
            " GROUP BY v.model",
            (json.dumps(list(keys)),),
        )
    )


def count_embeddable(connection: apsw.Connection, keys: Collection[int]) -> int:
    """How many entries of some bundles may have a vector."""
    (count,) = connection.execute(
        "SELECT count(*) FROM entries AS e"
        f" WHERE e.bundle_key IN (SELECT value FROM json_each(?)) AND {EMBEDDED}",
        (json.dumps(list(keys)),),
    ).fetchone() or (0,)
    return int(count)


def stored_dims(connection: apsw.Connection, model: str, keys: Collection[int]) -> int | None:
    """How long most of a model's vectors are; ``None``: there are none."""
    row = connection.execute(
        "SELECT v.dim FROM embeddings AS v JOIN entries AS e ON e.id = v.entry_id"
        " WHERE v.model = ? AND e.bundle_key IN (SELECT value FROM json_each(?))"
        " GROUP BY v.dim ORDER BY count(*) DESC, v.dim LIMIT 1",
        (model, json.dumps(list(keys))),
    ).fetchone()
    return None if row is None else int(row[0])


# The matrix.


class _Place(NamedTuple):
    """What a matrix was read from. Where this differs, nothing of it can be kept."""

    file: tuple[object, str | None]
    keys: str
    dims: int | None


class Vectors:
    """A `VectorIndex` of the rows of the index file.

    `refresh` before a search brings it up to date with what any process wrote since.
    """

    def __init__(self, model: str) -> None:
        self.model = model
        self._lock = threading.Lock()
        self._place: _Place | None = None
        self._seen = (0, 0)
        self._vectors: VectorRows = rows_for(0, 0)
        self._ids: Any = None
        self._count = 0
        self._rows: dict[int, int] = {}

    def __len__(self) -> int:
        return self._count

    @property
    def dims(self) -> int | None:
        """How long the vectors are; ``None``: there are none."""
        return None if self._place is None else self._place.dims

    def refresh(self, store: Store) -> int:
        with self._lock:
            # Asked first: opening a file that took the other's place changes its identity.
            keys = json.dumps(sorted(store.keys().values()))
            return store.database.run(
                lambda connection: self._refresh(connection, store.database.identity, keys)
            )

    def search(
        self, query: NDArray[np.float32], limit: int, among: Collection[int] | None = None
    ) -> list[Match]:
        import numpy as np

        with self._lock:
            if limit <= 0 or not self._fits(query):
                return []
            if among is None:
                ids = self._ids[: self._count].copy()
                cosines = self._vectors.products(self._count, query)
            else:
                held = [entry_id for entry_id in set(among) if entry_id in self._rows]
                ids = np.asarray(held, dtype=np.int64)
                cosines = self._vectors.products_of([self._rows[it] for it in held], query)
        if len(ids) > limit:
            # Everything that ties with the last one stays, so that ids decide between them.
            least = np.partition(cosines, len(cosines) - limit)[len(cosines) - limit]
            kept = cosines >= least
            ids, cosines = ids[kept], cosines[kept]
        order = np.lexsort((ids, -cosines))[:limit]
        return list(map(Match, ids[order].tolist(), cosines[order].tolist()))

    def cosines(self, query: NDArray[np.float32], ids: Collection[int]) -> dict[int, float]:
        with self._lock:
            if not self._fits(query):
                return {}
            held = [entry_id for entry_id in dict.fromkeys(ids) if entry_id in self._rows]
            if not held:
                return {}
            found = self._vectors.products_of([self._rows[it] for it in held], query)
        return dict(zip(held, found.tolist(), strict=True))

    def _fits(self, query: NDArray[np.float32]) -> bool:
        return self._count > 0 and query.shape == (self.dims,) and bool(query.any())

    # Following the rows.

    def _refresh(self, connection: apsw.Connection, identity: object, keys: str) -> int:
        connection.execute("BEGIN")
        try:
            row = connection.execute("SELECT value FROM meta WHERE key = 'vectors_file'").fetchone()
            file = (identity, None if row is None else str(row[0]))
            seen = (generation_of(connection), vector_generation(connection))
            same_place = self._place is not None and self._place[:2] == (file, keys)
            if same_place and self._seen == seen:
                return 0
            touched = self._touched(connection) if same_place and self._count else None
            if touched is None or len(touched) > max(500, self._count // 2):
                changed = self._load(connection, file, keys)
            else:
                changed = self._follow(connection, keys, touched)
            self._seen = seen
            return changed
        finally:
            connection.execute("COMMIT")

    def _load(self, connection: apsw.Connection, file: tuple[object, str | None], keys: str) -> int:
        import numpy as np

        dims = stored_dims(connection, self.model, json.loads(keys))
        self._place = _Place(file, keys, dims)
        self._ids, self._rows, self._count = None, {}, 0
        if dims is None:
            return 0
        (count,) = connection.execute(
            f"SELECT count(*) {_SERVED}", (self.model, dims, keys)
        ).fetchone() or (0,)
        self._vectors = rows_for(count, dims)
        self._ids = np.empty(count, dtype=np.int64)
        rows = connection.execute(
            f"SELECT v.entry_id, v.embedding {_SERVED}", (self.model, dims, keys)
        )
        for chunk in _chunks(rows):
            start, self._count = self._count, self._count + len(chunk)
            self._ids[start : self._count] = [entry_id for entry_id, _ in chunk]
            self._vectors.put(start, _decoded([blob for _, blob in chunk], dims))
        self._rows = {entry_id: at for at, entry_id in enumerate(self._ids.tolist())}
        return self._count

    def _touched(self, connection: apsw.Connection) -> set[int] | None:
        """The entries that were written, embedded or deleted since the last look.

        ``None``: everything may be another.
        """
        entries, vectors = self._seen
        if connection.execute(
            "SELECT 1 FROM meta WHERE key = 'vectors_discarded' AND value > ?", (vectors,)
        ).fetchone():
            return None
        touched = {
            entry_id
            for (entry_id,) in connection.execute(
                "SELECT id FROM entries WHERE generation > ?"
                " UNION SELECT entry_id FROM embeddings WHERE generation > ?",
                (entries, vectors),
            )
        }
        if connection.execute(
            "SELECT 1 FROM tombstones WHERE generation > ? LIMIT 1", (entries,)
        ).fetchone():
            touched.update(
                entry_id
                for (entry_id,) in connection.execute(
                    "SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id FROM entries)",
                    (json.dumps(self._ids[: self._count].tolist()),),
                )
            )
        return touched

    def _follow(self, connection: apsw.Connection, keys: str, touched: Collection[int]) -> int:
        assert self._place is not None
        assert self._place.dims is not None
        dims = self._place.dims
        now: Mapping[int, bytes] = dict(
            connection.execute(
                f"SELECT v.entry_id, v.embedding {_SERVED}"
                " AND v.entry_id IN (SELECT value FROM json_each(?))",
                (self.model, dims, keys, json.dumps(list(touched))),
            )
        )
        gone = [entry_id for entry_id in touched if entry_id in self._rows and entry_id not in now]
        for entry_id in gone:
            self._drop(entry_id)
        if now:
            vectors = _decoded(list(now.values()), dims)
            self._reserve(self._count + len(now))
            for entry_id, vector in zip(now, vectors, strict=True):
                at = self._rows.get(entry_id)
                if at is None:
                    at = self._rows[entry_id] = self._count
                    self._ids[at] = entry_id
                    self._count += 1
                self._vectors.put(at, vector[None, :])
        return len(gone) + len(now)

    def _drop(self, entry_id: int) -> None:
        """Remove a row; the last one takes its place."""
        self._count -= 1
        at, last = self._rows.pop(entry_id), int(self._ids[self._count])
        if last != entry_id:
            self._ids[at] = last
            self._vectors.move(self._count, at)
            self._rows[last] = at

    def _reserve(self, rows: int) -> None:
        import numpy as np

        self._vectors.reserve(rows)
        if rows > len(self._ids):
            ids = np.empty(rows + rows // 8, dtype=np.int64)
            ids[: self._count] = self._ids[: self._count]
            self._ids = ids


def _chunks(rows: Iterator[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    import itertools

    while chunk := list(itertools.islice(rows, _CHUNK_ROWS)):
        yield chunk


def _decoded(blobs: Sequence[bytes], dims: int) -> NDArray[np.float32]:
    import numpy as np

    stored = np.frombuffer(b"".join(blobs), dtype=_STORED_TYPE)
    return stored.astype(np.float32).reshape(len(blobs), dims)
