"""The facts that whoever writes an asset should know."""

from __future__ import annotations

from pathlib import Path

import pytest

from akm_ls.workspace import Settings, Workspace
from akm_ls.workspace.standards import standards

FACTS = {
    "team/facts/conventions/organization.md": "---\ncategory: convention\n---\n# Where things go\n",
    "team/facts/stash.md": "---\ncategory: meta\n---\n# What this is\n",
    "team/facts/hours.md": "---\ncategory: team\ntags: [convention]\n---\n# Hours\n",
    "team/facts/old.md": "---\ncategory: convention\nbeliefState: superseded\n---\n# Old\n",
    "team/facts/conventions/assets/skill.md": (
        "---\ncategory: convention\n---\n# Skills\n\nBe short.\n"
    ),
    "team/facts/conventions/assets/memory.md": "---\ncategory: convention\n---\n# Memories\n",
    "other/facts/own.md": "---\ncategory: convention\n---\n# Own\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    for name, text in FACTS.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    workspace = Workspace(
        Settings(
            bundle_dirs=(str(tmp_path / "team"), str(tmp_path / "other")),
            data_dir=str(tmp_path / "data"),
            config="",
        )
    )
    workspace.refresh()
    return workspace


def titles(workspace: Workspace, kind: str | None = None, bundle: str | None = None) -> list[str]:
    return [standard.title for standard in standards(workspace, kind, bundle)]


def test_what_is_about_the_type_comes_first_then_conventions_then_meta(
    workspace: Workspace,
) -> None:
    assert titles(workspace, "skill", "team") == ["Skills", "Where things go", "What this is"]
    assert titles(workspace, "skills", "team") == titles(workspace, "skill", "team")
    assert titles(workspace, "knowledge", "team") == ["Where things go", "What this is"]


def test_without_a_type_or_a_bundle_all_of_them_apply(workspace: Workspace) -> None:
    assert set(titles(workspace, None, "team")) == {
        "Skills",
        "Memories",
        "Where things go",
        "What this is",
    }
    assert "Own" in titles(workspace, "skill")


def test_an_open_buffer_counts(workspace: Workspace) -> None:
    (bundle, *_) = workspace.bundles
    path = str(Path(bundle.real_root) / "facts/conventions/assets/skill.md")
    workspace.put(path, "---\ncategory: convention\n---\n# Skills now\n")
    assert titles(workspace, "skill", "team")[0] == "Skills now"


def test_the_answer_has_the_text_and_its_cost(workspace: Workspace) -> None:
    first = standards(workspace, "skill", "team")[0].to_json()
    assert first["ref"] == "team//facts/conventions/assets/skill"
    assert first["content"] == "# Skills\n\nBe short."
    assert first["category"] == "convention"
    assert first["estimatedTokens"] > 0
