"""Fenced code and HTML comments: the parts of a Markdown body that hold no prose."""

from __future__ import annotations

import re

from akm_ls.documents.inline import code_in_line
from akm_ls.documents.markdown import Fence
from akm_ls.documents.text import Span

MAX_BLOCKS = 20_000
"""Fences and comments of one document that are told apart; what follows is left alone."""

_CONTAINER = re.compile(r"(?:[ \t>]|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*")
_LONGEST_CONTAINER = 200
_INDENT = re.compile(r"[ \t>]*")
_BLANK_LINE = re.compile(r"\n[ \t]*(?=\n|\Z)")


def scan_blocks(text: str, start: int) -> tuple[tuple[Fence, ...], tuple[Span, ...]]:
    """The fences and the HTML comments from ``start`` (a line's start) on, in text order.

    Fences follow CommonMark, but open at any indent, in quotes and list items: the closing line
    has no info string and is indented at most three columns more, a fence in a quote ends with
    the quote, one that is not closed runs to the end.
    A comment at the start of a line runs to ``-->`` or to the end, one within a line must close
    in its paragraph and does not start in inline code.
    """
    # Looking for one character is many times faster than for a run of them.
    ticks = text.find("```", start)
    tildes = text.find("~~~", start) if "~" in text else -1
    angle = text.find("<!--", start) if "<" in text else -1
    if ticks == tildes == angle == -1:
        return (), ()
    end = len(text)
    firsts = [at if at >= 0 else end for at in (ticks, tildes, angle)]
    return _Scanner(text, start).scan(*firsts)


class _Scanner:
    """One pass from candidate to candidate; every line is looked at a bounded number of times."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._fences: list[Fence] = []
        self._comments: list[Span] = []
        self._line = Span(start, start)
        self._indent_end = start
        self._quote_end = start
        self._code_line = -1
        self._code: list[Span] = []
        self._closer = start
        self._paragraph_end = start

    def scan(
        self, ticks: int, tildes: int, angle: int
    ) -> tuple[tuple[Fence, ...], tuple[Span, ...]]:
        """``ticks``, ``tildes`` and ``angle`` are the first candidates of each kind."""
        find, end = self._find, len(self._text)
        while (at := min(ticks, tildes, angle)) < end:
            self._seek_line(at)
            if len(self._fences) + len(self._comments) >= MAX_BLOCKS:
                rest = Span(at, end)
                self._fences.append(Fence(rest, "", False, rest))
                break
            if at == angle:
                position = self._comment(at)
            elif self._fence(at):
                position = self._fences[-1].span.end
            else:
                # Only the first run of a line can open a fence; a comment may still follow.
                position = at
                ticks, tildes = find("```", self._line.end), find("~~~", self._line.end)
            if ticks < position:
                ticks = find("```", position)
            if tildes < position:
                tildes = find("~~~", position)
            if angle < position or at == angle:
                angle = find("<!--", position)
        return tuple(self._fences), tuple(self._comments)

    def _find(self, needle: str, start: int) -> int:
        found = self._text.find(needle, start)
        return found if found >= 0 else len(self._text)

    def _seek_line(self, at: int) -> None:
        start, end = self._line
        if start <= at < end:
            return
        start = self._text.rfind("\n", end, at)
        start = end if start < 0 else start + 1
        end = self._find("\n", at)
        self._line = Span(start, end)
        indent = _INDENT.match(self._text, start, end) if at > start else None
        self._indent_end = start if indent is None else indent.end()

    def _opens_line(self, at: int) -> bool:
        """Whether only indent, quote marks and list markers stand before ``at`` in its line."""
        return self._indent_end == at or opens_block(self._text, self._line.start, at)

    def _fence(self, at: int) -> bool:
        """Take in the fence that opens at ``at``, if one does."""
        text = self._text
        line_start, line_end = self._line
        if not self._opens_line(at):
            return False
        char = text[at]
        run_end = at
        while run_end < line_end and text[run_end] == char:
            run_end += 1
        info = text[run_end:line_end].strip()
        if char == "`" and "`" in info:
            return False  # inline code that starts a line
        prefix = text[line_start:at]
        limit = self._end_of_quote(line_end) if ">" in prefix else len(text)
        inner_start = min(line_end + 1, limit)
        closing = self._closing(text[at:run_end], columns(prefix) + 3, line_end, limit)
        if closing is None:
            inner, end = Span(inner_start, limit), limit
        else:
            inner, end = Span(inner_start, closing.start), closing.end
        self._fences.append(Fence(Span(line_start, end), info, closing is not None, inner))
        return True

    def _closing(self, fence: str, indent: int, start: int, limit: int) -> Span | None:
        """The line that closes ``fence``, from after ``start`` (a line's end).

        One that is indented further than ``indent`` columns is part of the code.
        """
        text = self._text
        line_end = start
        while True:
            at = text.find(fence, line_end, limit)
            if at < 0:
                return None
            line_start = text.rfind("\n", line_end, at) + 1
            line_end = min(self._find("\n", at), limit)
            prefix = text[line_start:at]
            if not prefix.strip(" \t>") and columns(prefix) <= indent:
                rest = text[at + len(fence) : line_end].lstrip(fence[0])
                if not rest.strip():
                    return Span(line_start, line_end)

    def _end_of_quote(self, line_end: int) -> int:
        """The end of the last line in a row that starts with ``>``, from ``line_end`` on."""
        if self._quote_end > line_end:
            return self._quote_end
        text = self._text
        while line_end < len(text):
            following = self._find("\n", line_end + 1)
            if not text[line_end + 1 : following].lstrip(" \t").startswith(">"):
                break
            line_end = following
        self._quote_end = line_end
        return line_end

    def _comment(self, at: int) -> int:
        text = self._text
        if text.startswith((">", "->"), at + 4):
            end = text.index(">", at) + 1  # `<!-->` is a comment as it stands
        elif self._opens_line(at):
            end = min(self._next_closer(at) + 3, len(text))
        else:
            if self._in_code(at):
                return at + 4
            end = self._next_closer(at) + 3
            if end > self._end_of_paragraph(at):
                return at + 4
        self._comments.append(Span(at, end))
        return end

    def _next_closer(self, at: int) -> int:
        if self._closer < at + 4:
            self._closer = self._find("-->", at + 4)
        return self._closer

    def _end_of_paragraph(self, at: int) -> int:
        if self._paragraph_end <= at:
            match = _BLANK_LINE.search(self._text, at)
            self._paragraph_end = match.start() if match else len(self._text)
        return self._paragraph_end

    def _in_code(self, at: int) -> bool:
        if self._code_line != self._line.start:
            self._code_line = self._line.start
            self._code = code_in_line(self._text, self._line)[::-1]
        while self._code and self._code[-1].end <= at:
            self._code.pop()
        return bool(self._code) and self._code[-1].start <= at


def opens_block(text: str, line_start: int, at: int) -> bool:
    """Whether only indent, quote marks and list markers stand before ``at`` in its line."""
    return (
        at - line_start <= _LONGEST_CONTAINER
        and _CONTAINER.fullmatch(text, line_start, at) is not None
    )


def columns(prefix: str) -> int:
    """How far a line is indented behind its quote marks; a list marker counts as blanks."""
    return len(prefix.rpartition(">")[2].expandtabs(4)) if prefix else 0
