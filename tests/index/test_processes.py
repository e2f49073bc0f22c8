"""Several processes on one index file, and one that dies in the middle of its work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import apsw
import pytest

AKM_LS = [sys.executable, "-m", "akm_ls"]
ASSETS = 900
KILLED_AFTER_A_COMMIT = """
import os, signal, sys
from akm_ls.index import indexer
from akm_ls.workspace import Settings, Workspace

if __name__ == "__main__":
    indexer.GROUP_FILES = 100
    workspace = Workspace(Settings(bundle_dirs=(sys.argv[1],), data_dir=sys.argv[2]))
    pid = os.getpid()
    workspace.index(on_progress=lambda done, *_: done > 200 and os.kill(pid, signal.SIGKILL))
"""


def write_bundle(root: Path, count: int = ASSETS) -> Path:
    """A bundle of ``count`` small assets that cite each other."""
    for number in range(count):
        path = root / "knowledge" / f"d{number % 30}" / f"asset-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        other = (number * 7) % count
        path.write_text(
            f"---\ndescription: Asset number {number}\ntags: [t{number % 5}]\n---\n"
            f"# Asset {number}\n\nSee team//knowledge/d{other % 30}/asset-{other}.\n\n## Part\n",
            encoding="utf-8",
        )
        if number % 100 == 0:
            # A file that is no asset, and one that takes the ref of the asset.
            cites = f"See team//knowledge/d{other % 30}/asset-{other}.\n"
            (path.parent / "index.md").write_text(cites, encoding="utf-8")
            twin = root / path.relative_to(root / "knowledge")
            twin.parent.mkdir(parents=True, exist_ok=True)
            twin.write_text(cites, encoding="utf-8")
    return root


def rows(data: Path) -> dict[str, list[Any]]:
    """What the index says, without ids and times."""
    connection = apsw.Connection(str(data / "akm-ls.db"), flags=apsw.SQLITE_OPEN_READONLY)
    of = "(SELECT concept_id FROM entries WHERE id = entry_id)"
    return {
        "indexes": sorted(
            connection.execute("SELECT name FROM sqlite_master WHERE type = 'index'")
        ),
        "entries": sorted(
            connection.execute("SELECT concept_id, rel, type, description, tags FROM entries")
        ),
        "files": sorted(connection.execute("SELECT rel, size, content_hash FROM files")),
        "fts": [connection.execute("SELECT count(*) FROM entries_fts").fetchone()],
        "words": sorted(
            connection.execute("SELECT rowid > 0 FROM entries_fts('description : number')")
        ),
        "fragments": sorted(connection.execute(f"SELECT {of}, slug, line FROM fragments")),
        "citations": sorted(
            connection.execute(f"SELECT {of}, citations.concept_id, line FROM citations")
        ),
        "file citations": sorted(
            connection.execute("SELECT rel, ordinal, concept_id, line FROM file_citations")
        ),
    }


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AKM_", "XDG_"))}
    return {**kept, "HOME": str(tmp_path / "home")}


def index_command(root: Path, data: Path, *options: str) -> list[str]:
    return [*AKM_LS, "--bundle-dir", str(root), "--data-dir", str(data), "index", *options]


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL there")
def test_a_run_that_is_killed_is_continued_and_ends_with_the_same_rows(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    root = write_bundle(tmp_path / "team")
    undisturbed, disturbed = tmp_path / "undisturbed", tmp_path / "disturbed"
    subprocess.run(index_command(root, undisturbed), env=environment, check=True)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_AFTER_A_COMMIT, str(root), str(disturbed)], env=environment
    )
    assert killed.returncode == -signal.SIGKILL
    assert 0 < len(rows(disturbed)["entries"]) < ASSETS, "it died in the middle"
    assert ("citations_target",) not in rows(disturbed)["indexes"], "and before the last step"
    done = subprocess.run(
        index_command(root, disturbed), env=environment, capture_output=True, text=True, check=True
    )
    assert "Traceback" not in done.stderr
    assert rows(disturbed) == rows(undisturbed)
    assert len(rows(disturbed)["entries"]) == ASSETS


def test_several_full_runs_at_once_lose_nothing(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    root = write_bundle(tmp_path / "team")
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    subprocess.run(index_command(root, alone), env=environment, check=True)
    processes = [
        subprocess.Popen(
            index_command(root, shared, "--full"),
            env=environment,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        assert "Traceback" not in errors
    assert rows(shared) == rows(alone)


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be deleted there")
def test_an_index_deleted_under_several_runs_is_whole_again_afterwards(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    root = write_bundle(tmp_path / "team")
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    subprocess.run(index_command(root, alone), env=environment, check=True)
    processes = [
        subprocess.Popen(
            index_command(root, shared, "--full"),
            env=environment,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    # As soon as there is something to delete.
    while not (shared / "akm-ls.db-wal").exists():
        assert any(process.poll() is None for process in processes)
        time.sleep(0.005)
    for path in shared.glob("akm-ls.db*"):
        path.unlink(missing_ok=True)
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        assert "Traceback" not in errors
    subprocess.run(index_command(root, shared), env=environment, check=True)
    assert rows(shared) == rows(alone)
