"""What of a document can be folded away: whole lines, from one that stays to the last hidden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from akm_ls.documents.document import Document
from akm_ls.documents.nodes import Mapping, Node, Sequence

FoldKind = Literal["frontmatter", "list", "section", "fence", "comment"]

_LEVELS = 8
"""Nested collections of a frontmatter that fold each by itself."""


class Fold(NamedTuple):
    """Lines ``start`` to ``end`` (0-based, both included); ``start`` stays visible."""

    start: int
    end: int
    kind: FoldKind


def folds(document: Document) -> tuple[Fold, ...]:
    """All folds, by first line, outer ones first. No two of them begin on one line."""
    found: dict[int, Fold] = {}
    for fold in sorted(_all(document), key=lambda fold: (fold.start, -fold.end)):
        if fold.end > fold.start:
            found.setdefault(fold.start, fold)
    return tuple(found.values())


def _all(document: Document) -> Iterator[Fold]:
    frontmatter = document.frontmatter
    if frontmatter is not None:
        if document.kind == "markdown":
            yield _fold(document, frontmatter.span.start, frontmatter.span.end, "frontmatter")
        yield from _collections(document, frontmatter.root)
    for heading in document.headings:
        yield _fold(document, heading.span.start, heading.section.end, "section")
    for fence in document.fences:
        yield _fold(document, fence.span.start, fence.span.end, "fence")
    for comment in document.comments:
        yield _fold(document, comment.start, comment.end, "comment")


def _collections(document: Document, root: Mapping) -> Iterator[Fold]:
    """The values that go over several lines, from the line of their key or dash on."""
    waiting: list[tuple[Node, int]] = [(root, 0)]
    while waiting:
        node, level = waiting.pop()
        if level >= _LEVELS:
            continue
        if isinstance(node, Mapping):
            for pair in node.pairs:
                if pair.key.span.start >= node.span.start:  # else it is an alias's
                    yield _fold(document, pair.span.start, pair.span.end, "list")
                    waiting.append((pair.value, level + 1))
        elif isinstance(node, Sequence):
            for item in node.items:
                if item.span.start >= node.span.start:
                    yield _fold(document, item.span.start, item.span.end, "list")
                    waiting.append((item, level + 1))


def _fold(document: Document, start: int, end: int, kind: FoldKind) -> Fold:
    """Blank lines at the end stay visible."""
    text = document.text
    while end > start and text[end - 1].isspace():
        end -= 1
    lines = document.lines
    return Fold(lines.line_of(start), lines.line_of(max(start, end - 1)), kind)
