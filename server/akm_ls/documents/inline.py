"""Inline code, links and URLs of a Markdown body."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from akm_ls.documents.markdown import CodeSpan, Link, LinkKind, gaps
from akm_ls.documents.text import Span

MAX_FOUND = 50_000
"""Code spans or links of one document that are looked at; a text with more is generated."""

_RUN = re.compile(r"`+")
# Inline code ends with its block: at a blank line, or at a line that starts another block.
_BLOCK_BREAK = re.compile(r"\n(?=[ \t]*(?:\n|#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|[>|]))")
_LINK_TOKEN = re.compile(r"\\[\[\]<\\]|!?\[|\]|<|\n[ \t]*(?=\n)")
_LABEL_END = re.compile(r"\][(:]")
_DESTINATION = re.compile(
    r"\([ \t]*\n?[ \t]*"
    r"(?:<(?P<angle>[^<>\n]*)>|(?P<bare>(?:[^\s()<][^\s()]*(?:\([^\s()]*\)[^\s()]*)*)?))"
    r"(?:[ \t\n]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?"
    r"[ \t]*\n?[ \t]*\)"
)
_DEFINITION = re.compile(r":[ \t]*\n?[ \t]*(?:<(?P<angle>[^<>\n]*)>|(?P<bare>[^\s<]\S*))")
_AUTOLINK = re.compile(r"<(?P<target>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,31}\Z")
_URL_CHARACTERS = r"[^\s<>\"'`|()\[\]{}\\，。、；！？：“”‘’「」『』（）]*"
_URL_REST = re.compile(
    rf"{_URL_CHARACTERS}(?:(?:\([^\s<>\"'`|()]*\)|\[[^\s<>\"'`|\[\]]*\]|\{{[^\s<>\"'`|{{}}]*\}})"
    rf"{_URL_CHARACTERS})*"
)
_LONGEST_TARGET = 4096
_INCLUSION = re.compile(
    r"(?<![\w@/.`$%&+=:-])@(?P<path>(?:~/|\.{0,2}/)?[\w.-]+(?:/[\w.-]+)*\.[A-Za-z]\w{0,9})(?![\w/(@-])"
)
_QUOTE_PREFIX = re.compile(r"[ \t>]*")


def code_in_line(text: str, line: Span) -> list[Span]:
    """Inline code that starts and ends in one line."""
    return [code.span for code in _pairs(text, line.start, line.end, lambda _: line.end)]


def scan_code_spans(text: str, start: int, excluded: Sequence[Span]) -> tuple[CodeSpan, ...]:
    """Inline code outside ``excluded`` (ordered and disjoint: fences, comments)."""
    if text.find("`", start) < 0:
        return ()
    found: list[CodeSpan] = []
    for begin, end in gaps(start, len(text), excluded):
        if text.find("`", begin, end) < 0:
            continue
        limit = begin

        def block_end(at: int, end: int = end) -> int:
            nonlocal limit
            if limit <= at:
                match = _BLOCK_BREAK.search(text, at, end)
                limit = match.start() if match else end
            return limit

        found += _pairs(text, begin, end, block_end)
        if len(found) > MAX_FOUND:
            break
    return tuple(found[:MAX_FOUND])


def _pairs(text: str, start: int, end: int, block_end: Callable[[int], int]) -> list[CodeSpan]:
    """Each run of backticks with the next one of the same length in its block."""
    runs = _runs(text, start, end)
    partner = _partners(runs)
    found: list[CodeSpan] = []
    index = 0
    while index < len(runs):
        other = partner[index]
        if other < 0:
            index += 1
            continue
        begin, inner_start = runs[index]
        inner_end, stop = runs[other]
        if (text.find("\n", begin, inner_end) >= 0 and inner_end > block_end(begin)) or (
            _is_escaped(text, begin, start)
        ):
            index += 1
            continue
        found.append(CodeSpan(Span(begin, stop), Span(inner_start, inner_end)))
        index = other + 1
    return found


def _partners(runs: Sequence[tuple[int, int]]) -> list[int]:
    """For each run the next one of its length, or -1."""
    following: dict[int, int] = {}
    partner = [-1] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        begin, stop = runs[index]
        partner[index] = following.get(stop - begin, -1)
        following[stop - begin] = index
    return partner


def _runs(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where runs of backticks begin and end. Most texts have few: `find` is faster than a regex."""
    runs: list[tuple[int, int]] = []
    at = text.find("`", start, end)
    while at >= 0 and len(runs) < 4 * MAX_FOUND:
        stop = at + 1
        if text.startswith("`", stop, end):
            match = _RUN.match(text, at, end)
            stop = match.end() if match else stop
        runs.append((at, stop))
        at = text.find("`", stop, end)
    return runs


def _is_escaped(text: str, at: int, floor: int) -> bool:
    if text[at - 1 : at] != "\\":
        return False
    count = 0
    while at - count > floor and text[at - count - 1] == "\\" and count < 50:
        count += 1
    return count % 2 == 1


def scan_urls(text: str, start: int, excluded: Sequence[Span]) -> tuple[Span, ...]:
    """Whatever starts with ``scheme://``, to its end; outside ``excluded``."""
    at = text.find("://", start)
    if at < 0:
        return ()
    found: list[Span] = []
    index = 0
    floor = start
    while at >= 0:
        while index < len(excluded) and excluded[index].end <= at:
            index += 1
        if index < len(excluded) and excluded[index].start <= at:
            at = text.find("://", excluded[index].end)
            continue
        scheme = _SCHEME.search(text[max(floor, at - 32) : at])
        rest = _URL_REST.match(text, at + 3, at + 3 + _LONGEST_TARGET)
        end = rest.end() if rest else at + 3
        if scheme:
            found.append(Span(at - len(scheme.group()), end))
            floor = end
        at = text.find("://", end)
    return tuple(found)


def scan_links(
    text: str,
    start: int,
    excluded: Sequence[Span],
    code_spans: Sequence[CodeSpan],
    urls: Sequence[Span],
) -> tuple[Link, ...]:
    """Links, images, reference definitions, autolinks and bare URLs, in text order."""
    found: list[Link] = []
    # What may open an autolink, or a label's end with what may follow it.
    if text.find("<", start) >= 0 or (
        text.find("]", start) >= 0 and _LABEL_END.search(text, start) is not None
    ):
        index = 0
        for begin, end in gaps(start, len(text), excluded):
            while index < len(code_spans) and code_spans[index].span.end <= begin:
                index += 1
            found.extend(
                islice(_segment(text, begin, end, code_spans, index), MAX_FOUND - len(found))
            )
            if len(found) >= MAX_FOUND:
                break
    if urls:
        found.extend(islice(_bare(text, urls, found, code_spans), MAX_FOUND))
    if not found:
        return ()
    found.sort(key=lambda link: (link.span.start, -link.span.end))
    return tuple(found[:MAX_FOUND])


def _segment(
    text: str, start: int, end: int, code_spans: Sequence[CodeSpan], index: int
) -> Iterator[Link]:
    open_brackets: deque[tuple[int, int]] = deque(maxlen=64)
    position = start
    for match in _LINK_TOKEN.finditer(text, start, end):
        at = match.start()
        if at < position:
            continue
        while index < len(code_spans) and code_spans[index].span.end <= at:
            index += 1
        if index < len(code_spans) and code_spans[index].span.start <= at:
            continue
        token = match.group()
        if token[-1] == "[" and token[0] != "\\":
            open_brackets.append((at, match.end()))
        elif token == "]":
            if not open_brackets:
                continue
            opener, text_start = open_brackets.pop()
            link = _bracketed(text, opener, text_start, at, end)
            if link is not None:
                position = link.target_span.start
                yield link
        elif token == "<":
            autolink = _AUTOLINK.match(text, at, end)
            if autolink:
                span = Span(*autolink.span("target"))
                yield Link(Span(*autolink.span()), span.of(text), span, span, "autolink")
                position = autolink.end()
        elif token[0] == "\n":
            open_brackets.clear()


def _bracketed(text: str, opener: int, text_start: int, at: int, end: int) -> Link | None:
    """The link whose label ends at the bracket ``at``."""
    following = text[at + 1 : at + 2]
    end = min(end, at + _LONGEST_TARGET)
    if following == "(":
        match = _DESTINATION.match(text, at + 1, end)
        kind: LinkKind = "image" if text[opener] == "!" else "inline"
    elif following == ":" and text[opener] == "[" and _defines(text, opener, text_start, at):
        match = _DEFINITION.match(text, at + 1, end)
        kind = "definition"
    else:
        return None
    if match is None:
        return None
    name = "angle" if match.group("angle") is not None else "bare"
    target = Span(*match.span(name))
    return Link(Span(opener, match.end()), target.of(text), target, Span(text_start, at), kind)


def _defines(text: str, opener: int, text_start: int, at: int) -> bool:
    label = text[text_start:at]
    if not label.strip() or label.startswith("^") or "\n" in label:
        return False
    line_start = text.rfind("\n", max(0, opener - 50), opener) + 1
    prefix = _QUOTE_PREFIX.match(text, line_start, opener)
    return prefix is not None and prefix.end() == opener


def _bare(
    text: str, urls: Sequence[Span], links: Sequence[Link], code_spans: Sequence[CodeSpan]
) -> Iterator[Link]:
    """The URLs that stand for themselves: not within a link, not in inline code."""
    taken = sorted([link.span for link in links] + [code.span for code in code_spans])
    index, reach = 0, 0
    for url in urls:
        while index < len(taken) and taken[index].start <= url.start:
            reach = max(reach, taken[index].end)
            index += 1
        if url.start < reach:
            continue
        end = url.start + len(url.of(text).rstrip(".,;:!?*_~"))
        span = Span(url.start, end)
        yield Link(span, span.of(text), span, span, "autolink")


def scan_inclusions(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """The paths behind ``@`` in prose, as hosts take them for files to read in.

    ``spans`` is where prose is: outside code, comments and URLs.
    """
    if "@" not in text:
        return ()
    found = (match for start, end in spans for match in _INCLUSION.finditer(text, start, end))
    return tuple(Span(*match.span("path")) for match in islice(found, MAX_FOUND))
