"""Comments that switch rules off: for one line, for the next one, or for the whole file.

In Markdown they are HTML comments, ``<!-- akm-ls-disable-line CODE[, CODE][: reason] -->``; in
frontmatter, YAML and env files the same words stand behind a ``#``. Without a code they mean every
rule. A comment in a code fence is somebody's example and switches nothing off.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from akm_ls.documents.document import Document
from akm_ls.documents.nodes import Node, Scalar, Sequence
from akm_ls.documents.text import Span

Scope = Literal["file", "line", "next-line"]

WORDS: dict[Scope, str] = {
    "file": "akm-ls-disable",
    "line": "akm-ls-disable-line",
    "next-line": "akm-ls-disable-next-line",
}
_SCOPES = {words: scope for scope, words in WORDS.items()}
_IN_EVERY_WORD = re.compile("-[lL][sS]-")
# Words of other case, and what other linters call such a comment, are read to be told of.
_WORDS = (
    r"(?P<words>akm-ls-(?:disable|enable|(?:ignore|suppress|skip|allow|off|on)\b)[\w-]*)"
    r"(?P<codes>"
)
_IN_COMMENT = re.compile(rf"\s*{_WORDS}[^:]*)", re.IGNORECASE)
_AFTER_HASH = re.compile(
    rf"(?:^|(?<=[ \t\r\n\ufeff]))#[ \t]*{_WORDS}[^:\r\n]*)[^\r\n]*",
    re.MULTILINE | re.IGNORECASE,
)
_CODE = re.compile(r"[A-Za-z][\w-]*")


@dataclass(frozen=True, slots=True)
class Directive:
    """One comment. ``codes`` are the rules it names, with their places; none means every rule.

    ``scope`` is ``None`` when ``words`` is none of `WORDS`: such a comment does nothing.
    ``first_line`` and ``last_line`` are the 0-based lines the comment stands on.
    """

    scope: Scope | None
    words: Span
    codes: tuple[tuple[str, Span], ...]
    span: Span
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class Suppressions:
    """All of a document's directives, and what they hide."""

    directives: tuple[Directive, ...] = ()
    _everywhere: frozenset[str] = field(default_factory=frozenset)
    _by_line: dict[int, frozenset[str]] = field(default_factory=dict)

    def hides_file(self, code: str) -> bool:
        """Whether the rule is off in the whole file."""
        return _names(self._everywhere, code)

    def hides(self, code: str, lines: Iterable[int]) -> bool:
        """Whether the rule is off for a finding that begins and ends on these lines."""
        if self.hides_file(code):
            return True
        return any(_names(self._by_line.get(line, frozenset()), code) for line in lines)


_ALL = "*"
_NOTHING = Suppressions()


def may_hold_directives(text: str) -> bool:
    """A quick look at whether a text can have such comments at all."""
    return _IN_EVERY_WORD.search(text) is not None


def read_suppressions(document: Document) -> Suppressions:
    """The comments of a document that switch rules off."""
    if not may_hold_directives(document.text):
        return _NOTHING
    directives = tuple(sorted(_directives(document), key=lambda directive: directive.span))
    everywhere: frozenset[str] = frozenset()
    by_line: dict[int, frozenset[str]] = {}
    for directive in directives:
        codes = frozenset(code for code, _ in directive.codes) or frozenset({_ALL})
        if directive.scope == "file":
            everywhere |= codes
        elif directive.scope is not None:
            first, last = directive.first_line, directive.last_line
            # What a rule says of a whole file stands on its first line, also when that is the
            # comment's own.
            end = last + 1 if directive.scope == "line" else last + 2
            for line in range(first, end):
                by_line[line] = by_line.get(line, frozenset()) | codes
    return Suppressions(directives, everywhere, by_line)


def lines_of(document: Document, span: Span) -> tuple[int, int]:
    """The 0-based lines on which a finding begins and ends."""
    line_of = document.lines.line_of
    return line_of(span.start), line_of(max(span.start, span.end - 1))


def _names(codes: frozenset[str], code: str) -> bool:
    return code in codes or _ALL in codes


def _directives(document: Document) -> Iterator[Directive]:
    text = document.text
    for comment in document.comments:
        start = comment.start + len("<!--")
        end = comment.end - 3 if text.endswith("-->", start, comment.end) else comment.end
        match = _IN_COMMENT.match(text, start, end)
        if match is not None:
            yield _directive(document, match, comment)
    if document.kind == "markdown":
        frontmatter = document.frontmatter
        if frontmatter is not None:
            yield from _after_hashes(document, frontmatter.inner, scalar_spans(document))
    elif document.kind == "yaml":
        yield from _after_hashes(document, Span(0, len(text)), scalar_spans(document))
    elif document.kind == "env":
        yield from _after_hashes(document, Span(0, len(text)), [])


def _after_hashes(document: Document, within: Span, scalars: list[Span]) -> Iterator[Directive]:
    for match in _AFTER_HASH.finditer(document.text, *within):
        if not inside(match.start(), scalars):
            yield _directive(document, match, Span(*match.span()))


def _directive(document: Document, match: re.Match[str], span: Span) -> Directive:
    first, last = lines_of(document, span)
    return Directive(
        _SCOPES.get(match.group("words")),
        Span(*match.span("words")),
        tuple(
            (found.group(), Span(*found.span()))
            for found in _CODE.finditer(document.text, *match.span("codes"))
        ),
        span,
        first,
        last,
    )


def scalar_spans(document: Document) -> list[Span]:
    """Where the values of YAML stand, in order: a ``#`` in one of them opens no comment.

    Empty when the YAML does not parse: its values are a guess then.
    """
    frontmatter = document.frontmatter
    if frontmatter is None or frontmatter.problem is not None:
        return []
    spans: list[Span] = []
    waiting: list[Node] = [frontmatter.root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Scalar):
            spans.append(node.span)
        elif isinstance(node, Sequence):
            waiting.extend(node.items)
        else:
            for pair in node.pairs:
                waiting += (pair.key, pair.value)
    spans.sort()
    return spans


def inside(offset: int, spans: list[Span]) -> bool:
    """Whether ``offset`` lies strictly inside one of the ordered, disjoint ``spans``."""
    index = bisect_right(spans, (offset, -1)) - 1
    return index >= 0 and spans[index].start < offset < spans[index].end
