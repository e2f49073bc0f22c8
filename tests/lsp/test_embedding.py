"""Vectors that the server makes in the background, of a model behind a real endpoint."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from editor import Editor
from lsprotocol import types as lsp

from embedders.endpoint import Answer, Endpoint, Request, openai

EMBEDDABLE = 6
"""Assets of the bundle ``team`` that may have a vector."""


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


def model(endpoint: Endpoint, **more: Any) -> dict[str, Any]:
    return {"embedding": {"endpoint": endpoint.url, "model": "m", **more}}


async def semantic(editor: Editor) -> dict[str, Any]:
    found: dict[str, Any] = (await editor.request("akm/status", {}))["semantic"]
    return found


async def becomes(editor: Editor, status: str) -> dict[str, Any]:
    """Wait for a state of semantic search."""
    deadline = asyncio.get_running_loop().time() + 20
    while (found := await semantic(editor))["status"] != status or found["running"]:
        assert asyncio.get_running_loop().time() < deadline, found
        await asyncio.sleep(0.05)
    return found


async def settled(endpoint: Endpoint, seconds: float = 2.0) -> int:
    """How many requests there are once none has come for a while."""
    count = -1
    while count != len(endpoint.requests):
        count = len(endpoint.requests)
        await asyncio.sleep(seconds)
    return count


async def test_after_the_index_everything_gets_its_vector(
    editor: Editor, endpoint: Endpoint
) -> None:
    await editor.start(options=model(endpoint))
    before = await editor.request("akm/search", {"query": "tokens"})
    assert before["semantic"]["status"] in ("pending", "ready")
    found = await becomes(editor, "ready")
    assert (found["embedded"], found["missing"]) == (EMBEDDABLE, 0)
    assert len(endpoint.texts) == EMBEDDABLE
    assert not [text for text in endpoint.texts if "marker" in text.lower()]
    after = await editor.request("akm/search", {"query": "tokens"})
    assert (after["mode"], after["semantic"]["status"]) == ("hybrid", "ready")


async def test_after_a_save_only_what_changed_and_all_of_a_burst_at_once(
    editor: Editor, endpoint: Endpoint
) -> None:
    await editor.start(options=model(endpoint))
    await becomes(editor, "ready")
    sent = len(endpoint.requests)
    for name in ("tokens", "tls"):
        for number in range(3):
            editor.write(f"team/knowledge/auth/{name}.md", f"# {name} number{number}\n")
            editor.outside_change((f"team/knowledge/auth/{name}.md", lsp.FileChangeType.Changed))
            await asyncio.sleep(0.15)
    await editor.until(lambda: len(endpoint.requests) > sent)
    await becomes(editor, "ready")
    [request] = endpoint.requests[sent:]
    assert sorted(text.splitlines()[0] for text in request.texts) == ["auth/tls", "auth/tokens"]
    assert all("number2" in text for text in request.texts)


@pytest.mark.parametrize(
    ("more", "status", "reason"),
    [
        ({"semantic": {"mode": "off"}}, "off", "akm.semantic.mode is off"),
        (
            {"offline": True, "embedding": {"endpoint": "http://192.0.2.1/v1", "model": "m"}},
            "blocked",
            "akm-ls is offline, and http://192.0.2.1/v1 is on the network",
        ),
    ],
)
async def test_off_or_offline_nothing_is_sent(
    editor: Editor, endpoint: Endpoint, more: dict[str, Any], status: str, reason: str
) -> None:
    await editor.start(options={**model(endpoint), **more})
    assert await settled(endpoint) == 0
    found = await semantic(editor)
    assert (found["status"], found["reason"], found["running"]) == (status, reason, False)


async def test_while_an_endpoint_takes_its_time_the_server_answers(
    editor: Editor, endpoint: Endpoint
) -> None:
    free = threading.Event()

    def slow(request: Request) -> Answer:
        if len(request.texts) > 1:
            free.wait(20)
        return openai(request)

    endpoint.behave = slow
    await editor.start(options=model(endpoint))
    await editor.until(lambda: endpoint.requests)
    found = await semantic(editor)
    assert (found["status"], found["running"], found["missing"]) == ("pending", True, EMBEDDABLE)
    answer = await editor.request("akm/search", {"query": "tokens"})
    assert (answer["mode"], answer["semantic"]["status"]) == ("lexical", "pending")
    assert answer["hits"]
    free.set()
    await becomes(editor, "ready")


async def test_a_dead_endpoint_is_left_alone_and_the_state_says_why(
    editor: Editor, endpoint: Endpoint
) -> None:
    endpoint.behave = lambda request: Answer(reset=True)
    await editor.start(options=model(endpoint, batchSize=1))
    found = await becomes(editor, "blocked")
    assert found["reason"].startswith("embedding provider failed 3 consecutive batches (last: ")
    assert found["reason"].endswith("rerun akm index when the endpoint is healthy")
    sent = await settled(endpoint)
    assert sent == 3
    editor.write("team/knowledge/auth/tls.md", "# Other\n")
    editor.outside_change(("team/knowledge/auth/tls.md", lsp.FileChangeType.Changed))
    assert await settled(endpoint) == sent, "a save does not wake it up"
    answer = await editor.request("akm/search", {"query": "tokens"})
    assert (answer["mode"], answer["semantic"]["status"]) == ("lexical", "blocked")
    endpoint.behave = openai
    await editor.request("akm/reindex", {})
    assert (await becomes(editor, "ready"))["reason"] is None


async def query_fails(editor: Editor, endpoint: Endpoint) -> None:
    endpoint.behave = lambda request: Answer(reset=True)
    answer = await editor.request("akm/search", {"query": "tokens"})
    assert (answer["mode"], [it["lane"] for it in answer["degraded"]]) == ("lexical", ["semantic"])
    endpoint.behave = openai
    assert (await editor.request("akm/search", {"query": "tokens"}))["mode"] == "lexical"


async def test_a_reindex_lets_searches_ask_a_model_that_failed_them(
    editor: Editor, endpoint: Endpoint
) -> None:
    await editor.start(options=model(endpoint))
    await becomes(editor, "ready")
    await query_fails(editor, endpoint)
    await editor.request("akm/reindex", {})
    assert (await editor.request("akm/search", {"query": "tokens"}))["mode"] == "hybrid"


async def test_a_run_that_succeeds_lets_searches_ask_a_model_that_failed_them(
    editor: Editor, endpoint: Endpoint
) -> None:
    await editor.start(options=model(endpoint))
    await becomes(editor, "ready")
    await query_fails(editor, endpoint)
    sent = len(endpoint.texts)
    editor.write("team/knowledge/auth/tls.md", "# Other\n")
    editor.outside_change(("team/knowledge/auth/tls.md", lsp.FileChangeType.Changed))
    await editor.until(lambda: len(endpoint.texts) > sent)
    await becomes(editor, "ready")
    assert (await editor.request("akm/search", {"query": "tokens"}))["mode"] == "hybrid"


async def test_other_settings_count_at_once(editor: Editor, endpoint: Endpoint) -> None:
    await editor.start()
    assert (await semantic(editor))["status"] == "off"
    editor.client.set_configuration({"akm": {**model(endpoint)}})
    editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(None))
    await becomes(editor, "ready")
    assert len(endpoint.texts) == EMBEDDABLE


async def test_it_shows_its_progress_and_can_be_cancelled(
    editor: Editor, endpoint: Endpoint
) -> None:
    for number in range(40):
        editor.write(f"team/knowledge/many/note-{number}.md", f"# Note {number}\n")
    turns = threading.Semaphore(5)
    endpoint.behave = lambda request: openai(request) if turns.acquire(timeout=20) else Answer(500)
    await editor.start(options=model(endpoint, batchSize=1))
    reports = editor.client.progress_reports
    [token] = await editor.until(lambda: [it for it in reports if len(reports[it]) > 1])
    began, going = reports[token][:2]
    assert (began.kind, began.title) == ("begin", "AKM: embedding")
    assert (going.cancellable, going.message.split("/")[1]) == (True, "46 assets")
    editor.client.window_work_done_progress_cancel(lsp.WorkDoneProgressCancelParams(token))
    await editor.until(lambda: reports[token][-1].kind == "end")
    for _ in range(100):
        turns.release()
    found = await semantic(editor)
    assert (found["status"], found["running"]) == ("pending", False)
    stored = found["embedded"]
    assert 0 < stored < 46
    sent = await settled(endpoint)
    editor.write("team/knowledge/auth/tls.md", "# Other\n")
    editor.outside_change(("team/knowledge/auth/tls.md", lsp.FileChangeType.Changed))
    assert await settled(endpoint) == sent, "who cancelled it is not asked again"
    await editor.request("akm/reindex", {})
    await becomes(editor, "ready")
    # What had been stored is not sent again; the changed one and the one given up are.
    assert len(endpoint.texts) <= 46 + 2


async def test_reindex_may_discard_the_vectors(editor: Editor, endpoint: Endpoint) -> None:
    await editor.start(["team", "other"], options=model(endpoint))
    ready = await becomes(editor, "ready")
    sent = len(endpoint.texts)
    assert ready["embedded"] == sent
    await editor.request("akm/reindex", {"reembed": True, "bundle": "other"})
    await editor.until(lambda: len(endpoint.texts) == sent + 2)
    await becomes(editor, "ready")
    await editor.request("akm/reindex", {"reembed": True})
    await editor.until(lambda: len(endpoint.texts) == 2 * sent + 2)
    assert (await becomes(editor, "ready"))["embedded"] == sent
