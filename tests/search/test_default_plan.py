"""The default plan: what it finds by words, how it corrects them, and what it says of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from akm_ls.index.full_text import COLUMN_WEIGHTS
from akm_ls.search.library import Library
from akm_ls.search.request import SearchRequest
from akm_ls.search.result import SearchResult
from akm_ls.search.search import search

from .conftest import MakeLibrary, page

PARITY = {
    "knowledge/both.md": page("", "alpha beta"),
    "knowledge/first.md": page("", "alpha alone"),
    "knowledge/second.md": page("", "beta alone"),
    "knowledge/fox.md": page("", "the quick brown fox"),
    "knowledge/brown.md": page("", "brown and then quick"),
    "knowledge/kubernetes.md": page("", "orchestration"),
    "knowledge/containers.md": page("", "kubernetes runs them"),
    "knowledge/menu.md": page("", "café résumé"),
    "knowledge/paper.md": page("", "brownish paper"),
    "knowledge/ray.md": page("", "gamma ray"),
    "memories/draft.md": page("", "alpha marvellously", quality="proposed"),
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(b=PARITY)


def ask(library: Library, query: str, **options: Any) -> SearchResult:
    return search(library, SearchRequest(query, **options))


def names(library: Library, query: str, **options: Any) -> list[str]:
    return [hit.entry.name for hit in ask(library, query, **options).hits]


# The parity corpus: P1 to P10.


def test_p1_an_asset_with_every_word_comes_first(library: Library) -> None:
    found = names(library, "alpha beta")
    assert found[0] == "both"
    assert set(found) == {"both", "first", "second"}
    assert ask(library, "alpha beta").stage == "all"
    assert names(library, "alpha beta", plan="akm") == ["both"]


def test_p2_words_that_nothing_has_together(library: Library) -> None:
    for plan in ("default", "akm"):
        answer = ask(library, "alpha gamma", plan=plan)
        assert answer.stage == "or"
        assert {hit.entry.name for hit in answer.hits} == {"both", "first", "ray"}


def test_p3_only_akms_plan_lets_a_full_match_hide_the_others(library: Library) -> None:
    assert len(names(library, "alpha beta", plan="akm")) == 1
    assert len(names(library, "alpha beta")) == 3


def test_p4_an_explicit_or(library: Library) -> None:
    assert set(names(library, "fox OR café")) == {"fox", "menu"}


def test_p5_a_phrase_stands_together(library: Library) -> None:
    assert names(library, '"quick brown"') == ["fox"]
    assert set(names(library, "quick brown")) == {"fox", "brown"}
    assert names(library, '"quick brown" alone') == ["fox"]


def test_a_phrase_or_a_word(library: Library) -> None:
    assert set(names(library, '"quick brown" OR café')) == {"fox", "menu"}
    assert set(names(library, 'cafés | "quick brown" alone')) == {"fox", "menu"}
    assert names(library, '"quick brown" OR "brown quick"') == ["fox"]
    assert set(names(library, '"quick brown" OR brownis')) == {"fox", "paper"}
    assert set(names(library, '"quick brown" OR "alpha beta" OR gama')) == {"fox", "both"}
    assert set(names(library, '"quick brown" OR kubernets -runs')) == {"fox", "kubernetes"}


def test_words_that_have_to_be_there_together(library: Library) -> None:
    assert names(library, "alpha AND beta") == ["both"]
    assert set(names(library, "alpha AND beta OR alone")) == {"both", "first"}
    assert names(library, "alpha AND nowhere") == []


def test_p6_an_excluded_word(library: Library) -> None:
    assert names(library, "alpha -beta") == ["first"]
    assert names(library, "alpha NOT beta") == ["first"]


def test_p7_the_beginning_of_a_word(library: Library) -> None:
    assert set(names(library, "kubern*")) == {"kubernetes", "containers"}
    assert set(names(library, "kubern")) == {"kubernetes", "containers"}
    # Where the word itself is there, only who asks for it gets what begins so.
    assert set(names(library, "brown")) == {"fox", "brown"}
    assert set(names(library, "brown*")) == {"fox", "brown", "paper"}


def test_p8_a_name_beats_a_body(library: Library) -> None:
    assert names(library, "kubernetes") == ["kubernetes", "containers"]
    assert names(library, "kubernetes", boosts=False) == ["kubernetes", "containers"]


def test_p9_accents_do_not_matter(library: Library) -> None:
    assert names(library, "cafe resume") == ["menu"]


def test_p10_pages_are_disjoint_slices(library: Library) -> None:
    whole = names(library, "alpha beta quick")
    assert len(set(whole)) == 5
    pages = [names(library, "alpha beta quick", limit=2, offset=at) for at in (0, 2, 4)]
    assert [len(page) for page in pages] == [2, 2, 1]
    assert [*pages[0], *pages[1], *pages[2]] == whole


# Words.


def test_a_word_in_most_of_the_files_does_not_decide(
    make_library: MakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("akm_ls.search.lexical.COMMON_ROWS", 10)
    files = {f"knowledge/n{n}.md": page("", "common text here") for n in range(20)}
    files["knowledge/special.md"] = page("", "common and rare")
    library = make_library(b=files)
    assert names(library, "common rare") == ["special"]
    assert len(names(library, "common", limit=50)) == 21


def test_columns_weigh_what_the_list_says(make_library: MakeLibrary) -> None:
    filler = "some other words to make these as long as those are"
    library = make_library(
        weights={
            "knowledge/zebra.md": page(f"one {filler}", filler),
            "knowledge/two.md": page(f"zebra {filler}", filler),
            "knowledge/three.md": page(f"one {filler}", filler, tags="[zebra]"),
            "knowledge/four.md": page(f"one {filler}", filler, searchHints="[zebra]"),
            "knowledge/five.md": page(f"one {filler}", f"zebra {filler}"),
        }
    )
    answer = ask(library, "zebra", boosts=False)
    assert [hit.entry.name for hit in answer.hits] == ["zebra", "two", "three", "four", "five"]
    scores = [hit.score.keyword for hit in answer.hits]
    assert sorted(scores, reverse=True) == scores
    assert len(set(scores)) == 5
    assert COLUMN_WEIGHTS == (10.0, 5.0, 3.0, 2.0, 1.0)


def test_stop_words_find_nothing_beside_others(library: Library) -> None:
    assert names(library, "what is the fox") == ["fox"]
    assert set(names(library, "the")) == {"fox"}


def test_a_missing_path_is_not_relaxed_to_its_words(library: Library) -> None:
    assert names(library, "knowledge/elephants") == []
    assert ask(library, "alpha/beta").stage == "and"


# Spelling.


def test_a_misspelled_word_is_corrected_and_the_correction_reported(library: Library) -> None:
    answer = ask(library, "kuberntes")
    assert [hit.entry.name for hit in answer.hits] == ["kubernetes", "containers"]
    assert answer.to_json()["corrections"] == [{"from": "kuberntes", "to": "kubernetes"}]
    assert "exact name match" in answer.hits[0].score.reasons


def test_a_word_of_bodies_only_is_corrected_as_well(library: Library) -> None:
    answer = ask(library, "orchestrtion")
    assert [hit.entry.name for hit in answer.hits] == ["kubernetes"]


@pytest.mark.parametrize("query", ["alpha", "alph", "betta", "knowledge/kuberntes", "zzzzzz"])
def test_what_matches_is_short_or_is_a_path_is_never_corrected(
    library: Library, query: str
) -> None:
    if query == "betta":
        assert [tuple(it) for it in ask(library, query).corrections] == [("betta", "beta")]
    else:
        assert ask(library, query).corrections == ()


def test_nothing_is_corrected_to_what_the_caller_may_not_see(library: Library) -> None:
    hidden = ask(library, "marvelously")
    assert (hidden.corrections, hidden.total) == ((), 0)
    shown = ask(library, "marvelously", include_proposed=True)
    assert [hit.entry.name for hit in shown.hits] == ["draft"]


def test_akms_plan_corrects_nothing(library: Library) -> None:
    assert ask(library, "kuberntes", plan="akm").total == 0


# Scores.


def test_a_score_can_be_recomputed_from_what_is_said_of_it(library: Library) -> None:
    for query in ("alpha beta", "kuberntes fox", "quick"):
        for hit in ask(library, query, detail="full").to_json()["hits"]:
            scores = hit["scores"]
            boost = min(sum(part["value"] for part in scores["parts"]), 3.0)
            total = min(1.0, scores["base"] * (1 + boost), scores["ceiling"] or 1.0)
            assert hit["score"] == pytest.approx(round(total, 4), abs=1e-9)
            assert scores["base"] == scores["keyword"]


def test_the_best_match_by_words_is_the_measure_of_the_others(library: Library) -> None:
    answer = ask(library, "alpha beta", boosts=False)
    assert answer.hits[0].score.total == 1.0
    assert all(0 < hit.score.total < 1 for hit in answer.hits[1:])


# The same asset in several bundles.


def test_copies_in_several_bundles_are_one_hit(make_library: MakeLibrary) -> None:
    text = page("Rotates keys", "How to rotate.")
    library = make_library(
        one={"knowledge/rotate.md": text},
        two={"knowledge/rotate.md": text, "knowledge/other/rotation.md": text},
        three={"knowledge/rotate.md": page("Rotates keys otherwise", "How to rotate.")},
    )
    answer = ask(library, "rotate keys")
    assert [hit.entry.ref for hit in answer.hits] == [
        "one//knowledge/rotate",
        "two//knowledge/other/rotation",
    ]
    first = answer.to_json()["hits"][0]
    assert first["alsoIn"] == ["two//knowledge/rotate", "three//knowledge/rotate"]
    assert answer.total == 2
    assert len(ask(library, "rotate keys", plan="akm").hits) == 4
    assert [hit.entry.ref for hit in ask(library, "rotate keys", bundle="three").hits] == [
        "three//knowledge/rotate"
    ]


# Refs.

QUERY = "knowledge/auth/tokens"
NAMED = {
    "a": {
        "knowledge/auth/tokens.md": page("How we rotate them", "Monthly."),
        "knowledge/other.md": page("Knowledge", "Of auth and tokens, in a.", tags="[auth]"),
        "memories/old.md": page("Old", "Old.", beliefState="archived"),
        "memories/draft.md": page("Draft", "Draft.", quality="proposed"),
        "skills/deploy/SKILL.md": page("Ship it", "Push.", name="deploy"),
        "secrets/api-key": "marker",
    },
    "b": {"knowledge/auth/tokens.md": page("Another text", "Weekly.")},
}


@pytest.mark.parametrize(
    ("query", "first", "also_in"),
    [
        ("knowledge/auth/tokens", "a//knowledge/auth/tokens", ("b//knowledge/auth/tokens",)),
        (" a//knowledge/auth/tokens ", "a//knowledge/auth/tokens", ()),
        ("b//knowledge/auth/tokens", "b//knowledge/auth/tokens", ()),
        ("b//knowledge/auth/tokens#top", "b//knowledge/auth/tokens", ()),
        ("a//knowledge/auth/tokens.md", "a//knowledge/auth/tokens", ()),
        ("skills/deploy", "a//skills/deploy", ()),
        ("memories/old", "a//memories/old", ()),
        ("secrets/api-key", "a//secrets/api-key", ()),
    ],
)
@pytest.mark.parametrize("linked", [False, True])
def test_a_ref_finds_its_asset_first(
    make_library: MakeLibrary, query: str, first: str, also_in: tuple[str, ...], linked: bool
) -> None:
    answer = search(make_library(**NAMED), SearchRequest(query, linked=linked))
    assert (answer.hits[0].entry.ref, answer.hits[0].also_in) == (first, also_in)
    assert answer.hits[0].score.reasons == ("exact ref",)
    assert answer.hits[0].score.total == 1.0
    assert answer.total == len(answer.hits)
    assert len({found.entry.ref for found in answer.hits}) == len(answer.hits)
    assert "marker" not in json.dumps(answer.to_json("full"))


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("memories/draft", {}),
        ("memories/old", {"belief": "current"}),
        ("knowledge/auth/tokens", {"type": "skill"}),
        ("a//skills/deploy", {"bundle": "b"}),
        ("b//skills/deploy", {}),
        ("c//skills/deploy", {}),
        ("skills/../skills/deploy", {}),
    ],
)
def test_a_ref_finds_nothing_that_may_not_be_seen_or_is_not_there(
    make_library: MakeLibrary, query: str, options: dict[str, Any]
) -> None:
    answer = search(make_library(**NAMED), SearchRequest(query, **options))
    assert not [found for found in answer.hits if "exact ref" in found.score.reasons]


def test_a_ref_is_first_on_the_first_page_only(make_library: MakeLibrary) -> None:
    library = make_library(**NAMED)
    pages = [
        [it.entry.ref for it in search(library, SearchRequest(QUERY, limit=1, offset=at)).hits]
        for at in (0, 1)
    ]
    assert pages == [["a//knowledge/auth/tokens"], ["a//knowledge/other"]]


def test_the_published_plan_reads_a_ref_as_its_words(make_library: MakeLibrary) -> None:
    answer = search(make_library(**NAMED), SearchRequest(QUERY, plan="akm"))
    assert [found.entry.ref for found in answer.hits] == ["a//knowledge/other"]
