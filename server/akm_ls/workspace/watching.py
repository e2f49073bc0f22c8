"""Files that change while a server runs: what a change means, and a watcher of our own."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.lint.bundle_settings import is_settings_file

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import BundleSet

logger = logging.getLogger(__name__)

_SKIPPED = frozenset({".git", "node_modules", ".venv", "__pycache__", ".cache"})

RECENT_NS = 10_000_000_000
"""Age up to which a change of a directory may be what we are being told of."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Changed files, sorted by what they mean.

    ``bundles``: a file that says which bundles there are. ``settings``: one that holds a bundle's
    settings. ``files`` are those that may be assets, or what assets lead to.
    """

    files: tuple[str, ...] = ()
    bundles: bool = False
    settings: bool = False


def sort_changes(bundles: BundleSet, paths: Iterable[str]) -> Changes:
    """What changes of ``paths`` mean for the bundles that are open."""
    watched = {os.path.normpath(path) for path in bundles.watch}
    files: list[str] = []
    roots = settings = False
    for path in paths:
        settings = settings or is_settings_file(path, bundles)
        if os.path.normpath(path) in watched:
            roots = True
        elif not _is_skipped(path):
            files.append(path)
    return Changes(tuple(files), roots, settings)


def with_directories(bundles: BundleSet, paths: Iterable[str]) -> set[str]:
    """``paths``, and the directories above them that may have come or gone with them.

    Who watches may tell of a file alone when its directory is new or was its last one. A
    directory may be new if the one above it has just changed. Paths are canonical.
    """
    found = set(paths)
    since = time.time_ns() - RECENT_NS
    recent: dict[str, bool] = {}
    for path in tuple(found):
        owner = bundles.relative(path)
        if owner is None:
            continue
        root, child = owner[0].real_root, os.path.dirname(path)
        while len(child) > len(root):
            above = os.path.dirname(child)
            if above not in recent:
                recent[above] = _changed_since(above, since)
            if recent[above]:
                found.add(child)
            child = above
    return found


def _changed_since(directory: str, since: int) -> bool:
    try:
        return os.stat(directory).st_mtime_ns >= since
    except (OSError, ValueError):
        return True


def directories_to_watch(bundles: BundleSet) -> list[str]:
    """The directories that hold the bundles, and the files which say what bundles there are."""
    wanted = {bundle.real_root for bundle in bundles}
    wanted |= {os.path.dirname(path) for path in bundles.watch}
    return sorted(path for path in wanted if os.path.isdir(path))


async def watch(
    directories: Sequence[str], enough: asyncio.Event, changed: Callable[[Iterable[str]], None]
) -> None:
    """Call ``changed`` with the paths that the system reports, until ``enough`` is set.

    A system that cannot watch is logged, and then nothing is reported.
    """
    loop, stop = asyncio.get_running_loop(), threading.Event()
    over = asyncio.Event()

    def wanted(_change: object, path: str) -> bool:
        return not _is_skipped(path)

    def look() -> None:
        # Importing it and walking the directories would hold the loop.
        try:
            import watchfiles

            for changes in watchfiles.watch(
                *directories,
                watch_filter=wanted,
                stop_event=stop,
                debounce=200,
                step=50,
                ignore_permission_denied=True,
                raise_interrupt=False,
            ):
                loop.call_soon_threadsafe(changed, [path for _, path in changes])
        except Exception as problem:
            if not stop.is_set():
                logger.warning("files cannot be watched: %s", problem)
        finally:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(over.set)

    threading.Thread(target=look, name="akm-ls-watch", daemon=True).start()
    waiting = [asyncio.ensure_future(event.wait()) for event in (enough, over)]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stop.set()
        for task in waiting:
            task.cancel()


def _is_skipped(path: str) -> bool:
    return not _SKIPPED.isdisjoint(path.split(os.sep))
