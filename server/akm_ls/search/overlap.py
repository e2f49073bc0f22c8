"""Searching the catalog alone, for when the index cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from akm_ls.search.library import entry_of_stub
from akm_ls.search.query import words
from akm_ls.search.ranking import Score, Terms, rank_overlap
from akm_ls.search.usage.utility import Utility, no_utility

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import BundleSet
    from akm_ls.bundles.entry import Entry
    from akm_ls.index.stub import Stub


def overlap(
    stubs: Iterable[Stub], bundles: BundleSet, terms: Terms, utility: Utility = no_utility
) -> Iterator[tuple[Entry, Score]]:
    """Assets whose name, description or tags hold some of the query's words, scored by share."""
    wanted = set(terms.tokens)
    for stub in stubs:
        text = f"{stub.name} {stub.description} {' '.join(stub.tags)}"
        found = wanted.intersection(words(text))
        if found:
            entry = entry_of_stub(bundles, stub)
            used = utility(entry.bundle, entry.concept_id)
            share = len(found) / len(wanted)
            yield entry, rank_overlap(entry, terms, share=share, utility=used)
