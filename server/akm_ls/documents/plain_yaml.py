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
_PAIR = re.compile(
    r"([A-Za-z_][A-Za-z0-9_-]{0,100}):"
    rf"(?: +(?:([{_FIRST}][{_TEXT}]*)"
    r"|\[([A-Za-z0-9_ ,./-]*)\] *"
    rf"|(\"[{_TEXT}]*\"|'[{_TEXT}]*') *)?)?\n"
)
_PLAIN, _FLOW, _QUOTED = 2, 3, 4
_ITEM = re.compile(rf"( *)- +([{_FIRST}][{_TEXT}]*)\n")
_new = tuple.__new__  # a named tuple's own constructor takes half as long again


def read_plainly(source: str, base: int) -> Mapping | None:
    """The mapping that ``source`` is, with spans offset by ``base``; ``None``: not that simple."""
    pairs: list[Pair] = []
    at, end = 0, len(source)
    while at < end:
        match = _PAIR.match(source, at)
        if match is None:
            return None
        name, plain, flow, quoted = match.groups()
        key_at = base + at
        key_end = key_at + len(name)
        key = _new(Scalar, (name, _new(Span, (key_at, key_end)), "", ""))
        at = match.end()
        node: Node | None
        if plain is not None:
            node = _plain(plain, base + match.start(_PLAIN))
        elif flow is not None:
            node = _flow_list(flow, base + match.start(_FLOW) - 1)
        elif quoted is not None:
            node = _quoted(quoted, base + match.start(_QUOTED))
        else:
            node, at = _block_list(source, at, base, key_end + 1)
        if node is None:
            return None
        pairs.append(_new(Pair, (key, node)))
    if not pairs:
        return None
    return Mapping(tuple(pairs), Span(pairs[0].key.span.start, pairs[-1].value.span.end))


def _plain(text: str, start: int) -> Scalar | None:
    text = text.rstrip(" ")
    if (":" in text and (": " in text or text[-1] == ":")) or " #" in text:
        return None
    return _new(Scalar, (text, _new(Span, (start, start + len(text))), "", ""))


def _quoted(source: str, start: int) -> Scalar | None:
    """A scalar whose quotes hold no escape and no other quote of their kind."""
    quote, text = source[0], source[1:-1]
    if quote in text or (quote == '"' and "\\" in text) or len(source) < 2:
        return None
    return _new(Scalar, (text, _new(Span, (start, start + len(source))), quote, ""))


def _flow_list(inner: str, start: int) -> Sequence | None:
    """``[a, b]`` with ``start`` at its bracket."""
    items: list[Node] = []
    at = start + 1
    for part in inner.split(",") if inner else ():
        text = part.strip(" ")
        if not text or text[0] == "-":
            return None
        first = at + part.index(text)
        items.append(_new(Scalar, (text, _new(Span, (first, first + len(text))), "", "")))
        at += len(part) + 1
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
        return Scalar("", Span(empty_at, empty_at)), at
    return Sequence(tuple(items), Span(begin, items[-1].span.end)), at
