"""From the text somebody typed to a plan of full-text expressions (akm.md §6.2, §6.5, §4.5)."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from akm_ls.bundles.asset_types import TYPE_BY_NAME
from akm_ls.refs import is_bundle_slug

MatchStage = Literal["and", "prefix", "or"]
Stage = Literal["browse", "all", "and", "prefix", "or", "semantic"]

MAX_TOKENS = 16
MIN_PREFIX_LETTERS = 3
"""Shorter tokens stay exact: ``"a"*`` would match a good part of any index."""
MAX_QUERY_CHARS = 4_000
"""Only the beginning of a longer query is read; sixteen tokens fit in far less."""

# Letters and numbers of any script: \w without the underscore.
_TOKEN = re.compile(r"[^\W_]+")
_ENDINGS = ("ations", "ation", "ings", "ions", "ing", "ion", "ies", "ed", "es", "s", "e", "y")


def words(text: str) -> list[str]:
    """The runs of letters and digits of ``text``, normalised, in order, with repetitions."""
    if text.isascii():
        return _TOKEN.findall(text.lower())
    # Lower-casing comes last: it turns some letters into a letter and a combining mark.
    return [word.lower() for word in _TOKEN.findall(unicodedata.normalize("NFKC", text))]


def tokens_of(query: str) -> tuple[str, ...]:
    """The query's distinct tokens in order, at most `MAX_TOKENS`."""
    return tuple(dict.fromkeys(words(query[:MAX_QUERY_CHARS])))[:MAX_TOKENS]


@lru_cache(maxsize=1024)
def root_of(token: str) -> str:
    """The beginning that the forms of a word share, roughly what the index's stemmer keeps."""
    for ending in _ENDINGS:
        if token.endswith(ending) and len(token) - len(ending) >= MIN_PREFIX_LETTERS:
            return token[: -len(ending)]
    return token


def find_word(root: str, text: str, start: int = 0) -> int:
    """Where in ``text`` a word begins with ``root``, or -1. A root of two letters is a word.

    Both are folded; two letters begin too many words to mean anything.
    """
    length = len(root)
    at = text.find(root, start)
    while at >= 0:
        after = at + length
        if (at == 0 or not text[at - 1].isalnum()) and (
            length >= MIN_PREFIX_LETTERS or after >= len(text) or not text[after].isalnum()
        ):
            return at
        at = text.find(root, at + 1)
    return -1


@dataclass(frozen=True, slots=True)
class Browse:
    """A listing instead of a search: everything, a bundle, or a subtree of concept ids.

    Both parts are compared without regard to case; ``prefix`` ends in ``/`` or is empty.
    """

    bundle: str | None = None
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Retired:
    """A query in the ``type:prefix/`` spelling that akm no longer reads, and what replaced it."""

    replacement: str


@dataclass(frozen=True, slots=True)
class Step:
    """One full-text expression to try. ``expression`` is FTS5 syntax, every token quoted."""

    stage: MatchStage
    expression: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run for a query: a listing, or steps of which the first with rows answers."""

    tokens: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    browse: Browse | None = None
    retired: Retired | None = None


def plan(query: str) -> Plan:
    """Plan a query. Any text is a query; none is an error."""
    query = query[:MAX_QUERY_CHARS].strip()
    retired = _retired(query)
    if retired is not None:
        return Plan(retired=retired)
    browse = _browse(query)
    if browse is not None:
        return Plan(browse=browse)
    tokens = tokens_of(query)
    if not tokens:
        return Plan(browse=Browse())
    return Plan(tokens=tokens, steps=_steps(tokens, relax=not is_path_like(query)))


def is_path_like(query: str) -> bool:
    """Whether a query is a place rather than words."""
    query = query.strip()
    return "/" in query and not any(char.isspace() for char in query)


def _steps(tokens: tuple[str, ...], *, relax: bool) -> tuple[Step, ...]:
    exact = [f'"{token}"' for token in tokens]
    prefixed = [
        f"{quoted}*" if len(token) >= MIN_PREFIX_LETTERS else quoted
        for token, quoted in zip(tokens, exact, strict=True)
    ]
    steps = [Step("and", " AND ".join(exact))]
    if prefixed != exact:
        steps.append(Step("prefix", " AND ".join(prefixed)))
    # A path that does not exist is better answered with nothing than with its words anywhere.
    if relax and len(tokens) > 1:
        steps.append(Step("or", " OR ".join(prefixed)))
    return tuple(steps)


def _browse(query: str) -> Browse | None:
    if not query:
        return Browse()
    if not query.endswith("/") or any(char.isspace() for char in query):
        return None
    query = unicodedata.normalize("NFC", query)
    bundle, separator, rest = query.partition("//")
    if not separator:
        return Browse(prefix=query)
    return Browse(bundle, rest) if is_bundle_slug(bundle) else None


def _retired(query: str) -> Retired | None:
    if not query.endswith("/") or any(char.isspace() for char in query):
        return None
    bundle, separator, rest = query.rpartition("//")
    if not rest:
        return None
    type_name, colon, prefix = rest.partition(":")
    asset_type = TYPE_BY_NAME.get(type_name.lower())
    if not colon or asset_type is None:
        return None
    return Retired(f"{bundle}{separator}{asset_type.directory}/{prefix.lstrip('/')}")
