"""An embedding endpoint on the loopback interface that misbehaves on demand."""

from __future__ import annotations

import contextlib
import json
import math
import socket
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMS = 8


def vector_of(text: str, dims: int = DIMS) -> list[float]:
    """A vector that depends on the words of a text: equal words, equal directions."""
    values = [0.0] * dims
    for word in text.lower().split() or [""]:
        values[zlib.crc32(word.encode()) % dims] += 1.0
    length = math.sqrt(sum(value * value for value in values))
    return [value / length for value in values]


@dataclass(frozen=True)
class Request:
    """What the endpoint was sent."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    at: float = 0.0
    """When it came, in seconds of a clock that only goes forward."""

    @property
    def texts(self) -> list[str]:
        return list(self.body["input"])


@dataclass(frozen=True)
class Answer:
    """What the endpoint sends; ``cut`` promises more bytes than come, ``reset`` sends none."""

    status: int = 200
    body: bytes | str = b"{}"
    headers: Mapping[str, str] | None = None
    cut: bool = False
    reset: bool = False
    hang: bool = False


Behaviour = Callable[[Request], Answer]


def openai(request: Request) -> Answer:
    data = [
        {"object": "embedding", "index": at, "embedding": vector_of(text)}
        for at, text in enumerate(request.texts)
    ]
    return Answer(body=json.dumps({"object": "list", "data": data, "model": "m"}))


def ollama(request: Request) -> Answer:
    return Answer(body=json.dumps({"embeddings": [vector_of(text) for text in request.texts]}))


class Endpoint:
    """Answers as ``behave`` says and remembers every request."""

    def __init__(self) -> None:
        self.behave: Behaviour = openai
        self.requests: list[Request] = []
        self.running = self.most_running = 0
        self._counting = threading.Lock()
        self._released = threading.Event()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = dict(self.headers)
                request = Request(self.path, headers, json.loads(data), time.monotonic())
                endpoint.requests.append(request)
                with endpoint._busy():
                    answer = endpoint.behave(request)
                endpoint._send(self, answer)

            def do_GET(self) -> None:
                endpoint.requests.append(Request(self.path, dict(self.headers), {}))
                endpoint._send(self, Answer(405))

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                pass  # a client that has gone away is part of the play

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def texts(self) -> list[str]:
        """Every text that was ever sent."""
        return [text for request in self.requests for text in request.texts]

    @property
    def sizes(self) -> list[int]:
        """How many texts each request had, in the order they came."""
        return [len(request.texts) for request in self.requests]

    @contextlib.contextmanager
    def _busy(self) -> Iterator[None]:
        with self._counting:
            self.running += 1
            self.most_running = max(self.most_running, self.running)
        try:
            yield
        finally:
            with self._counting:
                self.running -= 1

    def script(self, *answers: Answer | Behaviour) -> None:
        """Answer the first requests as listed, then well."""
        left = list(answers)

        def behave(request: Request) -> Answer:
            answer = left.pop(0) if left else openai
            return answer if isinstance(answer, Answer) else answer(request)

        self.behave = behave

    def close(self) -> None:
        self._released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _send(self, handler: BaseHTTPRequestHandler, answer: Answer) -> None:
        handler.close_connection = True
        if answer.hang:
            self._released.wait(20)
            return
        if answer.reset:
            linger = struct.pack("ii", 1, 0)
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            handler.connection.close()
            return
        body = answer.body.encode() if isinstance(answer.body, str) else answer.body
        handler.send_response(answer.status)
        for name, value in (answer.headers or {}).items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body) + (50 if answer.cut else 0)))
        handler.end_headers()
        handler.wfile.write(body)
