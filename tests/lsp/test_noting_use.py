"""What the server notes of what is done with what it found."""

from __future__ import annotations

import sqlite3
from typing import Any

from editor import Editor
from lsprotocol import types as lsp


def noted(editor: Editor) -> list[tuple[Any, ...]]:
    path = editor.root / "data" / "usage.db"
    if not path.exists():
        return []
    connection = sqlite3.connect(path)
    try:
        rows = "SELECT kind, bundle, concept_id, searched FROM usage_events ORDER BY id"
        return connection.execute(rows).fetchall()
    except sqlite3.OperationalError:  # the file is there, its table not yet
        return []
    finally:
        connection.close()


async def test_shown_opened_and_inserted_after_a_search(editor: Editor) -> None:
    await editor.start(["team", "other"])
    editor.open("team/memories/draft.md", "# Draft\n")
    await editor.request("akm/search", {"query": "tokens"})
    await editor.request("akm/show", {"ref": "team//knowledge/auth/tokens"})
    await editor.until(lambda: len(noted(editor)) == 1)
    text = (editor.root / "team/knowledge/auth/tokens.md").read_text()
    editor.open("team/knowledge/auth/tokens.md", text)
    await editor.until(lambda: len(noted(editor)) == 2)
    editor.change("team/memories/draft.md", "# Draft\n\nSee team//knowledge/auth/tokens.\n")
    await editor.until(lambda: len(noted(editor)) == 3)
    asset = ("team", "knowledge/auth/tokens", 1)
    assert noted(editor) == [("show", *asset), ("open", *asset), ("insert", *asset)]


async def test_a_pack_is_a_search_too(editor: Editor) -> None:
    await editor.start()
    await editor.request("akm/contextPack", {"query": "rotate tokens"})
    await editor.request("akm/show", {"ref": "team//knowledge/auth/tokens"})
    await editor.until(lambda: noted(editor))
    assert noted(editor) == [("show", "team", "knowledge/auth/tokens", 1)]


async def test_editing_as_such_is_no_use(editor: Editor) -> None:
    await editor.start()
    editor.open("team/knowledge/auth/tokens.md", "# T\n\nteam//knowledge/auth/tls\n")
    editor.change("team/knowledge/auth/tokens.md", "# T\n\nteam//skills/release\n")
    await editor.request("akm/status", {})
    await editor.request("akm/show", {"ref": "team//skills/release"})
    await editor.until(lambda: noted(editor))
    assert noted(editor) == [("show", "team", "skills/release", 0)]


async def test_switched_off_nothing_is_noted(editor: Editor) -> None:
    await editor.start(options={"usage": False})
    await editor.request("akm/search", {"query": "tokens"})
    await editor.request("akm/show", {"ref": "team//knowledge/auth/tokens"})
    await editor.client.workspace_execute_command_async(
        lsp.ExecuteCommandParams("akm.show", [{"ref": "team//knowledge/auth/tls"}])
    )
    assert not (editor.root / "data" / "usage.db").exists()


async def test_what_was_used_counts_in_the_next_search(editor: Editor) -> None:
    await editor.start(["team", "other"])
    await editor.request("akm/search", {"query": "tokens"})
    await editor.request("akm/show", {"ref": "team//knowledge/auth/tokens"})
    await editor.until(lambda: noted(editor))
    answer = await editor.request("akm/search", {"query": "tokens"})
    [hit] = [hit for hit in answer["hits"] if hit["conceptId"] == "knowledge/auth/tokens"]
    assert hit["whyMatched"][-1] == "usage history boost"
    assert 1 < hit["scores"]["usage"] < 1.5
