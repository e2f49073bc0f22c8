"""What the catalog remembers of one asset."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from akm_ls.bundles.entry import Entry

NAMED_TYPES = frozenset({"skill", "agent", "command"})
"""What a tool loads under a name of its own, which need not be that of the file."""
DOMAINS_FACT = "facts/conventions/domains"
"""The fact in which an akm bundle keeps its vocabulary of domains and spellings."""

MAX_TEXT_CHARS = 300
"""Longer descriptions are cut in the catalog; the store keeps them whole."""

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class Stub(NamedTuple):
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
    marks: str = ""
    """What rules ask now and then, one a line as key, tab, value: see `marks_of`."""

    @property
    def ref(self) -> str:
        """``bundle//conceptId``."""
        return f"{self.bundle}//{self.concept_id}"

    def marked(self, key: str) -> tuple[str, ...]:
        """The values of one key of `marks`."""
        if key not in self.marks:
            return ()
        parts = (line.partition("\t") for line in self.marks.split("\n"))
        return tuple(value for name, _, value in parts if name == key)

    def mark(self, key: str) -> str | None:
        """The first value of one key of `marks`."""
        if key not in self.marks:
            return None
        return next(iter(self.marked(key)), None)

    def fragments(self) -> tuple[tuple[str, str], ...]:
        """The headings in text order as (slug, title)."""
        if not self.slugs:
            return ()
        parts = (line.partition("\t") for line in self.slugs.split("\n"))
        return tuple((slug, title or slug) for slug, _, title in parts)

    def fragment(self, name: str) -> str | None:
        """The slug a fragment leads to: an exact slug, else a heading's text in any case."""
        if name.isprintable():
            lines = f"\n{self.slugs}\n"
            if f"\n{name}\n" in lines or f"\n{name}\t" in lines:
                return name
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
        [slug if title == slug else f"{slug}\t{_one_line(title)}" for slug, title in fragments]
    )


def marks_of(entry: Entry) -> str:
    """`Stub.marks` of an entry.

    ``name``: what the frontmatter of a skill, agent or command calls it. ``status``: only
    ``deprecated``. ``contradictedBy``: refs. ``updated``: a date as ``YYYY-MM-DD``. ``body``: a
    hash of the text of the fact that lists the bundle's domains, on which other files depend.
    """
    extra = entry.extra
    marks: list[str] = []
    if entry.type in NAMED_TYPES and isinstance(name := extra.get("name"), str):
        marks.append(f"name\t{_one_line(name.strip())}")
    if extra.get("status") == "deprecated":
        marks.append("status\tdeprecated")
    if isinstance(refs := extra.get("contradictedBy"), list):
        marks += [f"contradictedBy\t{_one_line(str(ref))}" for ref in refs]
    updated = extra.get("updated")
    if isinstance(updated, str) and (date := _DATE.match(updated.strip())):
        marks.append(f"updated\t{date.group()}")
    if entry.concept_id == DOMAINS_FACT:
        digest = hashlib.blake2b(entry.content.encode("utf-8", "replace"), digest_size=8)
        marks.append(f"body\t{digest.hexdigest()}")
    return "\n".join(marks)


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
        marks=marks_of(entry),
    )
