"""Connections to the index for worker threads, kept from one request to the next.

Opening one takes as long as a good part of a search, and a new one has none of the index's pages
in memory.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from akm_ls.index.store import Store, StoreError

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import BundleSet

KEPT = 2
"""As many as there are searches at once, mostly; each has some megabytes of pages."""


class StorePool:
    """Lends a store to one thread at a time. Usable from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: list[Store] = []
        self._closed = False

    @contextmanager
    def store(self, path: str, bundles: BundleSet) -> Iterator[Store]:
        """A store of the index file at ``path`` for ``bundles``.

        One that has failed is not used again.

        Raises:
            StoreError: the file cannot be opened.
        """
        store = self._take(path, bundles) or Store(path, bundles)
        try:
            yield store
        except StoreError:
            store.close()
            raise
        except BaseException:
            self._give_back(store)
            raise
        self._give_back(store)

    def close(self) -> None:
        """Close what is free now; what is in use is closed when it comes back."""
        with self._lock:
            self._closed = True
            free, self._free = self._free, []
        for store in free:
            store.close()

    def _take(self, path: str, bundles: BundleSet) -> Store | None:
        with self._lock:
            fitting = [it for it in self._free if it.path == path and it.bundles is bundles]
            others = [it for it in self._free if it not in fitting]
            found = fitting.pop() if fitting else None
            self._free = fitting
        for store in others:
            # The bundles or the place of the index are others now.
            store.close()
        return found

    def _give_back(self, store: Store) -> None:
        with self._lock:
            if not self._closed and len(self._free) < KEPT:
                self._free.append(store)
                return
        store.close()
