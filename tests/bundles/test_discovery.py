"""Which bundles there are, in which order, under which ids."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akm_ls.bundles import directories
from akm_ls.bundles.bundle import Bundle, BundleSet
from akm_ls.bundles.bundle_ids import BundleIds, slug_for_path
from akm_ls.bundles.discovery import resolve_bundles
from akm_ls.bundles.walker import list_bundles
from akm_ls.refs import is_bundle_slug

Tree = Callable[..., str]
Configure = Callable[..., None]
AKM = ["knowledge/a.md", "memories/b.md"]


@pytest.fixture
def configure(home: str) -> Configure:
    def write(bundles: Mapping[str, object], **settings: object) -> None:
        path = Path(home, ".config", "akm", "config.json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"bundles": bundles, **settings}), encoding="utf-8")

    return write


def ids(bundles: BundleSet) -> list[str]:
    return [bundle.id for bundle in bundles]


class TestIds:
    @pytest.mark.parametrize(
        ("path", "expected"),
        [
            ("/x/Team Notes", "team-notes"),
            ("/x/--a..b__c--", "a-b-c"),
            ("/x/.claude", "claude"),
            ("/x/Größe", "gr-e"),
        ],
    )
    def test_a_directory_is_called_by_its_name(self, path: str, expected: str) -> None:
        assert slug_for_path(path) == expected

    def test_a_name_that_says_nothing_becomes_a_hash(self) -> None:
        digest = hashlib.sha256("/x/日本".encode()).hexdigest()[:8]
        assert slug_for_path("/x/日本") == f"bundle-{digest}"

    def test_collisions_get_a_hash_and_then_a_number(self) -> None:
        given_out = BundleIds(["notes"])
        digest = hashlib.sha256(b"/x/notes").hexdigest()[:8]
        assert given_out.derive("/x/notes") == f"notes-{digest}"
        assert given_out.derive("/x/notes") == f"notes-{digest}-2"
        assert given_out.derive("/x/notes") == f"notes-{digest}-3"

    @given(st.lists(st.text(max_size=8), max_size=8))
    def test_every_derived_id_is_legal_and_unique(self, names: list[str]) -> None:
        given_out = BundleIds()
        derived = [given_out.derive(f"/x/{name}") for name in names]
        assert len(set(derived)) == len(derived)
        assert all(is_bundle_slug(name) for name in derived)


class TestOverrides:
    def test_exactly_these_roots_and_nothing_configured(
        self, tree: Tree, env: dict[str, str], configure: Configure
    ) -> None:
        configure({"mine": {"path": tree("mine", AKM)}})
        first = tree("Team Stash", [*AKM, ".claude/skills/a/SKILL.md"])
        second = tree("other/unclaimed", ["README.txt"])
        bundles = resolve_bundles(overrides=[first, second], folders=[tree("w", AKM)], env=env)
        assert [(b.id, b.adapter, b.origin, b.configured) for b in bundles] == [
            ("team-stash", "akm", "override", True),
            ("unclaimed", "akm", "override", True),
        ]
        assert bundles.default == "team-stash"
        assert bundles.warnings == ()

    def test_the_probe_decides_the_format(self, tree: Tree, env: dict[str, str]) -> None:
        roots = [tree("s", ["a/SKILL.md"]), tree("w", ["schema.md", "pages/a.md"])]
        bundles = resolve_bundles(overrides=roots, env=env)
        assert [bundle.adapter for bundle in bundles] == ["agent-skills", "llm-wiki"]

    def test_a_probes_word_is_enough_without_evidence(
        self, tree: Tree, env: dict[str, str]
    ) -> None:
        (bundle,) = resolve_bundles(overrides=[tree("x", ["opencode.json"])], env=env)
        assert bundle.adapter == "opencode"

    def test_one_named_twice_is_one(self, tree: Tree, env: dict[str, str]) -> None:
        root = tree("stash", AKM)
        os.symlink(root, f"{root}-link")
        assert ids(resolve_bundles(overrides=[root, f"{root}/", f"{root}-link"], env=env)) == [
            "stash"
        ]

    @pytest.mark.parametrize("path", ["/no/such/place", "", "\0", "\udcff"])
    def test_what_is_no_directory_is_a_warning(self, env: dict[str, str], path: str) -> None:
        bundles = resolve_bundles(overrides=[path or __file__], env=env)
        assert len(bundles) == 0
        problem = "no such directory" if path else "not a directory"
        assert problem in bundles.warnings[0]
        assert bundles.unusable == bundles.warnings


class TestPriority:
    def test_the_default_comes_first_then_the_order_of_the_file(
        self, tree: Tree, env: dict[str, str], configure: Configure
    ) -> None:
        configure({key: {"path": tree(key, AKM)} for key in "abc"}, defaultBundle="b")
        bundles = resolve_bundles(env=env)
        assert ids(bundles) == ["b", "a", "c"]
        assert bundles.default == "b"
        assert all(b.configured and b.origin == "config" and b.writable for b in bundles)

    def test_without_a_default_the_home_stash_is_first_if_it_exists(
        self, tree: Tree, env: dict[str, str], home: str, configure: Configure
    ) -> None:
        configure({"a": {"path": tree("a", AKM)}})
        assert ids(resolve_bundles(env=env)) == ["a"]
        assert resolve_bundles(env=env).default is None
        os.mkdir(os.path.join(home, "akm"))
        bundles = resolve_bundles(env=env)
        assert ids(bundles) == ["akm", "a"]
        assert bundles.default == "akm"

    def test_with_a_default_it_is_not_there(
        self, tree: Tree, env: dict[str, str], home: str, configure: Configure
    ) -> None:
        os.mkdir(os.path.join(home, "akm"))
        configure({"a": {"path": tree("a", AKM)}}, defaultBundle="a")
        assert ids(resolve_bundles(env=env)) == ["a"]

    def test_the_variable_comes_before_everything(
        self, tree: Tree, env: dict[str, str], configure: Configure
    ) -> None:
        configure({"a": {"path": tree("a", AKM)}}, defaultBundle="a")
        env["XDG_CONFIG_HOME"] = os.path.join(env["HOME"], ".config")
        env["AKM_BUNDLE_DIR"] = tree("Scratch", AKM)
        bundles = resolve_bundles(env=env)
        assert [(b.id, b.origin, b.writable) for b in bundles] == [
            ("scratch", "override", True),
            ("a", "config", True),
        ]
        assert bundles.default == "scratch"

    def test_a_transient_bundle_directory_brings_its_own_configuration(
        self, tree: Tree, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        config = {"bundles": {"other": {"path": tree("other", AKM)}}}
        stash = tree("stash", {".akm/config.json": json.dumps(config)})
        monkeypatch.setattr(directories, "_TRANSIENT", (stash,))
        env["AKM_BUNDLE_DIR"] = stash
        assert ids(resolve_bundles(env=env)) == ["stash", "other"]

    def test_a_variable_that_names_nothing_is_a_warning(self, env: dict[str, str]) -> None:
        env["AKM_BUNDLE_DIR"] = "/no/such/place"
        assert "AKM_BUNDLE_DIR" in resolve_bundles(env=env).warnings[0]

    def test_opened_folders_come_last(
        self, tree: Tree, env: dict[str, str], configure: Configure
    ) -> None:
        configure({"a": {"path": tree("a", AKM)}})
        bundles = resolve_bundles(folders=[tree("notes", AKM)], env=env)
        assert [(b.id, b.configured) for b in bundles] == [("a", True), ("notes", False)]


class TestConfigured:
    def test_a_disabled_bundle_is_not_there(
        self, tree: Tree, env: dict[str, str], configure: Configure
    ) -> None:
        configure({"a": {"path": tree("a", AKM), "enabled": False}}, defaultBundle="a")
        bundles = resolve_bundles(env=env)
        assert (len(bundles), bundles.default, bundles.warnings) == (0, None, ())

    def test_a_path_may_start_at_home_or_at_the_configuration(
        self, env: dict[str, str], home: str, configure: Configure
    ) -> None:
        for path in ("one", ".config/akm/two"):
            os.makedirs(os.path.join(home, path))
        configure({"one": {"path": "~/one"}, "two": {"path": "./two"}})
        assert [bundle.root for bundle in resolve_bundles(env=env)] == [
            os.path.join(home, "one"),
            os.path.join(home, ".config", "akm", "two"),
        ]

    def test_the_configured_adapter_wins_over_the_layout(
        self, tree: Tree, env: dict[str, str], configure: Configure
    ) -> None:
        root = tree("a", ["CLAUDE.md", "skills/s/SKILL.md", "memories/m.md"])
        configure({"a": {"path": root}})
        assert resolve_bundles(env=env).bundles[0].adapter == "claude"
        configure({"a": {"path": root, "components": {"main": {"adapter": "akm"}}}})
        assert resolve_bundles(env=env).bundles[0].adapter == "akm"

    def test_an_unclaimed_configured_directory_falls_back_to_akm(
        self, tree: Tree, env: dict[str, str], configure: Configure
    ) -> None:
        configure({"a": {"path": tree("a", ["x.txt"])}})
        assert resolve_bundles(env=env).bundles[0].adapter == "akm"

    def test_a_component_has_its_root_inside(
        self, tree: Tree, env: dict[str, str], configure: Configure
    ) -> None:
        root = tree("a", ["sub/knowledge/a.md"])
        configure({"a": {"path": root, "components": {"main": {"root": "sub"}}}})
        assert resolve_bundles(env=env).bundles[0].root == os.path.join(root, "sub")

    @pytest.mark.parametrize("inner", ["..", "../b", "/", "link"])
    def test_a_component_that_leaves_its_bundle_is_left_out(
        self, tree: Tree, env: dict[str, str], configure: Configure, inner: str
    ) -> None:
        tree("b", AKM)
        root = tree("a", {"x.md": "", "link": "-> ../b"})
        configure({"a": {"path": root, "components": {"main": {"root": inner}}}})
        bundles = resolve_bundles(env=env)
        assert len(bundles) == 0
        assert "outside" in bundles.warnings[0]

    def test_a_path_that_is_not_there_is_a_warning(
        self, env: dict[str, str], configure: Configure
    ) -> None:
        configure({"a": {"path": "/no/such/place"}})
        assert "bundles.a: no such directory" in resolve_bundles(env=env).warnings[0]

    def test_two_names_for_one_directory_are_one_bundle(
        self, tree: Tree, env: dict[str, str], configure: Configure
    ) -> None:
        root = tree("a", AKM)
        os.symlink(root, f"{root}-link")
        second = {"path": f"{root}-link", "components": {"c": {"adapter": "okf"}}}
        configure({"a": {"path": root}, "b": second})
        bundles = resolve_bundles(env=env)
        assert [(b.id, b.adapter) for b in bundles] == [("a", "okf")]
        assert "same directory" in bundles.warnings[0]

    def test_the_variable_takes_the_name_the_configuration_gives(
        self, tree: Tree, env: dict[str, str], configure: Configure
    ) -> None:
        root = tree("a", AKM)
        configure({"team": {"path": root, "writable": False}})
        env |= {"XDG_CONFIG_HOME": os.path.join(env["HOME"], ".config"), "AKM_BUNDLE_DIR": root}
        (bundle,) = resolve_bundles(env=env)
        assert (bundle.id, bundle.writable) == ("team", True)

    def test_keys_are_used_verbatim_and_reserved_first(
        self, tree: Tree, env: dict[str, str], configure: Configure
    ) -> None:
        paths = {key: tree(f"dir-{n}", AKM) for n, key in enumerate(("not legal", "dir-0", "Ü_x"))}
        configure({key: {"path": path} for key, path in paths.items()})
        bundles = resolve_bundles(env=env)
        derived = ids(bundles)[0]
        assert derived.startswith("dir-0-")
        assert ids(bundles)[1:] == ["dir-0", "Ü_x"]
        assert f'refs must call it "{derived}"' in bundles.warnings[0]

    def test_a_key_that_is_no_text_is_no_name(
        self, tree: Tree, env: dict[str, str], configure: Configure
    ) -> None:
        configure({"\ud800": {"path": tree("a", AKM)}, "b": {"path": "/\ud800"}})
        bundles = resolve_bundles(env=env)
        assert ids(bundles) == ["a"]
        assert len(bundles.warnings) == 2
        "".join(bundles.warnings).encode("utf-8")

    def test_fetched_content_is_found_by_the_lock(
        self, tree: Tree, env: dict[str, str], home: str, configure: Configure
    ) -> None:
        roots = {key: tree(key, AKM) for key in ("g", "n")}
        lock = Path(home, ".local", "share", "akm", "akm.lock")
        lock.parent.mkdir(parents=True)
        lock.write_text(json.dumps([{"id": k, "localRoot": path} for k, path in roots.items()]))
        configure({"g": {"git": "github:o/r"}, "n": {"npm": "pkg"}})
        bundles = resolve_bundles(env=env)
        assert [(b.id, b.root, b.writable) for b in bundles] == [
            ("g", roots["g"], False),
            ("n", roots["n"], False),
        ]
        assert bundles.watch == (os.path.join(home, ".config/akm/config.json"), str(lock))

    @pytest.mark.parametrize(
        ("locator", "canonical", "inner"),
        [
            ({"git": "github:o/r"}, "https://github.com/o/r", "repo"),
            ({"git": "o/r"}, "https://github.com/o/r", "repo"),
            ({"git": "github:o/r#v1"}, "https://github.com/o/r/tree/v1", "repo"),
            ({"git": "https://example.org/r.git"}, "https://example.org/r", "repo/content"),
            ({"website": {"url": "https://x.org/docs/"}}, "https://x.org/docs", ""),
        ],
    )
    def test_fetched_content_is_found_in_the_cache(
        self,
        env: dict[str, str],
        home: str,
        configure: Configure,
        locator: dict[str, object],
        canonical: str,
        inner: str,
    ) -> None:
        digest = hashlib.sha256(canonical.encode()).hexdigest()[:16]
        name = f"{next(iter(locator))}-{digest}"
        root = os.path.normpath(os.path.join(home, ".cache/akm/registry-index", name, inner))
        os.makedirs(root)
        configure({"x": locator})
        (bundle,) = resolve_bundles(env=env)
        assert (bundle.root, bundle.writable) == (root, False)

    def test_content_that_was_not_fetched_is_a_warning_without_the_url(
        self, env: dict[str, str], configure: Configure
    ) -> None:
        configure({"x": {"git": "https://ada:pass@example.org/r"}, "n": {"npm": "p"}})
        bundles = resolve_bundles(env=env)
        assert len(bundles.warnings) == 2
        assert "pass" not in "".join((*bundles.warnings, *bundles.notes))


class TestFolders:
    def test_one_that_is_configured_is_that_bundle(
        self, tree: Tree, env: dict[str, str], configure: Configure
    ) -> None:
        root = tree("a", [*AKM, "knowledge/deep/x.md"])
        configure({"team": {"path": root}})
        for folder in (root, os.path.join(root, "knowledge", "deep")):
            bundles = resolve_bundles(folders=[folder], env=env)
            assert ids(bundles) == ["team"]
            assert any('bundle "team"' in note for note in bundles.notes)

    def test_one_that_is_configured_through_a_link_is_that_bundle(
        self, tree: Tree, env: dict[str, str], configure: Configure
    ) -> None:
        root = tree("a", AKM)
        os.symlink(root, f"{root}-link")
        configure({"team": {"path": f"{root}-link"}})
        bundles = resolve_bundles(folders=[root], env=env)
        assert ids(bundles) == ["team"]
        assert bundles.relative(f"{root}/knowledge/a.md") == (bundles.bundles[0], "knowledge/a.md")

    def test_tools_directories_in_a_configured_one_are_bundles_of_their_own(
        self, tree: Tree, env: dict[str, str], configure: Configure
    ) -> None:
        root = tree("a", [*AKM, ".claude/skills/s/SKILL.md", "plugins/p/skills/s/SKILL.md"])
        configure({"team": {"path": root}})
        assert ids(resolve_bundles(folders=[root], env=env)) == ["team", "a-claude"]

    def test_a_configured_bundle_in_a_folder_is_not_found_again(
        self, tree: Tree, env: dict[str, str], configure: Configure
    ) -> None:
        root = tree("repo", ["src/x.py", "tools/plugins/p/skills/s/SKILL.md"])
        configure({"mine": {"path": os.path.join(root, "tools", "plugins", "p")}})
        assert ids(resolve_bundles(folders=[root], env=env)) == ["mine"]

    @pytest.mark.parametrize(
        "folder",
        ["memories", "knowledge/deep", "skills", "skills/pdf", "skills/pdf/scripts", "docs/x"],
    )
    def test_a_part_of_a_bundle_finds_the_bundle(
        self, tree: Tree, env: dict[str, str], folder: str
    ) -> None:
        root = tree(
            "stash",
            [
                *AKM,
                "knowledge/deep/index.md",
                "skills/pdf/SKILL.md",
                "skills/pdf/scripts/run.py",
                "skills/other/SKILL.md",
                "docs/x/guide.md",
            ],
        )
        (bundle,) = resolve_bundles(folders=[os.path.join(root, folder)], env=env)
        assert (bundle.id, bundle.root, bundle.adapter) == ("stash", root, "akm")

    @pytest.mark.parametrize(
        ("files", "folder", "adapter"),
        [
            (["CLAUDE.md", "agents/a.md", "skills/s/SKILL.md"], "skills", "claude"),
            (["AGENTS.md", "agents/a.md"], "agents", "opencode"),
            (["schema.md", "pages/a.md"], "pages", "llm-wiki"),
            (["a/SKILL.md", "b/SKILL.md", "b/scripts/x.sh"], "b/scripts", "agent-skills"),
            ([".stash/x", "tasks/t.yml"], "tasks", "akm"),
        ],
    )
    def test_parts_of_other_formats(
        self, tree: Tree, env: dict[str, str], files: list[str], folder: str, adapter: str
    ) -> None:
        root = tree("it", files)
        (bundle,) = resolve_bundles(folders=[os.path.join(root, folder)], env=env)
        assert (bundle.root, bundle.adapter) == (root, adapter)

    def test_a_bundle_in_a_part_of_a_repository_is_found_from_inside(
        self, tree: Tree, env: dict[str, str]
    ) -> None:
        root = tree("repo", [".git/HEAD", *(f"notes/{name}" for name in AKM)])
        (bundle,) = resolve_bundles(folders=[os.path.join(root, "notes", "memories")], env=env)
        assert bundle.root == os.path.join(root, "notes")

    def test_the_climb_ends_at_the_work_tree(self, tree: Tree, env: dict[str, str]) -> None:
        root = tree("stash", [*AKM, "repo/.git/HEAD", "repo/src/x.py"])
        for folder in ("repo", "repo/src"):
            assert len(resolve_bundles(folders=[os.path.join(root, folder)], env=env)) == 0

    def test_the_climb_ends_below_home(self, env: dict[str, str], home: str) -> None:
        for path in ("knowledge", "memories", "projects/x/src"):
            os.makedirs(os.path.join(home, path))
            Path(home, path, "a.md").write_text("x")
        assert len(resolve_bundles(folders=[os.path.join(home, "projects/x/src")], env=env)) == 0

    def test_one_skill_in_a_directory_of_projects_does_not_claim_them_all(
        self, tree: Tree, env: dict[str, str]
    ) -> None:
        root = tree("code", ["skill/SKILL.md", "app/main.py", "site/index.html"])
        (bundle,) = resolve_bundles(folders=[os.path.join(root, "skill")], env=env)
        assert bundle.root == os.path.join(root, "skill")

    def test_a_folder_opened_twice_or_inside_another_is_one_bundle(
        self, tree: Tree, env: dict[str, str]
    ) -> None:
        root = tree("stash", AKM)
        inner = os.path.join(root, "memories")
        for folders in ([root, root], [root, inner], [inner, root], [root + "/", root]):
            assert ids(resolve_bundles(folders=folders, env=env)) == ["stash"]

    def test_two_folders_of_one_name(self, tree: Tree, env: dict[str, str]) -> None:
        folders = [tree("a/notes", AKM), tree("b/notes", AKM)]
        first, second = ids(resolve_bundles(folders=folders, env=env))
        assert first == "notes"
        assert second.startswith("notes-")

    @pytest.mark.skipif(os.name == "nt", reason="names are UTF-16 there")
    def test_directories_whose_names_are_not_utf8_are_no_bundles(
        self, tree: Tree, env: dict[str, str]
    ) -> None:
        root = tree("repo", ["README.txt"])
        odd = os.fsdecode(os.fsencode(root) + b"/caf\xe9")
        os.makedirs(os.path.join(odd, ".claude", "agents"))
        Path(odd, ".claude", "agents", "a.md").write_text("x")
        bundles = resolve_bundles(folders=[root, odd], env=env)
        assert len(bundles) == 0
        "".join((*bundles.warnings, *bundles.notes)).encode("utf-8")

    def test_a_missing_folder_is_a_warning(self, env: dict[str, str]) -> None:
        assert "/no/such" in resolve_bundles(folders=["/no/such"], env=env).warnings[0]


class TestSilence:
    """An unrelated repository is left alone, and `notes` say why."""

    @pytest.mark.parametrize(
        "files",
        [
            {},
            {"README.md": "# Hi", "src/main.py": "", "docs/a.md": ""},
            {"scripts/build.sh": "", "src/x.py": ""},
            {"scripts/build.sh": "", "env/dev.env": "A=1", "tasks/main.yml": "- name: x\n"},
            {"agents/base.py": "", "commands/run.py": "", "CLAUDE.md": ""},
            {"agents/README.md": "", "scripts/x.sh": ""},
            {"AGENTS.md": "", "agents/base.py": ""},
            {"opencode.json": "{}", "src/x.ts": ""},
            {"env/pyvenv.cfg": "", "env/lib/x.py": ""},
            {"index.md": "# Docs", "guide.md": ""},
            {"_config.yml": "", "_posts/a.md": "---\ntype: post\n---\n"},
            {"package.json": "{}", "docs/a.md": "---\ntype: guide\n---\n"},
            {".github/ISSUE_TEMPLATE/b.md": "---\ntype: bug\n---\n"},
            {"lessons/01-intro.md": "# One", "src/x.py": ""},
            {"sessions/a.md": "---\nlayout: talk\n---\n"},
            {"renovate.yml": "schedule: weekly\n"},
            {"a.md": "", "b.md": "", "c.md": "", "d.md": "---\ntype: draft\n---\n"},
            {"a/b/c/d.md": "---\ntype: fixture\n---\n"},
            {"skills/README.md": "", "skills/cooking.md": ""},
        ],
        ids=lambda files: " ".join(files) or "empty",
    )
    def test_generic_folders(self, tree: Tree, env: dict[str, str], files: dict[str, str]) -> None:
        root = tree("repo", files)
        bundles = resolve_bundles(folders=[root], env=env)
        assert len(bundles) == 0
        assert bundles.warnings == ()
        assert any(note.startswith(f"{root}: not a bundle: ") for note in bundles.notes)

    @pytest.mark.parametrize(
        ("files", "adapter"),
        [
            ({"knowledge/a.md": ""}, "akm"),
            ({"memories/deep/a.md": ""}, "akm"),
            ({"lessons/a.md": "---\ndescription: x\n---\n"}, "akm"),
            ({"lessons/a.md": "", "workflows/b.md": ""}, "akm"),
            ({"tasks/a.yml": "schedule: '@daily'\ncommand: x\n"}, "akm"),
            ({".stash/x": ""}, "akm"),
            ({"agents/a.md": ""}, "akm"),
            ({"env/a.env": ""}, "dotenv"),
            ({"env/.env": "", "secrets/x": ""}, "dotenv"),
            ({"index.md": "---\nokf_version: 0.2\n---\n", "package.json": ""}, "okf"),
            ({"tables/a.md": "---\ntype: Table\n---\n"}, "okf"),
            ({"t.yml": "schedule: '@daily'\nprompt: x\n"}, "akm-task"),
            ({"w.md": "---\ntype: workflow\n---\n"}, "akm-workflow"),
            ({"manifest.json": '{"url": "u", "fetchedAt": "t"}'}, "website-snapshot"),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, dict) else value,
    )
    def test_what_is_clearly_a_bundle(
        self, tree: Tree, env: dict[str, str], files: dict[str, str], adapter: str
    ) -> None:
        (bundle,) = resolve_bundles(folders=[tree("it", files)], env=env)
        assert (bundle.adapter, bundle.origin, bundle.configured) == (adapter, "workspace", False)

    def test_a_folder_can_be_forced(self, tree: Tree, env: dict[str, str]) -> None:
        root = tree("repo", ["scripts/build.sh"])
        for folders in ([], [root]):
            (bundle,) = resolve_bundles(folders=folders, force=[root + "/"], env=env)
            assert (bundle.adapter, bundle.origin) == ("akm", "workspace")

    def test_a_format_without_a_single_asset_gives_way_to_one_with_some(
        self, tree: Tree, env: dict[str, str]
    ) -> None:
        root = tree("it", {"opencode.json": "{}", "knowledge/a.md": ""})
        (bundle,) = resolve_bundles(folders=[root], env=env)
        assert bundle.adapter == "akm"

    def test_pages_of_the_stashes_inside_make_no_bundle_of_their_parent(
        self, tree: Tree, env: dict[str, str]
    ) -> None:
        typed = "---\ntype: Note\n---\n"
        stash = {"knowledge/a.md": typed, "memories/b.md": typed}
        root = tree("it", {f"{name}/{rel}": text for name in "xy" for rel, text in stash.items()})
        bundles = resolve_bundles(folders=[root], env=env)
        assert [(b.id, b.adapter) for b in bundles] == [("x", "akm"), ("y", "akm")]

    def test_notes_say_which_configuration_was_read(
        self, env: dict[str, str], configure: Configure
    ) -> None:
        assert "config.json: not there" in resolve_bundles(env=env).notes[0]
        configure({})
        assert "config.json: read" in resolve_bundles(env=env).notes[0]


class TestOwner:
    @pytest.fixture
    def bundles(self) -> BundleSet:
        roots = {"outer": "/s/outer", "inner": "/s/outer/plugins/p", "next": "/s/outer-next"}
        return BundleSet(tuple(Bundle(key, root, root, "akm") for key, root in roots.items()))

    @pytest.mark.parametrize(
        ("path", "owner", "rel"),
        [
            ("/s/outer/knowledge/a.md", "outer", "knowledge/a.md"),
            ("/s/outer/plugins/p/x.md", "inner", "x.md"),
            ("/s/outer/plugins/pq/x.md", "outer", "plugins/pq/x.md"),
            ("/s/outer-next/a.md", "next", "a.md"),
            ("/s/outer", "outer", ""),
            ("/s/outer/", "outer", ""),
            ("/s/outer/a/../b.md", "outer", "b.md"),
            ("/s", None, None),
            ("/s/out", None, None),
            ("/elsewhere/a.md", None, None),
        ],
    )
    def test_the_longest_root_owns_a_path(
        self, bundles: BundleSet, path: str, owner: str | None, rel: str | None
    ) -> None:
        found = bundles.relative(path)
        assert (found and found[0].id, found and found[1]) == (owner, rel)
        assert bundles.owner_of(path) == (found and found[0])

    def test_a_path_through_a_link_belongs_where_it_lies(self, tree: Tree) -> None:
        real = tree("real", ["a/x.md"])
        link = f"{real}-link"
        os.symlink(real, link)
        bundles = BundleSet((Bundle("b", link, real, "akm"),))
        for path in (f"{real}/a/x.md", f"{link}/a/x.md", f"{link}/a/new.md", f"{link}/no/new.md"):
            found = bundles.relative(path)
            assert found is not None
            assert found[1].endswith(".md") and not found[1].startswith("..")

    def test_case_counts_as_the_file_system_has_it(self, bundles: BundleSet) -> None:
        if os.name != "nt":
            assert bundles.owner_of("/S/Outer/A.md") is None
        folding = BundleSet(tuple(replace(b, ignore_case=True) for b in bundles))
        found = folding.relative("/S/Outer/Plugins/P/Skills/A.md")
        assert found is not None
        assert (found[0].id, found[1]) == ("inner", "Skills/A.md")

    def test_accents_match_in_either_form(self) -> None:
        bundles = BundleSet((Bundle("b", "/s/caf\u00e9", "/s/caf\u00e9", "akm"),))
        found = bundles.relative("/s/cafe\u0301/a.md")
        assert found is not None and found[1] == "a.md"

    def test_an_empty_set_owns_nothing(self) -> None:
        assert BundleSet().owner_of("/x") is None

    def test_look_up_by_id(self, bundles: BundleSet) -> None:
        assert bundles.ids == {"outer", "inner", "next"}
        assert bundles.get("inner") == bundles.bundles[1]
        assert bundles.get("nope") is None
        assert (len(bundles), [b.id for b in bundles]) == (3, ["outer", "inner", "next"])


_PARTS = st.sampled_from(
    [
        ".claude",
        ".github",
        ".git",
        "plugins",
        "skills",
        "agents",
        "knowledge",
        "memories",
        "secrets",
        "env",
        "bin",
        "x",
        "y",
        ".x",
    ]
)
_FILES = st.sampled_from(
    [
        "SKILL.md",
        "a.md",
        "CLAUDE.md",
        "index.md",
        ".stash",
        "a.env",
        "plugin.json",
        "marketplace.json",
        "t.yml",
    ]
)
_TEXTS = st.sampled_from(
    ["", "---\ntype: x\n---\n", "schedule: x", '{"plugins": [{"source": "./x"}]}', "-> ..", "-> x"]
)
_TREES = st.dictionaries(
    st.tuples(st.lists(_PARTS, max_size=4), _FILES).map(lambda it: "/".join((*it[0], it[1]))),
    _TEXTS,
    max_size=10,
)


@given(files=_TREES, folder=st.lists(_PARTS, max_size=3).map("/".join))
@settings(deadline=None, max_examples=60)
def test_whatever_a_folder_holds_every_file_has_one_owner(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, str], folder: str
) -> None:
    root = os.path.realpath(tmp_path_factory.mktemp("any"))
    for rel, text in files.items():
        path = Path(root, "repo", rel)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if text.startswith("-> "):
                path.symlink_to(text[3:])
            else:
                path.write_text(text)
        except OSError:
            continue  # a file where the next path has a directory
    folders = [os.path.join(root, "repo"), os.path.join(root, "repo", folder)]
    bundles = resolve_bundles(folders=folders, env={"HOME": os.path.join(root, "home")})
    assert len(bundles.ids) == len(bundles)
    assert len({bundle.real_root for bundle in bundles}) == len(bundles)
    walks = list_bundles(bundles)
    for bundle in bundles:
        for file in walks[bundle.id].files:
            assert bundles.relative(bundle.path_of(file.rel)) == (bundle, file.rel)
