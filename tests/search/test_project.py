"""The words that name the project at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from akm_ls.search.project import project_words
from akm_ls.search.request import SearchRequest
from akm_ls.search.search import search

from .conftest import MakeLibrary, page


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "checkout-2"
    (path / ".git").mkdir(parents=True)
    return path


def test_the_directory(folder: Path) -> None:
    assert project_words([str(folder)]) == ("checkout", "2")


@pytest.mark.parametrize(
    "url",
    ["git@example.org:team/web-shop.git", "https://example.org/team/web-shop/", "../web-shop"],
)
def test_the_remote_and_the_package_come_first(folder: Path, url: str) -> None:
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {url}\n', encoding="utf-8")
    (folder / "package.json").write_text('{"name": "@acme/cart-api"}', encoding="utf-8")
    assert project_words([str(folder)]) == ("web", "shop", "cart", "checkout", "2")


def test_the_repository_around_a_folder_names_it_too(folder: Path) -> None:
    config = folder / ".git" / "config"
    config.write_text('[remote "origin"]\n\turl = git@example.org:team/web-shop.git\n')
    (folder / "docs" / "de").mkdir(parents=True)
    assert project_words([str(folder / "docs" / "de")]) == ("web", "shop", "de")
    beside = folder.parent / "hotfix"
    beside.mkdir()
    (beside / ".git").write_text(f"gitdir: {folder}/.git/worktrees/hotfix\n")
    assert project_words([str(beside)]) == ("web", "shop", "hotfix")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"name": 5}', "[" * 100_000, "\udcff"])
def test_a_package_file_that_says_nothing(folder: Path, text: str) -> None:
    (folder / "package.json").write_text(text, encoding="utf-8", errors="surrogateescape")
    assert project_words([str(folder)]) == ("checkout", "2")


def test_no_such_folder(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert project_words([str(tmp_path / "my-app"), str(tmp_path / "a\0b")]) == ("a", "b")


def test_its_assets_come_first(make_library: MakeLibrary) -> None:
    library = make_library(
        b={
            "memories/bakery/deploy.md": page("Deploying"),
            "memories/shop/deploy.md": page("Deploying"),
        }
    )
    for project in ("bakery", "shop"):
        answer = search(library, SearchRequest("deploying", project=(project,)))
        assert answer.hits[0].entry.name == f"{project}/deploy"
