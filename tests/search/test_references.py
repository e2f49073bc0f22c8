"""Who cites an asset."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest

from akm_ls.bundles.reading import entry_from_text
from akm_ls.refs import parse_ref
from akm_ls.search.library import Library
from akm_ls.search.references import OpenCitations, citing_assets, references

from .conftest import MakeLibrary, page

ALPHA = {
    "knowledge/target.md": "# Target\n\n## Setup\n\nSee alpha//knowledge/target.\n",
    "knowledge/cites.md": "---\nxrefs: [knowledge/target]\n"
    "refs:\n  - alpha//knowledge/target#setup\n---\n\n"
    "😀 alpha//knowledge/target and (alpha//knowledge/target#Setup).\n",
    "memories/m.md": page("m", "knowledge/target is only text, beta//knowledge/target is beta's."),
}
BETA = {
    "knowledge/target.md": "# Beta's\n",
    "memories/qualified.md": page("q", "alpha//knowledge/target"),
    "memories/bare.md": page("b", xrefs="[knowledge/target]"),
}
GAMMA = {
    "memories/bare.md": page("b", xrefs="[knowledge/target, knowledge/gone]"),
    "knowledge/x.md": "gamma//knowledge/target does not exist.",
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(alpha=ALPHA, beta=BETA, gamma=GAMMA)


def places(library: Library, ref: str, **options: Any) -> list[tuple[str, str, str]]:
    found = references(library, parse_ref(ref), **options)
    return [(item.source, item.channel, item.text) for item in found]


def test_every_citation_by_bundle_path_and_position(library: Library) -> None:
    assert places(library, "alpha//knowledge/target") == [
        ("alpha//knowledge/cites", "xrefs", "knowledge/target"),
        ("alpha//knowledge/cites", "refs", "alpha//knowledge/target#setup"),
        ("alpha//knowledge/cites", "prose", "alpha//knowledge/target"),
        ("alpha//knowledge/cites", "prose", "alpha//knowledge/target#Setup"),
        ("alpha//knowledge/target", "prose", "alpha//knowledge/target"),
        ("beta//memories/qualified", "prose", "alpha//knowledge/target"),
        # Gamma has no such asset of its own: its bare citation leads to alpha's.
        ("gamma//memories/bare", "xrefs", "knowledge/target"),
    ]


def test_a_bare_citation_means_the_asset_of_its_own_bundle(library: Library) -> None:
    assert places(library, "beta//knowledge/target") == [
        ("alpha//memories/m", "prose", "beta//knowledge/target"),
        ("beta//memories/bare", "xrefs", "knowledge/target"),
    ]


def test_a_short_ref_is_resolved_first(library: Library) -> None:
    assert places(library, "knowledge/target") == places(library, "alpha//knowledge/target")
    assert places(library, "knowledge/target", home="beta") == places(
        library, "beta//knowledge/target"
    )
    assert places(library, "knowledge/target.md") == places(library, "alpha//knowledge/target")


@pytest.mark.parametrize(
    ("ref", "written"),
    [
        ("knowledge/x", ["b//knowledge/x.md", "b//knowledge/x"]),
        ("skills/a", ["b//skills/a/SKILL.md"]),
        ("knowledge/skills/a/how", ["b//skills/a/how", "b//skills/a/how.md"]),
        ("scripts/skills/a/run.sh", ["b//skills/a/run.sh"]),
        ("env/default", ["b//env/.env"]),
        ("tasks/t", ["b//tasks/t.yml"]),
    ],
)
def test_citations_by_the_path_of_the_file(
    make_library: MakeLibrary, ref: str, written: list[str]
) -> None:
    library = make_library(
        b={
            "knowledge/x.md": "# X",
            "skills/a/SKILL.md": page("A", "# A", name="a"),
            "skills/a/how.md": "# How",
            "skills/a/run.sh": "true",
            "env/.env": "A=1",
            "tasks/t.yml": "version: 2",
            "memories/m.md": "\n".join(written),
        }
    )
    assert [text for *_, text in places(library, ref)] == written


def test_citations_of_one_heading(library: Library) -> None:
    for ref in ("alpha//knowledge/target#setup", "alpha//knowledge/target#Setup"):
        assert [text for *_, text in places(library, ref)] == [
            "alpha//knowledge/target#setup",
            "alpha//knowledge/target#Setup",
        ]


def test_citations_of_what_is_not_there(library: Library) -> None:
    assert places(library, "gamma//knowledge/gone") == [
        ("gamma//memories/bare", "xrefs", "knowledge/gone")
    ]
    assert places(library, "gamma//knowledge/target") == [
        ("gamma//knowledge/x", "prose", "gamma//knowledge/target")
    ]
    assert places(library, "nosuch//knowledge/gone") == []


def test_where_a_citation_stands(library: Library) -> None:
    found = references(library, parse_ref("alpha//knowledge/target"))
    place = next(item for item in found if item.channel == "prose")
    text = ALPHA["knowledge/cites.md"]
    assert text[place.start : place.end] == place.text
    assert place.line == 6
    assert place.characters("utf-8") == (5, 28)
    assert place.characters("utf-16") == (3, 26)
    assert place.path.endswith("cites.md")


def test_open_documents_stand_in_for_their_files(library: Library) -> None:
    alpha = library.bundles.get("alpha")
    gamma = library.bundles.get("gamma")
    assert alpha is not None and gamma is not None
    overlay = {}
    for bundle, rel, text in (
        (alpha, "knowledge/cites.md", "Now only alpha//memories/m."),
        (gamma, "memories/new.md", "---\nxrefs: knowledge/target\n---\n"),
    ):
        entry = entry_from_text(bundle, rel, text)
        assert entry is not None
        overlay[entry.path] = OpenCitations(entry.ref, bundle.id, entry.citations)
    found = places(library, "alpha//knowledge/target", overlay=overlay)
    assert "alpha//knowledge/cites" not in [source for source, *_ in found]
    assert found[-1] == ("gamma//memories/new", "xrefs", "knowledge/target")
    assert places(library, "alpha//memories/m", overlay=overlay) == [
        ("alpha//knowledge/cites", "prose", "alpha//memories/m")
    ]


def test_without_an_index_only_open_documents_count(library: Library) -> None:
    assert places(replace(library, store=None), "alpha//knowledge/target") == []


def test_files_that_hold_no_ref_are_named_by_their_path(make_library: MakeLibrary) -> None:
    library = make_library(
        a={
            "README.md": "a//knowledge/target",
            "knowledge/target.md": "# T",
            "guide.md": "# The one that has the ref",
            "knowledge/guide.md": "a//knowledge/target",
        }
    )
    root = library.bundles.bundles[0].real_root
    found = references(library, parse_ref("a//knowledge/target"))
    assert [item.source for item in found] == [item.path for item in found]
    assert [os.path.relpath(item.path, root) for item in found] == [
        "README.md",
        os.path.join("knowledge", "guide.md"),
    ]
    assert not any(item.is_by_asset for item in found)
    target = entry_from_text(library.bundles.bundles[0], "knowledge/target.md", "# T")
    assert target is not None
    assert citing_assets(library, target) == ()
