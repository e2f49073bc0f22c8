"""A small bundle, and the command line on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from akm_ls.cli import main


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def team(tmp_path: Path) -> Path:
    """A clean bundle called ``team``."""
    return write(
        tmp_path / "team",
        {
            "skills/review/SKILL.md": (
                "---\nname: review\ndescription: Review a change before it is merged.\n---\n\n"
                "# Review\n\n## Steps\n\nSee team//knowledge/auth/tokens#rotate.\n"
            ),
            "knowledge/auth/tokens.md": (
                "---\ndescription: How tokens are rotated.\ntags: [auth]\n"
                "xrefs:\n  - skills/review\n---\n\n# Tokens\n\n## Rotate\n\nIssue, wait, revoke.\n"
            ),
            "env/prod.env": "API_KEY=marker-value\n",
            "secrets/token": "marker-secret\n",
        },
    )


def write(root: Path, files: Mapping[str, str]) -> Path:
    for rel, text in files.items():
        path = root / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return root


@pytest.fixture
def alone(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No akm on this machine: an empty home, which also holds the index."""
    home = tmp_path_factory.mktemp("home")
    for name in ("AKM_BUNDLE_DIR", "AKM_CONFIG_DIR", "AKM_CACHE_DIR", "AKM_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("FORCE_COLOR", "NO_COLOR", "AKM_LS_DEBUG", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(home))
    return home


@pytest.fixture
def akm(
    alone: Path, team: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs ``akm-ls`` with some arguments inside the bundle."""
    monkeypatch.chdir(team)

    def run(*arguments: str) -> Ran:
        capsys.readouterr()
        code = main([*arguments])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return Ran(code, printed.out, printed.err)

    return run
