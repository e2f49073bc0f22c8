"""A directory of skills/ that holds no skill; the finding stands in its first Markdown file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from stash import lint_stash

SKILL = "---\nname: x\ndescription: Does it. Use when asked.\nupdated: 2026-01-01\n---\n# X\n"
KNOWLEDGE = {"knowledge/k.md": "# K\n"}


def places(tmp_path: Path, files: Mapping[str, str]) -> dict[str, object]:
    found = lint_stash(tmp_path, files, "missing-skill-md")
    return {rel: finding.data["directory"] for rel, (finding,) in found.items()}


def test_it_is_said_once_in_the_first_file_by_path(tmp_path: Path) -> None:
    files = {
        "skills/a/references/z.md": "# Z\n",
        "skills/a/notes.md": "# N\n",
        "skills/a/run.sh": "true\n",
        "skills/b/references/deep/x.md": "# X\n",
    }
    assert places(tmp_path, KNOWLEDGE | files) == {
        "skills/a/notes.md": "skills/a",
        "skills/b/references/deep/x.md": "skills/b",
    }


@pytest.mark.parametrize(
    "files",
    [
        {"skills/x/SKILL.md": SKILL, "skills/x/notes.md": "# N\n"},
        {"skills/group/x/SKILL.md": SKILL, "skills/group/about.md": "# A\n"},
        {"skills/loose.md": "# Not in a directory\n"},
        {"skills/_shared/style.md": "# Style\n"},
        {"docs/x/notes.md": "# N\n"},
    ],
)
def test_directories_that_are_fine(tmp_path: Path, files: Mapping[str, str]) -> None:
    assert not places(tmp_path, KNOWLEDGE | files)


def test_the_case_of_the_name_counts(tmp_path: Path) -> None:
    found = lint_stash(tmp_path, KNOWLEDGE | {"skills/x/skill.md": SKILL}, "missing-skill-md")
    ((finding,),) = found.values()
    assert "Rename skill.md to SKILL.md" in finding.message
    assert finding.severity == "warning"


def test_a_file_whose_name_has_another_case_is_checked_as_the_skill_that_it_will_be(
    tmp_path: Path,
) -> None:
    text = "---\nname: Other\nallowed-tool: Bash\nupdated: 2026-01-01\n---\n"
    codes = {"missing-skill-md", "skill-name-invalid", "skill-description-missing", "unknown-key"}
    found = lint_stash(tmp_path, KNOWLEDGE | {"skills/x/skill.md": text})
    assert {finding.code for finding in found["skills/x/skill.md"]} == codes


def test_beside_agent_skills_other_directories_are_a_hint(tmp_path: Path) -> None:
    found = lint_stash(
        tmp_path, {"x/SKILL.md": SKILL, "docs/guide.md": "# G\n"}, "missing-skill-md"
    )
    ((rel, (finding,)),) = found.items()
    assert (rel, finding.severity) == ("docs/guide.md", "hint")
