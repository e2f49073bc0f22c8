"""The index file while others write to it, lock it, delete it or put another in its place."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import apsw
import pytest
from editor import Editor
from lsprotocol import types as lsp

from akm_ls.index.removal import drop_bundle
from akm_ls.workspace import Settings, Workspace

DRAFT = "team/knowledge/draft.md"
SOON = 10.0
"""Seconds: less than the half minute that SQLite may wait for a lock."""


def index_file(editor: Editor) -> Path:
    return editor.root / "data" / "akm-ls.db"


def delete_files(editor: Editor) -> None:
    for path in index_file(editor).parent.glob("akm-ls.db*"):
        path.unlink()


def delete_directory(editor: Editor) -> None:
    shutil.rmtree(index_file(editor).parent)


def index_elsewhere(editor: Editor, *folders: str) -> None:
    """What a command or another server does with the same index."""
    settings = Settings(
        folders=tuple(str(editor.root / name) for name in folders or ("team",)),
        data_dir=str(editor.root / "data"),
        config=str(editor.root / "no-config.json"),
    )
    with Workspace.open(settings) as workspace:
        workspace.refresh()


def tells_of_no_changes(editor: Editor) -> None:
    """A client that promises to watch files and then says nothing of them."""

    @editor.client.feature(lsp.CLIENT_REGISTER_CAPABILITY)
    def _register(_params: Any) -> None:
        return None


async def hits(editor: Editor, query: str) -> list[str]:
    found = await editor.request("akm/search", {"query": query})
    assert found["warnings"] == []
    return [hit["ref"] for hit in found["hits"]]


async def citing(editor: Editor, ref: str) -> list[str]:
    return [place["source"] for place in await editor.request("akm/references", {"ref": ref})]


async def ready(editor: Editor) -> dict[str, Any]:
    """The index's status once the server says that it is ready."""
    for _ in range(500):
        status: dict[str, Any] = await editor.request("akm/status", {})
        if status["index"]["state"] == "ready":
            assert not any("deleted or replaced" in text for text in status["warnings"])
            index: dict[str, Any] = status["index"]
            return index
        assert status["index"]["state"] == "indexing"
        await asyncio.sleep(0.02)
    raise AssertionError("the index never became ready")


# Deleted and replaced.


@pytest.mark.parametrize("delete", [delete_files, delete_directory])
async def test_a_question_after_the_file_was_deleted_is_answered_from_a_new_one(
    editor: Editor, delete: Any
) -> None:
    await editor.start(["team", "other"])
    before = await hits(editor, "rotated tokens")
    sources = await citing(editor, "team//knowledge/auth/tls")
    assert before and len(sources) == 3
    delete(editor)
    assert await hits(editor, "rotated tokens") == before
    delete(editor)
    assert await citing(editor, "team//knowledge/auth/tls") == sources
    assert (await ready(editor))["entries"] == 10


async def test_status_says_that_the_index_is_made_again(editor: Editor) -> None:
    await editor.start()
    delete_files(editor)
    status = await editor.request("akm/status", {})
    assert status["index"]["state"] == "indexing"
    assert "was deleted or replaced" in status["warnings"][-1]
    assert (await ready(editor))["entries"] == 8


async def test_the_file_comes_back_though_nobody_asks(editor: Editor) -> None:
    await editor.start()
    runs = len(editor.indexed)
    delete_directory(editor)
    await editor.until(lambda: len(editor.indexed) > runs)
    assert index_file(editor).exists()
    assert editor.indexed[-1].entries == 8


async def test_nothing_flickers_while_the_index_is_made_again(editor: Editor) -> None:
    await editor.start()
    editor.open(DRAFT, "See team//knowledge/auth/tls and team//knowledge/gone.\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/gone")])
    published = len(editor.published)
    delete_files(editor)
    await editor.request("akm/status", {})
    await ready(editor)
    editor.change(DRAFT, "See team//knowledge/auth/tls.\n")
    await editor.shows(DRAFT, [])
    assert len(editor.published) == published + 1


async def test_a_file_that_another_process_put_in_its_place(editor: Editor) -> None:
    tells_of_no_changes(editor)
    await editor.start()
    editor.open(DRAFT, "See team//knowledge/auth/tls and team//knowledge/new.\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/new")])
    delete_files(editor)
    editor.write("team/knowledge/new.md", "# New\n")
    (editor.root / "team/knowledge/auth/tls.md").unlink()
    index_elsewhere(editor)
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/auth/tls")])
    assert await hits(editor, "certificates") == []


async def test_a_bundle_whose_rows_another_process_removed(editor: Editor) -> None:
    await editor.start(["team", "other"])
    connection = apsw.Connection(str(index_file(editor)))
    with connection:
        ((key,),) = connection.execute("SELECT key FROM bundles WHERE id = 'other'")
        drop_bundle(connection, key)
    connection.close()
    runs = len(editor.indexed)
    await editor.until(lambda: len(editor.indexed) > runs)
    assert (await ready(editor))["entries"] == 10


# Written to.


async def test_what_another_process_indexed_is_known_without_a_watcher(editor: Editor) -> None:
    tells_of_no_changes(editor)
    await editor.start()
    editor.open(DRAFT, "See team//knowledge/new, team//knowledge/auth/tls.\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/new")])
    editor.write("team/knowledge/new.md", "# New\n")
    (editor.root / "team/knowledge/auth/tls.md").unlink()
    index_elsewhere(editor)
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/auth/tls")])
    last = editor.indexed[-1]
    assert (last.added, last.removed) == (1, 1)


# Locked.


@pytest.fixture
def lock(root: Path) -> Any:
    """Takes the write lock of the index file, as a process that hangs would."""
    held: list[apsw.Connection] = []

    def take() -> apsw.Connection:
        connection = apsw.Connection(str(root / "data" / "akm-ls.db"))
        connection.execute("BEGIN IMMEDIATE")
        held.append(connection)
        return connection

    yield take
    for connection in held:
        connection.close()


async def test_a_locked_index_keeps_nobody_waiting(editor: Editor, lock: Any) -> None:
    await editor.start(["team", "other"])
    position = editor.open(DRAFT, "See team//knowledge/auth/t$0ls, team//knowledge/new.\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/new")])
    connection = lock()
    editor.open("team/knowledge/new.md", "# New\n")
    editor.save("team/knowledge/new.md")
    editor.close("team/knowledge/new.md")
    for _ in range(20):
        hover = await asyncio.wait_for(
            editor.client.text_document_hover_async(lsp.HoverParams(**editor.at(DRAFT, position))),
            SOON,
        )
        assert hover is not None
        await asyncio.sleep(0.01)
    assert await asyncio.wait_for(hits(editor, "rotated tokens"), SOON)
    # The saved file counts for its neighbours, though it cannot be written yet.
    await editor.shows(DRAFT, [])
    editor.change(DRAFT, "See team//knowledge/gone.\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/gone")])
    read = "SELECT count(*) FROM entries WHERE concept_id = 'knowledge/new'"
    assert connection.execute(read).fetchone() == (0,)
    connection.execute("ROLLBACK")
    await editor.until(lambda: connection.execute(read).fetchone() == (1,))
