"""Asking for completions, and reading them as a person would."""

from __future__ import annotations

from editor import Editor
from lsprotocol import types as lsp


async def complete(
    editor: Editor, name: str, marked: str, *, typed: str | None = None
) -> lsp.CompletionList:
    """What is offered at ``$0``; ``typed`` is the character that asked by itself."""
    uri = editor.uri(name)
    position = editor.change(name, marked) if uri in editor.texts else editor.open(name, marked)
    context = None
    if typed is not None:
        kind = lsp.CompletionTriggerKind.TriggerCharacter
        context = lsp.CompletionContext(kind, typed)
    answer = await editor.client.text_document_completion_async(
        lsp.CompletionParams(**editor.at(name, position), context=context)
    )
    assert answer is None or isinstance(answer, lsp.CompletionList)
    return answer or lsp.CompletionList(False, [])


def labels(completions: lsp.CompletionList) -> list[str]:
    ranked = sorted(completions.items, key=lambda item: item.sort_text or item.label)
    return [item.label for item in ranked]


def item_of(completions: lsp.CompletionList, label: str) -> lsp.CompletionItem:
    return next(item for item in completions.items if item.label == label)


def documentation(item: lsp.CompletionItem) -> str:
    assert isinstance(item.documentation, lsp.MarkupContent)
    return item.documentation.value
