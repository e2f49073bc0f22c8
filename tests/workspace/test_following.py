"""What a server learns of the index file that it shares with other processes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from akm_ls.workspace import Settings, Workspace
from akm_ls.workspace.following import Followed, IndexFollower


class Shared:
    """A bundle, its index, and a catalog that follows what others write to it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.settings = Settings(bundle_dirs=(str(root / "team"),), data_dir=str(root / "data"))
        self.write("knowledge/a.md", "# A\n")
        self.index()
        self.workspace = Workspace.open(self.settings)
        self.follower: IndexFollower = self.workspace.follower()
        self.workspace.take(self.follower.snapshot())

    def write(self, rel: str, text: str) -> None:
        path = self.root / "team" / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def index(self) -> None:
        """By somebody else."""
        with Workspace(self.settings) as other:
            other.refresh()

    def look(self) -> Followed | None:
        catalog = self.workspace.catalog
        whole = [bundle.id for bundle in self.workspace.bundles if catalog.is_complete(bundle.id)]
        followed = self.follower.look(catalog.generation, whole)
        if followed is not None and not followed.lost:
            self.workspace.apply(followed.delta)
            catalog.generation = followed.generation
        return followed

    def ids(self) -> set[str]:
        return {stub.concept_id for stub in self.workspace.catalog.stubs()}


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Shared]:
    (tmp_path / "team/.stash").mkdir(parents=True)
    shared = Shared(tmp_path.resolve())
    yield shared
    shared.follower.close()
    shared.workspace.close()


def test_what_others_write_is_told_once(shared: Shared) -> None:
    shared.look()
    assert shared.look() is None
    shared.write("knowledge/b.md", "# B\n")
    (shared.root / "team/knowledge/a.md").unlink()
    shared.index()
    followed = shared.look()
    assert followed is not None and not followed.lost
    assert shared.ids() == {"knowledge/b"}
    assert shared.look() is None


def test_a_run_that_changes_nothing_is_no_news(shared: Shared) -> None:
    shared.look()
    shared.index()
    followed = shared.look()
    assert followed is None or not followed.delta.added


def test_a_deleted_file_is_noticed_by_its_absence(shared: Shared) -> None:
    assert not shared.follower.is_replaced()
    shutil.rmtree(shared.root / "data")
    assert shared.follower.is_replaced()
    assert shared.look() == Followed(lost=True)


def test_a_file_in_the_place_of_the_deleted_one_is_another(shared: Shared) -> None:
    for _ in range(3):  # whatever numbers the system gives to files
        shutil.rmtree(shared.root / "data")
        shared.index()
        assert shared.follower.is_replaced()
    assert shared.look() == Followed(lost=True)
    shared.workspace.take(shared.follower.snapshot())
    assert not shared.follower.is_replaced()
    followed = shared.look()
    assert followed is None or followed.delta.added == ()


def test_an_index_of_which_a_bundle_was_lost(shared: Shared) -> None:
    connection = apsw.Connection(str(shared.root / "data/akm-ls.db"))
    connection.execute("DELETE FROM bundles")
    connection.close()
    assert shared.look() == Followed(lost=True)


def test_an_index_that_cannot_be_opened_is_no_news_until_it_can(shared: Shared) -> None:
    shutil.rmtree(shared.root / "data")
    (shared.root / "data").write_text("a file where the directory was")
    assert shared.follower.snapshot().problem
    assert not shared.follower.is_replaced()
    assert shared.look() is None
    (shared.root / "data").unlink()
    assert shared.look() == Followed(lost=True)


def test_a_locked_index_is_read_all_the_same(shared: Shared) -> None:
    shared.write("knowledge/b.md", "# B\n")
    shared.index()
    connection = apsw.Connection(str(shared.root / "data/akm-ls.db"))
    connection.execute("BEGIN IMMEDIATE")
    assert shared.look() is not None
    assert shared.ids() == {"knowledge/a", "knowledge/b"}
    shared.write("knowledge/c.md", "# C\n")
    delta = shared.workspace.files_changed([str(shared.root / "team/knowledge/c.md")])
    assert delta.deferred
    assert "knowledge/c" in shared.ids()
    connection.close()
