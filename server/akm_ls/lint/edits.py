"""Edits to frontmatter and YAML that change as little as can be.

Line ends, quotes, comments, indentation and the order of the keys stay as they are.
"""

from __future__ import annotations

import re

from akm_ls.documents.document import Document
from akm_ls.documents.nodes import Mapping, Pair, Scalar
from akm_ls.documents.text import Span
from akm_ls.lint.finding import TextEdit
from akm_ls.lint.fixes import line_end

_COLON = re.compile(r"[ \t]*:[ \t]*")


def is_blank(pair: Pair | None) -> bool:
    """Whether a key is not there, or has nothing behind its colon."""
    if pair is None:
        return True
    value = pair.value
    return isinstance(value, Scalar) and not value.style and not value.text.strip()


def set_keys(document: Document, values: dict[str, str], *, first: bool = False) -> TextEdit | None:
    """Give some keys of the frontmatter (of a YAML file: its top level) a value.

    ``values`` are YAML source. Keys that are there and empty are filled, one at most; keys that
    are not there come in one piece after the last key, with ``first`` before the first one. A
    Markdown file without frontmatter gets a block. ``None`` where that takes more than one edit,
    or the text is such that a new line could mean something else.
    """
    frontmatter = document.frontmatter
    end = line_end(document.text)
    if frontmatter is None:
        if document.kind != "markdown":
            return None
        lines = "".join(f"{key}: {value}{end}" for key, value in values.items())
        return TextEdit(Span(0, 0), f"---{end}{lines}---{end}{end if document.text else ''}")
    root = frontmatter.root
    if frontmatter.problem is not None or not frontmatter.closed or root.flow:
        return None
    empty = {key: pair for key in values if (pair := root.pair(key)) is not None}
    if empty:
        ((key, pair), *more) = empty.items()
        if more or len(values) > 1 or not is_blank(pair):
            return None
        return _filled(document, pair, values[key])
    indent = _indent(document, root)
    if indent is None or "\n..." in frontmatter.inner.of(document.text):
        return None
    lines = "".join(f"{indent}{key}: {value}{end}" for key, value in values.items())
    if first and root.pairs:
        at = document.lines.start_of(document.lines.line_of(root.pairs[0].key.span.start))
        return TextEdit(Span(at, at), lines)
    at = frontmatter.inner.end
    if at > frontmatter.inner.start and document.text[at - 1] not in "\r\n":
        lines = end + lines.removesuffix(end)
    return TextEdit(Span(at, at), lines)


def _filled(document: Document, pair: Pair, value: str) -> TextEdit | None:
    match = _COLON.match(document.text, pair.key.span.end)
    if match is None:
        return None
    comment = document.text.startswith("#", match.end())
    return TextEdit(
        Span(match.end() - len(match.group().partition(":")[2]), match.end()),
        f" {value}{' ' if comment else ''}",
    )


def _indent(document: Document, root: Mapping) -> str | None:
    """What stands before each key; ``None`` when that is not blank."""
    if not root.pairs:
        return ""
    start = root.pairs[0].key.span.start
    line = document.lines.start_of(document.lines.line_of(start))
    indent = document.text[line:start]
    return indent if not indent.strip() else None
