"""The library behind the tools: what a question waits for, and how it is given up."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akm_ls.index.indexer import IndexReport
from akm_ls.mcp import library as library_module
from akm_ls.mcp.answers import answer
from akm_ls.mcp.library import OpenLibrary
from akm_ls.workspace import Settings

from .conftest import TEAM, write


def open_library(tmp_path: Path) -> OpenLibrary:
    team = write(tmp_path / "team", TEAM)
    return OpenLibrary(Settings(bundle_dirs=(str(team),), data_dir=str(tmp_path / "data")))


class HeldUp:
    """An index run that tells how far it is and then waits to be let go."""

    def __init__(self, run: Callable[..., IndexReport]) -> None:
        self._run = run
        self.go_on = threading.Event()

    def __call__(self, **options: Any) -> IndexReport:
        options["on_progress"](3, 40, "team")
        self.go_on.wait(60)
        return self._run(**options)


async def test_a_question_waits_for_the_first_index_and_says_how_far_it_is(tmp_path: Path) -> None:
    library = open_library(tmp_path)
    held = HeldUp(library.workspace.index)
    library.workspace.index = held  # type: ignore[method-assign]
    told: list[tuple[float, float | None, str]] = []

    async def report(done: float, total: float | None, message: str) -> None:
        told.append((done, total, message))
        held.go_on.set()

    library.start()
    found = await answer(library, "akm_search", {"query": "rotate tokens"}, report)
    assert told[0] == (3, 40, "indexing: 3 of 40 files")
    assert found["hits"][0]["ref"] == "team//knowledge/auth/tokens"
    library.close()


async def test_an_answer_out_of_half_an_index_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = open_library(tmp_path)
    held = HeldUp(library.workspace.index)
    library.workspace.index = held  # type: ignore[method-assign]
    monkeypatch.setattr(library_module, "COLD", 0.1)
    library.start()
    found = await answer(library, "akm_search", {"query": "tokens"}, ignore)
    assert found["hits"] == []
    assert found["warnings"][0].startswith("the index is still being built (3 of 40 files)")
    held.go_on.set()
    await library.index.idle()
    assert (await answer(library, "akm_search", {"query": "tokens"}, ignore))["hits"]
    library.close()


async def test_an_index_that_cannot_be_written_is_told_with_the_answer(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no directory", encoding="utf-8")
    library = open_library(tmp_path)
    library.start()
    found = await answer(library, "akm_search", {"query": "tokens"}, ignore)
    assert any(str(tmp_path / "data") in warning for warning in found["warnings"])
    library.close()


async def ignore(done: float, total: float | None, message: str) -> None:
    return None
