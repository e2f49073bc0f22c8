"""Small trees of files, and a home directory in which nothing is configured."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Tree = Callable[..., str]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Write files given as ``{path: text}`` below a named directory; returns its path.

    A text of ``-> target`` makes a symlink.
    """

    def write(name: str, files: Mapping[str, str] | list[str]) -> str:
        root = tmp_path / "disk" / name
        root.mkdir(parents=True, exist_ok=True)
        texts = files if isinstance(files, Mapping) else dict.fromkeys(files, "# Text\n")
        for rel, text in texts.items():
            path = root / rel
            path.parent.mkdir(parents=True, exist_ok=True)
            if text.startswith("-> "):
                os.symlink(text[3:], path)
            else:
                path.write_text(text, encoding="utf-8")
        return os.path.realpath(root)

    return write


@pytest.fixture
def home(tmp_path: Path) -> str:
    directory = tmp_path / "home" / "ada"
    directory.mkdir(parents=True)
    return os.path.realpath(directory)


@pytest.fixture
def env(home: str) -> dict[str, str]:
    """An environment with a home and nothing else."""
    return {"HOME": home}


@pytest.fixture
def git(home: str) -> Callable[..., None]:
    """Run git in a directory, without the configuration of whoever runs the tests."""

    def run(directory: str, *arguments: str) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        clean = {**kept, "HOME": home, "GIT_CONFIG_NOSYSTEM": "1"}
        identity = ("-c", "user.name=ada", "-c", "user.email=ada@example.org")
        subprocess.run(
            ["git", *identity, *arguments],
            cwd=directory,
            env=clean,
            check=True,
            capture_output=True,
        )

    return run
