"""Asking the full-text index: which rows match, how well, and how common a word is."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.index.answers import MatchRow
from akm_ls.index.schema import GATE_INDEX

if TYPE_CHECKING:
    import apsw

    from akm_ls.index.database import Database

COLUMN_WEIGHTS = (10.0, 5.0, 3.0, 2.0, 1.0)
"""bm25 weights of name, description, tags, hints, content (akm.md §6.1)."""
_SCORE = f"bm25(entries_fts, {', '.join(map(str, COLUMN_WEIGHTS))})"
_BEST = (
    f"SELECT rowid, {_SCORE} AS score FROM entries_fts WHERE entries_fts MATCH ?"
    " ORDER BY score, rowid LIMIT ?"
)
_BEST_AND_SOME = (
    f"WITH found AS MATERIALIZED (SELECT rowid AS id, {_SCORE} AS score"
    " FROM entries_fts WHERE entries_fts MATCH ?)"
    " SELECT id, score FROM (SELECT id, score FROM found ORDER BY score, id LIMIT ?)"
    " UNION SELECT id, score FROM found WHERE id IN (SELECT value FROM json_each(?))"
    " ORDER BY score, id"
)


_COUNTS_KEPT = 2_000


@dataclass(frozen=True, slots=True)
class Gate:
    """What a caller may see: a bundle's rows or all, of some types, not of others."""

    bundle: str | None = None
    types: frozenset[str] | None = None
    exclude_types: frozenset[str] = frozenset()
    exclude_quality: frozenset[str] = frozenset()


class Counts:
    """How many rows match an expression, kept until somebody writes: queries share their words,
    and counting a frequent one takes as long as a good part of a search."""

    def __init__(self) -> None:
        self._as_of: tuple[object, ...] | None = None
        self._known: dict[str, int] = {}

    def read(self, connection: apsw.Connection, expression: str) -> int:
        # The version tells of other connections' writes, the total of this one's.
        version = connection.execute("PRAGMA data_version").fetchone()
        as_of = (connection, version, connection.total_changes())
        if as_of != self._as_of or len(self._known) >= _COUNTS_KEPT:
            self._known.clear()
            self._as_of = as_of
        count = self._known.get(expression)
        if count is None:
            (count,) = connection.execute(
                "SELECT count(*) FROM entries_fts WHERE entries_fts MATCH ?", (expression,)
            ).fetchone() or (0,)
            self._known[expression] = count
        return count


class FullText:
    """The full-text index behind a gate. What does not pass is never ranked, nor told apart.

    An expression is FTS5 syntax; one that is not raises `StoreError`: quote every token.
    """

    def __init__(
        self,
        database: Database,
        keys: Callable[[], dict[str, int]],
        gate: Gate,
        counts: Counts | None = None,
    ) -> None:
        self._database = database
        self._keys = keys
        self._gate = gate
        self._counts = Counts() if counts is None else counts

    def match(
        self,
        expression: str,
        *,
        limit: int,
        enough: int | None = None,
        also: Collection[int] = (),
    ) -> list[MatchRow]:
        """The best ``limit`` rows, best first, ties by id.

        Args:
            enough: with so many rows among the best ``limit`` of all, nobody looks deeper for
                those that rows behind the gate stood before; ``limit`` where it is not given.
            also: ids whose rows are wanted however far behind they are, if they match.
        """
        wanted, bindings = self._conditions()
        statement = _BEST_AND_SOME if also else _BEST
        far = (json.dumps(list(also)),) if also else ()
        needed = min(limit, limit if enough is None else enough)

        def read(connection: apsw.Connection) -> list[MatchRow]:
            # Looking up the entry of every match takes longer than matching: rank first, and
            # go deeper only where other bundles or types stand before those that are wanted.
            depth = limit
            while True:
                rows = list(connection.execute(statement, (expression, depth, *far)))
                ids = json.dumps([rowid for rowid, _ in rows])
                kept = {
                    rowid
                    for (rowid,) in connection.execute(
                        f"SELECT id FROM entries INDEXED BY {GATE_INDEX}"
                        f" WHERE id IN (SELECT value FROM json_each(?)) AND {wanted}",
                        (ids, *bindings),
                    )
                }
                found = [MatchRow(rowid, score) for rowid, score in rows if rowid in kept]
                if len(found) >= needed or len(rows) < depth:
                    return found if also else found[:limit]
                depth *= 8

        return self._database.run(read)

    def ids(self) -> list[int]:
        """Every row that passes."""
        wanted, bindings = self._conditions()

        def read(connection: apsw.Connection) -> list[int]:
            rows = connection.execute(f"SELECT id FROM entries WHERE {wanted}", bindings)
            return [entry_id for (entry_id,) in rows]

        return self._database.run(read)

    def frequency(self, expression: str) -> int:
        """How many rows of the whole file match; for weighing words, never to be shown."""

        return self._database.run(lambda connection: self._counts.read(connection, expression))

    def stems(self, words: Sequence[str]) -> list[str]:
        """What the index keeps of words: their stems, folded; a word it would cut stays whole."""

        def read(connection: apsw.Connection) -> list[str]:
            connection.execute(
                "CREATE VIRTUAL TABLE IF NOT EXISTS temp.stems"
                " USING fts5(word, content='', tokenize='porter unicode61');"
                "CREATE VIRTUAL TABLE IF NOT EXISTS temp.stem_terms"
                " USING fts5vocab(temp, stems, instance)"
            )
            connection.execute("INSERT INTO temp.stems (stems) VALUES ('delete-all')")
            connection.executemany(
                "INSERT INTO temp.stems (rowid, word) VALUES (?, ?)", list(enumerate(words))
            )
            found: dict[int, list[str]] = {}
            for term, at in connection.execute("SELECT term, doc FROM temp.stem_terms"):
                found.setdefault(at, []).append(term)
            return [
                terms[0] if len(terms := found.get(at, [])) == 1 else word
                for at, word in enumerate(words)
            ]

        return self._database.run(read)

    def terms(self, first: str) -> dict[str, int]:
        """The stems that begin with a letter, of the whole file, and how many rows have each."""

        def read(connection: apsw.Connection) -> dict[str, int]:
            connection.execute(
                "CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms"
                " USING fts5vocab(main, entries_fts, row)"
            )
            return dict(
                connection.execute(
                    "SELECT term, doc FROM temp.terms WHERE term >= ? AND term < ?",
                    (first, first + "\U0010ffff"),
                )
            )

        return self._database.run(read)

    def size(self) -> int:
        """How many rows the whole file has."""

        def read(connection: apsw.Connection) -> int:
            (count,) = connection.execute("SELECT count(*) FROM entries").fetchone() or (0,)
            return int(count)

        return self._database.run(read)

    def holding(self, expression: str, ids: Collection[int]) -> set[int]:
        """Those of some rows that match."""
        wanted = json.dumps(list(ids))

        def read(connection: apsw.Connection) -> set[int]:
            return {
                entry_id
                for (entry_id,) in connection.execute(
                    # The plus: all matches in one pass, rather than a query for every id.
                    "SELECT rowid FROM entries_fts WHERE entries_fts MATCH ?"
                    " AND +rowid IN (SELECT value FROM json_each(?))",
                    (expression, wanted),
                )
            }

        return self._database.run(read)

    def _conditions(self) -> tuple[str, tuple[str, ...]]:
        """What rows of ``entries`` have to be, and the values that go with it."""
        gate = self._gate
        keys = [
            key for name, key in self._keys().items() if gate.bundle is None or name == gate.bundle
        ]
        conditions = ["bundle_key IN (SELECT value FROM json_each(?))"]
        bindings = [json.dumps(keys)]
        for column, values in (
            ("type", gate.types),
            ("type NOT", gate.exclude_types or None),
            ("quality NOT", gate.exclude_quality or None),
        ):
            if values is not None:
                conditions.append(f"{column} IN (SELECT value FROM json_each(?))")
                bindings.append(json.dumps(sorted(values)))
        return " AND ".join(conditions), tuple(bindings)
