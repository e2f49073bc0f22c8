"""A marker in secrets and env values is nowhere to be found again."""

from __future__ import annotations

import json
from typing import Any

from editor import Editor
from lsprotocol import types as lsp

MARKER = "MARKER-7f3a"


async def test_the_marker_is_in_no_answer_no_log_and_no_file(editor: Editor) -> None:
    editor.write("team/env/hidden.env", f"TOKEN={MARKER}-hidden\n")
    editor.write("team/env/hidden.sensitive", "")
    editor.write("team/secrets/notes.md", f"---\ndescription: {MARKER}\n---\n# {MARKER}\n")
    editor.write("team/secrets/tls.env", f"KEY={MARKER}-env\n")
    await editor.start(["team", "other"])
    answers: list[Any] = []
    draft = "team/knowledge/draft.md"
    ids = ["env/staging", "env/hidden", "secrets/deploy-key", "secrets/notes.md", "secrets/tls.env"]
    editor.open(draft, "".join(f"team//{concept_id}\n" for concept_id in ids))
    for line in range(len(ids)):
        position = lsp.Position(line, 8)
        where = editor.at(draft, position)
        answers.append(await editor.client.text_document_hover_async(lsp.HoverParams(**where)))
        found = await editor.client.text_document_completion_async(lsp.CompletionParams(**where))
        assert isinstance(found, lsp.CompletionList)
        answers += [await editor.client.completion_item_resolve_async(i) for i in found.items]
    for concept_id in ids:
        for detail in ("full", "agent"):
            for query in (concept_id, MARKER, "token", "", "secrets/"):
                params = {"query": query, "detail": detail}
                answers.append(await editor.request("akm/search", params))
        try:
            shown = await editor.request("akm/show", {"ref": f"team//{concept_id}"})
            answers.append(shown)
        except Exception as refused:
            answers.append(str(refused))
    # Somebody edits a secret: its text stays out of every answer as well.
    editor.open("team/secrets/notes.md", f"# {MARKER} team//knowledge/gone\n")
    editor.open("team/secrets/deploy-key", f"{MARKER}\n")
    answers.append(
        await editor.client.text_document_document_link_async(
            lsp.DocumentLinkParams(lsp.TextDocumentIdentifier(editor.uri("team/secrets/notes.md")))
        )
    )
    await editor.request("akm/reindex", {"full": True})
    searched = await editor.request("akm/search", {"query": MARKER})
    # The query itself comes back in the answer.
    assert searched["hits"] == []
    text = json.dumps(
        [repr(answer) for answer in answers if not _echoes_the_query(answer)], default=str
    )
    assert MARKER not in text
    assert MARKER not in repr([params.diagnostics for params in editor.published])
    assert MARKER not in repr(editor.client.messages) + repr(editor.client.log_messages)
    written = b"".join(path.read_bytes() for path in (editor.root / "data").iterdir())
    assert b"staging" in written, "the assets themselves are there"
    assert MARKER.encode() not in written
    assert MARKER.lower().encode() not in written.lower()


def _echoes_the_query(answer: Any) -> bool:
    return isinstance(answer, dict) and answer.get("query") == MARKER and not answer["hits"]
