"""Bytes to JSON-RPC messages and back: header blocks, bodies, and what to do with bad ones."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from akm_ls.counts import count

MAX_BODY = 256 * 1024 * 1024
"""Bytes of one message; a longer one is skipped, not held."""
MAX_HEADER = 64 * 1024

# Unanchored at the left: the header may follow junk that has no line end.
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,18})[ \t]*\Z", re.IGNORECASE)
_ANY_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*\d", re.IGNORECASE)
_HEADER = re.compile(rb"[A-Za-z][A-Za-z0-9-]*[ \t]*:")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class BadFrame:
    """Bytes that were skipped because they are not a message. ``reason`` is one sentence."""

    reason: str


class FrameReader:
    """Cuts a byte stream into message bodies. Takes any bytes in any portions."""

    def __init__(self, max_body: int = MAX_BODY) -> None:
        self._max_body = max_body
        self._buffer = bytearray()
        self._length: int | None = None  # of the body, once its header line was read
        self._in_body = False
        self._saw_header = False
        self._junk = 0
        self._skip = 0

    def feed(self, data: bytes) -> Iterator[bytes | BadFrame]:
        """Yield the bodies that ``data`` completes, and a `BadFrame` for what was skipped."""
        self._buffer += data
        while True:
            if self._skip:
                dropped = min(self._skip, len(self._buffer))
                del self._buffer[:dropped]
                self._skip -= dropped
                if self._skip:
                    return
            if self._in_body:
                assert self._length is not None
                if len(self._buffer) < self._length:
                    return
                body = bytes(memoryview(self._buffer)[: self._length])
                del self._buffer[: self._length]
                self._length, self._in_body = None, False
                yield body
                continue
            line = self._take_line()
            if line is None:
                return
            problem = self._read_header(line)
            if problem is not None:
                yield problem

    def resume_in(self, body: bytes) -> bool:
        """Look for the next message inside a body that was none.

        A sender that counts characters instead of bytes, or too many, has us swallow the start
        of its next message. Returns whether one was found.
        """
        match = _ANY_LENGTH.search(body)
        if match is None:
            return False
        self._buffer[:0] = body[match.start() :]
        return True

    def _take_line(self) -> bytes | None:
        end = self._buffer.find(b"\n")
        if end < 0:
            if len(self._buffer) > MAX_HEADER:
                self._junk += len(self._buffer) - 256
                del self._buffer[:-256]
            return None
        line = bytes(memoryview(self._buffer)[:end])
        del self._buffer[: end + 1]
        return line.rstrip(b"\r")

    def _read_header(self, line: bytes) -> BadFrame | None:
        if not line.strip():
            return self._end_of_headers()
        match = _LENGTH.search(line)
        if match is not None:
            self._length = int(match[1])
            self._junk += match.start()
        elif _HEADER.match(line) is None:
            self._junk += len(line) + 1
        self._saw_header = True
        return None

    def _end_of_headers(self) -> BadFrame | None:
        length, junk, saw_header = self._length, self._junk, self._saw_header
        self._junk, self._saw_header = 0, False
        if length is None:
            if not saw_header:
                return None  # an empty line between messages
            return BadFrame("a header without a valid Content-Length was skipped")
        if length > self._max_body:
            self._length, self._skip = None, length
            return BadFrame(f"a message of {count(length, 'byte')} was skipped: that is too long")
        self._in_body = True
        return BadFrame(f"skipped {count(junk, 'byte')} before a header") if junk else None


def decode_message(body: bytes) -> Any:
    """The JSON value of a body. Lone surrogates in it become U+FFFD.

    A lone surrogate can be neither stored nor sent on; its replacement counts as many code
    units in every encoding, so positions stay right.

    Raises:
        ValueError: the body is not JSON, or nested too deeply.
    """
    try:
        message = json.loads(body.decode("utf-8", "replace"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if b"\\ud" in body or b"\\uD" in body:
        return _well_formed(message)
    return message


def encode_message(message: object, default: Callable[[Any], object]) -> bytes:
    """One message with its header. ``default`` turns protocol types into JSON values.

    Raises:
        TypeError, ValueError, RecursionError: the message cannot be JSON.
    """
    text = json.dumps(
        message, default=default, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    try:
        body = text.encode("utf-8")
    except UnicodeEncodeError:
        body = _repaired(text).encode("utf-8")
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _well_formed(value: Any) -> Any:
    if isinstance(value, str):
        return _repaired(value) if _SURROGATE.search(value) else value
    if isinstance(value, list):
        return [_well_formed(item) for item in value]
    if isinstance(value, dict):
        return {_well_formed(key): _well_formed(item) for key, item in value.items()}
    return value


def _repaired(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
