"""An ordinary repository whose tools' directories are found, and the findings of its files."""

from __future__ import annotations

import os
from pathlib import Path

from stash import Stash, write_stash

from akm_ls.lint.finding import Finding
from akm_ls.workspace import Workspace
from akm_ls.workspace.settings import Settings


def lint_repository(root: Path, files: Stash, *codes: str) -> dict[str, tuple[Finding, ...]]:
    """The findings of every file that has some, by POSIX path in the repository."""
    folder = write_stash(root / "repo", files)
    settings = Settings(folders=(str(folder),), data_dir=str(root / "data"), config="")
    with Workspace.open(settings) as workspace:
        workspace.refresh()
        checked = {
            os.path.relpath(file.path, folder.resolve()).replace(os.sep, "/"): tuple(
                finding for finding in file.findings if not codes or finding.code in codes
            )
            for file in workspace.check()
        }
    assert checked, "no bundle was found"
    return {rel: findings for rel, findings in checked.items() if findings}
