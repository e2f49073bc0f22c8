"""Where an author asks what can be done, and what stands there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from akm_ls.bundles.bundle import Bundle
from akm_ls.lint.finding import Fix
from akm_ls.lsp.features.relative import Relative, relative_at
from akm_ls.lsp.features.target import Target, target_of

if TYPE_CHECKING:
    from akm_ls.documents.document import RefOccurrence
    from akm_ls.index.stub import Stub
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument


@dataclass(frozen=True, slots=True)
class Offer:
    """A change that can be made. ``name`` tells it from the others of the same cursor."""

    name: str
    title: str
    kind: str
    build: Callable[[], Fix | None]
    code: str | None = None
    """The rule whose finding it mends."""


@dataclass(frozen=True)
class Cursor:
    """A selection in an open document of a bundle; ``start`` and ``end`` are offsets."""

    session: Session
    opened: OpenDocument
    bundle: Bundle
    start: int
    end: int

    @cached_property
    def occurrences(self) -> tuple[RefOccurrence, ...]:
        """The refs that the selection touches."""
        return tuple(
            occurrence
            for occurrence in self.opened.document.refs
            if occurrence.span.start <= self.end and self.start <= occurrence.span.end
        )

    @cached_property
    def target(self) -> Target | None:
        """The first of them, and where it leads."""
        for occurrence in self.occurrences:
            target = target_of(self.session, self.opened, occurrence)
            if target is not None:
                return target
        return None

    @cached_property
    def occurrence(self) -> RefOccurrence | None:
        """The ref of `target`."""
        target = self.target
        if target is None:
            return None
        return next((it for it in self.occurrences if it.span == target.span), None)

    @cached_property
    def relative(self) -> Relative | None:
        """The relative path at the selection's start, or anywhere in a link's text."""
        found = relative_at(self.session, self.opened, self.start)
        if found is not None:
            return found
        for link in self.opened.document.links:
            if link.kind == "inline" and link.span.contains(self.start):
                return relative_at(self.session, self.opened, link.target_span.start)
        return None

    @cached_property
    def named(self) -> Stub | None:
        """The asset that a ref or a relative link here leads to, if it is another one."""
        stub = None
        if self.target is not None:
            stub = self.target.stub if self.target.status != "elsewhere" else None
        elif self.relative is not None:
            stub = self.session.workspace.stub_at(self.relative.path)
        own = self.opened.entry
        return None if stub is None or (own is not None and own.ref == stub.ref) else stub

    def spelled(self, stub: Stub, home: str | None = None) -> str:
        """A ref as a frontmatter of a bundle (by default this one's) spells it."""
        return stub.concept_id if stub.bundle == (home or self.bundle.id) else stub.ref
