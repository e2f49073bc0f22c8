"""The stretch of a file's body that answers a query best."""

from __future__ import annotations

import re
from collections import Counter, deque
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from akm_ls.documents.blocks import scan_blocks
from akm_ls.documents.markdown import Heading, merge, scan_headings, uniform_lines
from akm_ls.documents.redaction import find_secrets, redact_span, secrets_around
from akm_ls.documents.text import LineIndex, PositionEncoding, Span
from akm_ls.search.query import find_word, root_of

MAX_CHARS = 280
MAX_SEARCHED_CHARS = 200_000
"""A match beyond this is not looked for: the file still is a hit, without an excerpt."""
_MAX_OCCURRENCES = 500
"""Of one token; the best place is among the first ones or nowhere in particular."""
_ENOUGH = 100
_LEAD = 80
"""Characters kept before the first match where no line or sentence starts nearer."""
_SECRET_REACH = 4_000
"""How far around an excerpt the rest of a secret may lie that reaches into it."""
_REST_OF_WORD = re.compile(r"[^\W_]+")
_BREAK = re.compile(r"[\n\r]+|(?<=[.!?])\s+")
_FRONTMATTER = re.compile(r"\ufeff?---[ \t]*[\r\n]")
_FRONTMATTER_END = re.compile(r"[\r\n]---[ \t]*(?:\r\n|[\r\n]|\Z)")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """``text`` is the file's text from ``start`` to ``end``, in ``str`` offsets.

    ``line`` (0-based) is where to go for it: the heading above it, else its own first line;
    ``fragment`` names that heading in a ref, unless it has a secret in it. ``lines`` are the
    file's. ``shown`` is the text without the secrets in it, where there are any.
    """

    start: int
    end: int
    text: str
    line: int
    lines: LineIndex
    fragment: str | None = None
    shown: str | None = None

    def to_json(self, encoding: PositionEncoding = "utf-16") -> dict[str, Any]:
        """``encoding`` is that of the range's characters; offsets are of code points."""
        first, last = self.lines.range(Span(self.start, self.end), encoding)
        return {
            "startOffset": self.start,
            "endOffset": self.end,
            "text": self.text if self.shown is None else self.shown,
            "range": {
                "start": {"line": first.line, "character": first.character},
                "end": {"line": last.line, "character": last.character},
            },
            "fragment": self.fragment,
        }


class _Occurrence(NamedTuple):
    start: int
    end: int
    token: int


def best_excerpt(text: str, tokens: tuple[str, ...]) -> Excerpt | None:
    """The stretch of a Markdown body with the most of the query in it, the first among equals.

    ``None`` when the body holds none of the query: the hit comes from its name or metadata.
    Fenced code and comments are passed over, as they are not searched either.
    """
    start = _body_start(text)
    occurrences = _occurrences(text, start, tokens)
    if not occurrences:
        return None
    uniform = uniform_lines(text)
    fences, comments = scan_blocks(uniform, start)
    hidden = merge((*(fence.span for fence in fences), *comments))
    occurrences = _outside(hidden, occurrences)
    if not occurrences:
        return None
    first, last = _densest(occurrences)
    ceiling = next((block.start for block in hidden if block.start >= last), len(text))
    span = _whole_words(text, start, ceiling, first, last)
    # No further than the line of the match.
    line_end = uniform.find("\n", first)
    until = uniform if line_end < 0 else uniform[:line_end]
    above = [item for item in scan_headings(until, start, hidden) if item.span.start <= first]
    secrets = secrets_around(text, span.start, span.end, reach=_SECRET_REACH)
    shown = redact_span(text, span.start, span.end, secrets)
    lines = LineIndex(text)
    line = above[-1].line if above else lines.line_of(span.start)
    fragment = said_slug(above[-1]) if above else None
    return Excerpt(
        span.start,
        span.end,
        span.of(text),
        line,
        lines,
        fragment,
        shown.text if shown.count else None,
    )


def said_slug(heading: Heading) -> str | None:
    """What names a heading in a ref that others see; a slug repeats the secrets of a heading."""
    return None if not heading.slug or _has_secrets(heading.text) else heading.slug


@lru_cache(maxsize=1024)
def _has_secrets(heading: str) -> bool:
    """Many files have the same headings."""
    return bool(find_secrets(heading))


def _body_start(text: str) -> int:
    """For an excerpt the plain block will do: reading its YAML would take most of the time."""
    opening = _FRONTMATTER.match(text)
    closing = None if opening is None else _FRONTMATTER_END.search(text, opening.end())
    return 0 if closing is None else closing.end()


def _occurrences(text: str, start: int, tokens: tuple[str, ...]) -> list[_Occurrence]:
    """Where the query's words stand in the body, in order."""
    end = min(len(text), start + MAX_SEARCHED_CHARS)
    folded = _folded(text[:end])
    found: list[_Occurrence] = []
    for index, token in enumerate(tokens):
        root = root_of(token)
        at, count = find_word(root, folded, start), 0
        while at >= 0 and count < _MAX_OCCURRENCES:
            rest = _REST_OF_WORD.match(folded, at + len(root))
            after = at + len(root) if rest is None else rest.end()
            found.append(_Occurrence(at, after, index))
            count += 1
            at = find_word(root, folded, after)
    found.sort()
    return found


def _folded(text: str) -> str:
    """Lower case without moving any offset."""
    folded = text.lower()
    if len(folded) == len(text):
        return folded
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _outside(hidden: tuple[Span, ...], occurrences: list[_Occurrence]) -> list[_Occurrence]:
    if not hidden:
        return occurrences
    spans = deque(hidden)
    found = []
    for occurrence in occurrences:
        while spans and spans[0].end <= occurrence.start:
            spans.popleft()
        if not spans or occurrence.start < spans[0].start:
            found.append(occurrence)
    return found


def _densest(occurrences: list[_Occurrence]) -> tuple[int, int]:
    """Start and end of the shortest stretch with most tokens; within about `MAX_CHARS`."""
    window: deque[_Occurrence] = deque()
    counts: Counter[int] = Counter()
    best, distinct = Span(0, 0), 0
    for occurrence in occurrences:
        window.append(occurrence)
        counts[occurrence.token] += 1
        while len(window) > 1 and (
            counts[window[0].token] > 1 or occurrence.end - window[0].start > MAX_CHARS - _LEAD
        ):
            gone = window.popleft()
            counts[gone.token] -= 1
            if not counts[gone.token]:
                del counts[gone.token]
        span = Span(window[0].start, occurrence.end)
        shorter = span.end - span.start < best.end - best.start
        if len(counts) > distinct or (len(counts) == distinct > 1 and shorter):
            best, distinct = span, len(counts)
    return best


def _whole_words(text: str, floor: int, ceiling: int, first: int, last: int) -> Span:
    """The match with the sentences around it, within `MAX_CHARS`, blank ends cut off.

    Nothing before ``floor`` and from ``ceiling`` on belongs to it.
    """
    start = max(floor, first - _LEAD)
    for found in _BREAK.finditer(text, start, first):
        start = found.end()
    if start == first - _LEAD > floor:
        while start < first and not text[start - 1].isspace():
            start += 1
    limit = min(ceiling, start + MAX_CHARS)
    last = min(last, limit)
    end = limit
    for found in _BREAK.finditer(text, last, limit):
        # A heading alone says little: go on until there is a sentence or two.
        if found.start() - start >= _ENOUGH:
            end = found.start()
            break
    if end == limit < ceiling:
        cut = max(text.rfind(" ", last, limit), text.rfind("\n", last, limit))
        end = cut if cut > last else limit
    while start < first and text[start].isspace():
        start += 1
    while end > last and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
