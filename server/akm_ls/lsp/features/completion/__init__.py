"""Completion wherever an author types something that the server knows.

One module for each kind of place; each says ``None`` where its kind of place is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.lsp.features.completion import (
    comments,
    files,
    keys,
    paths,
    refs,
    values,
    workflows,
)

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

_ALWAYS = frozenset("/#[.@")
"""Characters that may open any kind of place; the others that `offers` names open values and
links only."""

resolve = refs.resolve

Source = Callable[["Session", "OpenDocument", int], "lsp.CompletionList | None"]

_ANYWHERE: tuple[Source, ...] = (
    comments.complete,
    files.complete,
    workflows.complete,
    paths.complete,
    refs.complete,
    values.complete,
    keys.complete,
)
_IN_YAML: tuple[Source, ...] = (
    comments.complete,
    workflows.complete,
    refs.complete_in_yaml,
    values.complete,
)
"""What a blank, a colon or a quote opens: what a value may be, and nothing in running text."""


def complete(session: Session, params: lsp.CompletionParams) -> lsp.CompletionList | None:
    opened = session.document(params.text_document.uri)
    if opened is None or opened.bundle is None:
        return None
    offset = session.offset(opened, params.position)
    context = params.context
    typed = context.trigger_character if context is not None else None
    if typed is not None and opened.text[max(0, offset - 1) : offset] != typed:
        typed = None  # more has been typed since: what stands there counts
    sources: tuple[Source, ...] = _IN_YAML
    if typed is None or typed in _ALWAYS:
        sources = _ANYWHERE
    elif typed == "(":
        sources = (paths.complete,)
    for source in sources:
        answer = source(session, opened, offset)
        if answer is not None:
            return answer
    return None
