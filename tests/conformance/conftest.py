"""The example bundles, copied to where no git work tree hides half of their files."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def stashes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the bundles alpha, beta, wiki, okf, dot and claudeb."""
    target = tmp_path_factory.mktemp("conformance") / "stashes"
    shutil.copytree(HERE / "stashes", target)
    odd = json.loads((HERE / "odd_files.json").read_text(encoding="utf-8"))
    for rel, text in odd.items():
        path = target / rel
        if path.exists():
            pytest.skip(f"this file system cannot tell {rel} from a file with a similar name")
        path.write_bytes(text.encode("utf-8"))
    assert not any(os.path.lexists(parent / ".git") for parent in target.parents)
    return target
