"""Bringing the index up to date with the files: all of a workspace's bundles, or some files."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from akm_ls.counts import count
from akm_ls.index import bundle_keys, schema, verify, wiping
from akm_ls.index.database import Database, StoreDamaged, StoreError, StoreReplaced
from akm_ls.index.delta import Delta
from akm_ls.index.locks import BEING_REBUILT, Holder, rebuild_lock
from akm_ls.index.removal import drop_bundle, forget_directories, forget_old_tombstones
from akm_ls.index.rows import PreparedFile, root_prefix
from akm_ls.index.scan import MUCH, BundleScan, directory_of, scan
from akm_ls.index.store import complaints_of
from akm_ls.index.targeted import read_one, upsert_files
from akm_ls.index.workers import Crew, read_files
from akm_ls.index.writer import (
    Target,
    Written,
    check_target,
    write,
)

if TYPE_CHECKING:
    import apsw

    from akm_ls.bundles.bundle import BundleSet
    from akm_ls.bundles.walker import WalkedFile

__all__ = ["IndexReport", "run_index", "upsert_files"]

logger = logging.getLogger(__name__)

GROUP_FILES = 800
GROUP_SECONDS = 0.25
"""At most so much goes into one transaction, so that other processes get their turn.

It takes a tenth of a second. Twice as much is no faster, and a server grows by 6 MB for good.
"""
MUCH_TO_SORT = 40_000
"""Files whose citations are too many to be sorted in one such turn."""
MAX_WARNINGS = 200
WRITER_CACHE_KIB = 32 * 1024


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
    of_run: tuple[str, ...] = ()
    """Those of the warnings that are about the run; `Store.complaints` tells the others."""
    seconds: float = 0.0
    skipped_locked: bool = False
    cancelled: bool = False
    walked: Mapping[str, Sequence[WalkedFile]] = field(default_factory=dict, repr=False)
    """The files of most bundles by id, as they were listed before anything was read."""


def run_index(
    store_path: str,
    bundles: BundleSet,
    *,
    full: bool = False,
    clean: bool = False,
    only: str | None = None,
    workers: int | None = None,
    crew: Crew | None = None,
    also: Callable[[str], bool] | None = None,
    skip_if_locked: bool = False,
    config: str | None = None,
    on_progress: Callable[[int, int, str], None] = lambda done, total, label: None,
    on_delta: Callable[[Delta], None] | None = None,
    on_whole: Callable[[], None] = lambda: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> IndexReport:
    """Index every bundle of the set, or the one called ``only``. Runs in any thread.

    Args:
        full: read every file, also those that have not changed; ids and vectors stay.
        clean: also remove what `bundle_keys` calls left over.
        workers: reading processes; 0: read in this one, ``None``: as many as are worth it.
        crew: the processes that read many files, if others are to have them afterwards.
        also: files to list as well, by their POSIX paths, for `IndexReport.walked`.
        skip_if_locked: do nothing while another process rebuilds the index.
        config: the configuration file that ``bundles`` come from; by default the first file
            they say to watch.
        on_progress: called with files done, files to read, and a bundle's id.
        on_delta: called after every commit with what it changed, in this thread.
        on_whole: called when all has been written, a moment before the run ends.
        cancelled: asked between batches. What has been written stays; the next run goes on.

    Raises:
        StoreError: the index file cannot be used.
    """
    started = time.perf_counter()
    if config is None and bundles.watch:
        config = bundles.watch[0]
    mode: Literal["full", "incremental"] = "full" if full else "incremental"
    warnings: list[str] = []
    with _lock(store_path) as holder:
        if holder is not None:
            if skip_if_locked:
                return IndexReport(mode, skipped_locked=True, seconds=time.perf_counter() - started)
            warnings.append(f"{BEING_REBUILT} by {holder}; indexing all the same.")
        database = Database(store_path, cache_kib=WRITER_CACHE_KIB)
        crew = crew or Crew()
        try:
            for attempt in range(3):
                run = _Run(
                    database, bundles, only, workers, crew, also, on_progress, on_delta, cancelled
                )
                try:
                    run.prepare(config, clean=clean)
                    run.work(full=full)
                    run.verify()
                    if not run.was_cancelled:
                        on_whole()
                    break
                except (StoreDamaged, StoreReplaced) as problem:
                    # What was written is in no file any more: everything is read again.
                    warnings.append(str(problem))
                    if attempt == 2:
                        raise
            run.tidy(merge=not crew.stays)
            entries, complaints = run.summary()
            if run.has_written:
                database.settle()
            if not run.was_cancelled and database.run(wiping.is_owed):
                wiping.wipe(store_path)
        finally:
            if not crew.stays:
                crew.dismiss()
            database.close()
    return IndexReport(
        mode=mode,
        bundles=len(run.selected),
        files=sum(item.files for item in run.scans),
        added=run.added,
        changed=run.changed,
        removed=run.removed,
        unchanged=max(entries - run.added - run.changed, 0),
        entries=entries,
        warnings=_bounded([*warnings, *run.warnings(), *complaints]),
        of_run=_bounded([*warnings, *run.warnings()]),
        seconds=time.perf_counter() - started,
        cancelled=run.was_cancelled,
        walked={item.bundle.id: item.walked for item in run.scans if item.walked is not None},
    )


@contextlib.contextmanager
def _lock(store_path: str) -> Iterator[Holder | None]:
    with contextlib.suppress(OSError):  # opening the index will say what is wrong
        os.makedirs(os.path.dirname(store_path) or ".", exist_ok=True)
    with rebuild_lock(store_path) as holder:
        yield holder


class _Progress:
    """One bundle on its way: what was read and not yet written, and what is still to come."""

    def __init__(self, scan: BundleScan) -> None:
        self.scan = scan
        self.target = Target(
            scan.bundle.id,
            scan.key,
            root_prefix(scan.bundle.real_root),
            lambda rel: read_one(scan.bundle, rel),
        )
        self.pending: list[PreparedFile] = []
        self.left = len(scan.reads)
        self.since = time.perf_counter()
        self.begun = False
        self.unsettled: set[str] = set()

    @property
    def is_due(self) -> bool:
        return len(self.pending) >= GROUP_FILES or (
            bool(self.pending) and time.perf_counter() - self.since >= GROUP_SECONDS
        )

    def take(self, files: Sequence[PreparedFile]) -> None:
        if not self.pending:
            self.since = time.perf_counter()
        self.pending += files
        self.left -= len(files)
        self.unsettled.update(directory_of(file.rel) for file in files if file.racy)

    def write(self, connection: apsw.Connection) -> Written:
        """Everything pending, in one transaction; with the last of it, the bundle's new state."""
        scan = self.scan
        if not self.begun:
            forget_directories(connection, scan.key, scan.drained)
        removed = () if self.begun else scan.removed
        reads = () if self.begun else (file.rel for file in scan.reads)
        wiping.note(connection, scan.key, self.target.prefix, self.pending, removed, reads)
        written = write(
            connection,
            self.target,
            self.pending,
            removed,
            known=scan.known,
            forced=scan.forced,
        )
        if not self.left:
            connection.executemany(
                "REPLACE INTO dir_state VALUES (?, ?, ?, ?, ?, ?)",
                [(scan.key, *state) for state in scan.states if state.dir not in self.unsettled],
            )
        return written

    def finish(self, connection: apsw.Connection) -> None:
        """Everything has been read once."""
        check_target(connection, self.target)
        connection.execute(
            "UPDATE bundles SET indexed_at = ? WHERE key = ?", (time.time(), self.scan.key)
        )


class _Run:
    """One attempt at a run."""

    def __init__(
        self,
        database: Database,
        bundles: BundleSet,
        only: str | None,
        workers: int | None,
        crew: Crew,
        also: Callable[[str], bool] | None,
        on_progress: Callable[[int, int, str], None],
        on_delta: Callable[[Delta], None] | None,
        cancelled: Callable[[], bool],
    ) -> None:
        self._database = database
        self._bundles = bundles
        self.selected = [bundle for bundle in bundles if only in (None, bundle.id)]
        self._workers = workers
        self._crew = crew
        self._also = also
        self._on_progress = on_progress
        self._on_delta = on_delta
        self._cancelled = cancelled
        self._keys: dict[str, int] = {}
        self.has_written = False
        self._problems: tuple[str, ...] = ()
        self.scans: list[BundleScan] = []
        self.added = self.changed = self.removed = 0
        self.was_cancelled = False

    def prepare(self, config: str | None, *, clean: bool) -> None:
        """Enter the bundles, and remove the rows of those that are gone."""

        def enter(connection: apsw.Connection) -> list[int]:
            self._keys = bundle_keys.claim_keys(connection, self._bundles, config)
            if len(self.selected) < len(self._bundles):
                return []
            return bundle_keys.forsaken_keys(
                connection, self._bundles, self._keys.values(), config, clean=clean
            )

        for key in self._database.write(enter):
            self._database.write(partial(drop_bundle, key=key))
            self.has_written = True

    def work(self, *, full: bool) -> None:
        """Read what has changed and write it."""
        self.scans = self._database.run(
            lambda connection: scan(
                connection,
                self._bundles,
                self.selected,
                self._keys,
                full=full,
                also=self._also,
                on_much=self._expect_much,
            )
        )
        progress = [_Progress(item) for item in self.scans]
        total, done = sum(item.left for item in progress), 0
        # Who follows the run asks meanwhile.
        if self._on_delta is None and MUCH <= total <= MUCH_TO_SORT:
            self._database.write(schema.put_off_sorting)
        for item in progress:
            if not item.left:
                self._write(item)
        self._on_progress(done, total, "")
        batches = read_files(
            [item.scan.bundle for item in progress],
            [(number, item.scan.reads) for number, item in enumerate(progress)],
            workers=self._workers,
            crew=self._crew,
            cancelled=self._cancelled,
        )
        with contextlib.closing(batches):
            for number, files in batches:
                item = progress[number]
                item.take(files)
                done += len(files)
                if item.is_due or not item.left:
                    self._write(item)
                self._on_progress(done, total, item.scan.bundle.id)
        for item in progress:
            if item.left:
                self.was_cancelled = True
                if item.pending:
                    self._write(item)

    def _expect_much(self) -> None:
        if self._workers is None:
            self._crew.start(self.selected)

    def _write(self, item: _Progress) -> None:
        scan = item.scan
        written: Written | None = None
        if item.pending or scan.removed or scan.drained:
            written = self._database.write(item.write)
            self.has_written = True
            self.added += len(written.added)
            self.changed += len(written.changed)
            self.removed += len(written.removed)
            item.begun = True
            item.pending = []
        if not item.left:
            self._database.write(item.finish)
        if self._on_delta is not None:
            delta = Delta() if written is None else written.delta()
            complete = () if item.left else (scan.bundle.id,)
            self._on_delta(replace(delta, complete=complete))

    def verify(self) -> None:
        """Check that the tables agree; mend them, reading again what is incomplete."""
        if not self.has_written or self.was_cancelled:
            return
        self._problems = self._database.run(verify.disagreements)
        if self._problems:
            logger.warning("Mending the index: %s", "; ".join(self._problems))
            self._database.write(verify.mend)
            self.work(full=False)
            self._problems = self._database.run(verify.disagreements)
        self._database.write(forget_old_tombstones)

    def tidy(self, *, merge: bool) -> None:
        """Make up for what was put off. Only speed depends on it: the next run tries again.

        ``merge``: there is time for the full text as well.
        """
        if self.was_cancelled:
            return
        with contextlib.suppress(StoreError):
            if not self._database.run(schema.is_sorted):
                self._database.write(schema.sort_citations)
            merge = merge and self.has_written
            while merge and not self._cancelled():
                merge = self._database.write(schema.merge_texts)

    def warnings(self) -> list[str]:
        """What was noticed that is not in the index."""
        found = [f"The index does not agree with itself: {item}." for item in self._problems]
        return found + [warning for item in self.scans for warning in item.warnings]

    def summary(self) -> tuple[int, list[str]]:
        """How many assets the selected bundles have, and what is wrong with their files."""

        def read(connection: apsw.Connection) -> tuple[int, list[str]]:
            entries, found = 0, list[str]()
            for item in self.scans:
                (count,) = connection.execute(
                    "SELECT count(*) FROM entries WHERE bundle_key = ?", (item.key,)
                ).fetchone() or (0,)
                entries += count
                found += complaints_of(connection, item.bundle.id, item.key)
            return entries, found

        return self._database.run(read)


def _bounded(warnings: Sequence[str]) -> tuple[str, ...]:
    if len(warnings) <= MAX_WARNINGS:
        return tuple(warnings)
    more = len(warnings) - MAX_WARNINGS
    return (*warnings[:MAX_WARNINGS], f"... and {count(more, 'more warning')}.")
