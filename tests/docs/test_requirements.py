"""Every requirement of search names the tests that hold it, and there are such tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent
PAGE = TESTS.parent / "docs" / "search-quality.md"
REQUIREMENTS = 25
_ROW = re.compile(r"^\| *(\d+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
_TEST = re.compile(r"`([a-z_/]+\.py)::(test_\w+)`")


def rows() -> list[tuple[int, list[tuple[str, str]]]]:
    section = PAGE.read_text(encoding="utf-8").partition("## Requirements and their tests")[2]
    return [(int(row[1]), _TEST.findall(row[3])) for row in _ROW.finditer(section)]


def test_every_requirement_is_there_once() -> None:
    assert [number for number, _ in rows()] == list(range(1, REQUIREMENTS + 1))


@pytest.mark.parametrize(("number", "tests"), rows(), ids=lambda value: str(value)[:2])
def test_the_tests_that_hold_it_exist(number: int, tests: list[tuple[str, str]]) -> None:
    assert tests, f"requirement {number} names no test"
    for path, name in tests:
        text = (TESTS / path).read_text(encoding="utf-8")
        assert re.search(rf"^def {name}\(", text, re.MULTILINE), f"{path} has no {name}"
