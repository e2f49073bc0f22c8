"""Running the rules over many files, in several processes where that is faster."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import sys
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.bundles.bundle import Bundle
from akm_ls.bundles.reading import read_text
from akm_ls.bundles.walker import WalkedFile
from akm_ls.documents.document import kind_of, parse
from akm_ls.index.rows import native_path, root_prefix
from akm_ls.lint.engine import lint
from akm_ls.lint.record import to_plain
from akm_ls.workspace.kept_findings import Kept, OneRun

if TYPE_CHECKING:
    from akm_ls.lint.settings import LintSettings
    from akm_ls.workspace.settings import Settings
    from akm_ls.workspace.workspace import Workspace

BATCH = 100
"""Files one process is given at a time."""
WORTH_STARTING = 600
"""Files from which on a second process pays for itself."""
MAX_PROCESSES = 8


@dataclass(frozen=True, slots=True)
class FileToCheck:
    """A file of a bundle at its canonical path, as the walk saw it."""

    bundle: Bundle
    walked: WalkedFile
    path: str

    @classmethod
    def of(cls, bundle: Bundle, walked: WalkedFile) -> FileToCheck:
        return cls(bundle, walked, native_path(root_prefix(bundle.real_root), walked.rel))


def lint_files(
    workspace: Workspace, files: Sequence[FileToCheck], *, alone: bool = False
) -> Generator[Kept | None, None, None]:
    """What the rules say of each file, in the order of ``files``; ``None``: not to be read.

    ``alone``: in this process only. Close the iterator to stop.
    """
    processes = min(os.cpu_count() or 1, MAX_PROCESSES)
    if alone or len(files) < WORTH_STARTING or processes < 2 or len(workspace.documents):
        yield from map(Linter(workspace).lint, files)
        return
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


class Linter:
    """Runs the rules over the files of one workspace, as they are on disk."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._around = OneRun(workspace.surroundings)
        self._known_settings: dict[str, LintSettings] = {}

    def lint(self, file: FileToCheck) -> Kept | None:
        """What the rules say of a file; ``None``: it is not to be read."""
        bundle, walked, path = file.bundle, file.walked, file.path
        opened = self._workspace.documents.get(path)
        if opened is not None:
            document = opened.document
        else:
            text = read_text(bundle, walked.rel)
            if text is None:
                return None
            document = parse(text, kind_of(path))
        self._around.start()
        subject = self._workspace.subject(
            document, path, bundle, walked.rel, around=self._around, settings=self._settings(bundle)
        )
        plain = [to_plain(finding) for finding in lint(subject)]
        return Kept([walked.mtime_ns, walked.size], self._around.looked, plain)

    def _settings(self, bundle: Bundle) -> LintSettings:
        settings = self._known_settings.get(bundle.id)
        if settings is None:
            workspace = self._workspace
            settings = workspace.bundle_settings.over(workspace.settings.lint, bundle)
            self._known_settings[bundle.id] = settings
        return settings


_inherited: Linter | None = None
"""What a worker process works with: its parent's, or one of its own with the same settings."""


def _in_processes(
    workspace: Workspace, batches: Sequence[Sequence[FileToCheck]], processes: int
) -> Iterator[list[Kept | None]]:
    global _inherited
    workspace.close()  # a connection must not be used on both sides of a fork
    fork = sys.platform == "linux"
    _inherited = Linter(workspace) if fork else None
    executor = ProcessPoolExecutor(
        min(processes, len(batches)),
        mp_context=multiprocessing.get_context("fork" if fork else "spawn"),
        initializer=_open,
        initargs=(None if fork else workspace.settings,),
    )
    try:
        yield from executor.map(_lint_batch, batches)
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


def _lint_batch(files: Sequence[FileToCheck]) -> list[Kept | None]:
    assert _inherited is not None
    return [_inherited.lint(file) for file in files]
