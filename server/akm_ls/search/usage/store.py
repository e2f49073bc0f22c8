"""Uses of assets in a file of their own, which no rebuild of the index touches.

A row says when (to the second), how (shown, opened, inserted), which asset, whether a search led
to it, and a hash of the project's directories. No query, no text and no path is kept.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import apsw

from akm_ls.search.usage.utility import DAY, Use, UseKind, utility_of

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
_T = TypeVar("_T")


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
        wanted = json.dumps(list(concept_ids))

        def read(connection: apsw.Connection) -> list[Any]:
            return connection.execute(
                "SELECT concept_id, kind, at, project, searched FROM usage_events"
                " WHERE bundle = ? AND concept_id IN (SELECT value FROM json_each(?))",
                (bundle, wanted),
            ).fetchall()

        rows: list[Any] = []
        uses: dict[str, list[Use]] = defaultdict(list)
        for concept_id, kind, at, where, searched in self._run(read, rows):
            in_project = not project or where == project
            uses[concept_id].append(Use(kind, at, in_project, bool(searched)))
        now = self._now()
        return {key: value for key, used in uses.items() if (value := utility_of(used, now)) > 0}

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
        if self._connection is not None and os.path.exists(self.path):
            return self._connection
        os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
        connection = apsw.Connection(self.path)
        connection.set_busy_timeout(PATIENCE_MS)
        connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        for statement in (_TABLE, _BY_ASSET, _BY_TIME):
            connection.execute(statement)
        self._connection = connection
        return connection

    def _delete(self) -> None:
        if self._connection is not None:
            self._connection.close(True)
            self._connection = None
        for suffix in ("-wal", "-shm", ""):
            with contextlib.suppress(OSError):
                os.unlink(self.path + suffix)
