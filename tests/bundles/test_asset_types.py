"""Where the file of a concept would lie."""

from __future__ import annotations

import pytest

from akm_ls.bundles.asset_types import ASSET_TYPES, TYPE_BY_DIRECTORY, path_for
from akm_ls.refs import ASSET_DIRECTORIES


@pytest.mark.parametrize(
    ("concept_id", "first"),
    [
        ("skills/pdf", "skills/pdf/SKILL.md"),
        ("skills/office/pdf", "skills/office/pdf/SKILL.md"),
        ("knowledge/auth/tls", "knowledge/auth/tls.md"),
        ("knowledge/odd.md", "knowledge/odd.md"),
        ("memories/x.derived", "memories/x.derived.md"),
        ("scripts/db/migrate.py", "scripts/db/migrate.py"),
        ("env/default", "env/.env"),
        ("env/team/default", "env/team/.env"),
        ("env/prod", "env/prod.env"),
        ("secrets/token", "secrets/token"),
        ("tasks/nightly", "tasks/nightly.yml"),
    ],
)
def test_the_first_candidate_is_where_a_new_file_goes(concept_id: str, first: str) -> None:
    assert path_for(concept_id)[0] == first


def test_then_come_the_places_akm_tries() -> None:
    assert path_for("env/default") == (
        "env/.env",
        "env/default.env",
        "env/default.md",
        "env/default",
        "default.md",
        "default",
    )


@pytest.mark.parametrize("concept_id", ["", "skills", "skills/", "docs/guide", "CLAUDE"])
def test_other_formats_ids_have_no_place(concept_id: str) -> None:
    assert path_for(concept_id) == ()


def test_names_and_paths_are_inverse() -> None:
    for kind in ASSET_TYPES:
        for name in ("a", "b/c", "default"):
            for path in kind.paths_for(name):
                assert kind.canonical_name(path.removeprefix(f"{kind.directory}/")) == name


def test_every_asset_directory_has_its_type() -> None:
    assert tuple(TYPE_BY_DIRECTORY) == ASSET_DIRECTORIES
