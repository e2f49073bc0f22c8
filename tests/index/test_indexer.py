"""A run over the bundles: what is read, what is written, and what is left alone."""

from __future__ import annotations

import os
import shutil
import time
from typing import Any

import pytest

from akm_ls.index import indexer, verify
from akm_ls.index.database import StoreError
from akm_ls.index.delta import Delta
from akm_ls.index.scan import MUCH

from .conftest import Page, Site


def test_every_asset_becomes_an_entry(site: Site, page: Page) -> None:
    site.write(
        {
            "team/knowledge/tls.md": page("Certificates", "# TLS\n\nSee team//skills/review.\n"),
            "team/skills/review/SKILL.md": page("Reviews code"),
        }
    )
    report = site.index()
    assert (report.files, report.entries, report.added) == (2, 2, 2)
    assert report.warnings == ()
    assert site.refs() == ["team//knowledge/tls", "team//skills/review"]


def test_a_second_run_reads_nothing(site: Site, page: Page, reads: list[str]) -> None:
    site.write({"team/knowledge/a.md": page(), "team/knowledge/deep/b.md": page()})
    site.index()
    reads.clear()
    report = site.index()
    assert reads == []
    assert (report.added, report.changed, report.removed, report.unchanged) == (0, 0, 0, 2)


def test_only_the_changed_file_is_read(site: Site, page: Page, reads: list[str]) -> None:
    site.write({"team/knowledge/a.md": page(), "team/knowledge/b.md": page()})
    site.index()
    before = site.ids()
    reads.clear()
    site.write({"team/knowledge/b.md": page("Something else")}, settled=False)
    report = site.index()
    assert reads == ["knowledge/b.md"]
    assert (report.changed, report.unchanged) == (1, 1)
    assert site.ids() == before, "ids survive"
    (delta,) = site.deltas
    ((old, new),) = delta.changed
    assert (old.description, new.description) == ("A page", "Something else")


def test_a_touched_file_is_no_change(site: Site, page: Page) -> None:
    site.write({"team/knowledge/a.md": page()})
    site.index()
    os.utime(site.path("team/knowledge/a.md"), (time.time() - 60, time.time() - 60))
    report = site.index()
    assert (report.changed, report.unchanged) == (0, 1)
    with site.store() as store:
        stored = store.entry("team", "knowledge/a")
    assert stored is not None
    assert stored.entry.mtime_ns == os.stat(site.path("team/knowledge/a.md")).st_mtime_ns


def test_a_file_written_while_it_is_read_is_read_again(
    site: Site, page: Page, reads: list[str]
) -> None:
    site.write({"team/knowledge/a.md": page()}, settled=False)
    moment = time.time_ns()
    os.utime(site.path("team/knowledge/a.md"), ns=(moment, moment))
    site.index()
    site.write({"team/knowledge/a.md": page("B page")}, settled=False)
    os.utime(site.path("team/knowledge/a.md"), ns=(moment, moment))  # same size, same time
    site.index()
    assert reads == ["knowledge/a.md", "knowledge/a.md"]
    with site.store() as store:
        assert [stub.description for stub in store.stubs()] == ["B page"]


def test_removed_files_leave_nothing(site: Site, page: Page) -> None:
    site.write(
        {
            "team/knowledge/a.md": page("A", "# One\n\nSee team//knowledge/b.\n"),
            "team/knowledge/b.md": page(),
        }
    )
    site.index()
    site.remove("team/knowledge/a.md")
    report = site.index()
    assert report.removed == 1
    assert [stub.concept_id for stub in site.deltas[0].removed] == ["knowledge/a"]
    for table in ("entries", "entries_fts", "files"):
        assert site.sql(f"SELECT count(*) FROM {table}") == [(1,)], table
    for table in ("fragments", "citations"):
        assert site.sql(f"SELECT count(*) FROM {table}") == [(0,)], table


def test_a_full_run_reads_everything_and_keeps_ids_and_vectors(
    site: Site, page: Page, reads: list[str]
) -> None:
    site.write({"team/knowledge/a.md": page(), "team/knowledge/b.md": page()})
    site.index()
    before = site.ids()
    site.sql(
        "INSERT INTO embeddings (entry_id, model, dim, embedding)"
        " SELECT id, 'm', 1, x'00000000' FROM entries"
    )
    reads.clear()
    report = site.index(full=True)
    assert sorted(reads) == ["knowledge/a.md", "knowledge/b.md"]
    assert (report.mode, report.changed, report.unchanged) == ("full", 0, 2)
    assert site.ids() == before
    assert site.sql("SELECT count(*) FROM embeddings") == [(2,)]


def test_a_vector_goes_when_its_text_changes(site: Site, page: Page) -> None:
    site.write({"team/knowledge/a.md": page(), "team/knowledge/b.md": page()})
    site.index()
    site.sql(
        "INSERT INTO embeddings (entry_id, model, dim, embedding)"
        " SELECT id, 'm', 1, x'00000000' FROM entries"
    )
    site.write({"team/knowledge/a.md": page("Another text")}, settled=False)
    site.index()
    assert site.sql("SELECT entry_id FROM embeddings") == [(site.ids()["knowledge/b"],)]


def test_a_package_file_changes_its_neighbours(site: Site, reads: list[str]) -> None:
    site.write(
        {
            "team/scripts/x/run.sh": "echo\n",
            "team/scripts/x/package.json": '{"description": "Runs things"}',
            "team/scripts/y/run.sh": "echo\n",
        }
    )
    site.index()
    reads.clear()
    site.write(
        {"team/scripts/x/package.json": '{"description": "Runs other things"}'}, settled=False
    )
    site.index()
    assert "scripts/x/run.sh" in reads
    assert "scripts/y/run.sh" not in reads
    with site.store() as store:
        stored = store.entry("team", "scripts/x/run.sh")
    assert stored is not None
    assert stored.entry.description == "Runs other things"


def test_two_files_with_one_ref_the_smaller_path_holds_it(site: Site, page: Page) -> None:
    # Both are `knowledge/guide`: one by its place, the other by its directory's type.
    site.write({"team/knowledge/guide.md": page("Second"), "team/guide.md": page("First")})
    report = site.index()
    (claims,) = site.deltas[0].claims
    assert claims.paths == (site.path("team/guide.md"), site.path("team/knowledge/guide.md"))
    assert len(report.warnings) == 1
    assert "guide.md" in report.warnings[0]
    assert "knowledge/guide.md" in report.warnings[0]
    with site.store() as store:
        (stub,) = store.stubs()
        assert (stub.description, stub.path) == ("First", site.path("team/guide.md"))
        assert [claim.paths for claim in store.claims()] == [claims.paths]
    assert site.index().warnings == report.warnings, "said again as long as it is so"


@pytest.mark.parametrize("first", ["team/guide.md", "team/knowledge/guide.md"])
def test_the_holder_does_not_depend_on_the_order(site: Site, page: Page, first: str) -> None:
    files = {
        "team/guide.md": page("First"),
        "team/knowledge/guide.md": page("Second"),
    }
    site.write({first: files[first]})
    site.index()
    identity = site.ids()
    site.write(files)
    site.index()
    with site.store() as store:
        assert [stub.description for stub in store.stubs()] == ["First"]
    assert site.ids() == identity


def test_the_ref_passes_on_when_its_holder_goes(site: Site, page: Page) -> None:
    site.write({"team/knowledge/guide.md": page("Second"), "team/guide.md": page("First")})
    site.index()
    site.remove("team/guide.md")
    report = site.index()
    assert report.warnings == ()
    with site.store() as store:
        assert [stub.description for stub in store.stubs()] == ["Second"]
        assert store.claims() == []
    (delta,) = site.deltas
    assert not delta.removed
    assert [claim.paths for claim in delta.claims] == [()]


def test_a_cancelled_run_keeps_what_it_wrote_and_the_next_goes_on(
    site: Site, page: Page, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "GROUP_FILES", 1)
    site.write({f"team/knowledge/{n}.md": page(f"Page {n}") for n in range(150)})
    report = site.index(cancelled=lambda: bool(reads))
    assert report.cancelled
    done = len(reads)
    assert 0 < done < 150
    assert len(site.refs()) == done
    with site.store() as store:
        assert store.complete_bundles() == frozenset()
    report = site.index()
    assert len(reads) == 150, "nothing was read twice"
    assert not report.cancelled
    assert len(site.refs()) == 150
    with site.store() as store:
        assert store.complete_bundles() == {"team"}


TARGET_INDEX = "SELECT count(*) FROM sqlite_master WHERE name = 'citations_target'"


def test_who_cites_an_asset_is_told_during_a_first_load_and_sorted_after_it(
    site: Site, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "GROUP_FILES", 1)
    citing = page(body="See team//knowledge/hub.")
    site.write({f"team/knowledge/{n}.md": citing for n in range(MUCH)})
    told: list[int] = []
    indexed: list[tuple[int]] = []

    def ask(done: int, total: int, label: str) -> None:
        with site.store() as store:
            told.append(len(store.citations_of("team", "knowledge/hub")))
        indexed.extend(site.sql(TARGET_INDEX))

    site.index(on_progress=ask, on_delta=None)
    assert told[0] < told[-1] == MUCH
    assert set(indexed) == {(0,)}
    assert site.sql(TARGET_INDEX) == [(1,)]


def test_citations_are_sorted_at_once_for_who_follows_a_run(site: Site, page: Page) -> None:
    site.write({f"team/knowledge/{n}.md": page() for n in range(MUCH)})
    indexed: list[tuple[int]] = []
    site.index(on_delta=lambda delta: indexed.extend(site.sql(TARGET_INDEX)))
    assert set(indexed) == {(1,)}


def test_citations_are_sorted_by_the_next_run_after_one_that_was_cancelled(
    site: Site, page: Page, reads: list[str]
) -> None:
    site.write({f"team/knowledge/{n}.md": page() for n in range(MUCH)})
    assert site.index(cancelled=lambda: bool(reads), on_delta=None).cancelled
    assert site.sql(TARGET_INDEX) == [(0,)]
    site.index()
    assert site.sql(TARGET_INDEX) == [(1,)]


def test_citations_stay_sorted_while_more_are_added(site: Site, page: Page) -> None:
    site.write({"team/knowledge/a.md": page(body="See team//knowledge/hub.")})
    site.index()
    site.write({f"team/knowledge/{n}.md": page() for n in range(MUCH)})
    indexed: list[tuple[int]] = []
    site.index(on_progress=lambda *_: indexed.extend(site.sql(TARGET_INDEX)), on_delta=None)
    assert set(indexed) == {(1,)}


def test_a_run_leaves_few_segments_of_full_text(
    site: Site, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "GROUP_FILES", 1)
    site.write({f"team/knowledge/{n}.md": page(body=f"word{n}") for n in range(400)})
    segments: list[int] = []

    def count(delta: Delta) -> None:
        segments.append(len(site.sql("SELECT DISTINCT segid FROM entries_fts_idx")))

    site.index(on_delta=count)
    count(Delta())
    assert max(segments) > 4 > segments[-1]
    assert len(site.sql("SELECT rowid FROM entries_fts WHERE entries_fts MATCH 'word149'")) == 1


def test_progress_counts_files(site: Site, page: Page) -> None:
    site.write({f"team/knowledge/{n}.md": page() for n in range(70)})
    seen: list[tuple[int, int, str]] = []
    site.index(on_progress=lambda done, total, label: seen.append((done, total, label)))
    assert seen[0][:2] == (0, 70)
    assert seen[-1] == (70, 70, "team")


def test_a_file_that_cannot_be_read_is_a_warning(site: Site, page: Page) -> None:
    site.write({"team/knowledge/a.md": page(), "team/knowledge/big.md": b"x" * 10_500_000})
    report = site.index()
    assert report.entries == 1
    assert len(report.warnings) == 1
    assert "knowledge/big.md" in report.warnings[0]


def test_a_file_that_breaks_the_reader_is_a_warning(
    site: Site, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    from akm_ls.index import rows

    read = rows.read_entry

    def fail(bundle: Any, rel: str, *stat: int, walked: bool) -> object:
        if rel.endswith("bad.md"):
            raise RecursionError("the text of the file")
        return read(bundle, rel, *stat, walked=walked)

    monkeypatch.setattr(rows, "read_entry", fail)
    site.write({"team/knowledge/good.md": page(), "team/knowledge/bad.md": page()})
    report = site.index()
    assert report.entries == 1
    assert "knowledge/bad.md" in report.warnings[0]
    assert "the text" not in report.warnings[0]


def test_what_no_database_can_hold_is_replaced(site: Site) -> None:
    text = '---\ndescription: "half a \\ud83d pair"\ntags: ["\\udc00"]\n---\nNUL \0 and \v\f\n'
    site.write({"team/knowledge/odd.md": text.encode("utf-8", "surrogatepass")})
    assert site.index().entries == 1
    with site.store() as store:
        (stub,) = store.stubs()
        assert stub.description.encode()
        assert store.match('"half"', limit=5)


# Several workspaces share the file.


def test_one_id_for_two_directories_is_two_bundles(site: Site, page: Page) -> None:
    site.write({"one/knowledge/a.md": page("One"), "two/knowledge/a.md": page("Two")})
    one = site.set(site.bundle("team", directory="one"))
    two = site.set(site.bundle("team", directory="two"))
    site.index(one)
    site.index(two)
    for bundles, said in ((one, "One"), (two, "Two")):
        with site.store(bundles) as store:
            assert [stub.description for stub in store.stubs()] == [said]
            assert store.count() == 1
    site.index(one, full=True)
    assert site.sql("SELECT count(*) FROM entries") == [(2,)]


def test_bundles_of_other_workspaces_are_left_alone(site: Site, page: Page) -> None:
    site.write({"team/knowledge/a.md": page(), "other/knowledge/b.md": page()})
    site.index(site.set("other"))
    site.index(site.set("team"), clean=True)
    assert site.refs(site.set("other")) == ["other//knowledge/b"]


def test_a_bundle_whose_directory_went_leaves_no_rows(site: Site, page: Page) -> None:
    site.write({"team/knowledge/a.md": page(), "other/knowledge/b.md": page("B", "# H\n")})
    site.index(site.set("team", "other"))
    shutil.rmtree(site.path("other"))
    site.index(site.set("team"))
    assert site.sql("SELECT concept_id FROM entries") == [("knowledge/a",)]
    for table in ("bundles", "files", "entries_fts"):
        assert site.sql(f"SELECT count(*) FROM {table}") == [(1,)], table


def test_a_bundle_taken_out_of_the_configuration_leaves_no_rows(site: Site, page: Page) -> None:
    site.write({"config.json": "{}", "team/knowledge/a.md": page(), "old/knowledge/b.md": page()})
    watch = (site.path("config.json"),)
    team, old = (site.bundle(name, configured=True, origin="config") for name in ("team", "old"))
    site.index(site.set(team, old, watch=watch))
    site.index(site.set(watch=watch))
    assert len(site.ids()) == 2, "a configuration that names nothing may just be broken"
    site.index(site.set(team, watch=watch))
    assert list(site.ids()) == ["knowledge/a"]


def test_the_same_directory_cut_in_two_ways_does_not_flap(
    site: Site, page: Page, reads: list[str]
) -> None:
    site.write({"team/knowledge/a.md": page(), "team/skills/x/SKILL.md": page()})
    whole = site.set("team")
    cut = site.set("team", site.bundle("skills", directory="team/skills", adapter="agent-skills"))
    site.index(whole)
    site.index(cut)
    assert site.refs(whole) == ["team//knowledge/a", "team//skills/x"]
    assert site.refs(cut) == ["team//knowledge/a", "skills//x"]
    reads.clear()
    site.index(whole)
    site.index(cut)
    assert reads == []
    site.index(cut, clean=True)
    assert site.refs(whole) == []


def test_only_one_bundle(site: Site, page: Page, reads: list[str]) -> None:
    site.write({"team/knowledge/a.md": page(), "other/knowledge/b.md": page()})
    bundles = site.set("team", "other")
    report = site.index(bundles, only="other")
    assert reads == ["knowledge/b.md"]
    assert (report.bundles, report.entries) == (1, 1)
    with site.store(bundles) as store:
        assert store.complete_bundles() == {"other"}
        assert store.status().built_at is None


# Damage.


def test_a_damaged_file_is_made_again(site: Site, page: Page) -> None:
    site.write({"team/knowledge/a.md": page()})
    site.index()
    with open(site.store_path, "r+b") as file:
        file.seek(0)
        file.write(b"no database at all" * 100)
    report = site.index()
    assert (report.entries, report.added) == (1, 1)


def test_damage_found_in_the_middle_of_a_run(
    site: Site, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    import apsw

    site.write({f"team/knowledge/{n}.md": page() for n in range(5)})
    failures = [apsw.CorruptError("database disk image is malformed")]
    write = indexer.write

    def broken(*arguments: object, **options: object) -> object:
        if failures:
            raise failures.pop()
        return write(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(indexer, "write", broken)
    report = site.index()
    assert report.entries == 5
    assert any("damaged" in warning for warning in report.warnings)


def test_rows_that_do_not_agree_are_mended(site: Site, page: Page) -> None:
    site.write({"team/knowledge/a.md": page("Alpha"), "team/knowledge/b.md": page("Beta")})
    site.index()
    site.sql("DELETE FROM entries_fts WHERE rowid = ?", site.ids()["knowledge/a"])
    site.sql("INSERT INTO fragments VALUES (999, 0, 'x', NULL, 1, 0, 0, 0)")
    with site.store() as store:
        assert len(store.database.run(verify.disagreements)) == 2
    site.write({"team/knowledge/b.md": page("Gamma")}, settled=False)
    report = site.index()
    assert report.warnings == ()
    with site.store() as store:
        assert store.database.run(verify.disagreements) == ()
        assert len(store.match('"alpha"', limit=5)) == 1


def test_an_index_that_cannot_be_written_says_so_in_one_line(site: Site, page: Page) -> None:
    site.write({"team/knowledge/a.md": page(), "data": "a file where a directory should be"})
    with pytest.raises(StoreError) as problem:
        site.index()
    assert "\n" not in str(problem.value)
    assert "akm-ls.db" in str(problem.value)


def test_no_secret_and_no_value_reaches_the_file(site: Site) -> None:
    marker = "MARKER-0123456789"
    site.write(
        {
            "team/secrets/token": marker,
            "team/env/prod.env": f"API_KEY={marker}\nexport OTHER='{marker}'\n# {marker}\n",
            "team/env/hidden.env": f"A={marker}\n",
            "team/env/hidden.sensitive": "",
        }
    )
    site.index()
    assert site.refs() == ["team//env/prod", "team//secrets/token"]
    with site.store() as store:
        env = store.entry("team", "env/prod")
        secret = store.entry("team", "secrets/token")
    assert env is not None
    assert env.entry.keys == ("API_KEY", "OTHER")
    assert secret is not None
    assert (secret.entry.size, secret.entry.content_hash) == (0, "")
    for name in os.listdir(site.path("data")):
        with open(os.path.join(site.path("data"), name), "rb") as file:
            assert marker.encode() not in file.read(), name
