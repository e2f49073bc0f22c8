"""What the tools are called, take and say; the same wherever they are offered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from akm_ls.bundles.asset_types import TYPE_BY_NAME
from akm_ls.cli import main
from akm_ls.mcp.arguments import ToolError, read_arguments, ref_of
from akm_ls.mcp.tools import CHECK, CONTEXT, SEARCH, SHOW, TOOLS, TYPES, ToolDescription

MANIFEST = Path(__file__).resolve().parents[2] / "vscode-client" / "package.json"


def test_the_vscode_extension_offers_the_same_tools() -> None:
    contributes = json.loads(MANIFEST.read_text(encoding="utf-8"))["contributes"]
    offered = {
        tool["name"]: (tool["displayName"], tool["modelDescription"], tool["inputSchema"])
        for tool in contributes["languageModelTools"]
    }
    assert offered == {tool.name: (tool.title, tool.description, tool.input) for tool in TOOLS}


def test_every_asset_type_can_be_asked_for() -> None:
    assert set(TYPES) <= set(TYPE_BY_NAME)
    assert len(set(TYPES)) == len(TYPES)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_description_is_one_that_a_model_reads_on_every_turn(tool: ToolDescription) -> None:
    assert len(tool.description) < 640
    for name, schema in tool.input["properties"].items():
        assert schema["description"], name


@pytest.mark.parametrize(
    ("tool", "given", "read"),
    [
        (SEARCH, {"query": " rotate "}, {"query": "rotate", "limit": 8}),
        (SEARCH, {"query": "x", "limit": 500}, {"query": "x", "limit": 30}),
        (SEARCH, {"query": "x", "limit": "5"}, {"query": "x", "limit": 5}),
        (SEARCH, {"query": "x", "limit": 5.0, "type": ""}, {"query": "x", "limit": 5}),
        (CONTEXT, {"query": "x", "maxTokens": 1}, {"query": "x", "maxItems": 6, "maxTokens": 800}),
        (CHECK, None, {"severity": "warning", "limit": 50}),
        (CHECK, {"paths": "a.md"}, {"paths": ["a.md"], "severity": "warning", "limit": 50}),
    ],
)
def test_slips_of_models_are_read_as_they_are_meant(
    tool: ToolDescription, given: Any, read: dict[str, Any]
) -> None:
    assert read_arguments(tool, given) == read


def test_what_cannot_be_meant_is_refused() -> None:
    for given in ({}, {"ref": ""}, {"ref": None}, {"ref": ["a"]}, {"ref": "a", "x": 1}):
        with pytest.raises(ToolError):
            read_arguments(SHOW, given)


@pytest.mark.parametrize(
    "text", ["t//skills/a#b", "`t//skills/a#b`", "[t//skills/a#b].", "akm.show t//skills/a#b"]
)
def test_a_ref_may_come_with_what_models_put_around_it(text: str) -> None:
    assert ref_of(text) == "t//skills/a#b"


@pytest.mark.parametrize("installed", [None, "1.30.0"])
def test_without_the_sdk_it_says_how_to_get_it(
    installed: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("akm_ls.cli.mcp.sdk_version", lambda: installed)
    assert main(["mcp"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "'akm-language-server[mcp]'" in said
    assert (installed or "not installed") in said
