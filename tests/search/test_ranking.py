"""A hit's score and its parts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akm_ls.bundles.entry import Entry
from akm_ls.search.fusion import Base
from akm_ls.search.query import tokens_of
from akm_ls.search.ranking import (
    BELIEF_BOOST,
    BELIEF_CEILING,
    MATCH_WEIGHT,
    MAX_BOOST,
    NEAR,
    TOKENS,
    TYPE_BOOST,
    Score,
    Terms,
    keyword_score,
    rank,
    rank_base,
)


def entry(name: str = "other", type: str = "note", **fields: object) -> Entry:
    fields.setdefault("confidence", 0.0)
    values = {
        "bundle": "team",
        "concept_id": f"x/{name}",
        "type": type,
        "name": name,
        "adapter": "akm",
        "path": f"/team/x/{name}.md",
        "rel": f"x/{name}.md",
        **fields,
    }
    return Entry(**values)  # type: ignore[arg-type]


def score(asset: Entry, query: str, *, project: tuple[str, ...] = (), stage: str = "and") -> Score:
    terms = Terms.of(query, tokens_of(query), project)
    return rank(asset, terms, bm25=-5.0, stage=stage)  # type: ignore[arg-type]


def boosts(asset: Entry, query: str, **options: object) -> dict[str, float]:
    found = score(asset, query, **options)  # type: ignore[arg-type]
    return {part.signal: part.value for part in found.parts if part.value}


def test_the_keyword_score_depends_on_nothing_but_bm25() -> None:
    assert keyword_score(0.0) == 0.3
    assert keyword_score(3.0) == 0.3
    assert keyword_score(-1e-6) == pytest.approx(0.3 + 0.5 * 0.693147 / 3.693147, abs=1e-4)
    assert 0.7 < keyword_score(-5.0) < keyword_score(-20.0) < 0.8


@pytest.mark.parametrize(
    ("name", "query", "value"),
    [
        ("auth/tokens", "auth tokens", 2.0),
        ("deploy.sh", "deploy.sh", 2.0),
        ("auth/tokens", "tokens", 1.0),
        ("tokens", "rotate tokens now", 1.0),
        ("auth/tokens", "tokens rotate", 0.3),
        ("auth/tokens", "tokens of auth", 0.6),
        ("a/b/c/d", "d c b a", 0.9),
        ("category", "go", 0.0),
        ("other", "tokens", 0.0),
    ],
)
def test_the_name(name: str, query: str, value: float) -> None:
    assert boosts(entry(name), query).get("name", 0.0) == value


@pytest.mark.parametrize(("type", "value"), TYPE_BOOST.items())
def test_the_type(type: str, value: float) -> None:
    assert boosts(entry(type=type), "query") == {"type": value}


@pytest.mark.parametrize(("state", "value"), BELIEF_BOOST.items())
def test_the_belief_state(state: str, value: float) -> None:
    asset = entry(belief_state=state)
    assert boosts(asset, "query") == {"beliefState": value}
    assert score(asset, "query").ceiling == BELIEF_CEILING.get(state)


def test_a_name_with_blanks_is_no_alias_of_itself() -> None:
    assert boosts(entry("with space", aliases=("with space",)), "with space") == {"name": 2.0}
    assert boosts(entry("with-space", aliases=("with space",)), "with space") == {
        "name": 2.0,
        "aliases": 1.5,
    }


@pytest.mark.parametrize(
    ("fields", "query", "expected"),
    [
        ({"tags": ("auth", "tls", "http")}, "auth", {"tags": 0.15}),
        ({"tags": ("auth", "tls", "http")}, "auth tls http", {"tags": 0.3}),
        ({"tags": ("data pipelines",)}, "data pipelines", {"tags": 0.15}),
        ({"tags": ("data pipelines",)}, "data", {}),
        ({"hints": ("rotate the token",)}, "token", {"searchHints": 0.12}),
        ({"hints": ("rotate the token",)}, "rotate the token", {"searchHints": 0.24}),
        ({"hints": ("memories/note",), "extra": {"xrefs": ["memories/note"]}}, "note", {}),
        ({"hints": ("note", "x"), "extra": {"pageKind": "x"}}, "note", {"searchHints": 0.12}),
        ({"hints": ("at noon",), "extra": {"intent": {"when": "at noon"}}}, "noon", {}),
        ({"aliases": ("api keys",)}, "API keys", {"aliases": 1.5}),
        ({"aliases": ("api keys",)}, "keys", {"aliases": 0.3}),
        ({"description": "Rotates tokens."}, "tokens", {"description": 0.1}),
        ({"description": "Rotates tokens."}, "rotate tokens", {"description": 0.25}),
        ({"description": "Rotates tokens."}, "tokens expire", {"description": 0.1}),
        ({"quality": "curated"}, "query", {"quality": 0.05}),
        ({"confidence": 0.9}, "query", {"confidence": 0.045}),
        ({"confidence": 7.0}, "query", {"confidence": 0.05}),
    ],
)
def test_metadata(fields: dict[str, object], query: str, expected: dict[str, float]) -> None:
    assert boosts(entry(**fields), query) == expected


@pytest.mark.parametrize(
    ("type", "extra", "expected"),
    [
        ("memory", {"captureMode": "hot"}, {"captureMode": 0.2}),
        ("memory", {"captureMode": "background"}, {}),
        ("fact", {"pinned": True}, {"pinned": 0.15}),
        ("fact", {"pinned": "true"}, {}),
        ("lesson", {"lessonStrength": 2}, {"lessonStrength": 0.12}),
        ("lesson", {"lessonStrength": 90}, {"lessonStrength": 0.3}),
        ("lesson", {"lessonStrength": "x"}, {}),
    ],
)
def test_what_only_one_type_has(
    type: str, extra: dict[str, object], expected: dict[str, float]
) -> None:
    found = boosts(entry(type=type, extra=extra), "query")
    found.pop("type", None)
    assert found == expected


@pytest.mark.parametrize(
    ("name", "query", "near"),
    [
        ("python-testing-pro", "python testing", True),
        ("backend/python-testing", "python testing", True),
        ("backend/python-testing", "backend python", False),
        ("skills/temporal-python-testing/resources/unit-testing", "python testing", False),
        ("agents", "agent", True),
        ("kubernetes", "kube", False),
        ("c-pro", "c++", False),
        ("review", "review a pull request", False),
        ("pull-requests", "a pull requests", True),
    ],
)
def test_only_a_name_much_like_the_query_is_said_to_be_near_it(
    name: str, query: str, near: bool
) -> None:
    asset, terms = entry(name), Terms.of(query, tokens_of(query))
    own = rank_base(asset, terms, Base(0.5, 0.5), (), matches=MATCH_WEIGHT)
    akm = rank_base(asset, terms, Base(0.5, 0.5), (), akm_reasons=True)
    said = [(NEAR in score.reasons, TOKENS in score.reasons) for score in (own, akm)]
    assert said[0] == (near, not near)
    assert said[1] in ((True, False), said[0])


def test_assets_of_the_project_at_hand() -> None:
    asset = entry("web-shop/deploy", tags=("checkout",))
    assert boosts(asset, "query", project=("web-shop",)) == {"project": 0.2}
    assert boosts(asset, "query", project=("shop", "checkout", "web")) == {"project": 0.5}


def test_a_relaxed_hit_without_its_name_is_held_down() -> None:
    found = score(entry(description="rotate tokens", aliases=("tokens rotate",)), "tokens rotate")
    assert found.total == 1.0
    relaxed = score(
        entry(description="rotate tokens", aliases=("tokens rotate",)), "tokens rotate", stage="or"
    )
    assert relaxed.total == relaxed.ceiling == 0.65
    named = score(entry("tokens"), "tokens rotate", stage="or")
    assert named.ceiling is None


def test_a_superseded_asset_stays_below_its_correction() -> None:
    old = score(entry("tokens", type="skill", belief_state="superseded"), "tokens")
    new = score(entry("tokens-2026", type="memory"), "tokens")
    assert old.total == 0.25 < new.total


def test_reasons_come_from_the_stable_vocabulary() -> None:
    asset = entry(
        "tokens",
        type="skill",
        tags=("tokens",),
        hints=("tokens",),
        aliases=("tokens",),
        description="tokens",
        belief_state="active",
        quality="curated",
        confidence=0.9,
    )
    assert score(asset, "tokens").reasons == (
        "fts bm25 relevance",
        "exact name match",
        "skill type boost",
        "matched tags",
        "matched searchHints",
        "matched aliases",
        "matched description",
        "active belief state",
        "curated metadata boost",
        "metadata confidence boost",
    )


_TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from(list("ab c-_/.")), max_size=30)
_ENTRIES = st.builds(
    entry,
    name=_TEXTS,
    type=st.sampled_from([*TYPE_BOOST, "note"]),
    tags=st.lists(_TEXTS, max_size=4).map(tuple),
    aliases=st.lists(_TEXTS, max_size=4).map(tuple),
    hints=st.lists(_TEXTS, max_size=4).map(tuple),
    description=_TEXTS,
    belief_state=st.none() | st.sampled_from(list(BELIEF_BOOST)) | _TEXTS,
    quality=st.sampled_from(["generated", "curated"]),
    confidence=st.floats(0, 1),
    extra=st.dictionaries(
        st.sampled_from(["lessonStrength", "pinned", "captureMode"]),
        st.booleans() | st.integers() | st.floats(allow_nan=False) | _TEXTS,
    ),
)


VOCABULARY = {
    "fts bm25 relevance",
    "exact name match",
    "near-exact name match",
    "matched name tokens",
    "skill type boost",
    "command type boost",
    "agent type boost",
    "matched tags",
    "matched searchHints",
    "matched aliases",
    "matched description",
    "curated metadata boost",
    "metadata confidence boost",
    *(f"{state} belief state" for state in BELIEF_BOOST),
}
"""Every reason that words alone can have: clients may compare them."""


@given(_ENTRIES, _TEXTS, st.sampled_from(["and", "prefix", "or"]))
@settings(deadline=None)
def test_there_is_no_other_reason(asset: Entry, query: str, stage: str) -> None:
    for words in (query, asset.name, " ".join(asset.tags), asset.description):
        terms = Terms.of(words, tokens_of(words))
        found = rank(asset, terms, bm25=-1.0, stage=stage)  # type: ignore[arg-type]
        assert VOCABULARY.issuperset(found.reasons)


@given(_ENTRIES, _TEXTS, st.floats(-60, 0), st.sampled_from(["and", "prefix", "or"]))
@settings(deadline=None)
def test_the_parts_reproduce_the_total(asset: Entry, query: str, bm25: float, stage: str) -> None:
    terms = Terms.of(query, tokens_of(query))
    found = rank(asset, terms, bm25=bm25, stage=stage)  # type: ignore[arg-type]
    assert 0 <= found.total <= 1
    assert 0.3 <= found.keyword < 0.8
    assert found.boost == round(min(sum(part.value for part in found.parts), MAX_BOOST), 4)
    whole = max(0.0, found.keyword * (1 + found.boost))
    assert found.total == round(min(whole, 1.0, found.ceiling or 1.0), 4)
