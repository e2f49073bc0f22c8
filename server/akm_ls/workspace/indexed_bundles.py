"""Bundles and what the index knows of them: a workspace in which nobody types anything."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from akm_ls.bundles.bundle import BundleSet
from akm_ls.bundles.discovery import resolve_bundles
from akm_ls.index.catalog import Catalog
from akm_ls.index.delta import Delta
from akm_ls.index.indexer import IndexReport, run_index, upsert_files
from akm_ls.index.memory import release_memory
from akm_ls.index.places import DATABASE, default_data_dir
from akm_ls.index.store import Store, StoreBusy, StoreError
from akm_ls.workspace.check_run import CheckRun, may_be_checked
from akm_ls.workspace.following import IndexFollower, Snapshot, snapshot_of
from akm_ls.workspace.semantic import EmbeddingOutcome, embed_workspace
from akm_ls.workspace.settings import Settings

if TYPE_CHECKING:
    from akm_ls.index.embedding import LineKind

logger = logging.getLogger(__name__)

READER_PATIENCE_MS = 250
"""How long `IndexedBundles.store` waits for a lock, which a reader needs only in a new file."""
WRITER_PATIENCE_MS = 1_000
"""How long a few changed files wait to be written; the catalog has them all the same."""
MUCH_INDEXED = 500
"""Assets written by one index run after which it has left much free memory behind."""


def nothing(*_: object) -> None:
    return None


def never() -> bool:
    return False


class IndexedBundles:
    """Which bundles are open, the index on disk, and the catalog that follows it.

    `Workspace` is the one to use; it opens the bundles (`resolve`) and lays documents over the
    catalog.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.catalog = Catalog()
        self.warnings: tuple[str, ...] = ()
        self.indexing = False
        self.embedding = False
        self.bundles = BundleSet()
        self._store: Store | None = None
        self.has_catalog = False
        """Whether the catalog has been filled."""

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    @property
    def data_dir(self) -> str:
        """Where the index lives (``--data-dir``, ``akm.dataDir``, else the platform's place)."""
        return self.settings.data_dir or default_data_dir()

    @property
    def store_path(self) -> str:
        return os.path.join(self.data_dir, DATABASE)

    def resolve(self) -> bool:
        """Find the bundles again; whether they are others than before."""
        before = self.bundles
        self.bundles = resolve_bundles(
            overrides=self.settings.bundle_dirs,
            overrides_from=self.settings.bundle_dirs_from,
            folders=self.settings.folders,
            config=self.settings.config,
        )
        self.catalog.expect(bundle.id for bundle in self.bundles)
        changed = before.bundles != self.bundles.bundles or before.default != self.bundles.default
        if changed:
            self.close()
        return changed

    @property
    def store(self) -> Store | None:
        """This thread's connection, opened on first use; ``None`` when the file is unusable.

        For reading: it does not wait for other processes.
        """
        if self._store is None:
            try:
                self._store = Store(self.store_path, self.bundles, patience_ms=READER_PATIENCE_MS)
            except StoreError as problem:
                self._warn(str(problem))
        return self._store

    def load(self) -> None:
        """Fill the catalog from the index; open documents stay laid over it."""
        self.take(self.snapshot())

    def require_catalog(self) -> None:
        """`load`, unless the catalog has been filled in some way."""
        if not self.has_catalog:
            self.load()

    def is_complete(self) -> bool:
        """Whether every bundle has been read once; also before the catalog is filled."""
        if self.has_catalog:
            return self.catalog.is_complete()
        store = self.store
        if store is None:
            return False
        try:
            complete = store.complete_bundles()
        except StoreError:
            return False
        return complete.issuperset(bundle.id for bundle in self.bundles)

    def snapshot(self) -> Snapshot:
        """What the index knows of the bundles; may run in any thread."""
        try:
            with Store(self.store_path, self.bundles) as store:
                return snapshot_of(store)
        except StoreError as problem:
            return Snapshot(problem=str(problem))

    def take(self, snapshot: Snapshot) -> None:
        """Make a snapshot the catalog's content."""
        if snapshot.problem:
            self._warn(snapshot.problem)
        self.has_catalog = True
        self.catalog.load(snapshot.stubs, snapshot.claims, snapshot.generation)
        self._refilled()
        for bundle_id in snapshot.complete:
            self.catalog.mark_complete(bundle_id)

    def index(
        self,
        *,
        full: bool = False,
        clean: bool = False,
        only: str | None = None,
        skip_if_locked: bool = False,
        check_run: CheckRun | None = None,
        on_progress: Callable[[int, int, str], None] = nothing,
        on_delta: Callable[[Delta], None] | None = None,
        cancelled: Callable[[], bool] = never,
    ) -> IndexReport:
        """Bring the index up to date; may run in any thread.

        The catalog is not touched: ``on_delta`` is called in the running thread, and its owner
        hands the deltas to `apply` in the thread that owns the workspace.
        """
        report = run_index(
            self.store_path,
            self.bundles,
            full=full,
            clean=clean,
            only=only,
            skip_if_locked=skip_if_locked,
            crew=None if check_run is None else check_run.crew,
            also=None if check_run is None else may_be_checked,
            on_progress=on_progress,
            on_delta=on_delta,
            on_whole=nothing if check_run is None else partial(check_run.open, self.settings),
            cancelled=cancelled,
        )
        if check_run is not None:
            check_run.walked = report.walked
        if report.added + report.changed > MUCH_INDEXED:
            release_memory()
        return report

    def refresh(
        self,
        *,
        full: bool = False,
        clean: bool = False,
        only: str | None = None,
        skip_if_locked: bool = False,
        check_run: CheckRun | None = None,
        follow: bool = True,
        on_progress: Callable[[int, int, str], None] = nothing,
        cancelled: Callable[[], bool] = never,
    ) -> IndexReport:
        """`index` in this thread, with the catalog following.

        Not ``follow``: the catalog is empty and stays so, until somebody needs it.
        """
        report = self.index(
            full=full,
            clean=clean,
            only=only,
            skip_if_locked=skip_if_locked,
            check_run=check_run,
            on_progress=on_progress,
            on_delta=(lambda delta: nothing(self.apply(delta))) if follow else None,
            cancelled=cancelled,
        )
        self.warnings = report.of_run
        return report

    def embed(
        self,
        *,
        reembed: bool = False,
        only: str | None = None,
        lazily: bool = False,
        on_line: Callable[[LineKind, str], None] = nothing,
        on_progress: Callable[[int, int], None] = nothing,
        cancelled: Callable[[], bool] = never,
    ) -> EmbeddingOutcome:
        """Give assets vectors of the configured model; see `semantic.embed_workspace`.

        May run in any thread that has no event loop, after `index`.
        """
        return embed_workspace(
            self.settings,
            self.store_path,
            self.bundles,
            reembed=reembed,
            only=only,
            lazily=lazily,
            on_line=on_line,
            on_progress=on_progress,
            cancelled=cancelled,
        )

    def apply(self, delta: Delta) -> Delta:
        """Take a delta of the index into the catalog; what is left of it for a reader."""
        self.has_catalog = True
        return self._followed(self.catalog.apply(delta))

    def upsert(self, paths: Sequence[str]) -> Delta:
        """Read some files again after they were written, created or deleted; in any thread.

        As with `index` the catalog is not touched. What another process kept from being written
        is in the delta, and under ``deferred``: it wants to be tried again.
        """
        try:
            with Store(self.store_path, self.bundles, patience_ms=WRITER_PATIENCE_MS) as store:
                try:
                    return upsert_files(store, paths)
                except StoreBusy:
                    return upsert_files(store, paths, write=False)
        except StoreError as problem:
            logger.warning("%s", problem)
            return Delta()

    def files_changed(self, paths: Sequence[str]) -> Delta:
        """`upsert` in this thread, with the catalog following."""
        return self.apply(self.upsert(paths))

    def _followed(self, delta: Delta) -> Delta:
        """The catalog has taken a delta: whatever is derived from it follows."""
        return delta

    def _refilled(self) -> None:
        """The catalog was filled anew: whatever is derived from it is void."""

    def follower(self) -> IndexFollower:
        """Tells what other processes do to the index; for use in other threads."""
        return IndexFollower(self.store_path, self.bundles)

    # Paths.

    def canonical(self, path: str) -> str:
        """The one spelling of a path: below its bundle's real root."""
        owner = self.bundles.relative(path)
        if owner is None:
            return os.path.normpath(path)
        bundle, rel = owner
        return os.path.join(bundle.real_root, *rel.split("/")) if rel else bundle.real_root

    def display_path(self, path: str) -> str:
        """A canonical path as the user spells it, below the bundle's root as given."""
        owner = self.bundles.relative(path)
        if owner is None or owner[0].root == owner[0].real_root:
            return path
        return owner[0].path_of(owner[1])

    def _warn(self, message: str) -> None:
        logger.warning("%s", message)
        if message not in self.warnings:
            self.warnings = (*self.warnings, message)
