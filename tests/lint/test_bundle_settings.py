"""A bundle's own settings: where they stand, what they win over, what is said of their faults."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from stash import lint_stash, write_stash

from akm_ls.bundles.bundle import Bundle
from akm_ls.lint.bundle_settings import BundleSettings, BundleSettingsFiles, is_settings_file
from akm_ls.lint.engine import CODES
from akm_ls.lint.settings import LintSettings

GONE = "See team//knowledge/gone.\n"


def read(root: Path, files: dict[str, str]) -> BundleSettings:
    write_stash(root, files)
    return BundleSettingsFiles(CODES).of(Bundle("team", str(root), str(root), "akm"))


def problems(root: Path, files: dict[str, str]) -> list[str]:
    return [str(problem).replace(str(root) + os.sep, "") for problem in read(root, files).problems]


def test_a_rule_is_set_for_the_files_of_one_bundle(tmp_path: Path) -> None:
    files = {"knowledge/a.md": GONE, ".akm-ls.toml": '[lint.rules]\nmissing-ref = "error"\n'}
    (finding,) = lint_stash(tmp_path, files, "missing-ref")["knowledge/a.md"]
    assert finding.severity == "error"
    files[".akm-ls.toml"] = "[lint.rules]\nmissing-ref = false\n"
    assert lint_stash(tmp_path, files, "missing-ref") == {}


def test_the_bundle_wins_over_the_user_and_keeps_what_it_does_not_name(tmp_path: Path) -> None:
    user = LintSettings({"missing-ref": "error", "duplicate-ref": "off"}, frozenset({"codex"}))
    own = read(tmp_path, {".akm-ls.toml": 'portable = true\nlint.rules.missing-ref = "hint"\n'})
    assert own.over(user) == LintSettings(
        {"missing-ref": "hint", "duplicate-ref": "off"}, frozenset({"codex"}), True
    )
    own = read(tmp_path, {".akm-ls.toml": 'hosts = ["cursor"]\n[lint]\nportable = true\n'})
    assert own.over(user).hosts == frozenset({"cursor"})
    assert own.over(user).portable


def test_a_pyproject_table_counts_when_there_is_no_file_of_our_own(tmp_path: Path) -> None:
    project = '[tool.akm-ls.lint.rules]\nmissing-ref = "off"\n[tool.other]\nx = 1\n'
    assert read(tmp_path, {"pyproject.toml": project}).levels == {"missing-ref": "off"}
    own = read(tmp_path, {".akm-ls.toml": "portable = true\n"})
    assert own.levels == {}
    assert own.portable


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        ("[lint.rules]\nmising-ref = 'off'\n", "lint.rules.mising-ref: no such rule, did you mean"),
        ("[lint.rules]\nmissing-ref = 'loud'\n", 'lint.rules.missing-ref: "loud" is none of error'),
        ("[lint.rules]\nmissing-ref = [1]\n", "lint.rules.missing-ref: [1] is none of error"),
        ("[lint]\nrules = 3\n", "lint.rules: must hold rule codes with their levels"),
        ("lint = 3\n", "lint: 3 is not a table"),
        ("host = ['codex']\n", "host: no such setting, did you mean hosts?"),
        ("hosts = 'codex'\n", 'hosts: "codex" is not a list of tools'),
        ("portable = 1\n", "portable: 1 is not true or false"),
    ],
)
def test_a_fault_names_file_and_key(tmp_path: Path, toml: str, told: str) -> None:
    (problem,) = problems(tmp_path, {".akm-ls.toml": toml})
    assert problem.startswith(f".akm-ls.toml: {told}")


def test_a_fault_in_a_pyproject_names_its_table(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, {"pyproject.toml": "[tool.akm-ls]\nhost = []\n"})
    assert problem.startswith("pyproject.toml: tool.akm-ls.host: no such setting")


@pytest.mark.parametrize(
    "data",
    [b"[lint\n", b"\xff\xfe\x00", b"a = " + b"[" * 20_000, b"x" * 2_000_000, b"a = 1\na = 2\n"],
    ids=["unclosed", "no utf-8", "deep", "large", "twice"],
)
def test_any_bytes_become_one_problem(tmp_path: Path, data: bytes) -> None:
    (tmp_path / ".akm-ls.toml").write_bytes(data)
    settings = read(tmp_path, {})
    assert len(settings.problems) == 1
    assert settings.over(LintSettings()) == LintSettings()


def test_somebody_elses_broken_pyproject_is_not_our_business(tmp_path: Path) -> None:
    assert problems(tmp_path, {"pyproject.toml": "[tool.other\n"}) == []
    assert len(problems(tmp_path, {"pyproject.toml": "[tool.akm-ls]\nx = \n"})) == 1


@pytest.mark.skipif(os.name == "nt", reason="symlinks need a privilege there")
def test_a_link_out_of_the_bundle_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.toml"
    outside.write_text("portable = true\n")
    root = tmp_path / "team"
    root.mkdir()
    (root / ".akm-ls.toml").symlink_to(outside)
    settings = read(root, {})
    assert settings.portable is None
    assert "leads out of the bundle" in str(settings.problems[0])


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    bundle = Bundle("team", str(tmp_path), str(tmp_path), "akm")
    files = BundleSettingsFiles(CODES)
    assert not files.over(LintSettings(), bundle).portable
    write_stash(tmp_path, {".akm-ls.toml": "portable = true\n"})
    assert files.over(LintSettings(), bundle).portable
    (tmp_path / ".akm-ls.toml").unlink()
    assert not files.over(LintSettings(), bundle).portable


def test_which_files_hold_settings(tmp_path: Path) -> None:
    bundles = [Bundle("team", str(tmp_path), str(tmp_path), "akm")]
    assert is_settings_file(str(tmp_path / ".akm-ls.toml"), bundles)
    assert is_settings_file(str(tmp_path / "pyproject.toml"), bundles)
    assert not is_settings_file(str(tmp_path / "knowledge" / ".akm-ls.toml"), bundles)
    assert not is_settings_file(str(tmp_path / "other.toml"), bundles)
