"""Code fences that do not end where their author meant them to.

A renderer closes a fence at the first bare line of enough marks. An author who puts one example
into another, forgets a closing line, or writes it twice reads his text another way, and from there
on code and prose may be swapped. Only what tells the two readings apart is a fault: a line such as
```` ```python ```` within an open fence that is no longer than it, or an end of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from akm_ls.documents.blocks import columns, opens_block
from akm_ls.documents.text import Span

FaultKind = Literal["unclosed", "nested", "twice", "no-end"]

MAX_FAULTS = 50
"""Faults of one document that are told apart."""
MAX_FENCE_LINES = 40_000

_RUN = re.compile(r"`{3,}|~{3,}")
_LANGUAGE = re.compile(
    r"\{?[.#]?[A-Za-z][\w+#.-]*\}?(?:[ \t]*[{:,=][^\n]*|[ \t]+\S+=[^\n]*|(?:[ \t]+\S+){0,2})\Z"
)
_LONGEST_INFO = 80
_HOLDS_FENCES = frozenset(
    ("", "markdown", "md", "mdx", "mdc", "text", "txt", "plaintext", "plain", "prompt", "template")
)
"""Languages of a fence whose content may have fences of its own."""


@dataclass(frozen=True, slots=True)
class FenceFault:
    """One fault. ``opener`` and ``at`` are lines without their line ends.

    ``unclosed``: nothing closes the fence of ``opener``. ``nested``: ``at`` opens a fence within
    it that is as long, ``closer`` is where the author meant it to end. ``twice``: ``opener`` reads
    like the end of a fence, but the one before (``earlier`` is its first line) is closed already.
    ``no-end``: ``at`` opens the next fence although ``opener`` is not closed. ``doubtful`` is the
    text that may be code or prose.
    """

    kind: FaultKind
    opener: Span
    at: Span
    doubtful: Span
    marks: str
    closer: Span | None = None
    earlier: Span | None = None


class _Line(NamedTuple):
    """A line that can open or close a fence; ``bare`` has no info string."""

    span: Span
    marks: Span
    column: int
    info: str
    quoted: bool
    closes: bool

    @property
    def bare(self) -> bool:
        return not self.info

    @property
    def length(self) -> int:
        return self.marks.end - self.marks.start


def scan_fence_faults(text: str, start: int, comments: Sequence[Span]) -> tuple[FenceFault, ...]:
    """The faults from ``start`` on, in text order."""
    lines = _fence_lines(text, start, comments)
    return tuple(_Reader(text, start, lines).read()) if lines else ()


def _fence_lines(text: str, start: int, comments: Sequence[Span]) -> list[_Line]:
    found: list[_Line] = []
    line = Span(start, start)
    index = 0
    for match in _RUN.finditer(text, start):
        at = match.start()
        if at < line.end:
            continue  # only the first run of a line counts
        line_start = text.rfind("\n", line.end, at)
        line_start = line.end if line_start < 0 else line_start + 1
        line_end = text.find("\n", at)
        line = Span(line_start, line_end if line_end >= 0 else len(text))
        while index < len(comments) and comments[index].end <= at:
            index += 1
        if index < len(comments) and comments[index].start <= at:
            continue
        if not opens_block(text, line.start, at):
            continue
        info = text[match.end() : line.end].strip()
        if text[at] == "`" and "`" in info:
            continue
        prefix = text[line.start : at]
        found.append(
            _Line(
                line,
                Span(at, match.end()),
                columns(prefix),
                info,
                ">" in prefix,
                not info and not prefix.strip(" \t>"),
            )
        )
        if len(found) >= MAX_FENCE_LINES:
            break
    return found


class _Reader:
    """The author's reading, fence by fence."""

    def __init__(self, text: str, start: int, lines: list[_Line]) -> None:
        self._text = text
        self._lines = lines
        self._start = start
        self._sure = start
        """The end of the last fence that opens with a language and closes: nothing is swapped
        up to here."""
        self._earlier: Span | None = None
        """The first line of the fence before."""

    def read(self) -> list[FenceFault]:
        faults: list[FenceFault] = []
        index = 0
        while index < len(self._lines) and len(faults) < MAX_FAULTS:
            index, fault = self._fence(index)
            if fault is not None:
                faults.append(fault)
        return faults

    def _fence(self, index: int) -> tuple[int, FenceFault | None]:
        """Read the fence that line ``index`` opens: the line to go on with, and its fault."""
        opener = self._lines[index]
        after = index + 1
        for at, line in self._following(index):
            after = at + 1
            if not self._counts(line, opener):
                continue
            if line.bare:
                if not line.closes:
                    continue
                self._earlier = opener.span
                if opener.info:
                    self._sure = line.span.end
                return after, None
            if self._is_in_doc_comment(line):
                continue
            if _LANGUAGE.match(line.info) and len(line.info) <= _LONGEST_INFO:
                return self._inner(index, at)
        if opener.quoted:
            return after, None  # a fence in a quote ends with the quote
        if self._ends_something(opener):
            return index + 1, self._closed_twice(opener, opener)
        end = Span(self._sure, len(self._text))
        return after, FenceFault("unclosed", opener.span, opener.span, end, self._marks(opener))

    def _is_in_doc_comment(self, line: _Line) -> bool:
        """Whether a fence is an example in a `/** … */` comment of the code.

        Its lines start with a star, which reads like a list; its end ``* ``` `` closes no fence.
        """
        text, marks = self._text, self._marks(line)
        if not line.span.of(text).lstrip().startswith("*"):
            return False
        at = text.find(marks, line.span.end)
        if at < 0:
            return False
        end = text.find("\n", at)
        closing = text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else None].strip()
        return closing.startswith("*") and closing.lstrip("* \t") == marks

    def _inner(self, index: int, inner: int) -> tuple[int, FenceFault]:
        """A fence that holds a line which opens another."""
        lines = self._lines
        opener, at = lines[index], lines[inner]
        if self._ends_something(opener):
            return index + 1, self._closed_twice(opener, at)
        language = opener.info.split(None, 1)[0].lower() if opener.info else ""
        closer = self._balanced(index) if language in _HOLDS_FENCES else None
        if closer is not None:
            end = lines[closer].span
            self._sure, self._earlier = end.end, opener.span
            doubtful = Span(opener.span.start, end.end)
            return closer + 1, FenceFault(
                "nested", opener.span, at.span, doubtful, self._marks(opener), end
            )
        doubtful = Span(opener.span.start, at.span.start)
        return inner, FenceFault("no-end", opener.span, at.span, doubtful, self._marks(opener))

    def _closed_twice(self, line: _Line, at: _Line) -> FenceFault:
        start = self._start if self._earlier is None else self._earlier.start
        marks, earlier = self._marks(line), self._earlier
        self._earlier = line.span
        doubtful = Span(start, line.span.end)
        return FenceFault("twice", line.span, at.span, doubtful, marks, earlier=earlier)

    def _ends_something(self, line: _Line) -> bool:
        """Whether a line that opens a fence reads like the end of one: nothing follows it."""
        if not line.bare:
            return False
        following = self._text.find("\n", line.span.end + 1)
        rest = self._text[line.span.end : following if following >= 0 else None]
        return not rest.strip(" \t>\n")

    def _balanced(self, index: int) -> int | None:
        """The line that closes the fence of ``index`` when each fence within it is closed too."""
        opener = self._lines[index]
        depth = 1
        for at, line in self._following(index):
            if not self._counts(line, opener):
                continue
            depth += -1 if line.bare else 1
            if depth == 0:
                return at
        return None

    def _counts(self, line: _Line, opener: _Line) -> bool:
        """Whether a renderer could take ``line`` for the end of the fence, but for its info."""
        text = self._text
        return (
            text[line.marks.start] == text[opener.marks.start]
            and line.length >= opener.length
            and line.column <= opener.column + 3
        )

    def _following(self, index: int) -> Iterator[tuple[int, _Line]]:
        """The lines after ``index``, of the same quote when that one stands in a quote."""
        quoted = self._lines[index].quoted
        end = self._lines[index].span.end
        for at in range(index + 1, len(self._lines)):
            line = self._lines[at]
            if quoted:
                between = self._text[end : line.span.end].split("\n")[1:]
                if not all(part.lstrip(" \t").startswith(">") for part in between):
                    return
                end = line.span.end
            yield at, line

    def _marks(self, line: _Line) -> str:
        return line.marks.of(self._text)
