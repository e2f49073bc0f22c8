"""Files that are never opened, and those that do not even count."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from akm_ls.bundles.bundle import Bundle
from akm_ls.bundles.sensitive import is_secret, is_sensitive
from akm_ls.bundles.walker import list_files


@pytest.mark.parametrize(
    ("rel", "secret"),
    [
        ("secrets/token", True),
        ("secrets/team/token.md", True),
        ("proj/secrets/token", True),
        ("vaults/old", True),
        ("secrets", False),
        ("knowledge/secrets.md", False),
        ("env/prod.env", False),
    ],
)
def test_everything_below_a_secrets_directory_is_secret(rel: str, secret: bool) -> None:
    assert is_secret(rel) is secret


@pytest.mark.parametrize(
    ("rel", "beside", "sensitive"),
    [
        ("env/prod.env", "env/prod.sensitive", True),
        ("env/prod.env", "env/other.sensitive", False),
        ("env/.env", "env/.sensitive", True),
        ("env/prod.env", "env/prod.env.sensitive", True),
        ("secrets/token", "secrets/token.sensitive", True),
        ("secrets/token", "secrets/other.sensitive", False),
        ("secrets/token.sensitive", "", True),
        ("secrets/token.lock", "", True),
        ("a/secrets/b/c.lock", "", True),
        ("knowledge/yarn.lock", "", False),
        ("knowledge/a.md", "knowledge/a.md.sensitive", True),
        ("knowledge/a.md", "knowledge/a.sensitive", True),
        ("knowledge/a.b.md", "knowledge/a.b.sensitive", True),
        ("knowledge/a.b.md", "knowledge/a.sensitive", False),
        ("knowledge/a.md", "knowledge/b.md.sensitive", False),
        ("skills/s/SKILL.md", "skills/s/SKILL.sensitive", True),
        ("scripts/run", "scripts/run.sensitive", True),
        ("a.md", "a.sensitive", True),
        ("knowledge/a.sensitive", "knowledge/a.sensitive", False),
        ("vaults/x.md", "", True),
    ],
)
def test_markers(rel: str, beside: str, sensitive: bool) -> None:
    assert is_sensitive(rel, lambda path: path == beside) is sensitive


def test_marked_files_are_no_files_of_the_bundle(tree: Callable[..., str]) -> None:
    root = tree(
        "stash",
        [
            "env/open.env",
            "env/closed.env",
            "env/closed.sensitive",
            "knowledge/open.md",
            "knowledge/closed.md",
            "knowledge/closed.md.sensitive",
            "secrets/free",
            "secrets/kept",
            "secrets/kept.sensitive",
            "secrets/kept.lock",
            "vaults/legacy.env",
        ],
    )
    files = list_files(Bundle("stash", root, root, "akm")).files
    names = [file.rel for file in files]
    assert names == [
        "env/closed.sensitive",
        "env/open.env",
        "knowledge/closed.md.sensitive",
        "knowledge/open.md",
        "secrets/free",
    ]
