"""The gate: search of the golden bundle does not get worse."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from akm_ls.search.library import Library
from akm_ls.search.request import SearchRequest
from akm_ls.search.search import search

from . import bench, golden, questions
from .metrics import mean
from .run import means

ASKS = golden.asks()
WORDS: dict[str, Any] = {"mode": "lexical"}
BOTH: dict[str, Any] = {"mode": "hybrid"}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    root = tmp_path_factory.mktemp("golden").resolve()
    bundle = golden.write(root)
    with bench.opened([bundle], root / "index.db", golden.MeaningModel()) as opened:
        yield opened


@pytest.fixture(scope="module")
def asked(library: Library) -> list[questions.Question]:
    made = questions.make(bench.assets_of(library))
    return [it for it in made if it.family in ("name", "typo_name")] + golden.questions()


@pytest.fixture(scope="module")
def quality(library: Library, asked: list[questions.Question]) -> dict[str, dict[str, float]]:
    """nDCG@10 by way of searching and family."""
    families = list(dict.fromkeys(question.family for question in asked))
    ways: dict[str, dict[str, Any]] = {
        "bm25": {**WORDS, "boosts": False},
        "words": WORDS,
        "convex": BOTH,
        "akm": {**WORDS, "plan": "akm"},
    }
    return {
        name: means(bench.ask(library, asked, options), asked, families, "ndcg")
        for name, options in ways.items()
    }


def found(library: Library, query: str, **options: Any) -> list[str]:
    hits = search(library, SearchRequest(query, **options)).hits
    return [hit.entry.concept_id for hit in hits]


def test_there_is_enough_to_go_by(library: Library, asked: list[questions.Question]) -> None:
    assert len(library.catalog) >= 80
    assert len(asked) + sum(map(len, ASKS.values())) >= 120
    assert {question.family for question in asked} == {"name", "typo_name", *golden.RANKED}


def test_the_meaning_makes_no_family_worse(quality: dict[str, dict[str, float]]) -> None:
    for family, value in quality["bm25"].items():
        assert quality["convex"][family] >= value - 0.01, family


def test_the_meaning_makes_the_whole_better(quality: dict[str, dict[str, float]]) -> None:
    assert quality["convex"]["mean"] >= quality["bm25"]["mean"] + 0.02


def test_the_default_is_better_than_akms_plan(quality: dict[str, dict[str, float]]) -> None:
    assert quality["words"]["mean"] >= quality["akm"]["mean"] + 0.02


@pytest.mark.parametrize("way", ["words", "convex"])
def test_misspelled_names_are_found(quality: dict[str, dict[str, float]], way: str) -> None:
    assert quality[way]["typo_name"] >= 0.85
    assert quality[way]["name"] >= 0.97


@pytest.mark.parametrize(("family", "least"), [("paraphrase", 0.85), ("homonym", 0.9)])
def test_what_people_ask_is_answered(
    quality: dict[str, dict[str, float]], family: str, least: float
) -> None:
    assert quality["convex"][family] >= least


@pytest.mark.parametrize("options", [WORDS, BOTH], ids=["words", "both"])
@pytest.mark.parametrize("ask", ASKS["first"], ids=lambda ask: ask.query)
def test_this_one_comes_first(library: Library, ask: golden.Ask, options: dict[str, Any]) -> None:
    assert found(library, ask.query, **options)[0] == ask.concept_ids[0]


@pytest.mark.parametrize("options", [WORDS, BOTH], ids=["words", "both"])
@pytest.mark.parametrize("ask", ASKS["superseded"], ids=lambda ask: ask.query)
def test_a_correction_comes_before_what_it_corrects(
    library: Library, ask: golden.Ask, options: dict[str, Any]
) -> None:
    new, old = ask.concept_ids
    refs = found(library, ask.query, **options)
    assert new in refs
    assert old not in refs or refs.index(new) < refs.index(old)


@pytest.mark.parametrize("options", [WORDS, BOTH], ids=["words", "both"])
@pytest.mark.parametrize("ask", ASKS["private"], ids=lambda ask: ask.query)
def test_what_is_private_is_not_found_by_its_content(
    library: Library, ask: golden.Ask, options: dict[str, Any]
) -> None:
    assert ask.concept_ids[0] not in found(library, ask.query, **options)


@pytest.mark.parametrize("options", [WORDS, BOTH], ids=["words", "both"])
@pytest.mark.parametrize("ask", ASKS["proposed"], ids=lambda ask: ask.query)
def test_proposals_are_found_by_who_asks_for_them(
    library: Library, ask: golden.Ask, options: dict[str, Any]
) -> None:
    assert ask.concept_ids[0] not in found(library, ask.query, **options)
    assert found(library, ask.query, include_proposed=True, **options)[0] == ask.concept_ids[0]


def test_no_secret_is_in_any_answer(library: Library, asked: list[questions.Question]) -> None:
    queries = [question.query for question in asked]
    queries += [ask.query for items in ASKS.values() for ask in items]
    for query in queries:
        request = SearchRequest(query, include_proposed=True, detail="full")
        text = json.dumps(search(library, request).to_json())
        assert "marker-4711" not in text


def test_every_way_of_searching_has_a_name_of_its_own() -> None:
    # Results are kept by name: two of one name would be shown as one.
    names = [way.name for way in bench.WAYS]
    assert len(set(names)) == len(names)
    different = {tuple(sorted(way.options.items())) for way in bench.WAYS}
    assert len(different) == len(names)


def test_without_boosts_the_order_is_that_of_the_words_alone(library: Library) -> None:
    for plan in ("akm", "default"):
        request = SearchRequest(
            "someone leaked our signing secret", plan=plan, boosts=False, **WORDS
        )
        hits = [hit for hit in search(library, request).hits if hit.entry.belief_state is None]
        assert hits
        assert all(hit.score.total == round(hit.score.keyword, 4) for hit in hits)


def test_measures() -> None:
    assert mean([]) == 0.0
    from .metrics import measure, paired_difference

    right = measure(["a", "b"], [{"a"}])
    assert (right.ndcg, right.reciprocal_rank, right.recall) == (1.0, 1.0, 1.0)
    second = measure(["x", "a"], [{"a", "a2"}])
    assert (round(second.ndcg, 3), second.reciprocal_rank) == (0.631, 0.5)
    copies = measure(["a", "a2"], [{"a", "a2"}, {"b"}])
    assert copies.recall == 0.5
    assert measure([], [{"a"}]).ndcg == 0.0
    assert paired_difference([1.0, 1.0], [0.0, 0.0]) == (1.0, 1.0, 1.0)


def test_a_bundle_with_a_file_that_is_no_utf_8_can_be_held_out(tmp_path: Path) -> None:
    root = tmp_path / "team"
    (root / "knowledge" / "folder.md").mkdir(parents=True)
    (root / "knowledge" / "latin.md").write_bytes(
        "# Café\n\nUse when it is late.\n".encode("latin-1")
    )
    (root / "knowledge" / "wide.md").write_text("# Café\n", encoding="utf-16")
    copy = bench.held_out(root, tmp_path / "copy")
    assert (copy / "knowledge" / "latin.md").read_text("utf-8").startswith("# Caf\ufffd\n")
    assert (copy / "knowledge" / "wide.md").read_text("utf-8") == "# Café\n"
