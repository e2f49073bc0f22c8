"""Inlay hints: what refs mean, where they do not say it themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.documents.text import Span
from akm_ls.lsp.convert import file_start
from akm_ls.workspace.annotations import hints

if TYPE_CHECKING:
    from akm_ls.index.stub import Stub
    from akm_ls.lsp.session import Session


def inlay_hints(session: Session, params: lsp.InlayHintParams) -> list[lsp.InlayHint] | None:
    """The hints in a part of an open document."""
    opened = session.document(params.text_document.uri)
    if opened is None:
        return None
    within = Span(
        session.offset(opened, params.range.start), session.offset(opened, params.range.end)
    )
    lines = opened.document.lines
    return [
        lsp.InlayHint(
            position=session.range(lines, Span(hint.offset, hint.offset)).start,
            label=_label(session, hint.label, hint.target),
            tooltip=hint.more,
            padding_left=True,
        )
        for hint in hints(session.workspace, opened, within, session.workspace.settings.shown)
    ]


def _label(session: Session, text: str, target: Stub) -> list[lsp.InlayHintLabelPart]:
    """The words, which lead to the asset where a client follows them."""
    place = lsp.Location(session.uri(target.path), file_start())
    return [lsp.InlayHintLabelPart(text, location=place)]
