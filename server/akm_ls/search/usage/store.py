"""Uses of assets in a file of their own, which no rebuild of the index touches.

A row says when (to the second), how (shown, opened, inserted), which asset, whether a search led
to it, and a hash of the project's directories. No query, no text and no path is kept.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import apsw

from akm_ls.index.database import identity_of
from akm_ls.search.usage.tally import Tally, UseRow
from akm_ls.search.usage.utility import DAY, UseKind

logger = logging.getLogger(__name__)

USAGE_FILE = "usage.db"
KEPT_DAYS = 180
KEPT_EVENTS = 50_000
PATIENCE_MS = 200
_PURGE_EVERY = DAY
_TABLE = (
    "CREATE TABLE IF NOT EXISTS usage_events ("
    "id INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, bundle TEXT NOT NULL,"
    " concept_id TEXT NOT NULL, project TEXT NOT NULL DEFAULT '',"
    " searched INTEGER NOT NULL DEFAULT 0)"
)
_BY_ASSET = "CREATE INDEX IF NOT EXISTS usage_by_asset ON usage_events(bundle, concept_id)"
_BY_TIME = "CREATE INDEX IF NOT EXISTS usage_by_time ON usage_events(at)"
_ENDS = "SELECT (SELECT min(id) FROM usage_events), (SELECT max(id) FROM usage_events)"
_SINCE = "SELECT id, bundle, concept_id, kind, at, project, searched FROM usage_events WHERE id > ?"
_T = TypeVar("_T")


class _Tallied(NamedTuple):
    """A tally, the file and first row it was made from, and the last row that is in it."""

    tally: Tally
    mark: tuple[tuple[int, int] | None, int | None]
    last: int


@dataclass(frozen=True, slots=True)
class UsageEvent:
    """One use. ``at`` is in seconds since 1970, ``project`` a hash or ``""``."""

    at: float
    kind: UseKind
    bundle: str
    concept_id: str
    project: str = ""
    searched: bool = False


class UsageStore:
    """The events in one file. May be used from several threads, and by several processes.

    Use is nothing to fail for: where the file cannot be used, nothing is recorded and every
    utility is 0.
    """

    def __init__(self, path: str, *, now: Callable[[], float] = time.time) -> None:
        self.path = path
        self._now = now
        self._lock = threading.Lock()
        self._connection: apsw.Connection | None = None
        self._purged = 0.0
        self._file: tuple[int, int] | None = None
        self._tallied: _Tallied | None = None

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close(True)
            self._connection = None

    def record(self, events: Sequence[UsageEvent]) -> None:
        """Write some events; old ones are dropped once a day."""
        if not events:
            return
        rows = [
            (int(it.at), it.kind, it.bundle, it.concept_id, it.project, int(it.searched))
            for it in events
        ]

        def write(connection: apsw.Connection) -> None:
            with connection:
                connection.executemany(
                    "INSERT INTO usage_events(at, kind, bundle, concept_id, project, searched)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    rows,
                )

        if (
            self._run(write, None, create=True) is None
            and self._now() - self._purged > _PURGE_EVERY
        ):
            self.purge()

    def purge(self) -> None:
        """Drop what is older than `KEPT_DAYS`, and all but the last `KEPT_EVENTS`."""
        self._purged = self._now()
        oldest = int(self._purged - KEPT_DAYS * DAY)

        def write(connection: apsw.Connection) -> None:
            with connection:
                connection.execute("DELETE FROM usage_events WHERE at < ?", (oldest,))
                connection.execute(
                    "DELETE FROM usage_events WHERE id <="
                    " (SELECT id FROM usage_events ORDER BY id DESC LIMIT 1 OFFSET ?)",
                    (KEPT_EVENTS,),
                )

        self._run(write, None)

    def utilities(
        self, bundle: str, concept_ids: Iterable[str], project: str = ""
    ) -> dict[str, float]:
        """The utility of each asset that has one, from 0 to 1; reads only.

        Without a project every use counts as one in the project at hand.
        """
        tally, now = self.tally(project), self._now()
        found = ((key, tally.utility(bundle, key, now)) for key in concept_ids)
        return {key: value for key, value in found if value > 0}

    def tally(self, project: str = "") -> Tally:
        """What all uses come to by now, those of other processes included; reads only.

        Kept, and brought up to date with what was written since: one look at the file's ends.
        """

        def read(connection: apsw.Connection) -> Tally:
            ends: list[Any] = connection.execute(_ENDS).fetchall()
            first, last = ends[0]
            known, now = self._tallied, self._now()
            mark = (identity_of(self.path), first)
            since = 0 if known is None else known.last
            if (
                known is None
                or known.mark != mark
                or known.tally.project != project
                or since > (last or 0)
            ):
                known, since = None, 0
            tally = Tally(project, now) if known is None else known.tally
            if since != (last or 0):
                tally.add(map(UseRow._make, connection.execute(_SINCE, (since,))), now)
            self._tallied = _Tallied(tally, mark, last or 0)
            return tally

        return self._run(read, Tally(project, self._now()))

    def count(self) -> int:
        """How many events there are."""

        def read(connection: apsw.Connection) -> int:
            rows: list[Any] = connection.execute("SELECT count(*) FROM usage_events").fetchall()
            return int(rows[0][0])

        return self._run(read, 0)

    def _run(
        self, action: Callable[[apsw.Connection], _T], otherwise: _T, *, create: bool = False
    ) -> _T:
        with self._lock:
            try:
                if not create and not os.path.exists(self.path):
                    return otherwise
                return action(self._open())
            except (apsw.CorruptError, apsw.NotADBError):
                logger.warning("%s is damaged: the history of use begins anew.", self.path)
                self._delete()
            except (apsw.Error, OSError) as problem:
                logger.info("%s: use is not recorded (%s).", self.path, type(problem).__name__)
            return otherwise

    def _open(self) -> apsw.Connection:
        if self._connection is not None:
            if self._file is not None and self._file == identity_of(self.path):
                return self._connection
            self._connection.close(True)
            self._connection = None
        os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
        connection = apsw.Connection(self.path)
        connection.set_busy_timeout(PATIENCE_MS)
        connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        for statement in (_TABLE, _BY_ASSET, _BY_TIME):
            connection.execute(statement)
        self._connection = connection
        self._file = identity_of(self.path)
        return connection

    def _delete(self) -> None:
        if self._connection is not None:
            self._connection.close(True)
            self._connection = None
        for suffix in ("-wal", "-shm", ""):
            with contextlib.suppress(OSError):
                os.unlink(self.path + suffix)
