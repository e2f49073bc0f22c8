"""A bundle's own settings in an editor."""

from __future__ import annotations

from editor import Editor
from lsprotocol import types as lsp

from akm_ls.lint.engine import CODES

DRAFT = "team/knowledge/draft.md"
SETTINGS = "team/.akm-ls.toml"
OTHERS_OFF = {"lint": {"rules": dict.fromkeys(CODES - {"missing-ref"}, "off")}}


async def test_squiggles_follow_the_bundles_settings_file(editor: Editor) -> None:
    await editor.start(options=OTHERS_OFF)
    editor.open(DRAFT, "See team//knowledge/gone.\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/gone")])
    editor.write(SETTINGS, '[lint.rules]\nmissing-ref = "off"\n')
    editor.outside_change((SETTINGS, lsp.FileChangeType.Created))
    await editor.shows(DRAFT, [])
    editor.write(SETTINGS, "[lint.rules]\n")
    editor.outside_change((SETTINGS, lsp.FileChangeType.Changed))
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/gone")])


async def test_a_fault_in_the_file_is_told_once_and_in_the_status(editor: Editor) -> None:
    editor.write(SETTINGS, '[lint.rules]\nmising-ref = "off"\n')
    await editor.start()

    def told() -> list[str]:
        return [m.message for m in editor.client.messages if "mising-ref" in m.message]

    await editor.until(told)
    editor.outside_change((SETTINGS, lsp.FileChangeType.Changed))
    status = await editor.request("akm/status", {})
    assert len(told()) == 1
    assert told()[0].startswith(str(editor.root / SETTINGS))
    assert told()[0] in status["warnings"]
