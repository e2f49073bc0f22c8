"""A section that becomes a file of its own: the fragments that name a part of it follow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from akm_ls.refs import Ref
from akm_ls.search.references import spellings_of
from akm_ls.workspace.renaming.headings import leads_to, links_into
from akm_ls.workspace.renaming.moving import settle
from akm_ls.workspace.renaming.occurrences import citings, whole_edit
from akm_ls.workspace.renaming.plan import Change, Plan, RenameRefused

if TYPE_CHECKING:
    from akm_ls.documents.document import Document
    from akm_ls.documents.text import Span
    from akm_ls.workspace.renaming.view import Source, View


@dataclass(frozen=True, slots=True)
class Extraction:
    """What stands ``below`` a heading of ``source`` and shall stand in the file ``path``.

    ``document`` is that file, with the section's heading as its title; ``ref`` names it, ``None``
    for a file that is no asset.
    """

    source: Source
    below: Span
    path: str
    ref: Ref | None
    document: Document


def follow_section(view: View, extraction: Extraction) -> tuple[Plan, tuple[Change, ...]]:
    """The edits of other places, and those of the section itself, by the old file's offsets.

    Raises:
        RenameRefused: something that names a part of the section cannot follow it.
    """
    source, below = extraction.source, extraction.below
    slugs, anchors = _names(extraction)
    if not slugs and not anchors:
        return Plan(), ()
    stub = view.catalog.by_path(source.path)
    needles = [os.path.basename(source.path)]
    if stub is not None:
        needles += spellings_of(stub.concept_id)
    found: list[tuple[Source, list[Change]]] = []
    inside: list[Change] = []
    for other in view.sources_with(needles, {source.path}):
        changes = list(_links(extraction, other, anchors))
        if stub is not None:
            changes += _refs(view, extraction, other, (stub.bundle, stub.concept_id), slugs)
        if other.path == source.path:
            inside = [it for it in changes if below.start <= it.span.start < below.end]
            changes = [it for it in changes if it not in inside]
        if changes:
            found.append((other, changes))
    files, left = settle(found)
    if left:
        names = ", ".join(item.source.name for item in left[:3])
        raise RenameRefused(
            f"A part of this section is named in {names}, which cannot be edited safely. Change "
            "that place by hand first."
        )
    return Plan(files=files), tuple(inside)


def _names(extraction: Extraction) -> tuple[dict[str, str], dict[str, str]]:
    """The slugs (akm's) and anchors (GitHub's) of what moves, old to new."""
    before, after, below = extraction.source.document, extraction.document, extraction.below
    old = [it for it in before.headings if below.start <= it.span.start < below.end]
    old_anchors = [it for it in before.anchors if below.start <= it.span.start < below.end]
    title = after.headings[0].span.start if after.headings else 0
    new = after.headings[1:]
    new_anchors = [it for it in after.anchors if it.span.start > title]
    if len(old) != len(new) or len(old_anchors) != len(new_anchors):
        raise RenameRefused("In a file of its own this section would be read differently.")
    slugs = {one.slug: two.slug for one, two in zip(old, new, strict=True) if one.slug}
    pairs = zip(old_anchors, new_anchors, strict=True)
    return slugs, {one.name: two.name for one, two in pairs}


def _refs(
    view: View, extraction: Extraction, other: Source, key: tuple[str, str], slugs: dict[str, str]
) -> Iterator[Change]:
    for citing in citings(other.document, other.bundle.adapter):
        fragment = citing.ref.fragment
        if fragment is None or citing.wiki or not leads_to(view, citing.ref, other.bundle.id, key):
            continue
        heading = extraction.source.document.fragment(fragment)
        below = extraction.below
        if heading is None or not below.start <= heading.span.start < below.end:
            continue
        new = extraction.ref
        if new is None or heading.slug not in slugs:
            raise RenameRefused(
                f"{citing.text} in {other.name} names a part of this section, and no ref names "
                "the file it would go to. Change that ref by hand first."
            )
        bare = citing.ref.bundle is None and other.bundle.id == new.bundle
        meant = Ref(None if bare else new.bundle, new.concept_id, slugs[heading.slug])
        span, text = whole_edit(other.document, citing, meant)
        yield Change(span, text, "ref", meant)


def _links(extraction: Extraction, other: Source, anchors: dict[str, str]) -> Iterator[Change]:
    source, below, path = extraction.source, extraction.below, extraction.path
    folded = {name.casefold(): new for name, new in reversed(anchors.items())}
    staying = {it.name for it in source.document.anchors} - anchors.keys()
    for link, written in links_into(other, source.path):
        fragment = unquote(written)
        new = anchors.get(fragment)
        if new is None and fragment not in staying:
            new = folded.get(fragment.casefold())
        if new is None:
            continue
        fragment = quote(new, safe="") if "%" in written else new
        if other.path == source.path and below.start <= link.span.start < below.end:
            yield Change(link.target_span, f"#{fragment}", "link")
            continue
        from_root = link.target.startswith("/")  # of the bundle: such a link led here
        folder = other.bundle.real_root if from_root else os.path.dirname(other.path)
        there = quote(os.path.relpath(path, folder).replace(os.sep, "/"), safe="/.-_~+@&=,;!$'*")
        slash = "/" if from_root else ""
        yield Change(link.target_span, f"{slash}{there}#{fragment}", "link")
