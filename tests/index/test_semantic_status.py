"""The state of semantic search from settings, rows and the last run."""

from __future__ import annotations

from typing import Any

import pytest

from akm_ls.embedders.settings import EmbeddingSettings
from akm_ls.index.semantic_status import readiness

M, OTHER = "remote:m|8", "remote:other|8"


def state(*given: Any, **options: Any) -> tuple[str, int, int]:
    found = readiness(*given, **options)
    return found.status, found.embedded, found.missing


@pytest.mark.parametrize(
    ("rows", "embeddable", "wanted"),
    [
        ({M: 3}, 3, ("ready", 3, 0)),
        ({M: 3, OTHER: 2}, 3, ("ready", 3, 0)),
        ({M: 2}, 3, ("pending", 2, 1)),
        ({OTHER: 3}, 3, ("pending", 0, 3)),
        ({}, 3, ("pending", 0, 3)),
        ({}, 0, ("ready", 0, 0)),
    ],
)
def test_it_is_ready_when_every_asset_has_a_vector_of_the_model(
    rows: dict[str, int], embeddable: int, wanted: tuple[str, int, int]
) -> None:
    assert state(M, rows, embeddable) == wanted


def test_without_a_model_it_is_off() -> None:
    found = readiness(None, {M: 3}, 3)
    assert (found.status, found.reason) == ("off", "no embedding model configured")
    assert not found.is_usable


def test_switched_off_it_is_off_whatever_there_is() -> None:
    found = readiness(M, {M: 3}, 3, is_off=True, unusable="x", problem="y")
    assert (found.status, found.reason) == ("off", "akm.semantic.mode is off")


def test_a_run_that_failed_blocks_it_and_says_why() -> None:
    found = readiness(M, {M: 1}, 3, problem="provider failed")
    assert (found.status, found.reason, found.missing) == ("blocked", "provider failed", 2)
    assert found.is_usable, "what has a vector can be found"


def test_a_run_that_failed_is_of_no_matter_when_nothing_is_missing() -> None:
    assert state(M, {M: 3}, 3, problem="provider failed") == ("ready", 3, 0)


def test_a_model_that_cannot_be_used_blocks_it_and_says_why() -> None:
    found = readiness(None, {}, 3, unusable="wordllama is not installed")
    assert (found.status, found.reason) == ("blocked", "wordllama is not installed")
    assert not found.is_usable


def test_pending_says_how_many_and_what_to_do() -> None:
    assert readiness(M, {M: 1}, 3).reason == (
        "2 of 3 assets without a vector of remote:m|8 (akm-ls index --embed)"
    )
    alone = readiness(M, {}, 1).reason
    assert alone == "1 of 1 asset without a vector of remote:m|8 (akm-ls index --embed)"


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({}, "ready"),
        ({"endpoint": "https://elsewhere.example/v1"}, "ready"),
        ({"timeout_ms": 1000}, "ready"),
        ({"model": "other"}, "pending"),
        ({"dimension": 16}, "pending"),
        ({"dimension": None}, "pending"),
    ],
)
def test_another_model_or_dimension_makes_it_pending_and_another_host_does_not(
    changed: dict[str, Any], status: str
) -> None:
    values = {"endpoint": "http://localhost/v1", "model": "m", "dimension": 8, **changed}
    assert state(EmbeddingSettings(**values).remote_id, {M: 3}, 3)[0] == status
