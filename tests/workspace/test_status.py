"""What ``akm/status`` says, and for how long."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from akm_ls.index.locks import lock_path
from akm_ls.search.request import SearchRequest
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


@contextmanager
def rebuilding(workspace: Workspace) -> Iterator[tuple[int, Path]]:
    """Another process that holds the lock of a rebuild: its id, and the lock's file."""
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        lock = Path(lock_path(workspace.store_path))
        lock.parent.mkdir()
        lock.write_text(json.dumps({"pid": other.pid, "launcher": 1}))
        yield other.pid, lock
    finally:
        other.kill()
        other.communicate()


def test_a_rebuild_by_another_process_is_told_while_it_lasts(workspace: Workspace) -> None:
    with rebuilding(workspace) as (pid, lock):
        workspace.refresh()
        assert f"process {pid}" in workspace.status()["warnings"][0]
        lock.unlink()
        assert workspace.status()["warnings"] == []


def test_who_searches_while_the_first_index_is_made_is_not_told_to_make_one(
    workspace: Workspace,
) -> None:
    with rebuilding(workspace) as (_, lock):
        tip = workspace.search(SearchRequest(query="a")).tip
        assert tip == "The index is being built; ask again in a moment."
        lock.unlink()
        tip = workspace.search(SearchRequest(query="a")).tip
        assert tip is not None and tip.startswith("No search index available")


def test_where_nothing_is_open_the_status_says_so(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    settings = Settings(
        folders=(str(tmp_path / "code"),),
        data_dir=str(tmp_path / "data"),
        config=str(tmp_path / "none.json"),
    )
    with Workspace(settings) as workspace:
        said = [text for text in workspace.status()["warnings"] if "No bundle is open" in text]
    assert len(said) == 1 and str(tmp_path / "code") in said[0]


def test_two_files_with_one_ref_are_told_until_one_is_gone(workspace: Workspace) -> None:
    second = Path(workspace.bundles.bundles[0].root, "a.md")
    second.write_text("# A again\n")
    workspace.refresh()
    (told,) = workspace.status()["warnings"]
    assert "team//knowledge/a" in told and "a.md" in told
    second.unlink()
    workspace.files_changed([str(second)])
    assert workspace.status()["warnings"] == []
