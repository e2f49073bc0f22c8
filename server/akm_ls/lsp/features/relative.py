"""Relative links, ``@file`` inclusions and the paths in a skill's code spans: where they lead."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote

from akm_ls.bundles.listings import PathKind
from akm_ls.documents.anchors import Anchor
from akm_ls.documents.text import Span
from akm_ls.lint.rules.link_bases import Bases
from akm_ls.lint.rules.link_targets import Target, read_target

if TYPE_CHECKING:
    from akm_ls.documents.document import Document
    from akm_ls.documents.markdown import Link
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

Form = Literal["link", "image", "inclusion", "code"]
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".avif", ".ico")


@dataclass(frozen=True, slots=True)
class Relative:
    """One relative path in a document, and what is there.

    ``span`` covers the path with its fragment; ``path`` is absolute. ``fragment`` is decoded.
    """

    form: Form
    span: Span
    target: Target
    path: str
    kind: PathKind
    fragment: str | None
    link: Link | None = None

    @property
    def is_image(self) -> bool:
        return self.path.lower().endswith(IMAGES)


def bases_of(session: Session, opened: OpenDocument) -> Bases | None:
    """The directories that a path in the document may be meant from."""
    if opened.bundle is None:
        return None
    return Bases(session.workspace.subject(opened.document, opened.path, opened.bundle, opened.rel))


def relative_at(session: Session, opened: OpenDocument, offset: int) -> Relative | None:
    """The path that a cursor touches, when there is something at its end."""
    bases = bases_of(session, opened)
    document = opened.document
    if bases is None or document.kind != "markdown" or offset < document.body_start:
        return None
    for link in document.links:
        if link.kind != "autolink" and link.target_span.contains(offset):
            return _link(bases, opened, link)
    for span in document.inclusions:
        if Span(span.start - 1, span.end).contains(offset):
            return _inclusion(bases, opened, span)
    if bases.skill is not None:
        for code in document.code_spans:
            if code.inner.contains(offset):
                return _code(bases, opened, code.inner)
    return None


def relatives(session: Session, opened: OpenDocument) -> Iterator[Relative]:
    """The links and inclusions that lead somewhere. Code spans are for jumping only."""
    bases = bases_of(session, opened)
    if bases is None or opened.document.kind != "markdown":
        return
    for link in opened.document.links:
        if link.kind != "autolink":
            found = _link(bases, opened, link)
            if found is not None:
                yield found
    for span in opened.document.inclusions:
        found = _inclusion(bases, opened, span)
        if found is not None:
            yield found


def _link(bases: Bases, opened: OpenDocument, link: Link) -> Relative | None:
    target = read_target(link.target)
    if target is None:
        return None
    form: Form = "image" if link.kind == "image" else "link"
    fragment = None if target.fragment is None else unquote(target.fragment)
    if not target.path:
        if fragment is None:
            return None
        return Relative(form, link.target_span, target, opened.path, "file", fragment, link)
    base = {"skill": bases.skill, "plugin": bases.plugin}.get(target.variable or "", bases.folder)
    return _at(bases, (base,), form, link.target_span, target, fragment, link)


def _inclusion(bases: Bases, opened: OpenDocument, span: Span) -> Relative | None:
    target = read_target(span.of(opened.text), link=False)
    if target is None or not target.path:
        return None
    return _at(bases, (bases.folder, bases.top), "inclusion", span, target, target.fragment)


def _code(bases: Bases, opened: OpenDocument, inner: Span) -> Relative | None:
    source = inner.of(opened.text)
    stripped = source.strip()
    if "/" not in stripped or any(char.isspace() for char in stripped):
        return None
    start = inner.start + source.find(stripped)
    target = read_target(stripped, link=False)
    if target is None or not target.path or bases.skill is None:
        return None
    span = Span(start, start + len(stripped))
    near = (bases.folder, bases.skill, os.path.dirname(bases.skill))
    if target.variable == "plugin":
        near = (bases.plugin or bases.folder,) * 3
    return _at(bases, near, "code", span, target, target.fragment)


def _at(
    bases: Bases,
    near: tuple[str | None, ...],
    form: Form,
    span: Span,
    target: Target,
    fragment: str | None,
    link: Link | None = None,
) -> Relative | None:
    for base in near:
        kind = None if base is None else bases.kind(base, target.path)
        path = None if base is None or kind is None else bases.join(base, target.path)
        if kind is not None and path is not None:
            return Relative(form, span, target, path, kind, fragment, link)
    return None


def anchor_of(document: Document, fragment: str) -> Anchor | None:
    """What a link's fragment names: by its name, case aside."""
    wanted = fragment.casefold()
    same = [anchor for anchor in document.anchors if anchor.name.casefold() == wanted]
    return next((anchor for anchor in same if anchor.name == fragment), same[0] if same else None)


def section_of(document: Document, anchor: Anchor) -> Span:
    """What stands below an anchor: its heading's section, or its own line."""
    heading = document.heading_at(anchor.span.start)
    if heading is not None and heading.span.start == anchor.span.start:
        return heading.section
    return anchor.span
