"""One process that reads files, and the two pipes to it.

Plain pipes instead of ``multiprocessing``: a worker must not import the main module again (an
LSP server's takes a third of a second), must not share the server's stdin and stdout, and must
end by itself when the server is killed: its stdin ends then.
"""

from __future__ import annotations

import contextlib
import json
import marshal
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any, Protocol

from akm_ls.index.interrupts import CREATION_FLAGS, deaf_children
from akm_ls.index.reader import read_frame, write_frame
from akm_ls.index.rows import PreparedFile, prepared

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle

PROGRAM = "akm_ls.index.reader"
"""The module whose `serve` a process runs; another one's answers the same jobs and more."""

_BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]);from {program} import serve; serve()"
)


class WorkerDied(Exception):
    """A process has ended without an answer."""


class _Process(Protocol):
    @property
    def pid(self) -> int: ...

    def kill(self) -> None: ...

    def wait(self) -> int: ...


class _Forked:
    """What `subprocess.Popen` is for a process that was forked."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        with contextlib.suppress(ChildProcessError):
            return os.waitpid(self.pid, 0)[1]
        return 0


class Worker:
    """One process and the two pipes to it.

    ``has_read`` are the files it was given that stay with it: bundle's number, POSIX path.
    """

    def __init__(
        self, bundles: Sequence[Bundle], process: _Process, to: IO[bytes], back: IO[bytes]
    ) -> None:
        self.has_read: list[tuple[int, str]] = []
        self._process = process
        self._input = to
        self._output = back
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

    def stop(self) -> None:
        self._process.kill()
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
    """A new process: forked where that is safe, as it has loaded nearly everything then.

    Raises:
        OSError: there can be no more processes.
        WorkerDied
    """
    # A lock that another thread holds at that moment would stay locked in the copy.
    if sys.platform == "linux" and threading.active_count() == 1:
        return _fork(bundles, program)
    return _spawn(bundles, program)


def _spawn(bundles: Sequence[Bundle], program: str) -> Worker:
    flags = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
    with deaf_children():
        process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", "-c"),
                _BOOT.format(program=program),
                json.dumps(sys.path),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if program == PROGRAM else None,
            creationflags=flags | CREATION_FLAGS,
        )
    assert process.stdin is not None
    assert process.stdout is not None
    return Worker(bundles, process, process.stdin, process.stdout)


def _fork(bundles: Sequence[Bundle], program: str) -> Worker:
    to_read, to_write = os.pipe()
    back_read, back_write = os.pipe()
    try:
        with deaf_children():
            pid = os.fork()
            if pid == 0:
                _live(program, to_read, back_write, (to_write, back_read))
    except OSError:
        for end in (to_read, to_write, back_read, back_write):
            os.close(end)
        raise
    os.close(to_read)
    os.close(back_write)
    to, back = os.fdopen(to_write, "wb"), os.fdopen(back_read, "rb")
    return Worker(bundles, _Forked(pid), to, back)


def _live(program: str, source: int, sink: int, others: Sequence[int]) -> None:
    """The copy's whole life. Nothing that its parent has open or has yet to write is touched."""
    try:
        for end in others:
            os.close(end)
        serve: Callable[[IO[bytes], IO[bytes]], None] = import_module(program).serve_pipes
        serve(os.fdopen(source, "rb"), os.fdopen(sink, "wb"))
    finally:
        os._exit(0)
