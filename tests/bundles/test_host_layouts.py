"""Skills, agents and commands that tools keep inside an ordinary repository."""

from __future__ import annotations

import json
import os
from collections.abc import Callable

import pytest

from akm_ls.bundles import host_search
from akm_ls.bundles.adapters import adapter_of
from akm_ls.bundles.bundle import BundleSet
from akm_ls.bundles.discovery import resolve_bundles
from akm_ls.bundles.walker import list_bundles

Tree = Callable[..., str]
Open = Callable[..., BundleSet]

REPOSITORY = ["README.md", "src/main.py", "docs/guide.md", "package.json"]


@pytest.fixture
def opened(env: dict[str, str]) -> Open:
    """What opening folders, with nothing configured, makes of them."""
    return lambda *folders: resolve_bundles(folders=folders, env=env)


def roots(bundles: BundleSet, base: str) -> dict[str, str]:
    return {bundle.id: os.path.relpath(bundle.root, base) for bundle in bundles}


def skills_by_bundle(bundles: BundleSet) -> dict[str, list[str]]:
    """Every SKILL.md a bundle recognises: concept ids by bundle."""
    found: dict[str, list[str]] = {}
    walks = list_bundles(bundles)
    for bundle in bundles:
        adapter = adapter_of(bundle)
        recognised = (
            adapter.recognise(file.rel, None)
            for file in walks[bundle.id].files
            if file.rel.endswith("SKILL.md")
        )
        found[bundle.id] = [item.concept_id for item in recognised if item]
    return found


class TestHostDirectories:
    @pytest.mark.parametrize(
        ("file", "bundle_id"),
        [
            (".claude/skills/pdf/SKILL.md", "shop-claude"),
            (".claude/agents/reviewer.md", "shop-claude"),
            (".claude/commands/git/commit.md", "shop-claude"),
            (".opencode/skill/pdf/SKILL.md", "shop-opencode"),
            (".opencode/agent/reviewer.md", "shop-opencode"),
            (".opencode/command/commit.md", "shop-opencode"),
            (".codex/skills/pdf/SKILL.md", "shop-codex"),
            (".agents/skills/pdf/SKILL.md", "shop-agents"),
            (".agent/skills/pdf/SKILL.md", "shop-agent"),
            (".cursor/commands/commit.md", "shop-cursor"),
            (".gemini/skills/pdf/SKILL.md", "shop-gemini"),
            (".github/prompts/review.prompt.md", "shop-github"),
            (".github/agents/reviewer.agent.md", "shop-github"),
            (".github/instructions/python.instructions.md", "shop-github"),
            (".windsurf/workflows/release.md", "shop-windsurf"),
            (".devin/skills/pdf/SKILL.md", "shop-devin"),
        ],
    )
    def test_each_is_a_bundle_of_its_own(
        self, tree: Tree, opened: Open, file: str, bundle_id: str
    ) -> None:
        root = tree("shop", [*REPOSITORY, file])
        (bundle,) = opened(root)
        directory = file.partition("/")[0]
        assert (bundle.id, bundle.origin, bundle.label) == (bundle_id, "host", directory)
        assert bundle.root == os.path.join(root, directory)
        assert not bundle.configured
        assert adapter_of(bundle).recognise(file.partition("/")[2], None) is not None

    @pytest.mark.parametrize(
        "file",
        [
            ".github/workflows/ci.yml",
            ".github/workflows/triage.md",
            ".github/ISSUE_TEMPLATE/bug.md",
            ".github/copilot-instructions.md",
            ".claude/settings.json",
            ".claude/skills/README.md",
            ".claude/agents/README.md",
            ".cursor/rules/style.mdc",
            ".vscode/skills/pdf/SKILL.md",
        ],
    )
    def test_a_directory_without_assets_is_left_alone(
        self, tree: Tree, opened: Open, file: str
    ) -> None:
        assert len(opened(tree("shop", [*REPOSITORY, file]))) == 0

    def test_several_side_by_side_and_further_down(self, tree: Tree, opened: Open) -> None:
        root = tree(
            "shop",
            [
                *REPOSITORY,
                ".claude/skills/a/SKILL.md",
                ".agents/skills/a/SKILL.md",
                "packages/web/.claude/skills/b/SKILL.md",
            ],
        )
        assert roots(opened(root), root) == {
            "shop-agents": ".agents",
            "shop-claude": ".claude",
            "web-claude": "packages/web/.claude",
        }

    def test_two_that_would_have_one_id_get_two(self, tree: Tree, opened: Open) -> None:
        root = tree("shop", ["a/x/.claude/agents/a.md", "b/x/.claude/agents/a.md"])
        first, second = opened(root)
        assert first.id == "x-claude"
        assert second.id.startswith("x-claude-")
        assert [bundle.id for bundle in opened(root)] == [first.id, second.id]

    def test_a_link_to_another_host_directory_is_no_second_bundle(
        self, tree: Tree, opened: Open
    ) -> None:
        root = tree("shop", {".claude/skills/a/SKILL.md": "", ".agents": "-> .claude"})
        bundles = opened(root)
        assert roots(bundles, root) == {"shop-claude": ".claude"}
        assert any("one bundle, not two" in note for note in bundles.notes)
        owner = bundles.relative(os.path.join(root, ".agents", "skills", "a", "SKILL.md"))
        assert owner == (bundles.bundles[0], "skills/a/SKILL.md")

    def test_linked_skills_are_counted_where_they_lie(self, tree: Tree, opened: Open) -> None:
        root = tree(
            "shop", {".agents/skills/a/SKILL.md": "", ".claude/skills": "-> ../.agents/skills"}
        )
        assert roots(opened(root), root) == {"shop-agents": ".agents"}

    def test_a_link_out_of_the_folder_is_not_followed(self, tree: Tree, opened: Open) -> None:
        tree("elsewhere", ["skills/private/SKILL.md"])
        root = tree("shop", {"README.md": "", ".claude": "-> ../elsewhere"})
        bundles = opened(root)
        assert len(bundles) == 0
        assert any("a link out of the folder" in note for note in bundles.notes)

    def test_a_tools_own_state_is_not_searched(self, tree: Tree, opened: Open) -> None:
        root = tree(
            "shop",
            [
                ".claude/skills/a/SKILL.md",
                ".claude/worktrees/w/.claude/skills/a/SKILL.md",
                ".claude/plugins/cache/p/skills/x/SKILL.md",
            ],
        )
        assert roots(opened(root), root) == {"shop-claude": ".claude"}

    @pytest.mark.parametrize("folder", [".claude", ".claude/skills", ".claude/skills/pdf/scripts"])
    def test_opening_it_or_a_part_of_it_finds_it(
        self, tree: Tree, opened: Open, folder: str
    ) -> None:
        root = tree("shop", [".claude/skills/pdf/SKILL.md", ".claude/skills/pdf/scripts/x.py"])
        bundles = opened(os.path.join(root, folder))
        assert roots(bundles, root) == {"shop-claude": ".claude"}

    def test_beside_an_akm_bundle(self, tree: Tree, opened: Open) -> None:
        root = tree("stash", ["knowledge/a.md", "memories/b.md", ".claude/skills/a/SKILL.md"])
        assert roots(opened(root), root) == {"stash": ".", "stash-claude": ".claude"}


class TestPlugins:
    def test_a_manifest_makes_a_plugin(self, tree: Tree, opened: Open) -> None:
        root = tree("shop", ["tools/p/.claude-plugin/plugin.json", "tools/p/commands/x.md"])
        (bundle,) = opened(root)
        assert (bundle.id, bundle.origin, bundle.label) == ("p", "host", "plugin")

    def test_so_does_a_place_in_a_plugins_directory(self, tree: Tree, opened: Open) -> None:
        root = tree(
            "shop",
            [
                "plugins/a/skills/s/SKILL.md",
                "plugins/b/agents/x.md",
                "plugins/c/commands/x.md",
                "plugins/empty/README.md",
                "deep/er/plugins/d/skills/s/SKILL.md",
            ],
        )
        assert roots(opened(root), root) == {
            "a": "plugins/a",
            "b": "plugins/b",
            "c": "plugins/c",
            "d": "deep/er/plugins/d",
        }

    def test_a_repository_that_is_a_plugin(self, tree: Tree, opened: Open) -> None:
        root = tree(
            "power", [*REPOSITORY, ".claude-plugin/plugin.json", "skills/s/SKILL.md", "agents/a.md"]
        )
        (bundle,) = opened(root)
        assert (bundle.root, bundle.origin) == (root, "host")
        assert adapter_of(bundle).recognise("docs/guide.md", None) is None

    def test_an_akm_bundle_that_is_a_plugin_too_stays_one(self, tree: Tree, opened: Open) -> None:
        root = tree("power", [".claude-plugin/plugin.json", "skills/s/SKILL.md", "knowledge/k.md"])
        (bundle,) = opened(root)
        assert (bundle.adapter, bundle.origin) == ("akm", "workspace")

    def test_a_marketplace(self, tree: Tree, opened: Open) -> None:
        plugins = [
            {"name": "one", "source": "./bundles/one"},
            {"name": "two", "source": "two"},
            {"name": "self", "source": "./"},
            {"name": "far", "source": {"source": "github", "repo": "o/r"}},
            {"name": "out", "source": "../outside"},
            {"name": "gone", "source": "./gone"},
            {"name": "bad", "source": "a\0b"},
            "nonsense",
        ]
        manifest = {"plugins": plugins, "metadata": {"pluginRoot": "./more"}}
        tree("outside", ["agents/a.md"])
        root = tree(
            "market",
            {
                ".claude-plugin/marketplace.json": json.dumps(manifest),
                "bundles/one/agents/a.md": "",
                "more/two/commands/c.md": "",
                "not-listed/agents/a.md": "",
            },
        )
        assert roots(opened(root), root) == {"one": "bundles/one", "two": "more/two"}

    @pytest.mark.parametrize("text", ["", "[]", "{", '{"plugins": 1}', '{"plugins": [{}, []]}'])
    def test_a_broken_marketplace_is_no_marketplace(
        self, tree: Tree, opened: Open, text: str
    ) -> None:
        root = tree("market", {".claude-plugin/marketplace.json": text, "one/agents/a.md": ""})
        assert len(opened(root)) == 0

    def test_a_plugin_in_a_bundle_owns_its_files(self, tree: Tree, opened: Open) -> None:
        root = tree("stash", ["knowledge/a.md", "memories/b.md", "plugins/p/skills/s/SKILL.md"])
        bundles = opened(root)
        owner = bundles.owner_of(os.path.join(root, "plugins", "p", "skills", "s", "SKILL.md"))
        assert owner is not None and owner.id == "p"
        stash = bundles.get("stash")
        assert stash is not None
        assert bundles.nested_roots(stash) == (os.path.join(root, "plugins", "p"),)


class TestNestedAkmBundles:
    def test_one_in_a_repository_is_an_akm_bundle(self, tree: Tree, opened: Open) -> None:
        root = tree(
            "shop",
            [*REPOSITORY, "docs/stash/knowledge/a.md", "docs/stash/skills/s/SKILL.md"],
        )
        (bundle,) = opened(root)
        assert (bundle.id, bundle.adapter, bundle.origin) == ("stash", "akm", "workspace")

    def test_several_side_by_side(self, tree: Tree, opened: Open) -> None:
        files = [f"{name}/{kind}/a.md" for name in "ab" for kind in ("knowledge", "memories")]
        root = tree("stashes", ["README.md", *files])
        assert roots(opened(root), root) == {"a": "a", "b": "b"}

    def test_none_in_a_plugin_or_a_skill(self, tree: Tree, opened: Open) -> None:
        kinds = ("knowledge/a.md", "memories/b.md")
        root = tree(
            "shop",
            [
                *REPOSITORY,
                "plugins/p/skills/s/SKILL.md",
                *(f"plugins/p/data/{file}" for file in kinds),
                *(f".claude/skills/t/{file}" for file in ("SKILL.md", *kinds)),
            ],
        )
        assert roots(opened(root), root) == {"p": "plugins/p", "shop-claude": ".claude"}


class TestBareSkills:
    def test_skills_in_a_repository_leave_its_other_files_alone(
        self, tree: Tree, opened: Open
    ) -> None:
        (bundle,) = opened(tree("shop", [*REPOSITORY, "skills/pdf/SKILL.md"]))
        assert bundle.origin == "host"
        adapter = adapter_of(bundle)
        assert adapter.recognise("skills/pdf/SKILL.md", None) is not None
        assert adapter.recognise("docs/guide.md", None) is None
        assert adapter.recognise("src/main.py", None) is None

    def test_a_directory_of_nothing_but_skills_is_an_akm_bundle(
        self, tree: Tree, opened: Open
    ) -> None:
        (bundle,) = opened(tree("stash", ["README.md", "skills/pdf/SKILL.md"]))
        assert (bundle.adapter, bundle.origin) == ("akm", "workspace")

    def test_further_down(self, tree: Tree, opened: Open) -> None:
        root = tree("shop", [*REPOSITORY, "packages/web/skills/pdf/SKILL.md"])
        assert roots(opened(root), root) == {"web": "packages/web"}

    def test_a_repository_that_is_one_skill(self, tree: Tree, opened: Open) -> None:
        root = tree("pdf", ["SKILL.md", "scripts/x.py", "references/r.md", "agents/openai.yaml"])
        (bundle,) = opened(root)
        assert (bundle.root, bundle.origin) == (root, "host")
        assert adapter_of(bundle).recognise("SKILL.md", None) is not None

    def test_skills_in_dot_directories_that_no_walk_enters(self, tree: Tree, opened: Open) -> None:
        root = tree("hub", ["README.md", "skills/.curated/a/SKILL.md", "skills/b/SKILL.md"])
        assert roots(opened(root), root) == {"hub": ".", "skills-curated": "skills/.curated"}

    @pytest.mark.parametrize(
        "directory", ["node_modules", ".git", ".venv", "venv", "target", "dist", "vendor", "build"]
    )
    def test_copies_and_other_peoples_files_are_not_searched(
        self, tree: Tree, opened: Open, directory: str
    ) -> None:
        root = tree(
            "shop",
            [
                *REPOSITORY,
                f"{directory}/x/skills/s/SKILL.md",
                f"lib/{directory}/.claude/agents/a.md",
            ],
        )
        assert len(opened(root)) == 0

    @pytest.mark.parametrize(
        "files",
        [
            ["skills/a/SKILL.md", "skills/g/b/SKILL.md", "template/SKILL.md"],
            ["CLAUDE.md", "skills/a/SKILL.md", "examples/x/SKILL.md", "examples/y/z/SKILL.md"],
            ["AGENTS.md", "skills/a/SKILL.md", "plugins/p/skills/b/SKILL.md"],
            ["package.json", "skills/a/SKILL.md", "plugins/p/skills/b/SKILL.md", "z/SKILL.md"],
            ["knowledge/k.md", "memories/m.md", "skills/a/SKILL.md", "odd/place/SKILL.md"],
            [".claude/skills/a/SKILL.md", "x/y/SKILL.md", "x/SKILL.md", "q/.claude/agents/a.md"],
            ["skills/.system/a/SKILL.md", "skills/b/SKILL.md", "skills/.x/c/SKILL.md"],
            ["a/b/c/d/skills/e/SKILL.md", "a/b/skills/f/SKILL.md", "a/b/c/SKILL.md"],
            ["SKILL.md", "nested/skills/x/SKILL.md", "pyproject.toml"],
            [".codex/skills/.system/x/SKILL.md", ".codex/skills/y/SKILL.md"],
        ],
    )
    def test_every_skill_is_in_exactly_one_bundle(
        self, tree: Tree, opened: Open, files: list[str]
    ) -> None:
        root = tree("shop", files)
        bundles = opened(root)
        found = skills_by_bundle(bundles)
        wanted = sum(file.endswith("SKILL.md") for file in files)
        assert sum(len(ids) for ids in found.values()) == wanted, (found, bundles.notes)
        assert all(len(set(ids)) == len(ids) for ids in found.values())


class TestBounds:
    def test_the_search_stops_after_many_directories_and_says_so(
        self, tree: Tree, opened: Open, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = tree("shop", [f"d{n}/x.txt" for n in range(20)])
        monkeypatch.setattr(host_search, "MAX_DIRECTORIES", 5)
        bundles = opened(root)
        assert any("stopped looking" in note for note in bundles.notes)

    def test_the_search_has_a_depth(self, tree: Tree, opened: Open) -> None:
        deep = "/".join("abcdefghijkl")
        assert len(opened(tree("shop", [f"{deep}/skills/s/SKILL.md", "README.md"]))) == 0

    def test_in_a_home_only_tools_directories_are_looked_at(
        self, tree: Tree, opened: Open, home: str
    ) -> None:
        for rel in (".claude/skills/a/SKILL.md", "code/x/.claude/skills/b/SKILL.md", "a/SKILL.md"):
            path = os.path.join(home, rel)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8"):
                pass
        assert roots(opened(home), home) == {"ada-claude": ".claude"}
        assert len(opened(os.path.dirname(home))) == 0
