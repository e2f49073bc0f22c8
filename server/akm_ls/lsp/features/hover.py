"""Hover on a ref: the asset's card, or its section's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.lsp.features.card import asset_card
from akm_ls.lsp.features.target import target_at

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session


def hover(session: Session, params: lsp.HoverParams) -> lsp.Hover | None:
    opened = session.document(params.text_document.uri)
    target = target_at(session, opened, params.position)
    if opened is None or target is None:
        return None
    plain = not session.client.markdown_hover
    if target.stub is not None:
        text = asset_card(session.workspace, target.stub, target.ref.fragment, plain=plain)
        if target.status == "elsewhere":
            text = f"Not in {target.ref.bundle}; this one is in {target.stub.bundle}.\n\n{text}"
        elif target.status == "missing-fragment":
            text = f'No heading "#{target.ref.fragment}" here.\n\n{text}'
    else:
        text = f"Nothing is known under {target.ref}."
    kind = lsp.MarkupKind.PlainText if plain else lsp.MarkupKind.Markdown
    return lsp.Hover(
        contents=lsp.MarkupContent(kind, text),
        range=session.range(opened.document.lines, target.span),
    )
