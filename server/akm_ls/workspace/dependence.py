"""Which concept ids' citations say something else after a delta.

Those of what has changed, in every spelling; and those of assets that name what has changed as
their correction, and so on: who cites an old asset is told what replaces it, and what that one's
replacement is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from akm_ls.refs import try_parse_ref
from akm_ls.search.references import spellings_of

if TYPE_CHECKING:
    from akm_ls.index.catalog import Catalog
    from akm_ls.index.delta import Delta


class Dependence:
    """Corrections in one catalog, looked up anew when it has changed. Not thread-safe."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._edition = -1
        self._corrected: dict[str, set[str]] = {}
        """Concept ids of assets, by the concept id of what corrects them, as written."""

    def concepts(self, delta: Delta) -> frozenset[str]:
        """The concept ids, as authors may write them, whose citations depend on a delta."""
        waiting = {concept_id for _, concept_id in delta.citable}
        # What named a correction until now may do so no longer.
        waiting |= {old.concept_id for old, _ in delta.changed if old.superseded_by}
        if not waiting:
            return frozenset()
        self._follow()
        found: set[str] = set()
        while waiting:
            concept_id = waiting.pop()
            for spelling in spellings_of(concept_id):
                if spelling not in found:
                    found.add(spelling)
                    waiting |= self._corrected.get(spelling, set()) - found
        return frozenset(found)

    def _follow(self) -> None:
        if self._edition == self._catalog.edition:
            return
        self._edition = self._catalog.edition
        self._corrected = {}
        for stub in self._catalog.stubs():
            if stub.superseded_by or "contradictedBy" in stub.marks:
                for concept_id in _ids((*stub.superseded_by, *stub.marked("contradictedBy"))):
                    self._corrected.setdefault(concept_id, set()).add(stub.concept_id)


def _ids(refs: Iterable[str]) -> Iterable[str]:
    parsed = (try_parse_ref(text) for text in refs)
    return (ref.concept_id for ref in parsed if ref is not None)
