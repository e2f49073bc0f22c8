"""A JSON-RPC client over a child's stdin and stdout that knows nothing of pygls.

It sends the bytes it is told to, keeps what comes back, and answers the server's own requests.
"""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

TIMEOUT = 20.0


def frame(message: object) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class RpcError(Exception):
    """The server answered with an error; ``code``, ``data`` and the whole ``error`` say which."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error.get('code')}: {error.get('message')}")
        self.error = error
        self.code = error.get("code")
        self.data = error.get("data")


class Pending:
    """A request that was sent. ``seconds`` is how long its answer took."""

    def __init__(self, msg_id: object) -> None:
        self.id = msg_id
        self.message: dict[str, Any] | None = None
        self.seconds = 0.0
        self._sent = time.perf_counter()
        self._arrived = threading.Event()

    def settle(self, message: dict[str, Any] | None, at: float) -> None:
        self.message, self.seconds = message, at - self._sent
        self._arrived.set()

    @property
    def done(self) -> bool:
        return self._arrived.is_set()

    def answer(self, timeout: float = TIMEOUT) -> dict[str, Any]:
        """The whole response message."""
        if not self._arrived.wait(timeout):
            raise TimeoutError(f"no answer to {self.id!r} in {timeout} s")
        if self.message is None:
            raise ConnectionError(f"the server ended without an answer to {self.id!r}")
        return self.message

    def result(self, timeout: float = TIMEOUT) -> Any:
        message = self.answer(timeout)
        if "error" in message:
            raise RpcError(message["error"])
        return message["result"]


class RpcClient:
    """A server process and the conversation with it. Use it as a context manager.

    ``received`` holds every message in order, with the `time.perf_counter` of its arrival.
    """

    def __init__(self, command: Sequence[str], **popen: Any) -> None:
        self.started = time.perf_counter()
        popen.setdefault("stderr", subprocess.DEVNULL)
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **popen
        )
        self.received: list[tuple[float, dict[str, Any]]] = []
        self.handlers: dict[str, Callable[[Any], Any]] = {}
        self._pending: dict[object, Pending] = {}
        self._next_id = 0
        self._changed = threading.Condition()
        self._write_lock = threading.Lock()
        self.closed = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> RpcClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    # Out.

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        with self._write_lock:
            view = memoryview(data)
            while view:
                view = view[self.process.stdin.write(view) or 0 :]

    def send(self, message: object) -> None:
        self.send_bytes(frame(message))

    def notify(self, method: str, params: Any = None) -> None:
        message = {"jsonrpc": "2.0", "method": method}
        self.send(message if params is None else {**message, "params": params})

    def request(self, method: str, params: Any = None) -> Pending:
        """Send a request; its answer is waited for by the `Pending` it returns."""
        self._next_id += 1
        pending = self.expect(self._next_id)
        message = {"jsonrpc": "2.0", "id": self._next_id, "method": method}
        self.send(message if params is None else {**message, "params": params})
        return pending

    def expect(self, msg_id: object) -> Pending:
        """Wait for the answer to a request that is sent by hand."""
        pending = self._pending[msg_id] = Pending(msg_id)
        return pending

    def call(self, method: str, params: Any = None, timeout: float = TIMEOUT) -> Any:
        return self.request(method, params).result(timeout)

    def cancel(self, pending: Pending) -> None:
        self.notify("$/cancelRequest", {"id": pending.id})

    def initialize(self, capabilities: dict[str, Any] | None = None, **params: Any) -> Any:
        """The handshake; returns the result of ``initialize``."""
        params = {"processId": None, "rootUri": None, **params}
        result = self.call("initialize", {**params, "capabilities": capabilities or {}})
        self.notify("initialized", {})
        return result

    # In.

    def wait_for(
        self, accept: Callable[[dict[str, Any]], bool], timeout: float = TIMEOUT, since: int = 0
    ) -> dict[str, Any]:
        """The first message from index ``since`` on, received already or yet to come, that
        ``accept`` accepts."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                for _, message in self.received[since:]:
                    if accept(message):
                        return message
                since = len(self.received)
                if self.closed or not self._changed.wait(max(0, deadline - time.monotonic())):
                    raise TimeoutError("the message did not come")

    def wait_for_method(self, method: str, timeout: float = TIMEOUT, since: int = 0) -> Any:
        """The parameters of the next notification or request of this method."""
        found = self.wait_for(lambda message: message.get("method") == method, timeout, since)
        return found.get("params")

    def methods(self) -> list[str]:
        with self._changed:
            return [message["method"] for _, message in self.received if "method" in message]

    def _read(self) -> None:
        assert self.process.stdout is not None
        stream, buffer = self.process.stdout, bytearray()
        while True:
            end = buffer.find(b"\r\n\r\n")
            if end >= 0:
                head = bytes(buffer[:end]).decode("ascii").split("\r\n")
                fields = dict(line.lower().split(": ", 1) for line in head)
                size = end + 4 + int(fields["content-length"])
                if len(buffer) >= size:
                    body = bytes(buffer[end + 4 : size])
                    del buffer[:size]
                    self._take(json.loads(body.decode("utf-8", "strict")))
                    continue
            data = stream.read(1 << 16)
            if not data:
                break
            buffer += data
        with self._changed:
            self.closed = True
            self._changed.notify_all()
        for pending in tuple(self._pending.values()):
            pending.settle(None, time.perf_counter())

    def _take(self, message: dict[str, Any]) -> None:
        at = time.perf_counter()
        with self._changed:
            self.received.append((at, message))
            self._changed.notify_all()
        if "method" not in message:
            pending = self._pending.pop(message.get("id"), None)
            if pending is not None:
                pending.settle(message, at)
        elif "id" in message:
            handler = self.handlers.get(message["method"], _usual_answer)
            answer = handler(message.get("params"))
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": answer})

    # The end.

    def exit_code(self, timeout: float = TIMEOUT) -> int:
        """Wait for the process to end. Nothing of ours is closed meanwhile."""
        return self.process.wait(timeout)

    def shutdown(self) -> int:
        """Leave as the protocol says; returns the exit code."""
        self.call("shutdown")
        self.notify("exit")
        return self.exit_code()

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join(5)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def resident_megabytes(self) -> float:
        """Resident memory of the server and its children, on Linux."""
        return sum(_resident(pid) for pid in _family(self.process.pid)) / 1024


def _usual_answer(params: Any) -> Any:
    """What a client without settings says: null, and one null per configuration item."""
    if isinstance(params, dict) and isinstance(params.get("items"), list):
        return [None] * len(params["items"])
    return None


def _family(pid: int) -> list[int]:
    found = [pid]
    for listing in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in listing.read_text().split():
            found += _family(int(child))
    return found


def _resident(pid: int) -> int:
    """Kilobytes, shared pages counted once per process that maps them (Pss), else Rss."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    fields = dict(line.split(":", 1) for line in rollup.splitlines()[1:])
    return int(fields.get("Pss", fields.get("Rss", "0")).split()[0])
