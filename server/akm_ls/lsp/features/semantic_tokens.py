"""Semantic tokens: refs in their parts, and placeholders, coloured as what they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types as lsp

from akm_ls.documents.text import Span
from akm_ls.lint.rules.superseded import DEMOTING_STATES
from akm_ls.lsp.features.frontmatter_keys import schema_place
from akm_ls.lsp.features.placeholders import placeholders
from akm_ls.lsp.features.target import target_of
from akm_ls.lsp.offers import SEMANTIC_TOKENS

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

MAX_TOKENS = 10_000
_BUNDLE, _ASSET, _HEADING, _PLACEHOLDER = map(
    SEMANTIC_TOKENS.token_types.index, ("namespace", "type", "property", "parameter")
)


class _Token(NamedTuple):
    span: Span
    kind: int
    modifiers: int = 0


def semantic_tokens(
    session: Session, uri: str, within: lsp.Range | None = None
) -> lsp.SemanticTokens | None:
    """The tokens of an open document, or of the part ``within``.

    Of a ref the bundle is a namespace, the concept id a type, the fragment a property; what is
    no longer believed is deprecated. A placeholder is a parameter.
    """
    opened = session.document(uri)
    if opened is None or opened.bundle is None:
        return None
    part = Span(0, len(opened.text))
    if within is not None:
        part = Span(session.offset(opened, within.start), session.offset(opened, within.end))
    found = sorted((*_refs(session, opened, part), *_placeholders(session, opened, part)))
    data: list[int] = []
    lines = opened.document.lines
    line = character = end = 0
    for token in found[:MAX_TOKENS]:
        if token.span.start < end:
            continue  # of two that overlap the first counts
        end = token.span.end
        first, last = lines.range(token.span, session.encoding)
        if first.line != last.line:
            continue
        start = first.character - (character if first.line == line else 0)
        length = last.character - first.character
        data += (first.line - line, start, length, token.kind, token.modifiers)
        line, character = first.line, first.character
    return lsp.SemanticTokens(data=data)


def _refs(session: Session, opened: OpenDocument, part: Span) -> Iterator[_Token]:
    text = opened.text
    for occurrence in opened.document.refs:
        start, end = occurrence.span
        if end <= part.start or start >= part.end:
            continue
        target = target_of(session, opened, occurrence)
        if target is None:
            continue
        stub = target.stub
        old = int(stub is not None and stub.belief_state in DEMOTING_STATES)
        slashes = text.find("//", start, end) if target.ref.bundle is not None else -1
        mark = text.find("#", start, end) if target.ref.fragment is not None else -1
        if slashes > start:
            yield _Token(Span(start, slashes), _BUNDLE, old)
            start = slashes + 2
        stop = mark if mark > start else end
        if start < stop:
            yield _Token(Span(start, stop), _ASSET, old)
        if mark >= start and mark + 1 < end:
            yield _Token(Span(mark + 1, end), _HEADING, old)


def _placeholders(session: Session, opened: OpenDocument, part: Span) -> Iterator[_Token]:
    place = schema_place(session, opened)
    for found in placeholders(opened.document, place, part):
        yield _Token(found.span, _PLACEHOLDER)
