"""Reading a query: words, phrases in quotes, ``-word``, ``word*`` (hybrid search, default plan)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from akm_ls.search.query import MAX_QUERY_CHARS, MIN_PREFIX_LETTERS, words
from akm_ls.search.stop_words import STOP_WORDS

MAX_WORDS = 24
_PIECE = re.compile(r'(?<!\S)(-?)"([^"]*)"|[^\s"]+')
_OPERATORS = frozenset({"OR", "AND", "|", "NOT"})


@dataclass(frozen=True, slots=True)
class Query:
    """What somebody asks for.

    Attributes:
        words: distinct words in order, those of phrases too; no stop words unless there is
            nothing else.
        phrases: what has to stand in a hit word by word.
        excluded: what must not.
        beginnings: those of the words of which only the beginning was given.
    """

    words: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    excluded: tuple[tuple[str, ...], ...] = ()
    beginnings: frozenset[str] = frozenset()


def read_query(text: str) -> Query:
    """Read any text. A query of nothing but exclusions is one for the words themselves."""
    text = text[:MAX_QUERY_CHARS]
    found: list[str] = []
    phrases: list[tuple[str, ...]] = []
    excluded: list[tuple[str, ...]] = []
    beginnings: set[str] = set()
    negated = False
    for piece in _PIECE.finditer(text):
        if piece.group() in _OPERATORS:
            negated = piece.group() == "NOT"
            continue
        quoted = piece.group(2)
        raw = piece.group() if quoted is None else quoted
        parts = tuple(words(raw))
        if not parts:
            continue
        minus = piece.group(1) == "-" if quoted is not None else _is_minus(raw)
        if negated or minus:
            excluded.append(parts)
        else:
            found += parts
            if quoted is not None and len(parts) > 1:
                phrases.append(parts)
            if quoted is None and raw.endswith("*") and len(parts[-1]) >= MIN_PREFIX_LETTERS:
                beginnings.add(parts[-1])
        negated = False
    if not found:
        found, excluded = [word for parts in excluded for word in parts], []
    telling = [word for word in found if word not in STOP_WORDS or word in beginnings]
    return Query(
        tuple(dict.fromkeys(telling or found))[:MAX_WORDS],
        tuple(dict.fromkeys(phrases)),
        tuple(dict.fromkeys(excluded)),
        frozenset(beginnings),
    )


def _is_minus(raw: str) -> bool:
    return len(raw) > 1 and raw[0] == "-" and raw[1].isalnum()
