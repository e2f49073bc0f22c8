"""What a position points at: the ref under the cursor and where it leads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.documents.text import Span
from akm_ls.index.catalog import Resolution
from akm_ls.refs import ASSET_DIRECTORIES, Ref, is_citation

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
    occurrence = opened.document.ref_at(session.offset(opened, position))
    return None if occurrence is None else target_of(session, opened, occurrence)


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
