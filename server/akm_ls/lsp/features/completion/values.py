"""Completion of the values of frontmatter keys: closed sets, dates, tags, tools, agents, models."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.bundles.asset_types import TYPE_BY_DIRECTORY
from akm_ls.bundles.schema import Key, Place, is_skill_path
from akm_ls.documents.text import Span
from akm_ls.documents.yaml_places import ITEM, YamlPlace, yaml_place
from akm_ls.lint.engine import SKIPPABLE
from akm_ls.lint.frontmatter_edits import quoted
from akm_ls.lsp.features.completion.offer import Kind, Offer, listed
from akm_ls.lsp.features.frontmatter_keys import definitions, schema_place
from akm_ls.lsp.features.rule_card import rule_card, summary_of
from akm_ls.search.said import said_description

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

DATES = ("updated", "timestamp", "observed_at", "stale_after", "expires", "started_at", "ended_at")
TOOLS = ("tools", "allowed-tools", "disallowed-tools", "disallowedTools")


def complete(session: Session, opened: OpenDocument, offset: int) -> lsp.CompletionList | None:
    """What the value at the cursor may be."""
    found = value_place(yaml_place(opened.document, offset))
    if found is None:
        return None
    at, lead = found
    place = schema_place(session, opened)
    if place is None:
        return None
    keys = definitions(place, at.path)
    if not keys or (lead == "- " and not any("list" in kind for key in keys for kind in key.types)):
        return None
    offers = list(_once(_offers(session, opened, place, at, keys)))
    closed = all(key.values for key in keys)
    return _listed(session, opened, offset, at, lead, keys, offers, closed=closed)


def value_place(place: YamlPlace | None) -> tuple[YamlPlace, str] | None:
    """The value that is being typed, and what has to be written before it.

    A line below a key that has nothing yet is an item of the list that the key may be.
    """
    if place is None:
        return None
    if place.kind == "value":
        return place, " " if place.needs_blank else ""
    if place.path and place.path[-1] != ITEM and not place.has_colon and not place.present:
        item = replace(place, kind="value", path=(*place.path, ITEM))
        return item, "- "
    return None


def written(text: str, at: YamlPlace, lead: str = "") -> str:
    """A value as it is spelled inside the quotes that are there, or bare, or in quotes.

    A quote that is open still is closed.
    """
    close = at.quote if at.unclosed else ""
    if at.quote == '"':
        return text.replace("\\", "\\\\").replace('"', '\\"') + close
    if at.quote == "'":
        return text.replace("'", "''") + close
    return lead + quoted(text)


def _listed(
    session: Session,
    opened: OpenDocument,
    offset: int,
    at: YamlPlace,
    lead: str,
    keys: tuple[Key, ...],
    offers: list[Offer],
    *,
    closed: bool,
) -> lsp.CompletionList | None:
    span, present = at.span, _present(opened, at)
    words = at.key in TOOLS and not at.is_item
    if words and not keys[0].types[0].startswith("list"):
        # One text of several words, with commas or without.
        text = opened.document.text
        start = max(text.rfind(mark, span.start, offset) + 1 for mark in " ,\t")
        start = max(start, span.start)
        ends = (text.find(mark, offset, span.end) for mark in " ,\t")
        end = min((place for place in ends if place >= 0), default=span.end)
        span = Span(start, end)
        present = frozenset(at.span.of(text).replace(",", " ").split()) - {span.of(text)}
    lists = any(kind.startswith("list") for key in keys for kind in key.types)
    in_brackets = not at.is_item and lists and keys[0].types[0].startswith("list") and not at.quote
    limit = session.workspace.settings.max_completions
    whole = len(offers) <= limit
    if not whole:
        typed = opened.text[span.start : offset].lower()
        offers = [offer for offer in offers if typed in offer.label.lower()]
    shown: list[Offer] = []
    for offer in offers:
        if offer.label in present:
            continue
        if len(shown) >= limit:
            break
        text = written(offer.text or offer.label, at)
        if in_brackets and not at.typed.startswith("["):
            text = f"[{text}]"
        shown.append(replace(offer, text=lead + text, filter=offer.label))
    commit = [",", "]"] if closed and at.in_brackets else []
    return listed(session, opened, span, offset, shown, whole=whole, commit=commit)


def _present(opened: OpenDocument, at: YamlPlace) -> frozenset[str]:
    """The other items of a list."""
    frontmatter = opened.document.frontmatter
    if not at.is_item or frontmatter is None or len(at.path) != 2:
        return frozenset()
    return frozenset(frontmatter.strings(at.key)) - {at.span.of(opened.text).strip()}


def _once(offers: Iterable[Offer]) -> Iterator[Offer]:
    seen: set[str] = set()
    for offer in offers:
        if offer.label not in seen:
            seen.add(offer.label)
            yield offer


def _offers(
    session: Session, opened: OpenDocument, place: Place, at: YamlPlace, keys: tuple[Key, ...]
) -> Iterator[Offer]:
    name = at.key
    if name == "lint_skip" and len(at.path) <= 2:
        for code in sorted(SKIPPABLE):
            yield Offer(
                code, Kind.EnumMember, detail=summary_of(code), documentation=rule_card(code)
            )
        return
    for key in keys:
        for value in key.values:
            yield Offer(value, Kind.EnumMember, note="default" if value == key.default else "")
    if any(kind == "bool" for key in keys for kind in key.types):
        default = keys[0].default
        for value in ("true", "false"):
            yield Offer(value, Kind.Keyword, note="default" if value == default else "")
    special = _SPECIAL.get(name)
    if special is not None and len([part for part in at.path if part != ITEM]) == 1:
        yield from special(session, opened)
    for key in keys:
        for value in key.suggestions:
            yield Offer(value, Kind.Value)


def _today(_session: Session, _opened: OpenDocument) -> Iterator[Offer]:
    yield Offer(date.today().isoformat(), Kind.Constant, note="today")


def _tags(session: Session, opened: OpenDocument) -> Iterator[Offer]:
    bundle = opened.bundle
    if bundle is None:
        return
    words = session.workspace.words
    beside = session.workspace.catalog.by_path(opened.path)
    own = {part.lower() for part in opened.rel.split("/")[:-1]}
    for domain in words.domains(bundle):
        if domain not in own:
            yield Offer(domain, Kind.Keyword, note="domain")
    for tag, count in words.tags(bundle.id, beside):
        if tag not in own:
            yield Offer(tag, Kind.Keyword, note=f"{count} asset{'s' if count != 1 else ''}")


def _tools(session: Session, opened: OpenDocument) -> Iterator[Offer]:
    if opened.bundle is not None:
        for tool in session.workspace.words.tools(opened.bundle.id):
            yield Offer(tool, Kind.Function, note="used here")


def _models(session: Session, opened: OpenDocument) -> Iterator[Offer]:
    if opened.bundle is not None:
        for model in session.workspace.words.models(opened.bundle.id):
            yield Offer(model, Kind.Value, note="used here")


def _named(kind: str) -> Callable[[Session, OpenDocument], Iterator[Offer]]:
    def offers(session: Session, opened: OpenDocument) -> Iterator[Offer]:
        home = opened.bundle.id if opened.bundle else None
        stubs, _ = session.workspace.catalog.candidates(
            "",
            bundle=home,
            types=frozenset((kind,)),
            limit=session.workspace.settings.max_completions,
        )
        for stub in stubs:
            name = stub.mark("name") or stub.name
            if stub.path != opened.path:
                yield Offer(name, Kind.Class, detail=said_description(stub), data={"ref": stub.ref})

    return offers


def _name(_session: Session, opened: OpenDocument) -> Iterator[Offer]:
    """What the file's place makes of its name."""
    directory, file = os.path.split(opened.path)
    is_skill = is_skill_path(opened.path.replace(os.sep, "/"))
    name = os.path.basename(directory) if is_skill else file.partition(".")[0]
    yield Offer(name, Kind.Value, note="from the path")


def _type(_session: Session, opened: OpenDocument) -> Iterator[Offer]:
    kind = TYPE_BY_DIRECTORY.get(opened.rel.partition("/")[0])
    if kind is not None:
        yield Offer(kind.name, Kind.EnumMember, note="by its directory")


_SPECIAL: dict[str, Callable[[Session, OpenDocument], Iterator[Offer]]] = {
    **dict.fromkeys(DATES, _today),
    **dict.fromkeys(TOOLS, _tools),
    "tags": _tags,
    "model": _models,
    "agent": _named("agent"),
    "agents": _named("agent"),
    "skills": _named("skill"),
    "name": _name,
    "type": _type,
}
