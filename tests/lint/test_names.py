"""Skills, agents and commands that have one name or one description."""

from __future__ import annotations

from pathlib import Path

import pytest
from stash import lint_stash, marked, write_stash

from akm_ls.lint.finding import Finding
from akm_ls.workspace import Workspace
from akm_ls.workspace.settings import Settings

REVIEW = "Reviews a change for faults before it is merged into the main branch."


def asset(name: str | None, description: str = "Does something. Use it at some time.") -> str:
    named = "" if name is None else f"name: {name}\n"
    return f"---\n{named}description: {description}\n---\n# Text\n"


def in_folder(root: Path, files: dict[str, str], code: str) -> dict[str, Finding]:
    """Findings in an opened folder, where tools' directories are bundles of their own."""
    write_stash(root / "repo", files)
    settings = Settings(
        folders=(str(root / "repo"),), data_dir=str(root / "data"), config=str(root / "none.json")
    )
    with Workspace.open(settings) as workspace:
        workspace.refresh()
        return {
            str(Path(checked.path).relative_to(root / "repo")): finding
            for checked in workspace.check()
            for finding in checked.findings
            if finding.code == code
        }


def test_two_skills_of_one_name_point_at_each_other(tmp_path: Path) -> None:
    files = {
        ".claude/skills/review/SKILL.md": asset("review"),
        ".claude/skills/check/SKILL.md": asset("review"),
        ".claude/skills/other/SKILL.md": asset("other"),
    }
    found = in_folder(tmp_path, files, "duplicate-name")
    assert set(found) == {".claude/skills/review/SKILL.md", ".claude/skills/check/SKILL.md"}
    finding = found[".claude/skills/check/SKILL.md"]
    assert finding.severity == "warning"
    assert marked(files[".claude/skills/check/SKILL.md"], finding) == "review"
    assert [Path(it.path).parent.name for it in finding.related] == ["review"]


def test_a_catalogue_by_topic_is_not_loaded_as_a_whole(tmp_path: Path) -> None:
    files = {
        "parts/skills/design/review/SKILL.md": asset("review"),
        "parts/skills/writing/review/SKILL.md": asset("review"),
        "parts/skills/writing/fix/SKILL.md": asset("fix"),
        "parts/skills/writing/mend/SKILL.md": asset("fix"),
        "parts/agents/design/critic.md": asset("critic"),
        "parts/agents/writing/critic.md": asset("critic"),
        "README.md": "# Parts\n",
    }
    found = in_folder(tmp_path, files, "duplicate-name")
    assert {rel: finding.severity for rel, finding in found.items()} == {
        "parts/skills/design/review/SKILL.md": "information",
        "parts/skills/writing/review/SKILL.md": "information",
        "parts/skills/writing/fix/SKILL.md": "warning",
        "parts/skills/writing/mend/SKILL.md": "warning",
        "parts/agents/design/critic.md": "information",
        "parts/agents/writing/critic.md": "information",
    }
    assert "is given both loads only one" in found["parts/agents/design/critic.md"].message
    hosted = {f".claude/agents/{topic}/critic.md": asset("critic") for topic in ("a", "b")}
    found = in_folder(tmp_path / "hosted", hosted, "duplicate-name")
    assert {finding.severity for finding in found.values()} == {"warning"}


def test_a_directory_is_a_name_too(tmp_path: Path) -> None:
    files = {
        "skills/web/review/SKILL.md": asset(None),
        "skills/api/review/SKILL.md": asset("review"),
        "knowledge/k.md": "# K\n",
    }
    found = lint_stash(tmp_path, files, "duplicate-name")
    assert set(found) == {"skills/web/review/SKILL.md", "skills/api/review/SKILL.md"}
    assert {it.severity for findings in found.values() for it in findings} == {"information"}


@pytest.mark.parametrize(
    "files",
    [
        # Several tools, one skill; several plugins, one name.
        {
            ".claude/skills/lint/SKILL.md": asset("lint"),
            ".codex/skills/lint/SKILL.md": asset("lint"),
        },
        {
            "plugins/a/skills/lint/SKILL.md": asset("lint"),
            "plugins/b/skills/lint/SKILL.md": asset("lint"),
        },
        # A skill and an agent are loaded from different lists.
        {".claude/skills/lint/SKILL.md": asset("lint"), ".claude/agents/lint.md": asset("lint")},
        # Without a name the file is documentation; a command's name is its path.
        {".claude/agents/a/x.md": asset("x"), ".claude/agents/b/x.md": asset(None)},
        {".claude/commands/a/x.md": asset("x"), ".claude/commands/b/x.md": asset("x")},
        {".opencode/agent/a.md": asset("x"), ".opencode/agent/b.md": asset("x")},
    ],
)
def test_names_that_no_tool_confuses(tmp_path: Path, files: dict[str, str]) -> None:
    assert in_folder(tmp_path, files, "duplicate-name") == {}


def test_a_plugin_in_an_akm_bundle_is_a_scope_of_its_own(tmp_path: Path) -> None:
    files = {
        "plugins/a/skills/lint/SKILL.md": asset("lint"),
        "plugins/b/skills/lint/SKILL.md": asset("lint"),
        "knowledge/k.md": "# K\n",
        "memories/m.md": "# M\n",
    }
    assert lint_stash(tmp_path, files, "duplicate-name") == {}


def test_two_agents_of_one_name(tmp_path: Path) -> None:
    files = {".claude/agents/a.md": asset("x"), ".claude/agents/b.md": asset("x")}
    assert len(in_folder(tmp_path, files, "duplicate-name")) == 2


def test_a_skill_hides_the_command_of_its_name(tmp_path: Path) -> None:
    files = {
        ".claude/skills/deploy/SKILL.md": asset("deploy"),
        ".claude/commands/deploy.md": asset(None),
    }
    found = in_folder(tmp_path, files, "duplicate-name")
    assert found[".claude/commands/deploy.md"].severity == "warning"
    assert found[".claude/skills/deploy/SKILL.md"].severity == "information"
    assert "/deploy" in found[".claude/commands/deploy.md"].message


def test_descriptions_that_say_the_same(tmp_path: Path) -> None:
    files = {
        "skills/a/SKILL.md": asset("a", REVIEW),
        "skills/b/SKILL.md": asset("b", REVIEW.replace("faults", "errors")),
        "skills/c/SKILL.md": asset("c", "Draws figures of the data that a query gives back."),
    }
    found = lint_stash(tmp_path, files, "similar-description")
    assert found == {}, "one word of twelve is two of eleven pairs"
    files["skills/b/SKILL.md"] = asset("b", REVIEW)
    found = lint_stash(tmp_path, files, "similar-description")
    assert set(found) == {"skills/a/SKILL.md", "skills/b/SKILL.md"}
    (finding,) = found["skills/a/SKILL.md"]
    assert finding.severity == "hint"
    assert marked(files["skills/a/SKILL.md"], finding) == REVIEW
    assert "skills/b (100 %" in finding.message


def test_a_word_of_the_name_tells_two_skills_apart(tmp_path: Path) -> None:
    long = (
        "Reviews code written in {} for faults of style and of security, and proposes changes "
        "that the author may take over one by one before anything is merged."
    )
    files = {
        "skills/python-review/SKILL.md": asset("python-review", long.format("Python")),
        "skills/go-review/SKILL.md": asset("go-review", long.format("Go")),
    }
    assert lint_stash(tmp_path, files, "similar-description") == {}
    files["skills/go-review/SKILL.md"] = asset("go-review", long.format("Perl"))
    files["skills/python-review/SKILL.md"] = asset("python-review", long.format("Ruby"))
    assert len(lint_stash(tmp_path, files, "similar-description")) == 2


def test_long_descriptions_are_compared_to_their_ends(tmp_path: Path) -> None:
    start = " ".join(f"word{number}" for number in range(60))
    files = {
        "skills/a/SKILL.md": asset("a", f"{start} {start.replace('word', 'song')}"),
        "skills/b/SKILL.md": asset("b", f"{start} {start.replace('word', 'swim')}"),
    }
    assert len(start) > 300
    assert lint_stash(tmp_path, files, "similar-description") == {}
