"""Completion of refs: after ``bundle//``, in frontmatter lists, and of headings after ``#``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from akm_ls.documents.document import Document
from akm_ls.documents.text import Span
from akm_ls.lsp.features.card import asset_card
from akm_ls.refs import Ref, find_refs, parse_ref, token_end, try_parse_ref

if TYPE_CHECKING:
    from akm_ls.index.stub import Stub
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

TRIGGERS = ("/", "#", "[")

_TOKEN_STOP = r"\s\"'`<>,()\[\]{}|“”‘’«»（）「」、。，；！？"
_BEFORE = re.compile(rf"[^{_TOKEN_STOP}]*\Z")
_AFTER = re.compile(rf"[^{_TOKEN_STOP}]*")
_CHANNEL_KEY = re.compile(
    r"([\"']?)(refs|xrefs|supersededBy|contradictedBy|currentBeliefRefs)\1[ \t]*:(.*)\Z"
)
_TOP_KEY = re.compile(r"[\"']?[\w-]+[\"']?[ \t]*:")
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


def complete(session: Session, params: lsp.CompletionParams) -> lsp.CompletionList | None:
    opened = session.document(params.text_document.uri)
    if opened is None or opened.bundle is None:
        return None
    place = _place_at(opened.document, session.offset(opened, params.position))
    if place is None:
        return None
    if "#" in place.typed:
        return _headings(session, opened, place)
    bundle, separator, path = place.typed.partition("//")
    if separator:
        return _assets(session, opened, place, bundle, path)
    if place.bare:
        return _assets(session, opened, place, None, place.typed)
    return _bundles(session, opened, place)


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


def _place_at(document: Document, offset: int) -> _Place | None:
    lines = document.lines
    line = lines.line_span(lines.line_of(offset))
    text = document.text
    before = _BEFORE.search(text, line.start, offset)
    after = _AFTER.match(text, offset, line.end)
    assert before is not None and after is not None
    start = _start_of_token(text, before.start(), offset)
    behind = text[offset : token_end(text, offset, after.end())]
    end = offset + len(behind.rstrip(_TAIL))
    bare = False
    top = _frontmatter_at(document, offset)
    if top is not None:
        if not _in_channel(document, line, offset, top):
            return None
        bare = True
    elif not document.can_hold_ref(offset):
        return None
    return _Place(Span(start, end), text[start:offset], bare)


def _start_of_token(text: str, start: int, offset: int) -> int:
    """Where the ref being typed begins: behind emphasis and whatever else touches it."""
    for token in find_refs(f"{text[start:offset]}x"):
        if start + token.end == offset + 1:
            return start + token.start
    typed = text[start:offset]
    return start + len(typed) - len(typed.lstrip(_LEAD))


def _frontmatter_at(document: Document, offset: int) -> int | None:
    """The start of the frontmatter's text when ``offset`` is in it, closed or still being typed."""
    frontmatter = document.frontmatter
    if frontmatter is not None:
        inner = frontmatter.inner
        return inner.start if inner.start <= offset <= inner.end else None
    lines = document.lines
    first = lines.line_text(0).lstrip("\ufeff")
    if document.kind != "markdown" or first.rstrip() != "---":
        return None
    here = lines.line_of(offset)
    typed = (lines.line_text(number) for number in range(1, here + 1))
    if here == 0 or any(not line.strip() or line.startswith(("#", "---")) for line in typed):
        return None
    return lines.start_of(1)


def _in_channel(document: Document, line: Span, offset: int, top: int) -> bool:
    """Whether a frontmatter position is a value of a key whose values are refs."""
    text = document.text
    head = text[line.start : offset]
    if _CHANNEL_KEY.match(head):
        return True
    if _TOP_KEY.match(head):
        return False
    # An item of a block list, or of a flow list over several lines: find the key above.
    number = document.lines.line_of(offset) - 1
    while number >= 0:
        above = document.lines.line_span(number)
        if above.start < top:
            return False
        content = above.of(text)
        if _CHANNEL_KEY.match(content):
            return True
        if _TOP_KEY.match(content):
            return False
        number -= 1
    return False


def _bundles(session: Session, opened: OpenDocument, place: _Place) -> lsp.CompletionList | None:
    """Bundle names; behind a whole one (``team/``) its assets."""
    typed = place.typed
    name = typed.rstrip("/")
    if typed.endswith("/"):
        if session.workspace.bundles.get(name) is None:
            return None
        return _assets(session, opened, place, name, "")
    home = opened.bundle
    items = []
    for rank, bundle in enumerate(session.workspace.bundles):
        if typed and not bundle.id.lower().startswith(typed.lower()):
            continue
        text = f"{bundle.id}//"
        items.append(
            lsp.CompletionItem(
                label=text,
                kind=lsp.CompletionItemKind.Folder,
                detail=f"{bundle.adapter} bundle",
                sort_text=f"{0 if bundle == home else 1}{rank:03}",
                text_edit=lsp.TextEdit(session.range(opened.document.lines, place.span), text),
            )
        )
    if typed and any(typed == bundle.id for bundle in session.workspace.bundles):
        listed = _assets(session, opened, place, typed, "")
        return lsp.CompletionList(True, [*items, *listed.items])
    return lsp.CompletionList(False, items) if items else None


def _assets(
    session: Session, opened: OpenDocument, place: _Place, bundle: str | None, query: str
) -> lsp.CompletionList:
    workspace = session.workspace
    limit = workspace.settings.max_completions
    known = bundle if bundle is not None and workspace.bundles.get(bundle) else None
    home = opened.bundle.id if opened.bundle else None
    if known is None and home is not None and bundle is None:
        # Bare ids mean the home bundle first; the others follow, qualified.
        stubs, whole = workspace.catalog.candidates(query, bundle=home, limit=limit)
        if len(stubs) < limit and len(workspace.bundles) > 1:
            others, others_whole = workspace.catalog.candidates(query, limit=limit)
            stubs = [*stubs, *(stub for stub in others if stub.bundle != home)][:limit]
            whole = whole and others_whole
    else:
        stubs, whole = workspace.catalog.candidates(query, bundle=known, limit=limit)
    edit_range = session.range(opened.document.lines, place.span)
    shared = session.client.default_edit_range
    own = opened.entry.ref if opened.entry else ""
    items = [
        _asset_item(
            session, stub, rank, home if place.bare else None, None if shared else edit_range
        )
        for rank, stub in enumerate(stubs)
        if stub.ref != own
    ]
    answer = lsp.CompletionList(is_incomplete=not whole, items=items)
    if shared:
        answer.item_defaults = lsp.CompletionItemDefaults(edit_range=edit_range)
    return answer


def _asset_item(
    session: Session, stub: Stub, rank: int, home: str | None, edit_range: lsp.Range | None
) -> lsp.CompletionItem:
    text = stub.concept_id if stub.bundle == home else stub.ref
    item = lsp.CompletionItem(
        label=text,
        kind=_KIND.get(stub.type, lsp.CompletionItemKind.File),
        sort_text=f"{rank:04}",
        filter_text=text,
        data={"ref": stub.ref},
    )
    if stub.belief_state in ("superseded", "contradicted", "deprecated", "archived"):
        item.tags = [lsp.CompletionItemTag.Deprecated]
    summary = stub.title or stub.description
    if session.client.label_details:
        item.label_details = lsp.CompletionItemLabelDetails(description=stub.type)
        item.detail = summary or None
    else:
        item.detail = f"{stub.type}: {summary}" if summary else stub.type
    if edit_range is not None:
        item.text_edit = lsp.TextEdit(edit_range, text)
    else:
        item.text_edit_text = text
    return item


def _headings(session: Session, opened: OpenDocument, place: _Place) -> lsp.CompletionList | None:
    asset, _, _ = place.typed.partition("#")
    target: Document | None
    if not asset:
        return None
    ref = try_parse_ref(asset)
    if ref is None or (ref.bundle is None and not place.bare):
        return None
    home = opened.bundle.id if opened.bundle else None
    resolution = session.workspace.catalog.resolve(ref, home, session.workspace.bundles)
    stub = resolution.stub
    if stub is None or resolution.status == "elsewhere":
        return None
    target = session.workspace.document(stub.path)
    headings = target.headings if target is not None else ()
    start = place.span.start + len(asset) + 1
    edit_range = session.range(opened.document.lines, Span(start, place.span.end))
    items = [
        lsp.CompletionItem(
            label=heading.slug,
            kind=lsp.CompletionItemKind.Reference,
            detail=f"{'#' * heading.level} {heading.text}",
            sort_text=f"{rank:04}",
            filter_text=heading.slug,
            text_edit=lsp.TextEdit(edit_range, heading.slug),
            data={"ref": str(_with_fragment(stub, heading.slug))},
        )
        for rank, heading in enumerate(headings)
        if heading.slug
    ]
    return lsp.CompletionList(is_incomplete=False, items=items)


def _with_fragment(stub: Stub, slug: str) -> Ref:
    ref = parse_ref(stub.ref)
    return Ref(ref.bundle, ref.concept_id, slug)


def provider_options() -> dict[str, Any]:
    return {"trigger_characters": list(TRIGGERS), "resolve_provider": True}
