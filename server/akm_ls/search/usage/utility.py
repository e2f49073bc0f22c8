"""What use comes to: pure functions of events and the time that has passed (akm.md §6.4)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

UseKind = Literal["show", "open", "insert"]
Utility = Callable[[str, str], float]
"""The utility of an asset, from 0 to 1, by its bundle and concept id."""

WEIGHTS: dict[str, float] = {"show": 1.0, "open": 1.0, "insert": 2.0}
UNSEARCHED = 0.5
"""The share of a use that no search led to: it was known already."""
DECAY_DAYS = 30.0
"""After so many days a use counts for 1/e, however often the index was built meanwhile."""
HALF = 5.0
"""So many fresh uses make a utility of a half."""
PROJECT_SHARE = 0.7
"""Of use in the project at hand; the rest is use anywhere."""
UTILITY_SHARE = 0.5
"""Of a score, which the greatest utility adds to it."""
MAX_FACTOR = 1.5
DAY = 86_400.0


class Use(NamedTuple):
    """One use of one asset; ``at`` in seconds since 1970."""

    kind: str
    at: float
    in_project: bool
    searched: bool


class Sums(NamedTuple):
    """Decayed uses added up: those in the project at hand, and those anywhere."""

    here: float
    anywhere: float


def weight_of(kind: str, *, searched: bool) -> float:
    """What a fresh use counts."""
    return WEIGHTS.get(kind, 0.0) * (1.0 if searched else UNSEARCHED)


def decayed(seconds: float) -> float:
    """What is left of a use after some time; more than 1 for one that is yet to come."""
    return math.exp(-seconds / DAY / DECAY_DAYS)


def utility_of(uses: Iterable[Use], now: float) -> float:
    """A utility from 0 to 1: 70 % use in the project at hand, 30 % use anywhere, decayed."""
    anywhere = here = 0.0
    for use in uses:
        value = weight_of(use.kind, searched=use.searched) * decayed(max(0.0, now - use.at))
        anywhere += value
        if use.in_project:
            here += value
    return utility_of_sums(Sums(here, anywhere))


def utility_of_sums(sums: Sums) -> float:
    """`utility_of` for uses that are added up already."""
    blend = PROJECT_SHARE * _saturated(sums.here) + (1 - PROJECT_SHARE) * _saturated(sums.anywhere)
    return round(blend, 6)


def utility_factor(utility: float) -> float:
    """What a score may be multiplied by: from 1 to `MAX_FACTOR`, a second opinion at most."""
    return min(MAX_FACTOR, 1 + UTILITY_SHARE * max(0.0, utility))


def _saturated(value: float) -> float:
    return value / (value + HALF)


def no_utility(_bundle: str, _concept_id: str) -> float:
    """Where uses do not count."""
    return 0.0
