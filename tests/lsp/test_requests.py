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


async def test_a_wrong_fragment_is_told_with_those_there_are(editor: Editor) -> None:
    await editor.start()
    with pytest.raises(JsonRpcException) as error:
        await ask(editor, "akm/show", {"ref": "team//knowledge/auth/tokens#nightly"})
    assert error.value.code == -32803
    assert "Available fragments: #token-rotation, #daily-rotation" in error.value.message
    assert error.value.data == {
        "code": "ASSET_NOT_FOUND",
        "suggestions": [
            "team//knowledge/auth/tokens#token-rotation",
            "team//knowledge/auth/tokens#daily-rotation",
            "team//knowledge/auth/tokens#in-an-emergency",
        ],
    }
    with pytest.raises(JsonRpcException) as error:
        await ask(editor, "akm/show", {"ref": "team//knowledge/auth/tokens#dayly-rotation"})
    assert error.value.data["suggestions"][0] == "team//knowledge/auth/tokens#daily-rotation"


@pytest.mark.parametrize(
    ("method", "params", "named"),
    [
        ("akm/search", {"query": 5}, "query must be a string"),
        ("akm/search", {"query": "x", "limit": "many"}, "limit must be a whole number"),
        ("akm/search", {"query": "x", "limit": 0}, "limit must be at least 1, not 0"),
        ("akm/search", {"query": "x", "offset": -1}, "offset must be at least 0, not -1"),
        ("akm/search", {"query": "x", "type": "skil"}, "did you mean skill?"),
        ("akm/search", {"query": "x", "bundle": "nosuch"}, "there is team"),
        ("akm/search", {"query": "x", "mode": "best"}, "mode must be one of auto,"),
        ("akm/contextPack", {"query": "x", "type": "zebra"}, "type: no asset type"),
        ("akm/contextPack", {"query": "x", "maxItems": 0}, "maxItems must be at least 1"),
        ("akm/contextPack", {"query": "x", "maxTokens": 5}, "maxTokens must be at least 800"),
        ("akm/findCommand", {"query": "x", "limit": -3}, "limit must be at least 0, not -3"),
        ("akm/findCommand", {"query": "x", "bundle": "nosuch"}, "bundle: no bundle"),
        ("akm/show", {}, "a ref or a textDocument is needed"),
        ("akm/show", {"ref": 17}, "ref must be a string, not 17"),
        (
            "akm/show",
            {"textDocument": {"uri": "file:///x"}, "position": {"line": True}},
            None,
        ),
        ("akm/references", {"ref": "a//../b"}, "ref: "),
        ("akm/references", {"ref": None}, "ref is missing"),
        ("akm/references", {"ref": ["x"]}, 'ref must be a string, not ["x"]'),
        ("akm/reindex", {"bundle": "nosuch"}, "bundle: no bundle"),
        ("akm/reindex", {"full": "yes"}, 'full must be true or false, not "yes"'),
        ("akm/conventions", {"type": "nosuch"}, "type: no asset type"),
        ("akm/conventions", {"bundle": 1}, "bundle must be a string, not 1"),
    ],
)
async def test_wrong_parameters_are_refused_by_name(
    editor: Editor, method: str, params: dict[str, Any], named: str | None
) -> None:
    await editor.start()
    for send in (ask, command):
        with pytest.raises(JsonRpcException) as error:
            await send(editor, method, params)
        if named is not None:
            assert error.value.code == -32602
            assert named in error.value.message


async def test_a_command_takes_one_object(editor: Editor) -> None:
    await editor.start()
    for arguments in (["rotate"], [{"query": "x"}, {}], [[1]]):
        with pytest.raises(JsonRpcException) as error:
            await editor.client.workspace_execute_command_async(
                lsp.ExecuteCommandParams("akm.search", arguments)
            )
        assert error.value.code == -32602
        assert "one argument: an object" in error.value.message
    for nothing in (None, [], [None]):
        answer = await editor.client.workspace_execute_command_async(
            lsp.ExecuteCommandParams("akm.status", nothing)
        )
        assert plain(answer)["bundles"]


async def test_a_pasted_key_and_a_made_up_description_are_in_no_hit(editor: Editor) -> None:
    key = "sk-ant-" + "a1B2" * 8
    editor.write(
        "team/knowledge/paste.md", f"---\ndescription: Use {key} for otters\n---\n# Paste\n"
    )
    editor.write("team/knowledge/otter-care.md", "# Otters\n\nFeed them.\n")
    await editor.start()
    hits = (await ask(editor, "akm/search", {"query": "otters", "detail": "full"}))["hits"]
    said = {hit["conceptId"]: hit["description"] for hit in hits}
    assert said == {
        "knowledge/paste": "Use [REDACTED:anthropic_api_key] for otters",
        "knowledge/otter-care": "",
    }


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
