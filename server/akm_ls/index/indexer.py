"""Bringing the index up to date with the files: all of a workspace's bundles, or some files."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from akm_ls.bundles.bundle import BundleSet
from akm_ls.index import bundle_keys, verify
from akm_ls.index.database import Database, StoreDamaged
from akm_ls.index.delta import Delta
from akm_ls.index.locks import rebuild_lock
from akm_ls.index.rows import PreparedFile, prepare, prepared, root_prefix
from akm_ls.index.scan import BundleScan, is_racy, scan
from akm_ls.index.store import claimed_twice
from akm_ls.index.targeted import upsert_files
from akm_ls.index.workers import read_files
from akm_ls.index.writer import (
    MAX_TOMBSTONES,
    Target,
    Written,
    drop_bundle,
    forget_directories,
    write,
)

if TYPE_CHECKING:
    import apsw

    from akm_ls.bundles.bundle import Bundle

__all__ = ["IndexReport", "run_index", "upsert_files"]

logger = logging.getLogger(__name__)

GROUP_FILES = 500
GROUP_SECONDS = 0.25
"""At most so much goes into one transaction, so that other processes get their turn."""
MAX_WARNINGS = 200


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one run did. ``files`` were walked; the other numbers count assets.

    ``seconds`` is wall time. ``entries`` and ``unchanged`` are over the bundles of the run.
    """

    mode: Literal["full", "incremental"] = "incremental"
    bundles: int = 0
    files: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    entries: int = 0
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    skipped_locked: bool = False
    cancelled: bool = False


def run_index(
    store_path: str,
    bundles: BundleSet,
    *,
    full: bool = False,
    clean: bool = False,
    only: str | None = None,
    workers: int | None = None,
    skip_if_locked: bool = False,
    config: str | None = None,
    on_progress: Callable[[int, int, str], None] = lambda done, total, label: None,
    on_delta: Callable[[Delta], None] = lambda delta: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> IndexReport:
    """Index every bundle of the set, or the one called ``only``. Runs in any thread.

    Args:
        full: read every file, also those that have not changed; ids and vectors stay.
        clean: also remove what `bundle_keys` calls left over.
        workers: reading processes; 0: read in this one, ``None``: as many as are worth it.
        skip_if_locked: do nothing while another process rebuilds the index.
        config: the configuration file that ``bundles`` come from, if one was read.
        on_progress: called with files done, files to read, and a bundle's id.
        on_delta: called after every commit with what it changed, in this thread.
        cancelled: asked between batches. What has been written stays; the next run goes on.

    Raises:
        StoreError: the index file cannot be used.
    """
    started = time.perf_counter()
    os.makedirs(os.path.dirname(store_path) or ".", exist_ok=True)
    with rebuild_lock(store_path) as holder:
        warnings: list[str] = []
        mode: Literal["full", "incremental"] = "full" if full else "incremental"
        if holder is not None:
            if skip_if_locked:
                return IndexReport(
                    mode, skipped_locked=True, seconds=time.perf_counter() - started
                )
            warnings.append(f"The index is being rebuilt by {holder}; indexing all the same.")
        database = Database(store_path)
        try:
            run = _Run(database, bundles, only, config, workers, on_progress, on_delta, cancelled)
            for attempt in range(3):
                try:
                    done = run.once(full=full, clean=clean)
                    break
                except StoreDamaged as problem:
                    # Everything is read again: the new file is empty.
                    warnings.append(str(problem))
                    if attempt == 2:
                        raise
            warnings += run.warnings
        finally:
            database.close()
    added, changed, removed = len(run.added), run.changed, run.removed
    return IndexReport(
        mode=mode,
        bundles=len(run.bundles),
        files=done.files,
        added=added,
        changed=changed,
        removed=removed,
        unchanged=max(done.entries - added - changed, 0),
        entries=done.entries,
        warnings=_bounded(warnings),
        seconds=time.perf_counter() - started,
        cancelled=done.cancelled,
    )


@dataclass(frozen=True, slots=True)
class _Done:
    files: int
    entries: int
    cancelled: bool


@dataclass(slots=True)
class _Group:
    """What goes into the next transaction."""

    files: list[PreparedFile] = field(default_factory=list)
    since: float = 0.0


class _Run:
    def __init__(
        self,
        database: Database,
        bundles: BundleSet,
        only: str | None,
        config: str | None,
        workers: int | None,
        on_progress: Callable[[int, int, str], None],
        on_delta: Callable[[Delta], None],
        cancelled: Callable[[], bool],
    ) -> None:
        self._database = database
        self._all = bundles
        self.bundles = [bundle for bundle in bundles if only in (None, bundle.id)]
        self._config = config
        self._workers = workers
        self._on_progress = on_progress
        self._on_delta = on_delta
        self._cancelled = cancelled
        self.added: set[tuple[str, str]] = set()
        self.changed = 0
        self.removed = 0
        self.warnings: list[str] = []
        self._wrote = False
