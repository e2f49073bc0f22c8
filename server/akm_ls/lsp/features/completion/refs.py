"""Completion of refs: after ``bundle//``, in the keys that hold refs, of headings after ``#``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.documents.document import Document
from akm_ls.documents.occurrences import LIST_CHANNELS
from akm_ls.documents.text import Span
from akm_ls.documents.yaml_places import ITEM, YamlPlace, yaml_block, yaml_place
from akm_ls.lint.rules.superseded import DEMOTING_STATES
from akm_ls.lsp.features.card import asset_card
from akm_ls.lsp.features.completion.offer import Kind, Offer, listed
from akm_ls.lsp.features.completion.values import value_place
from akm_ls.refs import (
    Ref,
    find_refs,
    is_writable_in_prose,
    parse_ref,
    token_end,
    try_parse_ref,
)
from akm_ls.search.said import said_description

if TYPE_CHECKING:
    from akm_ls.index.stub import Stub
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

_TOKEN_STOP = r"\s\"'`<>,()\[\]{}|“”‘’«»（）「」、。，；！？"
_BEFORE = re.compile(rf"[^{_TOKEN_STOP}]*\Z")
_AFTER = re.compile(rf"[^{_TOKEN_STOP}]*")
_CHANNELS = frozenset((*LIST_CHANNELS, "derivedFrom"))
_TASK_TARGETS = {
    "workflow": frozenset(("workflow",)),
    "prompt": frozenset(("command", "agent", "skill", "knowledge", "instruction")),
    "uses": frozenset(("command", "workflow", "script")),
}
_LEAD = "*_~"
_TAIL = ".,;:!?*_~"

_KIND = {
    "skill": lsp.CompletionItemKind.Module,
    "command": lsp.CompletionItemKind.Function,
    "agent": lsp.CompletionItemKind.Class,
    "script": lsp.CompletionItemKind.Method,
    "workflow": lsp.CompletionItemKind.Event,
    "env": lsp.CompletionItemKind.Variable,
    "secret": lsp.CompletionItemKind.Constant,
    "memory": lsp.CompletionItemKind.Value,
    "fact": lsp.CompletionItemKind.Property,
}


@dataclass(frozen=True, slots=True)
class _Place:
    """What is being typed: the token's characters and the part before the cursor."""

    span: Span
    typed: str
    bare: bool
    """Whether a concept id without a bundle is a ref here (frontmatter lists)."""
    lead: str = ""
    """What has to be written before the ref."""
    close: str = ""
    """What has to be written behind it: the partner of a quote."""
    types: frozenset[str] = frozenset()
    """The types of asset that fit; empty for all."""


def complete(session: Session, opened: OpenDocument, offset: int) -> lsp.CompletionList | None:
    if yaml_block(opened.document, offset) is not None:
        return complete_in_yaml(session, opened, offset)
    place = _place_in_prose(opened.document, offset)
    return None if place is None else _refs(session, opened, offset, place)


def complete_in_yaml(
    session: Session, opened: OpenDocument, offset: int
) -> lsp.CompletionList | None:
    """Refs where the value of a key is one."""
    found = value_place(yaml_place(opened.document, offset))
    if found is None:
        return None
    at, lead = found
    types = _channel_types(opened, at)
    if types is None or (lead == "- " and at.key in ("workflow", "prompt", "uses")):
        return None
    close = at.quote if at.unclosed else ""
    place = _Place(at.span, at.typed, True, lead if not at.quote else "", close, types)
    return _refs(session, opened, offset, place)


def _channel_types(opened: OpenDocument, at: YamlPlace) -> frozenset[str] | None:
    """The types of asset that a value may name, empty for any; ``None`` where it is no ref."""
    path = at.path[:-1] if at.is_item else at.path
    if len(path) == 1:
        if opened.document.kind == "yaml" and path[0] in _TASK_TARGETS:
            target = _TASK_TARGETS[path[0]]
            typed_prompt = path[0] == "prompt" and " " in at.span.of(opened.text)
            return None if typed_prompt else target
        return frozenset() if path[0] in _CHANNELS else None
    if path[:2] == ("steps", ITEM) and path[-2:] == ("unit", "env"):
        return frozenset(("env",))
    return None


def _refs(
    session: Session, opened: OpenDocument, offset: int, place: _Place
) -> lsp.CompletionList | None:
    if "#" in place.typed:
        return _headings(session, opened, offset, place)
    bundle, separator, path = place.typed.partition("//")
    if separator:
        offers, whole = _assets(session, opened, place, bundle, path)
    elif place.bare:
        offers, whole = _assets(session, opened, place, None, place.typed)
    else:
        offers, whole = _bundles(session, opened, place)
    # While the first index is made there is more with every moment: the client shall ask again.
    growing = session.workspace.complete_catalog is None
    if growing and not offers and (separator or place.bare):
        return lsp.CompletionList(is_incomplete=True, items=[])
    whole = whole and not growing
    # Behind a quote that is closed by accepting, a heading would stand outside.
    commit = () if place.close else ("#",)
    return listed(session, opened, place.span, offset, offers, whole=whole, commit=commit)


def resolve(session: Session, item: lsp.CompletionItem) -> lsp.CompletionItem:
    """Add the asset's card to the item that the author looks at."""
    data = item.data
    if not isinstance(data, dict) or not isinstance(data.get("ref"), str):
        return item
    ref = try_parse_ref(data["ref"])
    stub = session.workspace.catalog.get(ref.bundle, ref.concept_id) if ref and ref.bundle else None
    if stub is None:
        return item
    markdown = session.client.markdown_completion
    item.documentation = lsp.MarkupContent(
        lsp.MarkupKind.Markdown if markdown else lsp.MarkupKind.PlainText,
        asset_card(session.workspace, stub, ref.fragment if ref else None, plain=not markdown),
    )
    return item


def _place_in_prose(document: Document, offset: int) -> _Place | None:
    lines = document.lines
    line = lines.line_span(lines.line_of(offset))
    text = document.text
    before = _BEFORE.search(text, line.start, offset)
    after = _AFTER.match(text, offset, line.end)
    assert before is not None and after is not None
    start = _start_of_token(text, before.start(), offset)
    behind = text[offset : token_end(text, offset, after.end())]
    end = offset + len(behind.rstrip(_TAIL))
    if not document.can_hold_ref(offset):
        return None
    return _Place(Span(start, end), text[start:offset], False)


def _start_of_token(text: str, start: int, offset: int) -> int:
    """Where the ref being typed begins: behind emphasis and whatever else touches it."""
    for token in find_refs(f"{text[start:offset]}x"):
        if start + token.end == offset + 1:
            return start + token.start
    typed = text[start:offset]
    return start + len(typed) - len(typed.lstrip(_LEAD))


def _bundles(session: Session, opened: OpenDocument, place: _Place) -> tuple[list[Offer], bool]:
    """Bundle names; behind a whole one (``team/``) its assets."""
    typed = place.typed
    name = typed.rstrip("/")
    if typed.endswith("/"):
        if session.workspace.bundles.get(name) is None:
            return [], True
        return _assets(session, opened, place, name, "")
    home = opened.bundle
    fitting = [
        bundle
        for bundle in session.workspace.bundles
        if not typed or bundle.id.lower().startswith(typed.lower())
    ]
    fitting.sort(key=lambda bundle: bundle != home)
    offers = [
        Offer(f"{bundle.id}//", Kind.Folder, detail=f"{bundle.adapter} bundle")
        for bundle in fitting
    ]
    if typed and any(typed == bundle.id for bundle in session.workspace.bundles):
        assets, _ = _assets(session, opened, place, typed, "")
        return [*offers, *assets], False
    return offers, True


def _assets(
    session: Session, opened: OpenDocument, place: _Place, bundle: str | None, query: str
) -> tuple[list[Offer], bool]:
    workspace = session.workspace
    limit = workspace.settings.max_completions
    types = place.types or None
    candidates = workspace.catalog.candidates
    known = bundle if bundle is not None and workspace.bundles.get(bundle) else None
    home = opened.bundle.id if opened.bundle else None
    if known is None and home is not None and bundle is None:
        # Bare ids mean the home bundle first; the others follow, qualified.
        stubs, whole = candidates(query, bundle=home, limit=limit, types=types)
        if len(stubs) < limit and len(workspace.bundles) > 1:
            others, others_whole = candidates(query, limit=limit, types=types)
            stubs = [*stubs, *(stub for stub in others if stub.bundle != home)][:limit]
            whole = whole and others_whole
    else:
        stubs, whole = candidates(query, bundle=known, limit=limit, types=types)
    own = opened.entry.ref if opened.entry else ""
    offers = [
        _asset(stub, place, home)
        for stub in stubs
        if stub.ref != own and (place.bare or is_writable_in_prose(stub.ref))
    ]
    return offers, whole


def _asset(stub: Stub, place: _Place, home: str | None) -> Offer:
    # Who begins with a bundle goes on with it, in the frontmatter too.
    bare = place.bare and "//" not in place.typed
    text = stub.concept_id if bare and stub.bundle == home else stub.ref
    return Offer(
        text,
        _KIND.get(stub.type, Kind.File),
        f"{place.lead}{text}{place.close}",
        detail=stub.title or said_description(stub),
        note=stub.type,
        filter=stub.concept_id if bare else text,
        deprecated=stub.belief_state in DEMOTING_STATES,
        data={"ref": stub.ref},
    )


def _headings(
    session: Session, opened: OpenDocument, offset: int, place: _Place
) -> lsp.CompletionList | None:
    asset, _, _ = place.typed.partition("#")
    ref = try_parse_ref(asset) if asset else None
    if ref is None or (ref.bundle is None and not place.bare):
        return None
    home = opened.bundle.id if opened.bundle else None
    resolution = session.workspace.catalog.resolve(ref, home, session.workspace.bundles)
    stub = resolution.stub
    if stub is None or resolution.status == "elsewhere":
        return None
    target = session.workspace.document(stub.path)
    offers = [
        Offer(
            heading.slug,
            Kind.Reference,
            heading.slug + place.close,
            detail=f"{'#' * heading.level} {heading.text}",
            filter=heading.slug,
            data={"ref": str(_with_fragment(stub, heading.slug))},
        )
        for heading in (target.headings if target is not None else ())
        if heading.slug
    ]
    span = Span(place.span.start + len(asset) + 1, place.span.end)
    return listed(session, opened, span, offset, offers)


def _with_fragment(stub: Stub, slug: str) -> Ref:
    ref = parse_ref(stub.ref)
    return Ref(ref.bundle, ref.concept_id, slug)
