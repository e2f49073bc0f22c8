"""The values found in a Markdown body, and its headings.

All scanners here and in `blocks` and `inline` take a text whose line ends are ``\\n`` only
(`uniform_lines` makes one with the same offsets) and give offsets into it. Headings and fences by
plain scanning take as long as walking pyromark's events (55 us for a dense 1.5 KB body, 2.5 ms
for 70 KB), but come in ``str`` offsets, by akm's rules, and each only when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Fence:
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


@dataclass(frozen=True, slots=True)
class CodeSpan:
    """Inline code: ``span`` with its backticks, ``inner`` without them."""

    span: Span
    inner: Span


@dataclass(frozen=True, slots=True)
class Link:
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

_HEADING = re.compile(r"(#{1,6})[ \t]+([^\n]*)")


def uniform_lines(text: str) -> str:
    """``text`` with ``\\n`` as its only line end and every offset kept."""
    if "\r" not in text:
        return text
    return text.replace("\r\n", " \n").replace("\r", "\n")


def scan_headings(text: str, start: int, excluded: Sequence[Span]) -> tuple[Heading, ...]:
    """The headings from ``start`` (a line's start) on that lie in none of ``excluded``."""
    found: list[tuple[int, str, Span, int]] = []
    at = start if text.startswith("#", start) else _after_line_end(text, start)
    line, counted, index = 0, 0, 0
    while at >= 0:
        while index < len(excluded) and excluded[index].end <= at:
            index += 1
        if index < len(excluded) and excluded[index].start <= at:
            at = _after_line_end(text, excluded[index].end)
            continue
        match = _HEADING.match(text, at)
        if match:
            source = match.group(2).rstrip()
            title = heading_text(source)
            if title:
                line += text.count("\n", counted, at)
                counted = at
                span = Span(at, match.start(2) + len(source))
                found.append((len(match.group(1)), title, span, line))
                if len(found) >= MAX_HEADINGS:
                    break
        at = _after_line_end(text, at)
    return _with_sections(found, len(text))


def _after_line_end(text: str, at: int) -> int:
    """The next line after ``at`` that starts with ``#``, or -1."""
    found = text.find("\n#", at)
    return found + 1 if found >= 0 else -1


def heading_text(source: str) -> str:
    """The text of an ATX heading's line after its opening marks: without closing ``#``s."""
    text = source.strip()
    if text.endswith("#"):
        bare = text.rstrip("#")
        if not bare or bare[-1] in " \t":
            return bare.rstrip()
    return text


def _with_sections(found: list[tuple[int, str, Span, int]], end: int) -> tuple[Heading, ...]:
    ends: list[int] = []
    following = [end] * 7
    for level, _, span, _ in reversed(found):
        ends.append(following[level])
        following[level:] = [span.start] * (7 - level)
    ends.reverse()
    slugs = unique(akm_slug(title) for _, title, _, _ in found)
    return tuple(
        Heading(level, title, slug, span, Span(span.start, section_end), line)
        for (level, title, span, line), section_end, slug in zip(found, ends, slugs, strict=True)
    )


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
