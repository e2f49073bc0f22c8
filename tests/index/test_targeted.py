"""Files that were saved, created or deleted one by one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from akm_ls.bundles.bundle import BundleSet
from akm_ls.index.indexer import upsert_files
from akm_ls.index.locks import lock_path
from akm_ls.index.store import Store

from .conftest import Page, Site


@pytest.fixture
def bundles(site: Site) -> BundleSet:
    return site.set("team")


@pytest.fixture
def store(site: Site, bundles: BundleSet, page: Page) -> Iterator[Store]:
    site.write({"team/knowledge/a.md": page("A"), "team/knowledge/b.md": page("B")})
    site.index(bundles)
    with site.store(bundles) as opened:
        yield opened


def test_a_saved_file(site: Site, store: Store, page: Page) -> None:
    site.write({"team/knowledge/a.md": page("Changed")}, settled=False)
    delta = upsert_files(store, [site.path("team/knowledge/a.md")])
    ((old, new),) = delta.changed
    assert (old.description, new.description) == ("A", "Changed")
    assert not delta.added
    assert not delta.gone
    entry = store.entry("team", "knowledge/a")
    assert entry is not None
    assert entry.entry.description == "Changed"


def test_the_next_run_has_nothing_left_to_do(site: Site, store: Store, page: Page) -> None:
    site.write({"team/knowledge/c.md": page("C")})
    upsert_files(store, [site.path("team/knowledge/c.md")])
    report = site.index()
    assert (report.added, report.changed, report.removed, report.entries) == (0, 0, 0, 3)


def test_a_file_that_another_process_has_written_is_told_all_the_same(
    site: Site, store: Store, page: Page
) -> None:
    site.write({"team/knowledge/a.md": page("Changed")}, settled=False)
    site.index()
    delta = upsert_files(store, [site.path("team/knowledge/a.md")])
    assert [stub.description for stub in delta.added] == ["Changed"]


def test_a_new_and_a_deleted_file(site: Site, store: Store, page: Page) -> None:
    site.write({"team/knowledge/new.md": page("New")}, settled=False)
    site.remove("team/knowledge/a.md")
    delta = upsert_files(
        store, [site.path("team/knowledge/new.md"), site.path("team/knowledge/a.md")]
    )
    assert [stub.concept_id for stub in delta.added] == ["knowledge/new"]
    assert [stub.concept_id for stub in delta.removed] == ["knowledge/a"]
    assert delta.gone == (site.path("team/knowledge/a.md"),)


def test_a_directory_that_came_or_went(site: Site, store: Store, page: Page) -> None:
    site.write({"team/knowledge/deep/x.md": page(), "team/knowledge/deep/er/y.md": page()})
    directory = site.path("team/knowledge/deep")
    delta = upsert_files(store, [directory])
    assert {stub.concept_id for stub in delta.added} == {
        "knowledge/deep/x",
        "knowledge/deep/er/y",
    }
    shutil.rmtree(directory)
    delta = upsert_files(store, [directory])
    assert len(delta.removed) == 2
    assert store.count() == 2


def test_files_that_a_walk_would_leave_out_are_left_out(
    site: Site, store: Store, page: Page
) -> None:
    subprocess.run(["git", "init", "-q", site.path("team")], check=True)
    site.write(
        {
            "team/.gitignore": "ignored.md\n",
            "team/knowledge/ignored.md": page(),
            "team/node_modules/knowledge/x.md": page(),
            "team/.hidden/y.md": page(),
            "team/knowledge/seen.md": page(),
            "outside/knowledge/z.md": page(),
        }
    )
    paths = ["knowledge/ignored.md", "node_modules/knowledge/x.md", ".hidden/y.md"]
    delta = upsert_files(
        store,
        [*(site.path(f"team/{rel}") for rel in paths), site.path("outside/knowledge/z.md")],
    )
    assert not delta.added
    delta = upsert_files(store, [site.path("team/knowledge/seen.md")])
    assert [stub.concept_id for stub in delta.added] == ["knowledge/seen"]


def test_a_marker_takes_an_env_file_away_and_gives_it_back(site: Site, store: Store) -> None:
    site.write({"team/env/prod.env": "KEY=1\n"})
    upsert_files(store, [site.path("team/env/prod.env")])
    assert store.entry("team", "env/prod") is not None
    site.write({"team/env/prod.sensitive": ""})
    delta = upsert_files(store, [site.path("team/env/prod.sensitive")])
    assert [stub.concept_id for stub in delta.removed] == ["env/prod"]
    site.remove("team/env/prod.sensitive")
    delta = upsert_files(store, [site.path("team/env/prod.sensitive")])
    assert [stub.concept_id for stub in delta.added] == ["env/prod"]


def test_a_package_file_changes_its_neighbours(site: Site, store: Store) -> None:
    site.write({"team/scripts/run.sh": "echo\n"})
    upsert_files(store, [site.path("team/scripts/run.sh")])
    site.write({"team/scripts/package.json": '{"description": "Runs"}'})
    delta = upsert_files(store, [site.path("team/scripts/package.json")])
    assert [new.description for _, new in delta.changed] == ["Runs"]


def test_the_ref_passes_to_the_file_that_waited_for_it(
    site: Site, store: Store, page: Page
) -> None:
    site.write({"team/a.md": page("Smaller path")})
    delta = upsert_files(store, [site.path("team/a.md")])
    assert [new.description for _, new in delta.changed] == ["Smaller path"]
    assert [len(claim.paths) for claim in delta.claims] == [2]
    site.remove("team/a.md")
    delta = upsert_files(store, [site.path("team/a.md")])
    assert [new.description for _, new in delta.changed] == ["A"]
    assert [claim.paths for claim in delta.claims] == [()]


def test_a_file_in_no_bundle(site: Site, store: Store) -> None:
    assert upsert_files(store, ["/nowhere/at/all.md", site.path("x.md")]).is_empty


def test_before_anything_was_indexed(site: Site, page: Page) -> None:
    site.write({"team/knowledge/a.md": page()})
    with site.store() as store:
        delta = upsert_files(store, [site.path("team/knowledge/a.md")])
        assert [stub.concept_id for stub in delta.added] == ["knowledge/a"]
        assert store.complete_bundles() == frozenset(), "one file is not the bundle"


def test_it_steps_aside_while_another_process_rebuilds(
    site: Site, store: Store, page: Page
) -> None:
    site.write({"team/knowledge/a.md": page("Changed"), "team/knowledge/new.md": page("New")})
    site.remove("team/knowledge/b.md")
    paths = [site.path(f"team/knowledge/{name}.md") for name in ("a", "b", "new")]
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        with open(lock_path(store.path), "w", encoding="utf-8") as file:
            json.dump({"pid": other.pid, "launcher": os.getpid()}, file)
        delta = upsert_files(store, paths)
        assert delta.deferred == tuple(paths)
        # The catalog learns of it all the same.
        assert {stub.description for stub in delta.added} == {"Changed", "New"}
        assert delta.gone == (paths[1],)
        entry = store.entry("team", "knowledge/a")
        assert entry is not None
        assert entry.entry.description == "A"
        other.communicate(b"\n")
    assert upsert_files(store, paths).deferred == ()
    assert {stub.description for stub in store.stubs()} == {"Changed", "New"}
