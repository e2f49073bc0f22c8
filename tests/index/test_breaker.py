"""When a run stops asking."""

from __future__ import annotations

from typing import Any

import pytest

from akm_ls.embedders.embedder import Skip
from akm_ls.index.breaker import Breaker

SINGLE_TIMEOUT = Skip((1,), "timeout", "late")
SINGLE_NETWORK = Skip((1,), "network", "reset")
NETWORK = Skip((1, 2, 3), "network", "refused")
TOO_LONG = Skip((1,), "context-window-exceeded", "HTTP 413")
HTTP = Skip((1, 2), "http", "HTTP 500")
MALFORMED = Skip((1,), "malformed", "not JSON")
SUCCESS = None


def opens(*events: Any) -> bool:
    breaker = Breaker()
    for event in events:
        if event is None:
            breaker.succeeded()
        else:
            breaker.failed(event)
    return breaker.is_open


@pytest.mark.parametrize(
    "events",
    [
        [NETWORK] * 3,
        [SINGLE_TIMEOUT] * 3,
        [SINGLE_NETWORK] * 3,
        [SINGLE_TIMEOUT, SINGLE_NETWORK, SINGLE_TIMEOUT],
        [NETWORK, SINGLE_NETWORK, NETWORK],
        [SUCCESS, NETWORK, NETWORK, NETWORK],
        [NETWORK, HTTP, NETWORK, MALFORMED, NETWORK],
        [*[NETWORK] * 3, SUCCESS],
    ],
)
def test_three_in_a_row_open_it(events: list[Any]) -> None:
    assert opens(*events)


@pytest.mark.parametrize(
    "events",
    [
        [],
        [NETWORK] * 2,
        [SINGLE_TIMEOUT] * 2,
        [NETWORK, NETWORK, SUCCESS, NETWORK, NETWORK],
        [NETWORK, NETWORK, TOO_LONG, NETWORK, NETWORK],
        [SINGLE_TIMEOUT, SINGLE_TIMEOUT, TOO_LONG, SINGLE_TIMEOUT],
        [SINGLE_TIMEOUT, SINGLE_TIMEOUT, NETWORK, NETWORK],
        [TOO_LONG] * 9,
        [HTTP] * 9,
        [MALFORMED] * 9,
    ],
)
def test_less_does_not(events: list[Any]) -> None:
    assert not opens(*events)


def test_the_message_names_the_last_reason_and_what_is_kept() -> None:
    breaker = Breaker()
    for _ in range(3):
        breaker.failed(NETWORK)
    assert breaker.message(70) == (
        "embedding provider failed 3 consecutive batches (last: refused); stopped after 70"
        " embeddings were stored — rerun akm index when the endpoint is healthy"
    )
