"""What the index answers: rows as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from akm_ls.bundles.entry import Citation, Entry
    from akm_ls.index.delta import Delta


class StoredEntry(NamedTuple):
    """A row of the index. The body is not stored: ``entry.content`` is ``""`` here."""

    id: int
    entry: Entry
    embed_hash: str


@dataclass(frozen=True, slots=True)
class CitingPlace:
    """One citation of an asset: who cites it and the place in the file."""

    source: str
    """``bundle//conceptId`` of the citing asset; of a file that holds no ref its path."""
    path: str
    """Absolute, native."""
    citation: Citation


class MatchRow(NamedTuple):
    """One full-text hit; ``bm25`` is SQLite's rank: negative, smaller is better."""

    entry_id: int
    bm25: float


@dataclass(frozen=True, slots=True)
class BundleStatus:
    """One bundle's share of the index; ``indexed_at`` is a POSIX time, ``None``: not yet whole."""

    id: str
    entries: int
    files: int
    indexed_at: float | None


@dataclass(frozen=True, slots=True)
class StoreStatus:
    path: str
    entries: int
    bundles: tuple[BundleStatus, ...]
    built_at: float | None
    """When the bundle that was indexed the longest ago was; ``None``: one never was."""
    embedded: int = 0


@dataclass(frozen=True, slots=True)
class Changes:
    """What any process wrote since a generation, and the generation that this is."""

    delta: Delta
    generation: int
    complete: frozenset[str] = frozenset()
    """The bundles that are whole in the index, changed or not."""
