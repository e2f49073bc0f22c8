"""``akm/graph`` and ``akm/newAsset``: the pictures and forms of an editor."""

from __future__ import annotations

from typing import Any

import pytest
from editor import Editor
from pygls.exceptions import JsonRpcException


async def drawn(editor: Editor, **params: Any) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The nodes by ref, and the edges by ``source > target``, both as short names."""
    answer = await editor.request("akm/graph", params)
    nodes = answer["nodes"]
    edges = {
        f"{nodes[edge['source']]['ref']} > {nodes[edge['target']]['ref']}": edge
        for edge in answer["edges"]
    }
    return {node["ref"]: node for node in nodes}, edges


async def test_the_graph_has_every_asset_and_every_citation(editor: Editor) -> None:
    await editor.start(["team", "other"])
    nodes, edges = await drawn(editor)
    release = nodes["team//skills/release"]
    assert (release["type"], release["title"]) == ("skill", "Release")
    assert release["uri"] == editor.uri("team/skills/release/SKILL.md")
    assert nodes["team//knowledge/old"]["beliefState"] == "superseded"
    assert nodes["team//secrets/deploy-key"]["type"] == "secret"
    assert edges.keys() == {
        "team//skills/release > team//knowledge/auth/tokens",
        "team//skills/release > team//knowledge/auth/tls",
        "team//knowledge/old > team//knowledge/auth/tls",
        "team//memories/note > team//knowledge/auth/tokens",
        "other//memories/seen > team//knowledge/auth/tls",
    }
    assert not any(edge.get("broken") for edge in edges.values())


async def test_what_is_cited_and_not_there_is_a_node_with_a_broken_edge(editor: Editor) -> None:
    editor.write(
        "team/memories/lost.md",
        "# Lost\n\nteam//knowledge/auth/tokenz, knowledge/gone, team//knowledge/auth/tls#nowhere,"
        " //cdn.example.com/x and src//main/x.\n",
    )
    editor.write("team/memories/list.md", "---\nxrefs: [knowledge/gone]\n---\n# List\n")
    await editor.start()
    nodes, edges = await drawn(editor)
    gone = nodes["team//knowledge/gone"]
    assert gone == {"ref": "team//knowledge/gone", "type": "missing", "title": "gone"}
    assert edges["team//memories/list > team//knowledge/gone"]["broken"]
    assert edges["team//memories/lost > team//knowledge/auth/tokenz"]["broken"]
    assert edges["team//memories/lost > team//knowledge/auth/tls"]["broken"]
    assert {ref for ref, node in nodes.items() if node["type"] == "missing"} == {
        "team//knowledge/gone",
        "team//knowledge/auth/tokenz",
    }


async def test_citations_of_one_pair_are_one_edge_and_own_headings_none(editor: Editor) -> None:
    editor.write(
        "team/memories/often.md",
        "# Often\n\nteam//knowledge/auth/tls, team//knowledge/auth/tls and team//memories/often.\n",
    )
    await editor.start()
    _, edges = await drawn(editor)
    assert edges["team//memories/often > team//knowledge/auth/tls"]["count"] == 2
    assert "team//memories/often > team//memories/often" not in edges


async def test_the_graph_follows_what_is_being_typed(editor: Editor) -> None:
    await editor.start()
    editor.open("team/memories/note.md", "# Note\n\nNow team//skills/release.\n")
    _, edges = await drawn(editor)
    assert "team//memories/note > team//skills/release" in edges
    assert "team//memories/note > team//knowledge/auth/tokens" not in edges


async def test_the_graph_of_one_bundle_has_its_neighbours(editor: Editor) -> None:
    await editor.start(["team", "other"])
    nodes, edges = await drawn(editor, bundle="other")
    assert nodes.keys() == {
        "other//knowledge/there",
        "other//memories/seen",
        "team//knowledge/auth/tls",
    }
    assert edges.keys() == {"other//memories/seen > team//knowledge/auth/tls"}


async def test_a_limit_keeps_what_is_cited_most(editor: Editor) -> None:
    await editor.start()
    answer = await editor.request("akm/graph", {"limit": 3})
    refs = {node["ref"] for node in answer["nodes"]}
    assert refs >= {"team//knowledge/auth/tls", "team//knowledge/auth/tokens"}
    assert len(refs) == 3 < answer["total"]
    assert all(edge["source"] < 3 and edge["target"] < 3 for edge in answer["edges"])


@pytest.mark.parametrize("params", [{"bundle": "nowhere"}, {"limit": 0}, {"limit": "all"}])
async def test_a_graph_of_nothing_is_an_error(editor: Editor, params: dict[str, Any]) -> None:
    await editor.start()
    with pytest.raises(JsonRpcException):
        await editor.request("akm/graph", params)


async def test_a_new_asset_step_by_step(editor: Editor) -> None:
    await editor.start(["team", "other"])
    begun = await editor.request("akm/newAsset", {})
    assert [bundle["id"] for bundle in begun["bundles"]] == ["team", "other"]
    assert begun["bundles"][0]["types"][:3] == ["skill", "command", "agent"]
    assert {"secret", "session", "rule"}.isdisjoint(begun["bundles"][0]["types"])
    asked = {"bundle": "team", "type": "knowledge"}
    places = (await editor.request("akm/newAsset", asked))["places"]
    # Where its like is comes first, and the directory of the type can always be chosen.
    assert places[0] == {"directory": "auth", "why": "domain"}
    assert places[-1] == {"directory": "", "why": "right in knowledge/"}
    answer = await editor.request("akm/newAsset", {**asked, "name": "auth/Sign In"})
    assert answer["file"]["path"] == "knowledge/auth/sign-in.md"
    assert answer["file"]["ref"] == "team//knowledge/auth/sign-in"
    assert answer["file"]["uri"] == editor.uri("team/knowledge/auth/sign-in.md")
    assert "# Sign in\n" in answer["file"]["text"]
    assert "description: ${1:What it is about, in one sentence}" in answer["file"]["snippet"]
    assert not (editor.root / "team/knowledge/auth/sign-in.md").exists()


@pytest.mark.parametrize(
    ("kind", "name", "path"),
    [
        ("skill", "tidy-up", "skills/tidy-up/SKILL.md"),
        ("memory", "checkout/slow.md", "memories/checkout/slow.md"),
        ("script", "databases/Check It.sh", "scripts/databases/check-it.sh"),
        ("task", "nightly.yml", "tasks/nightly.yml"),
        ("fact", "über uns", "facts/ber-uns.md"),
    ],
)
async def test_a_name_becomes_a_path_by_the_conventions(
    editor: Editor, kind: str, name: str, path: str
) -> None:
    await editor.start()
    asked = {"bundle": "team", "type": kind, "name": name}
    assert (await editor.request("akm/newAsset", asked))["file"]["path"] == path


async def test_memories_belong_to_projects_and_commands_to_everybody(editor: Editor) -> None:
    editor.write("team/lessons/checkout/one.md", "# One\n")
    await editor.start()

    async def places(kind: str) -> list[str]:
        answer = await editor.request("akm/newAsset", {"bundle": "team", "type": kind})
        return [f"{place['directory']}:{place['why']}" for place in answer["places"]]

    assert await places("memory") == ["checkout:project", ":right in memories/"]
    assert await places("command") == [":right in commands/"]


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"type": "knowledge", "bundle": "team", "name": "auth/tls"}, "exists already"),
        ({"type": "knowledge", "bundle": "team", "name": "../../x"}, "is no name"),
        ({"type": "knowledge", "bundle": "team", "name": " "}, "is no name"),
        ({"type": "script", "bundle": "team", "name": "check"}, "extension"),
        ({"type": "script", "bundle": "team", "name": "check.exe"}, "cannot be the name"),
        ({"type": "secret", "bundle": "team", "name": "key"}, "nothing of type"),
        ({"type": "knowledge", "bundle": "nowhere", "name": "x"}, "no bundle"),
        ({"name": "x"}, "needs a type"),
        ({"type": 3}, "must be a string"),
    ],
)
async def test_what_cannot_be_begun_says_why(
    editor: Editor, params: dict[str, Any], says: str
) -> None:
    await editor.start()
    with pytest.raises(JsonRpcException, match=says):
        await editor.request("akm/newAsset", params)


async def test_a_directory_of_a_tool_takes_what_the_tool_reads(editor: Editor) -> None:
    editor.write("repo/.claude/agents/one.md", "---\nname: one\ndescription: One\n---\nGo.\n")
    await editor.start(["repo"])
    (bundle,) = (await editor.request("akm/newAsset", {}))["bundles"]
    assert bundle["types"] == ["skill", "agent", "command"]
    asked = {"bundle": bundle["id"], "type": "agent", "name": "Two"}
    file = (await editor.request("akm/newAsset", asked))["file"]
    assert file["uri"] == editor.uri("repo/.claude/agents/two.md")
    assert "tools: Read" in file["text"] and "updated" not in file["text"]
