"""``akm-ls mcp`` as an agent's host uses it: the official client, over a real pipe."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akm_ls import __version__
from akm_ls.mcp.tools import TOOLS

from .conftest import MARKER, PASTED, TEAM, Machine, write

pytest.importorskip("mcp_types", reason="the SDK is an extra")

GENERATIONS = ("legacy", "auto")
"""Clients that begin with a handshake, and those that begin with a request."""
SLUG = PASTED.lower().replace("_", "-")
"""`PASTED` as it stands in the slug of a heading."""


async def call(client: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers, which the client has compared with the tool's output schema."""
    result = await client.call_tool(tool, arguments)
    text = "".join(part.text for part in result.content)
    assert not result.is_error, text
    assert json.loads(text) == result.structured_content
    answer: dict[str, Any] = result.structured_content
    return answer


async def refusal(client: Any, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return "".join(part.text for part in result.content)


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_the_tools_are_listed_with_their_schemas(machine: Machine, generation: str) -> None:
    async with machine.connect(mode=generation) as client:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == [tool.name for tool in TOOLS]
        for tool, described in zip(listed, TOOLS, strict=True):
            assert tool.description == described.description
            assert tool.input_schema == described.input
            assert tool.output_schema == described.output
            assert tool.annotations.read_only_hint
        assert client.server_info.version == __version__
        found = await call(client, "akm_search", query="rotate tokens")
        assert found["hits"][0]["ref"] == "team//knowledge/auth/tokens"


async def test_a_hit_has_a_ref_a_reason_and_the_passage(machine: Machine) -> None:
    async with machine.connect() as client:
        found = await call(client, "akm_search", query="rotate tokens", limit=1)
        (hit,) = found["hits"]
        assert hit["whyMatched"]
        assert hit["description"] == "How access tokens are rotated."
        assert "Tokens" in hit["citation"]["text"]
        assert hit["path"] == str(machine.team / "knowledge" / "auth" / "tokens.md")
        listed = await call(client, "akm_search", query="skills/")
        assert [hit["ref"] for hit in listed["hits"]] == ["team//skills/review"]
        nothing = await call(client, "akm_search", query="zzqqxx")
        assert (nothing["hits"], nothing["total"]) == ([], 0)


async def test_an_asset_and_a_section_are_shown(machine: Machine) -> None:
    async with machine.connect() as client:
        shown = await call(client, "akm_show", ref="`knowledge/auth/tokens`")
        assert shown["ref"] == "team//knowledge/auth/tokens"
        assert [part["slug"] for part in shown["fragments"]] == ["tokens", "rotate", "lifetimes"]
        assert shown["xrefs"] == ["skills/review"]
        assert shown["citedBy"] == {"total": 1, "refs": ["team//skills/review"]}
        section = await call(client, "akm_show", ref="team//knowledge/auth/tokens#lifetimes")
        assert section["content"].strip() == "## Lifetimes\n\nShort."


async def test_an_unknown_ref_is_answered_with_one_to_try(machine: Machine) -> None:
    async with machine.connect() as client:
        said = await refusal(client, "akm_show", ref="team//skills/reviw")
        assert "No asset found for" in said
        assert "Did you mean team//skills/review?" in said
        said = await refusal(client, "akm_show", ref="team//knowledge/auth/tokens#rotat")
        assert "Did you mean team//knowledge/auth/tokens#rotate?" in said
        assert "known bundles: team" in await refusal(client, "akm_show", ref="other//skills/x")
        assert "team//skills/review?" in await refusal(
            client, "akm_check", paths=["team//skills/reviw"]
        )


async def test_a_context_pack_holds_cited_evidence_within_its_budget(machine: Machine) -> None:
    async with machine.connect() as client:
        pack = await call(client, "akm_context", query="rotate tokens", maxTokens=900)
        assert pack["budgets"]["max_tokens"] == 900
        assert pack["budgets"]["estimated_tokens"] <= 900
        cited = {citation["id"]: citation["ref"] for citation in pack["citations"]}
        best = pack["evidence"][0]
        assert best["ref"].startswith("team//knowledge/auth/tokens")
        assert cited[best["citation_ids"][0]] == best["ref"]


async def test_a_check_says_where_what_and_what_to_do(machine: Machine) -> None:
    async with machine.connect() as client:
        found = await call(client, "akm_check", paths=["knowledge"])
        (finding,) = found["findings"]
        assert finding["at"] == "knowledge/broken.md:7:5"
        assert (finding["code"], finding["ref"]) == ("missing-ref", "team//knowledge/broken")
        assert "team//knowledge/auth/tokens" in finding["message"]
        assert (found["total"], found["summary"]["files"]) == (1, 2)
        by_ref = await call(client, "akm_check", paths=["team//skills/review"], severity="hint")
        assert by_ref["summary"]["files"] == 1
        everything = await call(client, "akm_check")
        assert everything["summary"]["files"] == 4
        outside = write(machine.root / "elsewhere", {"notes.md": "# Notes\n"}) / "notes.md"
        assert "in no bundle" in await refusal(client, "akm_check", paths=[str(outside)])


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("akm_search", {}, "akm_search needs query"),
        ("akm_search", {"query": 7}, "query must be a string"),
        ("akm_search", {"query": "x", "typ": "skill"}, "did you mean type?"),
        ("akm_search", {"query": "x", "type": "skil"}, "did you mean skill?"),
        ("akm_search", {"query": "x", "limit": "many"}, "limit must be a whole number"),
        ("akm_search", {"query": "x", "bundle": "gone"}, "there is team"),
        ("akm_show", {"ref": "../../etc/passwd"}, ""),
        ("akm_check", {"paths": ["/no/such/place"]}, "no such file or directory"),
        ("akm_check", {"paths": [7]}, "paths must be a list of strings"),
        ("akm_find", {"query": "x"}, "there are akm_search, akm_show, akm_context, akm_check"),
    ],
)
async def test_bad_arguments_are_answered_with_what_would_be_good(
    served: Any, tool: str, arguments: dict[str, Any], said: str
) -> None:
    assert said in await refusal(served, tool, **arguments)
    assert (await call(served, "akm_search", query="tokens"))["hits"], "and it goes on"


@pytest.fixture
async def served(machine: Machine) -> Any:
    """A connected client without a pipe: what is asked does not depend on one."""
    from mcp import Client

    from akm_ls.mcp.library import OpenLibrary
    from akm_ls.mcp.server import Served
    from akm_ls.workspace import Settings

    settings = Settings(bundle_dirs=(str(machine.team),), data_dir=str(machine.root / "d"))
    at_work = Served(lambda: OpenLibrary(settings))
    connected: asyncio.Queue[Any] = asyncio.Queue()
    done = asyncio.Event()

    async def hold() -> None:  # the client wants to be left by the task that entered it
        async with Client(at_work.server()) as client:
            await connected.put(client)
            await done.wait()

    holding = asyncio.create_task(hold())
    yield await connected.get()
    done.set()
    await holding
    at_work.close()


async def test_no_secret_and_no_env_value_is_anywhere(machine: Machine) -> None:
    answers: list[str] = []
    async with machine.connect() as client:
        for query in ("payroll", "token", "env/", "secrets/", "", MARKER[:-1]):
            for kind in (None, "env", "secret"):
                asked = {"query": query, "type": kind, "limit": 30}
                answers.append(repr(await client.call_tool("akm_search", asked)))
                answers.append(repr(await client.call_tool("akm_context", asked)))
        for ref in ("env/prod", "secrets/payroll", "secrets/notes.md", "knowledge/auth/tokens"):
            for tool, asked in (("akm_show", {"ref": ref}), ("akm_check", {"paths": [ref]})):
                answers.append(repr(await client.call_tool(tool, asked)))
        answers.append(repr(await client.call_tool("akm_check", {"severity": "hint"})))
    seen = "".join(answers) + machine.log.read_text(encoding="utf-8")
    assert "PAYROLL_TOKEN" in seen, "the names of keys are there"
    assert "[REDACTED:github_token]" in seen
    assert MARKER not in seen
    assert PASTED not in seen
    written = b"".join(
        path.read_bytes() for path in (machine.root / "data").rglob("*") if path.is_file()
    )
    assert MARKER.encode() not in written


async def test_a_key_in_a_heading_a_tag_or_a_ref_is_in_no_answer(machine: Machine) -> None:
    """Slugs have it in lower case, with hyphens: nothing of that either."""
    page = (
        f"---\ndescription: Rotating keys.\ntags: [auth, {PASTED}]\n"
        f"xrefs:\n  - skills/review\n  - knowledge/{PASTED}\n---\n\n# Keys\n\n"
        f"## Use {PASTED} here\n\nRotating keys is [described](#use-{PASTED}-her).\n\n"
        "## After\n\nDone.\n"
    )
    linking = f"---\ndescription: Links.\n---\n\nSee team//knowledge/keys#use-{SLUG}-her.\n"
    write(machine.team, {"knowledge/keys.md": page, "knowledge/links.md": linking})
    async with machine.connect() as client:
        shown = await call(client, "akm_show", ref="team//knowledge/keys")
        answers = [
            json.dumps(shown),
            json.dumps(await call(client, "akm_search", query="rotating keys described")),
            json.dumps(await call(client, "akm_search", query=f"use {PASTED} here")),
            json.dumps(await call(client, "akm_context", query="rotating keys described")),
            json.dumps(await call(client, "akm_check", severity="hint")),
            await refusal(client, "akm_show", ref="team//knowledge/keys#use"),
            await refusal(client, "akm_show", ref=f"team//knowledge/{PASTED}"),
            json.dumps(await call(client, "akm_show", ref="team//knowledge/links")),
        ]
    for answer in answers:
        assert SLUG not in answer.lower().replace("_", "-").replace(" ", "-")
    assert shown["xrefs"] == ["skills/review", "knowledge/[REDACTED:github_token]"]
    assert shown["tags"] == ["auth", "[REDACTED:github_token]"]
    assert [part["slug"] for part in shown["fragments"]] == ["keys", "after"]
    assert shown["path"] == str(machine.team / "knowledge" / "keys.md")


@pytest.mark.parametrize(
    "arguments",
    [
        {"ref": "\0"},
        {"ref": "x" * 100_000},
        {"ref": "team//"},
        {"ref": "team//../../etc/passwd"},
        {"ref": "#"},
        {"ref": "team//knowledge/auth/tokens#" + "é" * 1_000},
    ],
)
async def test_whatever_is_asked_for_there_is_an_answer(
    served: Any, arguments: dict[str, Any]
) -> None:
    for tool, asked in (("akm_show", arguments), ("akm_check", {"paths": [arguments["ref"]]})):
        assert "internal error" not in await refusal(served, tool, **asked)
    query = {"query": arguments["ref"]}
    for tool in ("akm_search", "akm_context"):
        result = await served.call_tool(tool, query)
        assert "internal error" not in repr(result)


async def test_files_that_are_written_while_it_runs_are_known(machine: Machine) -> None:
    async with machine.connect() as client:
        assert not (await call(client, "akm_search", query="quokka"))["hits"]
        text = "---\ndescription: About the quokka.\n---\n\n# Quokka\n"
        write(machine.team, {"knowledge/quokka.md": text})
        shown = await call(client, "akm_show", ref="knowledge/quokka")
        assert shown["ref"] == "team//knowledge/quokka"
        write(machine.team, {"knowledge/wombat.md": text.replace("quokka", "wombat")})
        assert await search_until(client, "wombat", lambda found: found["hits"])


async def search_until(client: Any, query: str, is_so: Callable[[dict[str, Any]], Any]) -> Any:
    """Ask again until it is so; in vain after a while."""
    for _ in range(300):
        so = is_so(await call(client, "akm_search", query=query))
        if so:
            return so
        await asyncio.sleep(0.1)
    return None


# Newer protocols do without, which the SDK tells its users; the hosts of today have them.
@pytest.mark.filterwarnings("ignore:The roots capability is deprecated")
async def test_the_clients_roots_are_the_folders(machine: Machine) -> None:
    import mcp_types as types

    elsewhere = machine.root / "elsewhere"
    elsewhere.mkdir()
    roots = [types.Root(uri=machine.team.as_uri())]

    async def list_roots(_context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=roots)

    async with machine.connect(
        at=elsewhere, mode="legacy", list_roots_callback=list_roots
    ) as client:
        found = await call(client, "akm_search", query="rotate tokens")
        assert found["hits"][0]["bundle"] == "team"
        other = write(machine.root / "other", TEAM)
        roots[:] = [types.Root(uri=other.as_uri())]
        await client.send_roots_list_changed()
        assert await search_until(
            client,
            "skills/",
            lambda found: [hit["ref"] for hit in found["hits"]] == ["other//skills/review"],
        )


async def test_without_a_bundle_it_says_so(machine: Machine) -> None:
    empty = machine.root / "empty"
    empty.mkdir()
    async with machine.connect(at=empty) as client:
        said = await refusal(client, "akm_search", query="x")
        assert str(empty) in said
        assert "--bundle-dir" in said
    async with machine.connect("--bundle-dir", str(machine.team), at=empty) as client:
        assert (await call(client, "akm_search", query="tokens"))["hits"]


def test_it_ends_when_stdin_closes(machine: Machine) -> None:
    done = subprocess.run(
        [sys.executable, *machine.arguments()],
        cwd=machine.team,
        env=machine.environment,
        input=b"",
        capture_output=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, b"")


def test_stdout_carries_nothing_but_the_protocol(machine: Machine, tmp_path: Path) -> None:
    write(machine.team, {".akm-ls.toml": "lint = 7\nnonsense"})
    with subprocess.Popen(
        [sys.executable, *machine.arguments()],
        cwd=machine.team,
        env=machine.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin and process.stdout and process.stderr
        client = {"name": "test", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        search = {"name": "akm_search", "arguments": {"query": "tokens"}}
        for message in (
            "this is no JSON",
            {"id": 1, "method": "initialize", "params": hello},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": search},
        ):
            line = message if isinstance(message, str) else json.dumps(message | {"jsonrpc": "2.0"})
            process.stdin.write(line.encode() + b"\n")
        process.stdin.flush()
        lines = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.close()
        assert process.stdout.read() == b""
        assert [line.get("id") for line in lines if "id" in line][-1] == 2
        assert b".akm-ls.toml" in process.stderr.read()
