"""What one search learns serves the next, until somebody writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from akm_ls.index.full_text import Gate
from akm_ls.index.indexer import run_index
from akm_ls.search.library import Library
from akm_ls.search.request import SearchRequest
from akm_ls.search.search import search

from .conftest import MakeLibrary, page, write

FILES = {
    "lessons/draft.md": page("Otters at night", "Otters sleep.", quality="proposed"),
    "knowledge/pond.md": page("Where otters live", "In the pond."),
    "memories/otter.md": page("An otter was seen", "Near the pond."),
}


@pytest.fixture
def library(make_library: MakeLibrary) -> Library:
    return make_library(team=FILES)


def names(library: Library, query: str, **options: object) -> set[str]:
    found = search(library, SearchRequest(query, **options))  # type: ignore[arg-type]
    return {hit.entry.name for hit in found.hits}


def rewrite(library: Library, files: dict[str, str]) -> None:
    """Change files and index them, as another process does."""
    assert library.store is not None
    root = Path(next(iter(library.bundles)).root)
    write(root, files)
    run_index(library.store.path, library.bundles, workers=0)


def test_what_is_accepted_is_found_from_then_on(library: Library) -> None:
    assert names(library, "otters") == {"pond", "otter"}
    rewrite(library, {"lessons/draft.md": page("Otters at night", "Otters sleep.")})
    assert names(library, "otters") == {"pond", "otter", "draft"}


def test_what_is_proposed_again_is_not(library: Library) -> None:
    assert names(library, "pond") == {"pond", "otter"}
    proposed = page("Where otters live", "In the pond.", quality="proposed")
    rewrite(library, {"knowledge/pond.md": proposed})
    assert names(library, "pond") == {"otter"}


def test_every_gate_has_answers_of_its_own(library: Library) -> None:
    for _ in range(2):
        assert names(library, "otters") == {"pond", "otter"}
        assert names(library, "otters", include_proposed=True) == {"pond", "otter", "draft"}
        assert names(library, "otters", type="memory") == {"otter"}
        assert names(library, "otters", type="lesson", include_proposed=True) == {"draft"}
        assert names(library, "otters", bundle="team", type="knowledge") == {"pond"}
        assert names(library, "otters", exclude_types=frozenset({"memory"})) == {"pond"}


def test_a_word_becomes_known_when_it_is_written(library: Library) -> None:
    assert names(library, "beavers") == set()
    rewrite(library, {"knowledge/dam.md": page("Dams", "Beavers build them.")})
    assert names(library, "beavers") == {"dam"}


def test_rows_that_are_wanted_anyway_come_however_far_behind(library: Library) -> None:
    assert library.store is not None
    full_text = library.store.full_text(Gate())
    everyone = full_text.match('"otter"', limit=10)
    assert [row.bm25 for row in everyone] == sorted(row.bm25 for row in everyone)
    best, second, last = everyone
    assert full_text.match('"otter"', limit=1) == [best]
    assert full_text.match('"otter"', limit=1, also=[last.entry_id]) == [best, last]
    assert full_text.match('"otter"', limit=1, also=[best.entry_id]) == [best]
    assert full_text.match('"otter"', limit=2, also=[last.entry_id]) == [best, second, last]
    # One that does not match is no answer.
    assert full_text.match('"pond"', limit=9, also=[it.entry_id for it in everyone]) == (
        full_text.match('"pond"', limit=9)
    )
