"""What is said of an asset to somebody who reads it on a card or in a list.

Secrets that somebody pasted into a description stay out, and so does a description that nobody
wrote: akm fills the gap with the words of the file's name, which stands there already.
"""

from __future__ import annotations

from typing import Protocol

from akm_ls.bundles.draft import stem_of, words
from akm_ls.documents.redaction import redact


class Described(Protocol):
    """An entry or a stub."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...


def said_description(asset: Described) -> str:
    """The description of an asset as somebody may read it; empty if nobody wrote one."""
    description = asset.description
    last = asset.name.rpartition("/")[2]
    if not description or _repeats(description, last):
        return ""
    return redact(description).text


def _repeats(description: str, last: str) -> bool:
    """Whether a description is no more than the last part of a name as words."""
    if len(description) > _MOST_WORDS * len(last):
        return False
    stem = stem_of(last)
    return description in (words(last), words(stem), words(stem.removesuffix(".derived")))


_MOST_WORDS = 4
"""The words of a name have at most so many times its letters: each may get a blank, and may be
two in lower case."""


def said(text: str) -> str:
    """``text`` without the secrets in it."""
    return redact(text).text if text else text
