"""The other end of `workers`: a process that reads files until its stdin ends.

It imports what reading takes and no more: this is most of what starting it costs.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import pickle
import struct
from collections.abc import Sequence
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from akm_ls.index.memory import rare_collections
from akm_ls.index.rows import prepare

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle

NICENESS = 5

_LENGTH = struct.Struct("<I")


READ = "read"
READ_FOR_MODEL = "read for a model"


class Reader:
    """Answers a bundle's number and its files with the files' rows.

    ``READ``: they have just been listed. ``READ_FOR_MODEL``: without the secrets in what is
    searched, and whenever they were listed; this takes longer.
    """

    def __init__(self, bundles: Sequence[Bundle]) -> None:
        self._bundles = bundles

    def answer(self, job: str, *content: Any) -> bytes:
        number, files = content
        bundle = self._bundles[number]
        if job == READ_FOR_MODEL:
            read = partial(prepare, bundle, for_model=True)
            return marshal.dumps([read(*file) for file in files])
        assert job == READ
        return marshal.dumps([self.read(bundle, *file) for file in files])

    def read(
        self, bundle: Bundle, rel: str, size: int, mtime_ns: int, racy: int
    ) -> tuple[Any, ...]:
        return prepare(bundle, rel, size, mtime_ns, racy, walked=True)


def serve(kind: type[Reader] = Reader) -> None:
    """A worker's whole life: first the bundles, then jobs from stdin, and answers to stdout."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICENESS)
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    first = read_frame(source)
    if first is None:
        return
    reader = kind(pickle.loads(first))
    with rare_collections():
        while (job := read_frame(source)) is not None:
            answer = reader.answer(*marshal.loads(job))
            try:
                write_frame(sink, answer)
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
