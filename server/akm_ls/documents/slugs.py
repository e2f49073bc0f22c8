"""Heading slugs: akm's own, which refs use, and GitHub's, which Markdown links use."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

_OTHER = re.compile(r"[^\w\s-]+")
_BREAKS = re.compile(r"[\s_-]+")
_GITHUB_OTHER = re.compile(r"[^a-z0-9_ -]+")
# Letter, Mark, Decimal number and Connector punctuation, with letter-like numbers: \p{Word}.
_WORD_CATEGORIES = frozenset(("Nd", "Nl", "Pc"))


def akm_slug(text: str) -> str:
    """The fragment that names a heading in a ref (akm.md 4.4); ``""`` when nothing is left.

    Tags go; what is neither letter nor digit becomes a hyphen, as do blanks and underscores; runs
    of hyphens become one, none stands at an end.
    """
    slug = text.strip().lower()
    if slug.replace(" ", "").isalnum() and "  " not in slug:
        return slug.replace(" ", "-")  # most headings are plain words
    slug = _without_tags(slug)
    return _BREAKS.sub("-", _OTHER.sub("-", slug)).strip("-")


def github_slug(text: str) -> str:
    """The anchor GitHub gives a heading, from its rendered text (no Markdown marks).

    Lower case; everything goes that is no letter, digit, blank, hyphen or underscore; each blank
    becomes a hyphen, and hyphens are not collapsed.
    """
    text = text.strip().lower()
    if text.isascii():
        return _GITHUB_OTHER.sub("", text).replace(" ", "-")
    return "".join("-" if char == " " else char for char in text if char in " -" or _is_word(char))


def unique(slugs: Iterable[str]) -> Iterator[str]:
    """The slugs with ``-1``, ``-2``, ... behind the second and later use of one.

    A numbered slug is in use as well: after two ``a``, a heading ``a-1`` becomes ``a-1-1``.

    Empty slugs stay empty: such a heading cannot be named.
    """
    seen: dict[str, int] = {}
    for slug in slugs:
        if not slug:
            yield slug
            continue
        name = slug
        while name in seen:
            seen[slug] += 1
            name = f"{slug}-{seen[slug]}"
        seen[name] = 0
        yield name


def _is_word(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] in "LM" or category in _WORD_CATEGORIES


def _without_tags(text: str) -> str:
    """``text`` without ``<…>``; one pass, since a pattern would be quadratic in ``<<<<``."""
    pieces: list[str] = []
    position = 0
    while (opening := text.find("<", position)) >= 0:
        if text.startswith(">", opening + 1):
            pieces.append(text[position : opening + 2])
            position = opening + 2
            continue
        closing = text.find(">", opening)
        if closing < 0:
            break
        pieces.append(text[position:opening])
        position = closing + 1
    pieces.append(text[position:])
    return "".join(pieces)
