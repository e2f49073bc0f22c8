"""One score of two lanes."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from akm_ls.search.fusion import (
    Evidence,
    Scale,
    Signals,
    akm,
    convex,
    knowledge,
    lexical,
    rrf,
    scale_of,
    semantic_only,
    spread,
)

_BM25 = st.none() | st.floats(-50, 0)
_COSINES = st.none() | st.floats(-1, 1)
_SIGNALS = st.builds(Signals, _BM25, _COSINES)
_ANSWERS = st.lists(_SIGNALS, min_size=1, max_size=12)


@given(_ANSWERS, st.integers(0, 11), st.floats(0, 25))
def test_a_better_match_never_scores_less(answer: list[Signals], at: int, more: float) -> None:
    one = answer[at % len(answer)]
    scale = scale_of(answer)
    better = Signals(max((one.bm25 or 0.0) - more, scale.best_bm25), one.cosine)
    assume(better.bm25 is not None and better.bm25 <= (one.bm25 or 0.0))
    assert convex(better, scale).value >= convex(one, scale).value
    assert lexical(better, scale).value >= lexical(one, scale).value


@given(_ANSWERS, st.integers(0, 11), st.floats(0, 2))
def test_a_nearer_meaning_never_scores_less(answer: list[Signals], at: int, more: float) -> None:
    one = answer[at % len(answer)]
    assume(one.cosine is not None)
    assert one.cosine is not None
    scale = scale_of(answer)
    nearer = Signals(one.bm25, min(one.cosine + more, 1.0))
    assert convex(nearer, scale).value >= convex(one, scale).value
    assert semantic_only(nearer, scale).value >= semantic_only(one, scale).value


@given(_ANSWERS, st.integers(1, 50), st.integers(1, 50))
def test_which_lane_found_a_candidate_changes_nothing(
    answer: list[Signals], lexical_rank: int, semantic_rank: int
) -> None:
    scale = scale_of(answer)
    for one in answer:
        values = {
            convex(Signals(one.bm25, one.cosine, *ranks), scale)
            for ranks in ((None, None), (lexical_rank, None), (lexical_rank, semantic_rank))
        }
        assert len(values) == 1


@given(_ANSWERS)
def test_an_asset_without_a_vector_is_neither_ahead_nor_behind(answer: list[Signals]) -> None:
    cosines = [item.cosine for item in answer if item.cosine is not None]
    assume(cosines)
    scale = scale_of(answer)
    without = convex(Signals(-5.0), scale).value
    assert convex(Signals(-5.0, min(cosines)), scale).value <= without + 1e-5
    assert without <= convex(Signals(-5.0, max(cosines)), scale).value + 1e-5


@given(_ANSWERS)
def test_scores_are_shares(answer: list[Signals]) -> None:
    scale = scale_of(answer)
    evidence = Evidence(1.0, 1.0, 1.0, 1.0, 1.0)
    for at, one in enumerate(answer, 1):
        placed = Signals(one.bm25, one.cosine, at, at)
        for base in (
            lexical(one, scale),
            convex(one, scale),
            rrf(placed, scale),
            knowledge(one, scale, evidence),
        ):
            assert 0 <= base.value <= 1
            assert 0 <= base.keyword <= 1


def test_convex_is_six_tenths_words() -> None:
    scale = Scale(best_bm25=-10.0, best_cosine=0.5)
    assert convex(Signals(-5.0, 0.25), scale).value == pytest.approx(0.6 * 0.5 + 0.4 * 0.5)
    assert convex(Signals(-10.0, -0.2), scale).value == pytest.approx(0.6)


def test_where_nothing_is_near_the_nearest_is_not_near() -> None:
    assert semantic_only(Signals(cosine=0.01), scale_of([Signals(cosine=0.01)])).value == 0.2


def test_rrf_adds_reciprocal_ranks() -> None:
    first = rrf(Signals(-1.0, 0.5, 1, 1), Scale())
    assert first.value == 1.0
    only_words = rrf(Signals(-1.0, None, 2, None), Scale())
    assert only_words.value == pytest.approx((1 / 62) * 61 / 2, abs=1e-6)
    assert rrf(Signals(-1.0, 0.5, 51, 51), Scale()).value == 0.0


def test_akms_formula() -> None:
    both = akm(Signals(-1.0, 0.5), 0.8)
    assert both is not None
    assert both.value == pytest.approx(0.7 * 0.8 + 0.3 * 0.5)
    words = akm(Signals(-1.0), 0.8)
    assert words is not None
    assert words.value == 0.8
    near = akm(Signals(cosine=0.9), None)
    assert near is not None
    assert near.value == pytest.approx(0.27)
    assert akm(Signals(cosine=0.6), None) is None


def test_akms_keyword_score_between_the_worst_and_the_best() -> None:
    scale = Scale(best_bm25=-10.0, worst_bm25=-2.0)
    assert [spread(bm25, scale) for bm25 in (-10.0, -6.0, -2.0, None)] == [1.0, 0.65, 0.3, None]
    assert spread(-3.0, Scale(-3.0, -3.0)) == 1.0


def test_knowledge_weighs_evidence() -> None:
    scale = Scale(best_bm25=-10.0)
    base = knowledge(Signals(-10.0, 1.0), scale, Evidence(1.0, 0.0, 1.0, 1.0, 1.0))
    assert base.value == pytest.approx(0.65 * 0.95 + 0.35)
    weak = knowledge(Signals(-10.0, 1.0), scale, Evidence(0.0, 0.0, 0.35, 0.55, 0.6))
    assert weak.value == pytest.approx(0.65 * 0.95 + 0.035 + 0.055 + 0.03)
