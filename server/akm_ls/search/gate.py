"""What a caller of a search may see."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from akm_ls.index.full_text import Gate
from akm_ls.search.ranking import BELIEF_CEILING

if TYPE_CHECKING:
    from akm_ls.bundles.entry import Entry
    from akm_ls.index.stub import Stub
    from akm_ls.search.library import Library
    from akm_ls.search.request import SearchRequest

PROPOSED = "proposed"


def gate_of(request: SearchRequest) -> Gate:
    """What the index leaves out before anything is ranked."""
    return Gate(
        bundle=request.bundle,
        types=frozenset({request.type}) if request.type else None,
        exclude_types=frozenset() if request.type else request.exclude_types,
        exclude_quality=frozenset() if request.include_proposed else frozenset({PROPOSED}),
    )


def passes(library: Library, request: SearchRequest, asset: Entry | Stub) -> bool:
    """The same for one asset, with what the index cannot tell: a twin's belief state."""
    return (
        (asset.type == request.type if request.type else asset.type not in request.exclude_types)
        and (request.bundle is None or asset.bundle == request.bundle)
        and (request.include_proposed or asset.quality != PROPOSED)
        and (request.belief == "all" or believed(request, belief_of(library, asset)))
    )


def believed(request: SearchRequest, state: str | None) -> bool:
    return request.belief == "all" or (state in BELIEF_CEILING) == (request.belief == "historical")


def belief_of(library: Library, asset: Entry | Stub) -> str | None:
    """An asset's belief state; a memory's derived twin shares its parent's (akm.md §6.5)."""
    own = asset.belief_state
    if own or asset.type != "memory" or not asset.name.endswith(".derived"):
        return own
    parent = library.catalog.get(asset.bundle, asset.concept_id.removesuffix(".derived"))
    return parent.belief_state if parent else None


def with_belief(library: Library, entry: Entry) -> Entry:
    if entry.type != "memory":
        return entry
    state = belief_of(library, entry)
    return entry if state == entry.belief_state else replace(entry, belief_state=state)
