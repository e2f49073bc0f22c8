"""Bundles whose format hides their assets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stash import lint_stash, write_stash

from akm_ls.workspace import Workspace
from akm_ls.workspace.settings import Settings

STASH = {
    "agents/a.md": "---\nname: a\n---\nDo it.\n",
    "knowledge/k.md": "# K\n",
    "memories/m.md": "# M\n",
    "memories/index.md": "# Never an asset\n",
}


def test_a_claude_md_hides_knowledge_and_memories(tmp_path: Path) -> None:
    found = lint_stash(tmp_path, {"CLAUDE.md": "# Rules\n", **STASH}, "bundle-format")
    (finding,) = found.pop("CLAUDE.md")
    assert found == {}
    assert finding.severity == "information"
    assert finding.span == (0, len("# Rules"))
    assert finding.message.startswith(
        "2 files in knowledge/ and memories/ are not indexed because the root reads as a claude "
        "bundle; set the adapter to akm"
    )
    snippet = json.loads(str(finding.data["configuration"]))
    assert snippet["bundles"]["team"]["components"] == {"main": {"adapter": "akm"}}


@pytest.mark.parametrize(
    ("rel", "text", "adapter"),
    [
        ("AGENTS.md", "# Rules\n", "an opencode"),
        ("nightly.yml", "schedule: '@daily'\nprompt: x\nversion: 2\n", "an akm-task"),
        ("flow.md", "---\ntype: workflow\n---\n", "an akm-workflow"),
        ("lint/SKILL.md", "---\nname: lint\n---\n", "an agent-skills"),
    ],
)
def test_each_file_that_makes_a_probe_choose(
    tmp_path: Path, rel: str, text: str, adapter: str
) -> None:
    found = lint_stash(tmp_path, {rel: text, **STASH}, "bundle-format")
    assert list(found) == [rel]
    lot = "taken for workflows" if rel == "flow.md" else "not indexed"
    assert f"are {lot} because the root reads as {adapter} bundle" in found[rel][0].message


@pytest.mark.parametrize(
    "files",
    [
        STASH,
        {"CLAUDE.md": "# Rules\n", "agents/a.md": "# A\n", "scripts/x.sh": "true\n"},
        {"CLAUDE.md": "# Rules\n", "agents/a.md": "# A\n", "knowledge/.keep": ""},
    ],
)
def test_nothing_is_hidden(tmp_path: Path, files: dict[str, str]) -> None:
    assert lint_stash(tmp_path, files, "bundle-format") == {}


@pytest.mark.parametrize("pinned", [True, False])
def test_a_format_that_the_configuration_names_is_nobodys_fault(
    tmp_path: Path, pinned: bool
) -> None:
    bundle = write_stash(tmp_path / "team", {"CLAUDE.md": "# Rules\n", **STASH})
    entry: dict[str, object] = {"path": str(bundle)}
    if pinned:
        entry["components"] = {"main": {"adapter": "claude"}}
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"configVersion": "0.9.0", "bundles": {"mine": entry}}))
    with Workspace.open(Settings(config=str(config), data_dir=str(tmp_path / "data"))) as opened:
        opened.refresh()
        found = [f for it in opened.check() for f in it.findings if f.code == "bundle-format"]
    assert len(found) == (0 if pinned else 1)
    assert all('{"bundles": {"mine": {"components"' in finding.message for finding in found)


def test_files_that_come_are_counted(tmp_path: Path) -> None:
    lint_stash(tmp_path, {"CLAUDE.md": "# Rules\n", **STASH}, "bundle-format")
    more = {"memories/sub/new.md": "# New\n", "facts/f.md": "# F\n"}
    found = lint_stash(tmp_path, more, "bundle-format")
    assert "4 files in knowledge/, memories/ and facts/" in found["CLAUDE.md"][0].message
