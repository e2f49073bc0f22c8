"""Another spelling for the same target: relative link or ref, bare or with its bundle."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from urllib.parse import quote

from lsprotocol import types as lsp

from akm_ls.documents.text import Span
from akm_ls.index.stub import Stub
from akm_ls.lint.finding import Fix, TextEdit
from akm_ls.lsp.features.refactorings.cursor import Cursor, Offer
from akm_ls.lsp.features.relative import Relative, anchor_of, bases_of
from akm_ls.refs import is_writable_in_prose

KINDS = (lsp.CodeActionKind.RefactorRewrite,)
_KIND = lsp.CodeActionKind.RefactorRewrite


def offers(cursor: Cursor) -> Iterator[Offer]:
    target, occurrence, relative = cursor.target, cursor.occurrence, cursor.relative
    if target is not None and occurrence is not None and target.stub is not None:
        stub = target.stub
        if occurrence.channel != "prose" and target.ref.bundle is None:
            yield Offer(
                "qualify",
                f"Write {stub.bundle}// before the ref",
                _KIND,
                partial(_qualify, occurrence.span, stub, target.ref.fragment),
            )
        elif occurrence.channel == "prose" and target.status in ("found", "missing-fragment"):
            offer = Offer(
                "ref-to-link", "Convert to a relative link", _KIND, partial(_to_link, cursor, stub)
            )
            if offer.build() is not None:
                yield offer
    elif relative is not None and relative.link is not None and relative.link.kind == "inline":
        stub_there = cursor.session.workspace.stub_at(relative.path)
        if stub_there is not None and relative.path != cursor.opened.path:
            offer = Offer(
                "link-to-ref",
                f"Convert to the ref {stub_there.ref}",
                _KIND,
                partial(_to_ref, cursor, relative, stub_there),
            )
            if offer.build() is not None:
                yield offer


def _qualify(span: Span, stub: Stub, fragment: str | None) -> Fix:
    text = stub.ref if fragment is None else f"{stub.ref}#{fragment}"
    return Fix("Qualify", (TextEdit(span, text),))


def _to_ref(cursor: Cursor, relative: Relative, stub: Stub) -> Fix | None:
    """The link's text stays, unless it says no more than the ref."""
    link = relative.link
    if link is None:
        return None
    ref = stub.ref
    if relative.fragment is not None:
        document = cursor.session.workspace.document(stub.path)
        anchor = None if document is None else anchor_of(document, relative.fragment)
        heading = None
        if document is not None and anchor is not None:
            line = document.lines.line_of(anchor.span.start)
            heading = next((it for it in document.headings if it.line == line), None)
        ref = f"{ref}#{heading.slug if heading is not None else relative.fragment}"
    if not is_writable_in_prose(ref):
        return None
    label = link.text_span.of(cursor.opened.text).strip().strip("`")
    says_the_same = {
        (stub.title or "").casefold(),
        stub.name.casefold(),
        stub.concept_id.casefold(),
        os.path.basename(stub.path).casefold(),
        relative.target.path.casefold(),
        "",
    }
    text = ref if label.casefold() in says_the_same else f"{label} ({ref})"
    return Fix("Convert to a ref", (TextEdit(link.span, text),))


def _to_link(cursor: Cursor, stub: Stub) -> Fix | None:
    """``[title](path#anchor)``; ``None`` where no relative path leads there."""
    target, occurrence = cursor.target, cursor.occurrence
    bases = bases_of(cursor.session, cursor.opened)
    workspace = cursor.session.workspace
    document = cursor.opened.document
    if target is None or occurrence is None or bases is None or document.kind != "markdown":
        return None
    span = occurrence.span
    if any(link.span.start <= span.start < link.span.end for link in document.links):
        return None
    for code in document.code_spans:
        if code.span.start <= span.start < code.span.end:
            if code.inner.of(document.text).strip() != occurrence.text:
                return None
            span = code.span
    path = workspace.canonical(stub.path)
    relative = bases.relative(path)
    if bases.join(bases.folder, relative) is None or stub.type in ("secret", "env"):
        return None
    address = quote(relative, safe="/.-_~+@&=,;!$'*")
    title = stub.title or stub.name
    if target.ref.fragment is not None:
        other = workspace.document(path)
        heading = None if other is None else other.fragment(target.ref.fragment)
        if other is None or heading is None:
            return None
        start = heading.span.start
        anchor = next((it for it in other.anchors if it.span.start == start), None)
        if anchor is None:
            return None
        address, title = f"{address}#{anchor.name}", heading.text
    title = title.replace("[", "\\[").replace("]", "\\]")
    return Fix("Convert to a link", (TextEdit(span, f"[{title}]({address})"),))
