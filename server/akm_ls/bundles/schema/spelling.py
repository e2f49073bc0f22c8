"""Which key somebody may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

_CERTAIN_LENGTH = 9
"""Characters from which on one wrong letter leaves no doubt about the word."""


@lru_cache(maxsize=4096)
def same_letters(name: str) -> str:
    """A key without case, hyphens and underscores: what its spellings have in common."""
    return name.replace("-", "").replace("_", "").lower()


def likely(name: str, known: Iterable[str]) -> tuple[str, bool] | None:
    """The known key nearest to ``name``, and whether it can hardly be another one."""
    return _likely(name, tuple(known))


@lru_cache(maxsize=1024)
def _likely(name: str, known: tuple[str, ...]) -> tuple[str, bool] | None:
    letters = same_letters(name)
    best: tuple[int, str] | None = None
    for candidate in known:
        if same_letters(candidate) == letters:
            return candidate, True
        allowed = 1 if len(name) < 8 else 2
        distance = _distance(letters, same_letters(candidate), allowed)
        if len(name) > 3 and distance <= allowed and (best is None or distance < best[0]):
            best = distance, candidate
    if best is None:
        return None
    return best[1], best[0] == 1 and len(letters) >= _CERTAIN_LENGTH


@lru_cache(maxsize=16_384)
def _distance(one: str, other: str, limit: int) -> int:
    """Letters to change, add, drop or swap; ``limit + 1`` for anything above ``limit``."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, char in enumerate(one, 1):
        before, last, row = row, before, [i]
        for j, letter in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (char != letter))
            if i > 1 and j > 1 and char == other[j - 2] and one[i - 2] == letter:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)
