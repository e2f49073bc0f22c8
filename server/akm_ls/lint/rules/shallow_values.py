"""Values over several lines that lie no deeper than their key.

YAML wants a text in quotes, and a list or map in brackets, indented deeper than what it belongs
to. libyaml does not mind; JavaScript's readers, akm's among them, refuse the whole block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from akm_ls.documents.nodes import Mapping, Node, Pair, Scalar, Sequence
from akm_ls.documents.text import Span
from akm_ls.lint.finding import Finding, Fix, TextEdit

_LINE = re.compile(r"(?:\r\n|\n|\r)(?P<indent>[ ]*)(?P<rest>[^\r\n]*)")
_QUOTES = frozenset(("'", '"'))
_CLOSERS = re.compile(r"[\]}]+[ \t]*\Z")


def shallow_values(text: str, root: Mapping) -> Iterator[Finding]:
    """A finding for each such value, with the edits that indent it. ``root`` parses."""
    pending: list[Mapping | Sequence] = [root]
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if node.flow or id(node) in seen:
            continue
        seen.add(id(node))
        for child in node.pairs if isinstance(node, Mapping) else node.items:
            value = child.value if isinstance(child, Pair) else child
            if isinstance(value, Scalar):
                if value.style not in _QUOTES:
                    continue  # most values of most files
            else:
                pending.append(value)
                if not value.flow:
                    continue
            start, end = value.span
            if text.find("\n", start, end) < 0 and text.find("\r", start, end) < 0:
                continue
            owner = child.key.span.start if isinstance(child, Pair) else _dash(text, child)
            if start >= owner:
                yield from _judge(text, value, _column(text, owner))


def _judge(text: str, value: Node, column: int) -> Iterator[Finding]:
    shallow = [
        line
        for line in _LINE.finditer(text, value.span.start, value.span.end)
        if len(line["indent"]) <= column
        and line["rest"].strip()
        and not line["rest"].startswith("\t")
        and (isinstance(value, Scalar) or not _CLOSERS.match(line["rest"]))
    ]
    if not shallow:
        return
    what = "text in quotes" if isinstance(value, Scalar) else "value in brackets"
    blanks = " " * (column + 2)
    yield Finding(
        code="invalid-frontmatter",
        severity="warning",
        message=(
            f"A {what} must be indented deeper than its key on every line; akm and tools in "
            "JavaScript refuse the block. Indent this line."
        ),
        span=Span(shallow[0].start("rest"), shallow[0].end("rest")),
        data={"kind": "shallow-value"},
        fixes=(
            Fix(
                "Indent the value",
                tuple(TextEdit(Span(*line.span("indent")), blanks) for line in shallow),
                safe=True,
            ),
        ),
    )


def _dash(text: str, item: Node) -> int:
    """Where the dash of a list's item stands."""
    return max(text.rfind("-", 0, item.span.start), 0)


def _column(text: str, at: int) -> int:
    return at - max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) - 1
