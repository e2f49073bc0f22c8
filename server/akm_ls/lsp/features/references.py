"""Who cites this: every citation of an asset or of one of its headings, in all bundles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.lsp.convert import citation_range, file_start
from akm_ls.lsp.features.target import target_at
from akm_ls.refs import Ref, parse_ref

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.search.references import LocatedCitation
    from akm_ls.workspace.open_documents import OpenDocument


async def find_references(
    session: Session, params: lsp.ReferenceParams
) -> list[lsp.Location] | None:
    """On a ref: the citations of what it names. Elsewhere in an asset: the citations of it,
    on a heading those of the heading."""
    await session.index.ready()
    opened = session.document(params.text_document.uri)
    if opened is None:
        return None
    wanted = _wanted(session, opened, params.position)
    if wanted is None:
        return None
    locations = [
        lsp.Location(session.uri(citation.path), citation_range(citation, session.encoding))
        for citation in citations_of(session, wanted)
    ]
    if params.context.include_declaration and wanted.bundle is not None:
        stub = session.workspace.catalog.get(wanted.bundle, wanted.concept_id)
        if stub is not None:
            locations.insert(0, lsp.Location(session.uri(stub.path), file_start()))
    return locations


def citations_of(session: Session, ref: Ref) -> list[LocatedCitation]:
    """The citations of an asset; with a fragment only those that name the same heading."""
    return list(session.workspace.references(ref))


def _wanted(session: Session, opened: OpenDocument, position: lsp.Position) -> Ref | None:
    target = target_at(session, opened, position)
    if target is not None:
        if target.stub is None:
            return target.ref
        ref = parse_ref(target.stub.ref)
        return Ref(ref.bundle, ref.concept_id, target.resolution.fragment)
    if opened.entry is None:
        return None
    ref = parse_ref(opened.entry.ref)
    line = position.line
    for heading in opened.document.headings:
        if heading.line == line and heading.level > 1:
            return Ref(ref.bundle, ref.concept_id, heading.slug)
    return ref
