"""Offsets and the protocol's positions, counted apart from the server's own arithmetic."""

from __future__ import annotations

import re
from typing import Any, Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]

_LINE_END = re.compile(r"\r\n|\n|\r")
_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_CODEC = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}

Position = dict[str, int]


def line_starts(text: str) -> list[int]:
    return [0, *(end.end() for end in _LINE_END.finditer(text))]


def units(text: str, encoding: Encoding) -> int:
    """The length of a text in the code units of an encoding."""
    return len(text.encode(_CODEC[encoding], "surrogatepass")) // _UNIT[encoding]


def position_of(text: str, offset: int, encoding: Encoding) -> Position:
    starts = [start for start in line_starts(text) if start <= offset]
    return {"line": len(starts) - 1, "character": units(text[starts[-1] : offset], encoding)}


def offset_of(text: str, position: Position, encoding: Encoding) -> int:
    """The offset of a position; behind the end of a line, the line's end counts."""
    starts = [*line_starts(text), len(text)]
    line = text[starts[position["line"]] : starts[position["line"] + 1]]
    line = _LINE_END.sub("", line)
    width = 0
    for index, character in enumerate(line):
        if width >= position["character"]:
            return starts[position["line"]] + index
        width += units(character, encoding)
    return starts[position["line"]] + len(line)


def range_of(text: str, start: int, end: int, encoding: Encoding) -> dict[str, Position]:
    return {
        "start": position_of(text, start, encoding),
        "end": position_of(text, end, encoding),
    }


def with_edits(text: str, edits: list[dict[str, Any]], encoding: Encoding) -> str:
    """The text after edits that all speak of it as it was; they must not overlap."""
    spans = sorted(
        (
            offset_of(text, edit["range"]["start"], encoding),
            offset_of(text, edit["range"]["end"], encoding),
            number,
        )
        for number, edit in enumerate(edits)
    )
    parts, last = [], 0
    for start, end, number in spans:
        assert last <= start <= end, f"edits overlap: {edits}"
        parts += [text[last:start], edits[number]["newText"]]
        last = end
    return "".join([*parts, text[last:]])
