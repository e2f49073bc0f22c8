"""Which files a bundle has."""

from __future__ import annotations

import os
import subprocess
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from akm_ls.bundles import walker
from akm_ls.bundles.bundle import Bundle, BundleSet
from akm_ls.bundles.walker import Walk, list_bundles, list_files, walk

Tree = Callable[..., str]
Git = Callable[..., None]


def bundle(root: str, adapter: str = "akm", **fields: object) -> Bundle:
    return Bundle("b", root, os.path.realpath(root), adapter, **fields)  # type: ignore[arg-type]


def names(found: Walk) -> list[str]:
    return [file.rel for file in found.files]


class TestWithoutGit:
    def test_files_come_by_path_with_size_and_time(self, tree: Tree) -> None:
        root = tree("stash", {"b.md": "12345", "a/z.md": "", "a.md": "", "a-b.md": ""})
        os.utime(os.path.join(root, "b.md"), ns=(5, 1_234_567_890_123_456_789))
        files = list(walk(bundle(root)))
        assert [file.rel for file in files] == ["a-b.md", "a.md", "a/z.md", "b.md"]
        assert (files[3].size, files[3].mtime_ns) == (5, 1_234_567_890_123_456_789)

    def test_a_file_that_is_deleted_meanwhile_takes_no_others_with_it(
        self, tree: Tree, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = tree("stash", {"a.md": "", "b.md": "", "c.md": ""})
        scandir = os.scandir

        def listing(path: str) -> object:
            found = scandir(path)
            os.unlink(os.path.join(root, "b.md"))
            return found

        monkeypatch.setattr(walker.os, "scandir", listing)
        found = list_files(bundle(root))
        assert names(found) == ["a.md", "c.md"]
        assert found.warnings == ()

    @pytest.mark.parametrize(
        "dropped",
        [
            "node_modules/x.md",
            "knowledge/node_modules/x.md",
            "bin/x.md",
            ".cache/x.md",
            ".hidden/x.md",
            "knowledge/.obsidian/x.md",
            ".git/x.md",
            ".stash.json",
            ".gitignore",
            "a/.gitattributes",
        ],
    )
    def test_what_is_always_dropped(self, tree: Tree, dropped: str) -> None:
        assert names(list_files(bundle(tree("stash", ["a.md", dropped])))) == ["a.md"]

    def test_hidden_files_are_kept(self, tree: Tree) -> None:
        assert names(list_files(bundle(tree("stash", ["env/.env"])))) == ["env/.env"]

    def test_okf_walks_hidden_directories_too(self, tree: Tree) -> None:
        root = tree("stash", [".hidden/x.md", "bin/x.md", "a/.git/x.md"])
        assert names(list_files(bundle(root, "okf"))) == [".hidden/x.md", "bin/x.md"]

    @pytest.mark.parametrize("name", [".claude", "node_modules", "bin", ".cache"])
    def test_the_root_itself_may_have_any_name(self, tree: Tree, name: str) -> None:
        root = tree(f"repo/{name}", ["skills/a/SKILL.md"])
        assert names(list_files(bundle(root))) == ["skills/a/SKILL.md"]

    def test_links_are_not_followed(self, tree: Tree) -> None:
        tree("other", ["x.md"])
        root = tree("stash", {"a.md": "", "l.md": "-> a.md", "d": "-> ../other", "loop": "-> ."})
        assert names(list_files(bundle(root))) == ["a.md"]

    def test_a_root_that_is_a_link_is_walked(self, tree: Tree) -> None:
        real = tree("stash", ["a.md"])
        os.symlink(real, f"{real}-link")
        assert names(list_files(bundle(f"{real}-link"))) == ["a.md"]

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in this file system")
    def test_only_regular_files_count(self, tree: Tree) -> None:
        root = tree("stash", ["a.md"])
        os.mkfifo(os.path.join(root, "pipe.md"))
        assert names(list_files(bundle(root))) == ["a.md"]

    def test_nested_bundles_are_left_out(self, tree: Tree) -> None:
        root = tree("stash", ["a.md", "plugins/p/x.md", "plugins/q/x.md"])
        found = list_files(bundle(root), exclude_roots=[os.path.join(root, "plugins", "p"), "/x"])
        assert names(found) == ["a.md", "plugins/q/x.md"]

    def test_a_filter_by_path(self, tree: Tree) -> None:
        root = tree("stash", ["a.md", "b.txt"])
        assert names(list_files(bundle(root), wants=lambda rel: rel.endswith(".md"))) == ["a.md"]

    @pytest.mark.parametrize(
        ("adapter", "kept"),
        [
            ("claude", ["CLAUDE.md", "skills/a/SKILL.md"]),
            ("opencode", ["CLAUDE.md", "agent/x.md", "skills/a/SKILL.md"]),
            ("llm-wiki", ["CLAUDE.md", "pages/p.md"]),
        ],
    )
    def test_a_format_with_fixed_directories_walks_only_those(
        self, tree: Tree, adapter: str, kept: list[str]
    ) -> None:
        root = tree(
            "repo", ["CLAUDE.md", "src/x.md", "agent/x.md", "pages/p.md", "skills/a/SKILL.md"]
        )
        assert names(list_files(bundle(root, adapter))) == kept

    def test_a_tools_own_state_is_not_walked(self, tree: Tree) -> None:
        root = tree("repo/.claude", ["skills/a/SKILL.md", "worktrees/w/skills/a/SKILL.md"])
        host = bundle(root, "claude", origin="host", label=".claude")
        assert names(list_files(host)) == ["skills/a/SKILL.md"]

    @pytest.mark.skipif(os.name == "nt", reason="names are UTF-16 there")
    def test_a_name_that_is_not_utf8_is_skipped_with_a_warning(self, tree: Tree) -> None:
        root = tree("stash", ["a.md"])
        for name in (b"caf\xe9.md", b"line\nend.md"):
            Path(os.fsdecode(os.path.join(os.fsencode(root), name))).write_text("x")
        os.mkdir(os.fsencode(root) + b"/dir\xe9")
        found = list_files(bundle(root))
        assert names(found) == ["a.md"]
        assert len(found.warnings) == 2
        "".join(found.warnings).encode("utf-8")

    def test_composed_and_decomposed_names_are_kept_as_they_are(self, tree: Tree) -> None:
        composed, decomposed = (unicodedata.normalize(form, "é.md") for form in ("NFC", "NFD"))
        root = tree("stash", [composed, decomposed])
        assert set(names(list_files(bundle(root)))) <= {composed, decomposed}

    def test_a_missing_root_is_a_warning(self, tree: Tree) -> None:
        found = list_files(bundle(tree("stash", []) + "/gone"))
        assert found.files == ()
        assert "cannot be listed" in found.warnings[0]

    def test_a_huge_secret_is_left_out(self, tree: Tree) -> None:
        root = tree("stash", ["secrets/small"])
        with open(os.path.join(root, "secrets", "huge"), "wb") as file:
            file.truncate(5 * 1024 * 1024 + 1)
        found = list_files(bundle(root))
        assert names(found) == ["secrets/small"]
        assert "secrets/huge" in found.warnings[0]

    def test_the_number_of_files_is_bounded(
        self, tree: Tree, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = tree("stash", ["a.md", "b/b.md", "c/c.md"])
        monkeypatch.setattr(walker, "MAX_FILES", 2)
        found = list_files(bundle(root))
        assert len(found.files) == 2
        assert "more than 2 files" in found.warnings[0]


class TestInAWorkTree:
    def test_ignored_files_are_left_out_and_untracked_ones_are_in(
        self, tree: Tree, git: Git
    ) -> None:
        root = tree(
            "repo",
            {
                ".gitignore": "/stash/drafts/\n",
                "stash/.gitignore": "*.tmp\n",
                "stash/tracked.md": "",
                "stash/new.md": "",
                "stash/drafts/d.md": "",
                "stash/x.tmp": "",
                "outside.md": "",
            },
        )
        git(root, "init", "-q")
        git(root, "add", "stash/tracked.md")
        found = list_files(bundle(os.path.join(root, "stash")))
        assert found.method == "git"
        assert names(found) == ["new.md", "tracked.md"]

    def test_deleted_files_are_left_out(self, tree: Tree, git: Git) -> None:
        root = tree("repo", ["a.md", "gone.md"])
        git(root, "init", "-q")
        git(root, "add", ".")
        os.remove(os.path.join(root, "gone.md"))
        assert names(list_files(bundle(root))) == ["a.md"]

    def test_a_conflicted_file_is_listed_once(self, tree: Tree, git: Git) -> None:
        root = tree("repo", {"a.md": "base"})
        path = Path(root, "a.md")
        git(root, "init", "-q", "-b", "main")
        git(root, "add", ".")
        git(root, "commit", "-qm", "base")
        git(root, "checkout", "-qb", "other")
        path.write_text("other")
        git(root, "commit", "-qam", "other")
        git(root, "checkout", "-q", "main")
        path.write_text("main")
        git(root, "commit", "-qam", "main")
        with pytest.raises(subprocess.CalledProcessError):
            git(root, "merge", "-q", "other")
        assert names(list_files(bundle(root))) == ["a.md"]

    def test_the_same_directories_are_dropped_as_without_git(self, tree: Tree, git: Git) -> None:
        root = tree("repo", ["a.md", "bin/x.md", ".hidden/x.md", "node_modules/x.md"])
        git(root, "init", "-q")
        git(root, "add", "-f", ".")
        assert names(list_files(bundle(root))) == ["a.md"]

    def test_odd_names_come_through(self, tree: Tree, git: Git) -> None:
        odd = [
            "a b.md",
            'quo"te.md',
            "tab\t.md",
            "käse/ü.md",
            "-dash.md",
            "日本.md",
            "\U0001f600.md",
        ]
        root = tree("repo", odd)
        git(root, "init", "-q")
        assert names(list_files(bundle(root))) == sorted(odd)

    @pytest.mark.skipif(os.name == "nt", reason="names are UTF-16 there")
    def test_a_name_that_is_not_utf8_costs_only_itself(self, tree: Tree, git: Git) -> None:
        root = tree("repo", ["ü.md"])
        Path(os.fsdecode(os.fsencode(root) + b"/\xe9.md")).write_text("x")
        git(root, "init", "-q")
        found = list_files(bundle(root))
        assert (names(found), found.method) == (["ü.md"], "git")
        assert len(found.warnings) == 1

    def test_a_linked_file_counts_when_its_target_is_inside(self, tree: Tree, git: Git) -> None:
        tree("other", ["x.md"])
        root = tree("repo", {"a.md": "", "in.md": "-> a.md", "out.md": "-> ../other/x.md"})
        git(root, "init", "-q")
        found = list_files(bundle(root))
        assert names(found) == ["a.md", "in.md"]
        assert "out.md: a link out of the bundle" in found.warnings[0]

    def test_a_directory_that_became_a_link_is_not_followed(self, tree: Tree, git: Git) -> None:
        other = tree("other", ["x.md"])
        root = tree("repo", ["a.md", "d/x.md"])
        git(root, "init", "-q")
        git(root, "add", ".")
        os.remove(os.path.join(root, "d", "x.md"))
        os.rmdir(os.path.join(root, "d"))
        os.symlink(other, os.path.join(root, "d"))
        assert names(list_files(bundle(root))) == ["a.md"]

    def test_a_bundle_that_its_repository_ignores_is_walked_all_the_same(
        self, tree: Tree, git: Git
    ) -> None:
        root = tree("repo", {".gitignore": ".claude/\n", ".claude/skills/a/SKILL.md": ""})
        git(root, "init", "-q")
        found = list_files(bundle(os.path.join(root, ".claude"), "claude"))
        assert (names(found), found.method) == (["skills/a/SKILL.md"], "manual")

    def test_nested_bundles_are_left_out(self, tree: Tree, git: Git) -> None:
        root = tree("repo", ["a.md", "plugins/p/x.md", "plugins/p2/x.md"])
        git(root, "init", "-q")
        found = list_files(bundle(root), exclude_roots=[os.path.join(root, "plugins", "p")])
        assert names(found) == ["a.md", "plugins/p2/x.md"]

    def test_variables_of_a_git_hook_do_not_lead_astray(
        self, tree: Tree, git: Git, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = tree("other", ["wrong.md"])
        git(other, "init", "-q")
        root = tree("repo", ["right.md"])
        git(root, "init", "-q")
        monkeypatch.setenv("GIT_DIR", os.path.join(other, ".git"))
        monkeypatch.setenv("GIT_WORK_TREE", other)
        assert names(list_files(bundle(root))) == ["right.md"]

    def test_a_repository_cannot_make_git_run_its_programs(self, tree: Tree, git: Git) -> None:
        root = tree("repo", ["a.md"])
        script = Path(root, "evil.sh")
        script.write_text(f"#!/bin/sh\ntouch {root}/ran\n")
        script.chmod(0o755)
        git(root, "init", "-q")
        git(root, "config", "core.fsmonitor", str(script))
        assert names(list_files(bundle(root))) == ["a.md", "evil.sh"]
        assert not os.path.exists(os.path.join(root, "ran"))

    @pytest.mark.parametrize(
        "fault", [OSError(2, "gone"), subprocess.TimeoutExpired("git", 1), UnicodeError("x")]
    )
    def test_whatever_goes_wrong_with_git_the_directory_is_walked(
        self, tree: Tree, git: Git, monkeypatch: pytest.MonkeyPatch, fault: Exception
    ) -> None:
        root = tree("repo", ["a.md"])
        git(root, "init", "-q")

        def fail(*_: object, **__: object) -> None:
            raise fault

        monkeypatch.setattr(subprocess, "run", fail)
        found = list_files(bundle(root))
        assert (names(found), found.method) == (["a.md"], "manual")

    def test_a_broken_repository_is_walked(self, tree: Tree) -> None:
        root = tree("repo", {"a.md": "", ".git": "gitdir: /nowhere\n"})
        assert list_files(bundle(root)).method == "manual"

    def test_a_machine_without_git(
        self, tree: Tree, git: Git, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = tree("repo", ["a.md"])
        git(root, "init", "-q")
        monkeypatch.setattr(walker, "_git", lambda: None)
        assert names(list_files(bundle(root))) == ["a.md"]


class TestManyBundles:
    def test_one_listing_serves_all_bundles_of_a_work_tree(
        self, tree: Tree, git: Git, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = tree("repo", ["plugins/p/a.md", "plugins/p-q/b.md", "plugins/p0/c.md", "top.md"])
        git(root, "init", "-q")
        roots = {"top": root} | {
            name: os.path.join(root, "plugins", name) for name in ("p", "p-q", "p0")
        }
        bundles = BundleSet(tuple(Bundle(key, path, path, "akm") for key, path in roots.items()))
        calls: list[str] = []
        names_of = walker._git_names
        monkeypatch.setattr(walker, "_git_names", lambda top: calls.append(top) or names_of(top))
        found = {key: names(files) for key, files in list_bundles(bundles).items()}
        assert found == {"top": ["top.md"], "p": ["a.md"], "p-q": ["b.md"], "p0": ["c.md"]}
        assert calls == [root]

    def test_bundles_outside_any_work_tree_are_walked(self, tree: Tree) -> None:
        roots = [tree(name, ["a.md"]) for name in ("x", "y", "z")]
        bundles = BundleSet(tuple(Bundle(str(n), r, r, "akm") for n, r in enumerate(roots)))
        found = list_bundles(bundles, lambda bundle: lambda rel: bundle.id != "1")
        assert {key: names(files) for key, files in found.items()} == {
            "0": ["a.md"],
            "1": [],
            "2": ["a.md"],
        }
