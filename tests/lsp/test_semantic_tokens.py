"""What is coloured, and as what."""

from __future__ import annotations

from typing import Any

import pytest
from editor import Editor
from lsprotocol import types as lsp

DRAFT = "team/knowledge/draft.md"
COMMAND = "team/commands/do.md"


async def coloured(
    editor: Editor, name: str, text: str, within: lsp.Range | None = None
) -> list[tuple[str, ...]]:
    """Each token: its text, its type and its modifiers."""
    editor.open(name, text)
    document = lsp.TextDocumentIdentifier(editor.uri(name))
    answer: Any
    if within is None:
        answer = await editor.client.text_document_semantic_tokens_full_async(
            lsp.SemanticTokensParams(document)
        )
    else:
        answer = await editor.client.text_document_semantic_tokens_range_async(
            lsp.SemanticTokensRangeParams(document, within)
        )
    found = []
    line = character = 0
    types = ("namespace", "type", "property", "parameter")
    for index in range(0, len(answer.data), 5):
        down, right, length, kind, modifiers = answer.data[index : index + 5]
        character = right if down else character + right
        line += down
        where = lsp.Range(lsp.Position(line, character), lsp.Position(line, character + length))
        words = (editor.covered(text, where), types[kind])
        found.append((*words, "deprecated") if modifiers else words)
    return found


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_a_ref_in_its_parts(editor: Editor, encoding: str) -> None:
    await editor.start(encodings=[lsp.PositionEncodingKind(encoding)])
    text = (
        "---\nxrefs: [knowledge/auth/tls]\nsupersededBy: 'team//knowledge/old'\n---\n"
        "😀 **team//knowledge/auth/tokens#daily-rotation**, team//knowledge/gone\n"
        "`x//y` https://example.com//knowledge/a\n```\nteam//knowledge/auth/tls\n```\n"
    )
    assert await coloured(editor, DRAFT, text) == [
        ("knowledge/auth/tls", "type"),
        ("team", "namespace", "deprecated"),
        ("knowledge/old", "type", "deprecated"),
        ("team", "namespace"),
        ("knowledge/auth/tokens", "type"),
        ("daily-rotation", "property"),
        ("team", "namespace"),
        ("knowledge/gone", "type"),
    ]


async def test_placeholders_of_what_takes_arguments(editor: Editor) -> None:
    await editor.start()
    text = "---\ndescription: Do\n---\nDo $ARGUMENTS with {{tool}}, \\$1 for $5.00.\n"
    assert await coloured(editor, COMMAND, text) == [
        ("$ARGUMENTS", "parameter"),
        ("{{tool}}", "parameter"),
    ]


async def test_a_part_of_a_document(editor: Editor) -> None:
    await editor.start()
    text = "team//skills/release\n\nteam//knowledge/auth/tls\n\nteam//knowledge/old\n"
    within = lsp.Range(lsp.Position(1, 0), lsp.Position(4, 0))
    assert await coloured(editor, DRAFT, text, within) == [
        ("team", "namespace"),
        ("knowledge/auth/tls", "type"),
    ]


async def test_a_file_of_no_bundle_is_left_to_others(editor: Editor) -> None:
    await editor.start()
    editor.open("plain.md", "team//knowledge/auth/tls\n")
    params = lsp.SemanticTokensParams(lsp.TextDocumentIdentifier(editor.uri("plain.md")))
    assert await editor.client.text_document_semantic_tokens_full_async(params) is None
