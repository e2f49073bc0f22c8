"""Handing files to the processes that have read them for the index, to be linted there."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from akm_ls.index.reader_process import Worker, WorkerDied
from akm_ls.index.workers import Crew
from akm_ls.workspace.linter import FileToCheck, Linted, Linter, unpacked

if TYPE_CHECKING:
    from akm_ls.workspace.workspace import Workspace

BATCH = 64
"""Files of one bundle that a process is given at a time."""

Lot: TypeAlias = "list[int]"
"""Positions of files of one bundle among all."""


def lint_by_crew(
    crew: Crew, workspace: Workspace, files: Sequence[FileToCheck]
) -> Generator[Linted | None, None, None]:
    """What `Linter.lint` says of each file, in the order of ``files``.

    The crew has been told that the index is whole (`CheckRun.open`); it goes with the iterator.
    """
    work = _Work(crew, workspace, files)
    try:
        yield from work.results()
    finally:
        work.stop()


class _Work:
    """A thread for each process: it hands out lots of files and collects the answers."""

    def __init__(self, crew: Crew, workspace: Workspace, files: Sequence[FileToCheck]) -> None:
        self._crew = crew
        self._workspace = workspace
        self._files = files
        self._numbers = {bundle.id: number for number, bundle in enumerate(crew.bundles)}
        self._lots = self._dealt()
        self._lock = threading.Lock()
        self._done: queue.SimpleQueue[tuple[Lot, list[Linted | None] | None]] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(
                target=self._drive, args=(member, own), name="akm-ls linter", daemon=True
            )
            for member, own in zip(crew.members, self._lots, strict=True)
        ]
        for thread in self._threads:
            thread.start()

    def results(self) -> Generator[Linted | None, None, None]:
        ready: dict[int, Linted | None] = {}
        linter: Linter | None = None
        for position in range(len(self._files)):
            while position not in ready:
                lot, found = self._done.get()
                if found is None:  # its process died: slower, but not wrong
                    self._workspace.require_catalog()
                    linter = linter or Linter(self._workspace)
                    found = [linter.lint(self._files[number]) for number in lot]
                ready.update(zip(lot, found, strict=True))
            yield ready.pop(position)

    def stop(self) -> None:
        with self._lock:
            for lots in self._lots:
                lots.clear()
        self._crew.dismiss()
        for thread in self._threads:
            thread.join(5)

    def _dealt(self) -> list[deque[Lot]]:
        """To each process the files it has parsed, and a share of those that none has."""
        members = self._crew.members
        holders = {file: at for at, member in enumerate(members) for file in member.has_read}
        lots: list[deque[Lot]] = [deque() for _ in members]
        open_lots: dict[tuple[int, str], Lot] = {}
        for position, file in enumerate(self._files):
            bundle = file.bundle.id
            holder = holders.get((self._numbers[bundle], file.walked.rel))
            if holder is None:
                holder = position // BATCH % len(members)
            lot = open_lots.get((holder, bundle))
            if lot is None or len(lot) >= BATCH:
                lot = open_lots[holder, bundle] = []
                lots[holder].append(lot)
            lot.append(position)
        return lots

    def _next_lot(self, own: deque[Lot]) -> Lot | None:
        """The next one of its own; in the end what another process would come to last."""
        with self._lock:
            if own:
                return own.popleft()
            longest = max(self._lots, key=len)
            return longest.pop() if longest else None

    def _drive(self, member: Worker, own: deque[Lot]) -> None:
        asked: deque[Lot] = deque()
        try:
            member.answer()  # that it is open
            while True:
                # One lot ahead: the process goes on while its last answer is taken apart.
                while len(asked) < 2 and (lot := self._next_lot(own)) is not None:
                    asked.append(lot)
                    self._ask(member, lot)
                if not asked:
                    member.kill()
                    return
                found = unpacked(member.answer())
                self._done.put((asked.popleft(), found))
        except (WorkerDied, OSError):
            for lot in asked:
                self._done.put((lot, None))
            while own and (left := self._next_lot(own)) is not None:
                self._done.put((left, None))

    def _ask(self, member: Worker, lot: Lot) -> None:
        first = self._files[lot[0]]
        walked = [tuple(self._files[position].walked) for position in lot]
        member.ask("lint", self._numbers[first.bundle.id], walked)
