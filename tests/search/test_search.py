"""Searching an index: what is found, in which order, and what is said of it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from akm_ls.index.store import StoreError
from akm_ls.search.library import Cancelled, Library
from akm_ls.search.request import RequestError, SearchRequest
from akm_ls.search.result import SearchResult, file_uri
from akm_ls.search.search import search

from .conftest import MakeLibrary, page

TEAM = {
    "knowledge/auth/tokens.md": page(
        "How tokens are issued",
        "# Tokens\n\nIntro.\n\n## Rotation\n\nRotate the signing key every ninety days.\n"
        "Old tokens stay valid for an hour.\n\n```\nrotate --now\n```\n",
        tags="[auth]",
    ),
    "knowledge/auth/sessions.md": page("Cookies and their lifetime", "# Cookies"),
    "knowledge/old-tokens.md": page("How tokens were issued", beliefState="superseded"),
    "skills/rotate/SKILL.md": page("Rotates the signing key", "# Rotate", name="rotate"),
    "memories/shop/cart.md": page("The cart loses items", "The cart is kept in Redis."),
    "memories/shop/cart.derived.md": page("Cart summary", "Redis keeps it."),
    "memories/shop/gone.md": page("Cart in Postgres", beliefState="archived"),
    "memories/shop/gone.derived.md": page("Cart of old", "Postgres kept it."),
    "lessons/draft.md": page("Draft about cookies", "Be careful.", quality="proposed"),
    "sessions/s1.md": page("A session about cookies", "cookies cookies"),
    "env/prod.env": "API_URL=marker-4711\nexport TOKEN_SECRET=marker-4711\n",
    "secrets/deploy-token": "marker-4711\n",
    "secrets/notes.md": "# marker-4711\n\ncookies\n",
}
OTHER = {
    "knowledge/auth/tokens.md": page("Tokens of the other team", "# Tokens"),
    "skills/review/SKILL.md": page("Reviews changes", "# Review", name="review"),
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(team=TEAM, other=OTHER)


def ask(library: Library, query: str, **options: Any) -> SearchResult:
    return search(library, SearchRequest(query, **options))


def refs(library: Library, query: str, **options: Any) -> list[str]:
    return [hit.entry.ref for hit in ask(library, query, **options).hits]


def hit(library: Library, query: str, ref: str, **options: Any) -> dict[str, Any]:
    answer = ask(library, query, **options).to_json()
    return next(found for found in answer["hits"] if found["ref"] == ref)


# akm's plan.


def test_all_words_come_first(library: Library) -> None:
    answer = ask(library, "signing key", plan="akm")
    assert answer.stage == "and"
    assert {found.entry.ref for found in answer.hits} == {
        "team//skills/rotate",
        "team//knowledge/auth/tokens",
    }


def test_beginnings_of_words_come_next(library: Library) -> None:
    answer = ask(library, "sig nine", plan="akm")
    assert (answer.stage, [found.entry.ref for found in answer.hits]) == (
        "prefix",
        ["team//knowledge/auth/tokens"],
    )


def test_any_word_comes_last(library: Library) -> None:
    answer = ask(library, "ninety elephants", plan="akm")
    assert answer.stage == "or"
    assert [found.entry.ref for found in answer.hits] == ["team//knowledge/auth/tokens"]


def test_a_missing_path_gives_nothing(library: Library) -> None:
    assert refs(library, "knowledge/elephants") == []


def test_what_a_caller_may_not_see_does_not_end_the_plan(library: Library) -> None:
    # Only the proposed lesson has both words; what is left is found in a wider stage.
    assert ask(library, "draft cookies", plan="akm", include_proposed=True).stage == "and"
    answer = ask(library, "draft cookies", plan="akm")
    assert answer.stage == "or"
    assert "team//knowledge/auth/sessions" in [found.entry.ref for found in answer.hits]


# The order.


def test_an_exact_name_is_first(library: Library) -> None:
    assert refs(library, "rotate")[0] == "team//skills/rotate"


def test_a_superseded_asset_is_behind_every_other(library: Library) -> None:
    found = refs(library, "tokens")
    assert found[-1] == "team//knowledge/old-tokens"
    assert hit(library, "tokens", found[-1])["score"] <= 0.25


def test_pages_are_slices_of_one_list(library: Library) -> None:
    for query in ("tokens", "cart OR cookies", ""):
        whole = refs(library, query)
        total = ask(library, query).total
        assert len(whole) == total
        paged = [
            ref for at in range(0, total, 2) for ref in refs(library, query, limit=2, offset=at)
        ]
        assert paged == whole


def test_the_same_question_has_the_same_answer(library: Library) -> None:
    first = ask(library, "cart cookies tokens").to_json("full")
    assert ask(library, "cart cookies tokens").to_json("full") == first


def test_a_score_does_not_depend_on_the_page(library: Library) -> None:
    (alone,) = ask(library, "tokens", limit=1).to_json()["hits"]
    assert alone["scores"] == hit(library, "tokens", alone["ref"])["scores"]


def test_a_score_of_akms_plan_does_not_depend_on_other_hits(library: Library) -> None:
    (alone,) = ask(library, "tokens", limit=1, plan="akm").to_json()["hits"]
    among_others = hit(library, "tokens", alone["ref"], type=alone["type"], plan="akm")
    assert alone["scores"] == among_others["scores"]


# Filters.


def test_by_type_and_by_bundle(library: Library) -> None:
    assert refs(library, "rotate", type="skill") == ["team//skills/rotate"]
    assert refs(library, "tokens", bundle="other") == ["other//knowledge/auth/tokens"]
    assert refs(library, "tokens", bundle="nowhere") == []
    assert refs(library, "tokens", type="nothing") == []


def test_sessions_only_when_asked_for(library: Library) -> None:
    assert "team//sessions/s1" not in refs(library, "cookies")
    assert "team//sessions/s1" not in refs(library, "")
    assert refs(library, "session", type="session") == ["team//sessions/s1"]
    assert refs(library, "sessions/") == ["team//sessions/s1"]


def test_proposals_only_when_asked_for(library: Library) -> None:
    assert "team//lessons/draft" not in refs(library, "cookies")
    shown = ask(library, "cookies", include_proposed=True).to_json()["hits"]
    qualities = {found["ref"]: found["quality"] for found in shown}
    assert qualities["team//lessons/draft"] == "proposed"
    assert list(qualities.values()).count("proposed") == 1
    assert refs(library, "lessons/") == []
    assert refs(library, "lessons/", include_proposed=True) == ["team//lessons/draft"]


def test_current_and_historical_beliefs(library: Library) -> None:
    historical = refs(library, "cart", belief="historical")
    assert set(historical) == {"team//memories/shop/gone", "team//memories/shop/gone.derived"}
    current = refs(library, "cart", belief="current")
    assert set(current) == {"team//memories/shop/cart", "team//memories/shop/cart.derived"}
    assert set(refs(library, "cart")) == {*historical, *current}
    assert set(refs(library, "memories/", belief="historical")) == set(historical)


def test_a_derived_memory_shares_its_parents_belief(library: Library) -> None:
    twin = hit(library, "cart", "team//memories/shop/gone.derived")
    assert (twin["beliefState"], twin["scores"]["ceiling"]) == ("archived", 0.15)


# Listings.


def test_everything_by_type_name_and_path(library: Library) -> None:
    answer = ask(library, "")
    assert answer.stage == "browse"
    keys = [(found.entry.type, found.entry.name, found.entry.path) for found in answer.hits]
    assert keys == sorted(keys)
    assert len(keys) == answer.total == 13
    assert {found.score.total for found in answer.hits} == {1.0}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("knowledge/auth/", ["team//knowledge/auth/sessions", "team//knowledge/auth/tokens"]),
        ("KNOWLEDGE/Auth/", ["team//knowledge/auth/sessions", "team//knowledge/auth/tokens"]),
        ("knowledge/au/", []),
        ("nowhere//", []),
    ],
)
def test_a_subtree(library: Library, query: str, expected: list[str]) -> None:
    assert refs(library, query, bundle="team") == expected


def test_a_bundle_and_a_part_of_it(library: Library) -> None:
    assert refs(library, "other//") == ["other//knowledge/auth/tokens", "other//skills/review"]
    assert refs(library, "OTHER//skills/") == ["other//skills/review"]


# What is said of a hit.


def test_a_hit(library: Library) -> None:
    found = hit(library, "rotate signing key", "team//knowledge/auth/tokens")
    path = found["path"]
    text = Path(path).read_text(encoding="utf-8")
    citation = found.pop("citation")
    assert text[citation["startOffset"] : citation["endOffset"]] == citation["text"]
    assert citation["text"] == (
        "Rotate the signing key every ninety days.\nOld tokens stay valid for an hour."
    )
    lines = text.splitlines()
    start, end = citation["range"]["start"], citation["range"]["end"]
    assert lines[start["line"]][start["character"] :] == citation["text"].splitlines()[0]
    assert lines[end["line"]][: end["character"]] == citation["text"].splitlines()[1]
    assert citation["fragment"] == "rotation"
    scores = found.pop("scores")
    assert scores == {
        "keyword": scores["base"],
        "semantic": None,
        "base": scores["base"],
        "boost": pytest.approx(0.285),
        "ceiling": None,
    }
    assert 0 < scores["base"] < 1
    assert found.pop("score") == round(scores["base"] * (1 + scores["boost"]), 4)
    assert found.pop("contentHash").startswith("sha256:")
    assert found == {
        "ref": "team//knowledge/auth/tokens",
        "bundle": "team",
        "conceptId": "knowledge/auth/tokens",
        "type": "knowledge",
        "name": "auth/tokens",
        "description": "How tokens are issued",
        "tags": ["auth"],
        "alsoIn": [],
        "whyMatched": ["fts bm25 relevance", "metadata confidence boost"],
        "uri": Path(path).as_uri(),
        "path": path,
        # The heading `## Rotation`.
        "range": {"start": {"line": 9, "character": 0}, "end": {"line": 10, "character": 0}},
        "editable": True,
        "quality": "generated",
        "beliefState": None,
        "estimatedTokens": -(-len(text) // 4),
        "action": "akm.show team//knowledge/auth/tokens",
    }


def test_a_ref_that_no_text_can_hold_is_said_to_be_one(make_library: MakeLibrary) -> None:
    library = make_library(
        team={f"agents/{name}.md": page("Plans the work") for name in ("My Planner", "planner")}
    )
    for detail in ("brief", "normal", "full", "agent"):
        hits = ask(library, "planner").to_json(detail)["hits"]  # type: ignore[arg-type]
        assert {hit["name"]: hit.get("citable", True) for hit in hits} == {
            "My Planner": False,
            "planner": True,
        }


def test_a_hit_by_name_has_no_citation(library: Library) -> None:
    found = hit(library, "cookies", "team//knowledge/auth/sessions")
    assert found["citation"]["text"] == "# Cookies"
    found = hit(library, "lifetime", "team//knowledge/auth/sessions")
    assert (found["citation"], found["range"]) == (None, None)


def test_the_envelope(library: Library) -> None:
    answer = ask(library, "tokens", mode="hybrid").to_json()
    del answer["hits"]
    assert answer == {
        "schemaVersion": 1,
        "query": "tokens",
        "mode": "lexical",
        "stage": "all",
        "plan": "default",
        "fusion": None,
        "corrections": [],
        "total": 4,
        "limit": 20,
        "offset": 0,
        "semantic": {
            "status": "off",
            "reason": "no embedding model configured",
            "model": None,
            "embedded": 0,
            "missing": 0,
        },
        "degraded": [{"lane": "semantic", "reason": "no embedding model configured"}],
        "tip": None,
        "warnings": [],
    }


def test_details(library: Library) -> None:
    (normal,) = ask(library, "ninety").to_json("normal")["hits"]
    (brief,) = ask(library, "ninety").to_json("brief")["hits"]
    (agent,) = ask(library, "ninety", detail="agent").to_json()["hits"]
    (full,) = ask(library, "ninety", detail="full").to_json()["hits"]
    assert normal.keys() - brief.keys() == {"description", "tags", "scores", "citation"}
    assert normal.keys() - agent.keys() == {"uri", "range", "whyMatched"}
    assert not agent.keys() - normal.keys()
    assert not normal.keys() - full.keys()
    assert sum(part["value"] for part in full["scores"]["parts"]) == pytest.approx(
        full["scores"]["boost"]
    )


def test_a_long_description_is_cut_but_in_full_detail(make_library: MakeLibrary) -> None:
    library = make_library(b={"knowledge/x.md": page("word " * 100), "memories/m.md": "m"})
    result = ask(library, "word")
    (short,), (whole,) = (result.to_json(detail)["hits"] for detail in ("normal", "full"))
    assert len(short["description"]) <= 250
    assert short["description"].endswith("…")
    assert len(whole["description"]) == 499


def test_an_environment_gives_the_names_of_its_keys(library: Library) -> None:
    found = hit(library, "API_URL", "team//env/prod")
    assert found["keys"] == ["API_URL", "TOKEN_SECRET"]
    assert found["citation"] is None


def test_a_secret_gives_its_name(library: Library) -> None:
    found = hit(library, "deploy-token", "team//secrets/deploy-token", detail="full")
    assert found["name"] == "deploy-token"
    assert (found["estimatedTokens"], found["contentHash"], found["citation"]) == (None, None, None)


@pytest.mark.parametrize("detail", ["brief", "normal", "full", "agent"])
@pytest.mark.parametrize("query", ["", "marker-4711", "marker 4711 token", "notes", "env/"])
def test_no_value_is_ever_told(library: Library, query: str, detail: str) -> None:
    answer = ask(library, query, include_proposed=True).to_json(detail)  # type: ignore[arg-type]
    assert "marker" not in json.dumps(answer["hits"])
    if "marker" in query:
        assert all(found["type"] != "secret" or "token" in query for found in answer["hits"])


# Files that changed since.


@pytest.fixture
def small(make_library: MakeLibrary) -> Library:
    return make_library(
        b={f"knowledge/n{number}.md": page("Notes on cats") for number in range(5)}
        | {"memories/m.md": "m"}
    )


def path_of(library: Library, concept_id: str) -> Path:
    stub = library.catalog.get("b", concept_id)
    assert stub is not None
    return Path(stub.path)


def test_a_deleted_file_is_dropped_and_its_place_filled(small: Library) -> None:
    path_of(small, "knowledge/n0").unlink()
    answer = ask(small, "cats", limit=3)
    assert [found.entry.concept_id for found in answer.hits] == [
        "knowledge/n1",
        "knowledge/n2",
        "knowledge/n3",
    ]
    assert answer.total == 4
    assert len(refs(small, "knowledge/", limit=4)) == 4


def test_a_changed_file_is_marked(small: Library) -> None:
    path_of(small, "knowledge/n1").write_text("Notes on dogs", encoding="utf-8")
    answer = ask(small, "cats")
    assert answer.warnings == ("b//knowledge/n1 has changed since it was indexed.",)
    assert [found.entry.ref for found in answer.hits if found.stale] == ["b//knowledge/n1"]
    found = hit(small, "cats", "b//knowledge/n1")
    digest = hashlib.sha256(b"Notes on dogs").hexdigest()
    assert (found["stale"], found["contentHash"]) == (True, f"sha256:{digest}")


def test_a_touched_file_is_not(small: Library) -> None:
    os.utime(path_of(small, "knowledge/n1"), ns=(1, 1))
    assert ask(small, "cats").warnings == ()


def test_a_file_that_became_a_directory_is_dropped(small: Library) -> None:
    path = path_of(small, "knowledge/n1")
    path.unlink()
    path.mkdir()
    assert "b//knowledge/n1" not in refs(small, "cats")


def test_a_file_that_became_a_link_to_a_secret_is_not_read(make_library: MakeLibrary) -> None:
    library = make_library(
        b={"knowledge/x.md": page("Cats", "cats"), "secrets/s": "cats marker-4711"}
    )
    path = path_of(library, "knowledge/x")
    path.unlink()
    path.symlink_to(path.parent.parent / "secrets" / "s")
    answer = ask(library, "cats").to_json("full")
    assert "marker" not in json.dumps(answer)


def test_an_open_document_is_quoted_instead_of_its_file(make_library: MakeLibrary) -> None:
    text = page("Cats", "New text about cats, unsaved.")
    library = make_library(
        {"b/knowledge/x.md": text}, b={"knowledge/x.md": page("Cats", "cats"), "memories/m.md": "m"}
    )
    found = hit(library, "cats", "b//knowledge/x")
    assert found["citation"]["text"] == "New text about cats, unsaved."
    assert found["estimatedTokens"] == -(-len(text) // 4)
    assert "stale" not in found
    assert found["dirty"] is True
    assert found["contentHash"] == f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def edit(library: Library, concept_id: str, text: str, *, saved: bool) -> Library:
    """The library once a file was changed: in the editor only, or saved and not yet indexed."""
    path = path_of(library, concept_id)
    if saved:
        path.write_text(text, encoding="utf-8")
        return library
    return replace(library, text_of={str(path): text}.get)


CATS = {
    "knowledge/x.md": page("Cats", "About cats."),
    "knowledge/y.md": page("More", "Also about cats, at some length."),
}


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize("plan", ["default", "akm"])
@pytest.mark.parametrize("query", ["cats", "knowledge/"])
def test_what_became_a_proposal_is_no_longer_shown(
    make_library: MakeLibrary, saved: bool, plan: str, query: str
) -> None:
    proposal = page("Cats", "About cats.", quality="proposed")
    library = edit(make_library(b=CATS), "knowledge/x", proposal, saved=saved)
    answer = ask(library, query, plan=plan)
    assert [found.entry.ref for found in answer.hits] == ["b//knowledge/y"]
    assert (answer.total, answer.warnings) == (1, ())
    [first] = [
        found
        for found in ask(library, query, plan=plan, include_proposed=True).hits
        if found.entry.ref == "b//knowledge/x"
    ]
    assert first.entry.quality == "proposed"


@pytest.mark.parametrize("saved", [False, True])
def test_what_is_no_longer_believed_sinks_and_can_be_left_out(
    make_library: MakeLibrary, saved: bool
) -> None:
    library = make_library(b=CATS)
    assert refs(library, "cats") == ["b//knowledge/x", "b//knowledge/y"]
    old = page("Old cats", "About cats.", beliefState="superseded")
    library = edit(library, "knowledge/x", old, saved=saved)
    assert refs(library, "cats") == ["b//knowledge/y", "b//knowledge/x"]
    assert hit(library, "cats", "b//knowledge/x")["score"] <= 0.25
    assert hit(library, "cats", "b//knowledge/x")["description"] == "Old cats"
    assert refs(library, "cats", belief="current") == ["b//knowledge/y"]


# Tips.


def test_the_retired_spelling_names_its_replacement(library: Library) -> None:
    answer = ask(library, "memory:shop/")
    assert answer.hits == ()
    assert answer.tip is not None
    assert "`memories/shop/`" in answer.tip


def test_nothing_found(library: Library) -> None:
    answer = ask(library, "elephants")
    assert (answer.stage, answer.total) == ("or", 0)
    assert answer.tip is not None
    assert "akm-ls index" in answer.tip
    assert ask(library, "tokens").tip is None


def test_an_index_that_was_never_built(library: Library, tmp_path: Path) -> None:
    from akm_ls.index.catalog import Catalog
    from akm_ls.index.store import Store

    with Store(str(tmp_path / "new.db"), library.bundles) as store:
        tip = ask(Library(store, Catalog(), library.bundles), "tokens").tip
    assert tip is not None
    assert tip.startswith("No search index available")


def test_an_empty_index(make_library: MakeLibrary) -> None:
    tip = ask(make_library(b={"readme.txt": "x"}), "tokens").tip
    assert tip is not None
    assert tip.startswith("The index is empty")


# Trouble.


class BrokenStore:
    def __getattr__(self, name: str) -> Any:
        def fail(*_: object, **__: object) -> Any:
            raise StoreError("disk on fire")

        return fail


@pytest.mark.parametrize("store", [None, BrokenStore()])
def test_without_an_index_names_are_compared(library: Library, store: Any) -> None:
    broken = replace(library, store=store)
    answer = ask(broken, "signing tokens")
    assert "team//knowledge/auth/tokens" in [found.entry.ref for found in answer.hits]
    assert (answer.mode, answer.degraded[0].lane) == ("overlap", "lexical")
    assert "only names" in answer.warnings[0]
    assert refs(broken, "signing tokens", type="session") == []
    assert refs(broken, "other//") == ["other//knowledge/auth/tokens", "other//skills/review"]
    assert ask(broken, "elephants").total == 0


def test_a_search_can_be_cancelled(library: Library) -> None:
    answers: Iterator[bool] = iter([False, False, True, True, True, True])
    with pytest.raises(Cancelled):
        search(library, SearchRequest("tokens cart"), cancelled=lambda: next(answers))
    with pytest.raises(Cancelled):
        search(library, SearchRequest(""), cancelled=lambda: True)
    assert refs(library, "tokens")


@given(query=st.text(max_size=200), limit=st.integers(-5, 300), offset=st.integers(-5, 30))
@example('" OR NEAR(', 20, 0)
@example("a\0b", 20, 0)
@example("\ud83d💥 tokens", 20, 0)
@example("tokens " * 2000, 20, 0)
@example("x" * 10_000, 20, 0)
@example("/" * 10_000, 20, 0)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_is_a_query(library: Library, query: str, limit: int, offset: int) -> None:
    result = ask(library, query, limit=limit, offset=offset, include_proposed=True)
    answer = result.to_json("full")
    assert len(answer["hits"]) <= 200
    scores = [found["score"] for found in answer["hits"]]
    assert scores == sorted(scores, reverse=True)
    assert answer["total"] >= len(answer["hits"])
    json.dumps(answer)


# Parameters.


def test_parameters_of_a_client() -> None:
    request = SearchRequest.from_params(
        {
            "query": "x",
            "type": "skill",
            "bundle": "",
            "limit": 5.0,
            "offset": 10,
            "detail": "agent",
            "mode": "hybrid",
            "belief": "current",
            "includeProposed": True,
            "unknown": 1,
        }
    )
    assert request == SearchRequest(
        "x", "skill", None, 5, 10, "agent", "hybrid", "current", include_proposed=True
    )
    assert SearchRequest.from_params({}) == SearchRequest()
    assert SearchRequest(limit=1000, offset=-1) == SearchRequest(limit=200)
    assert SearchRequest(limit=0).limit == 1


@pytest.mark.parametrize(
    ("params", "key"),
    [
        ({"query": 5}, "query"),
        ({"limit": "many"}, "limit"),
        ({"limit": True}, "limit"),
        ({"limit": 1.5}, "limit"),
        ({"detail": "everything"}, "detail"),
        ({"mode": 3}, "mode"),
        ({"includeProposed": "yes"}, "includeProposed"),
        ([], "parameters"),
        (None, "parameters"),
    ],
)
def test_parameters_that_cannot_be_used_are_named(params: object, key: str) -> None:
    with pytest.raises(RequestError, match=key):
        SearchRequest.from_params(params)


@pytest.mark.skipif(os.sep != "/", reason="POSIX paths")
@pytest.mark.parametrize(
    "path",
    [
        "/home/me/team/knowledge/tokens.md",
        "/home/me/.claude/skills/x~1/SKILL.md",
        "/a b/c#d/e?f/g%20h.md",
        "/größe/目录/😀.md",
        "/a/./b.md",
        "/a//b.md",
        "/a/b/",
        "/a+b/c,d/e@f/g&h=i",
        "/",
    ],
)
def test_a_uri_is_spelled_as_python_spells_it(path: str) -> None:
    assert file_uri(path) == Path(path).as_uri()
