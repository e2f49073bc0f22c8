"""One list of completions, said in what the client can do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from akm_ls.documents.text import Span
from akm_ls.workspace.templates import Field, Part

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

Kind = lsp.CompletionItemKind


@dataclass(frozen=True, slots=True)
class Offer:
    """One completion.

    ``text`` is what it writes (by default its label), ``snippet`` the same with places to fill in
    for clients that can. ``note`` stands dimmed at the end of its line in the list, ``detail``
    beside it; ``documentation`` is Markdown. ``filter`` is what the typed text is held against.
    """

    label: str
    kind: lsp.CompletionItemKind
    text: str | None = None
    snippet: str | None = None
    detail: str = ""
    note: str = ""
    documentation: str = ""
    filter: str | None = None
    deprecated: bool = False
    data: Any = None


def listed(
    session: Session,
    opened: OpenDocument,
    span: Span,
    cursor: int,
    offers: Sequence[Offer],
    *,
    whole: bool = True,
    commit: Sequence[str] = (),
) -> lsp.CompletionList | None:
    """The offers in their order, for what stands in ``span`` with the cursor at ``cursor``.

    Whatever accepting one writes replaces the span: to its end, or to the cursor where the user
    would rather insert. ``whole`` is whether no other offer fits what is typed.
    """
    if not offers:
        return None
    client = session.client
    defaults = client.completion_defaults
    limit = session.workspace.settings.max_completions
    lines = opened.document.lines
    replace = session.range(lines, span)
    insert = session.range(lines, Span(span.start, min(max(cursor, span.start), span.end)))
    two = client.insert_replace and insert != replace
    shared_range = "editRange" in defaults
    commit_all = list(commit) if client.commit_characters else []
    shared_commit = bool(commit_all) and "commitCharacters" in defaults
    items = []
    for rank, offer in enumerate(offers[:limit]):
        item = _item(session, offer, rank)
        if commit_all and not shared_commit:
            item.commit_characters = commit_all
        text = item.insert_text or offer.label
        item.insert_text = None
        if shared_range:
            item.text_edit_text = text
        elif two:
            item.text_edit = lsp.InsertReplaceEdit(text, insert, replace)
        else:
            item.text_edit = lsp.TextEdit(replace, text)
        items.append(item)
    answer = lsp.CompletionList(is_incomplete=not whole or len(offers) > limit, items=items)
    if shared_range or shared_commit:
        answer.item_defaults = lsp.CompletionItemDefaults(
            commit_characters=commit_all if shared_commit else None,
            edit_range=(
                None
                if not shared_range
                else lsp.EditRangeWithInsertReplace(insert, replace)
                if two
                else replace
            ),
        )
    return answer


def _item(session: Session, offer: Offer, rank: int) -> lsp.CompletionItem:
    client = session.client
    item = lsp.CompletionItem(
        label=offer.label,
        kind=offer.kind,
        sort_text=f"{rank:04}",
        filter_text=offer.filter or (offer.label if offer.text is not None else None),
        insert_text=offer.text if offer.text is not None else offer.label,
        data=offer.data,
    )
    if offer.snippet is not None and client.snippets:
        item.insert_text = offer.snippet
        item.insert_text_format = lsp.InsertTextFormat.Snippet
    if client.inserts_as_is and item.insert_text and "\n" in item.insert_text:
        item.insert_text_mode = lsp.InsertTextMode.AsIs
    if client.label_details:
        if offer.note:
            item.label_details = lsp.CompletionItemLabelDetails(description=offer.note)
        item.detail = offer.detail or None
    else:
        item.detail = ": ".join(part for part in (offer.note, offer.detail) if part) or None
    if offer.documentation:
        item.documentation = lsp.MarkupContent(
            lsp.MarkupKind.Markdown if client.markdown_completion else lsp.MarkupKind.PlainText,
            offer.documentation if client.markdown_completion else plain(offer.documentation),
        )
    if offer.deprecated and client.deprecated_tag:
        item.tags = [lsp.CompletionItemTag.Deprecated]
    return item


def plain(markdown: str) -> str:
    """Our own Markdown as plain text: without emphasis and code marks."""
    return markdown.replace("**", "").replace("`", "").replace("\\", "")


def snippet_of(parts: Sequence[Part]) -> str:
    """A template as a snippet; fields of one name are filled in together."""
    numbers: dict[str, int] = {}
    written: list[str] = []
    for part in parts:
        if isinstance(part, str):
            written.append(escaped(part))
        elif part.name in numbers:
            written.append(f"${numbers[part.name]}")
        else:
            numbers[part.name] = len(numbers) + 1
            written.append(_placeholder(numbers[part.name], part))
    return "".join((*written, "$0"))


def _placeholder(number: int, field: Field) -> str:
    if field.choices:
        return f"${{{number}|{choices(field.choices)}|}}"
    return f"${{{number}:{escaped(field.hint)}}}"


def choices(values: Sequence[str]) -> str:
    """Values as the inside of a snippet's choice."""
    return ",".join(
        value.replace("\\", "\\\\").replace(",", "\\,").replace("|", "\\|") for value in values
    )


def escaped(text: str) -> str:
    """Text that a snippet inserts as it is."""
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")
