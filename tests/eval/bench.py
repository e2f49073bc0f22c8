"""An indexed bundle and the ways of searching it that are compared."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from akm_ls.bundles.discovery import resolve_bundles
from akm_ls.documents.text import decode
from akm_ls.index.catalog import Catalog
from akm_ls.index.embedding import run_embedding
from akm_ls.index.indexer import run_index
from akm_ls.index.semantic_status import Readiness, readiness
from akm_ls.index.store import Store
from akm_ls.index.vectors import count_embeddable, rows_by_model
from akm_ls.search.library import Library
from akm_ls.search.request import SearchRequest
from akm_ls.search.search import search
from akm_ls.search.semantic import SemanticIndex

from .metrics import DEPTH, Measures, measure
from .questions import Asset, Question, without_answers


@dataclass(frozen=True, slots=True)
class Way:
    """One way of searching: options of a `SearchRequest`."""

    name: str
    options: Mapping[str, Any]
    needs_model: bool = False


def _ways() -> Iterator[Way]:
    yield Way("akm plan", {"plan": "akm", "mode": "lexical"})
    yield Way("akm plan, no boosts", {"plan": "akm", "mode": "lexical", "boosts": False})
    yield Way("default", {"mode": "lexical"})
    yield Way("default, no boosts", {"mode": "lexical", "boosts": False})
    yield Way("akm plan, hybrid", {"plan": "akm", "mode": "hybrid"}, True)
    for fusion in ("convex", "rrf", "akm", "knowledge"):
        fused: dict[str, Any] = {"mode": "hybrid", "fusion": fusion}
        yield Way(f"{fusion} fusion", fused, True)
        yield Way(f"{fusion} fusion, no boosts", {**fused, "boosts": False}, True)
    yield Way("meaning alone", {"mode": "semantic", "boosts": False}, True)


WAYS = tuple(_ways())


def state_of(model: Any) -> Any:
    """How far the vectors of a model are, for a `SemanticIndex`."""

    def state(store: Store) -> Readiness:
        keys = store.keys().values()
        return readiness(
            model.id,
            store.database.run(lambda connection: rows_by_model(connection, keys)),
            store.database.run(lambda connection: count_embeddable(connection, keys)),
        )

    return state


@contextmanager
def opened(roots: Sequence[Path], database: Path, model: Any = None) -> Iterator[Library]:
    """Index bundles, embed them if there is a model, and open what searching reads from."""
    bundles = resolve_bundles(overrides=[str(root) for root in roots])
    run_index(str(database), bundles, workers=0)
    semantic = None
    if model is not None:
        run_embedding(str(database), bundles, model, workers=0)
        semantic = SemanticIndex(lambda: model, state_of(model))
    with Store(str(database), bundles) as store:
        catalog = Catalog()
        catalog.expect(bundle.id for bundle in bundles)
        catalog.load(store.stubs(), store.claims())
        yield Library(store, catalog, bundles, semantic=semantic)


def assets_of(library: Library) -> list[Asset]:
    """Every asset with a text to make questions of."""
    return [
        Asset(stub.ref, stub.type, stub.name, stub.description, library.read(stub.path) or "")
        for stub in sorted(library.catalog.stubs(), key=lambda stub: stub.ref)
        if stub.type not in ("secret", "env", "session") and stub.quality != "proposed"
    ]


def held_out(root: Path, copy: Path) -> Path:
    """A copy of a bundle without the sentences that questions are made of."""
    shutil.copytree(root, copy, ignore_dangling_symlinks=True)
    for path in copy.rglob("*.md"):
        if path.is_file():
            # Decoded as the index does it: any bytes are a text.
            text = decode(path.read_bytes()).text.replace("\r\n", "\n")
            path.write_text(without_answers(text), encoding="utf-8")
    return copy


def refs(library: Library, query: str, options: Mapping[str, Any]) -> list[str]:
    request = SearchRequest(query, limit=DEPTH, **options)
    found: list[str] = []
    for hit in search(library, request).hits:
        found += [hit.entry.ref, *hit.also_in]
    return found


def ask(
    library: Library, questions: Sequence[Question], options: Mapping[str, Any]
) -> list[Measures]:
    return [
        measure(refs(library, question.query, options), question.answers) for question in questions
    ]
