"""Files that cite assets and hold no ref: READMEs, logs, and those whose ref another file has."""

from __future__ import annotations

import os
import random
import shutil

import apsw
import pytest

from akm_ls.index import schema, verify
from akm_ls.index.indexer import upsert_files

from .conftest import Page, Site

TARGET = "knowledge/target"
CITES = f"See team//{TARGET}.\n"


def citing(site: Site, concept_id: str = TARGET) -> list[str]:
    """The sources that cite an asset of ``team``; paths from the site's root on."""
    with site.store() as store:
        return [
            place.source.removeprefix(str(site.root) + os.sep)
            for place in store.citations_of("team", concept_id)
        ]


def test_markdown_that_is_no_asset_cites(site: Site) -> None:
    site.write(
        {
            "team/knowledge/target.md": "# Target\n",
            "team/knowledge/asset.md": CITES,
            "team/README.md": CITES,
            "team/knowledge/index.md": f"---\nxrefs: [{TARGET}]\n---\n",
            "team/log.md": CITES * 2,
            "team/skills/loose.md": CITES,
            "team/notes.markdown": CITES,
            "team/tasks/t.yaml": f"workflow: {TARGET}\n",
        }
    )
    assert site.index().entries == 2
    assert citing(site) == [
        "team/README.md",
        "team//knowledge/asset",
        "team/knowledge/index.md",
        "team/log.md",
        "team/log.md",
        "team/notes.markdown",
        "team/skills/loose.md",
        "team/tasks/t.yaml",
    ]
    with site.store() as store:
        assert store.citation_counts() == {("team", TARGET): 8}
        assert len(store.citations()) == 8
        first, *_ = store.citations_of("team", TARGET)
    assert first.path == first.source == site.path("team/README.md")
    assert first.citation.columns == (4, 26, 4, 26)


@pytest.mark.parametrize(
    ("adapter", "rel"),
    [
        ("agent-skills", "release/references/steps.md"),
        ("claude", "skills/release/references/steps.md"),
        ("okf", "tables/index.md"),
        ("llm-wiki", "index.md"),
    ],
)
def test_what_a_format_takes_for_no_asset_cites(site: Site, adapter: str, rel: str) -> None:
    bundles = site.set(site.bundle("team", adapter=adapter))
    site.write({f"team/{rel}": "See team//skills/release.\n"})
    site.index(bundles)
    with site.store(bundles) as store:
        assert store.count() == 0
        (place,) = store.citations_of("team", "skills/release")
    assert place.path == site.path(f"team/{rel}")


def test_files_that_may_not_be_opened_and_files_of_other_programs_are_not_read(
    site: Site, reads: list[str]
) -> None:
    site.write(
        {
            "team/secrets/README.md": CITES,
            "team/vaults/index.md": CITES,
            "team/env/.env.mdc": CITES,
            "team/mkdocs.yml": CITES,
            "team/src/main.c": CITES,
        }
    )
    site.index()
    assert "mkdocs.yml" not in reads and "src/main.c" not in reads
    assert citing(site) == []


def test_only_a_changed_file_is_read_again(site: Site, reads: list[str]) -> None:
    site.write({"team/README.md": CITES, "team/log.md": CITES})
    site.index()
    reads.clear()
    site.index()
    assert reads == []
    site.write({"team/log.md": "Nothing.\n"}, settled=False)
    site.index()
    assert reads == ["log.md"]
    assert citing(site) == ["team/README.md"]
    site.index(full=True)
    assert citing(site) == ["team/README.md"]
    site.remove("team/README.md")
    site.index()
    assert citing(site) == []
    assert site.sql("SELECT count(*) FROM file_citations") == [(0,)]


def test_files_saved_and_deleted_one_by_one(site: Site) -> None:
    site.write({"team/knowledge/target.md": "# Target\n"})
    site.index()
    readme = site.path("team/README.md")
    with site.store() as store:
        site.write({"team/README.md": CITES}, settled=False)
        upsert_files(store, [readme])
        assert citing(site) == ["team/README.md"]
        site.write({"team/README.md": f"{CITES}\nAgain: team//{TARGET}\n"}, settled=False)
        upsert_files(store, [readme])
        assert citing(site) == ["team/README.md"] * 2
        site.remove("team/README.md")
        upsert_files(store, [readme])
        assert citing(site) == []


def test_a_file_whose_ref_another_file_holds_cites_as_a_file(site: Site, page: Page) -> None:
    site.write(
        {
            "team/guide.md": page("First", "team//knowledge/a"),
            "team/knowledge/guide.md": page("Second", "team//knowledge/b"),
        }
    )
    site.index()
    assert citing(site, "knowledge/a") == ["team//knowledge/guide"]
    assert citing(site, "knowledge/b") == ["team/knowledge/guide.md"]
    site.remove("team/guide.md")
    site.index()
    assert citing(site, "knowledge/a") == []
    assert citing(site, "knowledge/b") == ["team//knowledge/guide"]


def test_a_file_that_loses_its_ref_unread_still_cites(
    site: Site, page: Page, reads: list[str]
) -> None:
    site.write({"team/knowledge/guide.md": page("Second", "team//knowledge/b")})
    site.index()
    reads.clear()
    site.write({"team/guide.md": page("First")})
    site.index()
    assert reads == ["guide.md"]
    assert citing(site, "knowledge/b") == ["team/knowledge/guide.md"]


def test_a_bundle_that_goes_takes_its_citations_along(site: Site) -> None:
    site.write({"team/knowledge/target.md": "", "other/README.md": CITES})
    site.index(site.set("team", "other"))
    assert site.sql("SELECT rel FROM file_citations") == [("README.md",)]
    shutil.rmtree(site.path("other"))
    site.index()
    assert site.sql("SELECT rel FROM file_citations") == []


def test_citations_of_files_that_are_not_there_are_mended(site: Site) -> None:
    site.write({"team/README.md": CITES, "team/knowledge/asset.md": CITES})
    site.index()
    site.sql(
        "INSERT INTO file_citations (bundle_key, rel, ordinal, concept_id)"
        " SELECT bundle_key, rel, 9, ? FROM file_citations"
        " UNION ALL SELECT bundle_key, 'gone.md', 0, ?1 FROM file_citations"
        " UNION ALL SELECT bundle_key, 'knowledge/asset.md', 0, ?1 FROM file_citations",
        TARGET,
    )
    with site.store() as store:
        assert len(store.database.run(verify.disagreements)) == 2
    site.write({"team/log.md": "Something to write.\n", "team/README.md": CITES + CITES})
    assert site.index().warnings == ()
    assert citing(site) == ["team/README.md", "team/README.md", "team//knowledge/asset"]


def test_an_index_of_an_earlier_layout_learns_what_files_cite(site: Site, page: Page) -> None:
    site.write(
        {
            "team/README.md": CITES,
            "team/guide.md": page("First"),
            "team/knowledge/guide.md": page("Second", CITES),
        }
    )
    site.index()
    before = site.ids()
    connection = apsw.Connection(site.store_path)
    connection.execute("DROP TABLE file_citations; DELETE FROM files WHERE rel = 'README.md'")
    connection.execute("UPDATE meta SET value = 1 WHERE key = 'version'")
    connection.close()
    assert site.index().entries == 1
    assert site.ids() == before
    assert citing(site) == ["team/README.md", "team/knowledge/guide.md"]
    assert site.sql("SELECT value FROM meta WHERE key = 'version'") == [(schema.VERSION,)]


def test_half_characters_in_a_ref_are_replaced(site: Site) -> None:
    escaped = '---\nxrefs: ["knowledge/half-\\ud83d", knowledge/target]\n---\n'
    site.write({"team/README.md": escaped, "team/knowledge/a.md": escaped})
    assert site.index().entries == 1
    assert citing(site) == ["team/README.md", "team//knowledge/a"]


FILES = ("guide.md", "knowledge/guide.md", "README.md", "skills/x.md", "skills/x/SKILL.md", "b.md")
TEXTS = ("", CITES, CITES * 2, f"team//knowledge/guide\n{CITES}", "---\ntools: x\n---\nx//y\n")


@pytest.mark.parametrize("seed", range(6))
def test_an_index_that_grew_is_the_one_that_is_built_anew(
    site: Site, seed: int, page: Page
) -> None:
    """Whatever is written, removed, indexed and upserted in whatever order."""
    chance = random.Random(seed)
    tables = (
        "SELECT concept_id, rel, description FROM entries ORDER BY 1",
        "SELECT e.rel, c.ordinal, c.concept_id, c.start FROM citations AS c"
        " JOIN entries AS e ON e.id = c.entry_id ORDER BY 1, 2",
        "SELECT rel, ordinal, concept_id, start FROM file_citations ORDER BY 1, 2",
        "SELECT rel, content_hash, concept_id FROM files ORDER BY 1",
    )
    grown, anew = site.store_path, site.path("anew/akm-ls.db")
    site.index()
    for step in range(25):
        touched = chance.sample(FILES, chance.randint(1, 3))
        for rel in touched:
            path = site.root / "team" / rel
            if path.exists() and chance.random() < 0.4:
                path.unlink()
            else:
                text = page(f"Step {step}", chance.choice(TEXTS)) if step % 2 else TEXTS[step % 5]
                site.write({f"team/{rel}": text}, settled=False)
        if chance.random() < 0.5:
            site.index()
        else:
            with site.store() as store:
                upsert_files(store, [site.path(f"team/{rel}") for rel in touched])
        rows = [site.sql(table) for table in tables]
        with site.store() as store:
            assert store.database.run(verify.disagreements) == ()
        site.store_path = anew
        shutil.rmtree(os.path.dirname(anew), ignore_errors=True)
        site.index()
        assert rows == [site.sql(table) for table in tables], step
        site.store_path = grown
