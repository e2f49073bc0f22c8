"""The server as a process: whose it is, when it ends, and that it ends for certain."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import sys
import threading
import time
from collections.abc import Callable
from typing import NoReturn

logger = logging.getLogger(__name__)

GRACE = 0.8
"""Seconds between the wish to end and the end, whatever a thread may be doing."""


def take_stdio() -> tuple[int, int]:
    """Keep stdin and stdout for the protocol; returns their file descriptors.

    From here on a stray ``print``, in whatever library, goes to stderr, and a child process
    (``git``, a worker) can neither read the client's messages nor write among ours.
    """
    sys.stdout.flush()
    reading, writing = os.dup(0), os.dup(1)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(reading, os.O_BINARY)
        msvcrt.setmode(writing, os.O_BINARY)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        os.dup2(2, 1)
    except OSError:  # started without a stderr
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.close(nothing)
    sys.stdout = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    return reading, writing


def end(code: int) -> NoReturn:
    """End the process now; its threads are not waited for."""
    with contextlib.suppress(Exception):
        logging.shutdown()
        sys.stderr.flush()
    os._exit(code)


def end_within(seconds: float, code: Callable[[], int]) -> None:
    """End the process in ``seconds`` unless it has ended by then."""

    def wait() -> None:
        time.sleep(seconds)
        os._exit(code())

    threading.Thread(target=wait, name="akm-ls-deadline", daemon=True).start()


def is_alive(pid: int) -> bool:
    """Whether a process exists (another user's too)."""
    if sys.platform == "win32":
        handle = _open_process(pid)
        if handle is None:
            return False
        _close_handle(handle)
        return True
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def watch_process(pid: int, on_end: Callable[[], None]) -> bool:
    """Call ``on_end``, in a thread of its own, once the process ``pid`` is gone.

    Returns False and watches nothing if there is no such process now: an editor outside our
    container says a number that means nothing in here.
    """
    if pid <= 0 or not is_alive(pid):
        return False

    def wait() -> None:
        _wait_for_end(pid)
        on_end()

    threading.Thread(target=wait, name="akm-ls-parent-watch", daemon=True).start()
    return True


def _wait_for_end(pid: int) -> None:
    if sys.platform == "win32":
        _wait_for_handle(pid)
        return
    if sys.platform == "linux":
        # Unlike a number, a pidfd cannot come to mean another process.
        with contextlib.suppress(OSError, AttributeError):
            descriptor = os.pidfd_open(pid)
            try:
                poll = select.poll()
                poll.register(descriptor, select.POLLIN)
                poll.poll()
            finally:
                os.close(descriptor)
            return
    while is_alive(pid):
        time.sleep(1)


if sys.platform == "win32":
    import ctypes

    _SYNCHRONIZE = 0x0010_0000
    _INFINITE = 0xFFFF_FFFF
    _kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel32.OpenProcess.restype = ctypes.c_void_p
    _kernel32.WaitForSingleObject.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
    _kernel32.CloseHandle.argtypes = [ctypes.c_void_p]

    def _open_process(pid: int) -> int | None:
        handle: int | None = _kernel32.OpenProcess(_SYNCHRONIZE, False, pid)
        return handle

    def _close_handle(handle: int) -> None:
        _kernel32.CloseHandle(handle)

    def _wait_for_handle(pid: int) -> None:
        handle = _open_process(pid)
        if handle is not None:
            _kernel32.WaitForSingleObject(handle, _INFINITE)
            _close_handle(handle)
