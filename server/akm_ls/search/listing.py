"""Listings: everything, a bundle or a subtree, instead of what answers a query best."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from akm_ls.index.store import StoreError
from akm_ls.search.gate import passes, with_belief
from akm_ls.search.library import Library, check_cancelled, entry_of_stub
from akm_ls.search.page import Ranked, make_page
from akm_ls.search.ranking import LISTED, listed_like_akm

if TYPE_CHECKING:
    from akm_ls.bundles.entry import Entry
    from akm_ls.index.stub import Stub
    from akm_ls.search.page import Page
    from akm_ls.search.query import Browse
    from akm_ls.search.request import SearchRequest

_SPARE = 96
"""Some more than the page, to fill the places of files that are gone."""


def list_assets(
    library: Library, request: SearchRequest, browse: Browse, cancelled: Callable[[], bool]
) -> tuple[Page, int]:
    """What passes the filters, by type, name and path: a page of it, and how much there is."""
    bundle, prefix = (browse.bundle or "").casefold(), browse.prefix.casefold()
    if prefix.startswith("sessions/"):
        # Someone who spells out `sessions/` wants to see sessions.
        request = replace(request, exclude_types=frozenset())
    found = [
        stub
        for stub in library.catalog.stubs(request.bundle)
        if (not bundle or stub.bundle.casefold() == bundle)
        and (not prefix or stub.concept_id.casefold().startswith(prefix))
        and passes(library, request, stub)
    ]
    check_cancelled(cancelled)
    found = list({stub.path: stub for stub in found}.values())
    depth = request.offset + request.limit + _SPARE
    ordered = heapq.nsmallest(depth, found, key=_listing_key)
    entries = (entry_of(library, it) for it in ordered[request.offset :] if not cancelled())
    reasoned = request.plan == "akm"
    rest = (Ranked(it, listed_like_akm(it) if reasoned else LISTED) for it in entries)
    page = make_page(library, request, rest, (), cancelled)
    return page, len(found) - page.gone


def _listing_key(stub: Stub) -> tuple[str, str, str, str]:
    return (stub.type, stub.name.casefold(), stub.name.swapcase(), stub.path)


def entry_of(library: Library, stub: Stub) -> Entry:
    """The stored entry, or what the catalog knows of an asset that is only in an open buffer."""
    try:
        stored = library.store and library.store.entry(stub.bundle, stub.concept_id)
    except StoreError:
        stored = None
    if stored and stored.entry.path == stub.path:
        return with_belief(library, stored.entry)
    return entry_of_stub(library.bundles, stub)
