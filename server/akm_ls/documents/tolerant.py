"""A line-by-line reading of YAML that does not parse, so that one fault does not hide the rest.

Each top-level key is read with the lines that belong to it. What parses alone gives its full
structure; what does not gives its text, or its items where it looks like a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from akm_ls.documents.nodes import Mapping, Node, Pair, Scalar, Sequence
from akm_ls.documents.text import Span
from akm_ls.documents.yaml_reader import YamlFailure, compose

MAX_CHUNKS = 2_000
"""Top-level keys that are parsed on their own; a block with more is read as text only."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_KEY = re.compile(r"(?P<key>[\w][\w.-]*|\"[^\"\r\n]*\"|'[^'\r\n]*')[ \t]*:(?!//)[ \t]*")
_ITEM = re.compile(r"[ \t]*-[ \t]+")
_TABS = re.compile(r"^[ ]*\t[ \t]*", re.MULTILINE)
_COMMENT = re.compile(r"[ \t]+#.*\Z")


def read_tolerantly(source: str, base: int = 0) -> Mapping:
    """The keys of ``source`` with whatever their values give; spans are offset by ``base``."""
    chunks = list(_chunks(source))
    alone = len(chunks) <= MAX_CHUNKS
    pairs: list[Pair] = []
    for start, end in chunks:
        found = _parsed(source, start, end, base) if alone else ()
        pairs.extend(found or (_pair(source, start, end, base),))
    whole = Span(base, base)
    if pairs:
        whole = Span(pairs[0].span.start, pairs[-1].span.end)
    return Mapping(tuple(pairs), whole)


def _chunks(source: str) -> Iterator[tuple[int, int]]:
    """Each line that starts with a key, with the lines up to the next one.

    A key behind a tab starts a chunk of its own when the key before it has its value already:
    it is no part of that value, whatever the tab was meant to say.
    """
    start = -1
    complete = False
    position, length = 0, len(source)
    while position < length:
        match = _LINE.match(source, position)
        assert match is not None  # the pattern matches anywhere
        begin = position
        while complete and begin < match.end() and source[begin] == "\t":
            begin += 1
        key = _KEY.match(source, begin, match.end())
        if key:
            if start >= 0:
                yield start, position
            start = begin
            complete = source[key.end() : match.end()].strip()[:1] not in ("", "#", "|", ">")
        position = match.end()
    if start >= 0:
        yield start, length


def _parsed(source: str, start: int, end: int, base: int) -> tuple[Pair, ...]:
    text = source[start:end]
    for attempt in (text, _TABS.sub(lambda match: " " * len(match.group()), text)):
        try:
            node = compose(attempt, base + start, disguised=True)
        except YamlFailure:
            continue
        return node.pairs if isinstance(node, Mapping) else ()
    return ()


def _pair(source: str, start: int, end: int, base: int) -> Pair:
    match = _KEY.match(source, start, end)
    assert match is not None  # chunks start with a key
    name = match.group("key")
    key = Scalar(
        name.strip("\"'"), _span(match.span("key"), base), name[0] if name[0] in "\"'" else ""
    )
    lines = [
        (found.start(), found.start() + len(found.group().rstrip()))
        for found in _LINE.finditer(source, match.end(), end)
    ]
    return Pair(key, _value(source, lines, base))


def _value(source: str, lines: list[tuple[int, int]], base: int) -> Node:
    """A value from its lines; the first one is the rest of the key's line."""
    first, last = lines[0]
    if first >= last or source[first] == "#":
        items = [
            _scalar(source, item.end(), stop, base)
            for begin, stop in lines[1:]
            if (item := _ITEM.match(source, begin, stop))
        ]
        if items:
            return Sequence(tuple(items), Span(items[0].span.start, items[-1].span.end))
        return Scalar("", Span(base + first, base + first))
    if source[first] == "[":
        return _inline_list(source, first, last, base)
    if source[first] in "|>":
        body = [(begin, stop) for begin, stop in lines[1:] if begin < stop]
        text = "\n".join(source[begin:stop].strip() for begin, stop in body)
        return Scalar(text, Span(base + first, base + max(last, *(s for _, s in body), last)), ">")
    scalar = _scalar(source, first, last, base)
    more = [
        (begin, stop)
        for begin, stop in lines[1:]
        if begin < stop and source[begin] in " \t" and not _ITEM.match(source, begin, stop)
    ]
    if not more:
        return scalar
    text = " ".join((scalar.text, *(source[begin:stop].strip() for begin, stop in more)))
    return Scalar(text, Span(scalar.span.start, base + more[-1][1]))


def _inline_list(source: str, start: int, end: int, base: int) -> Node:
    """The items of ``[a, b`` with or without its bracket; the raw text when more follows it."""
    close = source.find("]", start, end)
    if close >= 0 and source[close + 1 : end].strip():
        return _scalar(source, start, end, base)
    stop = close if close >= 0 else end
    items: list[Node] = []
    position = start + 1
    while position <= stop:
        comma = source.find(",", position, stop)
        item_end = comma if comma >= 0 else stop
        text = source[position:item_end]
        if text.strip():
            begin = position + len(text) - len(text.lstrip())
            items.append(_scalar(source, begin, item_end, base))
        position = item_end + 1
    return Sequence(tuple(items), Span(base + start, base + end), flow=True)


def _scalar(source: str, start: int, end: int, base: int) -> Scalar:
    """Raw text as a scalar: without a comment and, where they pair, without its quotes."""
    text = source[start:end].rstrip()
    if text[:1] in ("'", '"') and len(text) > 1 and text[-1] == text[0]:
        return Scalar(text[1:-1], Span(base + start, base + start + len(text)), text[0])
    text = _COMMENT.sub("", text)
    return Scalar(text, Span(base + start, base + start + len(text)))


def _span(pair: tuple[int, int], base: int) -> Span:
    return Span(base + pair[0], base + pair[1])
