"""One score of two: how well the words match, and how near the meaning is.

Pure functions of the candidates. Both values are exact for every candidate, whichever lane found
it, so that being found by one more lane changes nothing by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

Fusion = Literal["convex", "rrf", "akm", "knowledge"]
FUSIONS: tuple[Fusion, ...] = get_args(Fusion)

ALPHA = 0.6
"""The words' share in `convex`; measured: docs/search-quality.md."""
RRF_K = 60
RRF_DEPTH = 50
_LEAST_BEST_COSINE = 0.05
"""Where nothing is near, the nearest is not taken for near."""
AKM_KEYWORD, AKM_SEMANTIC = 0.7, 0.3
AKM_LEAST = 0.2
"""akm's ``search.minScore``: what only its vector found is dropped below this."""
_DIGITS = 6


class Signals(NamedTuple):
    """What is known of one candidate.

    ``bm25`` is SQLite's (negative, smaller is better), ``None`` without a match; ``cosine`` is
    ``None`` for an asset without a vector; the ranks begin at 1, ``None``: not among the first.
    """

    bm25: float | None = None
    cosine: float | None = None
    lexical_rank: int | None = None
    semantic_rank: int | None = None


@dataclass(frozen=True, slots=True)
class Scale:
    """What the candidates' values are measured against: the same for every page of an answer."""

    best_bm25: float = 0.0
    worst_bm25: float = 0.0
    best_cosine: float = 0.0
    usual_semantic: float = 0.0
    """The mean of what the first candidates with a vector have: an asset without one gets it."""


class Base(NamedTuple):
    """A score before boosts, and the two parts it is made of on the scale from 0 to 1.

    ``semantic`` is ``None`` where the meaning has no part in it.
    """

    value: float
    keyword: float
    semantic: float | None = None


def scale_of(signals: Sequence[Signals]) -> Scale:
    """The scale of an answer, from its first candidates of either lane."""
    bm25 = [item.bm25 for item in signals if item.bm25 is not None]
    cosines = [item.cosine for item in signals if item.cosine is not None]
    best = max(cosines, default=0.0)
    top = max(best, _LEAST_BEST_COSINE)
    near = [min(1.0, max(0.0, cosine) / top) for cosine in cosines]
    return Scale(
        min(bm25, default=0.0),
        max(bm25, default=0.0),
        best,
        sum(near) / len(near) if near else 0.0,
    )


def keyword_part(bm25: float | None, scale: Scale) -> float:
    """bm25 as a share of the best candidate's."""
    if bm25 is None or scale.best_bm25 >= 0:
        # Rows that match with no weight at all: every word is in most of the index.
        return 0.0 if bm25 is None else 1.0
    return round(min(1.0, max(0.0, bm25 / scale.best_bm25)), _DIGITS)


def _nearness(cosine: float, best: float) -> float:
    return min(1.0, max(0.0, cosine) / max(best, _LEAST_BEST_COSINE))


def semantic_part(cosine: float | None, scale: Scale) -> float:
    """The cosine as a share of the best candidate's; the usual one for an asset without a vector.

    Nothing would put every such asset behind, and leaving the part out would put it ahead.
    """
    near = scale.usual_semantic if cosine is None else _nearness(cosine, scale.best_cosine)
    return round(near, _DIGITS)


def lexical(signals: Signals, scale: Scale) -> Base:
    """Without vectors: the words alone."""
    keyword = keyword_part(signals.bm25, scale)
    return Base(keyword, keyword)


def convex(signals: Signals, scale: Scale, alpha: float = ALPHA) -> Base:
    """``alpha`` parts words and the rest meaning. Grows with both and with nothing else."""
    keyword = keyword_part(signals.bm25, scale)
    semantic = semantic_part(signals.cosine, scale)
    return Base(round(alpha * keyword + (1 - alpha) * semantic, _DIGITS), keyword, semantic)


def semantic_only(signals: Signals, scale: Scale) -> Base:
    semantic = semantic_part(signals.cosine, scale)
    return Base(semantic, 0.0, semantic)


def rrf(signals: Signals, scale: Scale) -> Base:
    """Reciprocal rank fusion, as a share of what being first in both lanes gives."""
    ranks = (signals.lexical_rank, signals.semantic_rank)
    total = sum(1 / (RRF_K + rank) for rank in ranks if rank is not None and rank <= RRF_DEPTH)
    return Base(
        round(total * (RRF_K + 1) / 2, _DIGITS),
        keyword_part(signals.bm25, scale),
        semantic_part(signals.cosine, scale),
    )


def akm(signals: Signals, keyword: float | None) -> Base | None:
    """akm's published formula; ``None``: it drops the candidate.

    A match without a vector keeps all of its keyword score, and one with a vector most of it.

    Args:
        keyword: the keyword score on akm's scale, ``None`` without a match.
    """
    cosine = signals.cosine
    if keyword is None:
        value = AKM_SEMANTIC * (cosine or 0.0)
        return None if value < AKM_LEAST else Base(round(value, _DIGITS), 0.0, cosine)
    if cosine is None:
        return Base(keyword, keyword)
    value = AKM_KEYWORD * keyword + AKM_SEMANTIC * cosine
    return Base(round(value, _DIGITS), keyword, round(cosine, _DIGITS))


def spread(bm25: float | None, scale: Scale) -> float | None:
    """bm25 between the worst and the best candidate on the scale from .3 to 1 (akm.md §6.3)."""
    if bm25 is None:
        return None
    width = scale.worst_bm25 - scale.best_bm25
    share = 1.0 if width <= 0 else (scale.worst_bm25 - bm25) / width
    return round(0.3 + 0.7 * min(1.0, max(0.0, share)), _DIGITS)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What `knowledge` looks at besides the lanes; every value is a share from 0 to 1."""

    covered: float
    """The share of the query's words that the asset holds."""
    named: float
    """The share that its name and description hold."""
    cited: float
    fresh: float
    authority: float


def knowledge(signals: Signals, scale: Scale, evidence: Evidence) -> Base:
    """Two lanes and the catalog added up, then weighed against what speaks for the source."""
    keyword = keyword_part(signals.bm25, scale)
    semantic = None if signals.cosine is None else (min(1.0, max(-1.0, signals.cosine)) + 1) / 2
    catalog = min(0.85, 0.35 + 0.5 * evidence.named) if evidence.named else 0.0
    base = min(1.0, 0.55 * keyword + 0.4 * (semantic or 0.0) + 0.35 * catalog)
    value = (
        0.65 * base
        + 0.1 * evidence.covered
        + 0.1 * evidence.cited
        + 0.1 * evidence.fresh
        + 0.05 * evidence.authority
    )
    return Base(
        round(min(1.0, value), _DIGITS),
        keyword,
        None if semantic is None else round(semantic, _DIGITS),
    )
