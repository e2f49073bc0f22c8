"""What will lead nowhere once some files are gone."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.counts import count
from akm_ls.lint.frontmatter_edits import FrontmatterEdits
from akm_ls.search.references import spellings_of
from akm_ls.workspace.renaming.links import link_changes
from akm_ls.workspace.renaming.moves import Leads, Move, MovedAsset, Moves
from akm_ls.workspace.renaming.occurrences import citings
from akm_ls.workspace.renaming.plan import Change, FileChanges

if TYPE_CHECKING:
    from akm_ls.workspace.renaming.view import Source, View

LIST_KEYS = ("refs", "xrefs", "supersededBy", "contradictedBy", "currentBeliefRefs")
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Citers:
    """Who cites files that are to be deleted: (place as ``bundle: path``, number) by file.

    ``files`` has edits that take the deleted assets out of frontmatter lists; what prose says of
    them is the author's to rewrite.
    """

    names: tuple[str, ...]
    places: tuple[tuple[str, int], ...]
    files: tuple[FileChanges, ...]

    def message(self) -> str | None:
        """One sentence for the author; ``None`` when nothing cites what goes."""
        if not self.places:
            return None
        places = count(sum(number for _, number in self.places), "place")
        what = ", ".join(self.names[:3]) + (
            f" and {len(self.names) - 3} more" if len(self.names) > 3 else ""
        )
        shown = ", ".join(
            f"{name} ({number})" if number > 1 else name for name, number in self.places[:_SHOWN]
        )
        if len(self.places) > _SHOWN:
            shown += f" and {count(len(self.places) - _SHOWN, 'more file')}"
        still = "is" if len(self.names) == 1 else "are"
        return f"{what} {still} still cited in {places}: {shown}."


def citers_of(view: View, paths: Iterable[str]) -> Citers:
    """The refs and links that lead to files or directories that are to be deleted."""
    gone = [view.canonical(path) for path in paths]
    gone = [path for path in gone if view.bundles.relative(path)]
    nowhere = [os.path.join(path, os.pardir, ".akm-ls-deleted") for path in gone]
    moves = Moves(map(Move, gone, map(os.path.normpath, nowhere)))
    assets = [MovedAsset(stub, "", None) for stub in view.catalog.stubs() if moves.touch(stub.path)]
    if not gone:
        return Citers((), (), ())
    leads = Leads(view, assets)
    lost = set(leads.moved)
    needles = [os.path.basename(path) for path in gone]
    for asset in assets:
        if asset.stub.path in gone:
            needles += spellings_of(asset.stub.concept_id)
    places: list[tuple[str, int]] = []
    found: list[tuple[Source, list[Change]]] = []
    for source in view.sources_with(needles):
        if moves.touch(source.path):
            continue
        home = source.bundle.id
        dead = [
            citing
            for citing in citings(source.document, source.bundle.adapter)
            if leads.before(citing.ref, home) in lost and leads.after(citing.ref, home) is None
        ]
        links = list(link_changes(source, moves))
        number = len({citing.span for citing in dead} | {change.span for change in links})
        if number:
            places.append((source.name, number))
            changes = _removals(source, {citing.span.start for citing in dead})
            if changes:
                found.append((source, changes))
    names = [asset.stub.ref for asset in assets] or [os.path.basename(path) for path in gone]
    files = [
        FileChanges(source, tuple(sorted(changes, key=lambda change: change.span)))
        for source, changes in found
        if source.bundle.writable and not source.is_damaged()
    ]
    return Citers(tuple(names), tuple(places), tuple(files))


def _removals(source: Source, starts: set[int]) -> list[Change]:
    """Edits that take list items away, at most one a key: they must not meet."""
    frontmatter = source.document.frontmatter
    if frontmatter is None:
        return []
    changes: list[Change] = []
    for key in LIST_KEYS:
        node = frontmatter.get(key)
        items = getattr(node, "items", None)
        if items is None:
            items = () if node is None else (node,)
        for index, item in enumerate(items):
            if any(item.span.start <= start <= item.span.end for start in starts):
                edits = FrontmatterEdits(source.document)
                if edits.remove(key, index):
                    changes += [Change(e.span, e.new_text, "ref") for e in edits.edits()]
                break
    return changes
