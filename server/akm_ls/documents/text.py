"""Text as an editor counts it: decoding, lines, and positions in a client's encoding."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Literal, NamedTuple

PositionEncoding = Literal["utf-8", "utf-16", "utf-32"]

_LINE_END = re.compile(r"\r\n|\n|\r")


class Span(NamedTuple):
    """A half-open stretch of text, in ``str`` offsets."""

    start: int
    end: int

    def contains(self, offset: int) -> bool:
        """Whether a cursor at ``offset`` touches the span (both ends included)."""
        return self.start <= offset <= self.end

    def of(self, text: str) -> str:
        return text[self.start : self.end]


class Position(NamedTuple):
    """A 0-based line and a 0-based character in some encoding's code units."""

    line: int
    character: int


class Range(NamedTuple):
    start: Position
    end: Position


class Decoded(NamedTuple):
    """A file's bytes as text, with what had to be repaired to get there."""

    text: str
    bom: bool = False
    invalid_utf8: bool = False


def decode(data: bytes) -> Decoded:
    """Decode UTF-8 (or UTF-16 with a BOM); invalid bytes become U+FFFD. Never raises."""
    if data.startswith(b"\xef\xbb\xbf"):
        return _decode_utf8(data[3:], bom=True)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return Decoded(data.decode("utf-16"), bom=True)
        except UnicodeDecodeError:
            pass
    return _decode_utf8(data, bom=False)


def _decode_utf8(data: bytes, *, bom: bool) -> Decoded:
    try:
        return Decoded(data.decode("utf-8"), bom=bom)
    except UnicodeDecodeError:
        return Decoded(data.decode("utf-8", "replace"), bom=bom, invalid_utf8=True)


class LineIndex:
    """Lines of a text that end at ``\\n``, ``\\r\\n`` and ``\\r`` and nowhere else (LSP 3.17)."""

    __slots__ = ("_ascii", "_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0]
        if "\r" in text:
            self._starts += [match.end() for match in _LINE_END.finditer(text)]
        else:
            find, append = text.find, self._starts.append
            at = find("\n") + 1
            while at:
                append(at)
                at = find("\n", at) + 1
        self._ascii = text.isascii()

    def __len__(self) -> int:
        """Number of lines; a text that ends in a line end has an empty last line."""
        return len(self._starts)

    def line_of(self, offset: int) -> int:
        """The 0-based line that holds ``offset``."""
        return bisect_right(self._starts, offset) - 1

    def start_of(self, line: int) -> int:
        """Offset of the first character of ``line``; the text's length past the last line."""
        return self._starts[line] if line < len(self._starts) else len(self.text)

    def line_span(self, line: int) -> Span:
        """The characters of ``line``, without its line end."""
        start, end = self.start_of(line), self.start_of(line + 1)
        if line + 1 < len(self._starts):
            end -= 2 if self.text[max(start, end - 2) : end] == "\r\n" else 1
        return Span(start, end)

    def line_text(self, line: int) -> str:
        return self.line_span(line).of(self.text)

    def position(self, offset: int, encoding: PositionEncoding = "utf-16") -> Position:
        """``offset`` as a position whose character counts ``encoding``'s code units."""
        offset = min(max(offset, 0), len(self.text))
        line = self.line_of(offset)
        start = self._starts[line]
        if self._ascii or encoding == "utf-32":
            return Position(line, offset - start)
        return Position(line, _units(self.text[start:offset], encoding))

    def offset(self, line: int, character: int, encoding: PositionEncoding = "utf-16") -> int:
        """The inverse of `position`; out-of-range values are clamped to the line or the text."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        start, end = self.line_span(line)
        character = max(character, 0)
        if self._ascii or encoding == "utf-32":
            return min(start + character, end)
        return start + _characters(self.text[start:end], character, encoding)

    def range(self, span: Span, encoding: PositionEncoding = "utf-16") -> Range:
        return Range(self.position(span.start, encoding), self.position(span.end, encoding))


def _units(text: str, encoding: PositionEncoding) -> int:
    if text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _characters(line: str, units: int, encoding: PositionEncoding) -> int:
    """How many whole characters of ``line`` the first ``units`` code units hold."""
    if units >= len(line) * 4 or line.isascii():
        return min(units, len(line))
    if encoding == "utf-8":
        data = line.encode("utf-8", "surrogatepass")
        while 0 < units < len(data) and data[units] & 0xC0 == 0x80:
            units -= 1
        return len(data[:units].decode("utf-8", "surrogatepass"))
    data = line.encode("utf-16-le", "surrogatepass")
    if 0 < 2 * units < len(data) and _in_pair(data, 2 * units):
        units -= 1
    return len(data[: 2 * units].decode("utf-16-le", "surrogatepass"))


def _in_pair(data: bytes, at: int) -> bool:
    """Whether ``at`` lies between the two surrogates of one character, in UTF-16-LE."""
    return data[at - 1] & 0xFC == 0xD8 and data[at + 1] & 0xFC == 0xDC
