"""What a word that nobody uses may have been meant for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from akm_ls.index.near_misses import slips

MIN_LETTERS = 5
"""Shorter words have too many neighbours."""
MOST_SLIPS = 2
_TWO_SLIPS_FROM = 8
_MAX_LETTERS = 64


class Correction(NamedTuple):
    """A word of the query, and the word of the library that was looked for with it."""

    word: str
    meant: str


def may_correct(word: str) -> bool:
    return MIN_LETTERS <= len(word) <= _MAX_LETTERS and word.isalpha()


def most_likely(word: str, known: Mapping[str, int]) -> str | None:
    """The word of ``known`` that ``word`` may be a slip of; ``None``: there is none.

    One slip (a letter too many, too few, wrong, or two exchanged), two from eight letters on, and
    three letters in a row in common, or all letters: exchanging two in the middle of a short word
    leaves no three of them together. The fewest slips win, then the most frequent word.

    Args:
        word: one for which `may_correct` holds.
        known: words that begin with the same letter, and how often they are used.
    """
    most = MOST_SLIPS if len(word) >= _TWO_SLIPS_FROM else 1
    runs, letters = _runs(word), sorted(word)
    best: tuple[int, int, str] | None = None
    for other, count in known.items():
        if abs(len(other) - len(word)) > most:
            continue
        if runs.isdisjoint(_runs(other)) and letters != sorted(other):
            continue
        apart = slips(word, other, most)
        if apart <= most:
            found = (apart, -count, other)
            if best is None or found < best:
                best = found
    return None if best is None else best[2]


def _runs(word: str) -> set[str]:
    return {word[at : at + 3] for at in range(len(word) - 2)}
