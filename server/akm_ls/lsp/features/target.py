"""What a position points at: the ref under the cursor and where it leads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from akm_ls.documents.text import Span
from akm_ls.index.catalog import Resolution
from akm_ls.refs import ASSET_DIRECTORIES, Ref, is_citation
from akm_ls.workspace.renaming.occurrences import ref_at

if TYPE_CHECKING:
    from lsprotocol import types as lsp

    from akm_ls.documents.document import RefOccurrence
    from akm_ls.index.stub import Stub
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument


@dataclass(frozen=True, slots=True)
class Target:
    """A ref in a document and what the catalog says of it."""

    ref: Ref
    span: Span
    resolution: Resolution

    @property
    def stub(self) -> Stub | None:
        return self.resolution.stub

    @property
    def status(self) -> str:
        return self.resolution.status


def target_at(
    session: Session, opened: OpenDocument | None, position: lsp.Position
) -> Target | None:
    """The ref at a position; ``None`` where there is none."""
    if opened is None or opened.bundle is None:
        return None
    offset = session.offset(opened, position)
    occurrence = ref_at(opened.document, opened.bundle.adapter, offset)
    return None if occurrence is None else target_of(session, opened, occurrence)


@dataclass(frozen=True, slots=True)
class SubjectAt:
    """What a position is about: a ref, one of the document's headings, or the document itself.

    ``ref`` is qualified where it leads to an asset. ``is_named``: the position is in the first
    line or the title, rather than anywhere in the file.
    """

    kind: Literal["ref", "heading", "file"]
    ref: Ref
    is_named: bool = True


def subject_at(session: Session, opened: OpenDocument, position: lsp.Position) -> SubjectAt | None:
    """What a position is about; ``None`` in a file that is no asset, away from its refs."""
    target = target_at(session, opened, position)
    if target is not None:
        if target.stub is None:
            return SubjectAt("ref", target.ref)
        stub = target.stub
        return SubjectAt("ref", Ref(stub.bundle, stub.concept_id, target.resolution.fragment))
    if opened.entry is None:
        return None
    ref = Ref(opened.entry.bundle, opened.entry.concept_id)
    document, line = opened.document, position.line
    title = next((heading for heading in document.headings if heading.level == 1), None)
    if title is not None and title.line == line:
        return SubjectAt("file", ref)
    for heading in document.headings:
        if heading.line == line and heading.slug:
            return SubjectAt("heading", Ref(ref.bundle, ref.concept_id, heading.slug))
    return SubjectAt("file", ref, line == 0 or line == _title_line(opened))


def _title_line(opened: OpenDocument) -> int | None:
    """The line of the frontmatter's ``title``, else its ``name``."""
    frontmatter = opened.document.frontmatter
    if frontmatter is None:
        return None
    pair = frontmatter.root.pair("title") or frontmatter.root.pair("name")
    return None if pair is None else opened.document.lines.line_of(pair.span.start)


def target_of(session: Session, opened: OpenDocument, occurrence: RefOccurrence) -> Target | None:
    """Where an occurrence leads; ``None`` when it is no citation."""
    ref, bundles = occurrence.ref, session.workspace.bundles
    if ref is None or opened.bundle is None:
        return None
    resolution = session.workspace.catalog.resolve(ref, opened.bundle.id, bundles)
    if resolution.stub is None:
        meant = (
            is_citation(ref, bundles.ids)
            if ref.bundle is not None
            else ref.head in ASSET_DIRECTORIES
        )
        if not meant:
            return None
    return Target(ref, occurrence.span, resolution)
