"""Assets and files that get another name or place, and everything that cites them."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from akm_ls.documents.nodes import Scalar
from akm_ls.search.references import spellings_of
from akm_ls.workspace.renaming.links import link_changes
from akm_ls.workspace.renaming.moves import Leads, Move, MovedAsset, Moves, moved_assets
from akm_ls.workspace.renaming.names import new_place, require_writable
from akm_ls.workspace.renaming.occurrences import quoted
from akm_ls.workspace.renaming.plan import Change, FileChanges, Left, Plan, RenameRefused
from akm_ls.workspace.renaming.refs import ref_changes
from akm_ls.workspace.renaming.verifying import unreadable

if TYPE_CHECKING:
    from akm_ls.index.stub import Stub
    from akm_ls.workspace.renaming.view import Source, View

TWIN = ".derived"
"""What akm's own summary of a memory is called beside it: ``x.derived.md``."""


def rename_asset(view: View, stub: Stub, typed: str) -> Plan:
    """The plan for giving an asset another name, place or bundle.

    Raises:
        RenameRefused: with the reason in words.
    """
    place = new_place(view, stub, typed)
    if place is None:
        return Plan()
    old, new = stub.path, place.path
    if os.path.basename(old) == "SKILL.md":
        bundle, rel = view.bundles.relative(old) or (place.bundle, "")
        if "/" not in rel:
            raise RenameRefused(
                f"{stub.ref} is the bundle itself: rename the directory {bundle.root} and the "
                "`name` in its SKILL.md."
            )
        old, new = os.path.dirname(old), os.path.dirname(new)
    asked = Move(old, new)
    extra = tuple(_twins(view, stub, asked))
    for move in extra:
        if os.path.lexists(move.new):
            raise RenameRefused(
                f"{os.path.basename(old)} has a twin, and {os.path.basename(move.new)} exists "
                "already; choose another name."
            )
    plan = plan_moves(view, (asked, *extra))
    unspellable = [left for left in plan.left if left.reason == "unspellable"]
    if unspellable:
        raise RenameRefused(
            f'"{place.concept_id}" cannot be written where it is cited: '
            f"{unspellable[0].source.name} would read it differently. Choose a name without "
            "blanks and punctuation."
        )
    return replace(plan, extra=extra)


def _twins(view: View, stub: Stub, asked: Move) -> Iterator[Move]:
    """A memory and its derived twin stay together, whichever of both is renamed."""
    if stub.type != "memory":
        return
    stem, new_stem = (path.removesuffix(".md") for path in (asked.old, asked.new))
    if not stem.endswith(TWIN):
        twin = Move(f"{stem}{TWIN}.md", f"{new_stem}{TWIN}.md")
        if os.path.lexists(twin.old):
            yield twin
        return
    base = f"{stem.removesuffix(TWIN)}.md"
    if os.path.lexists(base):
        if not new_stem.endswith(TWIN):
            raise RenameRefused(
                f"{stub.concept_id} is the twin of {stub.concept_id.removesuffix(TWIN)} and keeps "
                f'its ending "{TWIN}"; rename the memory itself.'
            )
        yield Move(base, f"{new_stem.removesuffix(TWIN)}.md")


def move_files(view: View, pairs: Iterable[tuple[str, str]]) -> Plan:
    """The plan for files and directories that an editor is about to move: (old, new) paths.

    Nothing is refused, since the editor moves them in any case; what goes wrong is in the notes.
    """
    moves = [Move(view.canonical(old), view.canonical(new)) for old, new in pairs]
    moves = [move for move in moves if move.old != move.new and view.bundles.relative(move.old)]
    if not moves:
        return Plan()
    taken = {move.old for move in moves}
    extra: list[Move] = []
    notes: list[str] = []
    for move in moves:
        stub = view.catalog.by_path(move.old)
        if stub is None or stub.type != "memory" or move.old.endswith(f"{TWIN}.md"):
            continue
        for twin in _twins(view, stub, move):
            if twin.old in taken:
                continue
            if os.path.lexists(twin.new):
                notes.append(f"{os.path.basename(twin.new)} exists already; the twin stays.")
            elif move.new.endswith(".md"):
                extra.append(twin)
    plan = plan_moves(view, (*moves, *extra))
    return replace(plan, extra=tuple(extra), notes=(*notes, *plan.notes))


def plan_moves(view: View, moves: Sequence[Move]) -> Plan:
    """All edits that some moves make necessary."""
    together = Moves(moves)
    moved = moved_assets(view, together)
    leads = Leads(view, moved)
    inside = {asset.stub.path for asset in moved}
    found: dict[str, list[Change]] = {}
    sources: dict[str, Source] = {}
    needles = _needles(together, moved)
    for source in view.sources_with(needles, _texts_below(together) | inside):
        place = view.bundles.relative(together.of(source.path))
        home = source.bundle.id if place is None else place[0].id
        changes = [
            *ref_changes(source, home, leads),
            *link_changes(source, together),
            *_name_changes(source, together),
        ]
        if changes:
            sources[source.path] = source
            found[source.path] = changes
    files, left = settle((sources[path], changes) for path, changes in found.items())
    return Plan(tuple(moves), files, left, notes=tuple(_notes(view, moved)))


def _needles(moves: Moves, moved: Sequence[MovedAsset]) -> list[str]:
    needles = [os.path.basename(move.old) for move in moves]
    whole = {move.old for move in moves}
    for asset in moved:
        if asset.stub.path in whole:
            needles += spellings_of(asset.stub.concept_id)
        if asset.new is not None:
            # A bare ref that leads to another bundle now may come to lead here.
            needles.append(asset.new[1])
    return needles


def _texts_below(moves: Moves) -> set[str]:
    """The files that move: their own links may break."""
    found: set[str] = set()
    for move in moves:
        if not os.path.isdir(move.old) or os.path.islink(move.old):
            found.add(move.old)
            continue
        for directory, _, names in os.walk(move.old):
            found.update(os.path.join(directory, name) for name in names)
    return found


def _name_changes(source: Source, moves: Moves) -> Iterator[Change]:
    """``name:`` in the SKILL.md of a directory whose name changes, if it was that name."""
    if os.path.basename(source.path) != "SKILL.md" or source.document.frontmatter is None:
        return
    old = os.path.basename(os.path.dirname(source.path))
    new = os.path.basename(os.path.dirname(moves.of(source.path)))
    node = source.document.frontmatter.get("name")
    if old == new or not isinstance(node, Scalar) or node.style in ("|", ">"):
        return
    if _comparable(node.text.strip()) != _comparable(old):
        return
    quote = node.style if node.style in ("'", '"') else ""
    text = quoted(unicodedata.normalize("NFC", new), quote)  # type: ignore[arg-type]
    yield Change(node.inner, text, "name")


def _comparable(name: str) -> str:
    return unicodedata.normalize("NFKC", name)


def _notes(view: View, moved: Sequence[MovedAsset]) -> Iterator[str]:
    lost = [asset for asset in moved if asset.new is None]
    if lost:
        names = ", ".join(asset.stub.ref for asset in lost[:3])
        more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
        yield (
            f"{names}{more} will be no asset any more at the new place; refs to it are left as "
            "they are and will lead nowhere."
        )
    paths = {asset.stub.path for asset in moved}
    for asset in moved:
        if asset.new is None or asset.new == asset.old:
            continue
        holder = view.catalog.get(*asset.new)
        if holder is not None and holder.path not in paths:
            bundle, concept_id = asset.new
            yield (
                f"{bundle}//{concept_id} belongs to {os.path.basename(holder.path)} already; two "
                "files will claim it. Rename one of them."
            )


def settle(
    found: Iterable[tuple[Source, Sequence[Change]]],
) -> tuple[tuple[FileChanges, ...], tuple[Left, ...]]:
    """The changes that can be made, and the places that must be left.

    A place stays where the bundle is read-only, the file's bytes would be lost, an unbalanced
    fence hides whether it is code, or the new text would not be read as what it means.
    """
    files: list[FileChanges] = []
    left: list[Left] = []
    for source, unordered in found:
        changes = without_overlaps(unordered)
        if not source.bundle.writable:
            left.append(Left(source, len(changes), "read-only"))
            continue
        if source.is_damaged():
            left.append(Left(source, len(changes), "damaged"))
            continue
        certain = [c for c in changes if not source.document.is_doubtful(c.span.start)]
        if len(certain) < len(changes):
            left.append(Left(source, len(changes) - len(certain), "doubtful"))
        failed = unreadable(source, certain) if certain else ()
        if failed:
            left.append(Left(source, len(failed), "unspellable"))
            certain = [change for change in certain if change not in failed]
        if certain:
            files.append(FileChanges(source, tuple(certain)))
    return tuple(files), tuple(left)


def without_overlaps(changes: Sequence[Change]) -> list[Change]:
    """In text order; of two at one place the first (a path that is a ref as well)."""
    kept: list[Change] = []
    for change in sorted(changes, key=lambda change: change.span):
        if not kept or change.span.start >= kept[-1].span.end:
            kept.append(change)
    return kept


def require_writable_source(source: Source) -> None:
    """
    Raises:
        RenameRefused: the file is in a read-only bundle.
    """
    require_writable(source.bundle, source.name)
