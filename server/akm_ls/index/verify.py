"""Whether the tables of the index agree with one another, and mending where they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.counts import count
from akm_ls.index.schema import UNREAD, has_full_text, mark_texts

if TYPE_CHECKING:
    import apsw

_MISSING_TEXT = "SELECT id FROM entries WHERE id NOT IN (SELECT rowid FROM entries_fts)"
_LOST_TEXT = "SELECT rowid FROM entries_fts WHERE rowid NOT IN (SELECT id FROM entries)"
_ORPHANS = "SELECT DISTINCT entry_id FROM {table} WHERE entry_id NOT IN (SELECT id FROM entries)"
_UNOWNED = (
    "FROM file_citations AS c WHERE NOT EXISTS"
    " (SELECT 1 FROM files AS f WHERE f.bundle_key = c.bundle_key AND f.rel = c.rel)"
)
_TWICE = (
    "FROM file_citations AS c WHERE EXISTS (SELECT 1 FROM files AS f JOIN entries AS e"
    " ON e.bundle_key = f.bundle_key AND e.concept_id = f.concept_id AND e.rel = f.rel"
    " WHERE f.bundle_key = c.bundle_key AND f.rel = c.rel)"
)
_CHILDREN = ("fragments", "citations", "embeddings")


def disagreements(connection: apsw.Connection) -> tuple[str, ...]:
    """What is wrong, one line each; nothing is changed. Call it in one view of the database."""
    found = []
    if has_full_text(connection):
        (entries,) = connection.execute("SELECT count(*) FROM entries").fetchone() or (0,)
        (texts,) = connection.execute("SELECT count(*) FROM entries_fts").fetchone() or (0,)
        if entries != texts:
            found.append(
                f"{count(entries, 'entry', 'entries')} but {count(texts, 'full-text row')}"
            )
    for table in _CHILDREN:
        (orphans,) = connection.execute(
            f"SELECT count(*) FROM ({_ORPHANS.format(table=table)})"
        ).fetchone() or (0,)
        if orphans:
            found.append(f"{table} of {count(orphans, 'entry', 'entries')} that cannot be found")
    for what, rows in (("no file", _UNOWNED), ("files that are entries", _TWICE)):
        (strays,) = connection.execute(f"SELECT count(*) {rows}").fetchone() or (0,)
        if strays:
            found.append(f"{count(strays, 'citation')} of {what}")
    (headless,) = connection.execute(
        "SELECT count(*) FROM entries AS e LEFT JOIN files AS f"
        " ON f.bundle_key = e.bundle_key AND f.rel = e.rel"
        " WHERE f.concept_id IS NOT e.concept_id"
    ).fetchone() or (0,)
    if headless:
        found.append(f"{count(headless, 'entry', 'entries')} without a file")
    return tuple(found)


def mend(connection: apsw.Connection) -> None:
    """Remove what hangs on nothing and mark for reading what is incomplete.

    Call it in a write transaction; the next run reads the marked files again.
    """
    textless = "SELECT NULL"
    if has_full_text(connection):
        textless = _MISSING_TEXT
        lost = list(connection.execute(_LOST_TEXT))
        connection.executemany("DELETE FROM entries_fts WHERE rowid = ?", lost)
        mark_texts(connection, f"id IN ({_MISSING_TEXT})")
    for table in _CHILDREN:
        orphans = list(connection.execute(_ORPHANS.format(table=table)))
        connection.executemany(f"DELETE FROM {table} WHERE entry_id = ?", orphans)
    for rows in (_UNOWNED, _TWICE):
        strays = list(connection.execute(f"SELECT DISTINCT c.bundle_key, c.rel {rows}"))
        connection.executemany(
            "DELETE FROM file_citations WHERE bundle_key = ? AND rel = ?", strays
        )
    incomplete = list(
        connection.execute(
            f"SELECT bundle_key, rel FROM entries WHERE id IN ({textless})"
            " UNION SELECT e.bundle_key, e.rel FROM entries AS e LEFT JOIN files AS f"
            " ON f.bundle_key = e.bundle_key AND f.rel = e.rel"
            " WHERE f.concept_id IS NOT e.concept_id"
        )
    )
    connection.executemany(
        f"UPDATE files SET content_hash = '{UNREAD}', racy = 1 WHERE bundle_key = ? AND rel = ?",
        incomplete,
    )
    if incomplete:
        connection.execute("DELETE FROM dir_state")
