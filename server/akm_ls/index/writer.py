"""Writing files into the index: whole entries only, and always one holder for every ref.

Each call of `write` is meant for one short transaction. In it every asset's row, its full-text
row, fragments and citations change together, and a vector made of other text goes. What files
cite that hold no ref changes with the files' rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from akm_ls.index.database import StoreReplaced
from akm_ls.index.delta import Claims, Delta
from akm_ls.index.removal import (
    DROP_FULL_TEXT,
    DROP_VECTOR,
    delete_structure,
    delete_texts,
)
from akm_ls.index.rows import (
    CITATION_COLUMNS,
    ENTRY_COLUMNS,
    FRAGMENT_COLUMNS,
    PreparedEntry,
    PreparedFile,
    native_path,
    root_prefix,
    stub_from_row,
)
from akm_ls.index.scan import FileRow
from akm_ls.index.schema import UNWRITTEN, has_full_text

if TYPE_CHECKING:
    import apsw

    from akm_ls.index.stub import Stub

_SET_FILE = (
    "REPLACE INTO files"
    " (bundle_key, rel, size, mtime_ns, content_hash, concept_id, warning, racy)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_COLUMNS = ENTRY_COLUMNS.count(",") + 1
_ADD_ENTRY = (
    f"INSERT INTO entries ({ENTRY_COLUMNS}, embed_hash, document, generation, bundle_key, id)"
    f" VALUES ({', '.join('?' * (_COLUMNS + 5))})"
)
# Not REPLACE: for every row that is there it copies pages to be able to take the row back.
_SET_ENTRY = (
    f"UPDATE entries SET ({ENTRY_COLUMNS}, embed_hash, document, generation, bundle_key)"
    f" = ({', '.join('?' * (_COLUMNS + 4))}) WHERE id = ?"
)
_ADD_FTS = (
    "INSERT INTO entries_fts (rowid, name, description, tags, hints, content)"
    " VALUES (?, ?, ?, ?, ?, ?)"
)
_ADD_FRAGMENT = (
    f"INSERT INTO fragments (entry_id, ordinal, {FRAGMENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_CITATION = CITATION_COLUMNS.replace("c.", "")
_ADD_CITATION = (
    f"INSERT INTO citations (entry_id, ordinal, {_CITATION}) VALUES ({', '.join('?' * 14)})"
)
_ADD_FILE_CITATION = (
    f"REPLACE INTO file_citations (bundle_key, rel, ordinal, {_CITATION})"
    f" VALUES ({', '.join('?' * 15)})"
)
_DROP_FILE_CITATIONS = "DELETE FROM file_citations WHERE bundle_key = ? AND rel = ?"
# For a file that loses its ref and was not read again.
_MOVE_CITATIONS = (
    f"REPLACE INTO file_citations (bundle_key, rel, ordinal, {_CITATION})"
    f" SELECT ?, ?, ordinal, {_CITATION} FROM citations WHERE entry_id = ?"
)


@dataclass(frozen=True, slots=True)
class Target:
    """The bundle that is written to. ``prefix`` is its real root with a separator."""

    bundle: str
    key: int
    prefix: str
    read: Callable[[str], PreparedFile | None]
    """Reads a file that was not among those to write; ``None``: it is gone."""


@dataclass(slots=True)
class Written:
    """What a call changed."""

    target: Target
    generation: int
    added: list[tuple[Any, ...]] = field(default_factory=list)
    """Rows in the order of `ENTRY_COLUMNS`: of a first load mostly their number is wanted."""
    changed: list[tuple[Stub, Stub]] = field(default_factory=list)
    removed: list[Stub] = field(default_factory=list)
    claims: list[Claims] = field(default_factory=list)

    def delta(self) -> Delta:
        bundle, prefix = self.target.bundle, self.target.prefix
        return Delta(
            tuple([stub_from_row(bundle, prefix, row) for row in self.added]),
            tuple(self.changed),
            tuple(self.removed),
            tuple(self.claims),
            generation=self.generation,
        )


@dataclass(frozen=True, slots=True)
class _EntryRow:
    id: int
    rel: str
    embed_hash: str
    stub: Stub


def next_generation(connection: apsw.Connection) -> int:
    """The number of this write transaction."""
    connection.execute(
        "INSERT INTO meta VALUES ('generation', 1)"
        " ON CONFLICT (key) DO UPDATE SET value = value + 1"
    )
    (generation,) = connection.execute(
        "SELECT value FROM meta WHERE key = 'generation'"
    ).fetchone() or (0,)
    return int(generation)


def write(
    connection: apsw.Connection,
    target: Target,
    files: Sequence[PreparedFile],
    removed: Iterable[str] = (),
    *,
    known: Mapping[str, FileRow] | None = None,
    forced: Collection[str] = frozenset(),
) -> Written:
    """Take over files that were read and forget those that are gone.

    ``known`` are the rows on which the decision to read or remove was made. Where another
    process has written a file since, the later file time wins, and nothing is removed.
    ``forced`` files are written even if their bytes are the indexed ones.

    Raises:
        StoreReplaced: the target's rows are not in this file (any more); nothing was written.
    """
    check_target(connection, target)
    return _Write(connection, target, known, forced).run(files, list(removed))


def check_target(connection: apsw.Connection, target: Target) -> None:
    """Make sure that the key is still the bundle's, in the transaction that relies on it.

    Raises:
        StoreReplaced: it is not.
    """
    row = connection.execute(
        "SELECT id, real_root FROM bundles WHERE key = ?", (target.key,)
    ).fetchone()
    if row is None or row[0] != target.bundle or root_prefix(row[1]) != target.prefix:
        raise StoreReplaced(f"The index was deleted or replaced while {target.bundle} was read.")


class _Write:
    def __init__(
        self,
        connection: apsw.Connection,
        target: Target,
        known: Mapping[str, FileRow] | None,
        forced: Collection[str],
    ) -> None:
        self._connection = connection
        self._target = target
        self._known = known
        self._forced = forced
        self._prepared: dict[str, PreparedFile] = {}
        self._edited: set[str] = set()
        self._new: set[str] = set()
        """Files that had no row, and so no citations."""
        self._citing: set[str] = set()
        """Files that were read and whose citations may differ from the index's."""
        self._holding: set[str] = set()
        """Files whose citations are their entry's from now on."""
        self._held: set[str] = set()
        """Those of them that held their ref before as well."""
        self._generation = next_generation(connection)
        self._written = Written(target, self._generation)

    def run(self, files: Sequence[PreparedFile], removed: Sequence[str]) -> Written:
        rows = self._rows([*(file.rel for file in files), *removed])
        touched: set[str] = set()
        accepted = [file for file in files if self._accept(file, rows.get(file.rel), touched)]
        gone = [rel for rel in removed if self._may_remove(rel, rows.get(rel))]
        touched.update(row.concept_id for rel in gone if (row := rows[rel]).concept_id)
        self._set_files(accepted)
        self._forget_files(gone)
        self._prepared = {file.rel: file for file in accepted}
        if touched:
            self._settle(touched)
        self._cite()
        return self._written

    def _rows(self, rels: Sequence[str]) -> dict[str, FileRow]:
        return {
            rel: FileRow(*row)
            for rel, *row in self._connection.execute(
                "SELECT rel, size, mtime_ns, content_hash, concept_id, warning, racy FROM files"
                " WHERE bundle_key = ? AND rel IN (SELECT value FROM json_each(?))",
                (self._target.key, json.dumps(rels)),
            )
        }

    def _accept(self, file: PreparedFile, row: FileRow | None, touched: set[str]) -> bool:
        """Whether a file's row is to be written; refs that may change hands go to ``touched``."""
        if row is None:
            self._new.add(file.rel)
            self._citing.add(file.rel)
            if file.entry is not None:
                touched.add(file.entry.concept_id)
            return True
        if (
            self._known is not None
            and row != self._known.get(file.rel)
            and row.mtime_ns > file.mtime_ns
        ):
            return False
        same = row.content_hash == file.content_hash and row.concept_id == file.concept_id
        if not same:
            self._edited.add(file.rel)
        if not same or file.rel in self._forced:
            self._citing.add(file.rel)
            touched.update(ref for ref in (row.concept_id, file.concept_id) if ref is not None)
        return True

    def _may_remove(self, rel: str, row: FileRow | None) -> bool:
        return row is not None and (self._known is None or row == self._known.get(rel))

    def _set_files(self, files: Iterable[PreparedFile]) -> None:
        key = self._target.key
        self._connection.executemany(
            _SET_FILE,
            (
                (
                    key,
                    file.rel,
                    file.size,
                    file.mtime_ns,
                    file.content_hash,
                    file.concept_id,
                    file.warning,
                    file.racy,
                )
                for file in files
            ),
        )

    def _forget_files(self, rels: Sequence[str]) -> None:
        files = [(self._target.key, rel) for rel in rels]
        self._connection.executemany("DELETE FROM files WHERE bundle_key = ? AND rel = ?", files)
        self._connection.executemany(_DROP_FILE_CITATIONS, files)

    def _settle(self, touched: set[str]) -> None:
        """Give every touched ref to the smallest path that claims it."""
        before = self._entries(touched)
        claims = self._claims(touched)
        writes: list[tuple[_EntryRow | None, PreparedEntry]] = []
        deletes: list[_EntryRow] = []
        noted: list[int] = []
        pending = sorted(touched)
        # Reading a successor may show that it claims another ref by now.
        for concept_id in pending:
            row = before.get(concept_id)
            entry, others = self._holder(concept_id, claims.get(concept_id, []), row)
            for other in others:
                if other not in touched:
                    touched.add(other)
                    before |= self._entries({other})
                    claims |= self._claims({other})
                    pending.append(other)
            if entry is not None:
                writes.append((row, entry))
                self._pass_over(row, entry.rel, claims[concept_id])
            elif row is not None:
                if claims.get(concept_id):
                    noted.append(row.id)
                    self._holding.add(row.rel)
                else:
                    deletes.append(row)
        contested = {key for key, rels in claims.items() if len(rels) > 1}
        self._delete(deletes)
        self._write_entries(writes)
        self._connection.executemany(
            "UPDATE entries SET generation = ? WHERE id = ?",
            [(self._generation, entry_id) for entry_id in noted],
        )
        self._note_claims(before, contested, claims)

    def _holder(
        self, concept_id: str, rels: list[str], row: _EntryRow | None
    ) -> tuple[PreparedEntry | None, list[str]]:
        """What to write for a ref (``None``: its row is right or there is none), other refs met.

        Claimants that turn out to be gone are taken off ``rels``.
        """
        others: list[str] = []
        while rels:
            rel = rels[0]
            file = self._prepared.get(rel)
            if file is None and row is not None and row.rel == rel:
                return None, others
            if file is None:
                file = self._successor(rel)
            if file is not None and file.entry is not None:
                if file.entry.concept_id == concept_id:
                    return file.entry, others
                others.append(file.entry.concept_id)
            rels.pop(0)
        return None, others

    def _successor(self, rel: str) -> PreparedFile | None:
        """A file that was shadowed until now, read again."""
        file = self._target.read(rel)
        if file is None:
            self._forget_files([rel])
        else:
            self._prepared[rel] = file
            self._citing.add(rel)
            self._set_files([file])
        return file

    def _pass_over(self, row: _EntryRow | None, holder: str, rels: Sequence[str]) -> None:
        """Note who holds a ref; a file that held it until now keeps its citations as a file."""
        self._holding.add(holder)
        if row is None:
            return
        if row.rel == holder:
            self._held.add(holder)
            return
        self._citing.add(holder)
        if row.rel not in rels:
            return
        if row.rel in self._prepared:
            self._citing.add(row.rel)
        else:
            self._connection.execute(_MOVE_CITATIONS, (self._target.key, row.rel, row.id))

    def _cite(self) -> None:
        """Write what those of the files cite that hold no ref."""
        key = self._target.key
        stale = self._citing - self._new - self._held
        self._connection.executemany(_DROP_FILE_CITATIONS, [(key, rel) for rel in sorted(stale)])
        self._connection.executemany(
            _ADD_FILE_CITATION,
            [
                (key, rel, at, *values)
                for rel in sorted(self._citing - self._holding)
                for at, values in enumerate(self._prepared[rel].cites)
            ],
        )

    def _entries(self, concept_ids: Collection[str]) -> dict[str, _EntryRow]:
        bundle, prefix = self._target.bundle, self._target.prefix
        return {
            row[0]: _EntryRow(entry_id, row[1], embed_hash, stub_from_row(bundle, prefix, row))
            for entry_id, embed_hash, *row in self._connection.execute(
                f"SELECT id, embed_hash, {ENTRY_COLUMNS} FROM entries"
                " WHERE bundle_key = ? AND concept_id IN (SELECT value FROM json_each(?))",
                (self._target.key, json.dumps(list(concept_ids))),
            )
        }

    def _claims(self, concept_ids: Collection[str]) -> dict[str, list[str]]:
        claims: dict[str, list[str]] = {}
        for concept_id, rel in self._connection.execute(
            "SELECT concept_id, rel FROM files WHERE bundle_key = ?"
            " AND concept_id IN (SELECT value FROM json_each(?)) ORDER BY concept_id, rel",
            (self._target.key, json.dumps(list(concept_ids))),
        ):
            claims.setdefault(concept_id, []).append(rel)
        return claims

    def _delete(self, rows: Sequence[_EntryRow]) -> None:
        if not rows:
            return
        ids = [(row.id,) for row in rows]
        delete_texts(self._connection, ids)
        delete_structure(self._connection, ids)
        self._connection.executemany("DELETE FROM entries WHERE id = ?", ids)
        key, generation = self._target.key, self._generation
        self._connection.executemany(
            "REPLACE INTO tombstones VALUES (?, ?, ?)",
            [(key, row.stub.concept_id, generation) for row in rows],
        )
        self._written.removed += [row.stub for row in rows]

    def _write_entries(self, writes: Sequence[tuple[_EntryRow | None, PreparedEntry]]) -> None:
        self._replace([(row, entry) for row, entry in writes if row is not None])
        self._add([entry for row, entry in writes if row is None])

    def _add(self, entries: Sequence[PreparedEntry]) -> None:
        """Write assets that have no row, under the next ids."""
        if not entries:
            return
        (last,) = self._connection.execute(
            "SELECT coalesce(max(id), 0) FROM entries"
        ).fetchone() or (0,)
        numbered = list(enumerate(entries, last + 1))
        key, generation = self._target.key, self._generation
        self._connection.executemany(
            _ADD_ENTRY,
            (
                (*entry.stub, entry.embed_hash, entry.document, generation, key, entry_id)
                for entry_id, entry in numbered
            ),
        )
        if has_full_text(self._connection):
            self._add_texts(numbered)
        self._add_structure(numbered)
        self._written.added += [entry.stub for entry in entries]

    def _replace(self, pairs: Sequence[tuple[_EntryRow, PreparedEntry]]) -> None:
        """Write assets that have a row, in the order of their ids: that of the tables."""
        if not pairs:
            return
        pairs = sorted(pairs, key=lambda pair: pair[0].id)
        numbered = [(row.id, entry) for row, entry in pairs]
        # The hash is of all searched text: the same hash, the same row and the same vector.
        texts = [(row, entry) for row, entry in pairs if row.embed_hash != entry.embed_hash]
        stale = [
            (row.id,)
            for row, entry in texts
            if row.embed_hash.removeprefix(UNWRITTEN) != entry.embed_hash
        ]
        connection = self._connection
        connection.executemany(DROP_VECTOR, stale)
        delete_structure(connection, [(entry_id,) for entry_id, _ in numbered])
        key, generation = self._target.key, self._generation
        connection.executemany(
            _SET_ENTRY,
            (
                (*entry.stub, entry.embed_hash, entry.document, generation, key, entry_id)
                for entry_id, entry in numbered
            ),
        )
        if has_full_text(connection):
            connection.executemany(DROP_FULL_TEXT, [(row.id,) for row, _ in texts])
            self._add_texts((row.id, entry) for row, entry in texts)
        self._add_structure(numbered)
        bundle, prefix = self._target.bundle, self._target.prefix
        for row, entry in pairs:
            stub = stub_from_row(bundle, prefix, entry.stub)
            if entry.rel in self._edited or row.stub != stub or row.embed_hash != entry.embed_hash:
                self._written.changed.append((row.stub, stub))

    # Rows are made one at a time, as they are bound: all at once would be ten times as many
    # objects as there are files in a transaction.

    def _add_texts(self, numbered: Iterable[tuple[int, PreparedEntry]]) -> None:
        self._connection.executemany(
            _ADD_FTS, ((entry_id, *entry.fields) for entry_id, entry in numbered)
        )

    def _add_structure(self, numbered: Sequence[tuple[int, PreparedEntry]]) -> None:
        self._connection.executemany(
            _ADD_FRAGMENT,
            (
                (entry_id, at, *values)
                for entry_id, entry in numbered
                for at, values in enumerate(entry.fragments)
            ),
        )
        self._connection.executemany(
            _ADD_CITATION,
            (
                (entry_id, at, *values)
                for entry_id, entry in numbered
                for at, values in enumerate(entry.citations)
            ),
        )

    def _note_claims(
        self,
        before: Mapping[str, _EntryRow],
        contested: set[str],
        claims: Mapping[str, list[str]],
    ) -> None:
        """Report the claimants of every ref that is contested, or existed and may have been."""
        bundle, prefix = self._target.bundle, self._target.prefix
        for concept_id in sorted(contested | before.keys()):
            rels = claims.get(concept_id, [])
            paths = tuple([native_path(prefix, rel) for rel in rels])
            self._written.claims.append(Claims(bundle, concept_id, paths if len(paths) > 1 else ()))
