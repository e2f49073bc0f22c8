"""What becomes of the index file behind this process's back.

Other servers and commands write to it, and it may be deleted or replaced at any time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from akm_ls.index.database import identity_of
from akm_ls.index.delta import Claims, Delta
from akm_ls.index.store import Store, StoreError
from akm_ls.index.stub import Stub

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import BundleSet

PATIENCE_MS = 1_000


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The index's content as the catalog wants it.

    It has at least what was written up to ``generation``; later changes may be in it as well.
    """

    stubs: Sequence[Stub] = ()
    claims: Sequence[Claims] = ()
    complete: frozenset[str] = frozenset()
    generation: int = 0
    problem: str = ""


def snapshot_of(store: Store) -> Snapshot:
    """
    Raises:
        StoreError: the index file cannot be used.
    """
    generation = store.generation()
    return Snapshot(store.stubs(), store.claims(), store.complete_bundles(), generation)


@dataclass(frozen=True, slots=True)
class Followed:
    """What was written to the index since a generation, up to ``generation``.

    ``lost``: the file is another one than the catalog was made from, or some bundle's rows are
    gone from it. Then only an index run, and a snapshot after it, can bring both together.
    """

    delta: Delta = field(default_factory=Delta)
    generation: int = 0
    lost: bool = False


class IndexFollower:
    """Watches one index file for one set of bundles.

    Everything but `is_replaced` is for one thread at a time, whichever. The connection stays
    open: while it is, the system gives the identity of a deleted file to no other one.
    """

    def __init__(self, path: str, bundles: BundleSet) -> None:
        self._path = path
        self._bundles = bundles
        self._store: Store | None = None
        self._version: int | None = None
        self._identity: tuple[int, int] | None = None
        """Of the file that the last snapshot was taken of."""

    def close(self) -> None:
        self._drop()
        self._identity = None

    def is_replaced(self) -> bool:
        """Whether the file was deleted or replaced since `snapshot`; from any thread, one stat."""
        identity = self._identity
        return identity is not None and identity != identity_of(self._path)

    def snapshot(self) -> Snapshot:
        """Everything; what `look` tells from now on is relative to it."""
        try:
            self._drop()
            self._identity = self._opened().database.identity
            # By a connection of its own: reading everything fills a cache that is not needed again.
            with Store(self._path, self._bundles) as store:
                return snapshot_of(store)
        except StoreError as problem:
            self.close()
            return Snapshot(problem=str(problem))

    def look(self, since: int, complete: Collection[str]) -> Followed | None:
        """What any process has written after generation ``since``; ``None``: nothing.

        ``complete`` are the bundles which the catalog has whole. An index that cannot be read
        just now is no news.
        """
        if self.is_replaced():
            return Followed(lost=True)
        try:
            store = self._opened()
            version = store.data_version()
            if self._identity is None:
                return Followed(lost=True)  # it can be used again
            if version == self._version:
                return None
            changes = store.changes(since)
        except StoreError:
            self._drop()
            return None
        if changes is None or not changes.complete.issuperset(complete):
            return Followed(lost=True)
        self._version = version
        return Followed(changes.delta, changes.generation)

    def _drop(self) -> None:
        if self._store is not None:
            self._store.close()
        self._store = self._version = None

    def _opened(self) -> Store:
        if self._store is None:
            self._store = Store(self._path, self._bundles, patience_ms=PATIENCE_MS)
        return self._store
