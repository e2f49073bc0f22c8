"""What the catalog remembers of one asset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from akm_ls.bundles.entry import Entry

MAX_TEXT_CHARS = 300
"""Longer descriptions are cut in the catalog; the store keeps them whole."""


@dataclass(frozen=True, slots=True)
class Stub:
    """One asset as completion, hover, definition and the rules need it: small and immutable."""

    bundle: str
    concept_id: str
    type: str
    name: str
    path: str
    """Absolute, native; below the bundle's root as the user spells it."""
    title: str | None = None
    description: str = ""
    """At most `MAX_TEXT_CHARS` characters."""
    tags: tuple[str, ...] = ()
    slugs: str = ""
    """The headings, one a line: slug, tab, title (the title is left out where it is the slug)."""
    belief_state: str | None = None
    superseded_by: tuple[str, ...] = ()
    when_to_use: str = ""
    """At most `MAX_TEXT_CHARS` characters."""
    quality: str = "generated"

    @property
    def ref(self) -> str:
        """``bundle//conceptId``."""
        return f"{self.bundle}//{self.concept_id}"

    def fragments(self) -> tuple[tuple[str, str], ...]:
        """The headings in text order as (slug, title)."""
        if not self.slugs:
            return ()
        parts = (line.partition("\t") for line in self.slugs.split("\n"))
        return tuple((slug, title or slug) for slug, _, title in parts)

    def fragment(self, name: str) -> str | None:
        """The slug a fragment leads to: an exact slug, else a heading's text in any case."""
        fragments = self.fragments()
        for slug, _ in fragments:
            if slug == name:
                return slug
        folded = name.strip().casefold()
        for slug, title in fragments:
            if title.casefold() == folded:
                return slug
        return None


def pack_fragments(fragments: Iterable[tuple[str, str]]) -> str:
    """(slug, title) pairs as `Stub.slugs`."""
    return "\n".join(
        slug if title == slug else f"{slug}\t{_one_line(title)}" for slug, title in fragments
    )


def _one_line(text: str) -> str:
    return " ".join(text.split()) if not text.isprintable() else text


def shorten(text: str) -> str:
    """``text`` on one line and within `MAX_TEXT_CHARS`, cut at a word where one ends nearby."""
    text = _one_line(text)
    if len(text) <= MAX_TEXT_CHARS:
        return text
    head = text[: MAX_TEXT_CHARS - 1]
    cut = head.rfind(" ", MAX_TEXT_CHARS - 40)
    return f"{head[:cut] if cut > 0 else head}…"


def stub_of(entry: Entry) -> Stub:
    """The stub of a whole entry."""
    return Stub(
        bundle=entry.bundle,
        concept_id=entry.concept_id,
        type=entry.type,
        name=entry.name,
        path=entry.path,
        title=entry.title,
        description=shorten(entry.description),
        tags=entry.tags,
        slugs=pack_fragments((item.slug, item.title) for item in entry.fragments),
        belief_state=entry.belief_state,
        superseded_by=entry.superseded_by,
        when_to_use=shorten(entry.when_to_use),
        quality=entry.quality,
    )
