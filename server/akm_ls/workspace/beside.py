"""Which open documents depend on a change although they do not cite what changed.

Those are assets of the same name, assets with the same description, every file of a bundle whose
vocabulary has changed, and what a correction begins or ceases to cite.
"""

from __future__ import annotations

from akm_ls.index.catalog import Catalog
from akm_ls.index.delta import Delta, Key
from akm_ls.index.neighbours import Scope, alike, called, scope_of
from akm_ls.index.stub import DOMAINS_FACT, NAMED_TYPES, Stub
from akm_ls.workspace.open_documents import OpenDocument

_MAX_COMPARED = 50
"""Beyond this many changes of one delta all assets of the scope are taken for affected."""


class BesideChanged:
    """The neighbours of what one delta changed."""

    def __init__(self, delta: Delta, catalog: Catalog) -> None:
        self._catalog = catalog
        self._vocabularies = {
            bundle for bundle, concept_id in delta.refs if concept_id == DOMAINS_FACT
        }
        self._cited = delta.cited
        self._names: set[tuple[str, str, str]] = set()
        self._described: dict[Scope, list[Stub]] = {}
        for stub in (*delta.added, *delta.removed):
            self._note(stub, named=True, described=True)
        for old, new in delta.changed:
            named = old.path != new.path or old.marks != new.marks or old.type != new.type
            described = old.description != new.description
            self._note(old, named=named, described=described)
            self._note(new, named=named, described=described)

    def _note(self, stub: Stub, *, named: bool, described: bool) -> None:
        if stub.type not in NAMED_TYPES:
            return
        if named:
            self._names.add(_name_of(stub))
        if described:
            self._described.setdefault(scope_of(stub), []).append(stub)

    @property
    def touches_any(self) -> bool:
        return bool(self._vocabularies or self._names or self._described or self._cited)

    def touches(self, path: str, bundle: str) -> bool:
        """Whether the findings of an open file may differ now."""
        if bundle in self._vocabularies:
            return True
        if not (self._names or self._described or self._cited):
            return False
        stub = self._catalog.by_path(path)
        if stub is None:
            return False
        if (stub.bundle, stub.concept_id) in self._cited:
            return True
        if stub.type not in NAMED_TYPES:
            return False
        if _name_of(stub) in self._names:
            return True
        others = self._described.get(scope_of(stub), [])
        if len(others) > _MAX_COMPARED:
            return True
        return any(other.path != path and alike(stub, other) for other in others)


def xrefs_of(opened: OpenDocument) -> frozenset[Key]:
    """What a document has among its ``xrefs``, by bundle and concept id."""
    if opened.entry is None:
        return frozenset()
    return frozenset(
        (citation.bundle or opened.entry.bundle, citation.concept_id)
        for citation in opened.entry.citations
        if citation.channel == "xrefs"
    )


def _name_of(stub: Stub) -> tuple[str, str, str]:
    """A skill and a command of one name depend on each other too: no type here."""
    scope = scope_of(stub)
    return scope.bundle, scope.directory, called(stub)
