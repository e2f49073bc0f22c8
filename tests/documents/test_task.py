"""A task file as its parts, and schedules."""

from __future__ import annotations

import pytest

from akm_ls.documents.document import parse
from akm_ls.documents.task import read_task, schedule_problem


def test_version_and_targets() -> None:
    task = read_task(parse("version: 2\nprompt: hi\nschedule: '@daily'\n", "yaml"))
    assert task is not None
    assert (task.version, [pair.key.text for pair in task.targets]) == (2, ["prompt"])
    assert not task.is_modern


@pytest.mark.parametrize("version", ["'2'", "two", "2.0", "true", ""])
def test_a_version_is_a_whole_number(version: str) -> None:
    task = read_task(parse(f"version: {version}\nuses: commands/a\n", "yaml"))
    assert task is not None and task.version is None and task.is_modern


@pytest.mark.parametrize("text", ["version: '\n", "- a\n", "a: [\n"])
def test_no_task(text: str) -> None:
    assert read_task(parse(text, "yaml")) is None


@pytest.mark.parametrize(
    "schedule",
    [
        "@daily",
        "@REBOOT",
        "* * * * *",
        "*/15 0-6,22 1,15 jan-mar mon-fri",
        "0 0 L * 5#2",
        "0 9 15W * ?",
        "0 0 * * 7",
        "  5 4 * * sun ",
    ],
)
def test_schedules(schedule: str) -> None:
    assert schedule_problem(schedule) is None


@pytest.mark.parametrize(
    ("schedule", "word"),
    [
        ("whenever", "1 field"),
        ("", "0 fields"),
        ("* * * * * *", "6 fields"),
        ("60 * * * *", "minute"),
        ("* 24 * * *", "hour"),
        ("* * 0 * *", "day of the month"),
        ("* * * 13 *", "month"),
        ("* * * * 8", "day of the week"),
        ("*/0 * * * *", "minute"),
        ("1,,2 * * * *", "minute"),
        ("9" * 5000 + " * * * *", "minute"),
        ("@fortnightly", "none of"),
    ],
)
def test_what_is_wrong_with_a_schedule(schedule: str, word: str) -> None:
    assert word in str(schedule_problem(schedule))
