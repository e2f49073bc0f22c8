"""How good a list of refs is, and whether two ways of searching really differ."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

DEPTH = 10
RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Measures:
    """Of one question; each from 0 to 1."""

    ndcg: float
    reciprocal_rank: float
    recall: float


def measure(found: Sequence[str], groups: Sequence[Collection[str]]) -> Measures:
    """Measure the first ten refs found.

    Args:
        groups: what answers the question; the refs of a group are one answer (copies of it), and
            only the first of them counts.
    """
    gains: list[int] = []
    met: set[int] = set()
    for ref in found[:DEPTH]:
        new = {at for at, group in enumerate(groups) if ref in group} - met
        met |= new
        gains.append(1 if new else 0)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(len(groups), DEPTH)))
    gained = sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains))
    first = next((rank for rank, gain in enumerate(gains, 1) if gain), None)
    return Measures(
        gained / ideal if ideal else 0.0,
        1 / first if first else 0.0,
        sum(gains[:5]) / min(len(groups), 5) if groups else 0.0,
    )


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def paired_difference(
    one: Sequence[float], other: Sequence[float], seed: int = 1
) -> tuple[float, float, float]:
    """``one`` less ``other``, the mean over the same questions, and its 95 % interval."""
    differences = [a - b for a, b in zip(one, other, strict=True)]
    if not differences:
        return 0.0, 0.0, 0.0
    chance = random.Random(seed)
    size = len(differences)
    means = sorted(mean(chance.choices(differences, k=size)) for _ in range(RESAMPLES))
    return mean(differences), means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]
