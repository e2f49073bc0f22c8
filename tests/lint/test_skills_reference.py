"""Skills as the Agent Skills specification judges them, with `akm.lint.portable`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from stash import lint_stash

from akm_ls.lint.settings import LintSettings

CASES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "data" / "skills_ref_cases.yaml").read_text(encoding="utf-8")
)
CODES = (
    "invalid-frontmatter",
    "unquoted-colon",
    "skill-name-invalid",
    "skill-description-missing",
    "skill-description-too-long",
    "skill-field-invalid",
    "unknown-key",
    "field-type",
    "field-value",
)


def text_of(case: dict[str, Any]) -> str:
    if "text" in case:
        return str(case["text"])
    keys = case.get("keys") or [f"name: {'a' * case['name_of']}", "description: Tests"]
    lines = [re.sub(r"\{x: (\d+)\}", lambda m: "x" * int(m.group(1)), line) for line in keys]
    return "\n".join(["---", *lines, "---", "# Body", ""])


@pytest.mark.parametrize("case", CASES, ids=[str(number) for number in range(len(CASES))])
def test_the_verdict_is_the_specifications(case: dict[str, Any], tmp_path: Path) -> None:
    directory = "a" * case["name_of"] if "name_of" in case else case["directory"]
    rel = f"skills/{directory}/{case.get('file', 'SKILL.md')}"
    found = lint_stash(tmp_path, {rel: text_of(case)}, *CODES, lint=LintSettings(portable=True))
    errors = [finding for finding in found.get(rel, ()) if finding.severity == "error"]
    assert [finding.code for finding in errors] == case["says"]
    if "part" in case:
        assert case["part"] in errors[0].message
