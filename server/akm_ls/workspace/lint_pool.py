"""Running the rules in processes of their own, which inherit what they need where they can."""

from __future__ import annotations

import multiprocessing
import pickle
import sys
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING

from akm_ls.index.interrupts import deaf_children
from akm_ls.workspace.linter import FileToCheck, Linted, Linter

if TYPE_CHECKING:
    from akm_ls.workspace.settings import Settings
    from akm_ls.workspace.workspace import Workspace

BATCH = 100
"""Files one process is given at a time."""


def lint_in_pool(
    workspace: Workspace, files: Sequence[FileToCheck], processes: int
) -> Generator[Linted | None, None, None]:
    """What `Linter.lint` says of each file, in the order of ``files``.

    Close the iterator to stop. The catalog must have been filled.
    """
    batches = [files[start : start + BATCH] for start in range(0, len(files), BATCH)]
    done = 0
    try:
        for found in _in_processes(workspace, batches, processes):
            yield from found
            done += 1
    except (BrokenProcessPool, OSError, pickle.PickleError):
        # Out of memory, or a system that allows no processes: slower, but not wrong.
        linter = Linter(workspace)
        for batch in batches[done:]:
            yield from map(linter.lint, batch)


_inherited: Linter | None = None
"""What a worker process works with: its parent's, or one of its own with the same settings."""


def _in_processes(
    workspace: Workspace, batches: Sequence[Sequence[FileToCheck]], processes: int
) -> Iterator[list[Linted | None]]:
    global _inherited
    workspace.close()  # a connection must not be used on both sides of a fork
    fork = sys.platform == "linux"
    _inherited = Linter(workspace) if fork else None
    others = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(
        min(processes, len(batches)),
        mp_context=multiprocessing.get_context("fork" if fork else "spawn"),
        initializer=_open,
        initargs=(None if fork else workspace.settings,),
    )
    try:
        with deaf_children():  # all of them are started by the first jobs
            found = executor.map(_lint_batch, batches)
        yield from found
    except (KeyboardInterrupt, GeneratorExit):
        # Nobody waits for what they are at; they would finish it first.
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
        _inherited = None


def _open(settings: Settings | None) -> None:
    """A worker's start; without settings it has inherited what it needs."""
    global _inherited
    if settings is None:
        return
    from akm_ls.workspace.workspace import Workspace

    _inherited = Linter(Workspace.open(settings))


def _lint_batch(files: Sequence[FileToCheck]) -> list[Linted | None]:
    assert _inherited is not None
    return [_inherited.lint(file) for file in files]
