"""Reading many files in other processes, so that this one stays free to answer."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from akm_ls.index.reader import READ, READ_FOR_MODEL
from akm_ls.index.reader_process import PROGRAM, Worker, WorkerDied, can_start, start_worker
from akm_ls.index.rows import PreparedFile, prepare, prepared
from akm_ls.index.scan import MUCH, FileToRead

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle

BATCH_FILES = 64
WORTH_STARTING = MUCH
"""Files from which on starting processes is faster than reading here."""
MAX_WORKERS = 8
STILLBORN = 4
"""Files whose processes end one after the other, before any has answered, that are not to blame."""

Job: TypeAlias = "tuple[int, list[tuple[str, int, int, int]]]"
"""A bundle's number and (rel, size, mtime_ns, racy) of its files."""


def _plain(file: FileToRead) -> tuple[str, int, int, int]:
    rel, size, mtime_ns, racy = file
    return rel, size, mtime_ns, racy


class Crew:
    """The processes of a run.

    They run ``program``. If the crew ``stays``, they are there when all is read, with what they
    know by then, and take other jobs.
    """

    def __init__(self, program: str = PROGRAM, *, stays: bool = False) -> None:
        self.program = program
        self.stays = stays
        self.bundles: Sequence[Bundle] = ()
        self.members: list[Worker] = []
        self._is_fresh = False

    def start(self, bundles: Sequence[Bundle]) -> None:
        """Start processes for what is about to be found: they load what they need meanwhile."""
        if self.members or not can_start():
            return
        self.bundles = bundles
        self._is_fresh = True
        with contextlib.suppress(OSError, WorkerDied):
            for _ in range(_processes()):
                self.members.append(start_worker(bundles, self.program))

    def take_fresh(self, bundles: Sequence[Bundle]) -> list[Worker]:
        """Hand over the processes that know ``bundles`` and have done nothing; others are ended."""
        fresh: list[Worker] = []
        if self._is_fresh and list(self.bundles) == list(bundles):
            fresh, self.members = self.members, []
        self.dismiss()
        self._is_fresh = False
        self.bundles = bundles
        return fresh

    def dismiss(self) -> None:
        """End the processes; from any thread, one that waits for an answer is told."""
        for member in self.members:
            member.kill()
        for member in self.members:
            member.stop()
        self.members = []


def _processes() -> int:
    return min(os.cpu_count() or 1, MAX_WORKERS)


def read_files(
    bundles: Sequence[Bundle],
    jobs: Sequence[tuple[int, Sequence[FileToRead]]],
    *,
    workers: int | None = None,
    crew: Crew | None = None,
    for_model: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
) -> Generator[tuple[int, list[PreparedFile]], None, None]:
    """Read all files of ``jobs`` (a bundle's number, files); batches come in no certain order.

    ``workers`` is the number of processes, 0: none, ``None``: what the machine has and the work
    is worth; they are those of ``crew``, if there is one. ``for_model``: without secrets, see
    `rows.prepare`. Ends early, without the rest, once ``cancelled``. Close the iterator to stop.
    """
    batches: list[Job] = [
        (number, [_plain(file) for file in files[start : start + BATCH_FILES]])
        for number, files in jobs
        for start in range(0, len(files), BATCH_FILES)
    ]
    total = sum(len(files) for _, files in batches)
    if workers is None:
        workers = 0 if total < WORTH_STARTING else _processes()
    workers = min(workers, len(batches))
    if workers and can_start():
        job = READ_FOR_MODEL if for_model else READ
        pool = _Pool(bundles, batches, workers, crew or Crew(), job)
        try:
            yield from pool.results(cancelled)
        finally:
            pool.stop()
        return
    for number, files in batches:
        if cancelled():
            return
        yield (
            number,
            [_read_here(bundles[number], file, for_model=for_model) for file in files],
        )


def _read_here(bundle: Bundle, file: tuple[str, int, int, int], *, for_model: bool) -> PreparedFile:
    return prepared(prepare(bundle, *file, for_model=for_model, walked=not for_model))


class _Pool:
    """A thread for each process: it hands out jobs and collects the answers."""

    def __init__(
        self,
        bundles: Sequence[Bundle],
        batches: Sequence[Job],
        workers: int,
        crew: Crew,
        job: str,
    ) -> None:
        self._bundles = bundles
        self._crew = crew
        self._job = job
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        for batch in batches:
            self._jobs.put(batch)
        self._expected = len(batches)
        # Bounded, so that fast readers do not fill the memory ahead of the writer.
        self._done: queue.Queue[tuple[int, list[PreparedFile]]] = queue.Queue(4 * workers)
        self._stopping = threading.Event()
        self._has_answered = False
        self._is_hopeless = False
        """Nothing comes of starting processes: they end before they can do anything."""
        self._ready = crew.take_fresh(bundles)
        self._workers: list[Worker] = self._ready[:]
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._drive, name=f"akm-ls reader {number}", daemon=True)
            for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def results(self, cancelled: Callable[[], bool]) -> Iterator[tuple[int, list[PreparedFile]]]:
        for _ in range(self._expected):
            while True:
                if cancelled():
                    return
                try:
                    batch = self._done.get(timeout=0.1)
                    break
                except queue.Empty:
                    continue
            yield batch
        if self._crew.stays:
            with self._lock:
                self._crew.members = self._workers[:]
                self._workers.clear()

    def stop(self) -> None:
        self._stopping.set()
        with self._lock:
            for worker in self._workers:
                worker.stop()
            self._workers.clear()
        for thread in self._threads:
            thread.join(5)

    def _drive(self) -> None:
        worker: Worker | None = None
        asked: list[Job] = []
        while not self._stopping.is_set():
            if not asked:
                if (job := self._next_job()) is None:
                    return
                asked.append(job)
            try:
                if worker is None:
                    worker = self._start()
                    worker.ask(self._job, *asked[0])
                # One job ahead: the worker goes on while its last answer is taken apart.
                if len(asked) < 2 and (job := self._next_job()) is not None:
                    asked.append(job)
                    worker.ask(self._job, *job)
                files = worker.rows()
                self._has_answered = True
                number, _ = asked.pop(0)
                if self._crew.stays:
                    worker.has_read += [(number, file.rel) for file in files]
                self._put(number, files)
            except (WorkerDied, OSError):
                self._discard(worker)
                worker = None
                # The first job was at work; the second may be innocent.
                while asked and not self._stopping.is_set():
                    number, files_left = asked.pop(0)
                    self._put(number, self._one_by_one(number, files_left))

    def _one_by_one(
        self, number: int, files: Sequence[tuple[str, int, int, int]]
    ) -> list[PreparedFile]:
        """A batch in which a worker died: whatever kills a process is read in one of its own."""
        found: list[PreparedFile] = []
        suspects: list[tuple[str, int, int, int]] = []
        worker: Worker | None = None
        for file in files:
            if self._stopping.is_set():
                break
            try:
                worker = worker or self._start()
                worker.ask(self._job, number, [file])
                found += worker.rows()
                self._has_answered = True
            except (WorkerDied, OSError):
                if worker is None:  # no process can be started at all
                    found.append(self._read_here(number, file))
                    continue
                self._discard(worker)
                worker = None
                suspects.append(file)
                self._is_hopeless = not self._has_answered and len(suspects) >= STILLBORN
        self._discard(worker)
        for file in suspects:
            if self._is_hopeless:
                found.append(self._read_here(number, file))
                continue
            rel, size, mtime_ns, _ = file
            warning = f"Skipped {rel}: the process that read it ended"
            found.append(PreparedFile(rel, size, mtime_ns, 0, "", warning, None))
        return found

    def _read_here(self, number: int, file: tuple[str, int, int, int]) -> PreparedFile:
        return _read_here(self._bundles[number], file, for_model=self._job == READ_FOR_MODEL)

    def _start(self) -> Worker:
        """
        Raises:
            OSError, WorkerDied: there is none.
        """
        if self._is_hopeless:
            raise WorkerDied
        with self._lock:
            if self._ready:
                return self._ready.pop()
        worker = start_worker(self._bundles, self._crew.program)
        with self._lock:
            self._workers.append(worker)
            if self._stopping.is_set():
                worker.stop()
        return worker

    def _discard(self, worker: Worker | None) -> None:
        if worker is None:
            return
        with self._lock:
            if worker in self._workers:
                self._workers.remove(worker)
                worker.stop()

    def _next_job(self) -> Job | None:
        try:
            return self._jobs.get_nowait()
        except queue.Empty:
            return None

    def _put(self, number: int, files: list[PreparedFile]) -> None:
        while not self._stopping.is_set():
            try:
                self._done.put((number, files), timeout=0.1)
                return
            except queue.Full:
                continue
