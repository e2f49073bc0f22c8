"""Requests to endpoints that answer well, badly, late or not at all."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import numpy as np
import pytest

from akm_ls.embedders.embedder import EmbeddingError
from akm_ls.embedders.failures import (
    Busy,
    ContextExceeded,
    HttpFailure,
    Malformed,
    NetworkFailure,
    RequestTimeout,
    retry_after,
)
from akm_ls.embedders.http import HttpTransport
from akm_ls.embedders.protocols import request_url
from akm_ls.embedders.settings import EmbeddingSettings, is_loopback

from .endpoint import Answer, Endpoint, ollama, vector_of

KEY = "sk-marker-key-0123456789"


def ask(
    endpoint: Endpoint | str, *texts: str, timeout: float = 10.0, key: str = "", **settings: Any
) -> Any:
    url = endpoint if isinstance(endpoint, str) else endpoint.url
    values = {"endpoint": url, "model": "m", **settings}

    async def run() -> Any:
        transport = HttpTransport(EmbeddingSettings(**values), {"AKM_EMBED_API_KEY": key})
        try:
            return await transport.request(texts or ("one", "two"), timeout)
        finally:
            await transport.close()

    return asyncio.run(run())


# Good answers.


def test_an_openai_endpoint_is_sent_model_and_texts(endpoint: Endpoint) -> None:
    vectors = ask(endpoint, "first text", "zweiter Text ü")
    (request,) = endpoint.requests
    assert request.path == "/v1/embeddings"
    assert request.body == {
        "model": "m",
        "input": ["first text", "zweiter Text ü"],
        "encoding_format": "float",
    }
    assert "Authorization" not in request.headers
    assert vectors.dtype == np.float32
    assert np.allclose(vectors[0], vector_of("first text"), atol=1e-6)
    assert np.allclose(vectors[1], vector_of("zweiter Text ü"), atol=1e-6)


def test_a_dimension_is_asked_for_only_where_one_is_configured(endpoint: Endpoint) -> None:
    ask(endpoint, dimension=8)
    assert endpoint.requests[0].body["dimensions"] == 8


def test_ollama_is_sent_num_ctx_from_the_context_length(endpoint: Endpoint) -> None:
    endpoint.behave = ollama
    vectors = ask(f"http://127.0.0.1:{endpoint.port}", provider="ollama", context_length=2048)
    (request,) = endpoint.requests
    assert request.path == "/api/embed"
    assert request.body == {"model": "m", "input": ["one", "two"], "options": {"num_ctx": 2048}}
    assert vectors.shape == (2, 8)


def test_an_openai_endpoint_is_not_told_of_the_context_length(endpoint: Endpoint) -> None:
    ask(endpoint, context_length=2048)
    assert set(endpoint.requests[0].body) == {"model", "input", "encoding_format"}


@pytest.mark.parametrize(
    ("given", "provider", "wanted"),
    [
        ("http://localhost:8080", "auto", "http://localhost:8080/v1/embeddings"),
        ("http://localhost:8080/v1/", "auto", "http://localhost:8080/v1/embeddings"),
        ("https://h/openai/v1", "auto", "https://h/openai/v1/embeddings"),
        ("https://h/v1/embeddings", "auto", "https://h/v1/embeddings"),
        ("https://h/v1?api-version=3", "auto", "https://h/v1/embeddings?api-version=3"),
        ("http://localhost:11434", "auto", "http://localhost:11434/api/embed"),
        ("http://localhost:11434/", "auto", "http://localhost:11434/api/embed"),
        ("http://localhost:11434/v1", "auto", "http://localhost:11434/v1/embeddings"),
        ("http://h:99/api/embed", "auto", "http://h:99/api/embed"),
        ("http://h:99/v1", "ollama", "http://h:99/api/embed"),
        ("http://h:11434", "openai", "http://h:11434/v1/embeddings"),
    ],
)
def test_an_endpoint_may_be_a_server_its_api_or_the_full_address(
    given: str, provider: Any, wanted: str
) -> None:
    assert request_url(EmbeddingSettings(endpoint=given, model="m", provider=provider)) == wanted


@pytest.mark.parametrize(
    "url", ["ftp://h/v1", "localhost", "http://", "http://h:x/", "http://[", "file:///etc/passwd"]
)
def test_an_endpoint_that_is_no_address_is_refused_by_name(url: str) -> None:
    with pytest.raises(EmbeddingError, match=r"akm\.embedding\.endpoint"):
        request_url(EmbeddingSettings(endpoint=url, model="m", provider="openai"))


def test_vectors_come_in_the_order_of_the_texts_and_with_length_one(endpoint: Endpoint) -> None:
    data = [{"index": 1, "embedding": [0, 3]}, {"index": 0, "embedding": [2, 0]}]
    endpoint.script(Answer(body=json.dumps({"data": data})))
    assert ask(endpoint).tolist() == [[1, 0], [0, 1]]


# Answers that are none.


@pytest.mark.parametrize(
    "body",
    [
        '{"data": [{"index": 0, "embedding": [1, 0]}',
        "",
        "<html>Welcome</html>",
        "[]",
        "[" * 100_000,
        '{"data": 3}',
        '{"embeddings": [[1, 0]]}',
        '{"embeddings": [[1, 0], [1, 0, 0]]}',
        '{"embeddings": [[], []]}',
        '{"embeddings": [[1, NaN], [1, 0]]}',
        '{"embeddings": [[1, Infinity], [1, 0]]}',
        '{"embeddings": [[1, null], [1, 0]]}',
        '{"embeddings": [[1, "2"], [1, 0]]}',
        '{"embeddings": [[1, true], [1, 0]]}',
        '{"embeddings": [[0, 0], [1, 0]]}',
        '{"embeddings": [[1e308, 1e308], [1, 0]]}',
        '{"embeddings": [[1' + "0" * 400 + ", 1], [1, 0]]}",
        '{"embeddings": ["abc", "def"]}',
        '{"embeddings": [[[1], [2]], [[1], [2]]]}',
        '{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}',
        '{"data": [{"index": "0", "embedding": [1]}, {"index": 1, "embedding": [1]}]}',
        '{"data": [{"index": 0}, {"index": 1}]}',
    ],
)
def test_an_answer_without_usable_vectors_is_malformed(endpoint: Endpoint, body: str) -> None:
    endpoint.script(Answer(body=body))
    with pytest.raises(Malformed):
        ask(endpoint)


def test_an_answer_that_breaks_off_is_a_network_failure(endpoint: Endpoint) -> None:
    endpoint.script(Answer(body='{"data": [', cut=True))
    with pytest.raises(NetworkFailure, match="cut off"):
        ask(endpoint)


def test_a_connection_that_is_reset_is_a_network_failure(endpoint: Endpoint) -> None:
    endpoint.script(Answer(reset=True))
    with pytest.raises(NetworkFailure):
        ask(endpoint)


def test_a_port_where_nobody_listens_is_a_network_failure() -> None:
    endpoint = Endpoint()
    url = endpoint.url
    endpoint.close()
    with pytest.raises(NetworkFailure, match="no connection"):
        ask(url)


def test_an_endpoint_that_hangs_is_given_up_after_the_timeout(endpoint: Endpoint) -> None:
    endpoint.script(Answer(hang=True))
    with pytest.raises(RequestTimeout, match=r"no answer within 0\.2 s"):
        ask(endpoint, timeout=0.2)


CONTEXT_SIZE_BODIES = [
    # llama.cpp
    '{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size'
    ' (8192 tokens)","type":"exceed_context_size_error","n_ctx":8192}}',
    '{"error":{"code":500,"message":"input is too large to process. increase the physical batch'
    ' size","type":"server_error"}}',
    "input (700 tokens) is larger than ubatch",
    # OpenAI, Ollama, text-embeddings-inference
    '{"error":{"message":"This model\'s maximum context length is 8192 tokens, however you'
    ' requested 9000","code":"context_length_exceeded"}}',
    '{"error":"the input length exceeds the context length"}',
    '{"error":"Input validation error: `inputs` must have less than 512 tokens. Given: 900"}',
]


@pytest.mark.parametrize("body", CONTEXT_SIZE_BODIES)
@pytest.mark.parametrize("status", [400, 422, 500])
def test_an_input_that_is_too_long_is_recognised_by_what_the_endpoint_says(
    endpoint: Endpoint, status: int, body: str
) -> None:
    endpoint.script(Answer(status, body))
    with pytest.raises(ContextExceeded):
        ask(endpoint)


def test_413_means_too_long_whatever_it_says(endpoint: Endpoint) -> None:
    endpoint.script(Answer(413, "<html>Request Entity Too Large</html>"))
    with pytest.raises(ContextExceeded):
        ask(endpoint)


def test_another_error_keeps_its_status_and_what_the_endpoint_says(endpoint: Endpoint) -> None:
    endpoint.script(Answer(500, '{"error": {"message": "out of\\nmemory \\u001b[2J"}}'))
    with pytest.raises(HttpFailure) as caught:
        ask(endpoint)
    assert str(caught.value) == "HTTP 500: out of memory ?[2J"


def test_an_error_whose_body_breaks_off_is_still_that_error(endpoint: Endpoint) -> None:
    endpoint.script(Answer(413, "Request Ent", cut=True))
    with pytest.raises(ContextExceeded):
        ask(endpoint)


@pytest.mark.parametrize(("header", "seconds"), [("7", 7.0), (None, None), ("soon", None)])
def test_429_says_when_to_come_back(
    endpoint: Endpoint, header: str | None, seconds: float | None
) -> None:
    headers = {} if header is None else {"Retry-After": header}
    endpoint.script(Answer(429, "slow down", headers))
    with pytest.raises(Busy) as caught:
        ask(endpoint)
    assert caught.value.retry_after == seconds


def test_retry_after_may_be_a_date() -> None:
    assert retry_after("Thu, 01 Jan 1970 00:02:00 GMT", 100.0) == 20.0
    assert retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 100.0) == 0.0
    assert retry_after("9" * 400, 0.0) is None


@pytest.mark.parametrize("status", [404, 405])
def test_an_address_without_embeddings_ends_everything(endpoint: Endpoint, status: int) -> None:
    endpoint.script(Answer(status, '{"error": "model \\"m\\" not found"}'))
    with pytest.raises(EmbeddingError, match=r"no model m .*not found"):
        ask(endpoint)


# The key.


def test_the_key_comes_from_the_environment(endpoint: Endpoint) -> None:
    ask(endpoint, key=KEY)
    assert endpoint.requests[0].headers["Authorization"] == f"Bearer {KEY}"


def test_another_variable_may_hold_the_key(endpoint: Endpoint) -> None:
    settings = EmbeddingSettings(endpoint=endpoint.url, model="m", api_key_env="MY_KEY")

    async def run() -> None:
        transport = HttpTransport(settings, {"AKM_EMBED_API_KEY": "other", "MY_KEY": KEY})
        await transport.request(["one"], 10)
        await transport.close()

    asyncio.run(run())
    assert endpoint.requests[0].headers["Authorization"] == f"Bearer {KEY}"


def test_a_key_from_the_client_goes_before_the_environment(endpoint: Endpoint) -> None:
    ask(endpoint, key="other", api_key=KEY)
    assert endpoint.requests[0].headers["Authorization"] == f"Bearer {KEY}"


def test_the_key_is_not_in_what_settings_look_like() -> None:
    assert KEY not in repr(EmbeddingSettings(api_key=KEY))


@pytest.mark.parametrize(
    "answer",
    [
        Answer(401, json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}})),
        Answer(403, f"no {KEY[:12]}"),
        Answer(404, f"unknown key {KEY}"),
        Answer(429, f"slow down, {KEY}"),
        Answer(500, f"Bearer {KEY} failed"),
        Answer(500, f"Authorization: bearer  {KEY}"),
        Answer(413, f"{KEY} sends too much"),
        Answer(301, "", {"Location": "http://127.0.0.1:1/v1"}),
        Answer(200, "{"),
        Answer(reset=True),
        Answer(hang=True),
    ],
)
def test_the_key_is_in_no_error_and_in_no_log(
    endpoint: Endpoint, caplog: pytest.LogCaptureFixture, answer: Answer
) -> None:
    caplog.set_level(logging.DEBUG)
    endpoint.script(answer)
    with pytest.raises(Exception) as caught:
        ask(endpoint, key=KEY, timeout=0.3)
    shown = f"{caught.value} {caught.value!r} {caught.value.__cause__!r}"
    assert KEY[:12] not in shown
    assert KEY[:12] not in caplog.text


@pytest.mark.parametrize(
    "url", ["http://user:pw-marker@127.0.0.1:1/v1?api-key=pw-marker", "http://x:pw-marker@[::1/"]
)
def test_a_password_in_the_address_is_in_no_error(url: str) -> None:
    with pytest.raises(Exception) as caught:
        ask(url, timeout=2.0)
    assert "pw-marker" not in str(caught.value)


@pytest.mark.parametrize("key", ["two\nlines", "ключ"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(EmbeddingError) as caught:
        ask("http://127.0.0.1:1", key=key)
    assert key not in str(caught.value)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_host_gets_neither_key_nor_texts(
    endpoint: Endpoint, other_endpoint: Endpoint, status: int
) -> None:
    target = f"http://localhost:{other_endpoint.port}/v1/embeddings?token=hidden"
    endpoint.script(Answer(status, "", {"Location": target}))
    with pytest.raises(EmbeddingError, match="redirects to another host") as caught:
        ask(endpoint, key=KEY)
    assert other_endpoint.requests == []
    assert "hidden" not in str(caught.value)


def test_another_port_is_another_host(endpoint: Endpoint, other_endpoint: Endpoint) -> None:
    endpoint.script(Answer(307, "", {"Location": other_endpoint.url + "/embeddings"}))
    with pytest.raises(EmbeddingError, match="redirects to another host"):
        ask(endpoint, key=KEY)
    assert other_endpoint.requests == []


def test_a_redirect_on_the_same_host_is_followed(endpoint: Endpoint) -> None:
    endpoint.script(Answer(308, "", {"Location": "/v2/embeddings"}))
    assert ask(endpoint, key=KEY).shape == (2, 8)
    assert [request.path for request in endpoint.requests] == ["/v1/embeddings", "/v2/embeddings"]
    assert endpoint.requests[1].texts == ["one", "two"]


def test_a_redirect_in_circles_ends(endpoint: Endpoint) -> None:
    endpoint.behave = lambda request: Answer(307, "", {"Location": request.path})
    with pytest.raises(EmbeddingError, match="circles"):
        ask(endpoint)
    assert len(endpoint.requests) == 4


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    endpoint: Endpoint, other_endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{other_endpoint.port}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert ask(endpoint).shape == (2, 8)
    assert other_endpoint.requests == []


@pytest.mark.parametrize(
    ("url", "is_local"),
    [
        ("http://localhost:1/v1", True),
        ("http://LOCALHOST./v1", True),
        ("http://127.0.0.1", True),
        ("http://127.9.9.9:80/", True),
        ("http://[::1]:80/", True),
        ("http://model.localhost/", True),
        ("http://127.0.0.1.example.org/", False),
        ("http://localhost.example.org/", False),
        ("http://192.168.0.2/", False),
        ("https://api.openai.com/v1", False),
        ("http://[", False),
    ],
)
def test_which_endpoints_are_on_this_machine(url: str, is_local: bool) -> None:
    assert is_loopback(url) is is_local
