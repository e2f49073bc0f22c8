"""The frontmatter schema: what a path is, who reads it, and what its data must keep."""

from __future__ import annotations

import re

import pytest

from akm_ls.bundles.schema import is_skill_path, load_schema, place_of
from akm_ls.bundles.schema.spelling import likely


@pytest.mark.parametrize(
    ("path", "asset_type", "adapter", "kind", "read_by", "not_read_by"),
    [
        ("/r/.claude/skills/x/SKILL.md", "skill", "claude", "skill", "claude vscode", "codex"),
        ("/r/.agents/skills/x/SKILL.md", "skill", "claude", "skill", "codex gemini", "claude"),
        ("/r/skills/x/SKILL.md", "skill", "akm", "skill", "claude codex akm spec", ""),
        ("/r/.claude/agents/team/a.md", "agent", "claude", "agent-claude", "claude", "opencode"),
        ("/r/plugin/agents/a.md", "agent", "claude", "agent-claude", "claude", ""),
        ("/r/agents/a.md", "agent", "akm", "agent-akm", "akm claude opencode", ""),
        ("/r/.opencode/agent/a.md", "agent", "opencode", "agent-opencode", "opencode", "claude"),
        ("/r/.gemini/agents/a.md", None, "", "agent-gemini", "gemini", "claude"),
        ("/r/.github/agents/a.md", None, "", "agent-vscode", "copilot", "claude"),
        ("/r/agents/a.agent.md", "agent", "opencode", "agent-vscode", "vscode", "opencode"),
        ("/r/.claude/commands/git/c.md", "command", "claude", "command", "claude", "opencode"),
        ("/r/any/p.prompt.md", None, "", "prompt", "vscode", "claude"),
        ("/r/.github/copilot-instructions.md", None, "", "instructions", "copilot", ""),
        ("/r/.cursor/rules/r.mdc", None, "", "rule", "cursor", "claude"),
        ("/h/.config/opencode/command/c.md", "command", "", "command", "opencode", "claude"),
        ("/r/knowledge/k.md", "knowledge", "akm", "knowledge", "akm", "claude"),
        ("C:\\r\\.claude\\agents\\a.md", None, "", "agent-claude", "claude", ""),
    ],
)
def test_what_a_file_is_and_who_reads_it(
    path: str, asset_type: str | None, adapter: str, kind: str, read_by: str, not_read_by: str
) -> None:
    place = place_of(path, asset_type, adapter)
    assert place is not None
    assert place.kind.id == kind
    assert set(read_by.split()) <= place.hosts
    assert not set(not_read_by.split()) & place.hosts


@pytest.mark.parametrize(
    "path",
    [
        "/r/.claude/skills/x/references/a.md",
        "/r/.claude/agents/README.md",
        "/r/.gemini/agents/_draft.md",
        "/r/.cursor/rules/r.md",  # Cursor reads .mdc only
        "/r/.claude/settings.json",
        "/r/docs/a.md",
    ],
)
def test_files_without_keys_of_a_tool(path: str) -> None:
    assert place_of(path) is None


@pytest.mark.parametrize("asset_type", [None, "knowledge", "skill"])
def test_a_skill_whose_file_is_in_lower_case_has_a_skills_keys(asset_type: str | None) -> None:
    lower, upper = (
        place_of(f"/r/skills/x/{name}", asset_type) for name in ("skill.md", "SKILL.md")
    )
    assert lower == upper != place_of("/r/facts/conventions/skill.md", "fact")


def test_a_page_about_skills_is_no_skill() -> None:
    assert is_skill_path("/r/skills/x/skill.md")
    assert not is_skill_path("/r/facts/conventions/skill.md")


def test_a_key_is_defined_where_a_reader_of_the_place_defines_it() -> None:
    claude = place_of("/r/.claude/skills/x/SKILL.md")
    gemini = place_of("/r/.gemini/skills/x/SKILL.md")
    assert claude is not None and gemini is not None
    assert claude.definitions("model") and not gemini.definitions("model")
    assert gemini.known("model"), "it is known, and that nobody here reads it"
    assert not claude.narrowed(frozenset(("cursor",))).definitions("model")
    assert claude.narrowed(frozenset(("cursor",))).definitions("license")


def test_akms_own_keys_are_known_in_its_assets() -> None:
    place = place_of("/r/memories/m.md", "memory", "akm")
    assert place is not None
    assert {"tags", "captureMode", "lint_skip"} <= {key.name for key in place.all_keys()}


def test_the_limits_are_those_of_a_skill_alone() -> None:
    kinds = load_schema().kinds
    assert kinds["skill"].keys["description"].maximum == 1024
    assert kinds["agent-claude"].keys["description"].maximum is None


def test_alternatives_of_a_type_keep_their_inner_ones() -> None:
    assert load_schema().kinds["agent-claude"].keys["mcpServers"].types == (
        "list<string|map>",
        "map",
    )


TYPE = re.compile(r"(string|bool|int|number|map|ref|any|list<[\w|]+>|map<string,\w+>)\Z")


def test_the_data_is_consistent() -> None:
    schema = load_schema()
    for kind in schema.kinds.values():
        for key in kind.keys.values():
            where = f"{kind.id}.{key.name}"
            assert all(TYPE.match(form) for form in key.types), where
            assert key.advice.endswith("."), where
            assert key.read_by | key.required_by <= set(schema.hosts), where
            assert key.required_by <= key.read_by, where
            assert not (key.values and key.suggestions), where
            if key.pattern:
                assert re.compile(key.pattern), where
            if key.only_with:
                assert key.only_with[0] in kind.keys, where
    for place in (*schema.directories.values(), *schema.names, *schema.assets.values()):
        assert set(place.kinds) <= set(schema.kinds)
        assert place.hosts <= set(schema.hosts)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("descripton", ("description", True)),
        ("allowed_tools", ("allowed-tools", True)),
        ("Name", ("name", True)),
        ("nmae", ("name", False)),
        ("licence", ("license", False)),
        ("author", None),
        ("version", None),
        ("x", None),
    ],
)
def test_the_key_that_was_meant(written: str, meant: tuple[str, bool] | None) -> None:
    known = ("name", "description", "license", "allowed-tools", "auth", "metadata")
    assert likely(written, known) == meant


def test_tools_in_words() -> None:
    schema = load_schema()
    assert schema.host_names(frozenset(("codex", "claude", "vscode"))) == (
        "Claude Code, VS Code and Codex"
    )
