"""The advisory lock of a rebuild, and whether a process lives (akm.md §9.5).

The lock is a file with a process id in it. It holds as long as that process lives, however long
ago it was written, and it binds nobody: a run that finds it held warns and goes on.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass

LOCK_NAME = "index.rebuild.lock"
BEING_REBUILT = "The index is being rebuilt"
"""How a warning begins that holds as long as there is a `live_holder`."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that holds the lock, and the one that started it."""

    pid: int
    launcher: int

    def __str__(self) -> str:
        starter = f", started by {self.launcher}" if self.launcher else ""
        return f"process {self.pid}{starter}"


def lock_path(store_path: str) -> str:
    return os.path.join(os.path.dirname(store_path), LOCK_NAME)


def live_holder(store_path: str) -> Holder | None:
    """The living process other than this one that holds the lock."""
    holder = _read(lock_path(store_path))
    if holder is None or holder.pid == os.getpid() or not is_alive(holder.pid):
        return None
    return holder


@contextlib.contextmanager
def rebuild_lock(store_path: str) -> Iterator[Holder | None]:
    """Hold the lock if it is free; yields the other process that holds it, if one does.

    A run inside a run of the same process shares its lock. A file left behind by a dead process
    is taken over.
    """
    path = lock_path(store_path)
    taken = _take(path)
    try:
        yield None if taken else live_holder(store_path)
    finally:
        if taken:
            _release(path)


def _take(path: str) -> bool:
    """Whether the lock is this process's now, and was not before."""
    mine = f"{path}.{os.getpid()}.{threading.get_ident()}"
    try:
        with open(mine, "w", encoding="utf-8") as file:
            json.dump({"pid": os.getpid(), "launcher": os.getppid()}, file)
    except OSError:
        return False  # nothing that an advisory lock should fail for
    try:
        for _ in range(3):
            try:
                # Unlike creating and then writing, this is never seen half done.
                os.link(mine, path)
                return True
            except FileExistsError:
                if not _clear_stale(path, mine):
                    return False
        return False
    except OSError:
        return False
    finally:
        with contextlib.suppress(OSError):
            os.unlink(mine)


def _clear_stale(path: str, mine: str) -> bool:
    """Put away a lock file whose process is dead; whether the lock may be free now."""
    if _is_held(path):
        return False
    aside = f"{mine}.stale"
    try:
        os.rename(path, aside)
    except FileNotFoundError:
        return True
    if _is_held(aside):
        # Another process was faster, and this is its lock.
        with contextlib.suppress(OSError):
            os.link(aside, path)
    os.unlink(aside)
    return True


def _is_held(path: str) -> bool:
    holder = _read(path)
    return holder is not None and (holder.pid == os.getpid() or is_alive(holder.pid))


def _release(path: str) -> None:
    holder = _read(path)
    if holder is not None and holder.pid == os.getpid():
        with contextlib.suppress(OSError):
            os.unlink(path)


def _read(path: str) -> Holder | None:
    try:
        with open(path, encoding="utf-8") as file:
            values = json.loads(file.read(1000))
        return Holder(int(values["pid"]), int(values.get("launcher", 0)))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def is_alive(pid: int) -> bool:
    """Whether a process with this id exists."""
    if pid <= 0:
        return False
    if sys.platform == "win32":
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return pid < 2**31
    return True


def _is_alive_on_windows(pid: int) -> bool:
    import ctypes

    still_active, query = 259, 0x1000
    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]
    handle = kernel.OpenProcess(query, False, pid)
    if not handle:
        return bool(kernel.GetLastError() == 5)  # access denied: it exists
    try:
        code = ctypes.c_ulong()
        return bool(kernel.GetExitCodeProcess(handle, ctypes.byref(code))) and (
            code.value == still_active
        )
    finally:
        kernel.CloseHandle(handle)
