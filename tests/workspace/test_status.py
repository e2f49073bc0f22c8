"""What ``akm/status`` says, and for how long."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from akm_ls.index.locks import lock_path
from akm_ls.workspace import Settings, Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    root = tmp_path / "team"
    (root / ".stash").mkdir(parents=True)
    (root / "knowledge").mkdir()
    (root / "knowledge" / "a.md").write_text("# A\n")
    settings = Settings(bundle_dirs=(str(root),), data_dir=str(tmp_path / "data"))
    with Workspace(settings) as workspace:
        yield workspace


def test_a_rebuild_by_another_process_is_told_while_it_lasts(workspace: Workspace) -> None:
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        lock = Path(lock_path(workspace.store_path))
        lock.parent.mkdir()
        lock.write_text(json.dumps({"pid": other.pid, "launcher": 1}))
        workspace.refresh()
        assert f"process {other.pid}" in workspace.status()["warnings"][0]
        lock.unlink()
        assert workspace.status()["warnings"] == []
    finally:
        other.kill()
        other.communicate()


def test_two_files_with_one_ref_are_told_until_one_is_gone(workspace: Workspace) -> None:
    second = Path(workspace.bundles.bundles[0].root, "a.md")
    second.write_text("# A again\n")
    workspace.refresh()
    (told,) = workspace.status()["warnings"]
    assert "team//knowledge/a" in told and "a.md" in told
    second.unlink()
    workspace.files_changed([str(second)])
    assert workspace.status()["warnings"] == []
