"""The words that a bundle's authors use, in step with what they type."""

from __future__ import annotations

from pathlib import Path

from akm_ls.workspace import Settings, Workspace


def opened(root: Path, files: dict[str, str]) -> Workspace:
    for name, text in files.items():
        path = root / "team" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    workspace = Workspace(
        Settings(bundle_dirs=(str(root / "team"),), data_dir=str(root / "data"), config="")
    )
    workspace.refresh()
    return workspace


def page(*tags: str) -> str:
    return f"---\ndescription: D\ntags: [{', '.join(tags)}]\n---\n# P\n"


def test_tags_are_counted_and_follow_open_buffers_and_files(tmp_path: Path) -> None:
    workspace = opened(
        tmp_path,
        {
            "knowledge/auth/a.md": page("tokens", "auth"),
            "knowledge/b.md": page("tokens", "web-app"),
        },
    )
    assert workspace.words.tags("team") == (("tokens", 2), ("web-app", 1))
    path = str(tmp_path / "team/knowledge/b.md")
    workspace.put(path, page("fresh"))
    assert workspace.words.tags("team") == (("fresh", 1), ("tokens", 1))
    workspace.drop(path)
    assert workspace.words.tags("team") == (("tokens", 2), ("web-app", 1))
    (tmp_path / "team/knowledge/b.md").unlink()
    workspace.files_changed([path])
    assert workspace.words.tags("team") == (("tokens", 1),)


def test_tools_and_models_are_those_that_agents_and_skills_name(tmp_path: Path) -> None:
    workspace = opened(
        tmp_path,
        {
            "agents/a.md": (
                "---\nname: a\ntype: agent\ntools: [Read, mcp__ci]\nmodel: opus\n---\nA.\n"
            ),
            "skills/s/SKILL.md": (
                "---\nname: s\ndescription: D\nallowed-tools: Bash(git:*) Read\n---\n"
            ),
        },
    )
    assert workspace.words.tools("team") == ("Read", "mcp__ci", "Bash")
    assert workspace.words.models("team") == ("opus",)


def test_a_plain_collection_of_skills_has_no_domains(tmp_path: Path) -> None:
    workspace = opened(tmp_path, {"skills/s/SKILL.md": "---\nname: s\ndescription: D\n---\n"})
    (bundle,) = workspace.bundles
    assert workspace.words.domains(bundle) == ()
