"""What the user is told when settings or akm's configuration cannot be used."""

from __future__ import annotations

import lsprotocol.types as lsp
from editor import Editor

CONFIG = "no-config.json"


def told(editor: Editor, part: str) -> list[str]:
    return [message.message for message in editor.client.messages if part in message.message]


async def test_directories_that_are_none_are_told_once(editor: Editor) -> None:
    editor.write("file", "")
    dirs = [str(editor.root / name) for name in ("team", "gone", "file")]
    await editor.start(options={"bundleDirs": dirs})
    await editor.until(lambda: len(told(editor, "akm.bundleDirs")) == 2)
    gone, file = told(editor, "akm.bundleDirs")
    assert gone == f"akm.bundleDirs: no such directory: {dirs[1]}; the others are used."
    assert file == f"akm.bundleDirs: not a directory: {dirs[2]}; the others are used."
    for delay in (300, 400):
        editor.client.set_configuration({"akm": {"bundleDirs": dirs, "diagnostics.delay": delay}})
        editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams({}))
        status = await editor.request("akm/status", {})
    assert [bundle["id"] for bundle in status["bundles"]] == ["team"]
    assert len(told(editor, "akm.bundleDirs")) == 2
    editor.client.set_configuration({"akm": {"bundleDirs": dirs[1:]}})
    editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams({}))
    await editor.until(lambda: told(editor, f"{dirs[1]}; no bundle is open."))


async def test_a_broken_configuration_is_told_each_time_it_breaks(editor: Editor) -> None:
    editor.write(CONFIG, '{"bundles": {')
    await editor.start()
    place = str(editor.root / CONFIG)
    await editor.until(lambda: told(editor, place))
    (said,) = told(editor, place)
    assert said.startswith(f"{place}:1:14: not valid JSON")
    assert said.endswith("; only bundles from elsewhere are open.")
    status = await editor.request("akm/status", {})
    assert any(warning.startswith(f"{place}:1:14") for warning in status["warnings"])

    async def write(text: str) -> None:
        editor.write(CONFIG, text)
        editor.outside_change((CONFIG, lsp.FileChangeType.Changed))
        await editor.request("akm/status", {})

    await write('{"bundles": {')
    assert len(told(editor, place)) == 1
    await write("{}")
    await write('{"bundles": {')
    await editor.until(lambda: len(told(editor, place)) == 2)


async def test_a_setting_that_does_not_exist_is_told_once(editor: Editor) -> None:
    await editor.start(options={"ofline": True, "server": {"command": []}, "trace": "off"})
    await editor.until(lambda: told(editor, "akm.ofline"))
    for _ in range(2):
        editor.client.set_configuration({"akm": {"ofline": True, "trace": {"server": "off"}}})
        editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams({}))
        await editor.request("akm/status", {})
    assert len(told(editor, "no such setting")) == 1
    assert "akm.offline?" in told(editor, "akm.ofline")[0]
    assert {message.type for message in editor.client.messages} == {lsp.MessageType.Warning}
