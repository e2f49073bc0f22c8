"""The five texts under which an asset is found (akm.md §6.1)."""

from __future__ import annotations

import hashlib
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from akm_ls.bundles.entry import Entry

_SPACED = str.maketrans("-_", "  ")


class SearchFields(NamedTuple):
    """The columns of ``entries_fts``, in their order; folded as queries are."""

    name: str
    description: str
    tags: str
    hints: str
    content: str


def fold(text: str) -> str:
    """NFKC and lower case, the form in which queries and fields meet."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).lower()


def search_fields(entry: Entry) -> SearchFields:
    """What of an entry is searched."""
    headings = " ".join([item.title for item in entry.fragments])
    parameters = " ".join([f"{item.name} {item.description}" for item in entry.parameters])
    return SearchFields(
        name=fold(entry.name).translate(_SPACED),
        description=fold(entry.description),
        tags=fold(" ".join((*entry.tags, *entry.aliases))),
        hints=fold(" ".join((*entry.hints, entry.when_to_use))),
        content=fold(" ".join((entry.content, headings, parameters))),
    )


def search_text(fields: SearchFields, body: int | None = None) -> str:
    """The text a vector is made of: the same fields, one after the other.

    ``body``: only so many characters of the body.
    """
    if body is not None:
        fields = fields._replace(content=fields.content[:body])
    return "\n".join([field for field in fields if field.strip()])


def embed_hash_of(text: str) -> str:
    """What is kept of a `search_text`, to tell whether a vector was made of it."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


UNEMBEDDED_TYPES = ("env", "secret", "session")
UNEMBEDDED_QUALITY = "proposed"
_NO_TEXT = embed_hash_of("")
EMBEDDED = (
    f"e.type NOT IN ({', '.join(map(repr, UNEMBEDDED_TYPES))})"
    f" AND e.quality != {UNEMBEDDED_QUALITY!r} AND e.embed_hash != {_NO_TEXT!r}"
)
"""Which of ``entries AS e`` may be given to a model, which may be on another machine.

Never: env files, secrets, sessions, what nobody has accepted yet, and what has no text at all.
"""
