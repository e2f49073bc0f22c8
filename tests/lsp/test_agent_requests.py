"""``akm/contextPack`` and ``akm/findCommand``, and the same as commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from editor import Editor, plain
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from akm_ls.documents.text import LineIndex
from akm_ls.lsp.offers import REQUESTS, command_of
from akm_ls.lsp.uris import path_of
from akm_ls.search.commands import VERBS


async def ask(editor: Editor, method: str, params: dict[str, Any]) -> Any:
    return await editor.request(method, params)


async def command(editor: Editor, method: str, params: dict[str, Any]) -> Any:
    answer = await editor.client.workspace_execute_command_async(
        lsp.ExecuteCommandParams(method.replace("/", "."), [params])
    )
    return plain(answer)


@pytest.mark.parametrize("send", [ask, command])
async def test_a_context_pack(editor: Editor, send: Any) -> None:
    await editor.start(["team", "other"])
    params = {"query": "rotate tokens", "maxItems": 2, "maxTokens": 900}
    pack = await send(editor, "akm/contextPack", params)
    assert (pack["format"], pack["dry_run"]) == ("akm-context-pack", True)
    assert pack["budgets"]["items_included"] == len(pack["evidence"]) <= 2
    assert -(-len(json.dumps(pack)) // 4) <= 900
    assert pack["evidence"][0]["ref"].startswith("team//knowledge/auth/tokens")
    again = await send(editor, "akm/contextPack", params)
    assert again == pack


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_citations_lead_into_the_open_document(editor: Editor, encoding: Any) -> None:
    await editor.start(encodings=[lsp.PositionEncodingKind(encoding)])
    text = "---\ndescription: Otters.\n---\n\n# 🦦 Otters\n\nDie 🦦 schwimmen, otters swim.\n"
    editor.write("team/knowledge/otters.md", text.replace("swim", "sleep"))
    await editor.request("akm/reindex", {})
    editor.open("team/knowledge/otters.md", text)
    pack = await ask(editor, "akm/contextPack", {"query": "otters swim", "maxItems": 1})
    [citation] = pack["citations"]
    assert citation["dirty"] is True
    start, end = citation["range"]["start"], citation["range"]["end"]
    lines = LineIndex(text)
    span = slice(
        lines.offset(start["line"], start["character"], encoding),
        lines.offset(end["line"], end["character"], encoding),
    )
    assert text[span] == citation["quote_preview"]
    assert "otters swim" in citation["quote_preview"]
    assert path_of(citation["source_uri"]) == path_of(editor.uri("team/knowledge/otters.md"))


@pytest.mark.parametrize("plan", ["default", "akm"])
async def test_an_unsaved_proposal_is_neither_quoted_nor_found(editor: Editor, plan: str) -> None:
    await editor.start(options={"search": {"plan": plan}})
    name, text = "team/knowledge/otters.md", "---\ndescription: Otters.\n---\n\nOtters swim.\n"
    editor.write(name, text)
    await editor.request("akm/reindex", {})
    editor.open(name, text)
    query = {"query": "otters"}
    assert len((await ask(editor, "akm/contextPack", query))["evidence"]) == 1
    editor.change(name, text.replace("---\n\n", "quality: proposed\n---\n\n"))
    pack = await ask(editor, "akm/contextPack", query)
    assert (pack["evidence"], pack["citations"]) == ([], [])
    assert (await ask(editor, "akm/search", {**query, "includeProposed": False}))["hits"] == []
    editor.change(name, text)
    assert len((await ask(editor, "akm/contextPack", query))["evidence"]) == 1


async def test_a_pack_that_does_not_fit_is_an_error_that_says_what_it_takes(
    editor: Editor,
) -> None:
    await editor.start()
    with pytest.raises(JsonRpcException) as error:
        await ask(editor, "akm/contextPack", {"query": "tokens " + "🦦" * 290, "maxTokens": 800})
    assert error.value.code == -32803
    assert error.value.data["code"] == "TOKEN_BUDGET_TOO_SMALL"
    assert error.value.data["needed"] > error.value.data["maxTokens"] == 800
    assert "token_budget_floor" in error.value.data["warnings"]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("akm/check", {"severity": "grave"}),
        ("akm/check", {"limit": "all"}),
        ("akm/contextPack", {"query": "x", "maxTokens": 799}),
        ("akm/contextPack", {"query": ""}),
        ("akm/contextPack", {}),
        ("akm/contextPack", {"query": "x", "purpose": "proposal"}),
        ("akm/findCommand", {"query": 5}),
        ("akm/findCommand", {"query": "x", "effects": ["nice"]}),
    ],
)
@pytest.mark.parametrize("send", [ask, command])
async def test_wrong_parameters_are_refused(
    editor: Editor, send: Any, method: str, params: dict[str, Any]
) -> None:
    await editor.start()
    with pytest.raises(JsonRpcException) as error:
        await send(editor, method, params)
    assert error.value.code == -32602


@pytest.mark.parametrize("send", [ask, command])
async def test_a_check_of_files_refs_and_what_is_being_typed(editor: Editor, send: Any) -> None:
    await editor.start(["team", "other"])
    clean = await send(editor, "akm/check", {"paths": ["team//skills/release"]})
    assert (clean["findings"], clean["summary"]["files"]) == ([], 2)
    name = "team/skills/release/SKILL.md"
    text = (editor.root / name).read_text(encoding="utf-8")
    editor.open(name, text.replace("team//knowledge/auth/tls", "team//knowledge/auth/tlx"))
    found = await send(editor, "akm/check", {"paths": ["skills/release/SKILL.md"], "limit": 1})
    [finding] = found["findings"]
    assert (finding["code"], finding["ref"]) == ("missing-ref", "team//skills/release")
    assert finding["at"].startswith("skills/release/SKILL.md:7:")
    assert found["total"] == found["summary"]["warning"] == 1
    for paths, code in (
        (["team//skills/relaese"], -32803),
        (["/no/where.md"], -32602),
        (["no/where.md"], -32602),
    ):
        with pytest.raises(JsonRpcException) as error:
            await send(editor, "akm/check", {"paths": paths})
        assert error.value.code == code


async def test_an_asset_for_an_agent_is_cut_and_without_what_looks_like_a_secret(
    editor: Editor,
) -> None:
    key = "ghp_" + "a1B2" * 9
    editor.write("team/knowledge/long.md", f"---\ndescription: {key}\n---\n{key}\n" + "x " * 40_000)
    await editor.start()
    shown = await ask(editor, "akm/show", {"ref": "knowledge/long", "detail": "agent"})
    assert key not in json.dumps(shown)
    assert len(shown["content"]) < 33_000
    assert shown["truncated"] == ["content"]
    assert shown["path"] in shown["warnings"][-1]
    whole = await ask(editor, "akm/show", {"ref": "knowledge/long"})
    assert len(whole["content"]) > 80_000


@pytest.mark.parametrize("send", [ask, command])
async def test_commands_are_found(editor: Editor, send: Any) -> None:
    await editor.start(["team", "other"])
    found = await send(editor, "akm/findCommand", {"query": "who cites this asset"})
    hit = found["hits"][0]
    assert (hit["key"], hit["effect"], hit["confirm"]) == ("akm.references", "read", False)
    assert hit["call"]["command"] == "akm.references"
    assert hit["arguments"]["required"] == ["ref"]
    assets = await send(editor, "akm/findCommand", {"query": "release", "scope": "assets"})
    assert assets["hits"][0]["ref"] == "team//skills/release"
    only_read = await send(editor, "akm/findCommand", {"query": "rebuild index", "writable": False})
    assert {hit["effect"] for hit in only_read["hits"]} <= {"read"}
    assert (await send(editor, "akm/findCommand", {"query": "  "}))["hits"] == []
    assert (await send(editor, "akm/findCommand", {"query": "index", "limit": 0}))["hits"] == []


async def test_a_command_that_was_just_written_or_deleted(editor: Editor) -> None:
    await editor.start()
    find = {"query": "groom otters"}
    assert (await ask(editor, "akm/findCommand", find))["hits"] == []
    path = editor.write("team/commands/groom.md", "---\ndescription: Grooms otters.\n---\nGo.\n")
    await editor.request("akm/reindex", {})
    hits = (await ask(editor, "akm/findCommand", find))["hits"]
    assert [hit["key"] for hit in hits] == ["team//commands/groom"]
    path.unlink()
    await editor.request("akm/reindex", {})
    assert (await ask(editor, "akm/findCommand", find))["hits"] == []


async def test_no_retired_command_can_be_found_and_every_command_can(editor: Editor) -> None:
    started = await editor.start()
    options = started.capabilities.execute_command_provider
    assert options is not None
    offered = {name for name in options.commands if name.startswith("akm.")}
    assert offered >= {command_of(method) for method in REQUESTS}
    described = {verb.key for verb in VERBS if verb.kind == "server"}
    assert described == {command_of(method) for method in REQUESTS}
    assert len(described) >= 7
    words = " ".join(word for verb in VERBS for word in verb.title.split())
    params = {"query": words, "scope": "verbs", "limit": 200}
    found = {hit["key"] for hit in (await ask(editor, "akm/findCommand", params))["hits"]}
    assert found == {verb.key for verb in VERBS}


async def test_what_an_agent_is_told_to_call_can_be_called(editor: Editor, root: Path) -> None:
    await editor.start()
    found = await ask(editor, "akm/findCommand", {"query": "release", "scope": "assets"})
    call = found["hits"][0]["call"]
    shown = await command(editor, call["command"].replace(".", "/"), call["arguments"][0])
    assert shown["ref"] == found["hits"][0]["ref"]
