"""A run over many documents: what fails is asked again, halved or left out."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

import pytest

from akm_ls.embedders.embedder import Document, EmbeddingCancelled, EmbeddingError
from akm_ls.embedders.failures import (
    Busy,
    ContextExceeded,
    HttpFailure,
    Malformed,
    NetworkFailure,
    RequestTimeout,
)
from akm_ls.embedders.remote import RemoteEmbedder
from akm_ls.embedders.remote_run import backoff
from akm_ls.embedders.settings import EmbeddingSettings

from .conftest import Bench, Log, Sent
from .endpoint import Answer, Endpoint, openai

FULL = "a" * 2048
"""A text of 512 estimated tokens; eleven of them fill a request."""


def numbered(count: int) -> list[str]:
    return [f"text {number}" for number in range(count)]


# Where nothing fails.


def test_every_document_gets_its_vector(bench: Bench, log: Log) -> None:
    bench.run(log, numbered(250))
    assert sorted(log.stored) == list(range(250))
    assert bench.transport.sizes == [100, 100, 50]
    assert log.skips == []
    assert bench.transport.closed == 1


def test_no_documents_no_request(bench: Bench, log: Log) -> None:
    bench.run(log, [])
    assert bench.transport.sent == []


def test_documents_are_taken_as_they_are_needed(bench: Bench, log: Log) -> None:
    taken: list[int] = []

    def texts() -> Iterator[str]:
        for number in range(300):
            taken.append(number)
            yield FULL

    waiting: list[int] = []
    bench.transport.reply = lambda sent: waiting.append(len(taken)) or 0
    bench.run(log, texts())
    assert waiting[:3] == [12, 23, 34]


@pytest.mark.parametrize(
    ("endpoint", "concurrency", "at_once"),
    [
        ("http://localhost:1/v1", None, 1),
        ("https://h.example/v1", None, 2),
        ("http://localhost:1/v1", 5, 5),
    ],
)
def test_so_many_requests_are_on_their_way_at_once(
    bench: Bench, log: Log, endpoint: str, concurrency: int | None, at_once: int
) -> None:
    bench.transport.reply = lambda sent: 1.0
    bench.run(log, [FULL] * 110, endpoint=endpoint, concurrency=concurrency)
    assert bench.transport.most_running == at_once
    assert len(log.stored) == 110


def test_a_request_gets_time_by_its_share_of_the_budget(bench: Bench, log: Log) -> None:
    bench.run(log, [FULL] * 12)
    assert [sent.timeout for sent in bench.transport.sent] == [pytest.approx(112.64), 30.0]


def test_the_heartbeat_comes_every_15_seconds(bench: Bench, log: Log) -> None:
    bench.transport.replies = [50.0]
    bench.run(log, ["slow"])
    assert log.waits == 3


# Too long for the endpoint.


def test_a_document_above_the_budget_is_never_sent(bench: Bench, log: Log) -> None:
    bench.run(log, ["small", "b" * 4000, "other"], max_tokens=600)
    assert [sent.texts for sent in bench.transport.sent] == [["small"], ["other"]]
    (skip,) = log.skips
    assert (skip.keys, skip.kind) == ((1,), "context-window-exceeded")
    assert "1000 tokens exceed the request budget of 600" in skip.reason


def test_a_request_that_is_too_long_is_halved_until_it_fits(bench: Bench, log: Log) -> None:
    bench.transport.reply = lambda sent: ContextExceeded("x") if len(sent.texts) > 2 else 0
    bench.run(log, numbered(8))
    assert bench.transport.sizes == [8, 4, 2, 2, 4, 2, 2]
    assert sorted(log.stored) == list(range(8))
    assert log.skips == []
    assert bench.clock.pauses == [0.001] * 4, "nothing waits"


def test_a_single_document_that_is_too_long_is_left_out(bench: Bench, log: Log) -> None:
    bench.transport.reply = lambda sent: (
        ContextExceeded("HTTP 413") if "text 2" in sent.texts else 0
    )
    bench.run(log, numbered(5))
    assert sorted(log.stored) == [0, 1, 3, 4]
    (skip,) = log.skips
    assert (skip.keys, skip.kind, skip.reason) == ((2,), "context-window-exceeded", "HTTP 413")


def test_the_first_rejection_makes_everything_after_it_smaller(bench: Bench, log: Log) -> None:
    bench.transport.replies = [ContextExceeded("x")]
    bench.run(log, [FULL] * 33)
    assert bench.transport.sizes == [11, 5, 6, 8, 8, 6]
    assert len(log.notices) == 1
    assert "4500 tokens" in log.notices[0]


def test_a_later_rejection_changes_the_budget_no_more(bench: Bench, log: Log) -> None:
    bench.transport.reply = lambda sent: ContextExceeded("x") if len(sent.texts) > 7 else 0
    bench.run(log, [FULL] * 33)
    assert bench.transport.sizes == [11, 5, 6, 8, 4, 4, 8, 4, 4, 6]
    assert len(log.notices) == 1


# Too slow.


def test_a_timeout_is_asked_again_after_five_seconds(bench: Bench, log: Log) -> None:
    bench.transport.replies = [RequestTimeout("x")]
    bench.run(log, numbered(4))
    assert bench.transport.sizes == [4, 4]
    assert bench.transport.sent[1].at - bench.transport.sent[0].at == pytest.approx(5.0)
    assert len(log.stored) == 4


def test_a_second_timeout_halves_and_each_half_gets_its_two_tries(bench: Bench, log: Log) -> None:
    bench.transport.reply = lambda sent: RequestTimeout("x") if len(sent.texts) > 1 else 0
    bench.run(log, numbered(4))
    assert bench.transport.sizes == [4, 4, 2, 2, 1, 1, 2, 2, 1, 1]
    assert [pause for pause in bench.clock.pauses if pause >= 1] == [5.0] * 3
    assert sorted(log.stored) == [0, 1, 2, 3]


def test_being_slow_changes_the_budget_not_at_all(bench: Bench, log: Log) -> None:
    bench.transport.replies = [RequestTimeout("x")] * 2
    bench.run(log, [FULL] * 33)
    assert bench.transport.sizes == [11, 11, 5, 6, 11, 11]
    assert log.notices == []


def test_a_single_document_that_is_too_slow_twice_is_left_out(bench: Bench, log: Log) -> None:
    bench.transport.reply = lambda sent: RequestTimeout("late") if "text 1" in sent.texts else 0
    bench.run(log, numbered(2))
    assert bench.transport.sizes == [2, 2, 1, 1, 1]
    assert [(skip.keys, skip.kind, skip.reason) for skip in log.skips] == [
        ((1,), "timeout", "late")
    ]


def test_waits_double_from_5_to_60_seconds() -> None:
    assert [backoff(attempt) for attempt in range(6)] == [5.0, 10.0, 20.0, 40.0, 60.0, 60.0]


def test_an_endpoint_that_is_busy_is_asked_again_when_it_says(bench: Bench, log: Log) -> None:
    bench.transport.replies = [
        Busy("HTTP 429", 7.0),
        Busy("HTTP 429", None),
        Busy("HTTP 429", None),
    ]
    bench.run(log, numbered(3))
    assert [pause for pause in bench.clock.pauses if pause >= 1] == [7.0, 10.0, 20.0]
    assert len(log.stored) == 3


def test_an_endpoint_that_is_busy_for_long_loses_the_batch(bench: Bench, log: Log) -> None:
    bench.transport.replies = [Busy("HTTP 429", 3600.0)]
    bench.run(log, numbered(3))
    assert bench.transport.sizes == [3]
    assert [(skip.size, skip.kind) for skip in log.skips] == [(3, "http")]


def test_an_endpoint_that_stays_busy_loses_the_batch(bench: Bench, log: Log) -> None:
    bench.transport.reply = lambda sent: Busy("HTTP 429", None)
    bench.run(log, numbered(3))
    assert bench.transport.sizes == [3] * 5
    assert [pause for pause in bench.clock.pauses if pause >= 1] == [5.0, 10.0, 20.0, 40.0]


# Anything else.


@pytest.mark.parametrize(
    "failure", [NetworkFailure("reset"), HttpFailure("HTTP 500"), Malformed("not JSON")]
)
def test_any_other_failure_loses_its_batch_at_once(
    bench: Bench, log: Log, failure: Exception
) -> None:
    bench.transport.replies = [failure]
    bench.run(log, numbered(150))
    assert bench.transport.sizes == [100, 50]
    (skip,) = log.skips
    assert (skip.size, skip.reason) == (100, str(failure))
    assert sorted(log.stored) == list(range(100, 150))


def test_where_asking_again_is_of_no_use_the_run_ends(bench: Bench, log: Log) -> None:
    bench.transport.replies = [0, EmbeddingError("refuses the API key")]
    with pytest.raises(EmbeddingError, match="refuses the API key"):
        bench.run(log, numbered(500))
    assert bench.transport.sizes == [100, 100]
    assert len(log.stored) == 100
    assert bench.transport.closed == 1


def test_vectors_of_another_length_than_configured_end_the_run(bench: Bench, log: Log) -> None:
    with pytest.raises(
        EmbeddingError, match=r"vectors of 8 numbers, akm\.embedding\.dimension says 384"
    ):
        bench.run(log, numbered(3), dimension=384)
    assert log.stored == {}


def test_vectors_that_change_their_length_end_the_run(bench: Bench, log: Log) -> None:
    def grow(sent: Sent) -> float:
        bench.transport.dims = 8 if sent is bench.transport.sent[0] else 16
        return 0

    bench.transport.reply = grow
    with pytest.raises(EmbeddingError, match="vectors of 16 numbers, the ones before had 8"):
        bench.run(log, numbered(150))
    assert len(log.stored) == 100


def test_what_the_caller_raises_ends_the_run_and_comes_back(bench: Bench, log: Log) -> None:
    def full(keys: object, vectors: object) -> None:
        raise OSError("the disk is full")

    embedder = RemoteEmbedder(
        EmbeddingSettings(endpoint="http://localhost/v1", model="m"),
        transport=lambda: bench.transport,
        clock=bench.clock,
    )
    watch = log.watch.__class__(full)
    with pytest.raises(OSError, match="the disk is full"):
        embedder.embed_documents([Document(at, FULL) for at in range(100)], watch)
    assert bench.transport.sizes == [11]


# The caller decides.


def test_a_caller_that_says_no_ends_the_run_without_an_error(bench: Bench, log: Log) -> None:
    bench.transport.reply = lambda sent: (
        NetworkFailure("down") if len(bench.transport.sent) > 1 else 0
    )
    log.go_on = lambda skip: len(log.skips) < 3
    bench.run(log, numbered(1000))
    assert bench.transport.sizes == [100] * 4
    assert len(log.stored) == 100


def test_a_caller_that_says_no_waits_for_no_other_request(bench: Bench, log: Log) -> None:
    bench.transport.reply = lambda sent: (
        100_000.0 if len(bench.transport.sent) == 1 else NetworkFailure("down")
    )
    log.go_on = lambda skip: False
    bench.run(log, [FULL] * 100, concurrency=2)
    assert bench.clock.now < 1000
    assert log.stored == {}


def test_a_caller_that_cancels_is_not_a_failure(bench: Bench, log: Log) -> None:
    log.cancelled = lambda: len(log.batches) == 2
    with pytest.raises(EmbeddingCancelled):
        bench.run(log, numbered(1000))
    assert len(log.stored) == 200
    assert log.skips == []


def test_a_caller_need_not_wait_for_an_endpoint_that_hangs(endpoint: Endpoint, log: Log) -> None:
    endpoint.script(openai, Answer(hang=True))
    log.cancelled = lambda: len(endpoint.requests) == 2
    embedder = RemoteEmbedder(EmbeddingSettings(endpoint=endpoint.url, model="m"))
    started = time.monotonic()
    with pytest.raises(EmbeddingCancelled):
        embedder.embed_documents([Document(at, "a") for at in range(150)], log.watch)
    assert time.monotonic() - started < 15, "the timeout is 30 seconds"
    assert len(log.stored) == 100


# Against a real endpoint.


def test_a_run_over_http_gets_over_one_of_each_failure(endpoint: Endpoint, log: Log) -> None:
    endpoint.script(
        Answer(413),
        openai,
        openai,
        Answer(429, "", {"Retry-After": "0"}),
        openai,
        Answer(reset=True),
        Answer(200, '{"data": ['),
        Answer(500, "oh"),
    )
    embedder = RemoteEmbedder(EmbeddingSettings(endpoint=endpoint.url, model="m"))
    embedder.embed_documents([Document(at, f"text {at}") for at in range(600)], log.watch)
    assert [(skip.size, skip.kind) for skip in log.skips] == [
        (100, "network"),
        (100, "malformed"),
        (100, "http"),
    ]
    assert len(log.stored) == 300
    assert embedder.dims == 8


def test_a_query_is_one_request(endpoint: Endpoint) -> None:
    embedder = RemoteEmbedder(EmbeddingSettings(endpoint=endpoint.url, model="m"))
    assert embedder.embed_query("a query").shape == (8,)
    assert endpoint.texts == ["a query"]


@pytest.mark.parametrize(("timeout_ms", "seconds"), [(120_000, 10.0), (3_000, 3.0)])
def test_a_query_waits_ten_seconds_at_most(bench: Bench, timeout_ms: int, seconds: float) -> None:
    embedder = RemoteEmbedder(
        EmbeddingSettings(endpoint="http://localhost/v1", model="m", timeout_ms=timeout_ms),
        transport=lambda: bench.transport,
    )
    embedder.embed_query("a query")
    assert [sent.timeout for sent in bench.transport.sent] == [seconds]
    assert bench.transport.closed == 1


def test_a_query_without_an_answer_is_an_error_with_the_reason(endpoint: Endpoint) -> None:
    endpoint.script(Answer(500, "overloaded"))
    embedder = RemoteEmbedder(EmbeddingSettings(endpoint=endpoint.url, model="m"))
    with pytest.raises(EmbeddingError, match="no answer: HTTP 500: overloaded"):
        embedder.embed_query("a query")


def test_the_endpoint_has_no_part_in_the_fingerprint() -> None:
    here, there = (
        RemoteEmbedder(EmbeddingSettings(endpoint=url, model="bge-m3", dimension=1024))
        for url in ("http://localhost:1/v1", "https://h.example/v1")
    )
    assert here.id == there.id == "remote:bge-m3|1024"


@pytest.mark.parametrize("changed", [{"model": "other"}, {"dimension": 512}, {"dimension": None}])
def test_model_and_dimension_are_the_fingerprint(changed: dict[str, object]) -> None:
    values = {"endpoint": "http://localhost:1/v1", "model": "bge-m3", "dimension": 1024}
    first, second = (
        RemoteEmbedder(EmbeddingSettings(**settings)).id  # type: ignore[arg-type]
        for settings in (values, {**values, **changed})
    )
    assert first != second


def test_every_fingerprint_is_distinct() -> None:
    made = [
        EmbeddingSettings(model=model, dimension=dimension).remote_id
        for model, dimension in itertools.product(("a", "b"), (None, 1, 2))
    ]
    assert len(set(made)) == len(made)
