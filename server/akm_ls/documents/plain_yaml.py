"""The YAML that most frontmatter is: ``key: value`` lines and lists of plain words.

Reading it by a few regular expressions takes a quarter of the time that libyaml's events take,
and much of indexing a large bundle is just that. What is not certain to be read alike by both is
left to `yaml_reader.compose`; a test compares the two on generated text.
"""

from __future__ import annotations

import re

from akm_ls.documents.nodes import Mapping, Node, Pair, Scalar, Sequence
from akm_ls.documents.text import Span

# Printable, and no white space but the blank.
_TEXT = r"\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U000effff"
# A plain scalar starts with none of YAML's indicators. Whether a `:` or `#` further on ends it
# depends on the blanks around them: see `_is_plain`.
_FIRST = r"A-Za-z0-9/(_.$+~^\xa1-\u1fff\u3001-\ud7ff"
_KEY = re.compile(r"([A-Za-z_][A-Za-z0-9_-]{0,100}):(?: +|(?=\n))")
_VALUE = re.compile(
    rf"([{_FIRST}][{_TEXT}]*)\n"
    r"|\[([A-Za-z0-9_ ,./-]*)\] *\n"
    rf"|(\"[{_TEXT}]*\"|'[{_TEXT}]*') *\n"
    r"|\n"
)
_ITEM = re.compile(rf"( *)- +([{_FIRST}][{_TEXT}]*)\n")
_FLOW_ITEM = re.compile(r" *([A-Za-z0-9_./](?:[A-Za-z0-9_ ./-]*[A-Za-z0-9_./-])?) *(,|\Z)")


def read_plainly(source: str, base: int) -> Mapping | None:
    """The mapping that ``source`` is, with spans offset by ``base``; ``None``: not that simple."""
    pairs: list[Pair] = []
    at, end = 0, len(source)
    while at < end:
        key = _KEY.match(source, at)
        if key is None:
            return None
        value_at = key.end()
        value = _VALUE.match(source, value_at)
        if value is None:
            return None
        at = value.end()
        start, stop = key.span(1)
        group = value.lastindex
        node: Node | None
        if group == 1:
            node = _plain(value[1], base + value_at)
        elif group is None:
            node, at = _block_list(source, at, base, stop + 1)
        elif group == 2:
            node = _flow_list(value[2], base + value_at)
        else:
            node = _quoted(value[3], base + value_at)
        if node is None:
            return None
        pairs.append(Pair(Scalar(key[1], Span(base + start, base + stop)), node))
    if not pairs:
        return None
    return Mapping(tuple(pairs), Span(pairs[0].key.span.start, pairs[-1].value.span.end))


def _plain(text: str, start: int) -> Scalar | None:
    text = text.rstrip(" ")
    if (":" in text and (": " in text or text[-1] == ":")) or " #" in text:
        return None
    return Scalar(text, Span(start, start + len(text)))


def _quoted(source: str, start: int) -> Scalar | None:
    """A scalar whose quotes hold no escape and no other quote of their kind."""
    quote, text = source[0], source[1:-1]
    if quote in text or (quote == '"' and "\\" in text) or len(source) < 2:
        return None
    return Scalar(text, Span(start, start + len(source)), quote)


def _flow_list(inner: str, start: int) -> Sequence | None:
    """``[a, b]`` with ``start`` at its bracket."""
    items: list[Node] = []
    at = 0
    while at < len(inner):
        item = _FLOW_ITEM.match(inner, at)
        if item is None:
            return None
        first, last = item.span(1)
        items.append(Scalar(item[1], Span(start + 1 + first, start + 1 + last)))
        at = item.end()
    if inner.endswith(",") or (inner and not items):
        return None
    return Sequence(tuple(items), Span(start, start + len(inner) + 2), True)


def _block_list(source: str, at: int, base: int, empty_at: int) -> tuple[Node | None, int]:
    """The items from ``at`` on, or null at ``empty_at`` when the next line is a key's; new end."""
    items: list[Node] = []
    indent = -1
    begin = 0
    while (item := _ITEM.match(source, at)) is not None:
        if indent < 0:
            indent, begin = len(item[1]), base + item.end(1)
        elif len(item[1]) != indent:
            return None, at
        scalar = _plain(item[2], base + item.start(2))
        if scalar is None:
            return None, at
        items.append(scalar)
        at = item.end()
    if not items:
        return Scalar("", Span(base + empty_at, base + empty_at)), at
    return Sequence(tuple(items), Span(begin, items[-1].span.end)), at
