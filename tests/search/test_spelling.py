"""What a misspelled word may have been meant for."""

from __future__ import annotations

import pytest

from akm_ls.search.spelling import may_correct, most_likely


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("databse", {"database": 1}, "database"),
        ("kuberntes", {"kubernetes": 1}, "kubernetes"),
        ("kuebrnetse", {"kubernetes": 1}, "kubernetes"),
        ("tokne", {"token": 1}, "token"),
        ("pyhton", {"python": 1, "photon": 1}, "python"),
        ("doekcr", {"docker": 1}, None),
        ("dtabse", {"database": 1}, None),
        ("review", {"reviewed": 1}, None),
        ("polcies", {"policies": 2, "polices": 9}, "polices"),
        ("xyzzy", {"xylem": 1}, None),
    ],
)
def test_few_slips_and_some_letters_in_common(
    word: str, known: dict[str, int], meant: str | None
) -> None:
    assert most_likely(word, known) == meant


@pytest.mark.parametrize("word", ["go", "sped", "v1beta", "x" * 65, "a-b-c-d"])
def test_short_words_and_those_with_numbers_stay(word: str) -> None:
    assert not may_correct(word)
