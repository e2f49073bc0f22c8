"""The index file is deleted or replaced while somebody works with it, or locked for long."""

from __future__ import annotations

import os
from collections.abc import Iterator

import apsw
import pytest

from akm_ls.index import indexer, targeted, verify
from akm_ls.index.database import Database, StoreBusy, StoreError, StoreReplaced
from akm_ls.index.indexer import upsert_files
from akm_ls.index.store import Store

from .conftest import Page, Site


def delete_index(site: Site) -> None:
    for name in os.listdir(site.path("data")):
        os.unlink(site.path(f"data/{name}"))


@pytest.mark.parametrize("another", [False, True])
def test_a_run_whose_file_is_deleted_begins_again(
    site: Site, page: Page, monkeypatch: pytest.MonkeyPatch, another: bool
) -> None:
    """Also when ``another`` workspace has taken the bundle's key in the new file."""
    monkeypatch.setattr(indexer, "GROUP_FILES", 1)
    site.write({f"team/knowledge/{n}.md": page(f"Page {n}") for n in range(150)})
    site.write({"other/knowledge/x.md": page()})
    written: list[object] = []

    def after_the_first_commit(delta: object) -> None:
        written.append(delta)
        if len(written) == 1:
            delete_index(site)
            if another:
                indexer.run_index(site.store_path, site.set("other"), workers=0)

    report = site.index(on_delta=after_the_first_commit)
    assert (report.entries, len(site.refs())) == (150, 150)
    assert any("deleted or replaced" in warning for warning in report.warnings)
    with site.store() as store:
        assert store.complete_bundles() == {"team"}
        assert store.database.run(verify.disagreements) == ()
    assert site.refs(site.set("other")) == (["other//knowledge/x"] if another else [])


def test_a_file_deleted_while_a_saved_file_is_read(
    site: Site, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.write({"team/knowledge/a.md": page("A")})
    site.index()
    read, deletions = targeted.read_one, [delete_index]

    def read_and_delete(*arguments: object) -> object:
        if deletions:
            deletions.pop()(site)
        return read(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(targeted, "read_one", read_and_delete)
    with site.store() as store:
        delta = upsert_files(store, [site.path("team/knowledge/a.md")])
        assert [stub.description for stub in delta.added] == ["A"]
        assert store.count() == 1
        assert store.complete_bundles() == frozenset()
    keys = "SELECT key FROM bundles"
    assert site.sql(f"SELECT rel FROM entries WHERE bundle_key NOT IN ({keys})") == []


@pytest.fixture
def locked(site: Site, page: Page) -> Iterator[Store]:
    """A store without patience, on an index in which another process is writing."""
    site.write({"team/knowledge/a.md": page("A")})
    site.index()
    other = apsw.Connection(site.store_path)
    other.execute("BEGIN IMMEDIATE")
    with Store(site.store_path, site.set(), patience_ms=20) as store:
        yield store
    other.close()


def test_reading_needs_no_patience(locked: Store) -> None:
    assert [stub.description for stub in locked.stubs()] == ["A"]


def test_a_write_gives_up_and_tells_what_changed_all_the_same(
    site: Site, page: Page, locked: Store
) -> None:
    site.write({"team/knowledge/a.md": page("Changed")}, settled=False)
    paths = [site.path("team/knowledge/a.md")]
    with pytest.raises(StoreBusy, match="locked by another process"):
        upsert_files(locked, paths)
    delta = upsert_files(locked, paths, write=False)
    assert [stub.description for stub in delta.added] == ["Changed"]
    assert delta.deferred == tuple(paths)
    assert [stub.description for stub in locked.stubs()] == ["A"]


class TakenAway:
    """Fails as SQLite does when a file is deleted from under it, so many times."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self, connection: apsw.Connection) -> int:
        self.left -= 1
        if self.left >= 0:
            raise apsw.IOError("disk I/O error")
        return connection.execute("SELECT 7").fetchone()[0]  # type: ignore[index]


def test_a_file_that_is_taken_away_while_it_is_read_is_opened_again(site: Site) -> None:
    database = Database(site.store_path)
    assert database.run(TakenAway(1)) == 7
    with pytest.raises(StoreError, match="disk I/O error"):
        database.run(TakenAway(2))
    database.close()


def test_a_file_that_is_taken_away_while_it_is_written_makes_the_run_begin_again(
    site: Site, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.write({f"team/knowledge/{n}.md": page(f"Page {n}") for n in range(3)})
    database = Database(site.store_path)
    with pytest.raises(StoreReplaced, match="cannot be used: disk I/O error"):
        database.write(TakenAway(1))
    assert database.write(TakenAway(0)) == 7
    database.close()
    taken_away, write = TakenAway(1), Database.write

    def failing_once(self: Database, action: object) -> object:
        if taken_away.left > 0:
            return write(self, taken_away)
        return write(self, action)  # type: ignore[arg-type]

    monkeypatch.setattr(Database, "write", failing_once)
    report = indexer.run_index(site.store_path, site.set("team"), workers=0)
    assert (taken_away.left, report.entries) == (0, 3)
    assert any("cannot be used" in warning for warning in report.warnings)


def test_a_file_that_cannot_be_opened_at_once_is_tried_again(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, open_ = [0], Database._open

    def failing_once(self: Database) -> None:
        opened[0] += 1
        if opened[0] == 1:
            raise apsw.IOError("disk I/O error")
        open_(self)

    monkeypatch.setattr(Database, "_open", failing_once)
    Database(site.store_path).close()
    assert opened == [2]
