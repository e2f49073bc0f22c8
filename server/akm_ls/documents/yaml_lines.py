"""Lines, keys and values of YAML that does not parse: what can be told from the text alone."""

from __future__ import annotations

import re

from akm_ls.documents.text import Span

_LINE_END = re.compile(r"[\r\n]")
_KEY = re.compile(
    r"[ \t]*(?:-[ \t]+)*(?P<key>\"[^\"\r\n]*\"|'[^'\r\n]*'|[^\s#:'\"\[\]{},][^:\r\n]*?)"
    r"[ \t]*:(?=[ \t\r\n]|\Z)[ \t]*"
)
_ITEM = re.compile(r"[ \t]*(?:-[ \t]+)+")
PLAIN_KEY = re.compile(r"[ \t]*(?:-[ \t]+)*[\w][\w-]*[ \t]*:(?=[ \t\r\n]|\Z)")
CLOSED_QUOTE = {
    '"': re.compile(r'"(?:[^"\\\r\n]|\\[^\r\n])*"'),
    "'": re.compile(r"'(?:[^'\r\n]|'')*'"),
}


def line_at(source: str, at: int, *, content: bool = True) -> Span:
    """The line that holds ``at``; only its visible part when ``content``."""
    start = source.rfind("\n", 0, at) + 1
    start = max(start, source.rfind("\r", start, at) + 1)
    match = _LINE_END.search(source, max(at, start))
    end = match.start() if match else len(source)
    if content:
        text = source[start:end]
        stripped = text.lstrip(" \t")
        start += len(text) - len(stripped)
        end = start + len(stripped.rstrip(" \t"))
    return Span(start, end)


def next_line(source: str, line_end: int) -> int:
    """Where the line begins that follows the one which ends at ``line_end``."""
    return line_end + (2 if source.startswith("\r\n", line_end) else 1)


def rest_of_line(source: str, at: int) -> Span:
    """From ``at`` to the end of its line."""
    return Span(at, max(at, line_at(source, at).end))


def visible_at(source: str, at: int) -> Span:
    """Some text at or before ``at`` that can be underlined."""
    end = len(source[: line_at(source, at).end].rstrip())
    line = line_at(source, end)
    return line if line.start < line.end else Span(at, at)


def tab_at(source: str, at: int) -> Span | None:
    """The tab at ``at`` or in the indentation of its line."""
    line = line_at(source, at, content=False)
    position = line.start
    while position < line.end and source[position] == " ":
        position += 1
    if source[position : position + 1] != "\t":
        if source[at : at + 1] != "\t":
            return None
        position = at
    end = position
    while source[end : end + 1] == "\t":
        end += 1
    return Span(position, end)


def value_at(source: str, at: int) -> tuple[str | None, Span | None]:
    """Key and value of the line that holds ``at``; a list item without a key has only a value."""
    line = line_at(source, at)
    match = _KEY.match(source, line.start, line.end)
    if match and match.end() <= max(at, match.end()) and match.end() < line.end:
        if match.end() <= at:
            return match.group("key").strip("\"'"), Span(match.end(), line.end)
        return None, None
    item = _ITEM.match(source, line.start, line.end)
    if item and item.end() <= at and item.end() < line.end:
        return None, Span(item.end(), line.end)
    return None, None


def key_above(source: str, line_start: int) -> str | None:
    """The key of the line above, when it has a value that text could go on with."""
    at = line_at(source, line_start, content=False).start
    if at == 0:
        return None
    above = line_at(source, at - (2 if source.startswith("\r\n", at - 2) else 1))
    match = _KEY.match(source, above.start, above.end)
    return match.group("key") if match and match.end() < above.end else None


def value_above(source: str, line: Span) -> tuple[str | None, Span | None]:
    """Key and value that an indented line goes on with; the value ends with that line."""
    indent = line.start - line_at(source, line.start, content=False).start
    above = line
    while (start := line_at(source, above.start, content=False).start) > 0:
        above = line_at(source, start - (2 if source.startswith("\r\n", start - 2) else 1))
        if above.start == above.end:
            continue
        if above.start - line_at(source, above.start, content=False).start < indent:
            match = _KEY.match(source, above.start, above.end)
            if match is None or match.end() >= above.end or source[match.end()] in "\"'[{|>&*!":
                return None, None
            return match.group("key").strip("\"'"), Span(match.end(), line.end)
    return None, None


def open_quote_above(source: str, at: int) -> int | None:
    """A quote above ``at`` whose line does not close it while the next line is a key.

    The parser takes such a value to end at the next quote, wherever that is, and fails there.
    """
    line_start = line_at(source, at).start
    found = None
    position = 0
    while position < line_start:
        span = line_at(source, position, content=False)
        match = _KEY.match(source, span.start, span.end)
        begin = match.end() if match else span.start
        if not match and (item := _ITEM.match(source, span.start, span.end)):
            begin = item.end()
        quote = source[begin : begin + 1]
        if quote in CLOSED_QUOTE and not CLOSED_QUOTE[quote].match(source, begin, span.end):
            following = line_at(source, min(next_line(source, span.end), len(source)))
            indent = line_at(source, span.start).start - span.start
            if following.start - span.end - 2 <= indent and (
                PLAIN_KEY.match(source, following.start) or _ITEM.match(source, following.start)
            ):
                found = begin
        position = next_line(source, span.end)
        if position <= span.start:
            break
    return found
