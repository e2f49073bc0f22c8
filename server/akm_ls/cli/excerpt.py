"""A source line with a caret under a range, aligned in terminal cells."""

from __future__ import annotations

from typing import NamedTuple

from akm_ls.cli.terminal import cells, printable

_TAB = 4
_ELLIPSIS = "…"


class Excerpt(NamedTuple):
    """``source`` is the visible part of the line, ``marker`` the carets that go below it."""

    source: str
    marker: str


def excerpt(line: str, start: int, end: int, width: int = 100) -> Excerpt:
    """Show ``line`` (no line end) with carets under ``[start, end)``, at most ``width`` cells wide.

    Tabs become blanks, control characters are spelt out, wide characters take two cells. An empty
    range, also one at the line's end, gets one caret. Costs O(width), however long the line.
    """
    start = min(max(start, 0), len(line))
    end = min(max(end, start), len(line))
    left = _left_edge(line, start, end, width)
    if _is_plain(line[left : left + width]):
        return _plain_excerpt(line, start, end, left, width)
    source: list[str] = []
    column = 0
    if left:
        source.append(_ELLIPSIS)
        column = 1
    first = last = None
    for index in range(left, len(line)):
        shown, size = _cell(line[index], column)
        if column + size > width - 1 and (column + size > width or index + 1 < len(line)):
            source.append(_ELLIPSIS)
            break
        if index == start:
            first = column
        source.append(shown)
        column += size
        if start <= index < end:
            last = column
    first = column if first is None else first
    last = max(first + 1, last or 0)
    return Excerpt("".join(source).rstrip(), " " * first + "^" * (last - first))


def _is_plain(text: str) -> bool:
    """Whether each character is shown as it is and takes one cell."""
    return text.isascii() and text.isprintable()


def _plain_excerpt(line: str, start: int, end: int, left: int, width: int) -> Excerpt:
    """`excerpt` where the visible part of the line is plain."""
    column = 1 if left else 0
    lead = _ELLIPSIS if left else ""
    right, tail = len(line), ""
    if right - left > width - column:
        right, tail = left + width - 1 - column, _ELLIPSIS
    first = column + min(start, right) - left
    last = max(first + 1, column + min(end, right) - left)
    source = f"{lead}{line[left:right]}{tail}"
    return Excerpt(source.rstrip(), " " * first + "^" * (last - first))


def _left_edge(line: str, start: int, end: int, width: int) -> int:
    """The first character to show: 0 when the range fits, else enough to keep it in sight."""
    if start < width and _size(line[: min(end, width)]) < width:
        return 0
    # A third of the width before the range, more where little follows it.
    context = max(width // 3, width - 2 - _size(line[start : start + width]))
    edge = start
    room = min(context, width - 3)
    if _is_plain(line[max(0, start - room) : start]):
        return max(0, start - room)
    while edge > 0:
        room -= _cell(line[edge - 1], 0)[1]
        if room < 0:
            break
        edge -= 1
    return edge


def _size(text: str) -> int:
    if _is_plain(text):
        return len(text)
    column = 0
    for char in text:
        column += _cell(char, column)[1]
    return column


def _cell(char: str, column: int) -> tuple[str, int]:
    if char == "\t":
        size = _TAB - column % _TAB
        return " " * size, size
    if char >= " " and char != "\x7f" and char < "\x80":
        return char, 1
    shown = printable(char)
    return (char, cells(char)) if shown == char else (shown, len(shown))
