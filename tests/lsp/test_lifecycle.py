"""Start, settings, folders and files that change behind the editor's back."""

from __future__ import annotations

import shutil

from editor import Editor, plain
from lsprotocol import types as lsp

from akm_ls.workspace import Settings, Workspace

DRAFT = "team/knowledge/draft.md"


async def bundles(editor: Editor) -> list[str]:
    status = await editor.request("akm/status", {})
    return [bundle["id"] for bundle in status["bundles"]]


async def test_a_folder_that_comes_and_goes_brings_and_takes_its_bundle(editor: Editor) -> None:
    await editor.start()
    editor.open(DRAFT, "See other//knowledge/there.\n")
    await editor.shows(DRAFT, [("missing-ref", "other//knowledge/there")])
    folder = lsp.WorkspaceFolder(editor.uri("other"), "other")
    change = lsp.WorkspaceFoldersChangeEvent(added=[folder], removed=[])
    editor.client.workspace_did_change_workspace_folders(
        lsp.DidChangeWorkspaceFoldersParams(change)
    )
    await editor.shows(DRAFT, [])
    assert await bundles(editor) == ["team", "other"]
    change = lsp.WorkspaceFoldersChangeEvent(added=[], removed=[folder])
    editor.client.workspace_did_change_workspace_folders(
        lsp.DidChangeWorkspaceFoldersParams(change)
    )
    await editor.shows(DRAFT, [("missing-ref", "other//knowledge/there")])


async def test_opening_a_directory_of_a_bundle_finds_the_bundle(editor: Editor) -> None:
    await editor.start(["team/memories"])
    assert await bundles(editor) == ["team"]


async def test_a_linked_root_is_the_same_bundle(editor: Editor) -> None:
    (editor.root / "linked").symlink_to(editor.root / "team", target_is_directory=True)
    await editor.start(["linked"])
    name = "linked/knowledge/draft.md"
    (bundle,) = await bundles(editor)
    position = editor.open(name, f"See {bundle}//knowledge/auth/t$0ls, {bundle}//knowledge/gone\n")
    await editor.shows(name, [("missing-ref", f"{bundle}//knowledge/gone")])
    answer = await editor.client.text_document_definition_async(
        lsp.DefinitionParams(**editor.at(name, position))
    )
    assert isinstance(answer, list) and isinstance(answer[0], lsp.LocationLink)
    assert answer[0].target_uri == editor.uri("linked/knowledge/auth/tls.md")


async def test_closing_one_spelling_of_a_file_keeps_the_other(editor: Editor) -> None:
    (editor.root / "linked").symlink_to(editor.root / "team", target_is_directory=True)
    await editor.start()
    editor.open("linked/knowledge/draft.md", "See team//knowledge/auth/tls\n")
    position = editor.open(DRAFT, "See team//knowledge/auth/t$0ls, team//knowledge/gone\n")
    editor.close("linked/knowledge/draft.md")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/gone")])
    hover = await editor.client.text_document_hover_async(
        lsp.HoverParams(**editor.at(DRAFT, position))
    )
    assert hover is not None


async def test_a_change_of_bundles_does_not_make_squiggles_flicker(editor: Editor) -> None:
    await editor.start()
    editor.open(DRAFT, "See team//knowledge/gone.\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/gone")])
    before, runs = len(editor.published), len(editor.indexed)
    folder = lsp.WorkspaceFolder(editor.uri("other"), "other")
    editor.client.workspace_did_change_workspace_folders(
        lsp.DidChangeWorkspaceFoldersParams(
            lsp.WorkspaceFoldersChangeEvent(added=[folder], removed=[])
        )
    )
    await editor.until(lambda: len(editor.indexed) > runs)
    # The settle time of what the new bundle changed goes by; then something does change.
    editor.change(DRAFT, "All is well.\n")
    await editor.shows(DRAFT, [])
    assert all(
        params.diagnostics or params is editor.published[-1] for params in editor.published[before:]
    )


async def test_a_wrong_setting_is_named_and_the_default_stays(editor: Editor) -> None:
    await editor.start(
        options={"completion": {"maxItems": "many"}, "lint": {"rules": {"no-such": "off"}}}
    )
    await editor.until(lambda: len(editor.client.messages) >= 2)
    messages = " ".join(message.message for message in editor.client.messages)
    assert "akm.completion.maxItems" in messages and "100" in messages
    assert "akm.lint.rules.no-such" in messages


async def test_a_rule_can_be_switched_off_while_the_server_runs(editor: Editor) -> None:
    def configurable(capabilities: lsp.ClientCapabilities) -> None:
        assert capabilities.workspace
        capabilities.workspace.configuration = True

    await editor.start(adjust=configurable)
    editor.open(DRAFT, "See team//knowledge/gone.\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/gone")])
    editor.client.set_configuration({"akm": {"lint": {"rules": {"missing-ref": "off"}}}})
    editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams({}))
    await editor.shows(DRAFT, [])
    editor.client.set_configuration({"akm": {"lint": {"rules": {"missing-ref": "error"}}}})
    editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams({}))
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/gone")])
    assert editor.diagnostics(DRAFT)[0].severity == lsp.DiagnosticSeverity.Error


async def test_where_the_client_cannot_watch_files_the_server_does(editor: Editor) -> None:
    def blind(capabilities: lsp.ClientCapabilities) -> None:
        assert capabilities.workspace
        capabilities.workspace.did_change_watched_files = None

    await editor.start(adjust=blind)
    editor.open(DRAFT, "See team//knowledge/later.\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/later")])
    editor.write("team/knowledge/later.md", "# Later\n")
    await editor.shows(DRAFT, [])


async def test_a_storm_of_changes_is_one_run(editor: Editor) -> None:
    await editor.start()
    editor.open(DRAFT, "See team//knowledge/storm/file-399.\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/storm/file-399")])
    names = [f"team/knowledge/storm/file-{number}.md" for number in range(400)]
    for name in names:
        editor.write(name, "# Storm\n")
    before = len(editor.indexed)
    editor.outside_change(*((name, lsp.FileChangeType.Created) for name in names))
    await editor.shows(DRAFT, [])
    assert len(editor.indexed) == before + 1


async def test_a_bundle_that_vanishes_and_comes_back(editor: Editor) -> None:
    await editor.start(["team", "other"])
    editor.open(DRAFT, "See other//knowledge/there.\n")
    await editor.shows(DRAFT, [])
    shutil.move(editor.root / "other", editor.root / "away")
    editor.outside_change(("other/knowledge/there.md", lsp.FileChangeType.Deleted))
    await editor.shows(DRAFT, [("missing-ref", "other//knowledge/there")])
    shutil.move(editor.root / "away", editor.root / "other")
    editor.outside_change(("other/knowledge/there.md", lsp.FileChangeType.Created))
    await editor.shows(DRAFT, [])


async def test_a_second_start_reads_nothing_again(editor: Editor) -> None:
    first = Settings(
        folders=(str(editor.root / "team"),),
        data_dir=str(editor.root / "data"),
        config=str(editor.root / "no-config.json"),
    )
    with Workspace.open(first) as workspace:
        assert workspace.refresh().added == 8
    await editor.start()
    assert plain(editor.indexed[0]) == {"added": 0, "changed": 0, "removed": 0, "entries": 8}
    status = await editor.request("akm/status", {})
    assert status["index"]["path"] == str(editor.root / "data" / "akm-ls.db")
    assert status["index"]["entries"] == 8
