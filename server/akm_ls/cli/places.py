"""How a place in a file is written for people, for CI and for scripts."""

from __future__ import annotations

import os
from functools import lru_cache


def shown_path(path: str) -> str:
    """``path`` as a user here would type it: relative below the current directory."""
    return below(path, os.getcwd()) or path


def project_path(path: str) -> str | None:
    """``path`` relative to what CI checked out, with ``/``; ``None`` when it lies elsewhere."""
    relative = below(path, project_root())
    return None if relative is None else relative.replace(os.sep, "/")


def project_root() -> str:
    """The directory annotations are relative to: GitHub's workspace, else the current one."""
    return os.environ.get("GITHUB_WORKSPACE") or os.getcwd()


def below(path: str, directory: str) -> str | None:
    """``path`` relative to ``directory``, or ``None`` when it is not inside."""
    for prefix in _prefixes(directory):
        if path.startswith(prefix):
            return path[len(prefix) :]
    return None


@lru_cache(maxsize=8)
def _prefixes(directory: str) -> tuple[str, ...]:
    """How the paths in a directory may begin; it is the same few for all that is shown."""
    spellings = (os.path.abspath(directory), os.path.realpath(directory))
    return tuple(os.path.join(spelling, "") for spelling in spellings)
