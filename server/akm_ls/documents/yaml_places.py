"""Where in YAML a cursor is: at a key or at a value, below which keys.

Read from the lines themselves and not from a parse: what somebody is typing does not parse yet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from akm_ls.documents.document import Document
from akm_ls.documents.text import Span

ITEM = "[]"
"""The step of a path that leads into a list."""
MAX_LINES = 5_000
"""Lines looked at in each direction; longer YAML is generated."""

_INDENT = re.compile(r"[ \t]*")
_DASHES = re.compile(r"(?:-(?:[ \t]+|\Z))*")
_KEY = re.compile(r"(?P<name>[\w$][\w.$-]*|\"[^\"]*\"|'[^']*')[ \t]*:(?=[ \t]|\Z)")
_WORDS = re.compile(r"[^\s].*")
_NO_BLOCK = ("#", "---")


@dataclass(frozen=True, slots=True)
class YamlPlace:
    """What a cursor touches.

    ``path`` are the keys from the top with `ITEM` for each list on the way; that of a value ends
    in its own key (and `ITEM`), that of a key in the one above it. ``span`` is what is written
    there, without quotes, and ``typed`` the part of it before the cursor. ``present`` are the keys
    of the same mapping, the one at the cursor left out.
    """

    kind: Literal["key", "value"]
    path: tuple[str, ...]
    span: Span
    typed: str
    present: frozenset[str] = frozenset()
    quote: str = ""
    unclosed: bool = False
    """Whether the quote it begins with has no partner yet."""
    in_brackets: bool = False
    has_colon: bool = False
    """Of a key: whether its colon is there."""
    needs_blank: bool = False
    """Of a value: whether the cursor is right behind the colon or dash."""
    indent: int = 0
    """The column that keys of this mapping start in."""

    @property
    def key(self) -> str:
        """The key of a value."""
        return next((part for part in reversed(self.path) if part != ITEM), "")

    @property
    def is_item(self) -> bool:
        return self.path[-1:] == (ITEM,)

    def as_key(self) -> YamlPlace:
        """A list item that is no value but a mapping whose first key is being typed."""
        return replace(self, kind="key")


@dataclass(frozen=True, slots=True)
class _Line:
    """One line: the columns of its dashes, where its content starts, and its key if it has one."""

    dashes: tuple[int, ...]
    column: int
    key: str | None
    colon: int
    value: int
    text: str

    @property
    def starts_scalar(self) -> bool:
        return self.text[self.value : self.value + 1] in ("|", ">")

    @property
    def has_value(self) -> bool:
        rest = self.text[self.value :].strip()
        return bool(rest) and not rest.startswith(("#", "&", "!"))


def yaml_block(document: Document, offset: int) -> Span | None:
    """The YAML that ``offset`` is in: of a Markdown file its frontmatter, also one that is still
    being typed."""
    if document.kind == "yaml":
        return Span(0, len(document.text))
    frontmatter = document.frontmatter
    if frontmatter is not None:
        inner = frontmatter.inner
        return inner if inner.start <= offset <= inner.end else None
    lines = document.lines
    first = lines.line_text(0).lstrip("\ufeff")
    here = lines.line_of(offset)
    if document.kind != "markdown" or first.rstrip() != "---" or here == 0 or here > MAX_LINES:
        return None
    above = (lines.line_text(number) for number in range(1, here))
    if any(not line.strip() or line.startswith(_NO_BLOCK) for line in above):
        return None
    if lines.line_text(here).startswith(_NO_BLOCK):
        return None
    return Span(lines.start_of(1), lines.line_span(here).end)


def yaml_place(document: Document, offset: int) -> YamlPlace | None:
    """The place of a cursor; ``None`` outside YAML, in comments, and in text of several lines."""
    block = yaml_block(document, offset)
    return None if block is None else _Reading(document, block).place(offset)


class _Reading:
    def __init__(self, document: Document, block: Span) -> None:
        self._text = document.text
        self._lines = document.lines
        self._first = document.lines.line_of(block.start)
        self._last = document.lines.line_of(max(block.start, block.end - 1))

    def place(self, offset: int) -> YamlPlace | None:
        number = self._lines.line_of(offset)
        span = self._lines.line_span(number)
        text = span.of(self._text)
        column = offset - span.start
        if not text.strip():
            # Where the cursor is decides what an empty line belongs to.
            text, at = text[:column], column
            return self._key_or_text(number, span, _Line((), at, None, at, at, text), column)
        line = _read(text)
        if _in_comment(text, column) or text[line.column : line.column + 1] == "#":
            return None
        if line.key is not None and column > line.colon:
            path = self._path_above(number, line, line.column)
            if path is None:
                return None
            blank = column == line.colon + 1
            return self._value(span, line, column, (*path, line.key), needs_blank=blank)
        if line.key is not None:
            if column < line.column:
                return None
            return self._key(number, span, line, column)
        if column < line.column and not line.dashes:
            return None
        if line.dashes:
            return self._item(number, span, line, column)
        return self._key_or_text(number, span, line, column)

    def _item(self, number: int, span: Span, line: _Line, column: int) -> YamlPlace | None:
        if column <= line.dashes[-1]:
            return None
        path = self._path_above(number, line, line.column)
        if path is None:
            return None
        blank = column == line.dashes[-1] + 1
        place = self._value(span, line, column, path, needs_blank=blank)
        if place is None:
            return None
        present = self._siblings(number, line.column)
        return replace(place, present=present, indent=line.column)

    def _key(self, number: int, span: Span, line: _Line, column: int) -> YamlPlace | None:
        path = self._path_above(number, line, line.column)
        if path is None or line.key is None:
            return None
        start, text = span.start + line.column, line.text
        quote = text[line.column] if text[line.column] in "\"'" else ""
        begin = start + len(quote)
        return YamlPlace(
            "key",
            path,
            Span(begin, begin + len(line.key)),
            self._text[begin : span.start + column],
            self._siblings(number, line.column),
            quote,
            has_colon=True,
            indent=line.column,
        )

    def _key_or_text(self, number: int, span: Span, line: _Line, column: int) -> YamlPlace | None:
        """A line without dash and colon: a key half typed, or more of a list in brackets."""
        open_list = self._open_list(number, line.column, span.start + column)
        if open_list is not None:
            above, start = open_list
            return self._in_list(start, span.start + column, span.end, above)
        path = self._path_above(number, line, line.column)
        if path is None:
            return None
        words = _WORDS.match(line.text, line.column)
        end = span.start + len(line.text.rstrip()) if words else span.start + line.column
        return YamlPlace(
            "key",
            path,
            Span(span.start + line.column, max(end, span.start + column)),
            self._text[span.start + line.column : span.start + column],
            self._siblings(number, line.column),
            indent=line.column,
        )

    def _value(
        self, span: Span, line: _Line, column: int, path: tuple[str, ...], *, needs_blank: bool
    ) -> YamlPlace | None:
        cursor = span.start + column
        start = min(span.start + line.value, cursor)
        first = self._text[start : start + 1]
        if first in ("|", ">", "{", "&", "*", "!") and cursor > start:
            return None
        if first == "[" and cursor > start:
            return self._in_list(start, cursor, span.end, path)
        return self._scalar(start, cursor, span.end, path, needs_blank=needs_blank)

    def _in_list(
        self, start: int, cursor: int, end: int, path: tuple[str, ...]
    ) -> YamlPlace | None:
        """An item of ``[a, b]``; ``start`` is at the bracket."""
        at, item, quote = start + 1, start + 1, ""
        while at < cursor:
            char = self._text[at]
            if quote:
                quote = "" if char == quote else quote
            elif char in "\"'" and not self._text[item:at].strip():
                quote = char
            elif char == ",":
                item = at + 1
            elif char in "]{}[":
                return None
            at += 1
        while item < cursor and self._text[item] in " \t\r\n":
            item += 1
        place = self._scalar(item, cursor, end, (*path, ITEM), stops=",]")
        return None if place is None else replace(place, in_brackets=True)

    def _scalar(
        self,
        start: int,
        cursor: int,
        end: int,
        path: tuple[str, ...],
        *,
        stops: str = "",
        needs_blank: bool = False,
    ) -> YamlPlace | None:
        quote = self._text[start : start + 1] if start < cursor else ""
        if quote and quote in "\"'":
            start += 1
            close = self._text.find(quote, cursor, end)
            if quote in self._text[start:cursor]:
                return None
            stop = close if close >= 0 else end
            if close < 0 and stops:
                stop = self._until(cursor, end, stops)
        else:
            quote, close = "", -1
            stop = self._until(cursor, end, stops)
        stop = cursor + len(self._text[cursor:stop].rstrip())
        return YamlPlace(
            "value",
            path,
            Span(start, stop),
            self._text[start:cursor],
            quote=quote,
            unclosed=bool(quote) and close < 0,
            needs_blank=needs_blank,
        )

    def _until(self, at: int, end: int, stops: str) -> int:
        while at < end and self._text[at] not in stops:
            if self._text[at] == "#" and self._text[at - 1 : at] in (" ", "\t"):
                break
            at += 1
        return at

    # Above and below.

    def _path_above(self, number: int, line: _Line, column: int) -> tuple[str, ...] | None:
        """The keys above the content at ``column`` of a line; ``None`` inside a text."""
        path: list[str] = []
        for dash in reversed(line.dashes):
            path.append(ITEM)
            column = dash
        wants_key = bool(line.dashes)
        if column == 0 and not wants_key:
            return ()
        for above in range(number - 1, max(self._first, number - MAX_LINES) - 1, -1):
            text = self._lines.line_text(above)
            if not text.strip():
                continue
            other = _read(text)
            if text[other.column : other.column + 1] == "#":
                continue
            # A list may start in the column of its key.
            if other.key is None or (
                other.column >= column and not (wants_key and other.column == column)
            ):
                at = self._dash_left_of(other, column)
                if at is not None and other.column == column and not wants_key:
                    # This line begins the item that the content is in.
                    for dash in reversed(other.dashes):
                        path.append(ITEM)
                        column = dash
                    wants_key = True
                elif other.key is None and other.column < column and not other.dashes:
                    return None
                continue
            if other.starts_scalar or (other.has_value and not wants_key):
                return None
            if other.has_value:
                continue
            path.append(other.key)
            column, wants_key = other.column, False
            for dash in reversed(other.dashes):
                path.append(ITEM)
                column, wants_key = dash, True
            if column == 0 and not wants_key:
                break
        return tuple(reversed(path))

    def _dash_left_of(self, line: _Line, column: int) -> int | None:
        return next((dash for dash in line.dashes if dash < column), None)

    def _siblings(self, number: int, column: int) -> frozenset[str]:
        """The other keys of the mapping whose keys start at ``column``."""
        found: set[str] = set()
        for step in (-1, 1):
            at = number if step < 0 else number + 1
            limit = MAX_LINES
            while self._first <= at <= self._last and limit:
                text = self._lines.line_text(at)
                limit -= 1
                line = _read(text) if text.strip() else None
                own = at == number
                at += step
                if line is None or text[line.column : line.column + 1] == "#":
                    continue
                begins = bool(line.dashes) and line.column == column
                if not own:
                    outside = line.column < column or (line.dashes and line.dashes[0] < column)
                    if outside and not (begins and step < 0):
                        break
                    if line.key is not None and line.column == column:
                        found.add(line.key)
                if begins and step < 0:
                    break
        return frozenset(found)

    def _open_list(
        self, number: int, column: int, cursor: int
    ) -> tuple[tuple[str, ...], int] | None:
        """The path and the bracket of a list that an earlier line opened and none closed.

        Its lines are indented: what starts in the column of its key is a key of its own.
        """
        for above in range(number - 1, max(self._first, number - 200) - 1, -1):
            span = self._lines.line_span(above)
            line = _read(span.of(self._text))
            if line.key is None and not line.dashes:
                continue
            if line.text[line.value : line.value + 1] != "[" or column <= line.column:
                return None
            start = span.start + line.value
            if "]" in self._text[start:cursor]:
                return None
            path = self._path_above(above, line, line.column)
            if path is None:
                return None
            return ((*path, line.key) if line.key is not None else path), start
        return None


def _read(text: str) -> _Line:
    indent = _INDENT.match(text)
    at = indent.end() if indent else 0
    dashes: list[int] = []
    run = _DASHES.match(text, at)
    if run is not None and run.end() > at:
        dashes = [at + position for position, char in enumerate(run.group()) if char == "-"]
        at = run.end()
    match = _KEY.match(text, at)
    if match is None:
        return _Line(tuple(dashes), at, None, at, at, text)
    value = match.end()
    while value < len(text) and text[value] in " \t":
        value += 1
    return _Line(tuple(dashes), at, match["name"].strip("\"'"), match.end() - 1, value, text)


def _in_comment(text: str, column: int) -> bool:
    """Whether a ``#`` before the cursor opens a comment."""
    quote = ""
    for at, char in enumerate(text[:column]):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'" and (at == 0 or text[at - 1] in " \t[,:{"):
            quote = char
        elif char == "#" and (at == 0 or text[at - 1] in " \t"):
            return True
    return False
