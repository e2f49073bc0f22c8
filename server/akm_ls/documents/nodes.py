"""YAML values with the place of every key, value and list item in the text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from akm_ls.documents.text import Span

_INT = re.compile(r"[-+]?[0-9]+\Z")
_OCTAL = re.compile(r"0o[0-7]+\Z")
_HEX = re.compile(r"0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_WORDS: dict[str, bool | None] = (
    dict.fromkeys(("", "~", "null", "Null", "NULL"))
    | dict.fromkeys(("true", "True", "TRUE"), True)
    | dict.fromkeys(("false", "False", "FALSE"), False)
)
_QUOTES = frozenset({"'", '"'})
_STARTS_NUMBER = frozenset("+-.0123456789")

Plain: TypeAlias = "str | int | float | bool | list[Plain] | dict[str, Plain] | None"


class Scalar(NamedTuple):
    """One scalar.

    ``text`` is the value, ``span`` its source with quotes or block indicator but without tag and
    anchor. ``style`` is ``""`` for a plain one, else the YAML indicator ``' " | >``; ``tag`` is an
    explicit tag (``!!str``), which keeps the value a string.
    """

    text: str
    span: Span
    style: str = ""
    tag: str = ""

    @property
    def plain(self) -> Plain:
        """The value by YAML 1.2's core schema: dates and ``yes``/``no`` stay strings."""
        return self.text if self.style or self.tag else resolve_plain(self.text)

    @property
    def inner(self) -> Span:
        """The span without quotes; for a block scalar the whole span."""
        start, end = self.span
        if self.style in _QUOTES and end - start >= 2:
            return Span(start + 1, end - 1)
        return self.span


class Sequence(NamedTuple):
    items: tuple[Node, ...]
    span: Span
    flow: bool = False

    @property
    def plain(self) -> Plain:
        return [item.plain for item in self.items]


class Pair(NamedTuple):
    """One ``key: value`` of a mapping."""

    key: Scalar
    value: Node

    @property
    def span(self) -> Span:
        return Span(self.key.span.start, max(self.key.span.end, self.value.span.end))


@dataclass(frozen=True, slots=True)
class Mapping:
    pairs: tuple[Pair, ...]
    span: Span
    flow: bool = False
    _last: dict[str, Pair] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_last", {pair.key.text: pair for pair in self.pairs})

    def pair(self, key: str) -> Pair | None:
        """The last pair with ``key``: what a loader that allows duplicates would keep."""
        return self._last.get(key)

    def get(self, key: str) -> Node | None:
        pair = self._last.get(key)
        return None if pair is None else pair.value

    def __contains__(self, key: object) -> bool:
        return key in self._last

    @property
    def plain(self) -> Plain:
        return {key: pair.value.plain for key, pair in self._last.items()}


Node: TypeAlias = Scalar | Sequence | Mapping


def resolve_plain(text: str) -> str | int | float | bool | None:
    """A plain scalar's value by the core schema; anything unusual stays a string.

    So do infinities and ``.nan``: JSON, which values end up in, has no word for them.
    """
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > 40 or text[0] not in _STARTS_NUMBER:
        return text
    if _INT.match(text):
        return int(text)
    if _OCTAL.match(text):
        return int(text[2:], 8)
    if _HEX.match(text):
        return int(text[2:], 16)
    if _FLOAT.match(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text


def scalar_items(node: Node | None) -> Iterator[Scalar]:
    """The scalars of a value that may be one scalar or a list of them (akm accepts both)."""
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            if isinstance(item, Scalar):
                yield item


def strings(node: Node | None) -> tuple[str, ...]:
    """The non-blank strings of a scalar-or-list value, trimmed."""
    if isinstance(node, Scalar):
        return (text,) if (text := node.text.strip()) else ()
    if isinstance(node, Sequence):
        items = [item.text.strip() for item in node.items if isinstance(item, Scalar)]
        return tuple([text for text in items if text])
    return ()
