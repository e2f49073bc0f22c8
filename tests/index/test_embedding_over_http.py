"""What an endpoint is sent in one run over an index, by the endpoint's own log."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from akm_ls.embedders.remote import RemoteEmbedder
from akm_ls.embedders.settings import EmbeddingSettings
from akm_ls.index.embedding import EmbeddingReport, run_embedding
from embedders.endpoint import Answer, Endpoint, Request, ollama, openai

from .conftest import Page, Site

FULL = "word " * 1000
"""A body of more than 512 tokens."""
FASTER = 50
"""Waits of a run are this much shorter than they say."""
LATE = 1.0
"""Seconds after which an endpoint is too late, where a test says so."""


class FastClock:
    """Real time, only faster."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(seconds / FASTER)

    @property
    def pauses(self) -> list[float]:
        """Without the 15 seconds between two heartbeats."""
        return [seconds for seconds in self.slept if seconds != 15.0]


class Run:
    """Indexed pages, an endpoint, and what a run between them said."""

    def __init__(self, site: Site, page: Page, endpoint: Endpoint) -> None:
        self.site = site
        self.endpoint = endpoint
        self.clock = FastClock()
        self.lines: list[tuple[str, str]] = []
        self.page = page

    def pages(self, count: int, body: str = "") -> None:
        files = {f"team/knowledge/k{at:03}.md": self.page(f"about {at}") for at in range(count)}
        self.site.write({path: text + body for path, text in files.items()})
        self.site.index()

    def embed(self, url: str | None = None, **settings: Any) -> EmbeddingReport:
        values = {"endpoint": url or self.endpoint.url, "model": "m", **settings}
        made = EmbeddingSettings(**values)
        return run_embedding(
            self.site.store_path,
            self.site.set(),
            RemoteEmbedder(made, clock=self.clock),
            max_input_tokens=made.max_input_tokens,
            on_line=lambda kind, text: self.lines.append((kind, text)),
        )

    def said(self, kind: str) -> list[str]:
        return [text for its_kind, text in self.lines if its_kind == kind]

    @property
    def sent(self) -> list[list[str]]:
        """The names of the pages in each request."""
        return [
            [text.partition("\n")[0] for text in request.texts]
            for request in self.endpoint.requests
        ]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


@pytest.fixture
def run(site: Site, page: Page, endpoint: Endpoint) -> Run:
    return Run(site, page, endpoint)


def tokens(request: Request) -> int:
    return sum(-(-len(text) // 4) for text in request.texts)


def late(answer: Callable[[Request], Answer] = openai) -> Callable[[Request], Answer]:
    def behave(request: Request) -> Answer:
        time.sleep(1.5 * LATE)
        return answer(request)

    return behave


# Sizes and order.


def test_by_default_eleven_full_documents_in_a_request_in_the_order_of_paths(run: Run) -> None:
    run.pages(30, FULL)
    report = run.embed()
    assert run.endpoint.sizes == [11, 11, 8]
    assert [name for names in run.sent for name in names] == [f"k{at:03}" for at in range(30)]
    assert all(tokens(request) <= 6000 for request in run.endpoint.requests)
    assert {len(text) for text in run.endpoint.texts} <= {2047, 2048}, "512 tokens each"
    assert (report.stored, report.truncated) == (30, 30)
    assert [it for it in run.said("notice") if "tokens" in it] == [
        "Embedded only the first 512 tokens of 30 entries."
    ]


def test_by_default_a_hundred_small_documents_in_a_request(run: Run) -> None:
    run.pages(250)
    run.embed()
    assert run.endpoint.sizes == [100, 100, 50]


def test_tokens_and_documents_of_a_request_are_settings(run: Run) -> None:
    run.pages(30, FULL)
    run.embed(max_tokens=3000, batch_size=4)
    assert run.endpoint.sizes == [4] * 7 + [2]
    run.endpoint.requests.clear()
    run.site.sql("DELETE FROM embeddings")
    run.embed(max_tokens=1100, max_input_tokens=100)
    assert run.endpoint.sizes == [11, 11, 8]
    assert max(map(len, run.endpoint.texts)) == 400


def test_a_document_above_the_budget_never_goes_over_http(run: Run) -> None:
    run.pages(3)
    run.site.write({"team/knowledge/k001.md": run.page("about much") + FULL}, settled=False)
    run.site.index()
    report = run.embed(max_tokens=600, max_input_tokens=5000)
    assert [name for names in run.sent for name in names] == ["k000", "k002"]
    assert (report.stored, report.failed, report.missing) == (2, 1, 1)


def test_the_context_length_is_ollamas_num_ctx_and_no_budget(run: Run) -> None:
    run.pages(30, FULL)
    run.endpoint.behave = ollama
    run.embed(f"http://127.0.0.1:{run.endpoint.port}/api/embed", context_length=64)
    assert run.endpoint.sizes == [11, 11, 8]
    assert {request.path for request in run.endpoint.requests} == {"/api/embed"}
    assert all(it.body["options"] == {"num_ctx": 64} for it in run.endpoint.requests)


def test_a_page_without_any_text_is_nothing_to_embed(run: Run) -> None:
    run.site.write({"team/knowledge/_.md": "", "team/knowledge/a.md": run.page("about a")})
    run.site.index()
    report = run.embed()
    assert run.sent == [["a"]]
    assert (report.pending, report.missing) == (1, 0)


# How many at once.


@pytest.mark.parametrize(
    ("host", "concurrency", "at_once"),
    [("127.0.0.1", None, 1), ("models.example", None, 2), ("127.0.0.1", 3, 3)],
)
def test_one_at_once_on_this_machine_and_two_elsewhere(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    host: str,
    concurrency: int | None,
    at_once: int,
) -> None:
    resolve = socket.getaddrinfo

    def here(name: Any, *more: Any, **options: Any) -> Any:
        is_elsewhere = name in ("models.example", b"models.example")
        return resolve("127.0.0.1" if is_elsewhere else name, *more, **options)

    monkeypatch.setattr(socket, "getaddrinfo", here)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)

    def slow(request: Request) -> Answer:
        time.sleep(0.1)
        return openai(request)

    run.endpoint.behave = slow
    run.pages(12)
    run.embed(f"http://{host}:{run.endpoint.port}/v1", concurrency=concurrency, batch_size=1)
    assert run.endpoint.most_running == at_once
    assert sorted(name for names in run.sent for name in names) == [f"k{at:03}" for at in range(12)]


# Too long.


@pytest.mark.parametrize(
    "rejection",
    [
        Answer(413, "Request Entity Too Large"),
        Answer(400, '{"error": {"type": "exceed_context_size_error", "message": "too big"}}'),
        Answer(500, '{"error": {"message": "input is too large to process. increase it"}}'),
        Answer(500, '{"error": {"message": "physical batch size: 512"}}'),
        Answer(500, '{"error": {"message": "set a larger ubatch"}}'),
    ],
)
def test_a_rejected_request_is_halved_at_once_down_to_the_one_that_is_too_long(
    run: Run, rejection: Answer
) -> None:
    run.endpoint.behave = lambda it: rejection if "k002" in str(it.texts) else openai(it)
    run.pages(8)
    report = run.embed()
    assert run.sent == [
        ["k000", "k001", "k002", "k003", "k004", "k005", "k006", "k007"],
        ["k000", "k001", "k002", "k003"],
        ["k000", "k001"],
        ["k002", "k003"],
        ["k002"],
        ["k003"],
        ["k004", "k005", "k006", "k007"],
    ]
    assert (report.stored, report.failed, report.problem) == (7, 1, None)
    assert run.clock.pauses == []


def test_the_first_rejection_makes_what_is_not_yet_sent_a_quarter_smaller_once(run: Run) -> None:
    run.endpoint.script(Answer(413), openai, openai, openai, Answer(413))
    run.pages(52, FULL)
    report = run.embed()
    # 6000 tokens are 11 documents, 4500 are 8; the second rejection changes nothing more.
    assert run.endpoint.sizes == [11, 5, 6, 8, 8, 4, 4, 8, 8, 8, 1]
    assert [it for it in run.said("notice") if "budget" in it] == [
        "The endpoint takes less than was sent: the request budget is 4500 tokens now."
    ]
    assert (report.stored, report.missing) == (52, 0)


def test_the_budget_stays_at_two_full_documents(run: Run) -> None:
    run.endpoint.script(Answer(413))
    run.pages(7, FULL)
    run.embed(max_tokens=1100)
    assert run.endpoint.sizes == [2, 1, 1, 2, 2, 1]
    assert any("1024 tokens" in line for line in run.said("notice"))


# Too late.


def test_a_timeout_waits_five_seconds_and_sends_the_same_again(run: Run) -> None:
    run.endpoint.script(late(), openai)
    run.pages(4)
    report = run.embed(timeout_ms=1000 * LATE)
    assert run.sent == [["k000", "k001", "k002", "k003"]] * 2
    assert run.clock.pauses == [5.0]
    first, second = run.endpoint.requests
    assert second.at - first.at >= 5 / FASTER
    assert (report.stored, report.failed) == (4, 0)


def test_a_second_timeout_halves_and_a_document_that_is_late_twice_is_left_out(
    run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    run.endpoint.behave = lambda it: late()(it) if "k002" in str(it.texts) else openai(it)
    run.pages(4)
    report = run.embed(timeout_ms=1000 * LATE)
    whole, half = ["k000", "k001", "k002", "k003"], ["k002", "k003"]
    assert run.sent == [whole, whole, ["k000", "k001"], half, half, ["k002"], ["k002"], ["k003"]]
    assert run.clock.pauses == [5.0] * 3
    assert run.said("notice") == [], "the budget stays"
    assert (report.stored, report.failed, report.problem) == (3, 1, None)
    assert "Embedding 1 entry failed (timeout): " in caplog.text


# Anything else.


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(reset=True), "network"),
        (Answer(500, "oh"), "http"),
        (Answer(200, '{"data": []}'), "malformed"),
        (Answer(200, '{"data": [', cut=True), "network"),
    ],
)
def test_any_other_failure_loses_its_batch_and_nothing_is_sent_again(
    run: Run, answer: Answer, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    run.endpoint.script(openai, answer)
    run.pages(9)
    report = run.embed(batch_size=3)
    assert run.sent == [[f"k{at:03}" for at in range(start, start + 3)] for start in (0, 3, 6)]
    assert (report.stored, report.failed, report.missing) == (6, 3, 3)
    assert f"Embedding 3 entries failed ({kind}): " in caplog.text
    assert run.clock.pauses == []
    run.endpoint.requests.clear()
    assert run.embed(batch_size=3).stored == 3
    assert run.sent == [["k003", "k004", "k005"]]


# The breaker.


def test_three_network_failures_in_a_row_end_the_run(run: Run) -> None:
    run.endpoint.script(openai, openai, *[Answer(reset=True)] * 3)
    run.pages(40)
    report = run.embed(batch_size=4)
    assert run.endpoint.sizes == [4] * 5
    assert re.fullmatch(
        r"embedding provider failed 3 consecutive batches \(last: .+\); stopped after 8 embeddings"
        r" were stored — rerun akm index when the endpoint is healthy",
        str(report.problem),
    )
    assert (report.stored, report.missing) == (8, 32)
    run.embed(batch_size=4)
    assert run.sent[5][0] == "k008", "what was stored is not sent again"


def test_three_single_documents_that_are_late_end_the_run(run: Run) -> None:
    run.endpoint.behave = late()
    run.pages(9)
    report = run.embed(batch_size=1, timeout_ms=1000 * LATE)
    assert run.sent == [["k000"]] * 2 + [["k001"]] * 2 + [["k002"]] * 2
    assert report.stored == 0
    assert "stopped after 0 embeddings" in str(report.problem)


def test_a_request_of_several_that_is_late_is_no_evidence_yet(run: Run) -> None:
    run.endpoint.behave = lambda it: late()(it) if len(it.texts) > 1 else openai(it)
    run.pages(8)
    report = run.embed(batch_size=2, timeout_ms=1000 * LATE)
    assert (report.stored, report.problem) == (8, None)


def test_what_is_too_long_shows_that_the_endpoint_lives(run: Run) -> None:
    run.endpoint.script(*[Answer(reset=True)] * 2, Answer(413), *[Answer(reset=True)] * 2)
    run.pages(7)
    report = run.embed(batch_size=1)
    assert (report.stored, report.failed, report.problem) == (2, 5, None)


# What is said.


def test_each_commit_and_each_fifteen_seconds_have_their_line(run: Run) -> None:
    def first_is_slow(request: Request) -> Answer:
        if len(run.endpoint.requests) == 1:
            time.sleep(2.4 * 15 / FASTER)
        return openai(request)

    run.endpoint.behave = first_is_slow
    run.pages(6)
    run.embed(batch_size=2)
    assert run.said("batch") == [f"Embedded {done}/6 entries." for done in (2, 4, 6)]
    assert (
        run.said("wait")[:2]
        == ["Still generating embeddings: 0/6 stored, 0 failed; waiting on embedding provider."] * 2
    )
    [done] = run.said("done")
    assert re.fullmatch(
        r"Stored 6 embeddings in [\d.]+s \([\d.]+ entries/s, ~\d+ tokens/s\)\.", done
    )
