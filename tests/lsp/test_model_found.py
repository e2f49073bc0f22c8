"""What `test_model_over_lsp` has found, each as the few steps that it takes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from model_answers import Comparing
from model_client import CREATED, DELETED, Kind
from rpc import RpcError

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


@pytest.mark.parametrize("kind", [PUSHED, PULLED])
def test_directory_comes_back_with_a_file_that_is_saved(begin: Begin, kind: Kind) -> None:
    """The client tells of the file, not of the directories that it had to make."""
    name, text = "team/skills/s/references/x.md", "---\ntitle: T\n---\n"
    comparing = begin({name: text}, kind)
    editor = comparing.editor
    editor.open(name, text)
    shutil.rmtree(editor.path("team/skills/s"))
    editor.tell(("team/skills/s", DELETED))
    comparing.compare()
    editor.save(name, watched=True)
    comparing.compare()


@pytest.mark.parametrize("kind", [PUSHED, PULLED])
def test_folder_is_closed_while_its_document_is_open(begin: Begin, kind: Kind) -> None:
    comparing = begin({"other/knowledge/a.md": "# A\n"}, kind)
    editor = comparing.editor
    editor.open("other/knowledge/a.md", "# A\n\n## Part\n")
    comparing.compare()
    editor.put_folders(["team"])
    comparing.compare()
    editor.put_folders(["team", "other"])
    comparing.compare()


def test_findings_that_were_not_saved_leave_the_list_with_their_document(begin: Begin) -> None:
    """Nothing but the closing is new: no asset has changed."""
    comparing = begin({"team/README.md": "Fine.\n"}, PULLED)
    editor = comparing.editor
    editor.open("team/README.md", "team//knowledge/gone\n")
    editor.write("team/knowledge/a.md", "# A\n")
    editor.tell(("team/knowledge/a.md", CREATED))
    comparing.compare()
    editor.close_document("team/README.md")
    comparing.compare(patience=4)


@pytest.mark.parametrize("kind", [PUSHED, PULLED])
def test_heading_that_a_closed_file_links_to_goes_from_a_buffer(begin: Begin, kind: Kind) -> None:
    text = "---\ntitle: T\n---\n# T\n\n## Part\n"
    comparing = begin(
        {"team/knowledge/a.md": text, "team/README.md": "[x](knowledge/a.md#part)\n"}, kind
    )
    editor = comparing.editor
    editor.open("team/knowledge/a.md", text)
    comparing.compare()
    editor.replace("team/knowledge/a.md", text.replace("Part", "Other part"))
    comparing.compare()
    editor.close_document("team/knowledge/a.md")
    comparing.compare()


def test_equal_findings_are_sent_for_a_new_version(begin: Begin) -> None:
    """This client drops findings of an older version than the document has."""
    comparing = begin({})
    comparing.compare()
    editor = comparing.editor
    editor.open("team/README.md", "team//knowledge/gone\n")
    editor.replace("team/README.md", "team//knowledge/gone\n\nMore.\n")
    comparing.compare()


def test_moved_file_does_not_take_a_ref_that_a_smaller_path_holds(begin: Begin) -> None:
    comparing = begin(
        {
            "team/knowledge/skills/s/references/x.md": "# Holder\n",
            "team/knowledge/b.md": "# Other\n\n## Part\n",
        }
    )
    comparing.compare()
    comparing.editor.move_in_tree(
        "team/knowledge/b.md", "team/skills/s/references/x.md", watched=False
    )
    comparing.compare()


def test_asset_that_was_never_saved_is_not_renamed(begin: Begin) -> None:
    """An editor has no file to move, and would stop in the middle of the edit."""
    editor = begin({"team/README.md": "other//memories/n\n"}).editor
    editor.open("team/README.md", "other//memories/n\n")
    editor.open("other/memories/n.md", "# N\n")
    place = {
        "textDocument": {"uri": editor.uri("team/README.md")},
        "position": {"line": 0, "character": 10},
    }
    with pytest.raises(RpcError, match=r"other//memories/n is not on disk: save its file"):
        editor.rpc.call("textDocument/rename", {**place, "newName": "fresh"})
