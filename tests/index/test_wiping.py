"""What has become sensitive: not a byte of its text is left in the index's files."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable

import apsw
import pytest

from akm_ls.index import targeted, wiping
from akm_ls.index.indexer import upsert_files

from .conftest import Page, Site

WORDS = ("kqvrfirst", "wjxbsecond", "vbzdthird")
"""In the body, the description and a heading. No two begin alike, and nothing else begins so."""
OLD = "ypmcearlier"
"""In a version of the file that was replaced before it became sensitive."""
Act = Callable[[Site, list[str]], None]


def left_of(site: Site) -> set[str]:
    """Which of the words are in any file of the index, in any encoding of SQLite's."""
    data = b"".join(path.read_bytes() for path in (site.root / "data").iterdir()).lower()
    # An index of words leaves out what a word has in common with its neighbour.
    return {
        word
        for word in (*WORDS, OLD)
        if any(word[3:].encode(code) in data for code in ("utf-8", "utf-16-le", "utf-16-be"))
    }


@pytest.fixture
def told(site: Site, page: Page) -> Site:
    """An index with a file's text in it, and others before and after it."""
    body, description, heading = WORDS
    others = {f"team/knowledge/{n}.md": page(f"Page {n}", "Text. " * 50) for n in range(40)}
    site.write(others | {"team/knowledge/plan.md": page(OLD, f"# {OLD}\n\n" + f"{OLD} x. " * 99)})
    site.index()
    text = page(description, f"# {heading}\n\n" + f"{body} word. " * 99)
    site.write({"team/knowledge/plan.md": text}, settled=False)
    site.index()
    assert left_of(site) >= set(WORDS)
    return site


def by_a_run(site: Site, rels: list[str]) -> None:
    site.index()


def by_a_watcher(site: Site, rels: list[str]) -> None:
    with site.store() as store:
        upsert_files(store, [site.path(rel) for rel in rels])


def one_by_one(site: Site, rels: list[str]) -> None:
    for rel in rels:
        by_a_watcher(site, [rel])


@pytest.mark.parametrize("act", [by_a_run, by_a_watcher, one_by_one])
@pytest.mark.parametrize("marker", ["plan.sensitive", "plan.md.sensitive"])
def test_a_file_that_is_marked(told: Site, act: Act, marker: str) -> None:
    told.write({f"team/knowledge/{marker}": ""}, settled=False)
    act(told, [f"team/knowledge/{marker}"])
    assert left_of(told) == set()
    assert "team//knowledge/plan" not in told.refs()
    assert len(told.refs()) == 40


@pytest.mark.parametrize("act", [by_a_run, by_a_watcher, one_by_one])
@pytest.mark.parametrize("place", ["secrets/plan.md", "vaults/plan.md", "secrets/plan"])
def test_a_file_that_is_moved_to_secrets(told: Site, act: Act, place: str) -> None:
    os.makedirs(os.path.dirname(told.path(f"team/{place}")))
    os.rename(told.path("team/knowledge/plan.md"), told.path(f"team/{place}"))
    act(told, ["team/knowledge/plan.md", f"team/{place}"])
    assert left_of(told) == set()


def test_a_file_that_is_moved_to_secrets_and_told_in_the_other_order(told: Site) -> None:
    os.makedirs(told.path("team/secrets"))
    os.rename(told.path("team/knowledge/plan.md"), told.path("team/secrets/key"))
    one_by_one(told, ["team/secrets/key", "team/knowledge/plan.md"])
    by_a_run(told, [])
    assert "team//secrets/key" in told.refs()


def test_a_file_that_is_gone_before_it_comes_back_as_a_secret(told: Site) -> None:
    os.rename(told.path("team/knowledge/plan.md"), told.path("plan.md"))
    by_a_watcher(told, ["team/knowledge/plan.md"])
    assert left_of(told) >= set(WORDS)
    os.makedirs(told.path("team/secrets"))
    os.rename(told.path("plan.md"), told.path("team/secrets/plan.md"))
    by_a_watcher(told, ["team/secrets/plan.md"])
    assert left_of(told) == set()


@pytest.mark.parametrize("act", [by_a_run, by_a_watcher])
def test_a_directory_that_is_moved_to_secrets(site: Site, page: Page, act: Act) -> None:
    site.write({"team/knowledge/a/b/c.md": page(WORDS[0]), "team/knowledge/d.md": page()})
    site.index()
    assert left_of(site) == {WORDS[0]}
    os.makedirs(site.path("team/knowledge/secrets"))
    os.rename(site.path("team/knowledge/a"), site.path("team/knowledge/secrets/a"))
    act(site, ["team/knowledge/a", "team/knowledge/secrets"])
    assert left_of(site) == set()


@pytest.fixture
def wipes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How often the index was wiped."""
    done: list[str] = []
    monkeypatch.setattr(wiping, "wipe", lambda path, **_: done.append(path))
    return done


def test_nothing_is_wiped_for_files_that_come_change_and_go(
    told: Site, page: Page, wipes: list[str]
) -> None:
    told.write({"team/knowledge/1.md": page("Another"), "team/secrets/new": "x"}, settled=False)
    by_a_run(told, [])
    told.write({"team/secrets/new": "xyz"}, settled=False)
    told.remove("team/knowledge/2.md", "team/knowledge/plan.md")
    by_a_watcher(told, ["team/secrets/new", "team/knowledge/2.md", "team/knowledge/plan.md"])
    told.remove("team/knowledge/3.md")
    told.write({"team/knowledge/4.sensitive.md": page()})
    by_a_run(told, [])
    assert wipes == []


def test_who_reads_for_long_only_delays_it(
    told: Site, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(targeted, "PATIENCE_MS", 10)
    caplog.set_level(logging.WARNING)
    reader = apsw.Connection(told.store_path)
    reader.execute("BEGIN; SELECT count(*) FROM entries")
    told.write({"team/knowledge/plan.sensitive": ""}, settled=False)
    by_a_watcher(told, ["team/knowledge/plan.sensitive"])
    assert "the next run wipes it" in caplog.text
    reader.close(True)
    told.index()
    assert left_of(told) == set()


def test_what_is_left_is_found_and_related_as_before(told: Site) -> None:
    told.write({"team/knowledge/plan.sensitive": ""})
    ids = told.ids()
    told.index()
    assert told.ids().items() <= ids.items()
    found = "SELECT count(*) FROM entries_fts WHERE entries_fts MATCH 'text'"
    assert told.sql(found) == [(40,)]
    assert told.sql("SELECT count(*) FROM entries_fts WHERE entries_fts MATCH 'kqvrfirst'") == [
        (0,)
    ]
    assert told.index().changed == 0
