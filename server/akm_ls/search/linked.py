"""What the best hits cite, and what cites them: found by one link, behind what led there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from akm_ls.refs import Ref
from akm_ls.search.gate import passes, with_belief
from akm_ls.search.library import check_cancelled
from akm_ls.search.lookup import find
from akm_ls.search.page import Ranked
from akm_ls.search.ranking import BELIEF_CEILING, Part, Score
from akm_ls.search.references import citing_assets

if TYPE_CHECKING:
    from akm_ls.bundles.entry import Entry
    from akm_ls.search.library import Library
    from akm_ls.search.request import SearchRequest

PARENTS = 10
"""So many of the best hits are looked at, whatever page is wanted: pages are slices of one list."""
MOST_LINKED = 5
LINKED_SHARE = 0.25
"""The score of a linked asset, as a share of its parent's."""


def with_linked(
    library: Library,
    request: SearchRequest,
    ordered: Sequence[Ranked],
    cancelled: Callable[[], bool],
) -> list[Ranked]:
    """The ranked assets and the neighbours of the first ones that are not among them, in order.

    A neighbour has passed the same gate, and stands behind the hit that it is linked with.

    Raises:
        StoreError: the index cannot be read.
        Cancelled: nobody wants the answer any more.
    """
    known = {ref for item in ordered for ref in (item.entry.ref, *item.also_in)}
    found = list(ordered)
    for parent in ordered[:PARENTS]:
        check_cancelled(cancelled)
        added = 0
        for entry in _neighbours(library, parent.entry):
            if added == MOST_LINKED:
                break
            if entry.ref not in known and passes(library, request, entry):
                known.add(entry.ref)
                found.append(Ranked(entry, _score(entry, parent)))
                added += 1
    return sorted(found, key=lambda item: item.key)


def _neighbours(library: Library, entry: Entry) -> Iterator[Entry]:
    """What it cites, in the order of its text, then what cites it."""
    if library.store is None:
        return
    stored = library.store.entry(entry.bundle, entry.concept_id)
    cited = () if stored is None else stored.entry.citations
    targets = [
        (stub.bundle, stub.concept_id)
        for it in cited
        if (stub := find(library, Ref(it.bundle, it.concept_id), entry.bundle)) is not None
    ]
    for ref in citing_assets(library, entry):
        bundle, _, concept_id = ref.partition("//")
        targets.append((bundle, concept_id))
    for place in dict.fromkeys(targets):
        neighbour = library.store.entry(*place)
        if neighbour is not None and neighbour.entry.ref != entry.ref:
            yield with_belief(library, neighbour.entry)


def _score(entry: Entry, parent: Ranked) -> Score:
    base = LINKED_SHARE * min(parent.score.base, parent.score.total)
    reason = Part("linked", 0.0, f"linked from {parent.entry.ref}")
    return Score(round(base, 6), 0.0, BELIEF_CEILING.get(entry.belief_state or ""), (reason,))
