"""What changed in the set of known assets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from akm_ls.index.stub import Stub

Key = tuple[str, str]
"""(bundle id, concept id): what names an asset."""


@dataclass(frozen=True, slots=True)
class Claims:
    """The files of one bundle that claim one ref, the holder first.

    Fewer than two paths: the ref is no longer contested.
    """

    bundle: str
    concept_id: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Delta:
    """Assets that came, changed and went, by ref.

    From the index it may repeat what a catalog already has (another process may have written
    it): ``Catalog.apply`` gives back the delta that remains.
    """

    added: tuple[Stub, ...] = ()
    changed: tuple[tuple[Stub, Stub], ...] = ()
    """(old, new) with the same ref."""
    removed: tuple[Stub, ...] = ()
    claims: tuple[Claims, ...] = ()
    """Refs whose claimants changed."""
    complete: tuple[str, ...] = ()
    """Bundle ids of which everything has now been read once."""
    gone: tuple[str, ...] = ()
    """Paths that were asked about and are no assets (now)."""
    deferred: tuple[str, ...] = ()
    """Paths not written to the index because another process is rebuilding it: try again."""
    generation: int = 0
    """The write transaction that this is; 0: none."""
    cited: frozenset[Key] = frozenset()
    """Refs that a buffer has come to have among its xrefs, or no longer has."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing about any asset changed."""
        return not (
            self.added
            or self.changed
            or self.removed
            or self.claims
            or self.complete
            or self.gone
            or self.cited
        )

    def parts(self, size: int) -> Iterator[Delta]:
        """The same in several deltas of at most ``size`` assets that came, in an order to apply."""
        if len(self.added) <= size:
            yield self
            return
        yield replace(self, added=(), claims=(), complete=(), generation=0)
        claims = {(claim.bundle, claim.concept_id): claim for claim in self.claims}
        for start in range(0, len(self.added), size):
            added = self.added[start : start + size]
            found = (claims.pop((stub.bundle, stub.concept_id), None) for stub in added)
            yield Delta(added, claims=tuple(claim for claim in found if claim is not None))
        yield Delta(
            claims=tuple(claims.values()), complete=self.complete, generation=self.generation
        )

    @property
    def refs(self) -> frozenset[Key]:
        """Every ref that appeared, vanished, changed, or changed claimants."""
        keys = {(stub.bundle, stub.concept_id) for stub in (*self.added, *self.removed)}
        keys.update((new.bundle, new.concept_id) for _, new in self.changed)
        keys.update((claim.bundle, claim.concept_id) for claim in self.claims)
        return frozenset(keys)

    @property
    def citable(self) -> frozenset[Key]:
        """The refs that resolve differently now: citing documents want new diagnostics.

        Those are refs that appeared or vanished, and those with other headings, another belief
        state, date or place; a new description alone is not among them.
        """
        keys = {(stub.bundle, stub.concept_id) for stub in (*self.added, *self.removed)}
        keys.update(
            (new.bundle, new.concept_id)
            for old, new in self.changed
            if old.slugs != new.slugs
            or old.path != new.path
            or old.belief_state != new.belief_state
            or old.superseded_by != new.superseded_by
            or old.marks != new.marks
        )
        return frozenset(keys)
