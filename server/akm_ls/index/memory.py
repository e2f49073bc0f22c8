"""Giving memory back to the system after work that needed much of it for a moment."""

from __future__ import annotations

import contextlib
import sys
from typing import Any


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
