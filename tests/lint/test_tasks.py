"""Tasks that akm cannot schedule, by version."""

from __future__ import annotations

from pathlib import Path

import pytest
from one_document import findings as all_findings
from stash import lint_stash

from akm_ls.lint.finding import Finding
from akm_ls.lint.fixes import apply_edits, safe_edits

TASK = 'version: 2\nschedule: "@daily"\n'


def findings(text: str, rel: str = "tasks/a.yml") -> tuple[Finding, ...]:
    return tuple(f for f in all_findings(text, rel) if f.code == "invalid-task-yaml")


def told(text: str) -> list[tuple[str, str]]:
    """The keys that findings are about, and the text they stand under."""
    return [(str(f.data["key"]), f.span.of(text)) for f in findings(text)]


@pytest.mark.parametrize(
    "text",
    [
        TASK + "prompt: Check the backups.\n",
        TASK + "workflow: workflows/release\nparams: {a: 1}\nenabled: false\n",
        TASK + "command: [ls, -l]\ntimeoutMs: 1000\ntags: [x]\nxrefs: [knowledge/a]\n",
        "version: 3\nschedule: '@daily'\nprompt: x\nanything: goes\n",
        "version: 4\nuses: akm/command\nwith: {a: 1}\n",
        "version: 4\nuses: team//workflows/release\nschedule: 15 3 * * *\n",
        "version: 4\nrun: ls\nshell: bash\nschedule:\n  - cron: '@daily'\n    inputs: {}\n",
    ],
)
def test_tasks_that_run(text: str) -> None:
    assert not told(text)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("version: 2\nprompt: x\n", [("schedule", "version")]),
        ("version: 2\nschedule:\nprompt: x\n", [("schedule", "schedule")]),
        ("version: 2\nschedule: 15\nprompt: x\n", [("schedule", "15")]),
        ("version: 2\nschedule: soon\nprompt: x\n", [("schedule", "soon")]),
        (TASK, [("target", "version")]),
        (TASK + "prompt:\n", [("target", "prompt")]),
        (TASK + "prompt: x\ncommand: ls\n", [("command", "command")]),
        (TASK + "prompt: x\nparams: {}\n", [("params", "params")]),
        (TASK + "prompt: x\nworkflw: y\n", [("workflw", "workflw")]),
        (TASK + "prompt: x\nenabled: maybe\n", [("enabled", "maybe")]),
        ("schedule: '@daily'\nprompt: x\n", [("version", "schedule")]),
        ("version: 1\nschedule: '@daily'\nprompt: x\n", [("version", "1")]),
        ("version: 4\n", [("uses", "version")]),
        ("version: 4\nuses: knowledge/a\n", [("uses", "knowledge/a")]),
        ("version: 4\nuses: commands/a\nrun: ls\n", [("run", "run")]),
        ("version: 4\nrun: ls\nshell: fish\n", [("shell", "fish")]),
        ("version: 4\nrun: ls\nprompt: x\n", [("prompt", "prompt")]),
        ("version: 4\nrun: ls\nschedule: [{cron: never}]\n", [("schedule", "never")]),
        ("version: 4\nrun: ls\nschedule: [daily]\n", [("schedule", "daily")]),
        ("version: 4\nrun: ls\ntimeot: 5\n", [("timeot", "timeot")]),
        ("version: 3\n", [("target", "version")]),
        ("", [("", "")]),
        ("# nothing yet\n", [("", "")]),
        ("- a\n", [("", "- a")]),
    ],
)
def test_what_is_missing_or_wrong(text: str, keys: list[tuple[str, str]]) -> None:
    assert told(text) == keys


def test_broken_yaml_is_told_where_it_breaks() -> None:
    (found,) = findings('version: 2\nschedule: "@daily\n')
    assert (found.severity, found.data["key"]) == ("error", "")


def test_what_only_a_strict_reader_refuses_is_a_warning() -> None:
    (found,) = findings(TASK + "promt: x\nprompt: y\n")
    assert found.severity == "warning"
    assert "`prompt`" in found.message


def test_a_version_to_come_may_be_right() -> None:
    (found,) = findings("version: 5\nuses: commands/a\n")
    assert found.severity == "information"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "# nightly\r\nschedule: '@daily'\r\nprompt: x\r\n",
            "# nightly\r\nversion: 2\r\nschedule: '@daily'\r\nprompt: x\r\n",
        ),
        ("uses: commands/a\n", "version: 4\nuses: commands/a\n"),
        ('version: "2"\n' + TASK[11:] + "prompt: x\n", TASK + "prompt: x\n"),
        (TASK + "prompt: x\nenabled: 'yes' # on\n", TASK + "prompt: x\nenabled: true # on\n"),
        (TASK + "prompt: x\nenabled: off\n", TASK + "prompt: x\nenabled: false\n"),
    ],
)
def test_fixes_that_need_no_thought(before: str, after: str) -> None:
    assert apply_edits(before, safe_edits(findings(before))) == after
    assert not findings(after)


def test_a_schedule_is_offered_and_not_chosen() -> None:
    text = "version: 2\nprompt: x"
    (found,) = findings(text)
    assert not found.fixable
    mended = apply_edits(text, found.fixes[0].edits)
    assert mended == 'version: 2\nprompt: x\nschedule: "@daily"'
    assert not findings(mended)


def test_the_extension_counts() -> None:
    (found,) = findings("version: 1\n", "tasks/a.yaml")
    assert (found.severity, found.data["key"]) == ("warning", "")
    assert ".yml" in found.message


def test_only_tasks_are_tasks() -> None:
    assert not findings("version: 1\n", "knowledge/a.yml")


def test_a_bundle_of_tasks_alone(tmp_path: Path) -> None:
    files = {"good.yml": TASK + "prompt: x\n", "sub/bad.yml": "version: 2\nprompt: x\n"}
    assert list(lint_stash(tmp_path, files, "invalid-task-yaml")) == ["sub/bad.yml"]
