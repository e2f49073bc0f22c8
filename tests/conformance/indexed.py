"""The recorded bundles alpha (default) and beta, indexed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from akm_ls.bundles.discovery import resolve_bundles
from akm_ls.index.catalog import Catalog
from akm_ls.index.indexer import run_index
from akm_ls.index.store import Store
from akm_ls.search.library import Library

HERE = Path(__file__).parent

Difference = tuple[str, str]
"""The query or ref, and what differs."""


@contextmanager
def open_library(stashes: Path, database: Path) -> Iterator[Library]:
    bundles = resolve_bundles(overrides=[str(stashes / "alpha"), str(stashes / "beta")])
    run_index(str(database), bundles, workers=0)
    with Store(str(database), bundles) as store:
        catalog = Catalog()
        catalog.expect(bundle.id for bundle in bundles)
        catalog.load(store.stubs(), store.claims())
        yield Library(store, catalog, bundles)


def listed(section: str) -> set[Difference]:
    """The differences of `differences-search.yaml` that are meant; each has its reason."""
    data = yaml.safe_load((HERE / "differences-search.yaml").read_text(encoding="utf-8"))
    entries = data[section]
    assert all(set(entry) == {"where", "what", "reason"} for entry in entries)
    assert all(entry["reason"].strip() for entry in entries)
    found = [(entry["where"], entry["what"]) for entry in entries]
    assert len(set(found)) == len(found), "a difference is listed twice"
    return set(found)
