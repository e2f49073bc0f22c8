"""Connections that are kept from one request to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from akm_ls.bundles.bundle import BundleSet
from akm_ls.bundles.discovery import resolve_bundles
from akm_ls.index.indexer import run_index
from akm_ls.index.store import Store, StoreError
from akm_ls.workspace.store_pool import KEPT, StorePool


@pytest.fixture
def bundles(tmp_path: Path) -> BundleSet:
    page = tmp_path / "team" / "knowledge" / "a.md"
    page.parent.mkdir(parents=True)
    (tmp_path / "team" / ".stash").mkdir()
    page.write_text("---\ndescription: One\n---\n")
    found = resolve_bundles(overrides=[str(tmp_path / "team")])
    run_index(str(tmp_path / "index.db"), found, workers=0)
    return found


def is_closed(store: Store) -> bool:
    try:
        store.count()
    except StoreError:
        return True
    return False


def test_one_store_serves_one_request_after_the_other(bundles: BundleSet, tmp_path: Path) -> None:
    pool, path = StorePool(), str(tmp_path / "index.db")
    with pool.store(path, bundles) as first:
        assert first.count() == 1
    with pool.store(path, bundles) as again, pool.store(path, bundles) as other:
        assert again is first
        assert other is not first, "two at once are two"
    pool.close()
    assert is_closed(first)
    assert is_closed(other)


def test_it_sees_what_was_written_meanwhile(bundles: BundleSet, tmp_path: Path) -> None:
    pool, path = StorePool(), str(tmp_path / "index.db")
    with pool.store(path, bundles) as store:
        assert store.match('"zebra"', limit=5) == []
    (tmp_path / "team/knowledge/b.md").write_text("---\ndescription: A zebra\n---\n")
    run_index(path, bundles, workers=0)
    with pool.store(path, bundles) as store:
        assert len(store.match('"zebra"', limit=5)) == 1
    pool.close()


def test_other_bundles_have_stores_of_their_own(bundles: BundleSet, tmp_path: Path) -> None:
    pool, path = StorePool(), str(tmp_path / "index.db")
    with pool.store(path, bundles) as first:
        pass
    with pool.store(path, BundleSet()) as other:
        assert other is not first
        assert is_closed(first)
    pool.close()


def test_no_more_are_kept_than_are_of_use(bundles: BundleSet, tmp_path: Path) -> None:
    pool, path = StorePool(), str(tmp_path / "index.db")
    lent = [pool.store(path, bundles) for _ in range(KEPT + 1)]
    stores = [one.__enter__() for one in lent]
    for one in lent:
        one.__exit__(None, None, None)
    assert [is_closed(store) for store in stores] == [False] * KEPT + [True]
    pool.close()


def test_one_that_failed_is_not_used_again_and_one_that_was_interrupted_is(
    bundles: BundleSet, tmp_path: Path
) -> None:
    pool, path = StorePool(), str(tmp_path / "index.db")
    with pytest.raises(ValueError, match="cancelled"), pool.store(path, bundles) as first:
        raise ValueError("cancelled")
    with pytest.raises(StoreError), pool.store(path, bundles) as again:
        assert again is first
        raise StoreError("a disk on fire")
    with pool.store(path, bundles) as other:
        assert other is not first
    pool.close()


def test_what_comes_back_after_the_end_is_closed(bundles: BundleSet, tmp_path: Path) -> None:
    pool = StorePool()
    with pool.store(str(tmp_path / "index.db"), bundles) as store:
        pool.close()
        assert not is_closed(store)
    assert is_closed(store)
