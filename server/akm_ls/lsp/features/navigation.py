"""Going to what a ref names: definition and document links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.lsp.convert import file_start
from akm_ls.lsp.features.target import target_at, target_of
from akm_ls.refs import try_parse_ref

if TYPE_CHECKING:
    from akm_ls.index.stub import Stub
    from akm_ls.lsp.session import Session


def definition(
    session: Session, params: lsp.DefinitionParams
) -> lsp.Location | list[lsp.LocationLink] | None:
    """The file of the asset, at the heading its fragment names."""
    opened = session.document(params.text_document.uri)
    target = target_at(session, opened, params.position)
    if opened is None or target is None or target.stub is None:
        return None
    uri = session.uri(target.stub.path)
    whole, heading = _place_of(session, target.stub, target.ref.fragment)
    if not session.client.definition_links:
        return lsp.Location(uri, heading)
    return [
        lsp.LocationLink(
            target_uri=uri,
            target_range=whole,
            target_selection_range=heading,
            origin_selection_range=session.range(opened.document.lines, target.span),
        )
    ]


def document_links(
    session: Session, params: lsp.DocumentLinkParams
) -> list[lsp.DocumentLink] | None:
    """A link for every ref that leads somewhere."""
    opened = session.document(params.text_document.uri)
    if opened is None or opened.bundle is None:
        return None
    links = []
    for occurrence in opened.document.refs:
        target = target_of(session, opened, occurrence)
        if target is None or target.stub is None or target.status == "elsewhere":
            continue
        link = lsp.DocumentLink(
            range=session.range(opened.document.lines, target.span),
            tooltip=target.stub.title or target.stub.description or target.stub.ref,
        )
        if target.ref.fragment is None:
            link.target = session.uri(target.stub.path)
        else:
            # The line of a heading wants the other file read: when somebody follows the link.
            link.data = {"ref": f"{target.stub.ref}#{target.ref.fragment}"}
        links.append(link)
    return links


def resolve_link(session: Session, link: lsp.DocumentLink) -> lsp.DocumentLink:
    ref = try_parse_ref(link.data["ref"]) if isinstance(link.data, dict) else None
    if ref is None or ref.bundle is None:
        return link
    stub = session.workspace.catalog.get(ref.bundle, ref.concept_id)
    if stub is not None:
        _, heading = _place_of(session, stub, ref.fragment)
        link.target = f"{session.uri(stub.path)}#L{heading.start.line + 1}"
    return link


def _place_of(session: Session, stub: Stub, fragment: str | None) -> tuple[lsp.Range, lsp.Range]:
    """The section a fragment names and its heading line; the file's start without one."""
    document = session.workspace.document(stub.path) if fragment else None
    heading = document.fragment(fragment) if document is not None and fragment else None
    if document is None or heading is None:
        return file_start(), file_start()
    return session.range(document.lines, heading.section), session.range(
        document.lines, heading.span
    )
