"""Taking rows out of the index: of assets, of whole bundles, and what is remembered of them.

Every function is for a write transaction of its caller's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from akm_ls.index.schema import has_full_text

if TYPE_CHECKING:
    import apsw

MAX_TOMBSTONES = 20_000
"""Deletions remembered; a reader that is further behind reads everything again."""

DROP_FULL_TEXT = "DELETE FROM entries_fts WHERE rowid = ?"
DROP_VECTOR = "DELETE FROM embeddings WHERE entry_id = ?"


def delete_texts(connection: apsw.Connection, ids: Sequence[tuple[int]]) -> None:
    """Remove full-text rows, and the vectors made of the same text."""
    if has_full_text(connection):
        connection.executemany(DROP_FULL_TEXT, ids)
    connection.executemany(DROP_VECTOR, ids)


def delete_structure(connection: apsw.Connection, ids: Sequence[tuple[int]]) -> None:
    """Remove fragments and citations."""
    connection.executemany("DELETE FROM fragments WHERE entry_id = ?", ids)
    connection.executemany("DELETE FROM citations WHERE entry_id = ?", ids)


def forget_directories(connection: apsw.Connection, key: int, directories: Iterable[str]) -> None:
    """The next run looks into these directories."""
    connection.executemany(
        "DELETE FROM dir_state WHERE bundle_key = ? AND dir = ?",
        [(key, directory) for directory in directories],
    )


def drop_bundle(connection: apsw.Connection, key: int) -> None:
    """Remove a bundle and everything in it, children first."""
    ids = list(connection.execute("SELECT id FROM entries WHERE bundle_key = ?", (key,)))
    delete_texts(connection, ids)
    delete_structure(connection, ids)
    for table in ("entries", "file_citations", "files", "dir_state", "tombstones"):
        connection.execute(f"DELETE FROM {table} WHERE bundle_key = ?", (key,))
    connection.execute("DELETE FROM bundles WHERE key = ?", (key,))


def forget_old_tombstones(connection: apsw.Connection) -> None:
    """Keep the newest `MAX_TOMBSTONES`, and note from which generation on they are whole."""
    row = connection.execute(
        "SELECT generation FROM tombstones ORDER BY generation DESC LIMIT 1 OFFSET ?",
        (MAX_TOMBSTONES,),
    ).fetchone()
    if row is not None:
        connection.execute("DELETE FROM tombstones WHERE generation <= ?", row)
        connection.execute("REPLACE INTO meta VALUES ('forgotten', ?)", row)
