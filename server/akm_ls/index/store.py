"""Reading the index: everything that is asked of it, and nothing that changes it.

A store answers for one set of bundles; the file may hold others, of other workspaces.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from akm_ls.index import citing
from akm_ls.index.answers import (
    BundleStatus,
    Changes,
    CitingPlace,
    MatchRow,
    StoredEntry,
    StoreStatus,
)
from akm_ls.index.bundle_keys import identities, known_keys
from akm_ls.index.database import (
    PATIENCE_MS,
    Database,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreReplaced,
)
from akm_ls.index.delta import Claims
from akm_ls.index.following import changes_since, generation_of
from akm_ls.index.full_text import FullText, Gate, Known
from akm_ls.index.rows import (
    CITATION_COLUMNS,
    ENTRY_COLUMNS,
    FRAGMENT_COLUMNS,
    citation_from_row,
    entry_from_row,
    fragment_from_row,
    native_path,
    root_prefix,
)
from akm_ls.index.schema import UNREAD, has_full_text
from akm_ls.index.stub import Stub

if TYPE_CHECKING:
    import apsw

    from akm_ls.bundles.bundle import Bundle, BundleSet
    from akm_ls.bundles.entry import Citation, FragmentInfo

__all__ = [
    "BundleStatus",
    "Changes",
    "CitingPlace",
    "MatchRow",
    "Store",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreReplaced",
    "StoreStatus",
    "StoredEntry",
]


NO_FULL_TEXT = "SQLite was built without full-text search (FTS5)"


class Store:
    """One connection, for one thread. Every method answers for ``bundles`` only.

    Every method raises `StoreError` when SQLite fails; a damaged file is replaced by an empty
    one, and so is every answer.
    """

    def __init__(self, path: str, bundles: BundleSet, *, patience_ms: int = PATIENCE_MS) -> None:
        """Open the index file, creating it and its directory if need be.

        ``patience_ms`` is how long to wait for another process's write transaction.

        Raises:
            StoreError: it cannot be created, read or written.
        """
        self.path = path
        self.bundles = bundles
        self.database = Database(path, patience_ms=patience_ms)
        self._identities = identities(bundles)
        self._keys: dict[int, Bundle] = {}
        self._known = Known()

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Everything at once, for the catalog.

    def stubs(self) -> list[Stub]:
        """All assets, by bundle and concept id."""
        return self.database.run(self._stubs)

    def _stubs(self, connection: apsw.Connection) -> list[Stub]:
        found: list[Stub] = []
        shared: dict[str, str] = {}
        share = shared.setdefault
        tag_sets: dict[str, tuple[str, ...]] = {"": ()}
        for key, bundle in self._bundle_keys(connection).items():
            prefix, bundle_id = root_prefix(bundle.real_root), bundle.id
            for row in connection.execute(
                f"SELECT {ENTRY_COLUMNS} FROM entries WHERE bundle_key = ? ORDER BY concept_id",
                (key,),
            ):
                concept_id, rel, kind, name, title, text, tags, slugs, belief, by, *rest = row
                when, grade, marks = rest
                labels = tag_sets.get(tags)
                if labels is None:
                    labels = tag_sets[tags] = tuple([share(tag, tag) for tag in tags.split("\n")])
                found.append(
                    Stub(
                        bundle_id,
                        concept_id,
                        share(kind, kind),
                        name,
                        native_path(prefix, rel),
                        title,
                        text,
                        labels,
                        share(slugs, slugs),
                        belief and share(belief, belief),
                        tuple(by.split("\n")) if by else (),
                        when,
                        share(grade, grade),
                        share(marks, marks),
                    )
                )
        return found

    def claims(self) -> list[Claims]:
        """The refs that several files of a bundle claim, with these files, the holder first."""
        return self.database.run(self._claims)

    def _claims(self, connection: apsw.Connection) -> list[Claims]:
        found: list[Claims] = []
        for key, bundle in self._bundle_keys(connection).items():
            prefix = root_prefix(bundle.real_root)
            for concept_id, rels in claimed_twice(connection, key):
                paths = tuple([native_path(prefix, rel) for rel in rels])
                found.append(Claims(bundle.id, concept_id, paths))
        return found

    def complaints(self) -> list[str]:
        """What is wrong with files: those that could not be read or share a ref with another."""

        def read(connection: apsw.Connection) -> list[str]:
            keys = self._bundle_keys(connection)
            return [
                complaint
                for key, bundle in keys.items()
                for complaint in complaints_of(connection, bundle.id, key)
            ]

        return self.database.run(read)

    def complete_bundles(self) -> frozenset[str]:
        """The bundles whose files have all been read at least once."""

        def read(connection: apsw.Connection) -> frozenset[str]:
            keys = self._bundle_keys(connection)
            return frozenset(
                keys[key].id
                for (key,) in connection.execute(
                    "SELECT key FROM bundles WHERE indexed_at IS NOT NULL"
                )
                if key in keys
            )

        return self.database.run(read)

    def generation(self) -> int:
        """The number of the last write transaction, of whichever process."""
        return self.database.run(generation_of)

    def data_version(self) -> int:
        """A number that differs when another connection has written since it was last asked."""

        def read(connection: apsw.Connection) -> int:
            (version,) = connection.execute("PRAGMA data_version").fetchone() or (0,)
            return int(version)

        return self.database.run(read)

    def changes(self, since: int) -> Changes | None:
        """What was written after generation ``since``, to bring a catalog up to date.

        ``None``: too much was deleted since, or the file is another one; load everything anew.
        The delta lists every asset written since under ``added``.
        """

        def read(connection: apsw.Connection) -> Changes | None:
            connection.execute("BEGIN")
            try:
                return changes_since(connection, self._bundle_keys(connection), since)
            finally:
                connection.execute("COMMIT")

        return self.database.run(read)

    # One asset.

    def entry(self, bundle: str, concept_id: str) -> StoredEntry | None:
        """One asset with its fragments and citations."""

        def read(connection: apsw.Connection) -> StoredEntry | None:
            key = self._key_of(connection, bundle)
            row = connection.execute(
                f"{_SELECT_ENTRIES} WHERE e.bundle_key = ? AND e.concept_id = ?", (key, concept_id)
            ).fetchone()
            if row is None:
                return None
            return self._stored(
                row, _fragments_of(connection, row[0]), _citations_in(connection, row[0])
            )

        return self.database.run(read)

    def entries(self, ids: Sequence[int]) -> list[StoredEntry]:
        """Rows by id, in the order of ``ids``, without fragments and citations."""

        def read(connection: apsw.Connection) -> list[StoredEntry]:
            keys = self._bundle_keys(connection)
            rows = {
                row[0]: row
                for row in connection.execute(
                    f"{_SELECT_ENTRIES} WHERE e.id IN (SELECT value FROM json_each(?))",
                    (json.dumps(list(ids)),),
                )
                if row[1] in keys
            }
            return [self._stored(rows[entry_id]) for entry_id in ids if entry_id in rows]

        return self.database.run(read)

    def fragments(self, bundle: str, concept_id: str) -> tuple[FragmentInfo, ...]:
        """The headings of an asset in text order."""

        def read(connection: apsw.Connection) -> tuple[FragmentInfo, ...]:
            row = connection.execute(
                "SELECT id FROM entries WHERE bundle_key = ? AND concept_id = ?",
                (self._key_of(connection, bundle), concept_id),
            ).fetchone()
            return () if row is None else _fragments_of(connection, row[0])

        return self.database.run(read)

    def _stored(
        self,
        row: tuple[Any, ...],
        fragments: tuple[FragmentInfo, ...] = (),
        citations: tuple[Citation, ...] = (),
    ) -> StoredEntry:
        entry_id, key, embed_hash, document, content_hash, size, mtime_ns, *values = row
        known = content_hash if content_hash and content_hash != UNREAD else ""
        file = (known, size or 0, mtime_ns or 0)
        entry = entry_from_row(self._keys[key], values, document, file, fragments, citations)
        return StoredEntry(entry_id, entry, embed_hash)

    # Who cites an asset.

    def citations_of(self, bundle: str, concept_id: str) -> list[CitingPlace]:
        """See `citing.citations_of`."""
        return self.database.run(
            lambda connection: citing.citations_of(
                connection, self._bundle_keys(connection), bundle, concept_id
            )
        )

    def citations_to(self, concept_id: str) -> list[CitingPlace]:
        """Every citation of a concept id, whatever bundle is meant; in no order."""
        return self.database.run(
            lambda connection: citing.citations_to(
                connection, self._bundle_keys(connection), concept_id
            )
        )

    def citation_counts(self, bundle: str | None = None) -> dict[tuple[str, str], int]:
        """How often each (bundle id, concept id) is cited, a bundle's targets or all."""
        return self.database.run(
            lambda connection: citing.citation_counts(
                connection, self._bundle_keys(connection), bundle
            )
        )

    def citations(self, bundle: str | None = None) -> list[CitingPlace]:
        """Every citation that the files of a bundle (or of all) make; see `citing.citations`."""
        return self.database.run(
            lambda connection: citing.citations(connection, self._bundle_keys(connection), bundle)
        )

    # Full text.

    def match(
        self,
        expression: str,
        *,
        limit: int,
        types: frozenset[str] | None = None,
        exclude_types: frozenset[str] = frozenset(),
        bundle: str | None = None,
    ) -> list[MatchRow]:
        """The best ``limit`` rows for an FTS5 expression; see `FullText.match`."""
        gate = Gate(bundle, types, exclude_types)
        return self.full_text(gate).match(expression, limit=limit)

    def full_text(self, gate: Gate) -> FullText:
        """The full-text index, of which a caller sees what passes a gate.

        Raises:
            StoreError: this SQLite has none, or the file cannot be used.
        """
        if not self.database.run(has_full_text):
            raise StoreError(NO_FULL_TEXT)
        return FullText(self.database, self.keys, gate, self._known)

    # Numbers.

    def count(self) -> int:
        """How many assets there are."""
        return sum(bundle.entries for bundle in self.status().bundles)

    def status(self) -> StoreStatus:
        def read(connection: apsw.Connection) -> StoreStatus:
            keys = {bundle.id: key for key, bundle in self._bundle_keys(connection).items()}
            entries = dict(
                connection.execute("SELECT bundle_key, count(*) FROM entries GROUP BY bundle_key")
            )
            files = dict(
                connection.execute("SELECT bundle_key, count(*) FROM files GROUP BY bundle_key")
            )
            times = dict(connection.execute("SELECT key, indexed_at FROM bundles"))
            bundles = tuple(
                BundleStatus(
                    bundle.id,
                    entries.get(key, 0),
                    files.get(key, 0),
                    times.get(key) if key is not None else None,
                )
                for bundle in self.bundles
                for key in (keys.get(bundle.id),)
            )
            built = [item.indexed_at for item in bundles]
            (embedded,) = connection.execute(
                "SELECT count(*) FROM embeddings AS v JOIN entries AS e ON e.id = v.entry_id"
                " WHERE e.bundle_key IN (SELECT value FROM json_each(?))",
                (json.dumps(list(keys.values())),),
            ).fetchone() or (0,)
            return StoreStatus(
                self.path,
                sum(item.entries for item in bundles),
                bundles,
                None if None in built or not built else min(filter(None, built)),
                embedded,
            )

        return self.database.run(read)

    # Which rows are whose.

    def keys(self) -> dict[str, int]:
        """The keys of this store's bundles in the index file, by bundle id."""
        return self.database.run(lambda connection: known_keys(connection, self._identities))

    def _bundle_keys(self, connection: apsw.Connection) -> dict[int, Bundle]:
        """The keys of this store's bundles that are in the index, in the order of the set."""
        keys = known_keys(connection, self._identities)
        self._keys = {keys[bundle.id]: bundle for bundle in self.bundles if bundle.id in keys}
        return self._keys

    def _key_of(self, connection: apsw.Connection, bundle: str) -> int | None:
        for key, owner in self._bundle_keys(connection).items():
            if owner.id == bundle:
                return key
        return None


_IN_DOCUMENT = {"description", "tags", "slugs", "superseded_by", "when_to_use", "marks"}
"""Columns for stubs: an entry has the same, or more of it, in its document."""
_SELECT_ENTRIES = (
    "SELECT e.id, e.bundle_key, e.embed_hash, e.document, f.content_hash, f.size, f.mtime_ns, "
    + ", ".join(
        "NULL" if column in _IN_DOCUMENT else f"e.{column}"
        for column in map(str.strip, ENTRY_COLUMNS.split(","))
    )
    + " FROM entries AS e LEFT JOIN files AS f ON f.bundle_key = e.bundle_key AND f.rel = e.rel"
)


def complaints_of(connection: apsw.Connection, bundle_id: str, key: int) -> Iterator[str]:
    """What is wrong with the files of one bundle, in words."""
    for (warning,) in connection.execute(
        "SELECT warning FROM files WHERE bundle_key = ? AND warning IS NOT NULL ORDER BY rel",
        (key,),
    ):
        yield f"{bundle_id}: {warning}"
    for concept_id, (kept, *skipped) in claimed_twice(connection, key):
        yield (
            f"Two files claim {bundle_id}//{concept_id}: kept {kept}, skipped {', '.join(skipped)}."
        )


def claimed_twice(connection: apsw.Connection, key: int) -> Iterator[tuple[str, list[str]]]:
    """The concept ids of a bundle that several files claim, with their paths, holder first."""
    for concept_id, rels in connection.execute(
        "SELECT concept_id, json_group_array(rel) FROM files"
        " WHERE bundle_key = ? AND concept_id IS NOT NULL"
        " GROUP BY concept_id HAVING count(*) > 1 ORDER BY concept_id",
        (key,),
    ):
        yield concept_id, sorted(json.loads(rels))


def _fragments_of(connection: apsw.Connection, entry_id: int) -> tuple[FragmentInfo, ...]:
    return tuple(
        fragment_from_row(row)
        for row in connection.execute(
            f"SELECT {FRAGMENT_COLUMNS} FROM fragments WHERE entry_id = ? ORDER BY ordinal",
            (entry_id,),
        )
    )


def _citations_in(connection: apsw.Connection, entry_id: int) -> tuple[Citation, ...]:
    return tuple(
        citation_from_row(row)
        for row in connection.execute(
            f"SELECT {CITATION_COLUMNS} FROM citations AS c WHERE entry_id = ? ORDER BY ordinal",
            (entry_id,),
        )
    )
