"""Completion candidates and near misses."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akm_ls.index.delta import Key
from akm_ls.index.matching import MAX_LATE, Matcher, nearest_names

IDS = (
    "agents/tls-helper",
    "knowledge/auth/tls",
    "knowledge/networking/tls-certificates",
    "knowledge/subtlsx",
    "skills/review",
    "tls/first",
)


def every(_: Key) -> bool:
    return True


def match(query: str, limit: int = 10) -> list[str]:
    keys, _ = Matcher(("team", it) for it in IDS).match(query, limit, every)
    return [concept_id for _, concept_id in keys]


def test_an_id_that_starts_with_it_comes_before_one_that_holds_it() -> None:
    assert match("tls") == [
        "tls/first",
        "agents/tls-helper",
        "knowledge/auth/tls",
        "knowledge/networking/tls-certificates",
        "knowledge/subtlsx",
    ]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("knowledge/a", "knowledge/auth/tls"),
        ("KNOWLEDGE/A", "knowledge/auth/tls"),
        ("auth/t", "knowledge/auth/tls"),
        ("klgtls", "knowledge/auth/tls"),
        ("skrev", "skills/review"),
    ],
)
def test_the_best_candidate(query: str, first: str) -> None:
    assert match(query)[0] == first


def test_nothing_matches() -> None:
    assert match("zebra") == []


def test_an_empty_query_lists_everything_by_id() -> None:
    assert match("", limit=100) == sorted(IDS)


def test_a_cut_list_says_that_it_is_cut() -> None:
    matcher = Matcher(("team", it) for it in IDS)
    assert matcher.match("tls", 5, every)[1]
    keys, complete = matcher.match("tls", 4, every)
    assert (len(keys), complete) == (4, False)
    assert not matcher.match("", 3, every)[1]


def test_what_does_not_pass_does_not_count() -> None:
    matcher = Matcher((bundle, it) for it in IDS for bundle in ("team", "core"))
    keys, complete = matcher.match("tls", 5, lambda key: key[0] == "core")
    assert complete
    assert {bundle for bundle, _ in keys} == {"core"}


def test_ids_that_come_later() -> None:
    matcher = Matcher(("team", it) for it in IDS)
    assert matcher.add(("team", "tls/afterwards"))
    assert matcher.add(("team", "tls/first")), "known already"
    keys, complete = matcher.match("tls/", 10, every)
    assert [concept_id for _, concept_id in keys] == ["tls/afterwards", "tls/first"]
    assert complete
    near = matcher.nearest("tls/afterward", prefer=None, limit=1, passes=every)
    assert near == [("team", "tls/afterwards")]
    for number in range(MAX_LATE):
        enough = matcher.add(("team", f"late/{number}"))
    assert not enough


def test_the_bundle_that_was_meant_comes_first() -> None:
    matcher = Matcher((bundle, "knowledge/tls") for bundle in ("core", "team"))
    near = matcher.nearest("knowledge/tsl", prefer="team", limit=2, passes=every)
    assert near == [("team", "knowledge/tls"), ("core", "knowledge/tls")]


def test_names_in_a_list() -> None:
    assert nearest_names("instal", ["install", "uninstall", "usage"], 1) == ("install",)
    assert nearest_names("x", [], 3) == ()
    many = [f"heading-{number}" for number in range(5000)]
    assert "heading-4999" in nearest_names("heading-4999x", [*many[:100], "heading-4999"], 3)
    assert len(nearest_names("heading-4999x", many, 3)) == 3


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.text("abA/ß", min_size=1, max_size=6), max_size=12, unique=True),
    st.lists(st.text("abA/ß", min_size=1, max_size=6), max_size=4),
    st.text("abA/ß", max_size=3),
    st.integers(1, 6),
)
def test_every_id_that_holds_the_query_is_found(
    ids: list[str], late: list[str], query: str, limit: int
) -> None:
    matcher = Matcher(("t", it) for it in ids)
    for it in late:
        matcher.add(("t", it))
    holding = {("t", it) for it in (*ids, *late) if query.lower() in it.lower()}
    keys, complete = matcher.match(query, limit, every)
    assert len(set(keys)) == len(keys) <= limit
    if holding:
        assert set(keys) <= holding
        assert complete == (len(holding) <= limit)
        assert len(keys) == min(limit, len(holding))
    starting = {key for key in holding if key[1].lower().startswith(query.lower())}
    assert set(keys[: len(starting)]) <= starting
