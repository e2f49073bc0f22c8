"""A fresh server for each test without importing the server for each test.

Two thirds of a second go into imports before a server says its first word. Here one process has
imported everything and waits; for each test it forks, and the child is the server: a process of
its own, with its own memory, environment, stdin and stdout, as ``python -m akm_ls serve`` would
be. How that one starts is the subject of `test_startup`, `test_lifecycle` and `test_protocol`.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

ENDED_BY_SIGNAL = 128
QUIET = "AKM_LS_TEST_QUIET"
"""The variable with the seconds that a server waits for further changes, where a test has no time
to lose."""
WITHOUT = [sys.executable, "-m", "akm_ls", "serve"]
"""The command where there is no fork."""


def forks() -> bool:
    """Whether a fresh server costs a hundredth of a second here."""
    return hasattr(os, "fork") and hasattr(socket, "send_fds")


@contextlib.contextmanager
def warm_server(directory: Path) -> Iterator[list[str]]:
    """The command that gives a fresh server, while the context lasts.

    ``directory`` is for the socket alone; its path has to be a short one.
    """
    if not forks():
        yield WITHOUT
        return
    address = str(directory / "servers")
    command = [sys.executable, __file__, address]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        launcher = str(Path(__file__).with_name("become_server.py"))
        yield [sys.executable, "-I", "-S", launcher, address]


class Forks:
    """Forks a server for everyone who connects, until stdin ends."""

    def __init__(self, address: str) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(address)
        self._listener.listen(64)
        # A child's end is told by a signal, and a byte in this socket.
        self._ended, wake = socket.socketpair()
        self._ended.setblocking(False)
        wake.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake.fileno())
        self._wake = wake
        self._selector = selectors.DefaultSelector()
        for waited in (sys.stdin, self._listener, self._ended):
            self._selector.register(waited, selectors.EVENT_READ)
        self._children: dict[int, socket.socket] = {}

    def run(self) -> None:
        while True:
            ready = [key.fileobj for key, _ in self._selector.select()]
            if sys.stdin in ready:
                break
            for each in ready:
                if each is self._listener:
                    self._fork(self._listener.accept()[0])
                elif each is self._ended:
                    self._ended.recv(4096)
                else:
                    self._abandoned(each)
            self._reap()
        for pid in self._children:
            os.kill(pid, signal.SIGKILL)

    def _fork(self, connection: socket.socket) -> None:
        data, descriptors, _, _ = socket.recv_fds(connection, 32, 3)
        head, _, place = data.partition(b"\n")
        while len(place) < int(head):
            place += connection.recv(1 << 16)
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for mine in (self._listener, self._ended, self._wake, *self._children.values()):
                mine.close()
            self._selector.close()
            connection.close()
            _serve(descriptors, *json.loads(place))
        for descriptor in descriptors:
            os.close(descriptor)
        self._children[pid] = connection
        self._selector.register(connection, selectors.EVENT_READ)

    def _abandoned(self, connection: Any) -> None:
        """Whoever asked for a server is gone."""
        self._selector.unregister(connection)
        for pid, other in self._children.items():
            if other is connection:
                os.kill(pid, signal.SIGKILL)

    def _reap(self) -> None:
        """Tell the exit codes of the servers that have ended."""
        while self._children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            code = os.waitstatus_to_exitcode(status)
            connection = self._children.pop(pid)
            with contextlib.suppress(KeyError):
                self._selector.unregister(connection)
            with contextlib.suppress(OSError), connection:
                connection.sendall(b"%d" % (code if code >= 0 else ENDED_BY_SIGNAL - code))


def _serve(descriptors: list[int], directory: str, environment: dict[str, str]) -> NoReturn:
    """Become the server of whoever is on the other side."""
    code: object = 1
    try:
        for wanted, descriptor in enumerate(descriptors):
            os.dup2(descriptor, wanted)
            os.close(descriptor)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
        os.chdir(directory)
        os.environ.clear()
        os.environ.update(environment)
        if QUIET in environment:
            indexing.QUIET = refreshing.QUIET = float(environment[QUIET])
        code = cli.main(["serve"])
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    import watchfiles  # noqa: F401

    from akm_ls import cli
    from akm_ls.cli import arguments, logs, serve  # noqa: F401
    from akm_ls.lsp import (  # noqa: F401
        features,
        indexing,
        protocol,
        refreshing,
        server,
        startup,
        transport,
    )

    # Making a server has its converter compile what every server needs.
    converter = protocol.new_converter()
    server.new_converter = lambda: converter
    server.AkmLanguageServer()
    for feature in features.__all__:
        getattr(features, feature)
    gc.freeze()  # what all servers share is copied for each of them if the collector counts it
    forks = Forks(sys.argv[1])
    print("ready", flush=True)
    forks.run()
