"""Running the rules over many files, in several processes where that is faster."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from akm_ls.workspace.lint_crew import lint_by_crew
from akm_ls.workspace.linter import FileToCheck, Linted, Linter

if TYPE_CHECKING:
    from akm_ls.index.workers import Crew
    from akm_ls.workspace.workspace import Workspace

WORTH_STARTING = 600
"""Files from which on a second process pays for itself."""
MAX_PROCESSES = 8


def lint_files(
    workspace: Workspace,
    files: Sequence[FileToCheck],
    crew: Crew | None = None,
    *,
    alone: bool = False,
) -> Generator[Linted | None, None, None]:
    """What the rules say of each file, in the order of ``files``; ``None``: not to be read.

    ``alone``: in this process only. Close the iterator to stop.
    """
    if not files:
        return
    processes = min(os.cpu_count() or 1, MAX_PROCESSES)
    if alone or len(files) < WORTH_STARTING or processes < 2 or len(workspace.documents):
        workspace.require_catalog()
        yield from map(Linter(workspace).lint, files)
        return
    if crew is not None and crew.members:
        yield from lint_by_crew(crew, workspace, files)
        return
    # Loaded when it is needed: most checks find nothing new, and it takes a while.
    from akm_ls.workspace.lint_pool import lint_in_pool

    workspace.require_catalog()
    yield from lint_in_pool(workspace, files, processes)
