"""A search that nobody wants any more stops where it is."""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from akm_ls.embedders.remote import RemoteEmbedder
from akm_ls.embedders.settings import EmbeddingSettings
from akm_ls.index.full_text import Gate
from akm_ls.index.semantic_status import Readiness
from akm_ls.index.store import StoreError
from akm_ls.index.vector_index import Match
from akm_ls.search.found import interruptible
from akm_ls.search.library import Cancelled, Library
from akm_ls.search.request import SearchRequest
from akm_ls.search.search import search
from akm_ls.search.semantic import SemanticIndex
from embedders.endpoint import Answer, Endpoint, openai

from .conftest import MakeLibrary, page

READY = Readiness("ready", "remote:m|default", 40, 0, None)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    words = " ".join(f"word{at} shared{at % 7}" for at in range(300))
    return make_library(
        team={f"knowledge/k{at}.md": page(f"Number {at}", words) for at in range(300)}
    )


def questions(library: Library, request: SearchRequest) -> int:
    """How often a search asks whether it is still wanted."""
    asked = itertools.count()

    def wanted() -> bool:
        next(asked)
        return False

    search(library, request, cancelled=wanted)
    return next(asked)


@pytest.mark.parametrize("plan", ["default", "akm"])
def test_it_stops_at_whatever_point_it_is_asked_to(library: Library, plan: Any) -> None:
    request = SearchRequest("word1 shared2 word250 number", plan=plan)
    for point in range(1, questions(library, request)):
        answers = itertools.chain([False] * point, itertools.repeat(True))
        with pytest.raises(Cancelled):
            search(library, request, cancelled=lambda answers=answers: next(answers))
    assert search(library, request).hits, "and leaves nothing behind"


def test_sqlite_is_interrupted_in_the_middle_of_a_query(library: Library) -> None:
    """Between two steps of its own, a search asks too seldom; SQLite asks while it works."""
    assert library.store is not None
    connection = library.store.database.connection
    query = "SELECT count(*) FROM entries AS a, entries AS b, entries AS c WHERE a.id + b.id > c.id"
    asked: list[float] = []

    def cancelled() -> bool:
        asked.append(time.monotonic())
        return len(asked) > 2

    with pytest.raises(StoreError), interruptible(library.store, cancelled):
        library.store.database.run(lambda it: list(it.execute(query)))
    assert len(asked) == 3
    assert list(connection.execute("SELECT 1")) == [(1,)]


def test_a_query_that_waits_for_an_endpoint_is_given_up(
    library: Library, endpoint: Endpoint
) -> None:
    endpoint.behave = lambda request: Answer(hang=True)
    model = RemoteEmbedder(EmbeddingSettings(endpoint=endpoint.url, model="m"))
    semantic = SemanticIndex(lambda: model, lambda store: READY)
    request = SearchRequest("number", mode="hybrid")
    asking = dataclasses.replace(library, semantic=semantic)
    began = time.monotonic()
    with pytest.raises(Cancelled):
        search(asking, request, cancelled=lambda: bool(endpoint.requests))
    assert time.monotonic() - began < 8, "the endpoint would be given ten seconds"
    endpoint.behave = openai
    assert "no answer" not in str(search(asking, request).degraded), "it was no failure"


def test_vectors_kept_elsewhere_change_no_result(library: Library) -> None:
    """Whatever keeps the vectors, the answer looks the same."""
    assert library.store is not None
    ids = library.store.full_text(Gate()).ids()

    class Elsewhere:
        dims = 4

        def __len__(self) -> int:
            return len(ids)

        def refresh(self, store: object) -> int:
            return 0

        def search(self, query: Any, limit: int, among: Any = None) -> list[Match]:
            wanted = sorted(ids if among is None else set(ids) & set(among))
            return [Match(entry_id, 0.9) for entry_id in wanted[:limit]]

        def cosines(self, query: Any, some: Any) -> dict[int, float]:
            return dict.fromkeys(some, 0.9)

    class Model:
        id = "local:m|4"

        def embed_query(self, text: str, cancelled: Any = None) -> Any:
            return np.ones(4, dtype=np.float32) / 2

    semantic = SemanticIndex(Model, lambda store: READY, open_vectors=lambda model: Elsewhere())
    request = SearchRequest("number word3", detail="full", mode="hybrid")
    hybrid = search(dataclasses.replace(library, semantic=semantic), request).to_json()
    lexical = search(library, dataclasses.replace(request, mode="lexical")).to_json()
    assert hybrid["mode"] == "hybrid"
    assert hybrid.keys() == lexical.keys()
    assert hybrid["hits"][0].keys() == lexical["hits"][0].keys()
    assert hybrid["hits"][0]["scores"].keys() == lexical["hits"][0]["scores"].keys()
