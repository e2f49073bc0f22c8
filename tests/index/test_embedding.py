"""The embedding pass: what gets a vector, of which text, and what is kept when it ends early."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import Any

import apsw
import numpy as np
import pytest

from akm_ls.embedders.remote import RemoteEmbedder
from akm_ls.embedders.settings import EmbeddingSettings
from akm_ls.index.database import Database
from akm_ls.index.embedding import EmbeddingRefused, EmbeddingReport, embed_missing, run_embedding
from akm_ls.index.semantic_status import noted_model, noted_problem
from akm_ls.index.vectors import count_embeddable, rows_by_model
from embedders.endpoint import Answer, Endpoint

from .conftest import Page, Site
from .models import WordModel, direction

SECRET = "marker-never-to-be-sent"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


@pytest.fixture
def six(site: Site, page: Page) -> Site:
    """Six pages, indexed."""
    site.write({f"team/knowledge/k{at}.md": page(f"page number {at}") for at in range(6)})
    site.index()
    return site


def embed(site: Site, model: Any, *names: str, **options: Any) -> EmbeddingReport:
    options.setdefault("workers", 0)
    return run_embedding(site.store_path, site.set(*names), model, **options)


def remote(endpoint: Endpoint, **settings: Any) -> RemoteEmbedder:
    values = {"endpoint": endpoint.url, "model": "m", **settings}
    return RemoteEmbedder(EmbeddingSettings(**values))


def models(site: Site) -> dict[str, int]:
    return dict(site.sql("SELECT model, count(*) FROM embeddings GROUP BY model"))


def meta(site: Site, read: Any, *arguments: Any) -> Any:
    with site.store() as store:
        return store.database.run(lambda connection: read(connection, *arguments))


class Killed(BaseException):
    """What ends a process without asking."""


# What is embedded.


def test_every_asset_is_one_text_made_of_its_search_fields(site: Site, page: Page) -> None:
    site.write(
        {
            "team/knowledge/auth/a.md": page("About Tokens", "# One\n\nBody text.\n\n## Two\n"),
            "team/knowledge/b.md": page("Other"),
        }
    )
    site.index()
    model = WordModel()
    report = embed(site, model)
    assert (report.pending, report.stored, report.failed, report.missing) == (2, 2, 0, 0)
    assert len(model.texts) == 2, "fragments are not embedded"
    text = next(text for text in model.texts if "about tokens" in text)
    assert text.split("\n")[:2] == ["auth/a", "about tokens"]
    assert "body text." in text


def test_the_vector_is_the_models_and_has_its_name(six: Site) -> None:
    model = WordModel()
    embed(six, model)
    by_id = dict(model.documents)
    for entry_id, name, dim, blob in six.sql(
        "SELECT entry_id, model, dim, embedding FROM embeddings"
    ):
        assert (name, dim) == (model.id, 32)
        stored = np.frombuffer(blob, "<f2")
        assert np.allclose(stored, direction(by_id[entry_id], 32), atol=1e-3)


def test_a_long_text_is_embedded_on_its_head_and_the_run_says_so_once(
    site: Site, page: Page
) -> None:
    site.write({f"team/knowledge/{name}.md": page("x " * 2000) for name in "abc"})
    site.write({"team/knowledge/short.md": page("short")})
    site.index()
    model, lines = WordModel(), []
    report = embed(site, model, on_line=lambda kind, text: lines.append(text))
    assert sorted(map(len, model.texts))[1:] == [2047] * 3
    assert report.truncated == 3
    heads = [line for line in lines if "only" in line]
    assert heads == ["Embedded only the first 512 tokens of 3 entries."]


def test_the_cap_can_be_another(six: Site) -> None:
    model = WordModel()
    embed(six, model, max_input_tokens=1)
    assert {len(text) for text in model.texts} <= {2, 3, 4}


def test_a_model_that_gains_nothing_from_a_body_gets_its_beginning(site: Site, page: Page) -> None:
    site.write({"team/knowledge/a.md": page("About", "word " * 200)})
    site.index()
    whole, short = WordModel("whole"), WordModel("short", body_limit=40)
    embed(site, whole)
    embed(site, short)
    assert whole.texts[0].count("word") == 200
    assert short.texts[0].count("word") == 8


def test_what_never_reaches_a_model(site: Site, page: Page, endpoint: Endpoint) -> None:
    site.write(
        {
            "team/env/prod.env": f"# {SECRET}\nKEY_{SECRET}={SECRET}\n",
            "team/secrets/token": SECRET,
            f"team/secrets/{SECRET}": "x",
            "team/sessions/s1.md": page(f"A session {SECRET}", SECRET),
            "team/knowledge/draft.md": page(f"A draft {SECRET}", SECRET, quality="proposed"),
            "team/memories/checkpoint.md": page(
                "A checkpoint", SECRET, akm_memory_kind="session_checkpoint"
            ),
            "team/knowledge/.sensitive/hidden.md": page(SECRET),
            "team/knowledge/open.md": page("An open page"),
        }
    )
    site.index()
    types = {kind for (kind,) in site.sql("SELECT type FROM entries")}
    assert {"env", "secret", "session", "memory"} <= types
    embed(site, remote(endpoint))
    assert any("an open page" in text for text in endpoint.texts)
    assert not [text for text in endpoint.texts if SECRET in text.lower()]
    assert SECRET not in repr(endpoint.requests).lower()
    keys = [key for (key,) in site.sql("SELECT key FROM bundles")]
    assert meta(site, count_embeddable, keys) == sum(models(site).values())


def test_a_proposal_is_embedded_once_it_is_accepted(site: Site, page: Page) -> None:
    site.write({"team/knowledge/a.md": page("An idea", quality="proposed")})
    site.index()
    model = WordModel()
    assert embed(site, model).pending == 0
    site.write({"team/knowledge/a.md": page("An idea", quality="curated")}, settled=False)
    site.index()
    assert embed(site, model).stored == 1


def test_a_file_that_has_changed_since_it_was_indexed_is_left_for_later(
    six: Site, page: Page
) -> None:
    six.write({"team/knowledge/k3.md": page("page number 3", quality="proposed")}, settled=False)
    six.remove("team/knowledge/k4.md")
    report = embed(six, WordModel())
    assert (report.pending, report.stored, report.missing) == (6, 4, 2)
    assert report.problem is None


def test_a_text_that_is_written_anew_while_it_is_embedded_takes_no_old_vector(
    six: Site, page: Page
) -> None:
    def write(number: int) -> None:
        if number == 0:
            six.write({"team/knowledge/k0.md": page("quite another text")}, settled=False)
            six.index()

    report = embed(six, WordModel(batch=10, before=write))
    assert (report.stored, report.missing) == (5, 1)


def test_only_the_bundles_of_the_run(site: Site, page: Page) -> None:
    site.write({"team/knowledge/a.md": page("One"), "other/knowledge/b.md": page("Two")})
    both = site.set("team", "other")
    site.index(both)
    assert run_embedding(site.store_path, both, WordModel(), only="other", workers=0).stored == 1
    assert embed(site, WordModel(), "team").stored == 1
    assert embed(site, WordModel(), "team", "other").pending == 0


def test_many_texts_are_made_in_other_processes(site: Site, page: Page) -> None:
    site.write({f"team/knowledge/k{at}.md": page(f"page {at}") for at in range(250)})
    site.index()
    model = WordModel(batch=100, body_limit=400)
    assert embed(site, model, workers=2).stored == 250
    assert len({text for text in model.texts if "page" in text}) == 250


# The cursor.


def test_a_second_run_has_nothing_to_do(six: Site) -> None:
    model = WordModel()
    embed(six, model)
    report = embed(six, model)
    assert (report.pending, report.stored, len(model.documents)) == (0, 0, 6)


def test_a_changed_text_is_embedded_again_and_nothing_else(six: Site, page: Page) -> None:
    model = WordModel()
    embed(six, model)
    six.write({"team/knowledge/k2.md": page("now another text")}, settled=False)
    six.index()
    model.documents.clear()
    embed(six, model)
    (text,) = model.texts
    assert "now another text" in text


def test_a_full_index_run_keeps_the_vectors(six: Site) -> None:
    embed(six, WordModel())
    six.index(full=True)
    assert embed(six, WordModel()).pending == 0


@pytest.mark.parametrize(
    "loss",
    [
        "ALTER TABLE entries DROP COLUMN slugs",
        "DROP TABLE fragments",
        "DROP TABLE entries_fts",
        "DROP TABLE citations; DROP TABLE entries_fts; ALTER TABLE entries DROP COLUMN marks",
    ],
)
def test_what_a_new_layout_adds_costs_no_vector(six: Site, page: Page, loss: str) -> None:
    embed(six, WordModel())
    vectors = six.sql("SELECT entry_id, embedding FROM embeddings ORDER BY entry_id")
    older = apsw.Connection(six.store_path)
    older.execute(loss)
    older.close()
    six.write({"team/knowledge/k2.md": page("now another text")}, settled=False)
    with six.store():
        pass  # brings the layout up to date
    six.index()
    changed = six.ids()["knowledge/k2"]
    assert six.sql("SELECT entry_id, embedding FROM embeddings ORDER BY entry_id") == [
        row for row in vectors if row[0] != changed
    ]
    with six.store() as store:
        assert len(store.match('"page"', limit=9)) == 5
        assert len(store.match('"another"', limit=9)) == 1
    hashes = [text for (text,) in six.sql("SELECT embed_hash FROM entries")]
    assert all(len(text) == 32 for text in hashes), "nothing is marked any more"
    assert embed(six, WordModel()).pending == 1


def test_mending_costs_no_vector(six: Site, page: Page) -> None:
    embed(six, WordModel())
    six.sql("DELETE FROM entries_fts WHERE rowid = ?", six.ids()["knowledge/k1"])
    six.write({"team/knowledge/k2.md": page("now another text")}, settled=False)
    assert six.index().warnings == ()
    with six.store() as store:
        assert len(store.match('"number"', limit=9)) == 5, "the lost text is there again"
    assert embed(six, WordModel()).pending == 1


def test_vectors_of_entries_that_were_lost_are_not_taken_for_others(six: Site) -> None:
    embed(six, WordModel())
    broken = apsw.Connection(six.store_path)
    broken.execute("DROP TABLE entries; DELETE FROM files; DELETE FROM entries_fts")
    broken.close()
    six.index()
    assert embed(six, WordModel()).pending == 6


def test_another_model_takes_over_row_by_row(six: Site) -> None:
    embed(six, WordModel("old"))

    def stop(number: int) -> None:
        if number == 2:
            raise Killed

    with pytest.raises(Killed):
        embed(six, WordModel("new", before=stop))
    assert models(six) == {"local:old|32": 2, "local:new|32": 4}
    report = embed(six, WordModel("new"))
    assert (report.pending, report.stored) == (2, 2)
    assert models(six) == {"local:new|32": 6}


def test_reembed_discards_every_vector_of_the_bundles_first(site: Site, page: Page) -> None:
    site.write({"team/knowledge/a.md": page("One"), "other/knowledge/b.md": page("Two")})
    both = site.set("team", "other")
    site.index(both)
    run_embedding(site.store_path, both, WordModel(), workers=0)
    seen: list[dict[str, int]] = []
    model = WordModel(before=lambda number: seen.append(models(site)))
    assert embed(site, model, "team", reembed=True).stored == 1
    assert seen[0] == {"local:words|32": 1}, "the other bundle's"


def test_a_reembed_that_was_interrupted_goes_on_as_an_ordinary_run(six: Site) -> None:
    embed(six, WordModel())

    def stop(number: int) -> None:
        if number == 1:
            raise Killed

    with pytest.raises(Killed):
        embed(six, WordModel(before=stop), reembed=True)
    assert embed(six, WordModel()).pending == 4


def test_the_model_is_noted_before_the_first_request(six: Site) -> None:
    seen: list[Any] = []
    embed(six, WordModel(before=lambda number: seen.append(meta(six, noted_model))))
    assert seen[0] == "local:words|32"


# Transactions and processes.


def test_inside_an_open_transaction_it_refuses_to_run(six: Site) -> None:
    database, model = Database(six.store_path), WordModel()
    database.connection.execute("BEGIN")
    with pytest.raises(EmbeddingRefused, match="inside an open transaction"):
        embed_missing(database, six.set(), model, workers=0)
    assert model.documents == []
    database.connection.execute("ROLLBACK")
    assert embed_missing(database, six.set(), model, workers=0).stored == 6
    database.close()


def test_every_batch_is_there_for_others_as_soon_as_it_is_done(six: Site) -> None:
    seen: list[int] = []

    def look(number: int) -> None:
        other = apsw.Connection(six.store_path, flags=apsw.SQLITE_OPEN_READONLY)
        seen.append(other.execute("SELECT count(*) FROM embeddings").fetchall()[0][0])
        other.close()

    embed(six, WordModel(batch=2, before=look))
    assert seen == [0, 2, 4]


def test_others_may_write_between_two_batches(six: Site, page: Page) -> None:
    def write(number: int) -> None:
        six.write({f"team/knowledge/new{number}.md": page("new")}, settled=False)
        six.index()

    assert embed(six, WordModel(before=write)).stored == 6


def test_two_runs_at_once_do_not_embed_twice_what_one_has_done(six: Site, page: Page) -> None:
    six.write({f"team/knowledge/m{at}.md": page(f"more {at}") for at in range(100)})
    six.index()
    second = WordModel(batch=10)
    first = WordModel(batch=10, before=lambda number: number == 1 and embed(six, second) and None)
    report = embed(six, first)
    assert report.missing == 0
    assert len(second.documents) == 96
    # It had taken the first texts before the other began, and asks again for every group.
    assert len(first.documents) <= 64
    assert models(six) == {"local:words|32": 106}


def test_runs_with_different_models_do_not_disturb_each_other(six: Site) -> None:
    first = WordModel(
        "one", before=lambda number: number == 1 and embed(six, WordModel("two")) and None
    )
    embed(six, first)
    assert sum(models(six).values()) == 6


# What it says.


def test_lines_have_the_documented_words(six: Site) -> None:
    lines: list[tuple[str, str]] = []
    embed(six, WordModel(), on_line=lambda kind, text: lines.append((kind, text)))
    assert [text for kind, text in lines if kind == "batch"] == [
        "Embedded 2/6 entries.",
        "Embedded 4/6 entries.",
        "Embedded 6/6 entries.",
    ]
    assert lines[0] == ("start", "Generating embeddings for 6 entries.")
    kind, text = lines[-1]
    assert kind == "done"
    assert re.fullmatch(
        r"Stored 6 embeddings in \d+\.\ds \(\d+\.\d entries/s, ~\d+ tokens/s\)\.", text
    )


def test_progress_is_told_after_every_commit(six: Site) -> None:
    told: list[tuple[int, int]] = []
    embed(six, WordModel(), on_progress=lambda done, total: told.append((done, total)))
    assert told == [(2, 6), (4, 6), (6, 6)]


def test_the_heartbeat_names_what_is_stored_and_what_failed(six: Site) -> None:
    lines: list[str] = []

    class Waits(WordModel):
        def embed_documents(self, documents: Any, watch: Any) -> None:
            from akm_ls.embedders.embedder import Skip

            first, second, third, *_ = documents
            watch.on_batch([first.key], np.asarray([direction(first.text, 32)]))
            watch.on_skip(Skip((second.key, third.key), "http", "HTTP 500"))
            watch.on_wait()

    embed(six, Waits(), on_line=lambda kind, text: lines.append(text))
    assert (
        "Still generating embeddings: 1/6 stored, 2 failed; waiting on embedding provider." in lines
    )


def test_tokens_are_those_of_the_capped_texts_that_were_stored(site: Site, page: Page) -> None:
    site.write({f"team/knowledge/{name}.md": page("word " * 3000) for name in "ab"})
    site.index()
    assert embed(site, WordModel(), max_input_tokens=100).tokens == 200


def test_a_lost_batch_is_a_warning_with_its_size_and_reason(
    six: Site, endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.script(Answer(500, "out of memory"))
    report = embed(six, remote(endpoint, batch_size=4))
    assert (report.stored, report.failed, report.missing) == (2, 4, 4)
    assert report.problem is None
    warnings = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert [record.getMessage() for record in warnings] == [
        "Embedding 4 entries failed (http): HTTP 500: out of memory"
    ]


# Where it ends early.


def test_a_dead_endpoint_ends_the_run_and_keeps_what_is_stored(
    six: Site, endpoint: Endpoint
) -> None:
    dead = Answer(reset=True)
    endpoint.script(lambda request: Answer(200, '{"embeddings": [[1, 0]]}'), dead, dead, dead)
    model = remote(endpoint, batch_size=1)
    report = embed(six, model)
    assert len(endpoint.requests) == 4
    assert report.stored == 1
    assert report.problem is not None
    assert re.fullmatch(
        r"embedding provider failed 3 consecutive batches \(last: .+\); stopped after 1 embeddings"
        r" were stored — rerun akm index when the endpoint is healthy",
        report.problem,
    )
    assert meta(six, noted_problem, model.id) == report.problem
    assert models(six) == {model.id: 1}


def test_a_run_that_goes_through_forgets_the_problem(six: Site, endpoint: Endpoint) -> None:
    endpoint.script(*[Answer(reset=True)] * 3)
    model = remote(endpoint, batch_size=1)
    assert embed(six, model).problem is not None
    report = embed(six, model)
    assert (report.problem, report.missing) == (None, 0)
    assert meta(six, noted_problem, model.id) is None


def test_a_refused_key_ends_the_run_at_once(six: Site, endpoint: Endpoint) -> None:
    endpoint.behave = lambda request: Answer(401)
    report = embed(six, remote(endpoint, batch_size=1))
    assert len(endpoint.requests) == 1
    assert "wants an API key (HTTP 401): set AKM_EMBED_API_KEY" in str(report.problem)


def test_a_run_in_which_nothing_succeeds_is_a_problem(six: Site, endpoint: Endpoint) -> None:
    endpoint.behave = lambda request: Answer(500, "broken")
    report = embed(six, remote(endpoint, batch_size=3))
    assert report.problem == "no entry could be embedded (last: HTTP 500: broken)"


def test_another_dimension_than_that_of_the_stored_rows_asks_for_reembed(
    six: Site, page: Page, endpoint: Endpoint
) -> None:
    embed(six, remote(endpoint))
    six.write({"team/knowledge/new.md": page("new")})
    six.index()
    endpoint.script(Answer(200, '{"embeddings": [[1, 0]]}'))
    report = embed(six, remote(endpoint))
    assert "vectors of 2 numbers, and those in the index have 8" in str(report.problem)
    assert "akm-ls index --reembed" in str(report.problem)
    assert embed(six, remote(endpoint), reembed=True).stored == 7


def test_a_cancelled_run_is_not_a_failed_one(six: Site) -> None:
    model, done = WordModel(), []
    report = embed(
        six, model, on_progress=lambda *it: done.append(it), cancelled=lambda: len(done) == 2
    )
    assert (report.cancelled, report.problem, report.stored, report.missing) == (True, None, 4, 2)
    assert meta(six, noted_problem, model.id) is None


def test_a_cancelled_run_leaves_an_older_problem_as_it_is(six: Site, endpoint: Endpoint) -> None:
    endpoint.script(*[Answer(reset=True)] * 3)
    model = remote(endpoint, batch_size=1)
    problem = embed(six, model).problem
    embed(six, model, cancelled=lambda: True)
    assert meta(six, noted_problem, model.id) == problem


def test_rows_are_counted_by_model_and_bundle(six: Site) -> None:
    embed(six, WordModel("one", batch=100))
    keys = [key for (key,) in six.sql("SELECT key FROM bundles")]
    assert meta(six, rows_by_model, keys) == {"local:one|32": 6}
    assert meta(six, rows_by_model, [9]) == {}
