"""The shape of a document: what folds, what a selection grows to, what belongs to a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.documents.folding import FoldKind, folds
from akm_ls.documents.selection import selections
from akm_ls.workspace.occurrences import occurrences

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

_FOLD_KIND = {
    "comment": lsp.FoldingRangeKind.Comment,
    "frontmatter": lsp.FoldingRangeKind.Region,
}
_HIGHLIGHT_KIND = {
    "read": lsp.DocumentHighlightKind.Read,
    "write": lsp.DocumentHighlightKind.Write,
    "text": lsp.DocumentHighlightKind.Text,
}


def folding_ranges(
    session: Session, params: lsp.FoldingRangeParams
) -> list[lsp.FoldingRange] | None:
    """Frontmatter, its lists, sections, fences and comments; always whole lines."""
    opened = session.document(params.text_document.uri)
    if opened is None:
        return None
    client = session.client
    limit = client.fold_limit
    found = folds(opened.document)
    if limit is not None and len(found) > limit:
        # Of too many, the widest are worth most.
        widest = sorted(found, key=lambda fold: fold.start - fold.end)[:limit]
        found = tuple(sorted(widest))
    return [
        lsp.FoldingRange(
            start_line=fold.start,
            end_line=fold.end,
            kind=_FOLD_KIND.get(fold.kind),
            collapsed_text=_collapsed(opened, fold.kind) if client.collapsed_text else None,
        )
        for fold in found
    ]


def _collapsed(opened: OpenDocument, kind: FoldKind) -> str | None:
    """What stands for a folded frontmatter: the asset's name; an env file has none."""
    if kind != "frontmatter" or opened.entry is None:
        return None
    return f"--- {opened.entry.name} ---"


def selection_ranges(
    session: Session, params: lsp.SelectionRangeParams
) -> list[lsp.SelectionRange] | None:
    """For each position the word at it, and what is around that, up to the document."""
    opened = session.document(params.text_document.uri)
    if opened is None:
        return None
    answers: list[lsp.SelectionRange] = []
    for position in params.positions:
        answer: lsp.SelectionRange | None = None
        for span in reversed(selections(opened.document, session.offset(opened, position))):
            answer = lsp.SelectionRange(session.range(opened.document.lines, span), parent=answer)
        assert answer is not None
        answers.append(answer)
    return answers


def highlights(
    session: Session, params: lsp.DocumentHighlightParams
) -> list[lsp.DocumentHighlight] | None:
    """Every place in the document of what is at the cursor."""
    opened = session.document(params.text_document.uri)
    if opened is None:
        return None
    found = occurrences(session.workspace, opened, session.offset(opened, params.position))
    lines = opened.document.lines
    return [
        lsp.DocumentHighlight(session.range(lines, item.span), _HIGHLIGHT_KIND[item.role])
        for item in found
    ] or None
