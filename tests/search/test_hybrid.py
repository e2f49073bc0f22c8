"""Searching by meaning as well: which mode ran, what it finds, and how it does without."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akm_ls.bundles.discovery import resolve_bundles
from akm_ls.embedders import Document, EmbeddingError, Watch
from akm_ls.index.catalog import Catalog
from akm_ls.index.embedding import run_embedding
from akm_ls.index.indexer import run_index
from akm_ls.index.semantic_status import Readiness, readiness
from akm_ls.index.store import Store
from akm_ls.index.vectors import count_embeddable, rows_by_model
from akm_ls.search.library import Library
from akm_ls.search.request import SearchRequest
from akm_ls.search.result import SearchResult
from akm_ls.search.search import search
from akm_ls.search.semantic import SemanticIndex

from .conftest import page, write

MEANINGS = {
    **dict.fromkeys(("holiday", "vacation", "leave", "sabbatical"), 0),
    **dict.fromkeys(("deploy", "release", "ship"), 1),
    **dict.fromkeys(("rotate", "renew"), 2),
}
FILES = {
    "knowledge/holidays.md": page("Holiday policy", "Twenty five days."),
    "knowledge/deploying.md": page("How we deploy", "Push the button."),
    "knowledge/rotation.md": page("We rotate keys", "Monthly."),
    "knowledge/words.md": page("Policy words", "Nothing else."),
    "memories/draft.md": page("Vacation draft", "vacation", quality="proposed"),
    "sessions/s1.md": page("A vacation session", "vacation"),
    "env/prod.env": "VACATION_URL=marker\n",
    "secrets/vacation-key": "marker",
}


class MeaningModel:
    """Words of one meaning are one direction; every other word has none."""

    id = "local:meanings|4"
    dims = 4
    body_limit = None

    def __init__(self) -> None:
        self.documents: list[Document] = []
        self.asked: list[str] = []
        self.broken = False

    def embed_query(self, text: str) -> Any:
        self.asked.append(text)
        if self.broken:
            raise EmbeddingError("the endpoint is on fire")
        return self._vector(text)

    def embed_documents(self, documents: Iterable[Document], watch: Watch) -> None:
        batch = list(documents)
        self.documents += batch
        watch.on_batch(
            [it.key for it in batch], np.asarray([self._vector(it.text) for it in batch])
        )

    def _vector(self, text: str) -> Any:
        vector = np.zeros(4, dtype=np.float32)
        for word in re.findall(r"\w+", text.lower()):
            if word in MEANINGS:
                vector[MEANINGS[word]] += 1
        length = np.linalg.norm(vector)
        return vector / np.float32(length) if length else vector


@pytest.fixture
def model() -> MeaningModel:
    return MeaningModel()


@pytest.fixture
def clock() -> list[float]:
    return [0.0]


@pytest.fixture
def library(tmp_path: Path, model: MeaningModel, clock: list[float]) -> Iterator[Library]:
    root = tmp_path.resolve() / "team"
    (root / ".stash").mkdir(parents=True)
    write(root, FILES)
    bundles = resolve_bundles(overrides=[str(root)])
    database = str(tmp_path / "index.db")
    run_index(database, bundles, workers=0)
    run_embedding(database, bundles, model, workers=0)

    def state(store: Store) -> Readiness:
        keys = store.keys().values()
        return readiness(
            model.id,
            store.database.run(lambda connection: rows_by_model(connection, keys)),
            store.database.run(lambda connection: count_embeddable(connection, keys)),
        )

    semantic = SemanticIndex(lambda: model, state, clock=lambda: clock[0])
    with Store(database, bundles) as store:
        catalog = Catalog()
        catalog.expect(bundle.id for bundle in bundles)
        catalog.load(store.stubs(), store.claims())
        yield Library(store, catalog, bundles, semantic=semantic)


def ask(library: Library, query: str, **options: Any) -> SearchResult:
    return search(library, SearchRequest(query, **options))


def names(answer: SearchResult) -> list[str]:
    return [hit.entry.name for hit in answer.hits]


def test_e5_what_shares_no_word_is_found_by_its_meaning(library: Library) -> None:
    answer = ask(library, "sabbatical")
    assert answer.mode == "hybrid"
    assert names(answer)[0] == "holidays"
    (first, *_) = answer.to_json()["hits"]
    assert first["scores"]["keyword"] == 0.0
    assert first["scores"]["semantic"] == 1.0
    assert first["whyMatched"][0] == "semantic similarity"
    assert names(ask(library, "sabbatical", mode="lexical")) == []


def test_words_and_meaning_together(library: Library) -> None:
    answer = ask(library, "holiday policy")
    assert names(answer) == ["holidays", "words"]
    assert answer.to_json()["fusion"] == "convex"
    assert "hybrid (fts + semantic)" in answer.hits[0].score.reasons


@pytest.mark.parametrize("fusion", ["convex", "rrf", "akm", "knowledge"])
@pytest.mark.parametrize("plan", ["default", "akm"])
def test_every_fusion_answers_and_explains_itself(library: Library, fusion: str, plan: str) -> None:
    options: dict[str, Any] = {"fusion": fusion, "plan": plan, "detail": "full"}
    answer = ask(library, "holiday policy", **options).to_json()
    assert answer["mode"] == "hybrid"
    assert answer["hits"][0]["name"] == "holidays"
    for hit in answer["hits"]:
        scores = hit["scores"]
        boost = min(sum(part["value"] for part in scores["parts"]), 3.0)
        total = min(1.0, scores["base"] * (1 + boost), scores["ceiling"] or 1.0)
        assert hit["score"] == pytest.approx(round(total, 4), abs=1e-9)
        if (fusion, plan) == ("convex", "default"):
            convex = 0.6 * scores["keyword"] + 0.4 * scores["semantic"]
            assert scores["base"] == pytest.approx(convex, abs=1e-6)


def test_the_meaning_alone(library: Library) -> None:
    answer = ask(library, "ship policy", mode="semantic")
    assert (answer.mode, answer.stage) == ("semantic", "semantic")
    assert names(answer) == ["deploying"]


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("vacation", ["holidays"]),
        ("vacation -policy", []),
        ("vacation NOT days", []),
        ("vacation -monthly", ["holidays"]),
        ('vacation -"holiday policy"', []),
        ('vacation -"policy holiday"', ["holidays"]),
        ('"holiday policy" vacation', ["holidays"]),
        ('"policy holiday" vacation', []),
        ('"holiday policy" "five days" vacation', ["holidays"]),
        ('"holiday policy" "six days" vacation', []),
        ("deploy/vacation", []),
    ],
)
def test_phrases_exclusions_and_paths_bind_the_meaning_too(
    library: Library, mode: str, query: str, expected: list[str]
) -> None:
    answer = ask(library, query, mode=mode, type="knowledge")
    assert (answer.mode, names(answer)) == (mode, expected)
    rest = frozenset({"session", "env", "secret"})
    assert names(ask(library, query, mode=mode, exclude_types=rest)) == expected


def test_what_has_no_vector_is_still_found_by_its_name(library: Library) -> None:
    answer = ask(library, "vacation", type="secret")
    assert names(answer) == ["vacation-key"]
    answer = ask(library, "vacation", type="env")
    assert [hit.entry.type for hit in answer.hits] == ["env"]


def test_what_may_not_be_seen_is_in_no_lane(library: Library, model: MeaningModel) -> None:
    for mode in ("hybrid", "semantic"):
        found = names(ask(library, "vacation", mode=mode))
        assert not {"draft", "s1"} & set(found)
    assert not any("draft" in document.text for document in model.documents)
    assert not any("marker" in document.text for document in model.documents)
    assert "draft" in names(ask(library, "vacation", include_proposed=True))


def test_a_type_is_asked_of_both_lanes(library: Library) -> None:
    assert names(ask(library, "vacation", type="memory")) == []
    assert names(ask(library, "vacation", type="knowledge")) == ["holidays"]


def test_v1_a_deleted_asset_leaves_both_lanes(library: Library, tmp_path: Path) -> None:
    assert "holidays" in names(ask(library, "vacation"))
    (tmp_path / "team/knowledge/holidays.md").unlink()
    run_index(path_of(library), library.bundles, workers=0)
    assert "holidays" not in names(ask(library, "vacation"))
    assert "holidays" not in names(ask(library, "holiday", mode="lexical"))
    assert state_of(library) == ("ready", 3, 0)
    assert library.store is not None
    # Not only left out for want of a file: neither its words nor its vector are there.
    for count, left in (
        ("SELECT count(*) FROM entries_fts WHERE entries_fts MATCH 'holiday'", 0),
        ("SELECT count(*) FROM entries_fts WHERE entries_fts MATCH 'policy'", 1),
        ("SELECT count(*) FROM embeddings", 3),
    ):
        answer = library.store.database.run(lambda it, asked=count: it.execute(asked).fetchone())
        assert answer == (left,)


def test_r1_what_has_no_vector_is_embedded_once(
    library: Library, model: MeaningModel, tmp_path: Path
) -> None:
    write(tmp_path / "team", {"knowledge/shipping.md": page("We ship on Mondays", "Or not.")})
    path, bundles = path_of(library), library.bundles
    run_index(path, bundles, workers=0)
    assert state_of(library) == ("pending", 4, 1)
    model.documents.clear()
    first = run_embedding(path, bundles, model, workers=0)
    assert (first.pending, first.stored, len(model.documents)) == (1, 1, 1)
    again = run_embedding(path, bundles, model, workers=0)
    assert (again.pending, again.stored, len(model.documents)) == (0, 0, 1)
    assert state_of(library) == ("ready", 5, 0)
    anew = run_embedding(path, bundles, model, reembed=True, workers=0)
    assert (anew.pending, anew.stored, len(model.documents)) == (5, 5, 6)
    assert state_of(library) == ("ready", 5, 0)
    assert names(ask(library, "release", mode="semantic"))[:2] == ["deploying", "shipping"]


def path_of(library: Library) -> str:
    assert library.store is not None
    return library.store.path


def state_of(library: Library) -> tuple[str, int, int]:
    """Status, and how many assets have a vector and have none."""
    assert library.semantic is not None
    state = library.semantic.state(library.store)
    return state.status, state.embedded, state.missing


def test_pages_are_slices_of_one_list(library: Library) -> None:
    whole = names(ask(library, "policy deploy rotate holiday"))
    paged = [
        name
        for at in range(len(whole))
        for name in names(ask(library, "policy deploy rotate holiday", limit=1, offset=at))
    ]
    assert len(whole) == 4
    assert paged == whole


# Doing without.


def test_a_lexical_search_does_not_ask_the_model(library: Library, model: MeaningModel) -> None:
    answer = ask(library, "holiday", mode="lexical")
    assert (answer.mode, answer.degraded) == ("lexical", ())
    assert answer.to_json()["semantic"]["status"] == "ready"
    assert model.asked == []


def test_searching_opens_no_connection(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []

    def refuse(*arguments: object) -> None:
        opened.append(arguments)
        raise OSError("nothing may be opened here")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for mode in ("auto", "lexical", "hybrid", "semantic"):
        for query in ("vacation", "team//knowledge/", "vaction", "https://example.org/x", ""):
            ask(library, query, mode=mode, linked=True)
    assert opened == []


def test_a_model_that_fails_leaves_the_words(
    library: Library, model: MeaningModel, clock: list[float]
) -> None:
    model.broken = True
    answer = ask(library, "holiday")
    assert (answer.mode, names(answer)) == ("lexical", ["holidays"])
    assert answer.to_json()["degraded"] == [
        {"lane": "semantic", "reason": "the endpoint is on fire"}
    ]
    assert answer.to_json()["semantic"]["reason"] == "the endpoint is on fire"
    # It is left alone for a while, and then asked again.
    model.broken = False
    assert ask(library, "holiday").mode == "lexical"
    assert len(model.asked) == 1
    clock[0] = 31.0
    assert ask(library, "holiday").mode == "hybrid"


def test_a_model_that_failed_is_asked_at_once_when_it_is_known_to_work(
    library: Library, model: MeaningModel
) -> None:
    model.broken = True
    assert ask(library, "holiday").mode == "lexical"
    model.broken = False
    assert library.semantic is not None
    library.semantic.forget_failure()
    assert ask(library, "holiday").mode == "hybrid"


def test_words_that_mean_nothing_to_the_model(library: Library) -> None:
    answer = ask(library, "monthly")
    assert (answer.mode, names(answer)) == ("lexical", ["rotation"])
    assert answer.degraded[0].reason == "the embedding model knows none of these words"


def test_without_any_vector_the_reason_is_given_to_who_asks(library: Library) -> None:
    bare = replace(library, semantic=None)
    asked = ask(bare, "holiday", mode="hybrid")
    assert (asked.mode, names(asked)) == ("lexical", ["holidays"])
    assert asked.degraded[0].reason == "no embedding model configured"
    assert ask(bare, "holiday").degraded == ()


def test_without_an_index_names_are_compared(library: Library) -> None:
    answer = ask(replace(library, store=None), "holiday")
    assert (answer.mode, names(answer)) == ("overlap", ["holidays"])
    assert answer.to_json()["semantic"]["status"] == "blocked"


def test_a_query_is_embedded_once_for_all_its_pages(library: Library, model: MeaningModel) -> None:
    for offset in (0, 1, 2):
        ask(library, "holiday policy", offset=offset)
    assert model.asked == ["holiday policy"]


def test_a_misspelled_query_is_embedded_as_it_was_meant(
    library: Library, model: MeaningModel
) -> None:
    ask(library, "holliday days")
    assert model.asked == ["holiday days"]
