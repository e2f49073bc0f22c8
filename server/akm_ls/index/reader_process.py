"""One process that reads files, and the two pipes to it.

Plain pipes instead of ``multiprocessing``: a worker must not import the main module again (an
LSP server's takes a third of a second), must not share the server's stdin and stdout, and must
end by itself when the server is killed: its stdin ends then.
"""

from __future__ import annotations

import contextlib
import json
import marshal
import pickle
import subprocess
import sys
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

from akm_ls import import_cache
from akm_ls.index.interrupts import CREATION_FLAGS, deaf_children
from akm_ls.index.reader import read_frame, write_frame
from akm_ls.index.rows import PreparedFile, prepared

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle

PROGRAM = "akm_ls.index.reader"
"""The module whose `serve` a process runs; another one's answers the same jobs and more."""

_BOOT = """\
import sys, json; sys.path[:] = json.loads(sys.argv[1])
from akm_ls.import_cache import Generated
with Generated(*json.loads(sys.argv[2])).in_use():
    from {program} import serve
serve()
"""


class WorkerDied(Exception):
    """A process has ended without an answer."""


class Worker:
    """One process and the two pipes to it.

    ``has_read`` are the files it was given that stay with it: bundle's number, POSIX path.
    """

    def __init__(self, bundles: Sequence[Bundle], process: subprocess.Popen[bytes]) -> None:
        self.has_read: list[tuple[int, str]] = []
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._input: IO[bytes] = process.stdin
        self._output: IO[bytes] = process.stdout
        try:
            self._send(pickle.dumps(list(bundles)))
        except WorkerDied:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, job: str, *content: Any) -> None:
        """Give it a job of those that its program answers, with plain values.

        Raises:
            WorkerDied
        """
        self._send(marshal.dumps((job, *content)))

    def rows(self) -> list[PreparedFile]:
        """The files of the oldest job not yet answered."""
        return [prepared(raw) for raw in marshal.loads(self.answer())]

    def kill(self) -> None:
        """Have it end; `stop` waits for that, which takes a while if it has much memory."""
        self._process.kill()

    def stop(self) -> None:
        self.kill()
        for pipe in (self._input, self._output):
            with contextlib.suppress(OSError, ValueError):
                pipe.close()
        self._process.wait()

    def _send(self, data: bytes) -> None:
        try:
            write_frame(self._input, data)
        except (OSError, ValueError):
            raise WorkerDied from None

    def answer(self) -> bytes:
        """The answer to the oldest job that has none yet.

        Raises:
            WorkerDied
        """
        try:
            data = read_frame(self._output)
        except (OSError, ValueError):
            data = None
        if data is None:
            raise WorkerDied
        return data


def can_start() -> bool:
    """Whether this program can be run again: one that is frozen into an executable cannot."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def start_worker(bundles: Sequence[Bundle], program: str = PROGRAM) -> Worker:
    """A new process.

    Not a fork, although that has loaded nearly everything: SQLite must not be carried across one,
    neither its connections nor what it remembers of the locks that they hold.

    Raises:
        OSError: there can be no more processes.
        WorkerDied
    """
    flags = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
    with deaf_children():
        process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", "-c"),
                _BOOT.format(program=program),
                json.dumps(sys.path),
                json.dumps(import_cache.latest),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if program == PROGRAM else None,
            creationflags=flags | CREATION_FLAGS,
        )
    return Worker(bundles, process)
