"""How texts are cut and grouped into requests."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akm_ls.embedders.batching import Batcher, capped, estimated_tokens, scaled_timeout
from akm_ls.embedders.embedder import Document
from akm_ls.embedders.settings import EmbeddingSettings


def sizes(*texts: str, budget: int = 6000, documents: int = 100) -> list[int]:
    batcher = Batcher((Document(at, text) for at, text in enumerate(texts)), budget, documents, 512)
    found = []
    while batch := batcher.take():
        found.append(len(batch.documents))
    return found


def test_the_defaults_are_the_documented_ones() -> None:
    settings = EmbeddingSettings()
    assert settings.max_input_tokens == 512
    assert settings.max_tokens == 6000
    assert settings.batch_size == 100
    assert settings.timeout_ms == 120_000


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abc", 1), ("abcd", 1), ("abcde", 2)])
def test_four_characters_are_estimated_as_one_token(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


def test_a_text_within_the_cap_stays_as_it_is() -> None:
    assert capped("a" * 2048, 512) == ("a" * 2048, False)


def test_a_longer_text_keeps_its_head() -> None:
    assert capped("ab" * 2000, 512) == ("ab" * 1024, True)


@pytest.mark.parametrize(
    "joined",
    [
        "e\u0301",  # e and its accent
        "👩\u200d🚀",  # joined to an astronaut
        "👍🏽",  # a hand and its colour
        "क\u093f",  # a letter and its vowel
    ],
)
def test_the_cut_is_never_inside_what_a_reader_sees_as_one_character(joined: str) -> None:
    head, cut = capped("x" * 7 + joined + "y" * 20, 2)
    assert cut
    assert head == "x" * 7


@given(st.text(max_size=300), st.integers(1, 40))
def test_a_head_is_a_beginning_of_the_text_that_fits(text: str, limit: int) -> None:
    head, cut = capped(text, limit)
    assert text.startswith(head)
    assert estimated_tokens(head) <= limit
    assert cut == (len(text) > 4 * limit)
    # Runs of marks without end are no characters of any script.
    marks = sum(unicodedata.category(char)[0] == "M" or char == "\u200d" for char in text)
    assert marks or not cut or len(head.rstrip()) == len(text[: 4 * limit].rstrip())


def test_about_eleven_full_documents_go_into_a_request() -> None:
    assert sizes(*["a" * 2048] * 25) == [11, 11, 3]


def test_a_hundred_small_documents_are_enough_for_one_request() -> None:
    assert sizes(*["a"] * 250) == [100, 100, 50]


def test_a_document_above_the_budget_is_alone() -> None:
    assert sizes("a", "b" * 100, "c", "d", budget=10) == [1, 1, 2]


def test_a_smaller_budget_counts_for_everything_not_yet_taken() -> None:
    batcher = Batcher((Document(at, "a" * 2048) for at in range(30)), 6000, 100, 512)
    first, second = batcher.take(), None
    assert batcher.shrink() == 4500
    second = batcher.take()
    assert first is not None
    assert second is not None
    assert (len(first.documents), len(second.documents)) == (11, 8)


def test_the_budget_shrinks_once() -> None:
    batcher = Batcher((), 6000, 100, 512)
    assert [batcher.shrink(), batcher.shrink()] == [4500, None]
    assert batcher.budget == 4500


@pytest.mark.parametrize(("budget", "smaller"), [(1200, 1024), (1024, None), (600, None)])
def test_the_budget_stays_at_two_full_documents(budget: int, smaller: int | None) -> None:
    batcher = Batcher((), budget, 100, 512)
    assert batcher.shrink() == smaller
    assert batcher.budget == (smaller or budget)


@pytest.mark.parametrize(
    ("tokens", "seconds"),
    [(6000, 120.0), (3000, 60.0), (1500, 30.0), (100, 30.0), (1, 30.0), (9000, 120.0)],
)
def test_a_request_gets_time_by_its_size(tokens: int, seconds: float) -> None:
    assert scaled_timeout(120_000, tokens, 6000) == seconds


def test_a_timeout_below_thirty_seconds_is_for_every_request() -> None:
    assert scaled_timeout(10_000, 10, 6000) == 10.0
    assert scaled_timeout(10_000, 6000, 6000) == 10.0


@pytest.mark.parametrize(
    ("endpoint", "override", "width"),
    [
        ("http://localhost:8080/v1", None, 1),
        ("http://127.0.0.1:8080/v1", None, 1),
        ("https://api.example.org/v1", None, 2),
        ("http://localhost:8080/v1", 4, 4),
        ("https://api.example.org/v1", 1, 1),
        ("https://api.example.org/v1", 99, 16),
        ("https://api.example.org/v1", 0, 1),
    ],
)
def test_one_request_at_once_on_this_machine_and_two_elsewhere(
    endpoint: str, override: int | None, width: int
) -> None:
    settings = EmbeddingSettings(endpoint=endpoint, concurrency=override)
    assert settings.effective_concurrency == width
