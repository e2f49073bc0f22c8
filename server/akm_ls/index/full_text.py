"""Asking the full-text index: which rows match, how well, and how common a word is."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from operator import itemgetter
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
# What is wanted anyway stands before the best: one pass over the matches finds both.
_SOME_AND_BEST = (
    f"SELECT rowid, {_SCORE} AS score FROM entries_fts WHERE entries_fts MATCH ?"
    " ORDER BY iif(+rowid IN (SELECT value FROM json_each(?)), -1e999, score), rowid LIMIT ?"
)


_COUNTS_KEPT = 2_000
_GATES_KEPT = 4
_IDS_KEPT = 2_000_000


@dataclass(frozen=True, slots=True)
class Gate:
    """What a caller may see: a bundle's rows or all, of some types, not of others."""

    bundle: str | None = None
    types: frozenset[str] | None = None
    exclude_types: frozenset[str] = frozenset()
    exclude_quality: frozenset[str] = frozenset()


class Known:
    """What is kept of earlier answers until somebody writes: queries share their words and much of
    what they find.

    Counting a frequent word, and asking of hundreds of rows whether they may be seen, take as long
    as a good part of a search.
    """

    def __init__(self) -> None:
        self._as_of: tuple[object, ...] | None = None
        self._size: int | None = None
        self._counts: dict[str, int] = {}
        self._gates: dict[tuple[str, ...], bytearray] = {}

    def count(self, connection: apsw.Connection, expression: str) -> int:
        """How many rows match."""
        self._follow(connection)
        if len(self._counts) >= _COUNTS_KEPT:
            self._counts.clear()
        count = self._counts.get(expression)
        if count is None:
            (count,) = connection.execute(
                "SELECT count(*) FROM entries_fts WHERE entries_fts MATCH ?", (expression,)
            ).fetchone() or (0,)
            self._counts[expression] = count
        return count

    def size(self, connection: apsw.Connection) -> int:
        """How many rows there are."""
        self._follow(connection)
        if self._size is None:
            (self._size,) = connection.execute("SELECT count(*) FROM entries").fetchone() or (0,)
        return self._size

    def passing(
        self,
        connection: apsw.Connection,
        conditions: str,
        bindings: tuple[str, ...],
        ids: Sequence[int],
    ) -> set[int]:
        """Those of some ids whose entries fulfil some conditions."""
        self._follow(connection)
        gate = (conditions, *bindings)
        kept = self._gates.get(gate)
        if kept is None:
            while len(self._gates) >= _GATES_KEPT:
                del self._gates[next(iter(self._gates))]
            kept = self._gates[gate] = bytearray()
        # One byte an id: they are counted from 1. Of other numbers nothing is kept.
        room = max(ids, default=0) + 1
        if room > _IDS_KEPT or min(ids, default=0) < 0:
            return _ask(connection, conditions, bindings, ids)
        if room > len(kept):
            kept.extend(bytes(room - len(kept)))
        unknown = [entry_id for entry_id in ids if not kept[entry_id]]
        if unknown:
            found = _ask(connection, conditions, bindings, unknown)
            for entry_id in unknown:
                kept[entry_id] = _SEEN if entry_id in found else _HIDDEN
        return {entry_id for entry_id in ids if kept[entry_id] == _SEEN}

    def _follow(self, connection: apsw.Connection) -> None:
        # The version tells of other connections' writes, the total of this one's.
        version = connection.execute("PRAGMA data_version").fetchone()
        as_of = (connection, version, connection.total_changes())
        if as_of != self._as_of:
            self._size = None
            self._counts.clear()
            self._gates.clear()
            self._as_of = as_of


_SEEN, _HIDDEN = 1, 2


def _ask(
    connection: apsw.Connection, conditions: str, bindings: tuple[str, ...], ids: Sequence[int]
) -> set[int]:
    return {
        entry_id
        for (entry_id,) in connection.execute(
            f"SELECT id FROM entries INDEXED BY {GATE_INDEX}"
            f" WHERE id IN (SELECT value FROM json_each(?)) AND {conditions}",
            (json.dumps(list(ids)), *bindings),
        )
    }


class FullText:
    """The full-text index behind a gate. What does not pass is never ranked, nor told apart.

    An expression is FTS5 syntax; one that is not raises `StoreError`: quote every token.
    """

    def __init__(
        self,
        database: Database,
        keys: Callable[[], dict[str, int]],
        gate: Gate,
        known: Known | None = None,
    ) -> None:
        self._database = database
        self._keys = keys
        self._gate = gate
        self._known = Known() if known is None else known

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
        far = json.dumps(list(also))
        needed = min(limit, limit if enough is None else enough)

        def read(connection: apsw.Connection) -> list[MatchRow]:
            # Looking up the entry of every match takes longer than matching: rank first, and
            # go deeper only where other bundles or types stand before those that are wanted.
            depth = limit
            while True:
                rows, is_all = _matches(connection, expression, depth, len(also), far)
                kept = self._known.passing(connection, wanted, bindings, [it for it, _ in rows])
                found = [MatchRow._make(row) for row in rows if row[0] in kept]
                if len(found) >= needed or is_all:
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

        return self._database.run(lambda connection: self._known.count(connection, expression))

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

        return self._database.run(self._known.size)

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


def _matches(
    connection: apsw.Connection, expression: str, depth: int, more: int, far: str
) -> tuple[list[tuple[int, float]], bool]:
    """The best ``depth`` rows and those of the ids ``far`` that match, best first; and whether
    these are all. ``more`` is how many ids there are in ``far``."""
    if not more:
        rows = list(connection.execute(_BEST, (expression, depth)))
        return rows, len(rows) < depth
    rows = list(connection.execute(_SOME_AND_BEST, (expression, far, depth + more)))
    is_all = len(rows) < depth
    rows.sort(key=itemgetter(1, 0))
    if len(rows) > depth:
        wanted = set(json.loads(far))
        rows = rows[:depth] + [row for row in rows[depth:] if row[0] in wanted]
    return rows, is_all
