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
    if not asset.description:
        return ""
    last = asset.name.rpartition("/")[2]
    stem = stem_of(last)
    if asset.description in (words(last), words(stem), words(stem.removesuffix(".derived"))):
        return ""
    return redact(asset.description).text


def said(text: str) -> str:
    """``text`` without the secrets in it."""
    return redact(text).text if text else text
