"""Which uses are noted, and that no rebuild forgets them."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from akm_ls.search.request import SearchRequest
from akm_ls.search.usage import UsageStore
from akm_ls.search.usage.tally import Tally
from akm_ls.workspace import Settings, Workspace
from akm_ls.workspace.settings import read_settings
from akm_ls.workspace.usage import ONCE_SECONDS, REMEMBERED, REMEMBERED_SECONDS, Usage

A = ("team", "knowledge/a")


class Clock:
    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


def usage_in(tmp_path: Path, clock: Clock, settings: Settings | None = None) -> Usage:
    settings = settings or Settings(folders=(str(tmp_path / "project"),))
    return Usage(lambda: (settings, str(tmp_path / "data")), now=clock)


def test_showing_what_was_found_is_a_use(tmp_path: Path, clock: Clock) -> None:
    usage = usage_in(tmp_path, clock)
    usage.found([A])
    assert usage.used("show", *A)
    usage.flush()
    assert list(usage.utilities("team", ["knowledge/a", "knowledge/b"])) == ["knowledge/a"]


def test_opening_or_inserting_is_a_use_only_after_a_search(tmp_path: Path, clock: Clock) -> None:
    usage = usage_in(tmp_path, clock)
    assert not usage.used("open", *A)
    assert not usage.used("insert", *A)
    assert usage.used("show", *A), "asking for it by name is one, but a lesser one"
    usage.found([A])
    assert usage.used("open", *A)
    clock.time += REMEMBERED_SECONDS + 1
    assert not usage.used("open", *A)


def test_the_same_again_is_the_same_use(tmp_path: Path, clock: Clock) -> None:
    usage = usage_in(tmp_path, clock)
    usage.found([A])
    assert usage.used("show", *A)
    assert not usage.used("show", *A)
    clock.time += ONCE_SECONDS
    assert usage.used("show", *A)


def test_switched_off_it_notes_nothing_and_knows_nothing(tmp_path: Path, clock: Clock) -> None:
    on = usage_in(tmp_path, clock)
    on.found([A])
    on.used("show", *A)
    on.close()
    off = usage_in(tmp_path, clock, Settings(usage=False))
    off.found([A])
    assert not off.used("show", *A)
    off.flush()
    assert off.utilities(*A[:1], [A[1]]) == {}
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    off = usage_in(fresh, clock, Settings(usage=False))
    off.used("show", *A)
    off.close()
    assert not (fresh / "data").exists()


def test_the_setting_is_called_akm_usage() -> None:
    assert Settings().usage is True
    settings, problems = read_settings({"usage": False})
    assert (settings.usage, problems) == (False, ())
    _, problems = read_settings({"usage": "sometimes"})
    assert "akm.usage" in problems[0].message


def test_the_file_holds_neither_queries_nor_paths_nor_texts(tmp_path: Path, clock: Clock) -> None:
    usage = usage_in(tmp_path, clock)
    usage.found([A])
    usage.used("show", *A)
    usage.close()
    with sqlite3.connect(tmp_path / "data" / "usage.db") as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(usage_events)")]
        [row] = connection.execute("SELECT * FROM usage_events").fetchall()
    assert columns == ["id", "at", "kind", "bundle", "concept_id", "project", "searched"]
    assert row[1:5] == (1_000_000, "show", "team", "knowledge/a")
    assert len(row[5]) == 16
    assert str(tmp_path) not in repr(row)


def test_a_full_rebuild_and_a_clean_one_keep_the_history(tmp_path: Path) -> None:
    root = tmp_path / "team"
    (root / "knowledge").mkdir(parents=True)
    (root / "skills" / "s").mkdir(parents=True)
    (root / "knowledge" / "a.md").write_text("# Otters\n")
    (root / "skills" / "s" / "SKILL.md").write_text("---\nname: s\ndescription: d\n---\n")
    settings = Settings(bundle_dirs=(str(root),), data_dir=str(tmp_path / "data"))
    with Workspace.open(settings) as workspace:
        workspace.refresh()
        hits = workspace.search(SearchRequest("otters")).hits
        workspace.usage.found((hit.entry.bundle, hit.entry.concept_id) for hit in hits)
        workspace.usage.used("show", *A)
        workspace.usage.flush()
        before = workspace.usage.utilities(*A[:1], [A[1]])
        workspace.refresh(full=True, clean=True)
        after = workspace.usage.utilities(*A[:1], [A[1]])
    assert before.keys() == after.keys() == {"knowledge/a"}
    for path in (tmp_path / "data").glob("akm-ls.db*"):
        path.unlink()
    with Workspace.open(settings) as workspace:
        workspace.refresh()
        assert workspace.usage.utilities(*A[:1], [A[1]]).keys() == {"knowledge/a"}


# What they do to a search.


@pytest.fixture
def twins(tmp_path: Path) -> Settings:
    """Two assets that answer a query alike."""
    root = tmp_path / "team"
    (root / ".stash").mkdir(parents=True)
    for name in ("alpha", "beta"):
        path = root / "knowledge" / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"---\ndescription: Of animals\n---\n# Otters\n\nThe {name} one.\n")
    return Settings(bundle_dirs=(str(root),), data_dir=str(tmp_path / "data"))


def found_in(workspace: Workspace) -> list[str]:
    return [hit.entry.name for hit in workspace.search(SearchRequest("otters")).hits]


def test_what_was_used_comes_first_from_the_next_search_on(twins: Settings) -> None:
    with Workspace.open(twins) as workspace:
        workspace.refresh()
        assert found_in(workspace) == ["alpha", "beta"]
        workspace.usage.found([("team", "knowledge/beta")])
        workspace.usage.used("insert", "team", "knowledge/beta")
        workspace.usage.flush()
        assert found_in(workspace) == ["beta", "alpha"]
        workspace.refresh(full=True, clean=True)
        assert found_in(workspace) == ["beta", "alpha"]
    with Workspace.open(replace(twins, usage=False)) as workspace:
        assert found_in(workspace) == ["alpha", "beta"]


def test_a_search_asks_the_file_once_however_many_hits_it_ranks(
    twins: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    tally = UsageStore.tally

    def counted(store: UsageStore, project: str = "") -> Tally:
        asked.append(project)
        return tally(store, project)

    monkeypatch.setattr(UsageStore, "tally", counted)
    with Workspace.open(twins) as workspace:
        workspace.refresh()
        assert len(found_in(workspace)) == 2
    assert len(asked) == 1


def test_a_found_asset_counts_for_thirty_minutes_and_four_hundred_are_remembered(
    tmp_path: Path, clock: Clock
) -> None:
    assert (REMEMBERED, REMEMBERED_SECONDS, ONCE_SECONDS) == (400, 1800, 60)
    usage = usage_in(tmp_path, clock)
    usage.found([A])
    usage.found(("team", f"knowledge/{number}") for number in range(400))
    assert not usage.used("open", *A)
    usage.found([A])
    clock.time += 1800
    assert usage.used("open", *A)
