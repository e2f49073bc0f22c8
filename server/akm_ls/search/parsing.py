"""Reading a query: words, phrases in quotes, ``OR``, ``AND``, ``-word``, ``word*`` (default)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from akm_ls.search.query import MAX_QUERY_CHARS, MIN_PREFIX_LETTERS, words
from akm_ls.search.stop_words import STOP_WORDS

MAX_WORDS = 24
_PIECE = re.compile(r'(?<!\S)(-?)"([^"]*)"|[^\s"]+')
_OPERATORS = {"OR": "OR", "|": "OR", "AND": "AND", "NOT": "NOT"}

Phrase = tuple[str, ...]
"""Words that stand one after the other; a single word is one too."""


@dataclass(frozen=True, slots=True)
class Query:
    """What somebody asks for.

    Attributes:
        words: distinct words in order, those of phrases too; no stop words unless there is
            nothing else.
        required: of each of these one alternative has to stand in a hit: what is in quotes, what
            ``OR`` joins with it, and what stands beside an ``AND``.
        excluded: what must not stand in it.
        beginnings: those of the words of which only the beginning was given.
    """

    words: tuple[str, ...] = ()
    required: tuple[tuple[Phrase, ...], ...] = ()
    excluded: tuple[Phrase, ...] = ()
    beginnings: frozenset[str] = frozenset()


class _Alternatives:
    """What ``OR`` joins. It binds if one of them is in quotes, or ``AND`` joins it to others."""

    def __init__(self, first: Phrase) -> None:
        self.phrases = [first]
        self.binds = False


def read_query(text: str) -> Query:
    """Read any text. A query of nothing but exclusions is one for the words themselves."""
    text = text[:MAX_QUERY_CHARS]
    found: list[str] = []
    groups: list[_Alternatives] = []
    excluded: list[Phrase] = []
    beginnings: set[str] = set()
    before: _Alternatives | None = None
    operator = ""
    for piece in _PIECE.finditer(text):
        if piece.group() in _OPERATORS:
            operator = _OPERATORS[piece.group()]
            continue
        quoted = piece.group(2)
        raw = piece.group() if quoted is None else quoted
        parts = tuple(words(raw))
        if not parts:
            continue
        minus = piece.group(1) == "-" if quoted is not None else _is_minus(raw)
        if operator == "NOT" or minus:
            excluded.append(parts)
            before = None
        else:
            found += parts
            if before is None or operator != "OR":
                groups.append(_Alternatives(parts))
            else:
                before.phrases.append(parts)
            if before is not None and operator == "AND":
                before.binds = groups[-1].binds = True
            before = groups[-1]
            before.binds |= quoted is not None and len(parts) > 1
            if quoted is None and raw.endswith("*") and len(parts[-1]) >= MIN_PREFIX_LETTERS:
                beginnings.add(parts[-1])
        operator = ""
    required = [tuple(dict.fromkeys(group.phrases)) for group in groups if group.binds]
    if not found:
        found, excluded = [word for parts in excluded for word in parts], []
    telling = [word for word in found if word not in STOP_WORDS or word in beginnings]
    return Query(
        tuple(dict.fromkeys(telling or found))[:MAX_WORDS],
        tuple(dict.fromkeys(required)),
        tuple(dict.fromkeys(excluded)),
        frozenset(beginnings),
    )


def _is_minus(raw: str) -> bool:
    return len(raw) > 1 and raw[0] == "-" and raw[1].isalnum()
