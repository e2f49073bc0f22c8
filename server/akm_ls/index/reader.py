"""The other end of `workers`: a process that reads files until its stdin ends.

It imports what reading takes and no more: this is most of what starting it costs.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import pickle
import signal
import struct
from typing import IO, TYPE_CHECKING

from akm_ls.index.rows import prepare

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle

NICENESS = 5

_LENGTH = struct.Struct("<I")


def serve() -> None:
    """A worker's whole life: first the bundles, then jobs from stdin, and rows to stdout."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICENESS)
    with contextlib.suppress(ValueError, OSError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    first = read_frame(source)
    if first is None:
        return
    bundles: list[Bundle] = pickle.loads(first)
    while (data := read_frame(source)) is not None:
        number, files = marshal.loads(data)
        rows = [prepare(bundles[number], *file) for file in files]
        try:
            write_frame(sink, marshal.dumps(rows))
        except OSError:
            return


def write_frame(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def read_frame(pipe: IO[bytes]) -> bytes | None:
    """The next frame, or ``None`` at the end of the stream, also in the middle of a frame."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = pipe.read(length)
    return data if len(data) == length else None
