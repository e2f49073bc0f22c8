"""Memory of work that needs much of it for a moment."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator
from typing import Any

_YOUNG = 50_000
"""Objects between two collections; Python's own 700 suit a program with less in its hands."""


@contextlib.contextmanager
def rare_collections() -> Iterator[None]:
    """Seldom look for cycles: for a process that makes many values, few cycles, and ends soon.

    A fifth of the time of a warm ``akm-ls check`` went into looking through the same catalog.
    """
    thresholds = gc.get_threshold()
    gc.set_threshold(_YOUNG, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


def release_memory() -> None:
    """Return what is free to the system; may run in any thread.

    glibc keeps freed memory for each thread that ever allocated: after a large index run that is
    a fifth of a server's size. Elsewhere the allocator does this by itself.
    """
    if sys.platform != "linux":
        return
    import ctypes

    with contextlib.suppress(OSError, AttributeError):  # musl and others have no such call
        trim: Any = ctypes.CDLL(None).malloc_trim
        trim(0)
