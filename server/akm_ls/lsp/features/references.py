"""Who cites this: every citation of an asset or of one of its headings, in all bundles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.documents.text import Span
from akm_ls.lsp.convert import citation_range, file_start
from akm_ls.lsp.features.agent_requests import in_library
from akm_ls.lsp.features.target import subject_at
from akm_ls.search.references import references
from akm_ls.workspace.occurrences import step_occurrences

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.refs import Ref
    from akm_ls.search.references import LocatedCitation
    from akm_ls.workspace.open_documents import OpenDocument


async def find_references(
    session: Session, params: lsp.ReferenceParams
) -> list[lsp.Location] | None:
    """On a ref: the citations of what it names. Elsewhere in an asset: the citations of it.

    On a heading those of the heading. On the id of a workflow's step or parameter the places of
    the workflow that use it, on the step's heading both.
    """
    await session.index.ready()
    opened = session.document(params.text_document.uri)
    if opened is None:
        return None
    declaration = params.context.include_declaration
    steps = _in_workflow(session, opened, params, declaration)
    subject = subject_at(session, opened, params.position)
    if steps is not None and (subject is None or subject.kind != "heading"):
        return steps
    if subject is None:
        return None
    wanted = subject.ref
    locations = [
        lsp.Location(session.uri(citation.path), citation_range(citation, session.encoding))
        for citation in await citations_of(session, wanted)
    ]
    if steps is not None:
        return [*steps, *locations]
    if declaration and wanted.bundle is not None:
        stub = session.workspace.catalog.get(wanted.bundle, wanted.concept_id)
        if stub is not None:
            fragment = wanted.fragment
            where = session.place_of(stub, fragment) if fragment else file_start()
            locations.insert(0, lsp.Location(session.uri(stub.path), where))
    return locations


async def citations_of(session: Session, ref: Ref) -> tuple[LocatedCitation, ...]:
    """The citations of an asset; with a fragment only those that name the same heading."""
    overlay = session.workspace.open_citations()
    return await in_library(session, lambda library: references(library, ref, overlay=overlay))


def _in_workflow(
    session: Session, opened: OpenDocument, params: lsp.ReferenceParams, declaration: bool
) -> list[lsp.Location] | None:
    """The places of the step or parameter at the cursor; its id is the declaration."""
    if opened.entry is None or opened.entry.type != "workflow":
        return None
    offset = session.offset(opened, params.position)
    found = step_occurrences(opened.document, offset)
    if not found:
        return None

    def place(span: Span) -> lsp.Location:
        return lsp.Location(params.text_document.uri, session.range(opened.document.lines, span))

    return [place(it.span) for it in found if declaration or it.role != "write"]
