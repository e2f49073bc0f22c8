"""Ctrl-C is the answer of one process: those that it starts must not hear of it.

A terminal sends SIGINT to all of them. One that is still importing would print where it was, and
what it can do about that comes too late: it has to be born deaf.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
from collections.abc import Iterator

CREATION_FLAGS = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""What does the same on Windows, where a process group is what Ctrl-C reaches."""


@contextlib.contextmanager
def deaf_children() -> Iterator[None]:
    """Processes that this thread starts meanwhile never get SIGINT.

    They inherit the thread's mask. A SIGINT for this thread is kept until the end.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
