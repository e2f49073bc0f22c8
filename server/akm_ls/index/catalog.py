"""Every known asset, in memory: what completion, hover, definition and the rules ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from akm_ls.index.delta import Claims, Delta
from akm_ls.index.stub import Stub

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import BundleSet
    from akm_ls.refs import Ref

Status = Literal["found", "unknown-bundle", "elsewhere", "missing", "missing-fragment"]


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where a ref leads.

    ``stub`` is the asset for ``found`` and ``missing-fragment``, and for ``elsewhere`` the asset
    of that id in another bundle than the one meant. ``fragment`` is the slug of the heading when
    one was asked for and found (machine selectors are passed through).
    ``suggestions`` are whole refs (``bundle//conceptId``), or slugs for ``missing-fragment``.
    """

    status: Status
    stub: Stub | None = None
    fragment: str | None = None
    suggestions: tuple[str, ...] = ()


class Catalog:
    """Stubs by ref and by path, with open buffers laid over the indexed ones."""

    def __len__(self) -> int:
        raise NotImplementedError

    def load(self, stubs: Iterable[Stub], claims: Iterable[Claims] = ()) -> None:
        """Replace the indexed assets; overlays stay."""
        raise NotImplementedError

    def apply(self, delta: Delta) -> Delta:
        """Take over a delta of the index; the result is what changed for a reader."""
        raise NotImplementedError

    def clear_bundle(self, bundle: str) -> Delta:
        """Forget a bundle that is no longer open."""
        raise NotImplementedError

    def mark_complete(self, bundle: str) -> None:
        raise NotImplementedError

    def is_complete(self, bundle: str | None = None) -> bool:
        """Whether a bundle (default: every bundle expected) has been read once to its end."""
        raise NotImplementedError

    def overlay(self, path: str, stubs: Sequence[Stub]) -> Delta:
        """Lay an open buffer over the file at ``path``; no stub: the buffer is no asset now."""
        raise NotImplementedError

    def drop_overlay(self, path: str) -> Delta:
        """The buffer was closed: the indexed state counts again."""
        raise NotImplementedError

    def get(self, bundle: str, concept_id: str) -> Stub | None:
        raise NotImplementedError

    def by_path(self, path: str) -> Stub | None:
        raise NotImplementedError

    def by_concept(self, concept_id: str) -> tuple[Stub, ...]:
        """The assets of that id in every bundle, in the order in which bundles were loaded."""
        raise NotImplementedError

    def stubs(self, bundle: str | None = None) -> Iterator[Stub]:
        raise NotImplementedError

    def claimants(self, bundle: str, concept_id: str) -> tuple[str, ...]:
        """The files that claim a ref, the holder first (akm.md §3.4)."""
        raise NotImplementedError

    def contested_by(self, path: str) -> str | None:
        """The concept id that the file at ``path`` and another file both claim, if any."""
        raise NotImplementedError

    def resolve(self, ref: Ref, home: str | None, bundles: BundleSet) -> Resolution:
        """Where ``ref`` leads from a file of bundle ``home`` (``None``: from a command line)."""
        raise NotImplementedError

    def suggest(self, ref: Ref, home: str | None, limit: int = 3) -> tuple[str, ...]:
        """Existing refs (``bundle//conceptId``) that ``ref`` may have meant, likeliest first."""
        raise NotImplementedError

    def candidates(
        self,
        query: str,
        *,
        bundle: str | None = None,
        limit: int = 100,
        types: frozenset[str] | None = None,
    ) -> tuple[list[Stub], bool]:
        """Assets whose concept id matches, best first, and whether these are all of them."""
        raise NotImplementedError
