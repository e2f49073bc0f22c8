"""A document of a megabyte: the others do not notice, and its own answers are still the newest."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

import pytest
from editor import Editor
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from akm_ls.lsp.work import handled_method, holding_the_loop, name_tasks_that_hold

LARGE = "team/knowledge/large.md"
SMALL = "team/knowledge/small.md"
LINES = 12_000


def large(first: str = "# Large", ref: str = "team//knowledge/auth/tls") -> str:
    return "\n".join([first, "", *(f"{number}: see {ref} here." for number in range(LINES))])


def hover(editor: Editor, name: str, position: lsp.Position) -> Any:
    params = lsp.HoverParams(**editor.at(name, position))
    return asyncio.ensure_future(editor.client.text_document_hover_async(params))


async def outline(editor: Editor, name: str) -> list[str]:
    params = lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(editor.uri(name)))
    symbols = await editor.client.text_document_document_symbol_async(params)
    return [symbol.name for symbol in symbols or ()]


async def test_a_question_about_another_document_does_not_wait_for_it(editor: Editor) -> None:
    await editor.start()
    there = editor.open(SMALL, "See team//knowledge/auth/to$0kens.\n")
    at = editor.open(LARGE, large("# Large\n\nSee team//knowledge/auth/t$0ls."))
    answered: list[str] = []
    questions = {
        name: hover(editor, name, position) for name, position in ((LARGE, at), (SMALL, there))
    }
    for name, question in questions.items():
        question.add_done_callback(lambda _, name=name: answered.append(name))
    await asyncio.gather(*questions.values())
    assert answered == [SMALL, LARGE]
    assert "Token rotation" in str(questions[SMALL].result())
    assert "TLS" in str(questions[LARGE].result())


@pytest.mark.parametrize("profile", ["visual-studio-code", "neovim"])
async def test_its_answers_are_never_older_than_the_question(editor: Editor, profile: str) -> None:
    await editor.start(profile=profile)
    editor.open(LARGE, large("# First"))
    for title in ("Second", "Third", "Fourth"):
        editor.change(LARGE, large(f"# {title}"))
        assert await outline(editor, LARGE) == [title]


async def test_its_findings_come_and_go(editor: Editor) -> None:
    await editor.start()
    editor.open(LARGE, large())
    editor.change(LARGE, large("See team//knowledge/gone."))
    await editor.shows(LARGE, [("missing-ref", "team//knowledge/gone")])
    editor.write("team/knowledge/gone.md", "# There now\n")
    editor.outside_change(("team/knowledge/gone.md", lsp.FileChangeType.Created))
    await editor.shows(LARGE, [])


async def test_more_findings_than_anybody_reads_are_counted(editor: Editor) -> None:
    await editor.start()
    editor.open(LARGE, large("# Large", "team//knowledge/gone"))
    await editor.until(lambda: len(editor.diagnostics(LARGE)) > 100)
    shown = editor.diagnostics(LARGE)
    assert len(shown) == 401
    assert {diagnostic.code for diagnostic in shown[:-1]} == {"missing-ref"}
    told = " more findings. `akm-ls check` lists them all."
    assert shown[-1].message.endswith(told)


async def test_a_question_that_waits_for_it_can_be_cancelled(editor: Editor) -> None:
    await editor.start()
    at = editor.open(LARGE, large("# Large\n\nSee team//knowledge/auth/t$0ls."))
    protocol = editor.client.protocol
    before = set(protocol._request_futures)
    question = hover(editor, LARGE, at)
    await asyncio.sleep(0)
    (number,) = set(protocol._request_futures) - before
    protocol.notify(lsp.CANCEL_REQUEST, lsp.CancelParams(number))
    with pytest.raises(JsonRpcException) as error:
        await question
    assert error.value.code == -32800


async def test_it_may_be_closed_while_it_is_being_read(editor: Editor) -> None:
    await editor.start()
    editor.open(LARGE, large("# Large", "team//knowledge/gone"))
    editor.close(LARGE)
    editor.open(LARGE, "# Small now\n")
    assert await outline(editor, LARGE) == ["Small now"]
    editor.open(SMALL, "See team//knowledge/gone.\n")
    await editor.shows(SMALL, [("missing-ref", "team//knowledge/gone")])
    assert editor.diagnostics(LARGE) == []


def test_what_holds_the_event_loop_is_named_for_debugging(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG, "akm_ls.lsp.work"):
        with holding_the_loop("a quick thing"):
            pass
        with holding_the_loop("textDocument/slow"):
            time.sleep(0.02)
    (record,) = caplog.records
    assert record.getMessage().startswith("textDocument/slow held the event loop for ")


def test_each_step_of_a_task_is_watched_while_somebody_reads_the_debug_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def handler() -> str:
        await asyncio.sleep(0)
        time.sleep(0.02)  # noqa: ASYNC251 - as a handler should not
        await asyncio.sleep(0.05)  # to wait holds nothing
        return "answer"

    async def handle(method: str) -> str:
        handled_method.set(method)
        return await asyncio.ensure_future(handler())

    def answer(method: str) -> str:
        loop = asyncio.new_event_loop()
        name_tasks_that_hold(loop)
        try:
            return loop.run_until_complete(handle(method))
        finally:
            loop.close()

    assert answer("not/logged") == "answer"
    with caplog.at_level(logging.DEBUG, "akm_ls.lsp.work"):
        assert answer("textDocument/slow") == "answer"
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith("textDocument/slow held the event loop for ")
