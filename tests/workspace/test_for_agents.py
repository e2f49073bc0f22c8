"""Answers as an agent gets them: lean, cut to what it can read, and without secrets."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from akm_ls.search.request import RequestError, SearchRequest
from akm_ls.workspace import Settings, Workspace
from akm_ls.workspace import check_for_agents as checking
from akm_ls.workspace.check_for_agents import CheckRequest, check_for_agents
from akm_ls.workspace.for_agents import (
    MAX_ITEMS,
    MAX_TEXT,
    check_for_reading,
    search_for_agents,
    show_for_agents,
    to_text,
)

KEY = "ghp_" + "a1B2" * 9


def opened(root: Path, files: dict[str, str]) -> Workspace:
    for rel, text in files.items():
        path = root / "team" / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    settings = Settings(bundle_dirs=(str(root / "team"),), data_dir=str(root / "data"))
    workspace = Workspace.open(settings)
    workspace.refresh()
    return workspace


def asset(description: str = "Some text.", body: str = "Text.", **frontmatter: str) -> str:
    more = "".join(f"{key}: {value}\n" for key, value in frontmatter.items())
    return f"---\ndescription: {description}\n{more}---\n\n# Title\n\n{body}\n"


def test_a_long_text_is_cut_and_the_answer_says_how_to_read_on(tmp_path: Path) -> None:
    body = "## Part one\n\n" + "word " * MAX_TEXT + "\n\n## Part two\n\nEnd.\n"
    with opened(tmp_path, {"knowledge/long.md": asset(body=body)}) as workspace:
        whole = show_for_agents(workspace.show("knowledge/long"))
        assert len(to_text(whole)) < MAX_TEXT + 5_000
        assert whole["truncated"] == ["content"]
        assert "team//knowledge/long#SLUG" in whole["warnings"][-1]
        section = show_for_agents(workspace.show("knowledge/long#part-two"))
        assert section["content"].strip() == "## Part two\n\nEnd."
        assert "truncated" not in section


def test_a_secret_at_the_edge_of_what_is_shown_is_covered_whole(tmp_path: Path) -> None:
    for before in range(MAX_TEXT - 60, MAX_TEXT, 7):
        body = "x" * before + f" {KEY} end"
        with opened(tmp_path, {"knowledge/edge.md": asset(body=body)}) as workspace:
            shown = to_text(show_for_agents(workspace.show("knowledge/edge")))
            assert KEY[:12] not in shown


def test_long_lists_and_many_steps_are_cut(tmp_path: Path) -> None:
    headings = "\n\n".join(f"## Part {number}" for number in range(MAX_ITEMS * 3))
    with opened(tmp_path, {"knowledge/many.md": asset(body=headings)}) as workspace:
        shown = show_for_agents(workspace.show("knowledge/many"))
        assert len(shown["fragments"]) == MAX_ITEMS
        assert shown["truncated"] == ["fragments"]


def test_what_says_nothing_is_left_out_and_what_names_something_is_kept(tmp_path: Path) -> None:
    files = {
        "knowledge/a.md": asset(xrefs="[knowledge/b]"),
        "knowledge/b.md": asset(),
        "env/prod.env": "TOKEN=zqnever\n",
    }
    with opened(tmp_path, files) as workspace:
        shown = show_for_agents(workspace.show("knowledge/b"))
        assert shown["citedBy"] == {"total": 1, "refs": ["team//knowledge/a"]}
        assert not {"whenToUse", "beliefState", "uri", "warnings", "supersededBy"} & set(shown)
        env = show_for_agents(workspace.show("env/prod"))
        assert env["keys"] == ["TOKEN"]
        assert "zqnever" not in to_text(env)


def test_a_hit_has_its_reasons_and_no_parts_of_a_score(tmp_path: Path) -> None:
    with opened(tmp_path, {"knowledge/otters.md": asset(f"Otters and {KEY}.")}) as workspace:
        found = search_for_agents(workspace.search(SearchRequest(query="otters")))
        (hit,) = found["hits"]
        assert hit["whyMatched"]
        assert not {"scores", "uri", "range", "contentHash"} & set(hit)
        assert KEY not in to_text(found)


async def test_the_gravest_findings_come_first_and_everything_is_counted(tmp_path: Path) -> None:
    files = {f"knowledge/a{n}.md": asset(body="team//knowledge/gone") for n in range(5)}
    files["knowledge/z.md"] = '---\ndescription: "never closed\n---\n\n# Z\n'
    with opened(tmp_path, files) as workspace:
        found = check_for_reading(await check_for_agents(workspace, CheckRequest(limit=2)))
        assert [finding["severity"] for finding in found["findings"]] == ["error", "warning"]
        assert found["findings"][0]["fixes"] == ["Close the quote"]
        assert (found["total"], found["summary"]["files"]) == (6, 6)
        again = await check_for_agents(workspace, CheckRequest(severity="error"))
        assert (again["total"], again["summary"]["warning"]) == (1, 5)


async def test_more_findings_than_an_agent_can_read_are_cut_and_counted(tmp_path: Path) -> None:
    gone = "\n".join(f"team//knowledge/{'gone-' * 20}{number}" for number in range(150))
    with opened(tmp_path, {"knowledge/a.md": asset(body=gone)}) as workspace:
        found = check_for_reading(await check_for_agents(workspace, CheckRequest(limit=200)))
        assert len(to_text(found)) < MAX_TEXT + 1_000
        assert 0 < len(found["findings"]) < found["total"] == 150
        assert found["warnings"][-1].startswith(f"{len(found['findings'])} of 150 findings")


async def test_a_check_that_nobody_waits_for_any_more_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "SLICE", 0.0)
    files = {f"knowledge/a{n}.md": asset() for n in range(40)}
    with opened(tmp_path, files) as workspace:
        seen: list[int] = []
        running = asyncio.ensure_future(
            check_for_agents(
                workspace, CheckRequest(), on_progress=lambda done, *_: seen.append(done)
            )
        )
        await asyncio.sleep(0)
        assert seen
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert len(seen) < 40


@pytest.mark.parametrize(
    "params",
    [{"paths": 7}, {"paths": [7]}, {"limit": "x"}, {"limit": True}, {"severity": "grave"}],
)
def test_a_request_that_means_nothing_is_refused(params: dict[str, object]) -> None:
    with pytest.raises(RequestError):
        CheckRequest.from_params(params)


def test_a_request_is_read_with_tolerance() -> None:
    assert CheckRequest.from_params({}) == CheckRequest()
    assert CheckRequest.from_params({"paths": " a.md ", "severity": "info", "limit": 3.0}) == (
        CheckRequest(paths=("a.md",), severity="information", limit=3)
    )
    assert CheckRequest.from_params({"limit": 9_999}).limit == checking.MAX_LIMIT


def test_what_cannot_be_sent_is_a_question_mark() -> None:
    assert json.loads(to_text({"path": "/é/odd-\udcff.md"})) == {"path": "/é/odd-?.md"}
