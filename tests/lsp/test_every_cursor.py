"""Wherever the cursor is, in whatever text, there is an answer and no error."""

from __future__ import annotations

import pytest
from editor import Editor
from lsprotocol import types as lsp

from akm_ls.documents.text import LineIndex

ODD = (
    "\ufeff---\r\nname: [a, 'b\r\ntags:\r\n- \r\n  - - x: {y\r\nsteps:\r\n  - id: a\r\n"
    "    route: !t\r\n      when:\r\n"
    "        - step: \r\nxrefs: |\r\n  z\r\n# akm-ls-disable \r\n---\r\n# T 😀\r\n"
    "## \r\n[x](<a b#c>) [y](../..#) ![z](\\) `a/b` ``c/`d`` @a/b.md $1 $ARGUMENTS[ {{ }} $\r\n"
    "<!-- akm-ls-disable-line x, \r\nteam//knowledge/auth/tokens#z team//gone/x\r\n"
)
NAMES = [
    "team/skills/odd/SKILL.md",
    "team/workflows/odd.md",
    "team/commands/odd.md",
    "team/tasks/odd.yml",
    "team/env/odd.env",
]


@pytest.mark.parametrize("name", NAMES)
async def test_every_place_of_odd_text_has_an_answer(editor: Editor, name: str) -> None:
    await editor.start(encodings=[lsp.PositionEncodingKind.Utf8])
    editor.open(name, ODD)
    lines = LineIndex(ODD)
    document = lsp.TextDocumentIdentifier(editor.uri(name))
    for offset in range(len(ODD) + 1):
        place = lsp.Position(*lines.position(offset, "utf-8"))
        completions = await editor.client.text_document_completion_async(
            lsp.CompletionParams(document, place)
        )
        assert completions is None or isinstance(completions, lsp.CompletionList)
        await editor.client.text_document_hover_async(lsp.HoverParams(document, place))
        await editor.client.text_document_definition_async(lsp.DefinitionParams(document, place))
        if offset % 7 == 0:
            await editor.client.text_document_code_action_async(
                lsp.CodeActionParams(
                    document, lsp.Range(place, place), lsp.CodeActionContext([], only=["refactor"])
                )
            )
    await editor.client.text_document_document_link_async(lsp.DocumentLinkParams(document))
