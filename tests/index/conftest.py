"""Small bundles on disk, and what the index says about them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from akm_ls.bundles.bundle import Bundle, BundleSet
from akm_ls.index.delta import Delta
from akm_ls.index.indexer import IndexReport, run_index
from akm_ls.index.store import Store

LONG_AGO = time.time() - 3600


class Site:
    """Some bundles below one directory, and one index file for them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store_path = str(root / "data" / "akm-ls.db")
        self.deltas: list[Delta] = []

    def write(self, files: Mapping[str, str | bytes], *, settled: bool = True) -> None:
        """Write files by path; ``settled``: as if that had been an hour ago."""
        for rel, text in files.items():
            path = self.root / rel
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            if settled:
                os.utime(path, (LONG_AGO, LONG_AGO))

    def remove(self, *rels: str) -> None:
        for rel in rels:
            (self.root / rel).unlink()

    def path(self, rel: str) -> str:
        return str(self.root / rel)

    def bundle(self, name: str = "team", **changes: Any) -> Bundle:
        root = str(self.root / changes.pop("directory", name))
        os.makedirs(root, exist_ok=True)
        values: dict[str, Any] = {"adapter": "akm", **changes}
        return Bundle(name, root, root, **values)

    def set(self, *bundles: Bundle | str, watch: tuple[str, ...] = ()) -> BundleSet:
        made = tuple(self.bundle(it) if isinstance(it, str) else it for it in bundles or ("team",))
        return BundleSet(made, made[0].id if made else None, watch=watch)

    def index(self, bundles: BundleSet | None = None, **options: Any) -> IndexReport:
        self.deltas = []
        options.setdefault("workers", 0)
        options.setdefault("on_delta", self.deltas.append)
        return run_index(self.store_path, bundles or self.set(), **options)

    def store(self, bundles: BundleSet | None = None) -> Store:
        return Store(self.store_path, bundles or self.set())

    def refs(self, bundles: BundleSet | None = None) -> list[str]:
        with self.store(bundles) as store:
            return [stub.ref for stub in store.stubs()]

    def ids(self) -> dict[str, int]:
        """Entry ids by concept id, of every bundle in the file."""
        return dict(self.sql("SELECT concept_id, id FROM entries"))

    def sql(self, query: str, *bindings: object) -> list[tuple[Any, ...]]:
        """A query on the index file, for what no interface tells."""
        with self.store() as store:
            return list(store.database.connection.execute(query, bindings))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    yield Site(tmp_path.resolve())


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the files that were read, in order."""
    from akm_ls.index import rows

    found: list[str] = []
    read = rows.read_entry

    def note(bundle: Bundle, rel: str, size: int, mtime_ns: int, *, walked: bool) -> Any:
        found.append(rel)
        return read(bundle, rel, size, mtime_ns, walked=walked)

    monkeypatch.setattr(rows, "read_entry", note)
    return found


Page = Callable[..., str]


@pytest.fixture
def page() -> Page:
    def make(description: str = "A page", body: str = "", **keys: str) -> str:
        lines = [f"description: {description}", *(f"{key}: {value}" for key, value in keys.items())]
        return "---\n" + "\n".join(lines) + f"\n---\n\n{body}\n"

    return make
