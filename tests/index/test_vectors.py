"""Vectors in memory follow the rows of the index, and searching in them is exact."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akm_ls.index import vector_rows
from akm_ls.index.embedding import run_embedding
from akm_ls.index.store import Store
from akm_ls.index.vectors import Vectors, delete_vectors, put_vectors

from .conftest import Page, Site
from .models import WordModel, direction

DIMS = 32


@pytest.fixture(scope="module", params=[vector_rows.MANY, 0], ids=["few", "many"], autouse=True)
def layout(request: pytest.FixtureRequest) -> Iterator[None]:
    """Everything holds for either way in which vectors lie in memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_rows, "MANY", request.param)
        yield


class Library:
    """A site whose assets have vectors, and the matrix that follows them."""

    def __init__(self, site: Site, page: Page) -> None:
        self.site = site
        self.page = page
        self.model = WordModel()
        self.vectors = Vectors(self.model.id)

    def write(self, **pages: str) -> None:
        self.site.write(
            {f"team/knowledge/{name}.md": self.page(text) for name, text in pages.items()}
        )

    def embed(self, **options: Any) -> None:
        self.site.index()
        run_embedding(self.site.store_path, self.site.set(), self.model, workers=0, **options)

    def refresh(self) -> int:
        with self.site.store() as store:
            return self.vectors.refresh(store)

    def nearest(self, query: str, limit: int = 10, **options: Any) -> list[str]:
        names = {entry_id: concept for concept, entry_id in self.site.ids().items()}
        found = self.vectors.search(direction(query, DIMS), limit, **options)
        return [names[match.entry_id].removeprefix("knowledge/") for match in found]

    def held(self) -> set[str]:
        return set(self.nearest("a", 1000))


@pytest.fixture
def library(site: Site, page: Page) -> Library:
    made = Library(site, page)
    made.write(red="a red apple", green="a green apple", far="a stone bridge")
    made.embed()
    return made


def reloaded(library: Library) -> dict[int, list[float]]:
    fresh = Vectors(library.model.id)
    with library.site.store() as store:
        fresh.refresh(store)
    return everything(fresh)


def everything(vectors: Vectors) -> dict[int, list[float]]:
    ids = [match.entry_id for match in vectors.search(np.ones(DIMS, np.float32), 10_000)]
    return {
        entry_id: [vectors.cosines(row, ids)[entry_id] for row in np.eye(DIMS, dtype=np.float32)]
        for entry_id in ids
    }


# Searching.


def test_the_nearest_come_first(library: Library) -> None:
    library.refresh()
    assert library.nearest("a red apple")[0] == "red"
    assert library.nearest("a stone bridge")[0] == "far"
    assert len(library.vectors) == 3


def test_so_many_as_were_asked_for(library: Library) -> None:
    library.refresh()
    assert len(library.nearest("apple", 2)) == 2
    assert library.nearest("apple", 0) == []
    assert library.nearest("apple", -1) == []


def test_among_some_entries_only(library: Library) -> None:
    library.refresh()
    ids = library.site.ids()
    among = {ids["knowledge/far"], ids["knowledge/green"], 9999}
    assert library.nearest("a red apple", among=among) == ["green", "far"]
    assert library.nearest("a red apple", among=()) == []


def test_before_the_first_refresh_there_is_nothing(library: Library) -> None:
    query = direction("apple", DIMS)
    assert library.vectors.search(query, 5) == []
    assert library.vectors.cosines(query, [1, 2, 3]) == {}
    assert library.vectors.dims is None


@pytest.mark.parametrize("query", [np.zeros(DIMS), np.ones(DIMS - 1), np.ones((1, DIMS))])
def test_a_query_without_a_direction_or_of_another_length_finds_nothing(
    library: Library, query: Any
) -> None:
    library.refresh()
    assert library.vectors.search(query.astype(np.float32), 5) == []
    assert library.vectors.cosines(query.astype(np.float32), library.site.ids().values()) == {}


def test_cosines_are_those_of_the_search_and_of_every_entry_asked_for(library: Library) -> None:
    library.refresh()
    query = direction("a green apple", DIMS)
    found = {match.entry_id: match.cosine for match in library.vectors.search(query, 10)}
    cosines = library.vectors.cosines(query, [*found, 9999])
    assert cosines == pytest.approx(found, abs=1e-6)


class Rows:
    """A matrix made directly of rows, without files."""

    def __init__(self, site: Site, vectors: Any) -> None:
        site.write({"team/knowledge/a.md": "a"})
        site.index()
        with site.store() as store:
            (key,) = store.keys().values()

            def fill(connection: Any) -> None:
                connection.execute("DELETE FROM entries")
                connection.executemany(
                    "INSERT INTO entries (id, bundle_key, concept_id, rel, type, name, embed_hash)"
                    " VALUES (?, ?, ?, '', 'knowledge', '', 'h')",
                    [(at + 1, key, f"k{at}") for at in range(len(vectors))],
                )
                put_vectors(connection, "m", [(at + 1, "h") for at in range(len(vectors))], vectors)

            store.database.write(fill)
            self.vectors = Vectors("m")
            self.vectors.refresh(store)


def test_the_search_is_exact_and_ties_are_in_the_order_of_ids(site: Site) -> None:
    random = np.random.default_rng(1)
    distinct = random.normal(size=(60, 8)).astype(np.float32)
    rows = np.concatenate([distinct, distinct[:40], distinct[:20]])
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    made = Rows(site, rows).vectors
    query = rows[7]
    exact = rows.astype("<f2").astype(np.float64) @ query.astype(np.float64)
    for limit in (1, 2, 3, 5, 50, 119, 120, 500):
        found = made.search(query, limit)
        assert len(found) == min(limit, 120)
        assert [match.cosine for match in found] == pytest.approx(
            sorted(exact, reverse=True)[:limit], abs=3e-5
        )
    assert [match.entry_id for match in made.search(query, 3)] == [8, 68, 108]
    assert [match.entry_id for match in made.search(query, 2)] == [8, 68]


def test_half_precision_rows_are_within_a_thousandth(site: Site) -> None:
    random = np.random.default_rng(2)
    rows = random.normal(size=(50, 256)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    made = Rows(site, rows).vectors
    cosines = made.cosines(rows[0], range(1, 51))
    assert [cosines[at] for at in range(1, 51)] == pytest.approx(rows @ rows[0], abs=1e-3)


# Following.


def test_nothing_changed_nothing_is_read(library: Library) -> None:
    assert library.refresh() == 3
    assert library.refresh() == 0


def test_a_new_asset_is_taken_over_alone(library: Library) -> None:
    library.refresh()
    library.write(blue="a blue plum")
    library.embed()
    assert library.refresh() == 1
    assert library.nearest("a blue plum")[0] == "blue"
    assert everything(library.vectors) == reloaded(library)


def test_a_changed_text_loses_its_vector_until_it_is_embedded(library: Library) -> None:
    library.refresh()
    library.write(red="a copper kettle")
    library.site.index()
    library.refresh()
    assert library.held() == {"green", "far"}
    library.embed()
    library.refresh()
    assert library.nearest("a copper kettle")[0] == "red"
    assert everything(library.vectors) == reloaded(library)


@pytest.mark.parametrize("gone", ["red", "green", "far"])
def test_a_deleted_asset_goes(library: Library, gone: str) -> None:
    library.refresh()
    library.site.remove(f"team/knowledge/{gone}.md")
    library.site.index()
    library.refresh()
    assert library.held() == {"red", "green", "far"} - {gone}
    assert everything(library.vectors) == reloaded(library)


def test_an_id_that_is_used_again_has_no_vector_of_the_asset_before(library: Library) -> None:
    library.refresh()
    last = max(library.site.ids().values())
    (name,) = (concept for concept, entry_id in library.site.ids().items() if entry_id == last)
    library.site.remove(f"team/{name}.md")
    library.site.index()
    library.write(other="something else")
    library.site.index()
    assert library.site.ids()["knowledge/other"] == last
    library.refresh()
    assert "other" not in library.held()


def test_rows_of_another_model_are_not_served(library: Library) -> None:
    other = Vectors("local:other|32")
    with library.site.store() as store:
        assert other.refresh(store) == 0
    assert len(other) == 0


def test_an_entry_that_another_model_has_taken_goes(library: Library) -> None:
    library.refresh()
    run_embedding(
        library.site.store_path, library.site.set(), WordModel("other"), only="team", workers=0
    )
    library.refresh()
    assert len(library.vectors) == 0


def test_what_becomes_a_proposal_is_served_no_more(library: Library) -> None:
    library.refresh()
    library.site.write(
        {"team/knowledge/red.md": library.page("a red apple", quality="proposed")}, settled=False
    )
    library.site.index()
    library.refresh()
    assert library.held() == {"green", "far"}


def test_discarded_vectors_are_served_no_more(library: Library) -> None:
    library.refresh()
    with library.site.store() as store:
        store.database.write(lambda connection: delete_vectors(connection, store.keys().values()))
    library.refresh()
    assert len(library.vectors) == 0


def test_other_bundles_are_another_matrix(library: Library, site: Site) -> None:
    library.refresh()
    site.write({"other/knowledge/o.md": library.page("another bundle")})
    both = site.set("team", "other")
    site.index(both)
    run_embedding(site.store_path, both, library.model, workers=0)
    library.refresh()
    assert library.held() == {"red", "green", "far"}, "the other bundle is not this store's"
    with Store(site.store_path, both) as store:
        library.vectors.refresh(store)
    assert len(library.vectors) == 4


def test_an_index_file_that_was_replaced_is_loaded_anew(library: Library) -> None:
    library.refresh()
    for suffix in ("", "-wal", "-shm"):
        path = library.site.store_path + suffix
        if os.path.exists(path):
            os.unlink(path)
    library.site.index()
    library.refresh()
    assert len(library.vectors) == 0
    library.embed()
    library.refresh()
    assert library.held() == {"red", "green", "far"}


def test_a_row_of_the_wrong_size_is_passed_over(library: Library) -> None:
    library.site.sql("UPDATE embeddings SET embedding = x'00', generation = 99 WHERE entry_id = 1")
    library.refresh()
    assert len(library.vectors) == 2


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(["add", "change", "remove", "embed", "refresh"]), max_size=12))
def test_following_and_loading_give_the_same(steps: list[str]) -> None:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as root:
        site = Site(Path(root).resolve())
        library = Library(site, lambda text: f"---\ndescription: {text}\n---\n")
        library.write(first="the first page")
        library.embed()
        for number, step in enumerate(steps):
            present = sorted(site.root.glob("team/knowledge/*.md"))
            if step == "add":
                library.write(**{f"page{number}": f"page number {number}"})
            elif step == "change" and present:
                library.write(**{present[0].stem: f"other words {number}"})
            elif step == "remove" and present:
                present[-1].unlink()
            elif step == "embed":
                library.embed()
            else:
                library.refresh()
            site.index()
        library.refresh()
        assert everything(library.vectors) == reloaded(library)
