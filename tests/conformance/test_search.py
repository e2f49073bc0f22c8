"""By akm's plan search finds what akm finds, but for a list of differences that are meant.

Listings are compared in full. Of every query the first ten that both find are in akm's order and
have akm's reasons, or the difference is on the list as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from akm_ls.search.library import Library
from akm_ls.search.query import plan
from akm_ls.search.request import MAX_LIMIT, SearchRequest
from akm_ls.search.result import Hit, SearchResult
from akm_ls.search.search import search

from . import recorded
from .indexed import Difference, listed, open_library

PROBES = recorded.load("_search-probes.json")
LISTINGS = [probe for probe in PROBES if plan(probe["q"]).browse is not None]
OTHER_PLAN = {"knowledge/日", "日本語", "見出し", "ünïcode", "knowledge/sub/ x", "target OR doc"}
"""Queries that akm 0.9.0 does not read as newer versions do: no OR stage, ASCII words only."""
RANKED = [
    probe for probe in PROBES if plan(probe["q"]).browse is None and probe["q"] not in OTHER_PLAN
]


@pytest.fixture(scope="module")
def library(stashes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with open_library(stashes, tmp_path_factory.mktemp("index") / "index.db") as opened:
        yield opened


def pages(library: Library, query: str) -> Iterator[SearchResult]:
    offset = 0
    while True:
        page = search(library, SearchRequest(query, limit=MAX_LIMIT, offset=offset, plan="akm"))
        yield page
        offset += MAX_LIMIT
        if offset >= page.total:
            return


def ours(library: Library, query: str) -> set[str]:
    return {
        f"{hit.entry.bundle}/{hit.entry.rel}" for page in pages(library, query) for hit in page.hits
    }


def theirs(probe: dict[str, Any]) -> set[str]:
    return {hit["path"].removeprefix("${STASHES}/") for hit in probe["out"]["hits"]}


def differences(library: Library, probes: Iterable[dict[str, Any]]) -> Iterator[Difference]:
    for probe in probes:
        query, before, after = probe["q"], theirs(probe), ours(library, probe["q"])
        for file in sorted(before - after):
            yield query, f"without {file}"
        # A list of 200 was cut there.
        if len(before) < MAX_LIMIT:
            for file in sorted(after - before):
                yield query, f"with {file}"


def test_listings_are_the_same(library: Library) -> None:
    assert len(LISTINGS) == 15
    assert set(differences(library, LISTINGS)) == listed("listings")


def test_ranked_queries_find_the_same(library: Library) -> None:
    assert set(differences(library, RANKED)) == listed("ranked")


def test_queries_that_are_read_differently(library: Library) -> None:
    found = set()
    for query in OTHER_PLAN:
        (page,) = pages(library, query)
        found.add((query, f"{page.stage}: {page.total} files"))
    assert found == listed("other_plan")


@pytest.mark.parametrize("probe", LISTINGS, ids=lambda probe: repr(probe["q"]))
def test_everything_in_a_listing_scores_one(library: Library, probe: dict[str, Any]) -> None:
    (first, *_) = pages(library, probe["q"])
    assert first.stage == "browse"
    assert {hit.score.total for hit in first.hits} <= {1.0}
    assert (first.tip is None) is bool(first.hits)


def test_exact_names_come_first(library: Library) -> None:
    for probe in (probe for probe in PROBES if plan(probe["q"]).browse is None):
        exact = [
            hit["path"].removeprefix("${STASHES}/")
            for hit in probe["out"]["hits"]
            if "exact name match" in hit["whyMatched"]
        ]
        (first, *_) = pages(library, probe["q"])
        top = [f"{hit.entry.bundle}/{hit.entry.rel}" for hit in first.hits[: len(exact)]]
        assert set(top) == set(exact)


@pytest.fixture(scope="module")
def answers(library: Library) -> dict[str, list[Hit]]:
    return {
        probe["q"]: [hit for page in pages(library, probe["q"]) for hit in page.hits]
        for probe in PROBES
    }


def file_of(hit: Hit) -> str:
    return f"{hit.entry.bundle}/{hit.entry.rel}"


def orders(answers: dict[str, list[Hit]]) -> Iterator[Difference]:
    """Where a file that both find stands in another place than akm's, within the first ten."""
    for probe in PROBES:
        found = [file_of(hit) for hit in answers[probe["q"]]]
        theirs = [hit["path"].removeprefix("${STASHES}/") for hit in probe["out"]["hits"]]
        ours = [file for file in found if file in theirs][:10]
        akms = [file for file in theirs if file in found][:10]
        for place, (file, instead) in enumerate(zip(ours, akms, strict=True), 1):
            if file != instead:
                yield probe["q"], f"{place}. {file}, not {instead}"


def reasons(answers: dict[str, list[Hit]]) -> Iterator[Difference]:
    for probe in PROBES:
        found = {file_of(hit): set(hit.score.reasons) for hit in answers[probe["q"]]}
        differ: dict[str, list[str]] = {}
        both = 0
        for hit in probe["out"]["hits"]:
            file = hit["path"].removeprefix("${STASHES}/")
            if file in found:
                both += 1
                akms = set(hit["whyMatched"])
                for reason in akms ^ found[file]:
                    word = "without" if reason in akms else "with"
                    differ.setdefault(f"{word} '{reason}'", []).append(file)
        for what, files in differ.items():
            # One line where it is so of every hit.
            names = ["every hit"] if len(files) == both > 10 else files
            yield from ((probe["q"], f"{name} {what}") for name in names)


def test_the_first_ten_are_in_akms_order(answers: dict[str, list[Hit]]) -> None:
    assert set(orders(answers)) == listed("order")


def test_why_matched_is_akms(answers: dict[str, list[Hit]]) -> None:
    assert set(reasons(answers)) == listed("why_matched")


def test_reasons_are_in_akms_order(answers: dict[str, list[Hit]]) -> None:
    compared = 0
    for probe in PROBES:
        found = {file_of(hit): hit.score.reasons for hit in answers[probe["q"]]}
        for hit in probe["out"]["hits"]:
            ours = found.get(hit["path"].removeprefix("${STASHES}/"), ())
            common = [reason for reason in hit["whyMatched"] if reason in ours]
            assert [reason for reason in ours if reason in common] == common
            compared += bool(common)
    assert compared > 500
