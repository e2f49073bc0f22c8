"""What a selection grows to, step by step, from the word at a place to the whole document."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from akm_ls.documents.document import Document
from akm_ls.documents.markdown import merge
from akm_ls.documents.nodes import Mapping, Node, Scalar, Sequence
from akm_ls.documents.text import Span

_WORD = re.compile(r"\w+")
_ITEM = re.compile(r"([ \t>]*)(?:[-*+]|\d{1,9}[.)])(?=[ \t]|\Z)")
_INDENT = re.compile(r"[ \t>]*")
MAX_PARAGRAPH = 2_000
"""Lines of one paragraph or list that are looked at, up and down."""
MAX_NESTED = 20
"""List items within each other that a selection grows to."""


def selections(document: Document, offset: int) -> tuple[Span, ...]:
    """The spans around ``offset``, each within the next one; the last is the document."""
    offset = min(max(offset, 0), len(document.text))
    around = [span for span in _candidates(document, offset) if span.start <= offset <= span.end]
    around.sort(key=lambda span: (span.end - span.start, -span.start))
    chain: list[Span] = []
    for span in around:
        if span.start == span.end:
            continue
        if not chain or (span != chain[-1] and _holds(span, chain[-1])):
            chain.append(span)
    whole = Span(0, len(document.text))
    return tuple(chain) if chain and chain[-1] == whole else (*chain, whole)


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _candidates(document: Document, offset: int) -> Iterator[Span]:
    yield from _word(document, offset)
    if document.kind not in ("markdown", "yaml"):
        yield document.lines.line_span(document.lines.line_of(offset))
        return
    ref = document.ref_at(offset)
    if ref is not None:
        yield ref.span
    frontmatter = document.frontmatter
    if frontmatter is not None and (
        frontmatter.span.start <= offset < frontmatter.span.end or document.kind == "yaml"
    ):
        yield from _values(frontmatter.root, offset)
        yield frontmatter.span
        return
    if document.kind == "markdown":
        yield from _inline(document, offset)
        yield from _blocks(document, offset)
        yield Span(document.body_start, len(document.text))


def _word(document: Document, offset: int) -> Iterator[Span]:
    line = document.lines.line_span(document.lines.line_of(offset))
    # A generated line may be very long; a word is not.
    start = max(line.start, offset - 200)
    for match in _WORD.finditer(document.text, start, min(line.end, offset + 200)):
        if match.start() <= offset <= match.end():
            yield Span(*match.span())


def _values(root: Mapping, offset: int) -> Iterator[Span]:
    """A value, its pair or item, the list or block it stands in, and so on outwards."""
    node: Node = root
    while True:
        yield node.span
        if isinstance(node, Scalar):
            yield node.inner
            return
        if isinstance(node, Mapping):
            pair = next((it for it in node.pairs if it.span.contains(offset)), None)
            if pair is None or pair.key.span.start < node.span.start:
                return
            yield pair.span
            if pair.key.span.contains(offset):
                yield pair.key.span
                yield pair.key.inner
                return
            node = pair.value
        else:
            assert isinstance(node, Sequence)
            item = next((it for it in node.items if it.span.contains(offset)), None)
            if item is None or item.span.start < node.span.start:
                return
            node = item


def _inline(document: Document, offset: int) -> Iterator[Span]:
    for code in document.code_spans:
        if code.span.contains(offset):
            yield from (code.inner, code.span)
    for link in document.links:
        if link.span.contains(offset):
            yield link.span
            # Of a label and a target that touch the cursor both, the nearer one counts by size.
            yield from (link.text_span, link.target_span)


def _blocks(document: Document, offset: int) -> Iterator[Span]:
    for fence in document.fences:
        if fence.span.start <= offset <= fence.span.end:
            yield from (fence.inner, fence.span)
    for comment in document.comments:
        if comment.contains(offset):
            yield comment
    for heading in document.headings:
        if heading.section.start > offset:
            break
        if offset <= heading.section.end:
            yield heading.section
            if heading.span.contains(offset):
                yield heading.span
                title = document.text.find(heading.text, *heading.span)
                yield Span(title, title + len(heading.text)) if title >= 0 else heading.span
    yield from _paragraph(document, offset)


def _paragraph(document: Document, offset: int) -> Iterator[Span]:
    """The lines around without a blank one between them; in a list the items around as well."""
    lines = document.lines
    at = lines.line_of(offset)
    borders = {heading.line for heading in document.headings}
    blocks = merge((*(fence.span for fence in document.fences), *document.comments))
    starts = [block.start for block in blocks]

    def in_block(place: int) -> bool:
        index = bisect_right(starts, place) - 1
        return index >= 0 and place < blocks[index].end

    if in_block(offset):
        return

    def ends(line: int) -> bool:
        span = lines.line_span(line)
        return (
            not span.of(document.text).strip()
            or line in borders
            or span.start < document.body_start
            or in_block(span.start)
        )

    if ends(at):
        return
    first = last = at
    while first > 0 and at - first < MAX_PARAGRAPH and not ends(first - 1):
        first -= 1
    while last + 1 < len(lines) and last - at < MAX_PARAGRAPH and not ends(last + 1):
        last += 1
    yield _lines(document, first, last)
    yield from _items(document, first, at, last)


def _items(document: Document, first: int, at: int, last: int) -> Iterator[Span]:
    """The list items that hold line ``at``, the innermost first."""
    indent = _indent(document, at)
    line, found = at, 0
    while line >= first and found < MAX_NESTED:
        item = _ITEM.match(document.lines.line_text(line))
        width = _indent(document, line)
        if item and (line == at or width < indent):
            end = line
            while end < last and (
                _indent(document, end + 1) > width
                or not _ITEM.match(document.lines.line_text(end + 1))
            ):
                end += 1
            if end >= at:
                yield _lines(document, line, end)
            indent = width
            found += 1
        line -= 1


def _indent(document: Document, line: int) -> int:
    text = document.lines.line_text(line)
    match = _INDENT.match(text)
    return len(match.group().expandtabs(4)) if match else 0


def _lines(document: Document, first: int, last: int) -> Span:
    start = document.lines.line_span(first)
    source = start.of(document.text)
    blanks = len(source) - len(source.lstrip(" \t"))
    return Span(start.start + blanks, document.lines.line_span(last).end)
