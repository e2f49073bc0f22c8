"""The wire: stdin and stdout, or one TCP connection, and the life of the server behind it.

Stdin has a thread of its own, which also notes cancellations and ``exit`` the moment they arrive.
Everything else happens on the event loop; a message to the client is written there, whoever
sends it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, NoReturn

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from akm_ls.lsp import process
from akm_ls.lsp.framing import BadFrame, FrameReader, decode_message
from akm_ls.lsp.protocol import PARSE_ERROR, AkmProtocol
from akm_ls.lsp.work import name_tasks_that_hold

logger = logging.getLogger(__name__)

_CHUNK = 1 << 16


def start_stdio(server: LanguageServer) -> NoReturn:
    """Serve on stdin and stdout until the client leaves, then end the process.

    Exit code 0 after ``shutdown``, else 1; 128 + n after signal n. The process is gone within a
    second of ``exit``, of the end of stdin and of the end of the client's process, whatever the
    event loop and the worker threads are doing. ``protocol.on_exit`` is called before.
    """
    protocol = _protocol_of(server)
    reading, writing = process.take_stdio()
    _run(protocol, lambda life: _serve_stdio(life, reading, writing))


def start_tcp(server: LanguageServer, host: str, port: int) -> NoReturn:
    """Serve one client on a TCP port (0: any free one, said on stderr), then end the process.

    Exit codes as for `start_stdio`; 2 if the address cannot be bound.
    """
    _run(_protocol_of(server), lambda life: _serve_tcp(life, host, port))


def _protocol_of(server: LanguageServer) -> AkmProtocol:
    protocol = server.protocol
    if not isinstance(protocol, AkmProtocol):
        raise TypeError("the server needs protocol_cls=AkmProtocol")
    # pygls logs whole messages, which hold whole documents.
    logging.getLogger("pygls").setLevel(logging.WARNING)
    return protocol


class _Life:
    """One client's messages on their way to the event loop, and the end of the server."""

    def __init__(self, protocol: AkmProtocol, loop: asyncio.AbstractEventLoop) -> None:
        self.protocol = protocol
        self.loop = loop
        self.ended: asyncio.Future[int] = loop.create_future()
        self._thread = threading.get_ident()
        self._frames = FrameReader()
        self._waiting: deque[tuple[Callable[[Any], None], object]] = deque()
        self._awake = False
        self._write: Callable[[bytes], None] | None = None
        protocol.write = self._send
        protocol.watch_client = self._watch_client

    # In. `feed` and `feed_end` belong to one thread, the rest to the loop.

    def feed(self, data: bytes) -> None:
        """Take bytes from the client."""
        for frame in self._frames.feed(data):
            if isinstance(frame, BadFrame):
                self._put(self._complain, frame.reason)
                continue
            try:
                message = decode_message(frame)
            except ValueError as error:
                self._put(self._complain, f"a message is not JSON: {error}")
                self._frames.resume_in(frame)
                continue
            self.protocol.register(message)
            if isinstance(message, dict) and message.get("method") == types.EXIT:
                process.end_within(process.GRACE, self._exit_code)
            self._put(self.protocol.dispatch, message)

    def feed_end(self) -> None:
        """The client closed its end: finish what it asked for, if that is quick."""
        process.end_within(2 * process.GRACE, self._exit_code)
        self._put(self._finish, None)

    def _put(self, handle: Callable[[Any], None], value: object) -> None:
        self._waiting.append((handle, value))
        if not self._awake:
            self._awake = True
            self.loop.call_soon_threadsafe(self._next)

    def _next(self) -> None:
        """Handle one message; tasks and timers get their turn before the next."""
        self._awake = False
        if not self._waiting or self.ended.done():
            return
        handle, value = self._waiting.popleft()
        try:
            handle(value)
        except Exception:
            logger.exception("a message could not be handled")
        if self.protocol.exit_code is not None:
            self.end(self.protocol.exit_code)
        elif self._waiting and not self._awake:
            self._awake = True
            self.loop.call_soon(self._next)

    def _complain(self, reason: str) -> None:
        logger.warning("%s", reason)
        self.protocol.refuse(None, PARSE_ERROR, reason)

    def _finish(self, _: object) -> None:
        running = [future for future in self.protocol.running() if not future.done()]

        async def wait() -> None:
            if running:
                await asyncio.wait(running, timeout=process.GRACE / 2)
            self.end(self._exit_code())

        self._last = self.loop.create_task(wait())

    # Out.

    def connect(self, write: Callable[[bytes], None]) -> None:
        self._write = write

    def _send(self, data: bytes) -> None:
        if threading.get_ident() == self._thread:
            self._send_now(data)
        elif not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._send_now, data)

    def _send_now(self, data: bytes) -> None:
        if self._write is None or self.ended.done():
            return
        try:
            self._write(data)
        except OSError as error:
            logger.warning("the client is gone: %s", error.strerror)
            self.end(self._exit_code())

    # The end.

    def end(self, code: int) -> None:
        if not self.ended.done():
            self.ended.set_result(code)

    def end_soon(self, code: int) -> None:
        """From any thread or a signal: end properly, or else by force."""
        process.end_within(process.GRACE, lambda: code)
        self.loop.call_soon_threadsafe(self.end, code)

    def _exit_code(self) -> int:
        return 0 if self.protocol.shutdown_seen else 1

    def _watch_client(self, pid: int) -> None:
        def gone() -> None:
            logger.warning("the client's process is gone")
            self.end_soon(1)

        if not process.watch_process(pid, gone):
            logger.info("the client's process is not visible from here")


def _run(protocol: AkmProtocol, serve: Callable[[_Life], object]) -> NoReturn:
    """Run the event loop until the end. Never returns: threads may still be busy."""
    loop = asyncio.new_event_loop()
    name_tasks_that_hold(loop)
    asyncio.set_event_loop(loop)
    code = 3

    async def live() -> int:
        life = _Life(protocol, loop)
        if sys.platform != "win32":
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, life.end_soon, 128 + number)
        started = serve(life)
        if asyncio.iscoroutine(started):
            return int(await started)
        return await life.ended

    try:
        code = loop.run_until_complete(live())
    except KeyboardInterrupt:
        code = 130
    except Exception:
        logger.exception("the server failed")
    process.end_within(process.GRACE, lambda: code)
    protocol.workers.close()
    for callback in protocol.on_exit:
        try:
            callback()
        except Exception:
            logger.exception("closing failed")
    process.end(code)


def _serve_stdio(life: _Life, reading: int, writing: int) -> None:
    def read() -> None:
        while True:
            try:
                data = os.read(reading, _CHUNK)
            except OSError:
                data = b""
            if not data:
                life.feed_end()
                return
            life.feed(data)

    def write(data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(writing, rest) :]

    life.connect(write)
    threading.Thread(target=read, name="akm-ls-stdin", daemon=True).start()


async def _serve_tcp(life: _Life, host: str, port: int) -> int:
    life.protocol.watch_client = None  # the process id may be another machine's
    client: asyncio.StreamWriter | None = None

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal client
        if client is not None:
            writer.close()
            return
        client = writer
        life.connect(writer.write)
        try:
            while data := await reader.read(_CHUNK):
                life.feed(data)
        except OSError:
            pass
        life.feed_end()

    try:
        listener = await asyncio.start_server(converse, host, port)
    except OSError as error:
        sys.stderr.write(f"akm-ls: cannot listen on {host}:{port}: {error.strerror}\n")
        return 2
    bound = listener.sockets[0].getsockname()
    sys.stderr.write(f"akm-ls: listening on {bound[0]}:{bound[1]}\n")
    sys.stderr.flush()
    code = await life.ended
    if client is not None:
        client.close()  # sends what is still in its buffer
        with contextlib.suppress(OSError, asyncio.TimeoutError):
            await asyncio.wait_for(client.wait_closed(), process.GRACE / 2)
    return code
