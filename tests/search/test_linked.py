"""What the best hits cite, and what cites them."""

from __future__ import annotations

from typing import Any

import pytest

from akm_ls.search.library import Library
from akm_ls.search.request import RequestError, SearchRequest
from akm_ls.search.result import SearchResult
from akm_ls.search.search import search

from .conftest import MakeLibrary, page

FILES = {
    "knowledge/tokens.md": page(
        "Rotating tokens", "See team//knowledge/vault and team//memories/old."
    ),
    "knowledge/vault.md": page("Where keys live", "See team//knowledge/cellar."),
    "knowledge/cellar.md": page("Below", "Two links away."),
    "memories/old.md": page("Outdated", "Gone.", beliefState="archived"),
    "skills/citing/SKILL.md": page("Cites", "Read team//knowledge/tokens first."),
    "lessons/idea.md": page("Proposed", "Read team//knowledge/tokens.", quality="proposed"),
    "sessions/s.md": page("A session", "team//knowledge/tokens"),
    "knowledge/hub.md": page("The zebra", " ".join(f"team//knowledge/n{n}" for n in range(9))),
    **{f"knowledge/n{n}.md": page(f"Number {n}", "Nothing.") for n in range(9)},
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(team=FILES)


def ask(library: Library, query: str, **options: Any) -> SearchResult:
    return search(library, SearchRequest(query, **{"linked": True, **options}))


def names(answer: SearchResult) -> list[str]:
    return [hit.entry.name for hit in answer.hits]


def test_neighbours_stand_behind_what_led_to_them_and_name_it(library: Library) -> None:
    answer = ask(library, "rotating")
    assert names(answer) == ["tokens", "citing", "vault", "old"]
    assert answer.total == 4
    first, *others = answer.hits
    for hit in others:
        assert hit.score.reasons == ("linked from team//knowledge/tokens",)
        assert hit.score.total < first.score.total
        assert hit.score.total == round(min(hit.score.base, hit.score.ceiling or 1.0), 4)
    assert others[0].score.base == 0.25 * min(first.score.base, first.score.total)


def test_one_link_and_no_further(library: Library) -> None:
    assert "cellar" not in names(ask(library, "rotating"))


def test_five_for_one_hit(library: Library) -> None:
    assert names(ask(library, "zebra")) == ["hub", "n0", "n1", "n2", "n3", "n4"]


def test_what_is_found_anyway_keeps_its_own_score(library: Library) -> None:
    alone = {hit.entry.ref: hit.score for hit in ask(library, "rotating keys", linked=False).hits}
    both = {hit.entry.ref: hit.score for hit in ask(library, "rotating keys").hits}
    assert alone.items() <= both.items()
    assert "team//knowledge/vault" in alone


def test_neighbours_pass_the_same_gate(library: Library) -> None:
    assert not {"idea", "s"} & set(names(ask(library, "rotating")))
    assert "idea" in names(ask(library, "rotating", include_proposed=True))
    assert names(ask(library, "rotating", type="knowledge")) == ["tokens", "vault"]
    assert "old" not in names(ask(library, "rotating", belief="current"))


def test_pages_are_slices_of_one_list(library: Library) -> None:
    whole = names(ask(library, "zebra tokens"))
    assert whole == [
        name
        for at in range(len(whole))
        for name in names(ask(library, "zebra tokens", limit=1, offset=at))
    ]


def test_only_who_asks_is_given_them(library: Library) -> None:
    assert names(ask(library, "rotating", linked=False)) == ["tokens"]
    assert names(ask(library, "rotating", plan="akm")) == ["tokens"]
    assert SearchRequest.from_params({"query": "x", "linked": True}).linked
    with pytest.raises(RequestError, match="linked"):
        SearchRequest.from_params({"query": "x", "linked": "yes"})
