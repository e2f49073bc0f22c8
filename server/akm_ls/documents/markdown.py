"""The values found in a Markdown body, and its headings.

All scanners here and in `blocks` and `inline` take a text whose line ends are ``\\n`` only
(`uniform_lines` makes one with the same offsets) and give offsets into it. Headings and fences by
plain scanning take as long as walking pyromark's events (55 us for a dense 1.5 KB body, 2.5 ms
for 70 KB), but come in ``str`` offsets, by akm's rules, and each only when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple

from akm_ls.documents.slugs import akm_slug, unique
from akm_ls.documents.text import Span

LinkKind = Literal["inline", "image", "definition", "autolink"]


class Heading(NamedTuple):
    """An ATX heading at the start of a line.

    ``text`` is its Markdown source without the marks, ``slug`` what a ref's fragment names it by
    (``""`` when nothing is left), ``span`` its line without trailing blanks, ``section`` runs to
    the next heading of the same or a higher level, ``line`` is 0-based.
    """

    level: int
    text: str
    slug: str
    span: Span
    section: Span
    line: int


class Fence(NamedTuple):
    """A fenced code block: ``span`` with both fence lines, ``inner`` the lines between them."""

    span: Span
    info: str
    closed: bool
    inner: Span

    @property
    def language(self) -> str:
        """The first word of the info string, in lower case."""
        words = self.info.split(None, 1)
        return words[0].lower() if words else ""


class CodeSpan(NamedTuple):
    """Inline code: ``span`` with its backticks, ``inner`` without them."""

    span: Span
    inner: Span


class Link(NamedTuple):
    """A link. ``target`` is the source of the destination, without ``<>`` and title.

    ``text_span`` is the label between the brackets; for an autolink or a bare URL the target.
    """

    span: Span
    target: str
    target_span: Span
    text_span: Span
    kind: LinkKind


MAX_HEADINGS = 20_000
"""Headings of one document that are looked at."""

_SHORT = 80
# The files of a bundle have many headings in common.
_known_slug = lru_cache(maxsize=1024)(akm_slug)
_FIRST_HEADING = re.compile(r"(#{1,6})[ \t]+([^\n]*)")
# With the line end before it, which the engine finds far faster than `^` in multiline mode.
_HEADING = re.compile(rf"\n{_FIRST_HEADING.pattern}")


def uniform_lines(text: str) -> str:
    """``text`` with ``\\n`` as its only line end and every offset kept."""
    if "\r" not in text:
        return text
    return text.replace("\r\n", " \n").replace("\r", "\n")


def scan_headings(text: str, start: int, excluded: Sequence[Span]) -> tuple[Heading, ...]:
    """The headings from ``start`` (a line's start) on that lie in none of ``excluded``."""
    found: list[tuple[int, str, int, int, int]] = []
    line = counted = 0
    hidden = iter(excluded)
    none = (len(text), len(text))
    begin, end = next(hidden, none)
    for match in _lines_with_marks(text, start):
        at = match.start(1)
        while end <= at:
            begin, end = next(hidden, none)
        if begin <= at:
            continue
        marks, source = match.groups()
        source = source.rstrip()
        title = heading_text(source)
        if title:
            line += text.count("\n", counted, at)
            counted = at
            found.append((len(marks), title, at, match.start(2) + len(source), line))
            if len(found) >= MAX_HEADINGS:
                break
    return _with_sections(found, len(text))


def _lines_with_marks(text: str, start: int) -> Iterator[re.Match[str]]:
    """The lines from ``start`` (a line's start) on that look like an ATX heading."""
    if start > 0 and text[start - 1] == "\n":
        return _HEADING.finditer(text, start - 1)
    first = _FIRST_HEADING.match(text, start)
    others = _HEADING.finditer(text, start)
    return others if first is None else chain((first,), others)


def heading_text(source: str) -> str:
    """The text of an ATX heading's line after its opening marks: without closing ``#``s."""
    text = source.strip()
    if text.endswith("#"):
        bare = text.rstrip("#")
        if not bare or bare[-1] in " \t":
            return bare.rstrip()
    return text


def _with_sections(found: list[tuple[int, str, int, int, int]], end: int) -> tuple[Heading, ...]:
    """The headings, of each one's level, text, start, end and line."""
    titles = [title for _, title, _, _, _ in found]
    slugs = list(unique([_known_slug(it) if len(it) <= _SHORT else akm_slug(it) for it in titles]))
    following = [end] * 7
    """By level: where a section of this level ends, looking back from where we are."""
    headings: list[Heading] = []
    new = tuple.__new__  # a named tuple's own constructor takes half as long again
    for level, title, at, stop, line in reversed(found):
        span, section = new(Span, (at, stop)), new(Span, (at, following[level]))
        headings.append(new(Heading, (level, title, slugs.pop(), span, section, line)))
        following[level:] = [at] * (7 - level)
    headings.reverse()
    return tuple(headings)


def merge(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans in order, with those that touch or overlap made one."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            if span.end > merged[-1].end:
                merged[-1] = Span(merged[-1].start, span.end)
        else:
            merged.append(span)
    return tuple(merged)


def gaps(start: int, end: int, excluded: Sequence[Span]) -> list[Span]:
    """What lies between ``start`` and ``end`` outside the ordered, disjoint ``excluded``."""
    found: list[Span] = []
    for span in excluded:
        if span.start > start:
            found.append(Span(start, min(span.start, end)))
        start = max(start, span.end)
        if start >= end:
            return found
    found.append(Span(start, end))
    return found
