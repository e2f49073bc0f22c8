"""The pre-commit hooks and the GitHub workflow do what their pages promise."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import Run, write
from .test_check import COLON, GONE

ROOT = Path(__file__).resolve().parent.parent.parent
WORKFLOW = ROOT / "docs" / "github" / "skills.yml"


def hook(name: str) -> dict[str, Any]:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    return next(hook for hook in hooks if hook["id"] == name)


def arguments(entry: str) -> list[str]:
    program, *rest = shlex.split(entry)
    assert program == "akm-ls"
    return rest


def test_the_hook_checks_the_files_it_is_given(akm: Run, team: Path) -> None:
    write(team, {"knowledge/notes.md": GONE, "knowledge/other.md": GONE})
    command = arguments(hook("akm-ls")["entry"])
    ran = akm(*command, "knowledge/auth/tokens.md", "knowledge/notes.md", "skills/review/SKILL.md")
    assert ran.code == 1
    assert "knowledge/notes.md:7:5: warning[missing-ref]" in ran.out
    assert "other.md" not in ran.out
    assert akm(*command, "knowledge/auth/tokens.md", "skills/review/SKILL.md").code == 0


def test_the_hook_passes_over_files_of_no_bundle(
    akm: Run, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(team.parent, {"README.md": GONE, "ci/build.yml": "a: [\n"})
    monkeypatch.chdir(team.parent)
    command = arguments(hook("akm-ls")["entry"])
    ran = akm(*command, "README.md", "ci/build.yml")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "No findings: checked 0 files in 0 bundles.\n"
    write(team, {"knowledge/notes.md": GONE})
    ran = akm(*command, "README.md", "team/knowledge/notes.md")
    assert (ran.code, ran.err) == (1, "")
    assert "README.md" not in ran.out


def test_without_the_option_a_file_of_no_bundle_is_an_error(
    akm: Run, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(team.parent, {"README.md": GONE})
    monkeypatch.chdir(team.parent)
    assert akm("check", "README.md").code == 2


def test_the_fixing_hook_mends_and_then_has_nothing_to_do(akm: Run, team: Path) -> None:
    write(team, {"knowledge/colon.md": COLON})
    command = arguments(hook("akm-ls-fix")["entry"])
    assert akm(*command, "knowledge/colon.md", "--severity", "hint").code in (0, 1)
    fixed = (team / "knowledge/colon.md").read_bytes()
    assert b'"Fridays: no deploys"' in fixed
    assert akm(*command, "knowledge/colon.md", "--severity", "hint").code in (0, 1)
    assert (team / "knowledge/colon.md").read_bytes() == fixed


@pytest.mark.parametrize("name", ["akm-ls", "akm-ls-fix"])
def test_the_hooks_see_every_kind_of_file_that_is_checked(name: str) -> None:
    pattern = re.compile(hook(name)["files"])
    for path in ("skills/a/SKILL.md", "rules/a.mdc", "tasks/a.yml", "a.yaml", "env/prod.env"):
        assert pattern.search(path), path
    assert not pattern.search("scripts/a.py")


def test_the_workflows_commands_run(akm: Run, team: Path, tmp_path: Path) -> None:
    write(team, {"knowledge/notes.md": GONE})
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    commands = [
        step["run"].partition(" > ")[0]
        for step in workflow["jobs"]["check"]["steps"]
        if step.get("run", "").startswith("akm-ls")
    ]
    assert [akm(*arguments(command)).code for command in commands] == [0, 1]
