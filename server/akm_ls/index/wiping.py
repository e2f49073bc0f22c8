"""No byte of a file that has become sensitive stays in the index file.

Removing rows leaves their text in free pages, in the full-text segments and in the write-ahead
log; so do versions of the file that were replaced long ago. `note` enters, in the transaction that
removes the rows, that the file is to be wiped, and `wipe` writes all that is left of it anew.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import apsw

from akm_ls.bundles.sensitive import is_secret, is_sensitive
from akm_ls.index.database import PATIENCE_MS
from akm_ls.index.rows import native_path
from akm_ls.index.schema import has_full_text

if TYPE_CHECKING:
    from akm_ls.index.rows import PreparedFile

logger = logging.getLogger(__name__)

_OWED = "unwiped"
"""In ``meta`` from the removal until the file has been wiped, with another value every time."""
_HIDING = ("secrets", "vaults")


def note(
    connection: apsw.Connection,
    key: int,
    prefix: str,
    files: Iterable[PreparedFile],
    removed: Iterable[str],
    fresh: Iterable[str],
) -> None:
    """Enter that the index file is to be wiped, if a file has become sensitive.

    Call it in the write transaction, before the rows are written.

    Args:
        key: the bundle's; ``prefix`` is its real root with a separator.
        files: what is written; those that have become sensitive were not opened.
        removed: what is removed.
        fresh: all that is read, also in other transactions: a file that is now a secret may be
            one of these.
    """
    lost = [*removed, *(file.rel for file in files if not file.content_hash)]
    if _is_sensitive_text(connection, key, prefix, lost, fresh):
        connection.execute("REPLACE INTO meta VALUES (?, random())", (_OWED,))


def is_owed(connection: apsw.Connection) -> bool:
    """Whether the index file is still to be wiped."""
    return _owed(connection) is not None


def wipe(path: str, *, patience_ms: int = PATIENCE_MS) -> None:
    """Write the index file anew, without what was removed; readers go on meanwhile.

    Takes about a second for 100 MB. Where another process is in the way, the next run of the
    index has to try again: `is_owed` stays true.
    """
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.set_busy_timeout(patience_ms)
            connection.execute("PRAGMA secure_delete = ON")
            owed = _owed(connection)
            if has_full_text(connection):
                connection.execute("INSERT INTO entries_fts (entries_fts) VALUES ('optimize')")
            connection.execute("VACUUM")
            (is_busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() or (1,)
            if not is_busy:
                connection.execute("DELETE FROM meta WHERE (key, value) = (?, ?)", (_OWED, owed))
                return
            problem = "somebody is reading it"
        finally:
            connection.close(True)
    except apsw.Error as error:
        problem = str(error)
    logger.warning(
        "Text of a file that is sensitive now may still be in %s (%s): the next run wipes it.",
        path,
        problem,
    )


def _owed(connection: apsw.Connection) -> int | None:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (_OWED,)).fetchone()
    return None if row is None else row[0]


def _is_sensitive_text(
    connection: apsw.Connection,
    key: int,
    prefix: str,
    lost: Sequence[str],
    fresh: Iterable[str],
) -> bool:
    def exists(rel: str) -> bool:
        return os.path.lexists(native_path(prefix, rel))

    had_text = [rel for rel in lost if not is_secret(rel)]
    if any(is_sensitive(rel, exists) or any(map(exists, _hidden(rel))) for rel in had_text):
        return True
    tombstones = "SELECT concept_id FROM tombstones WHERE bundle_key = ?"
    if not had_text and connection.execute(f"{tombstones} LIMIT 1", (key,)).fetchone() is None:
        return False
    known = "SELECT 1 FROM files WHERE bundle_key = ? AND rel = ?"
    new = [
        rel
        for rel in fresh
        if is_secret(rel) and connection.execute(known, (key, rel)).fetchone() is None
    ]
    if had_text and new:
        return True
    # One that was removed before may have been this one.
    names = {_stem(rel) for rel in new}
    return bool(names) and any(
        _stem(concept_id) in names for (concept_id,) in connection.execute(tombstones, (key,))
    )


def _hidden(rel: str) -> Iterator[str]:
    """Where a file is likely to be if it was moved to secrets, alone or with its directory."""
    parts = rel.split("/")
    for above in range(len(parts)):
        for below in range(above, len(parts)):
            for hiding in _HIDING:
                yield "/".join([*parts[:above], hiding, *parts[below:]])


def _stem(rel: str) -> str:
    return rel.rpartition("/")[2].partition(".")[0]
