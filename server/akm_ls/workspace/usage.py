"""What the user does with what was found: kept on this machine, to rank it better next time."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from akm_ls.search.usage.store import USAGE_FILE, UsageEvent, UsageStore
from akm_ls.search.usage.utility import UseKind, Utility, no_utility

if TYPE_CHECKING:
    from akm_ls.search.usage.tally import Tally
    from akm_ls.workspace.settings import Settings

REMEMBERED = 400
"""Assets of the last searches that a use may be put down to."""
REMEMBERED_SECONDS = 30 * 60
ONCE_SECONDS = 60
"""The same use again within this time is the same use."""


class Usage:
    """Notes uses of assets, and gives their utilities. All of it does nothing when it is off.

    What is noted waits in memory until `flush`, which may run in any thread.

    Args:
        settings: the current settings and the directory of the state file.
    """

    def __init__(
        self,
        settings: Callable[[], tuple[Settings, str]],
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._now = now
        self._found: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._noted: dict[tuple[str, str, str], float] = {}
        self._pending: list[UsageEvent] = []
        self._lock = threading.Lock()
        self._store: UsageStore | None = None

    @property
    def is_on(self) -> bool:
        return self._settings()[0].usage

    @property
    def is_expectant(self) -> bool:
        """Whether something was found lately that could be used now."""
        return bool(self._found) and self.is_on

    @property
    def project(self) -> str:
        """A hash of the open folders: one project is told from another, and none is named."""
        folders = sorted(map(os.path.realpath, self._settings()[0].folders))
        if not folders:
            return ""
        digest = hashlib.sha256("\0".join(folders).encode("utf-8", "surrogateescape"))
        return digest.hexdigest()[:16]

    def found(self, assets: Iterable[tuple[str, str]]) -> None:
        """A search, a pack or a list of commands gave these (bundle, concept id)."""
        if not self.is_on:
            return
        now = self._now()
        for asset in assets:
            self._found.pop(asset, None)
            self._found[asset] = now
        while len(self._found) > REMEMBERED:
            self._found.popitem(last=False)

    def used(self, kind: UseKind, bundle: str, concept_id: str) -> bool:
        """Note a use; whether there now is something to `flush`.

        To open or insert something that no search gave is writing, not using what was found.
        """
        if not self.is_on:
            return False
        now = self._now()
        found_at = self._found.get((bundle, concept_id))
        searched = found_at is not None and now - found_at <= REMEMBERED_SECONDS
        if kind != "show" and not searched:
            return False
        key = (kind, bundle, concept_id)
        if now - self._noted.get(key, -ONCE_SECONDS) < ONCE_SECONDS:
            return False
        if len(self._noted) > REMEMBERED:
            self._noted.clear()
        self._noted[key] = now
        with self._lock:
            self._pending.append(UsageEvent(now, kind, bundle, concept_id, self.project, searched))
        return True

    def flush(self) -> None:
        """Write what was noted."""
        with self._lock:
            events, self._pending = self._pending, []
        if events:
            self._open().record(events)

    def utilities(self, bundle: str, concept_ids: Iterable[str]) -> Mapping[str, float]:
        """Utilities from 0 to 1 of those assets that have been used; a pure read."""
        if not self.is_on:
            return {}
        return self._open().utilities(bundle, concept_ids, self.project)

    def lookup(self) -> Utility:
        """For the ranking of one search, from any thread: an asset's utility, from 0 to 1.

        The file is asked once, when the first asset is looked up.
        """
        known: list[tuple[Tally, float]] = []

        def utility(bundle: str, concept_id: str) -> float:
            if not known:
                known.append((self._open().tally(self.project), self._now()))
            tally, now = known[0]
            return tally.utility(bundle, concept_id, now)

        return utility if self.is_on else no_utility

    def close(self) -> None:
        self.flush()
        if self._store is not None:
            self._store.close()
            self._store = None

    def _open(self) -> UsageStore:
        path = os.path.join(self._settings()[1], USAGE_FILE)
        with self._lock:
            store = self._store
            if store is None or store.path != path:
                if store is not None:
                    store.close()
                store = self._store = UsageStore(path, now=self._now)
            return store
