"""The words that name the project somebody works on (akm.md §6.4, project context)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence

from akm_ls.search.query import words

MAX_WORDS = 5
_MAX_BYTES = 256 * 1024
_IGNORED = frozenset(
    (
        *("my", "the", "app", "lib", "sdk", "api", "cli"),
        *("tool", "kit", "core", "main", "index", "src", "test"),
    )
)
"""They are in the names of half of all projects."""
_MAX_DEPTH = 30
_WORKTREE = re.compile(r"gitdir: (.+?)[/\\]worktrees[/\\][^/\\\n]+\s*\Z")
"""What is in the place of a directory ``.git`` in a work tree beside the first one."""
_REMOTE_URL = re.compile(r"^[ \t]*url[ \t]*=[ \t]*(\S+)", re.MULTILINE)


def project_words(folders: Sequence[str]) -> tuple[str, ...]:
    """At most `MAX_WORDS` words from the names of the opened folders' projects.

    These are the name of the repository around it by its git remote, the name in
    ``package.json`` and the directory's own, in this order. Never raises.
    """
    found = (word for folder in folders for name in _names(folder) for word in words(name))
    return tuple(dict.fromkeys(word for word in found if word not in _IGNORED))[:MAX_WORDS]


def _names(folder: str) -> Iterator[str]:
    remote = _REMOTE_URL.search(_head(_git_config(folder)))
    if remote is not None:
        yield re.split(r"[/:\\]", remote.group(1).rstrip("/"))[-1].removesuffix(".git")
    try:
        package = json.loads(_head(os.path.join(folder, "package.json")) or "{}")
    except (ValueError, RecursionError):
        package = {}
    if isinstance(package, dict) and isinstance(name := package.get("name"), str):
        # The scope says who, not what.
        yield name.rpartition("/")[2][:200]
    yield os.path.basename(os.path.normpath(folder))


def _git_config(folder: str) -> str:
    """The configuration of the git repository a folder lies in, as git itself finds it."""
    folder = os.path.normpath(folder)
    for _ in range(_MAX_DEPTH):
        git = os.path.join(folder, ".git")
        if os.path.isdir(git):
            return os.path.join(git, "config")
        link = _WORKTREE.match(_head(git))
        if link is not None:
            return os.path.join(folder, link.group(1), "config")
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    return ""


def _head(path: str) -> str:
    try:
        if not os.path.isfile(path):
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_MAX_BYTES)
    except (OSError, ValueError):
        return ""
