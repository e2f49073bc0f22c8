"""A query that is a ref: the asset it names comes first, whatever words are in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from akm_ls.refs import try_parse_ref
from akm_ls.search.gate import passes
from akm_ls.search.listing import entry_of
from akm_ls.search.lookup import search_order
from akm_ls.search.page import Ranked
from akm_ls.search.query import MAX_QUERY_CHARS, is_path_like
from akm_ls.search.ranking import MAX_BOOST, Part, Score

if TYPE_CHECKING:
    from akm_ls.bundles.entry import Entry
    from akm_ls.search.library import Library
    from akm_ls.search.request import SearchRequest

NAMED = Score(1.0, MAX_BOOST, None, (Part("ref", MAX_BOOST, "exact ref"),), keyword=1.0)
"""As good as any: who writes a ref wants that asset, believed or not."""


def with_named(
    library: Library, request: SearchRequest, ordered: Sequence[Ranked]
) -> Sequence[Ranked]:
    """The ranked assets, and before them the one that the query names, if it may be seen.

    A ref that names no bundle means the first that has the asset; ``also_in`` has the others.
    """
    named = list(_named(library, request))
    if not named:
        return ordered
    refs = tuple(entry.ref for entry in named)
    also_in = dict.fromkeys(
        (*refs[1:], *(ref for it in ordered if it.entry.ref in refs for ref in it.also_in))
    )
    others = tuple(ref for ref in also_in if ref != refs[0])
    rest = [_without(item, refs[0]) for item in ordered if item.entry.ref not in refs]
    return [Ranked(named[0], NAMED, others), *rest]


def _named(library: Library, request: SearchRequest) -> Iterator[Entry]:
    query = request.query.strip()
    ref = try_parse_ref(query) if is_path_like(query) and len(query) <= MAX_QUERY_CHARS else None
    if ref is None:
        return
    for bundle in search_order(library, ref.bundle, None):
        stub = library.catalog.find(bundle.id, ref.concept_id)
        if stub is not None:
            entry = entry_of(library, stub)
            if passes(library, request, entry):
                yield entry


def _without(item: Ranked, ref: str) -> Ranked:
    if ref not in item.also_in:
        return item
    return replace(item, also_in=tuple(other for other in item.also_in if other != ref))
