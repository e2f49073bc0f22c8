"""What any process has written to the index since some moment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from akm_ls.index.answers import Changes
from akm_ls.index.delta import Claims, Delta
from akm_ls.index.rows import ENTRY_COLUMNS, native_path, root_prefix, stub_from_row
from akm_ls.index.stub import Stub

if TYPE_CHECKING:
    import apsw

    from akm_ls.bundles.bundle import Bundle


def generation_of(connection: apsw.Connection) -> int:
    """The number of the last write transaction."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()
    return 0 if row is None else int(row[0])


def changes_since(
    connection: apsw.Connection, keys: Mapping[int, Bundle], since: int
) -> Changes | None:
    """What was written after generation ``since`` in the bundles ``keys``; see `Store.changes`.

    Call it in one view of the database.
    """
    generation = generation_of(connection)
    complete = [
        keys[key].id
        for (key,) in connection.execute("SELECT key FROM bundles WHERE indexed_at NOT NULL")
        if key in keys
    ]
    if generation == since:
        return Changes(Delta(), generation, frozenset(complete))
    floor = connection.execute("SELECT value FROM meta WHERE key = 'forgotten'").fetchone()
    if since > generation or (floor is not None and since < floor[0]):
        return None
    added: list[Stub] = []
    claims: list[Claims] = []
    for key, *row in connection.execute(
        f"SELECT bundle_key, {ENTRY_COLUMNS} FROM entries WHERE generation > ?", (since,)
    ):
        bundle = keys.get(key)
        if bundle is None:
            continue
        prefix = root_prefix(bundle.real_root)
        stub = stub_from_row(bundle.id, prefix, row)
        added.append(stub)
        rels = [
            rel
            for (rel,) in connection.execute(
                "SELECT rel FROM files WHERE bundle_key = ? AND concept_id = ? ORDER BY rel",
                (key, stub.concept_id),
            )
        ]
        paths = tuple([native_path(prefix, rel) for rel in rels]) if len(rels) > 1 else ()
        claims.append(Claims(bundle.id, stub.concept_id, paths))
    removed = tuple(
        Stub(keys[key].id, concept_id, "", "", "")
        for key, concept_id in connection.execute(
            "SELECT bundle_key, concept_id FROM tombstones AS t WHERE generation > ?"
            " AND NOT EXISTS (SELECT 1 FROM entries AS e"
            " WHERE e.bundle_key = t.bundle_key AND e.concept_id = t.concept_id)",
            (since,),
        )
        if key in keys
    )
    delta = Delta(tuple(added), (), removed, tuple(claims), tuple(complete))
    return Changes(delta, generation, frozenset(complete))
