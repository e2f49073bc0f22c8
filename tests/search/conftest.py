"""A small bundle on disk, indexed, and what searching reads from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from akm_ls.bundles.discovery import resolve_bundles
from akm_ls.index.catalog import Catalog
from akm_ls.index.indexer import run_index
from akm_ls.index.store import Store
from akm_ls.search.library import Library

Files = Mapping[str, str]
MakeLibrary = Callable[..., Library]


def write(root: Path, files: Files) -> None:
    for rel, text in files.items():
        path = root / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


@pytest.fixture(scope="module")
def make_library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeLibrary]:
    """Writes bundles (files by bundle id), indexes them, and opens the library.

    The first bundle is the default one. ``buffers`` are open documents by ``bundle/path``.
    """
    stores: list[Store] = []

    def make(buffers: Files | None = None, **bundles: Files) -> Library:
        root = tmp_path_factory.mktemp("library").resolve()
        for bundle, files in bundles.items():
            (root / bundle / ".stash").mkdir(parents=True)
            write(root / bundle, files)
        found = resolve_bundles(overrides=[str(root / bundle) for bundle in bundles])
        database = str(root / "data" / "index.db")
        run_index(database, found, workers=0)
        store = Store(database, found)
        stores.append(store)
        catalog = Catalog()
        catalog.expect(bundle.id for bundle in found)
        catalog.load(store.stubs(), store.claims())
        texts = {str(root / rel): text for rel, text in (buffers or {}).items()}
        return Library(store, catalog, found, texts.get)

    yield make
    for store in stores:
        store.close()


def page(description: str = "", body: str = "", **keys: object) -> str:
    """A Markdown file with frontmatter."""
    lines = [f"description: {description}"] if description else []
    lines += [f"{key}: {value}" for key, value in keys.items()]
    block = "\n".join(lines)
    return f"---\n{block}\n---\n\n{body}\n"
