"""Completion candidates and near misses."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akm_ls.index.delta import Key
from akm_ls.index.matching import MAX_LATE, Matcher, nearest_names
from akm_ls.index.near_misses import slips

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
    assert nearest_names("heading-4999x", many, 3) == ("heading-4999",)
    assert nearest_names("rotate", ["usage", "rotate-a-token"], 3) == ("rotate-a-token",)
    assert nearest_names("gone", ["ok", "usage", "one"], 3) == ("one",)
    assert nearest_names("SKILL", ["Skill", "still"], 1) == ("Skill",)


LIBRARY = (
    "agents/janitor.agent",
    "agents/ok",
    "facts/auth/tls",
    "instructions/style.instructions",
    "knowledge/auth/tls",
    "knowledge/auth/token-rotation",
    "knowledge/release-v1.2",
    "memories/2024-01-05",
    "memories/user.derived",
    "scripts/deploy.sh",
    "skills/code-review",
    "skills/oauth2-flow",
)


@pytest.mark.parametrize(
    ("missing", "meant"),
    [
        # Slips of the pen.
        ("knowledge/auth/token-rotaton", ["knowledge/auth/token-rotation"]),
        ("knowledge/auth/token-rotaiton", ["knowledge/auth/token-rotation"]),
        ("knowledge/auth/oken-rotation", ["knowledge/auth/token-rotation"]),
        ("knowledge/auth/Token-Rotation", ["knowledge/auth/token-rotation"]),
        ("skills/oauth-flow", ["skills/oauth2-flow"]),
        # In the directory, with and without one in the name.
        ("knowlege/auth/tls", ["knowledge/auth/tls", "facts/auth/tls"]),
        ("knowledge/auht/tls", ["knowledge/auth/tls", "facts/auth/tls"]),
        ("knowlege/auth/tsl", ["knowledge/auth/tls"]),
        ("agent/ok", ["agents/ok"]),
        # Words joined otherwise.
        ("skills/code_review", ["skills/code-review"]),
        ("knowledge/auth-tls", ["knowledge/auth/tls"]),
        # With another suffix, with one, with none.
        ("agents/janitor", ["agents/janitor.agent"]),
        ("agents/janitor.prompt", ["agents/janitor.agent"]),
        ("instructions/style", ["instructions/style.instructions"]),
        ("scripts/deploy", ["scripts/deploy.sh"]),
        ("scripts/deploy.py", ["scripts/deploy.sh"]),
        ("memories/user", ["memories/user.derived"]),
        ("skills/code-review.md", ["skills/code-review"]),
        # Moved: what is below the same first segment comes first.
        ("knowledge/tls", ["knowledge/auth/tls", "facts/auth/tls"]),
        ("facts/networking/tls", ["facts/auth/tls", "knowledge/auth/tls"]),
        ("knowledge/code-review", ["skills/code-review"]),
        # Nothing is alike.
        ("agents/gone", []),
        ("agents/janus", []),
        ("memories/ok", []),
        ("skills/auth", []),
        ("knowledge/", []),
        # Another number means another thing.
        ("memories/2024-01-06", []),
        ("knowledge/release-v1.3", []),
    ],
)
def test_what_a_missing_id_may_have_meant(missing: str, meant: list[str]) -> None:
    matcher = Matcher(("team", it) for it in LIBRARY)
    near = matcher.nearest(missing, prefer="team", limit=3, passes=every)
    assert [concept_id for _, concept_id in near] == meant


def test_the_nearest_of_very_many_with_one_name() -> None:
    ids = [f"knowledge/topic-{chr(97 + n // 26)}{chr(97 + n % 26)}/steps" for n in range(600)]
    matcher = Matcher(("team", it) for it in ids)
    near = matcher.nearest("knowledge/topic-qmm/steps", prefer="team", limit=1, passes=every)
    assert near == [("team", "knowledge/topic-qm/steps")]


@settings(deadline=None, max_examples=300)
@given(st.text("abc", max_size=9), st.text("abc", max_size=9), st.integers(0, 3))
def test_slips_are_counted_as_letters_changed_and_neighbours_swapped(
    name: str, other: str, most: int
) -> None:
    table = [[max(row, column) for column in range(len(other) + 1)] for row in range(len(name) + 1)]
    for row, column in product(range(1, len(name) + 1), range(1, len(other) + 1)):
        a, b = name[row - 1], other[column - 1]
        options = [table[row - 1][column] + 1, table[row][column - 1] + 1]
        options.append(table[row - 1][column - 1] + (a != b))
        if row > 1 < column and a == other[column - 2] and b == name[row - 2]:
            options.append(table[row - 2][column - 2] + 1)
        table[row][column] = min(options)
    assert slips(name, other, most) == min(table[-1][-1], most + 1)


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
