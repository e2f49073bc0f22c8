"""Opening the index file, and what happens when it is damaged.

Only damage deletes the file (SQLITE_CORRUPT, SQLITE_NOTADB; akm.md §9.4). Everything in it can
be made again from the bundles.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import apsw

from akm_ls.index import schema

logger = logging.getLogger(__name__)

PATIENCE_MS = 30_000
"""How long one waits for another process's write transaction; those are short."""
_SUFFIXES = ("-wal", "-shm", "-journal", "")

_Result = TypeVar("_Result")


class StoreError(Exception):
    """The index file cannot be used; ``str(error)`` is one line for the user."""


class StoreBusy(StoreError):
    """Another process has held the index for as long as this one was ready to wait."""


_ATTEMPTS = 3
_PAUSE = 0.05
"""Seconds until a file is opened again that somebody else is deleting at this moment."""


class StoreDamaged(StoreError):
    """The index file is not a sound database: it will be made again."""


class StoreReplaced(StoreError):
    """The index is another file than it was, or lost a bundle, since the work was begun."""


class Database:
    """One connection to the index file, for one thread.

    Another process may delete or replace the file; `connection` then opens the new one. Errors
    of SQLite leave as `StoreError` where calls go through `run`.

    Args:
        patience_ms: how long to wait for another process's lock. Readers need none.

    Raises:
        StoreError: the file or its directory cannot be created, read or written.
    """

    def __init__(self, path: str, *, cache_kib: int = 4096, patience_ms: int = PATIENCE_MS) -> None:
        self.path = path
        self._cache_kib = cache_kib
        self._patience_ms = patience_ms
        self._identity: tuple[int, int] | None = None
        self._connection: apsw.Connection | None = None
        self._closed = False
        with _translated(path):
            self._open_sound()

    def close(self) -> None:
        self._closed = True
        self._drop()

    @property
    def identity(self) -> tuple[int, int] | None:
        """`identity_of` the file that is open."""
        return self._identity

    @property
    def connection(self) -> apsw.Connection:
        """The open connection; a new one if the file has been replaced since."""
        if self._closed:
            raise StoreError(f"The index {self.path} is closed.")
        if self._connection is None or self._identity != identity_of(self.path):
            self._drop()
            self._open_sound()
        assert self._connection is not None
        return self._connection

    def run(self, action: Callable[[apsw.Connection], _Result]) -> _Result:
        """``action`` on the connection, once more if the file had to be made again.

        Raises:
            StoreError: SQLite's error, in one line.
        """
        with _translated(self.path):
            try:
                return action(self.connection)
            except (apsw.CorruptError, apsw.NotADBError) as problem:
                self.rebuild(str(problem))
                return action(self.connection)
            except apsw.IOError:
                # Its files were taken away one by one, by whoever deletes or replaces it.
                self._drop()
                return action(self.connection)

    def write(self, action: Callable[[apsw.Connection], _Result]) -> _Result:
        """``action`` in a write transaction of its own: all of it or nothing.

        Raises:
            StoreDamaged: the file was damaged and is empty now.
            StoreReplaced: it could not be written, as when it is deleted meanwhile.
            StoreError: SQLite's error, in one line.
        """
        with _translated(self.path):
            connection = self.connection
            try:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    result = action(connection)
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        with contextlib.suppress(apsw.Error):
                            connection.execute("ROLLBACK")
                    raise
                return result
            except (apsw.CorruptError, apsw.NotADBError) as problem:
                self.rebuild(str(problem))
                raise StoreDamaged(f"The index {self.path} was damaged; made it again.") from None
            except apsw.IOError as problem:
                self._drop()
                raise StoreReplaced(f"The index {self.path} cannot be used: {problem}.") from None

    def settle(self) -> None:
        """Move what was written from the log into the file, as far as others let it.

        Whoever closes the file last would have to, and a command's user would wait for it.
        """
        with contextlib.suppress(apsw.Error, StoreError):
            self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def rebuild(self, reason: str) -> None:
        """Delete the damaged file and start an empty one, unless another process has done so."""
        # The open connection keeps the file's identity from being used for a new file.
        if self._identity is not None and self._identity == identity_of(self.path):
            logger.warning("The index %s is damaged (%s): making it again.", self.path, reason)
            _delete(self.path)
        self._drop()
        self._open()

    def _open_sound(self) -> None:
        for attempt in range(_ATTEMPTS):
            try:
                self._open()
            except (apsw.CorruptError, apsw.NotADBError) as problem:
                self.rebuild(str(problem))
            except apsw.IOError:
                self._drop()
                if attempt == _ATTEMPTS - 1:
                    raise
                time.sleep(_PAUSE)
                continue
            return

    def _open(self) -> None:
        os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        connection = apsw.Connection(self.path, flags=flags, statementcachesize=64)
        self._connection = connection
        self._identity = identity_of(self.path)
        connection.set_busy_timeout(self._patience_ms)
        if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            # Only a new file takes the page size: a sixth less work where much is written.
            connection.execute("PRAGMA page_size = 16384; PRAGMA journal_mode = WAL")
        # No memory map: it makes nothing faster here, and what it maps counts as the server's.
        connection.execute(
            "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF;"
            f"PRAGMA cache_size = -{self._cache_kib}; PRAGMA temp_store = MEMORY;"
            "PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864"
        )
        if not schema.is_current(connection):
            connection.execute("BEGIN IMMEDIATE")
            try:
                notice = schema.migrate(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            if notice:
                logger.warning("%s", notice)

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close(True)
        self._connection = None
        self._identity = None


@contextlib.contextmanager
def _translated(path: str) -> Iterator[None]:
    """SQLite's and the system's errors as a `StoreError` that an author understands."""
    try:
        yield
    except apsw.FullError:
        raise StoreError(f"The index {path} cannot be written: the disk is full.") from None
    except apsw.ReadOnlyError:
        raise StoreError(f"The index {path} cannot be written: it is read-only.") from None
    except apsw.CantOpenError:
        raise StoreError(
            f"The index {path} cannot be opened. Is its directory writable? "
            "(--data-dir puts it elsewhere.)"
        ) from None
    except (apsw.BusyError, apsw.LockedError):
        raise StoreBusy(
            f"The index {path} is locked by another process that does not let go."
        ) from None
    except apsw.Error as problem:
        raise StoreError(f"The index {path} cannot be used: {problem}.") from None
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        raise StoreError(f"The index {path} cannot be used: {reason}.") from None


def identity_of(path: str) -> tuple[int, int] | None:
    """What tells the file at ``path`` from one that takes its place; ``None``: there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _delete(path: str) -> None:
    for suffix in _SUFFIXES:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path + suffix)
