"""The call hierarchy of assets: who cites this, and what does this cite."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from akm_ls.lsp.convert import citation_range, file_start
from akm_ls.lsp.features.symbols import asset_kind, belief_tags
from akm_ls.lsp.features.target import subject_at
from akm_ls.lsp.uris import path_of
from akm_ls.refs import Ref, try_parse_ref
from akm_ls.workspace.citing import cited_assets, citing_files

if TYPE_CHECKING:
    from akm_ls.index.stub import Stub
    from akm_ls.lsp.session import Session

_TAGS = (lsp.SymbolTag.Deprecated,)


async def prepare(
    session: Session, params: lsp.CallHierarchyPrepareParams
) -> list[lsp.CallHierarchyItem] | None:
    """The asset or heading at the cursor: a ref, a heading, the title, or the first line."""
    await session.index.ready()
    opened = session.document(params.text_document.uri)
    if opened is None:
        return None
    subject = subject_at(session, opened, params.position)
    if subject is None or (subject.kind == "file" and not subject.is_named):
        return None
    stub = session.workspace.catalog.get(subject.ref.bundle or "", subject.ref.concept_id)
    if stub is None:
        return None
    return [
        _item(session, stub, subject.ref.fragment, session.place_of(stub, subject.ref.fragment))
    ]


async def incoming(
    session: Session, params: lsp.CallHierarchyIncomingCallsParams
) -> list[lsp.CallHierarchyIncomingCall] | None:
    """The files that cite the item, each with all its citations."""
    await session.index.ready()
    session.settle()
    ref = _ref_of(session, params.item)
    if ref is None:
        return None
    return [
        lsp.CallHierarchyIncomingCall(
            from_=_item(session, citing.stub)
            if citing.stub is not None
            else _file(session, citing.path),
            from_ranges=[citation_range(it, session.encoding) for it in citing.citations],
        )
        for citing in citing_files(session.workspace, ref)
    ]


async def outgoing(
    session: Session, params: lsp.CallHierarchyOutgoingCallsParams
) -> list[lsp.CallHierarchyOutgoingCall] | None:
    """The assets that the item's file cites, of a heading those in its section."""
    await session.index.ready()
    session.settle()
    workspace = session.workspace
    path = path_of(params.item.uri)
    document = None if path is None else workspace.document(path)
    owner = None if path is None else workspace.bundles.owner_of(workspace.canonical(path))
    if document is None or owner is None:
        return None
    fragment = _data(params.item).get("fragment")
    heading = document.fragment(fragment) if isinstance(fragment, str) else None
    within = None if heading is None else heading.section
    return [
        lsp.CallHierarchyOutgoingCall(
            to=_item(session, cited.stub),
            from_ranges=[session.range(document.lines, span) for span in cited.spans],
        )
        for cited in cited_assets(workspace, document, owner.id, within)
    ]


def _item(
    session: Session, stub: Stub, fragment: str | None = None, where: lsp.Range | None = None
) -> lsp.CallHierarchyItem:
    where = where or file_start()
    title = dict(stub.fragments()).get(fragment) if fragment else None
    return lsp.CallHierarchyItem(
        name=title or stub.title or stub.name,
        kind=lsp.SymbolKind.String if fragment else asset_kind(stub.type),
        tags=belief_tags(stub, _TAGS),
        detail=f"{stub.ref}#{fragment}" if fragment else stub.ref,
        uri=session.uri(stub.path),
        range=where,
        selection_range=where,
        data={"ref": stub.ref, "fragment": fragment},
    )


def _file(session: Session, path: str) -> lsp.CallHierarchyItem:
    """A citing file that is no asset, such as a README."""
    owner = session.workspace.bundles.relative(path)
    return lsp.CallHierarchyItem(
        name=os.path.basename(path),
        kind=lsp.SymbolKind.File,
        detail=f"{owner[0].id}: {owner[1]}" if owner else None,
        uri=session.uri(path),
        range=file_start(),
        selection_range=file_start(),
        data={},
    )


def _data(item: lsp.CallHierarchyItem) -> dict[str, Any]:
    return item.data if isinstance(item.data, dict) else {}


def _ref_of(session: Session, item: lsp.CallHierarchyItem) -> Ref | None:
    """What an item means; by its file where a client has dropped what we sent along."""
    data = _data(item)
    text, fragment = data.get("ref"), data.get("fragment")
    if not isinstance(text, str):
        path = path_of(item.uri)
        stub = None if path is None else session.workspace.stub_at(path)
        text = "" if stub is None else stub.ref
    ref = try_parse_ref(text)
    if ref is None:
        return None
    return Ref(ref.bundle, ref.concept_id, fragment if isinstance(fragment, str) else None)
