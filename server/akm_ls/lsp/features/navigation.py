"""Going to what a ref, a relative path or a step's name leads to; document links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.documents.text import Span
from akm_ls.lsp.convert import file_start
from akm_ls.lsp.features.relative import (
    Relative,
    anchor_of,
    relative_at,
    relatives,
    section_of,
)
from akm_ls.lsp.features.target import target_at, target_of
from akm_ls.lsp.features.workflow_places import declaration, workflow_of, workflow_place
from akm_ls.refs import try_parse_ref

if TYPE_CHECKING:
    from akm_ls.index.stub import Stub
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument


MAX_LINKS = 2_000
"""Links of one document: asked for after every change, and each is looked up."""


def definition(
    session: Session, params: lsp.DefinitionParams
) -> lsp.Location | list[lsp.LocationLink] | None:
    """Where the ref, the relative path or the step's name at the cursor leads."""
    opened = session.document(params.text_document.uri)
    if opened is None or opened.bundle is None:
        return None
    offset = session.offset(opened, params.position)
    target = target_at(session, opened, params.position)
    if target is not None:
        if target.stub is None:
            return None
        places = _place_of(session, target.stub, target.ref.fragment)
        return _led(session, opened, target.span, session.uri(target.stub.path), places)
    workflow = workflow_of(opened)
    place = None if workflow is None else workflow_place(workflow, offset)
    if workflow is not None and place is not None:
        declared = declaration(workflow, place)
        if declared is None:
            return None
        lines = opened.document.lines
        whole, name = (session.range(lines, span) for span in declared)
        return _led(session, opened, place.span, session.uri(opened.path), (whole, name))
    found = relative_at(session, opened, offset)
    if found is None or found.kind == "directory":
        return None
    places = _anchored(session, found)
    return _led(session, opened, found.span, session.uri(found.path), places)


def _led(
    session: Session,
    opened: OpenDocument,
    origin: Span,
    uri: str,
    places: tuple[lsp.Range, lsp.Range],
) -> lsp.Location | list[lsp.LocationLink]:
    whole, name = places
    if not session.client.definition_links:
        return lsp.Location(uri, name)
    return [
        lsp.LocationLink(
            target_uri=uri,
            target_range=whole,
            target_selection_range=name,
            origin_selection_range=session.range(opened.document.lines, origin),
        )
    ]


def document_links(
    session: Session, params: lsp.DocumentLinkParams
) -> list[lsp.DocumentLink] | None:
    """A link for every ref, relative link and inclusion that leads somewhere."""
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
            tooltip=target.stub.title or target.stub.ref,
        )
        if target.ref.fragment is None:
            link.target = session.uri(target.stub.path)
        else:
            # The line of a heading wants the other file read: when somebody follows the link.
            link.data = {"ref": f"{target.stub.ref}#{target.ref.fragment}"}
        links.append(link)
        if len(links) >= MAX_LINKS:
            break
    links += [
        _relative_link(session, opened, found)
        for found in relatives(session, opened)
        if found.kind == "file"
    ][: MAX_LINKS - len(links)]
    links.sort(key=lambda link: (link.range.start.line, link.range.start.character))
    return links


def _relative_link(session: Session, opened: OpenDocument, found: Relative) -> lsp.DocumentLink:
    stub = session.workspace.stub_at(found.path)
    link = lsp.DocumentLink(
        range=session.range(opened.document.lines, found.span),
        tooltip=None if stub is None else stub.title or stub.ref,
    )
    if found.fragment is None:
        link.target = session.uri(found.path)
    else:
        link.data = {"path": found.path, "fragment": found.fragment}
    return link


def resolve_link(session: Session, link: lsp.DocumentLink) -> lsp.DocumentLink:
    if isinstance(link.data, dict) and "path" in link.data:
        path, fragment = str(link.data["path"]), str(link.data.get("fragment"))
        document = session.workspace.surroundings.document(path)
        anchor = None if document is None else anchor_of(document, fragment)
        link.target = session.uri(path)
        if document is not None and anchor is not None:
            link.target += f"#L{document.lines.line_of(anchor.span.start) + 1}"
        return link
    ref = try_parse_ref(str(link.data.get("ref"))) if isinstance(link.data, dict) else None
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


def _anchored(session: Session, found: Relative) -> tuple[lsp.Range, lsp.Range]:
    """The section that a link's fragment names and its heading; the file's start without one."""
    document = (
        session.workspace.surroundings.document(found.path) if found.fragment is not None else None
    )
    anchor = None
    if document is not None and found.fragment is not None:
        anchor = anchor_of(document, found.fragment)
    if document is None or anchor is None:
        return file_start(), file_start()
    section = section_of(document, anchor)
    return session.range(document.lines, section), session.range(document.lines, anchor.span)
