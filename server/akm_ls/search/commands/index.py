"""Ranking commands for a query: weighted full text, a model's second opinion, fused by rank."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import apsw

from akm_ls.documents.redaction import redact
from akm_ls.embedders.embedder import Document, EmbeddingCancelled, EmbeddingError, Watch
from akm_ls.search.commands.document import CommandDoc

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from akm_ls.embedders.embedder import Embedder

RRF_K = 60
"""Damping: a good place in one ranking is not drowned by the long tail of the other."""
WEIGHTS = (8, 6, 4, 1)
"""Of key and name, aliases, description, help."""
DEFAULT_LIMIT = 20
MAX_TERMS = 32
MAX_QUERY_CHARS = 1_000

FindMode = Literal["hybrid", "lexical", "overlap"]
_TERM = re.compile(r"\w+")
_TABLE = (
    "CREATE VIRTUAL TABLE commands USING fts5(key_and_name, aliases, description, help,"
    " tokenize = 'porter unicode61 remove_diacritics 2')"
)


@dataclass(frozen=True, slots=True)
class CommandHit:
    """One ranked command; ranks are 0-based. ``semantic_rank`` is among all commands."""

    doc: CommandDoc
    rank: int
    score: float
    lexical_rank: int
    semantic_rank: int | None = None

    @property
    def command_key(self) -> str:
        return self.doc.key


def terms_of(query: str) -> tuple[str, ...]:
    """The distinct words of a query, folded, of two characters and more."""
    words = (word.lower() for word in _TERM.findall(query[:MAX_QUERY_CHARS]))
    return tuple(dict.fromkeys(word for word in words if len(word) > 1))[:MAX_TERMS]


class CommandIndex:
    """Commands in memory, searchable. Not thread-safe.

    What matches is decided by words alone; an embedder only gives the matches a second order, by
    their place among *all* commands. Without one the order is exactly that of the words; without
    full-text search, that of how many words a command has. `search` never raises.

    Args:
        embedder: a model whose vectors of all commands are made on the first search; if it
            refuses once, it is left alone.
    """

    def __init__(
        self, docs: Iterable[CommandDoc] = (), *, embedder: Embedder | None = None
    ) -> None:
        self._docs: dict[int, CommandDoc] = {}
        self._rows: dict[str, int] = {}
        self._next = 1
        self._vectors: dict[int, NDArray[np.float32]] = {}
        self._embedder = embedder
        self.degraded: tuple[str, ...] = ()
        """Why a search was less than it could be: the last one's reasons."""
        self._connection: apsw.Connection | None = None
        try:
            self._connection = apsw.Connection(":memory:")
            self._connection.execute(_TABLE)
        except apsw.Error:
            self._connection = None
        self.put(docs)

    def __len__(self) -> int:
        return len(self._docs)

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._rows)

    def get(self, key: str) -> CommandDoc:
        """Raises: KeyError: there is no such command."""
        return self._docs[self._rows[key]]

    def put(self, docs: Iterable[CommandDoc]) -> None:
        """Add commands; one whose key is known takes its place."""
        docs = list(docs)
        self.drop(doc.key for doc in docs)
        first = self._next
        for doc in docs:
            self._docs[self._next] = doc
            self._rows[doc.key] = self._next
            self._next += 1
        if self._connection is not None:
            rows = ((first + at, *doc.columns) for at, doc in enumerate(docs))
            with self._connection:
                self._connection.executemany(
                    "INSERT INTO commands(rowid, key_and_name, aliases, description, help)"
                    " VALUES (?, ?, ?, ?, ?)",
                    rows,
                )

    def drop(self, keys: Iterable[str]) -> None:
        rows = [row for key in keys if (row := self._rows.pop(key, None)) is not None]
        for row in rows:
            del self._docs[row]
            self._vectors.pop(row, None)
        if rows and self._connection is not None:
            with self._connection:
                self._connection.executemany(
                    "DELETE FROM commands WHERE rowid = ?", ((row,) for row in rows)
                )

    def search(
        self,
        query: str,
        *,
        limit: int = DEFAULT_LIMIT,
        allowed: frozenset[str] | None = None,
    ) -> tuple[CommandHit, ...]:
        """The best commands for a query, or none for a query without words.

        Args:
            allowed: the keys that may be found; what is not among them counts for nothing.
        """
        return self.ranked(query, limit=limit, allowed=allowed)[1]

    def ranked(
        self,
        query: str,
        *,
        limit: int = DEFAULT_LIMIT,
        allowed: frozenset[str] | None = None,
    ) -> tuple[FindMode, tuple[CommandHit, ...]]:
        """`search`, with how it was done."""
        self.degraded = ()
        terms = terms_of(query)
        if not terms or limit <= 0 or not self._docs:
            return "lexical", ()
        mode, rows = self._lexical(terms)
        if allowed is not None:
            rows = [row for row in rows if self._docs[row].key in allowed]
        semantic = self._semantic(query, allowed) if rows else None
        if semantic is None:
            hits = [
                CommandHit(self._docs[row], rank, 1 / (RRF_K + rank + 1), rank)
                for rank, row in enumerate(rows[:limit])
            ]
            return mode, tuple(hits)
        fused = sorted(
            (
                (
                    -(1 / (RRF_K + rank + 1) + 1 / (RRF_K + semantic[row] + 1)),
                    rank,
                    self._docs[row].key,
                    row,
                )
                for rank, row in enumerate(rows)
            )
        )
        return "hybrid", tuple(
            CommandHit(self._docs[row], at, -score, rank, semantic[row])
            for at, (score, rank, _, row) in enumerate(fused[:limit])
        )

    def _lexical(self, terms: Sequence[str]) -> tuple[FindMode, list[int]]:
        """The matching rows, best first."""
        if self._connection is not None:
            expression = " OR ".join(f'"{term}"' for term in terms)
            weights = ", ".join(map(str, WEIGHTS))
            try:
                found: list[Any] = self._connection.execute(
                    "SELECT rowid FROM commands WHERE commands MATCH ?"
                    f" ORDER BY bm25(commands, {weights}), rowid",
                    (expression,),
                ).fetchall()
                return "lexical", [int(row[0]) for row in found]
            except apsw.Error as problem:
                self.degraded += (f"full-text search failed: {problem}",)
        else:
            self.degraded += ("full-text search is not there",)
        return "overlap", self._overlapping(terms)

    def _overlapping(self, terms: Sequence[str]) -> list[int]:
        counts: Counter[int] = Counter()
        for row, doc in self._docs.items():
            words = set(_TERM.findall(doc.combined_text.lower()))
            if found := sum(1 for term in terms if term in words):
                counts[row] = found
        return sorted(counts, key=lambda row: (-counts[row], row))

    def _semantic(self, query: str, allowed: frozenset[str] | None) -> dict[int, int] | None:
        """Each row's place by likeness to the query; ``None`` without a model that answers."""
        if self._embedder is None:
            return None
        try:
            self._embed_missing(self._embedder)
            import numpy as np

            rows = [
                row
                for row, doc in self._docs.items()
                if row in self._vectors and (allowed is None or doc.key in allowed)
            ]
            asked = self._embedder.embed_query(redact(query).text)
            if not rows or not np.any(asked):
                return None
            likeness = np.stack([self._vectors[row] for row in rows]) @ asked
            order = np.argsort(-likeness, kind="stable")
        except Exception as problem:
            # A second opinion is no reason to fail; and it would be the same next time.
            self._embedder = None
            reason = str(problem) if isinstance(problem, EmbeddingError) else "it failed"
            self.degraded += (f"the embedding model is not used: {reason}",)
            return None
        places = {rows[index]: place for place, index in enumerate(order.tolist())}
        # What the model has no vector for comes after everything it has one for.
        return {row: places.get(row, len(rows)) for row in self._docs}

    def _embed_missing(self, embedder: Embedder) -> None:
        missing = [
            Document(row, redact(doc.combined_text).text)
            for row, doc in self._docs.items()
            if row not in self._vectors
        ]
        if not missing:
            return

        def take(keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
            self._vectors.update(zip(keys, vectors, strict=True))

        try:
            embedder.embed_documents(missing, Watch(on_batch=take))
        except EmbeddingCancelled as problem:
            raise EmbeddingError("it was stopped") from problem
