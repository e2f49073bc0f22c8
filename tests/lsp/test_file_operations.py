"""Files and directories that are moved or deleted in the editor's tree."""

from __future__ import annotations

import os

from editor import Editor
from edits import apply, told
from lsprotocol import types as lsp

DRAFT = "team/knowledge/draft.md"


async def will_rename(editor: Editor, *pairs: tuple[str, str]) -> lsp.WorkspaceEdit | None:
    files = [lsp.FileRename(editor.uri(old), editor.uri(new)) for old, new in pairs]
    return await editor.client.workspace_will_rename_files_async(lsp.RenameFilesParams(files))


def did_rename(editor: Editor, old: str, new: str) -> None:
    """The editor moves the file and says so."""
    (editor.root / new).parent.mkdir(parents=True, exist_ok=True)
    os.rename(editor.root / old, editor.root / new)
    files = [lsp.FileRename(editor.uri(old), editor.uri(new))]
    editor.client.workspace_did_rename_files(lsp.RenameFilesParams(files))


async def will_delete(editor: Editor, *names: str) -> lsp.WorkspaceEdit | None:
    files = [lsp.FileDelete(editor.uri(name)) for name in names]
    return await editor.client.workspace_will_delete_files_async(lsp.DeleteFilesParams(files))


def read(editor: Editor, name: str) -> str:
    return (editor.root / name).read_bytes().decode()


async def test_the_server_says_which_operations_it_wants_to_hear_of(editor: Editor) -> None:
    result = await editor.start()
    workspace = result.capabilities.workspace
    assert workspace is not None and workspace.file_operations is not None
    for name in ("will_rename", "did_rename", "will_delete", "did_delete", "did_create"):
        options = getattr(workspace.file_operations, name)
        assert options is not None, name
        assert [one.scheme for one in options.filters] == ["file"]
    rename = result.capabilities.rename_provider
    assert isinstance(rename, lsp.RenameOptions) and rename.prepare_provider


async def test_a_file_takes_its_refs_and_links_along(editor: Editor) -> None:
    editor.write(DRAFT, "[t](auth/tokens.md#daily-rotation) <!-- (auth/tokens.md) -->\n")
    await editor.start(["team", "other"])
    old, new = "team/knowledge/auth/tokens.md", "team/knowledge/rotation.md"
    touched = apply(editor, await will_rename(editor, (old, new)))
    assert touched == [
        "team/knowledge/draft.md vNone",
        "team/memories/note.md vNone",
        "team/skills/release/SKILL.md vNone",
    ]
    assert read(editor, DRAFT) == "[t](rotation.md#daily-rotation) <!-- (auth/tokens.md) -->\n"
    assert "  - knowledge/rotation\n" in read(editor, "team/memories/note.md")


async def test_a_directory_with_all_that_is_in_it(editor: Editor) -> None:
    editor.write("team/knowledge/auth/deep/x.md", "[t](../tokens.md) [o](../../old.md)\n")
    editor.write(DRAFT, "[x](auth/deep/x.md) [dir](auth/) team//knowledge/auth/deep/x\n")
    await editor.start(["team", "other"])
    apply(editor, await will_rename(editor, ("team/knowledge/auth", "team/knowledge/a/security")))
    assert read(editor, "team/knowledge/auth/deep/x.md") == (
        "[t](../tokens.md) [o](../../../old.md)\n"
    )
    assert read(editor, DRAFT) == (
        "[x](a/security/deep/x.md) [dir](a/security/) team//knowledge/a/security/deep/x\n"
    )
    assert "team//knowledge/a/security/tls here" in read(editor, "other/memories/seen.md")


async def test_the_twin_follows_and_the_skill_keeps_its_name_right(editor: Editor) -> None:
    editor.write("team/memories/note.derived.md", "# N\n")
    await editor.start()
    edit = await will_rename(editor, ("team/memories/note.md", "team/memories/memo.md"))
    assert apply(editor, edit)[-1] == (
        "team/memories/note.derived.md -> team/memories/memo.derived.md"
    )
    apply(editor, await will_rename(editor, ("team/skills/release", "team/skills/ship")))
    assert "name: ship\n" in read(editor, "team/skills/release/SKILL.md")


async def test_where_nothing_of_ours_moves_nothing_is_said(editor: Editor) -> None:
    editor.write("elsewhere/a.md", "# A\n")
    await editor.start()
    assert await will_rename(editor, ("elsewhere/a.md", "elsewhere/b.md")) is None
    assert await will_rename(editor, ("team/memories/note.md", "team/memories/n2.md")) is None
    assert await will_delete(editor, "elsewhere/a.md", "team/memories/note.md") is None
    assert not told(editor)


async def test_out_of_the_bundle_the_author_is_told_what_breaks(editor: Editor) -> None:
    await editor.start()
    assert await will_rename(editor, ("team/knowledge/auth/tls.md", "attic/tls.md")) is None
    assert "team//knowledge/auth/tls will be no asset any more" in await editor.until(
        lambda: told(editor)
    )


async def test_after_the_move_refs_links_and_search_follow_at_once(editor: Editor) -> None:
    await editor.start()
    position = editor.open(DRAFT, "team//knowledge/safe/to$0kens#daily-rotation\n")
    did_rename(editor, "team/knowledge/auth", "team/knowledge/safe")
    hover = await editor.client.text_document_hover_async(
        lsp.HoverParams(**editor.at(DRAFT, position))
    )
    assert hover is not None and "Every night." in str(hover.contents)
    await editor.shows(DRAFT, [])
    found = await editor.request("akm/references", {"ref": "team//knowledge/safe/tokens"})
    assert [editor.name(place["uri"]) for place in found] == [DRAFT]
    old = await editor.request("akm/references", {"ref": "team//knowledge/auth/tls"})
    assert {editor.name(place["uri"]) for place in old} == {
        "team/knowledge/old.md",
        "team/skills/release/SKILL.md",
    }


async def test_what_is_deleted_is_gone_at_once(editor: Editor) -> None:
    await editor.start()
    editor.open(DRAFT, "team//knowledge/auth/tls\n")
    await editor.shows(DRAFT, [])
    (editor.root / "team/knowledge/auth/tls.md").unlink()
    uri = editor.uri("team/knowledge/auth/tls.md")
    editor.client.workspace_did_delete_files(lsp.DeleteFilesParams([lsp.FileDelete(uri)]))
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/auth/tls")])


async def test_what_is_made_is_there_at_once(editor: Editor) -> None:
    await editor.start()
    position = editor.open(DRAFT, "See team//knowledge/fr$0esh.\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/fresh")])
    editor.write("team/knowledge/fresh.md", "---\ndescription: Just made\n---\n# Fresh\n")
    uri = editor.uri("team/knowledge/fresh.md")
    editor.client.workspace_did_create_files(lsp.CreateFilesParams([lsp.FileCreate(uri)]))
    shown = await editor.request("akm/show", {"ref": "team//knowledge/fresh"})
    assert shown["description"] == "Just made"
    hover = await editor.client.text_document_hover_async(
        lsp.HoverParams(**editor.at(DRAFT, position))
    )
    assert hover is not None and "Just made" in str(hover.contents)
    await editor.shows(DRAFT, [])


async def test_before_something_is_deleted_its_citations_are_told(editor: Editor) -> None:
    editor.write(DRAFT, "[t](auth/tls.md)\n")
    await editor.start(["team", "other"])
    edit = await will_delete(editor, "team/knowledge/auth/tls.md")
    assert await editor.until(lambda: told(editor)) == (
        "team//knowledge/auth/tls is still cited in 4 places: team: knowledge/draft.md, "
        "team: knowledge/old.md, team: skills/release/SKILL.md, other: memories/seen.md."
    )
    # Where it can be asked for, the lists are mended; prose is the author's.
    assert edit is not None and edit.change_annotations
    assert all(note.needs_confirmation for note in edit.change_annotations.values())
    assert apply(editor, edit) == ["team/knowledge/old.md vNone"]


async def test_a_client_that_cannot_ask_gets_the_message_alone(editor: Editor) -> None:
    def less(capabilities: lsp.ClientCapabilities) -> None:
        assert capabilities.workspace and capabilities.workspace.workspace_edit
        capabilities.workspace.workspace_edit.change_annotation_support = None

    await editor.start(adjust=less)
    assert await will_delete(editor, "team/knowledge/auth") is None
    assert "are still cited in" in await editor.until(lambda: told(editor))
