"""The five texts under which an asset is found (akm.md §6.1)."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from akm_ls.documents.document import parse
from akm_ls.documents.projection import project_body
from akm_ls.documents.redaction import find_secrets, redact

if TYPE_CHECKING:
    from akm_ls.bundles.entry import Entry
    from akm_ls.documents.document import Document

_TELLING = 8
"""Letters of a secret that are too many to be told."""


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
    return _folded(_composed(entry))


def fields_without_secrets(entry: Entry, document: Document | None) -> SearchFields | None:
    """The same without the secrets that its author wrote into it; ``None``: there are none.

    What a model is given. ``document`` is what the entry was made of: the projection of a body
    takes characters out of a secret, which then has its shape no longer.
    """
    composed = _composed(entry)
    text = "" if document is None else document.text
    # A fold takes the capitals away by which some are known.
    around = "\n".join(composed[:-1])
    found = find_secrets(f"{text}\n{around}")
    if not found:
        return None
    secrets = [it for it in found if it.start < len(text)]
    if document is not None:
        top = {_letters(text[it.start : it.end]) for it in secrets if it.end <= document.body_start}
        # Tags have lost their capitals and dashes.
        tags = tuple([tag for tag in entry.tags if not _is_part(_letters(tag), top)])
        entry = replace(entry, tags=tags)
    composed = _composed(entry)
    if document is not None and document.kind == "markdown" and entry.content:
        body = parse(redact(document.body).text)
        composed = _composed(entry, project_body(body, max(len(entry.content), 1)))
    return _folded(SearchFields(*(redact(field).text for field in composed)))


def _letters(text: str) -> str:
    return "".join([char for char in text.lower() if char.isalnum()])


def _is_part(tag: str, secrets: set[str]) -> bool:
    return any(secret in tag or (len(tag) >= _TELLING and tag in secret) for secret in secrets)


def _composed(entry: Entry, content: str | None = None) -> SearchFields:
    headings = " ".join([item.title for item in entry.fragments])
    parameters = " ".join([f"{item.name} {item.description}" for item in entry.parameters])
    content = entry.content if content is None else content
    return SearchFields(
        name=entry.name,
        description=entry.description,
        tags=" ".join((*entry.tags, *entry.aliases)),
        hints=" ".join((*entry.hints, entry.when_to_use)),
        content=" ".join((content, headings, parameters)),
    )


def _folded(composed: SearchFields) -> SearchFields:
    name, *others = map(fold, composed)
    return SearchFields(name.replace("-", " ").replace("_", " "), *others)


def search_text(fields: SearchFields, body: int | None = None) -> str:
    """The text a vector is made of: the same fields, one after the other.

    ``body``: only so many characters of the body.
    """
    if body is not None:
        fields = fields._replace(content=fields.content[:body])
    return "\n".join([field for field in fields if field and not field.isspace()])


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
