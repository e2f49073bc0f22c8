"""What `test_model_over_lsp` has found, each as the few steps that it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from model_answers import Comparing
from model_client import CREATED, DELETED, Kind

Begin = Callable[..., Comparing]
PUSHED = Kind()
PULLED = Kind("utf-8", pulls=True)


@pytest.fixture
def begin(server_command: list[str], tmp_path: Path) -> Iterator[Begin]:
    """Two bundles with some files, and an author in front of them."""
    begun: list[Comparing] = []

    def make(files: dict[str, str], kind: Kind = PUSHED) -> Comparing:
        begun.append(Comparing(server_command, tmp_path.resolve(), kind, files))
        return begun[-1]

    yield make
    for one in begun:
        one.end()


@pytest.mark.parametrize("kind", [PUSHED, PULLED])
def test_last_file_of_a_directory_moves_away_while_it_is_open(begin: Begin, kind: Kind) -> None:
    text = "---\ntitle: T\n---\n"
    comparing = begin({"team/skills/s/references/x.md": text}, kind)
    editor = comparing.editor
    editor.open("team/skills/s/references/x.md", text)
    comparing.compare()
    path = editor.path("team/workflows/w.md")
    path.parent.mkdir()
    editor.path("team/skills/s/references/x.md").rename(path)
    editor.tell(("team/skills/s/references/x.md", DELETED), ("team/workflows/w.md", CREATED))
    comparing.compare()
