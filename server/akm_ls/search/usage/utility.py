"""What use comes to: pure functions of events and the time that has passed (akm.md §6.4)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal, NamedTuple

UseKind = Literal["show", "open", "insert"]

WEIGHTS: dict[str, float] = {"show": 1.0, "open": 1.0, "insert": 2.0}
UNSEARCHED = 0.5
"""The share of a use that no search led to: it was known already."""
DECAY_DAYS = 30.0
"""After so many days a use counts for 1/e, however often the index was built meanwhile."""
HALF = 5.0
"""So many fresh uses make a utility of a half."""
PROJECT_SHARE = 0.7
"""Of use in the project at hand; the rest is use anywhere."""
MAX_FACTOR = 1.5
DAY = 86_400.0


class Use(NamedTuple):
    """One use of one asset; ``at`` in seconds since 1970."""

    kind: str
    at: float
    in_project: bool
    searched: bool


def utility_of(uses: Iterable[Use], now: float) -> float:
    """A utility from 0 to 1: 70 % use in the project at hand, 30 % use anywhere, decayed."""
    anywhere = in_project = 0.0
    for use in uses:
        days = max(0.0, now - use.at) / DAY
        weight = WEIGHTS.get(use.kind, 0.0) * (1.0 if use.searched else UNSEARCHED)
        value = weight * math.exp(-days / DECAY_DAYS)
        anywhere += value
        if use.in_project:
            in_project += value
    blend = PROJECT_SHARE * _saturated(in_project) + (1 - PROJECT_SHARE) * _saturated(anywhere)
    return round(blend, 6)


def utility_factor(utility: float) -> float:
    """What a score may be multiplied by: from 1 to `MAX_FACTOR`, a second opinion at most."""
    return min(MAX_FACTOR, 1 + 0.5 * max(0.0, utility))


def _saturated(value: float) -> float:
    return value / (value + HALF)
