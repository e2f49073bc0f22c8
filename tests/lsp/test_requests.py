"""The ``akm/…`` requests, and the same as commands."""

from __future__ import annotations

from typing import Any

import pytest
from editor import Editor, plain
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException


async def ask(editor: Editor, method: str, params: dict[str, Any]) -> Any:
    return await editor.request(method, params)


async def command(editor: Editor, method: str, params: dict[str, Any]) -> Any:
    answer = await editor.client.workspace_execute_command_async(
        lsp.ExecuteCommandParams(method.replace("/", "."), [params])
    )
    return plain(answer)


@pytest.mark.parametrize("send", [ask, command])
async def test_search(editor: Editor, send: Any) -> None:
    await editor.start(["team", "other"])
    result = await send(editor, "akm/search", {"query": "rotated tokens"})
    assert result["schemaVersion"] == 1
    assert (result["mode"], result["stage"]) == ("lexical", "all")
    assert result["semantic"]["status"] == "off"
    hit = result["hits"][0]
    assert hit["ref"] == "team//knowledge/auth/tokens"
    assert hit["uri"] == editor.uri("team/knowledge/auth/tokens.md")
    assert hit["whyMatched"] and hit["editable"] is True
    assert set(hit["scores"]) >= {"keyword", "semantic", "boost", "ceiling"}


async def test_browsing_by_prefix_and_by_type(editor: Editor) -> None:
    await editor.start(["team", "other"])
    browsed = await ask(editor, "akm/search", {"query": "knowledge/auth/"})
    assert browsed["stage"] == "browse"
    assert [hit["ref"] for hit in browsed["hits"]] == [
        "team//knowledge/auth/tls",
        "team//knowledge/auth/tokens",
    ]
    skills = await ask(editor, "akm/search", {"query": "", "type": "skill"})
    assert [hit["ref"] for hit in skills["hits"]] == ["team//skills/release"]


@pytest.mark.parametrize("send", [ask, command])
async def test_show(editor: Editor, send: Any) -> None:
    await editor.start()
    shown = await send(editor, "akm/show", {"ref": "team//knowledge/auth/tokens#daily-rotation"})
    assert shown["content"].strip() == "## Daily rotation\n\nEvery night."
    assert shown["citedBy"]["total"] == 2
    assert [fragment["slug"] for fragment in shown["fragments"]] == [
        "token-rotation",
        "daily-rotation",
        "in-an-emergency",
    ]


async def test_show_by_position(editor: Editor) -> None:
    await editor.start()
    position = editor.open("team/knowledge/draft.md", "See team//knowledge/auth/t$0ls.\n")
    params = {
        "textDocument": {"uri": editor.uri("team/knowledge/draft.md")},
        "position": {"line": position.line, "character": position.character},
    }
    assert (await ask(editor, "akm/show", params))["ref"] == "team//knowledge/auth/tls"


@pytest.mark.parametrize(
    ("ref", "suggestion"),
    [
        ("team//knowledge/auth/tokenz", "team//knowledge/auth/tokens"),
        ("team//knowledge/auth/tokens#nightly", None),
        ("nosuch//knowledge/x", None),
        ("a//../b", None),
    ],
)
async def test_what_cannot_be_shown_is_an_error_with_a_code(
    editor: Editor, ref: str, suggestion: str | None
) -> None:
    await editor.start()
    with pytest.raises(JsonRpcException) as error:
        await ask(editor, "akm/show", {"ref": ref})
    data = error.value.data
    assert data["code"]
    assert suggestion is None or suggestion in data["suggestions"]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("akm/search", {"query": 5}),
        ("akm/search", {"query": "x", "limit": "many"}),
        ("akm/show", {}),
        ("akm/references", {"ref": "a//../b"}),
        ("akm/reindex", {"bundle": "nosuch"}),
    ],
)
@pytest.mark.parametrize("send", [ask, command])
async def test_wrong_parameters_are_refused_by_name(
    editor: Editor, send: Any, method: str, params: dict[str, Any]
) -> None:
    await editor.start()
    with pytest.raises(JsonRpcException) as error:
        await send(editor, method, params)
    assert error.value.code == -32602


async def test_status_and_reindex(editor: Editor) -> None:
    await editor.start(["team", "other"])
    status = await ask(editor, "akm/status", {})
    assert [bundle["id"] for bundle in status["bundles"]] == ["team", "other"]
    assert status["index"]["state"] == "ready"
    assert status["index"]["entries"] == sum(bundle["entries"] for bundle in status["bundles"])
    editor.write("team/knowledge/new.md", "# New\n")
    report = await ask(editor, "akm/reindex", {})
    assert report["added"] == 1
    report = await ask(editor, "akm/reindex", {"full": True, "bundle": "other"})
    assert (report["mode"], report["bundles"]) == ("full", 1)


@pytest.mark.parametrize("project", ["bakery", "orchard"])
async def test_search_prefers_the_project_of_the_opened_folder(
    editor: Editor, project: str
) -> None:
    for name in ("bakery", "orchard"):
        editor.write(f"team/memories/{name}/deploy.md", "# Deploying\n")
    editor.write(f"{project}/main.py", "")
    await editor.start(["team", project])
    found = await editor.request("akm/search", {"query": "deploying"})
    assert found["hits"][0]["conceptId"] == f"memories/{project}/deploy"
