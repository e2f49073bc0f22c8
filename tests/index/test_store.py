"""What is asked of the index."""

from __future__ import annotations

import os
import stat

import apsw
import pytest

from akm_ls.bundles.reading import entry_from_text
from akm_ls.documents.document import parse
from akm_ls.index import schema
from akm_ls.index.catalog import Catalog
from akm_ls.index.database import Database
from akm_ls.index.delta import Claims, Delta
from akm_ls.index.full_text import Gate
from akm_ls.index.store import StoreError
from akm_ls.index.stub import Stub, stub_of

from .conftest import Page, Site

TLS = """---
description: How certificates are renewed
tags: [tls, ops]
aliases: [ssl]
when_to_use: Before a certificate expires
beliefState: asserted
xrefs: [skills/review, other//knowledge/x]
---

# Renewing TLS

😀 See team//skills/review#steps and `other//knowledge/x`.

## First steps

Read the runbook.

## First steps

And again.
"""


@pytest.fixture
def indexed(site: Site, page: Page) -> Site:
    site.write(
        {
            "team/knowledge/tls.md": TLS,
            "team/skills/review/SKILL.md": page("Reviews code", "# Review\n\n## Steps\n"),
            "other/knowledge/x.md": page("Cites the same", "See skills and team//skills/review.\n"),
            "other/skills/review/SKILL.md": page("Another review"),
        }
    )
    site.index(site.set("team", "other"))
    return site


def test_an_entry_comes_back_as_it_was_read(indexed: Site) -> None:
    bundles = indexed.set("team", "other")
    path = indexed.path("team/knowledge/tls.md")
    status = os.stat(path)
    with indexed.store(bundles) as store:
        stored = store.entry("team", "knowledge/tls")
        (stub,) = [it for it in store.stubs() if it.concept_id == "knowledge/tls"]
        assert store.fragments("team", "knowledge/tls") == stored.entry.fragments  # type: ignore[union-attr]
    read = entry_from_text(
        bundles.bundles[0], "knowledge/tls.md", TLS, status.st_size, status.st_mtime_ns
    )
    assert read is not None
    assert stored is not None
    for field in read.__dataclass_fields__:
        if field != "content":
            assert getattr(stored.entry, field) == getattr(read, field), field
    assert stored.entry.content == ""
    assert stub == stub_of(read)


def test_entries_come_in_the_order_asked_for(indexed: Site) -> None:
    ids = [entry_id for (entry_id,) in indexed.sql("SELECT id FROM entries ORDER BY id DESC")]
    with indexed.store(indexed.set("team", "other")) as store:
        assert [stored.id for stored in store.entries([*ids, 999])] == ids
    with indexed.store(indexed.set("other")) as store:
        assert {stored.entry.bundle for stored in store.entries(ids)} == {"other"}


def test_a_citation_has_its_place_in_both_encodings(indexed: Site) -> None:
    with indexed.store(indexed.set("team", "other")) as store:
        places = store.citations_of("team", "skills/review")
    assert [(place.source, place.citation.channel) for place in places] == [
        ("team//knowledge/tls", "xrefs"),
        ("team//knowledge/tls", "prose"),
        ("other//knowledge/x", "prose"),
    ]
    prose = places[1].citation
    lines = parse(TLS).lines
    assert (prose.text, prose.fragment) == ("team//skills/review#steps", "steps")
    assert lines.text[prose.start : prose.end] == prose.text
    assert (prose.line, prose.columns[0]) == lines.position(prose.start, "utf-8")
    assert (prose.line, prose.columns[2]) == lines.position(prose.start, "utf-16")
    assert places[1].path == indexed.path("team/knowledge/tls.md")


def test_a_bare_citation_counts_for_its_own_bundle(indexed: Site) -> None:
    with indexed.store(indexed.set("team", "other")) as store:
        assert store.citations_of("other", "skills/review") == []
        counts = store.citation_counts()
        assert store.citation_counts("other") == {("other", "knowledge/x"): 2}
        assert counts[("team", "skills/review")] == 3
        for (bundle, concept_id), count in counts.items():
            assert len(store.citations_of(bundle, concept_id)) == count
        assert len(list(store.citations())) == sum(counts.values())


def test_citations_from_bundles_that_are_not_open_do_not_count(indexed: Site) -> None:
    with indexed.store(indexed.set("team")) as store:
        assert len(store.citations_of("team", "skills/review")) == 2


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("renewing", "headings"),
        ("certificate", "stemmed"),
        ("ssl", "aliases"),
        ("expires", "when to use"),
        ("runbook", "body"),
        ("RENEWED", "any case"),
    ],
)
def test_what_an_asset_is_found_by(indexed: Site, word: str, found: str) -> None:
    with indexed.store(indexed.set("team", "other")) as store:
        (row,) = store.match(f'"{word}"', limit=10)
        assert row.bm25 < 0
        assert store.entries([row.entry_id])[0].entry.ref == "team//knowledge/tls"


def test_a_match_in_the_name_is_better_than_one_in_the_body(site: Site, page: Page) -> None:
    site.write(
        {
            "team/knowledge/rotate-tokens.md": page("One"),
            "team/knowledge/other.md": page("Two", "How to rotate tokens.\n"),
        }
    )
    site.index()
    with site.store() as store:
        rows = store.match('"rotate" AND "tokens"', limit=10)
        names = [stored.entry.name for stored in store.entries([row.entry_id for row in rows])]
    assert names == ["rotate-tokens", "other"]


def test_matches_by_type_and_bundle(indexed: Site) -> None:
    with indexed.store(indexed.set("team", "other")) as store:
        assert len(store.match('"review"', limit=10)) == 4
        assert len(store.match('"review"', limit=1)) == 1
        assert len(store.match('"review"', limit=10, types=frozenset({"skill"}))) == 2
        assert len(store.match('"review"', limit=10, exclude_types=frozenset({"skill"}))) == 2
        assert len(store.match('"review"', limit=10, bundle="other")) == 2


def test_no_full_text_expression_is_more_than_an_error(indexed: Site) -> None:
    with indexed.store() as store:
        for expression in ('"', "AND", "name:(", "", "x NEAR", "*"):
            try:
                assert store.match(expression, limit=5) == []
            except StoreError as problem:
                assert "\n" not in str(problem)


def test_status_counts_by_bundle(indexed: Site) -> None:
    with indexed.store(indexed.set("team", "other", "new")) as store:
        status = store.status()
        assert [(it.id, it.entries, it.files) for it in status.bundles] == [
            ("team", 2, 2),
            ("other", 2, 2),
            ("new", 0, 0),
        ]
        assert status.entries == store.count() == 4
        assert status.built_at is None, "one bundle was never indexed"
        assert store.complete_bundles() == {"team", "other"}
    with indexed.store(indexed.set("team")) as store:
        assert store.status().built_at is not None


def test_an_empty_index_answers(site: Site) -> None:
    with site.store() as store:
        assert store.stubs() == []
        assert store.claims() == []
        assert store.entry("team", "knowledge/a") is None
        assert store.entry("elsewhere", "knowledge/a") is None
        assert store.citations_of("team", "knowledge/a") == []
        assert store.match('"a"', limit=5) == []
        assert store.status().built_at is None


# Following what other processes write.


def test_changes_since_a_generation(indexed: Site, page: Page) -> None:
    bundles = indexed.set("team", "other")
    with indexed.store(bundles) as store:
        since = store.generation()
        unchanged = store.changes(since)
        assert unchanged is not None
        assert unchanged.delta.is_empty
        assert unchanged.complete == {"team", "other"}
        indexed.write({"team/knowledge/new.md": page("New")}, settled=False)
        indexed.remove("other/knowledge/x.md")
        indexed.index(bundles)
        changes = store.changes(since)
        assert changes is not None
        assert [stub.ref for stub in changes.delta.added] == ["team//knowledge/new"]
        assert [stub.ref for stub in changes.delta.removed] == ["other//knowledge/x"]
        assert changes.generation == store.generation() > since
        assert store.changes(changes.generation + 1) is None, "another file than it was"


# The file.


def test_a_file_deleted_under_an_open_store_is_noticed(indexed: Site) -> None:
    with indexed.store() as store:
        assert store.count() == 2
        for name in os.listdir(indexed.path("data")):
            os.unlink(indexed.path(f"data/{name}"))
        assert store.count() == 0
        indexed.index()
        assert store.count() == 2


def test_what_is_no_database_is_replaced(site: Site) -> None:
    site.write({"data/akm-ls.db": b"not a database" * 1000})
    with site.store() as store:
        assert store.count() == 0


def test_a_damaged_table_is_replaced_when_it_is_read(indexed: Site) -> None:
    with indexed.store() as store:
        size = os.path.getsize(indexed.store_path)
        store.close()
    with open(indexed.store_path, "r+b") as file:
        file.seek(16384)
        file.write(os.urandom(size - 16384))
    with indexed.store() as store:
        assert store.stubs() == []
    indexed.index()
    assert indexed.refs() == ["team//knowledge/tls", "team//skills/review"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions bind nobody here")
def test_a_directory_that_cannot_be_written(site: Site) -> None:
    site.write({"data/x": ""})
    os.chmod(site.path("data"), stat.S_IRUSR | stat.S_IXUSR)
    try:
        with pytest.raises(StoreError, match=r"akm-ls\.db"):
            site.store()
    finally:
        os.chmod(site.path("data"), stat.S_IRWXU)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (apsw.FullError, "disk is full"),
        (apsw.ReadOnlyError, "read-only"),
        (apsw.CantOpenError, "cannot be opened"),
        (apsw.BusyError, "locked by another process that does not let go"),
        (apsw.IOError, "cannot be used"),
        (PermissionError(13, "Permission denied"), "Permission denied"),
    ],
)
def test_every_failure_is_one_line_that_says_which(
    site: Site, error: type[Exception] | Exception, words: str
) -> None:
    def fail(_: apsw.Connection) -> None:
        raise error

    with site.store() as store:
        for call in (store.database.run, store.database.write):
            with pytest.raises(StoreError, match=words) as problem:
                call(fail)
            assert "\n" not in str(problem.value)
            assert store.path in str(problem.value)


def test_a_failed_write_leaves_nothing(site: Site) -> None:
    def half(connection: apsw.Connection) -> None:
        connection.execute("INSERT INTO meta VALUES ('half', 1)")
        raise KeyError("interrupted")

    with site.store() as store:
        with pytest.raises(KeyError):
            store.database.write(half)
        assert site.sql("SELECT * FROM meta WHERE key = 'half'") == []


def test_the_layout_of_a_newer_version_is_served(
    indexed: Site, caplog: pytest.LogCaptureFixture
) -> None:
    newer = schema.VERSION + 1
    indexed.sql("UPDATE meta SET value = ? WHERE key = 'version'", newer)
    indexed.sql("ALTER TABLE entries ADD COLUMN mood TEXT NOT NULL DEFAULT 'good'")
    with indexed.store() as store:
        assert store.count() == 2
    indexed.index(full=True)
    assert indexed.sql("SELECT value FROM meta WHERE key = 'version'") == [(newer,)]
    assert indexed.sql("SELECT DISTINCT mood FROM entries") == [("good",)]
    assert f"layout {newer}" in caplog.text


def test_an_older_layout_is_added_to_and_filled_again(indexed: Site, reads: list[str]) -> None:
    before = indexed.ids()
    connection = apsw.Connection(indexed.store_path)
    connection.execute("ALTER TABLE entries DROP COLUMN slugs")
    connection.execute("DROP TABLE fragments; DROP TABLE entries_fts")
    connection.execute("UPDATE meta SET value = 0 WHERE key = 'version'")
    connection.close()
    bundles = indexed.set("team", "other")
    with indexed.store(bundles) as store:
        assert store.count() == 4, "nothing was dropped"
    report = indexed.index(bundles)
    assert len(reads) == 4
    assert report.warnings == ()
    assert indexed.ids() == before
    with indexed.store(bundles) as store:
        assert store.match('"renewing"', limit=5)
        (stub,) = [it for it in store.stubs() if it.concept_id == "knowledge/tls"]
    assert stub.fragments()[0] == ("renewing-tls", "Renewing TLS")
    assert indexed.sql("SELECT value FROM meta WHERE key = 'version'") == [(schema.VERSION,)]


def test_an_index_of_before_the_gates_own_is_given_it_and_read_no_file_again(
    indexed: Site, reads: list[str]
) -> None:
    indexed.sql(f"DROP INDEX {schema.GATE_INDEX}")
    with indexed.store() as store:
        assert store.match('"renewing"', limit=5)
    indexed.index()
    assert reads == []


def test_how_common_a_word_is_follows_what_is_written(indexed: Site, page: Page) -> None:
    with indexed.store() as store:
        full_text = store.full_text(Gate())
        counted = [full_text.frequency('"renewing"') for _ in range(2)]
        assert counted == [1, 1]
        indexed.write({"team/knowledge/more.md": page("More on renewing")})
        indexed.index()
        assert store.full_text(Gate()).frequency('"renewing"') == 2
        # Its own connection's writes are no other version of the file.
        store.database.write(lambda it: it.execute("DELETE FROM entries_fts").fetchall())
        assert full_text.frequency('"renewing"') == 0


def test_a_current_layout_takes_no_write_lock(indexed: Site) -> None:
    with indexed.store() as store:
        store.database.connection.execute("BEGIN IMMEDIATE")
        other = Database(indexed.store_path)
        assert other.connection.execute("SELECT count(*) FROM entries").fetchone() == (4,)
        other.close()
        store.database.connection.execute("ROLLBACK")


# Large changes in parts.


def test_the_parts_of_a_delta_make_the_catalog_that_the_whole_makes() -> None:
    stubs = [
        Stub("team", f"knowledge/{n}", "knowledge", f"{n}", f"/t/knowledge/{n}.md")
        for n in range(7)
    ]
    claims = [
        Claims("team", stub.concept_id, (stub.path, f"/t/x/{stub.name}.md") if at % 2 else ())
        for at, stub in enumerate(stubs)
    ]
    gone = Stub("team", "knowledge/gone", "", "", "")
    delta = Delta(
        tuple(stubs), removed=(gone,), claims=tuple(claims), complete=("team",), generation=1
    )
    whole, parted = Catalog(), Catalog()
    for catalog in (whole, parted):
        catalog.expect(["team"])
        catalog.load([gone._replace(path="/t/knowledge/gone.md")])
    whole.apply(delta)
    parts = list(delta.parts(3))
    for part in parts:
        assert len(part.added) <= 3
        assert not parted.is_complete()
        parted.apply(part)
    assert list(parted.stubs()) == list(whole.stubs()) == stubs
    assert parted.is_complete() and parted.generation == whole.generation == 1
    for stub in stubs:
        assert parted.claimants("team", stub.concept_id) == whole.claimants("team", stub.concept_id)
    assert list(delta.parts(7)) == [delta]
