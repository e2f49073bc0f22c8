"""What lies in the directories around a document, without asking the disk twice.

A listing is kept for as long as its directory's modification time stays the same, so that a file
which comes or goes is seen without anybody telling.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Literal

PathKind = Literal["file", "directory"]

MAX_LISTINGS = 2_000
SETTLED_NS = 50_000_000
"""Age of a directory's last change from which on another one is sure to show in its time."""
MAX_NAMES = 20_000
"""A directory's names beyond this are not looked at."""

_NONE: Mapping[str, PathKind] = {}


class Listings:
    """Directory listings by absolute path. Not thread-safe."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[int, Mapping[str, PathKind]]] = {}

    def names(self, directory: str) -> Mapping[str, PathKind]:
        """The entries of a directory by exact name; empty when it cannot be listed.

        A symlink counts as what it leads to; one that leads nowhere is left out.
        """
        try:
            modified = os.stat(directory).st_mtime_ns
        except (OSError, ValueError):
            self._kept.pop(directory, None)
            return _NONE
        kept = self._kept.get(directory)
        if kept is not None and kept[0] == modified:
            return kept[1]
        names = _list(directory)
        if time.time_ns() - modified < SETTLED_NS:
            # A file that comes now may leave the directory's time as it is.
            self._kept.pop(directory, None)
            return names
        if len(self._kept) >= MAX_LISTINGS:
            self._kept.pop(next(iter(self._kept)))
        self._kept[directory] = (modified, names)
        return names

    def kind(self, path: str) -> PathKind | None:
        """What is at an absolute, normalised path; ``None`` for nothing. Case counts."""
        directory, name = os.path.split(path)
        if not name:
            return "directory"
        return self.names(directory).get(name)


def exists(path: str) -> bool:
    """Whether anything is at an absolute path, a socket or a device as well.

    A path that may not be looked at counts as there: nobody can say that it is not.
    """
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return True
    return True


def _list(directory: str) -> Mapping[str, PathKind]:
    names: dict[str, PathKind] = {}
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                try:
                    if entry.is_dir():
                        names[entry.name] = "directory"
                    elif entry.is_file():
                        names[entry.name] = "file"
                except OSError:
                    continue
                if len(names) >= MAX_NAMES:
                    break
    except (OSError, ValueError):
        return _NONE
    return names
