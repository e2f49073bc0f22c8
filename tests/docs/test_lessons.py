"""docs/lessons.md: every lesson has its tests, and they exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
PAGE = (TESTS.parent / "docs" / "lessons.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+)\. ([^|]*)\|([^|]*)\|([^|]*)\|$", PAGE, re.MULTILINE)
NAMED = re.findall(r"`(\S+\.py)::(\w+)`", PAGE)


def test_every_lesson_says_what_is_done_and_how_it_is_tested() -> None:
    assert [int(number) for number, *_ in ROWS] == list(range(1, 16))
    for _, complaint, cure, tests in ROWS:
        assert complaint.strip() and cure.strip()
        assert re.findall(r"`\S+\.py::test_\w+`", tests)


def test_every_test_that_is_named_exists() -> None:
    functions = {
        (file, node.name)
        for file in {file for file, _ in NAMED}
        for node in ast.walk(ast.parse((TESTS / file).read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert set(NAMED) <= functions
