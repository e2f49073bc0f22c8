"""What use comes to, and the file it is kept in."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akm_ls.search.usage import MAX_FACTOR, UsageEvent, UsageStore, utility_factor, utility_of
from akm_ls.search.usage.store import KEPT_DAYS, KEPT_EVENTS
from akm_ls.search.usage.tally import Tally, UseRow
from akm_ls.search.usage.utility import Use

DAY = 86_400.0
NOW = 1_000 * DAY


def use(
    days_ago: float = 0, *, kind: str = "show", project: bool = True, found: bool = True
) -> Use:
    return Use(kind, NOW - days_ago * DAY, project, found)


def event(concept_id: str = "knowledge/a", days_ago: float = 0, **more: object) -> UsageEvent:
    values = {"kind": "show", "bundle": "team", "project": "here", "searched": True, **more}
    return UsageEvent(at=NOW - days_ago * DAY, concept_id=concept_id, **values)  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> UsageStore:
    return UsageStore(str(tmp_path / "data" / "usage.db"), now=lambda: NOW)


# Utility.


def test_unused_is_nothing_and_much_used_is_less_than_one() -> None:
    assert utility_of([], NOW) == 0
    assert 0.9 < utility_of([use()] * 1_000, NOW) < 1


def test_more_use_counts_more_and_older_use_less() -> None:
    assert utility_of([use(), use()], NOW) > utility_of([use()], NOW)
    worth = [utility_of([use(days)], NOW) for days in (0, 1, 30, 90)]
    assert worth == sorted(worth, reverse=True)
    # In a month two uses shrink to less than one fresh use.
    assert utility_of([use(31), use(31)], NOW) < utility_of([use()], NOW)


def test_seventy_percent_is_use_in_the_project_at_hand() -> None:
    here, there = utility_of([use()], NOW), utility_of([use(project=False)], NOW)
    assert there == pytest.approx(0.3 * here, abs=1e-5)


def test_an_insertion_says_more_and_a_use_without_a_search_less() -> None:
    shown = utility_of([use()], NOW)
    assert utility_of([use(kind="insert")], NOW) > shown
    assert utility_of([use(found=False)], NOW) < shown


@given(
    st.lists(
        st.builds(
            use,
            st.floats(-10, 400),
            kind=st.sampled_from(["show", "open", "insert", "unheard-of"]),
            project=st.booleans(),
            found=st.booleans(),
        ),
        max_size=40,
    )
)
def test_it_stays_within_its_bounds_and_so_does_the_boost(uses: list[Use]) -> None:
    utility = utility_of(uses, NOW)
    assert 0 <= utility <= 1
    assert 1 <= utility_factor(utility) <= MAX_FACTOR == 1.5
    assert utility_of(uses, NOW + 40 * DAY) <= utility


# The file.


def test_what_was_used_has_a_utility_and_nothing_else_has(store: UsageStore) -> None:
    store.record([event(), event(), event("knowledge/b", 10)])
    found = store.utilities("team", ["knowledge/a", "knowledge/b", "knowledge/c"], "here")
    assert list(found) == ["knowledge/a", "knowledge/b"]
    assert found["knowledge/a"] > found["knowledge/b"] > 0
    assert store.utilities("other", ["knowledge/a"], "here") == {}
    assert store.utilities("team", [], "here") == {}


def test_the_project_at_hand_counts_most(store: UsageStore) -> None:
    store.record([event(project="here"), event("knowledge/b", project="there")])
    found = store.utilities("team", ["knowledge/a", "knowledge/b"], "here")
    assert found["knowledge/b"] == pytest.approx(0.3 * found["knowledge/a"], abs=1e-5)
    without = store.utilities("team", ["knowledge/a", "knowledge/b"])
    assert without["knowledge/a"] == without["knowledge/b"] == found["knowledge/a"]


def test_asking_makes_no_file_and_changes_none(store: UsageStore) -> None:
    assert store.utilities("team", ["knowledge/a"]) == {}
    assert not Path(store.path).exists()
    store.record([event()])
    before = [store.utilities("team", ["knowledge/a"]) for _ in range(5)]
    assert len({str(one) for one in before}) == 1
    assert store.count() == 1


def test_decay_follows_the_clock_and_nothing_else(tmp_path: Path) -> None:
    clock = [NOW]
    store = UsageStore(str(tmp_path / "usage.db"), now=lambda: clock[0])
    store.record([event()])
    values = []
    for days in (0, 0, 0, 1, 30):
        clock[0] = NOW + days * DAY
        values.append(store.utilities("team", ["knowledge/a"])["knowledge/a"])
    assert values[0] == values[1] == values[2]
    assert all(one > other for one, other in itertools.pairwise(values[2:]))


def test_old_uses_and_too_many_are_dropped(store: UsageStore) -> None:
    store.record([event(days_ago=KEPT_DAYS + 1), event(days_ago=KEPT_DAYS - 1)])
    assert store.count() == 1
    store.record([event()] * (KEPT_EVENTS + 10))
    store.purge()
    assert store.count() == KEPT_EVENTS


def test_two_processes_write_one_file(store: UsageStore) -> None:
    other = UsageStore(store.path, now=lambda: NOW)
    for _ in range(5):
        store.record([event()])
        other.record([event()])
    assert store.count() == other.count() == 10


def test_a_damaged_file_begins_anew(store: UsageStore) -> None:
    Path(store.path).parent.mkdir()
    Path(store.path).write_bytes(b"no database at all " * 500)
    assert store.utilities("team", ["knowledge/a"]) == {}
    store.record([event()])
    assert store.count() == 1


def test_where_nothing_can_be_written_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = UsageStore(str(tmp_path / "file" / "usage.db"))
    store.record([event()])
    assert store.utilities("team", ["knowledge/a"]) == {}
    assert store.count() == 0


# Every number of it.


@pytest.mark.parametrize(
    ("uses", "utility"),
    [
        # A half is five fresh uses; one is 1 / (1 + 5).
        ([use()] * 5, 0.5),
        ([use()], 1 / 6),
        # A look and an opening count one, an insertion two, and half of each without a search.
        ([use(kind="open")], 1 / 6),
        ([use(kind="insert")], 2 / 7),
        ([use(found=False)], 0.5 / 5.5),
        ([use(kind="insert", found=False)], 1 / 6),
        # After thirty days a use is worth 1/e, after sixty 1/e².
        ([use(30)] * 5, 1 / (1 + math.e)),
        ([use(60)] * 5, 1 / (1 + math.e**2)),
        # Of uses in other projects thirty percent count.
        ([use(project=False)] * 5, 0.15),
        ([use()] * 5 + [use(project=False)] * 5, 0.7 * 5 / 10 + 0.3 * 10 / 15),
    ],
)
def test_what_uses_come_to(uses: list[Use], utility: float) -> None:
    assert utility_of(uses, NOW) == pytest.approx(utility, abs=1e-6)


@pytest.mark.parametrize(
    ("utility", "factor"),
    [(-1, 1), (0, 1), (0.15, 1.075), (0.5, 1.25), (1, 1.5), (7, 1.5)],
)
def test_it_adds_half_of_itself_and_never_more_than_half(utility: float, factor: float) -> None:
    assert utility_factor(utility) == pytest.approx(factor)


def test_what_is_kept_is_half_a_year_and_fifty_thousand() -> None:
    assert (KEPT_DAYS, KEPT_EVENTS) == (180, 50_000)


def test_old_uses_are_dropped_once_a_day(tmp_path: Path) -> None:
    clock = [NOW]
    store = UsageStore(str(tmp_path / "usage.db"), now=lambda: clock[0])
    store.record([event()])
    clock[0] += (KEPT_DAYS + 0.5) * DAY
    store.record([UsageEvent(clock[0], "show", "team", "knowledge/b")])
    assert store.count() == 1
    clock[0] += 0.5 * DAY
    store.record([UsageEvent(0, "show", "team", "knowledge/c")])
    assert store.count() == 2, "not more often"
    clock[0] += 0.6 * DAY
    store.record([UsageEvent(clock[0], "show", "team", "knowledge/d")])
    assert store.count() == 2


# Adding up.


@given(
    st.lists(
        st.builds(
            use,
            st.floats(0, 400),
            kind=st.sampled_from(["show", "open", "insert", "unheard-of"]),
            project=st.booleans(),
            found=st.booleans(),
        ),
        min_size=1,
        max_size=20,
    ),
    st.integers(0, 20),
    st.floats(0, 100),
)
def test_added_up_over_time_they_come_to_the_same(
    uses: list[Use], early: int, later: float
) -> None:
    def rows(some: list[Use]) -> list[UseRow]:
        return [
            UseRow(1, "team", "a", it.kind, it.at, "here" if it.in_project else "", it.searched)
            for it in some
        ]

    tally = Tally("here", NOW)
    tally.add(rows(uses[:early]), NOW)
    tally.add(rows(uses[early:]), NOW + DAY)
    assert tally.utility("team", "a", NOW + later * DAY) == pytest.approx(
        utility_of(uses, NOW + later * DAY), abs=2e-6
    )
    assert tally.utility("team", "b", NOW) == 0


def test_a_clock_that_was_ahead_makes_no_use_more_than_fresh(store: UsageStore) -> None:
    store.record([event(days_ago=-50), event("knowledge/b")])
    found = store.utilities("team", ["knowledge/a", "knowledge/b"])
    assert found["knowledge/a"] == found["knowledge/b"]


def test_what_others_write_is_added_and_what_was_read_is_not_read_again(store: UsageStore) -> None:
    store.record([event()])
    first = store.tally("here")
    UsageStore(store.path, now=lambda: NOW).record([event("knowledge/b")])
    second = store.tally("here")
    assert second is first
    assert len(second) == 2
    assert store.tally("there") is not first


def test_a_purge_and_another_file_begin_a_new_sum(store: UsageStore) -> None:
    store.record([event(days_ago=KEPT_DAYS + 1), event("knowledge/b")])
    store.tally("here")
    store.purge()
    assert list(store.utilities("team", ["knowledge/a", "knowledge/b"], "here")) == ["knowledge/b"]
    store.close()
    for path in Path(store.path).parent.iterdir():
        path.unlink()
    store.record([event("knowledge/c")])
    found = store.utilities("team", ["knowledge/b", "knowledge/c"], "here")
    assert list(found) == ["knowledge/c"]
