"""Completion of frontmatter keys and of the keys of tasks and workflows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.bundles.schema import Key, Place
from akm_ls.documents.yaml_places import YamlPlace, yaml_place
from akm_ls.lsp.features.completion.offer import Kind, Offer, choices, listed
from akm_ls.lsp.features.frontmatter_keys import (
    children,
    definitions,
    key_card,
    of_task,
    schema_place,
    type_words,
)

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

_LISTS_FIRST = ("list<string>", "list<ref>")
MAX_CHOICES = 12


def complete(session: Session, opened: OpenDocument, offset: int) -> lsp.CompletionList | None:
    """The keys that may stand here and are not there yet."""
    found = yaml_place(opened.document, offset)
    if found is None:
        return None
    place = schema_place(session, opened)
    if place is None:
        return None
    at = found
    if found.kind == "value":
        # A list of mappings: what is typed behind the dash is a key.
        if not found.is_item or found.in_brackets or found.quote:
            return None
        at = found.as_key()
    if at.quote or any(char.isspace() for char in at.typed.strip()):
        return None
    keys = [
        key
        for key in children(place, at.path)
        if (name := key.name.rpartition(".")[2]) not in at.present
        and (place.kind.id != "task" or at.path or of_task(opened, name))
    ]
    ranked = sorted(keys, key=lambda key: _rank(place, key))
    offers = [_offer(place, at, key) for key in ranked]
    return listed(session, opened, at.span, offset, offers)


def _rank(place: Place, key: Key) -> int:
    """What some tool demands comes first, then the kind's own keys, then those of every asset."""
    if key.required_by & place.hosts:
        return 0
    return 1 if any(key.name in kind.keys for kind in place.own_kinds) else 2


def _offer(place: Place, at: YamlPlace, key: Key) -> Offer:
    name = key.name.rpartition(".")[2]
    text, snippet = (name, None) if at.has_colon else _written(name, key, at.indent)
    if at.needs_blank:
        text, snippet = f" {text}", None if snippet is None else f" {snippet}"
    keys = definitions(place, (*at.path, name)) or (key,)
    return Offer(
        name,
        Kind.Property,
        text,
        snippet,
        note=type_words(key),
        documentation=key_card(place, name, keys),
    )


def _written(name: str, key: Key, indent: int) -> tuple[str, str | None]:
    """The key with its colon, and as a snippet with the place of its value."""
    kinds = key.types
    if "bool" in kinds and len(kinds) == 1:
        return f"{name}: ", f"{name}: ${{1|true,false|}}"
    if "string" in kinds and key.values and len(key.values) <= MAX_CHOICES:
        if len(key.values) == 1:
            return f"{name}: {key.values[0]}", None
        return f"{name}: ", f"{name}: ${{1|{choices(key.values)}|}}"
    if kinds[0] in _LISTS_FIRST:
        return f"{name}: ", f"{name}: [$1]"
    below = " " * (indent + 2)
    if kinds[0].startswith("list<map"):
        return f"{name}:\n{below}- ", f"{name}:\n{below}- $1"
    if kinds[0].startswith("map"):
        return f"{name}:\n{below}", f"{name}:\n{below}$1"
    return f"{name}: ", None
