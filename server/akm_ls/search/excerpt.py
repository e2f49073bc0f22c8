"""The stretch of a file's body that answers a query best."""

from __future__ import annotations

import re
from collections import Counter, deque
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from akm_ls.documents.text import Span

if TYPE_CHECKING:
    from akm_ls.documents.document import Document

MAX_CHARS = 280
MAX_SEARCHED_CHARS = 200_000
"""A match beyond this is not looked for: the file still is a hit, without an excerpt."""
_MAX_OCCURRENCES = 2_000
_ENOUGH = 100
_LEAD = 80
"""Characters kept before the first match where no line or sentence starts nearer."""
_ENDINGS = ("ations", "ation", "ings", "ions", "ing", "ion", "ies", "ed", "es", "s", "e", "y")
_BREAK = re.compile(r"[\n\r]+|(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """``text`` is the file's text from ``start`` to ``end``, in ``str`` offsets.

    ``line`` (0-based) is where to go for it: the heading above it, else its own first line.
    """

    start: int
    end: int
    text: str
    line: int

    def to_json(self) -> dict[str, Any]:
        return {"startOffset": self.start, "endOffset": self.end, "text": self.text}


def best_excerpt(document: Document, tokens: tuple[str, ...]) -> Excerpt | None:
    """The stretch of the body with the most of the query in it, the first among equals.

    ``None`` when the body holds none of the query: the hit comes from its name or metadata.
    Fenced code and comments are passed over, as they are not searched either.
    """
    occurrences = _occurrences(document, tokens)
    if not occurrences:
        return None
    first, last = _densest(occurrences)
    span = _whole_words(document.text, document.body_start, first, last)
    heading = None
    for candidate in document.headings:
        if candidate.span.start > span.start:
            break
        heading = candidate
    line = document.lines.line_of(span.start) if heading is None else heading.line
    return Excerpt(span.start, span.end, span.of(document.text), line)


def _occurrences(document: Document, tokens: tuple[str, ...]) -> list[tuple[int, int, int]]:
    """(start, end, index of the token) of the query's words in the body, in order."""
    pattern = _pattern(tokens)
    if pattern is None:
        return []
    start = document.body_start
    end = min(len(document.text), start + MAX_SEARCHED_CHARS)
    hidden = deque(sorted((*(fence.span for fence in document.fences), *document.comments)))
    found = []
    for match in islice(pattern.finditer(document.text, start, end), _MAX_OCCURRENCES):
        while hidden and hidden[0].end <= match.start():
            hidden.popleft()
        if hidden and hidden[0].start <= match.start():
            continue
        found.append((match.start(), match.end(), match.lastindex or 0))
    return found


def _pattern(tokens: tuple[str, ...]) -> re.Pattern[str] | None:
    if not tokens:
        return None
    # The index compares stems; the beginning of a word stands in for its stem here.
    groups = "|".join(f"({re.escape(_root(token))}{_tail(token)})" for token in tokens)
    return re.compile(rf"(?<![^\W_])(?:{groups})", re.IGNORECASE)


def _tail(token: str) -> str:
    return r"[^\W_]*" if len(token) >= 3 else r"(?![^\W_])"


def _root(token: str) -> str:
    for ending in _ENDINGS:
        if token.endswith(ending) and len(token) - len(ending) >= 3:
            return token[: -len(ending)]
    return token


def _densest(occurrences: list[tuple[int, int, int]]) -> tuple[int, int]:
    """Start and end of the run of occurrences, within `MAX_CHARS`, that has most tokens."""
    window: deque[tuple[int, int, int]] = deque()
    counts: Counter[int] = Counter()
    best, distinct = (occurrences[0][0], occurrences[0][1]), 0
    for occurrence in occurrences:
        window.append(occurrence)
        counts[occurrence[2]] += 1
        while len(window) > 1 and occurrence[1] - window[0][0] > MAX_CHARS - _LEAD:
            gone = window.popleft()
            counts[gone[2]] -= 1
            if not counts[gone[2]]:
                del counts[gone[2]]
        if len(counts) > distinct:
            best, distinct = (window[0][0], occurrence[1]), len(counts)
    return best


def _whole_words(text: str, floor: int, first: int, last: int) -> Span:
    """The match with the sentences around it, within `MAX_CHARS`, blank ends cut off."""
    start = max(floor, first - _LEAD)
    for found in _BREAK.finditer(text, start, first):
        start = found.end()
    if start == first - _LEAD > floor:
        while start < first and not text[start - 1].isspace():
            start += 1
    limit = min(len(text), start + MAX_CHARS)
    last = min(last, limit)
    end = limit
    for found in _BREAK.finditer(text, last, limit):
        # A heading alone says little: go on until there is a sentence or two.
        if found.start() - start >= _ENOUGH:
            end = found.start()
            break
    if end == limit < len(text):
        cut = max(text.rfind(" ", last, limit), text.rfind("\n", last, limit))
        end = cut if cut > last else limit
    while start < first and text[start].isspace():
        start += 1
    while end > last and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
