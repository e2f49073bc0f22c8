"""How use raises a score: a little, below every ceiling, and never what does not match."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from akm_ls.search import SearchRequest
from akm_ls.search.library import Library
from akm_ls.search.result import SearchResult
from akm_ls.search.search import search

from .conftest import MakeLibrary, page

ALPHA, BETA, OLD = "knowledge/alpha", "knowledge/beta", "knowledge/old"


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    body = "How otters cross a river by night.\n" + "Filler words stand here. " * 20
    return make_library(
        team={
            "knowledge/alpha.md": page("About the animals", body),
            "knowledge/beta.md": page("About the animals", body + "More of them."),
            "knowledge/old.md": page(
                "Otters", "Otters.", beliefState="superseded", supersededBy="[knowledge/alpha]"
            ),
            "knowledge/unrelated.md": page("Nothing of the kind"),
        }
    )


def ask(
    library: Library, used: dict[str, float], query: str = "otters", **more: Any
) -> SearchResult:
    def utility(bundle: str, concept_id: str) -> float:
        assert bundle == "team"
        return used.get(concept_id, 0.0)

    library = dataclasses.replace(library, utility=utility)
    return search(library, SearchRequest(query, detail="full", **more))


def order(result: SearchResult) -> list[str]:
    return [hit.entry.concept_id for hit in result.hits]


@pytest.mark.parametrize("plan", ["default", "akm"])
def test_of_two_that_answer_alike_the_one_in_use_comes_first(library: Library, plan: str) -> None:
    assert order(ask(library, {}, plan=plan))[:2] == [ALPHA, BETA]
    found = ask(library, {BETA: 0.5}, plan=plan)
    assert order(found)[:2] == [BETA, ALPHA]
    first, second = found.to_json()["hits"][:2]
    assert first["scores"]["usage"] == 1.25
    assert first["whyMatched"][-1] == "usage history boost"
    assert "usage" not in second["scores"]
    assert "usage history boost" not in second["whyMatched"]


@pytest.mark.parametrize("plan", ["default", "akm"])
def test_the_parts_reproduce_the_score(library: Library, plan: str) -> None:
    for hit in ask(library, {ALPHA: 0.1, BETA: 0.9, OLD: 1.0}, plan=plan).to_json()["hits"]:
        scores = hit["scores"]
        boost = min(sum(part["value"] for part in scores["parts"]), 3.0)
        total = min(1.0, scores["base"] * (1 + boost) * scores["usage"], scores["ceiling"] or 1.0)
        assert hit["score"] == pytest.approx(round(total, 4), abs=1e-9)


def test_half_a_score_more_is_the_most(library: Library) -> None:
    plain = {hit.entry.concept_id: hit.score for hit in ask(library, {}).hits}
    used = {hit.entry.concept_id: hit.score for hit in ask(library, {ALPHA: 1.0}).hits}
    assert used[ALPHA].raw == pytest.approx(1.5 * plain[ALPHA].raw)
    assert used[ALPHA].total == min(1.0, round(used[ALPHA].raw, 4))


def test_what_is_no_longer_believed_stays_below_its_ceiling(library: Library) -> None:
    found = {hit.entry.concept_id: hit.score for hit in ask(library, {OLD: 1.0}).hits}
    assert found[OLD].total == 0.25
    assert found[OLD].total < found[ALPHA].total


def test_an_exact_name_stays_before_everything_in_use(library: Library) -> None:
    assert order(ask(library, {ALPHA: 1.0, OLD: 1.0}, "beta"))[0] == BETA


def test_nothing_is_found_for_being_used(library: Library) -> None:
    found = ask(library, {"knowledge/unrelated": 1.0})
    assert set(order(found)) == {ALPHA, BETA, OLD}
    assert found.total == 3


def test_without_boosts_use_has_no_say(library: Library) -> None:
    found = ask(library, {BETA: 1.0}, boosts=False)
    assert all(hit.score.usage == 1 for hit in found.hits)


def test_it_counts_where_only_names_can_be_compared(library: Library) -> None:
    without_index = dataclasses.replace(library, store=None)
    found = ask(without_index, {BETA: 1.0}, "animals")
    assert (found.mode, order(found)[0]) == ("overlap", BETA)
    assert ask(without_index, {}, "animals").hits[0].entry.concept_id == ALPHA
