"""Dangerous names in env files. No value is ever shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from stash import lint_stash, marked

from akm_ls.lint.fixes import apply_edits
from akm_ls.lint.rules.env_files import DANGEROUS_KEYS, danger_of

CODE = "dangerous-env-key"
ACCEPT = "# akm-lint-ok: dangerous-env-key"


def keys(tmp_path: Path, text: str, rel: str = "env/a.env") -> list[str]:
    found = lint_stash(tmp_path, {"knowledge/k.md": "# K\n", rel: text}, CODE)
    return [marked(text, finding) for finding in found.get(rel, ())]


def test_names_and_families(tmp_path: Path) -> None:
    text = (
        "PATH=/x\nexport NODE_OPTIONS=--x\n  LD_PRELOAD = y\nBASH_FUNC_ls=1\nGIT_CONFIG_COUNT=1\n"
        "path=low\nSAFE=1\nMY_PATH=1\n#ENV=1\nPATH=/again\n"
    )
    assert keys(tmp_path, text) == [
        "PATH",
        "NODE_OPTIONS",
        "LD_PRELOAD",
        "BASH_FUNC_ls",
        "GIT_CONFIG_COUNT",
    ]


def test_there_are_forty_one_names() -> None:
    assert len(DANGEROUS_KEYS) == 41
    assert danger_of("DYLD_INSERT_LIBRARIES") and danger_of("_JAVA_OPTIONS")
    assert danger_of("BASH_FUNCTION") is None and danger_of("API_PATH") is None


@pytest.mark.parametrize("line", ["PATH=/x", "export PATH=/x", "  PATH=/x", "\nexport PATH=/x"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_comment_accepts_the_next_key(tmp_path: Path, line: str, end: str) -> None:
    text = f"{ACCEPT}\n{line}\nEDITOR=vi\n".replace("\n", end)
    assert keys(tmp_path, text) == ["EDITOR"]


def test_accepting_writes_that_comment(tmp_path: Path) -> None:
    text = "A=1\r\n  export PATH=/x\r\n"
    found = lint_stash(tmp_path, {"env/a.env": text, "knowledge/k.md": ""}, CODE)
    (finding,) = found["env/a.env"]
    assert not finding.fixable, "accepting a danger is for the author to decide"
    mended = apply_edits(text, finding.fixes[0].edits)
    assert mended == f"A=1\r\n{ACCEPT}\r\n  export PATH=/x\r\n"
    assert not keys(tmp_path, mended)


def test_no_part_of_a_value_is_told(tmp_path: Path) -> None:
    text = 'PATH="s3cr3t\nEDITOR=s3cr3t-too"\n'
    found = lint_stash(tmp_path, {"env/a.env": text, "knowledge/k.md": ""}, CODE)
    (finding,) = found["env/a.env"]
    assert marked(text, finding) == "PATH"
    assert "s3cr3t" not in repr(finding)


def test_secrets_and_marked_files_are_not_opened(tmp_path: Path) -> None:
    assert not keys(tmp_path, "PATH=/x\n", "secrets/a.env")
    (tmp_path / "team" / "env").mkdir(exist_ok=True)
    (tmp_path / "team" / "env" / "b.sensitive").touch()
    assert not keys(tmp_path, "PATH=/x\n", "env/b.env")


def test_an_env_file_outside_env_is_somebody_elses(tmp_path: Path) -> None:
    assert not keys(tmp_path, "PATH=/x\n", "scripts/a.env")


def test_a_bundle_of_env_files_alone(tmp_path: Path) -> None:
    found = lint_stash(tmp_path, {"env/.env": "PATH=/x\n"}, CODE)
    assert list(found) == ["env/.env"]
