"""Edits that put a suppression where it works and breaks nothing.

A comment is never put into a table, a code fence or a heading, whose text is what refs name; where
no place is left for one line, only the whole file is offered. Every edit is tried before it is
offered: what does not hide the finding, or changes how the document reads, is left out.
"""

from __future__ import annotations

import re

from akm_ls.documents.document import Document, parse
from akm_ls.documents.nodes import Scalar, Sequence
from akm_ls.documents.text import Span
from akm_ls.lint.finding import Finding, Fix, TextEdit
from akm_ls.lint.fixes import apply_edits, line_end
from akm_ls.lint.suppression import (
    WORDS,
    Directive,
    Scope,
    inside,
    lines_of,
    read_suppressions,
    scalar_spans,
)

_HEADING = re.compile(r"[ \t>]*#{1,6}(?:[ \t]|\Z)")
_UNDERLINE = re.compile(r"[ \t>]*(?:=+|-+)[ \t]*\Z")
_DELIMITER_ROW = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_INDENT = re.compile(r"[ \t>]*")
_LIST_MARKER = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|\Z)")
_MAX_TABLE_ROWS = 500


def suppression_fixes(
    document: Document, finding: Finding, *, skippable: bool = False
) -> tuple[Fix, ...]:
    """The ways to switch a finding's rule off: here, in this file, in akm's ``lint_skip``."""
    code = finding.code
    first = _for_line(document, finding)
    offers = [
        (f"Disable {code} for this line", first),
        (f"Disable {code} for this file", _for_file(document, code)),
    ]
    if skippable:
        offers.append((f"Add {code} to lint_skip", _lint_skip(document, code)))
    return tuple(
        Fix(title, (edit,), preferred=False)
        for title, edit in offers
        if edit is not None and _works(document, edit, finding)
    )


def _for_line(document: Document, finding: Finding) -> TextEdit | None:
    line, last = lines_of(document, finding.span)
    for directive in read_suppressions(document).directives:
        if directive.scope == "line" and directive.first_line <= line <= directive.last_line:
            return _with_code(directive, finding.code)
        if directive.scope == "next-line" and directive.last_line + 1 == line:
            return _with_code(directive, finding.code)
    if document.kind == "env" or _in_yaml(document, finding.span.start):
        return _hash_above(document, line, finding.code)
    if document.kind != "markdown":
        return None
    for number in dict.fromkeys((line, last)):
        if _takes_comment(document, number):
            return _behind(document, number, finding.code)
    return _above(document, line, finding.code)


def _for_file(document: Document, code: str) -> TextEdit | None:
    for directive in read_suppressions(document).directives:
        if directive.scope == "file" and directive.codes:
            return _with_code(directive, code)
    end = line_end(document.text)
    bom = 1 if document.text.startswith("\ufeff") else 0
    if document.kind in ("yaml", "env"):
        return TextEdit(Span(bom, bom), f"# {WORDS['file']} {code}{end}")
    if document.kind != "markdown":
        return None
    comment = _comment("file", code) + end
    frontmatter = document.frontmatter
    at = document.body_start or bom
    before = document.text[:at]
    if frontmatter is not None and not frontmatter.closed:
        comment = end + comment  # a blank line ends the block
    elif before and not before.endswith(("\n", "\r", "\ufeff")):
        comment = end + comment
    return TextEdit(Span(at, at), comment)


def _lint_skip(document: Document, code: str) -> TextEdit | None:
    frontmatter = document.frontmatter
    if document.kind != "markdown" or frontmatter is None or not frontmatter.closed:
        return None
    text = document.text
    node = frontmatter.get("lint_skip")
    if node is None:
        if frontmatter.root.flow:
            return None
        end = line_end(text)
        at = frontmatter.inner.end
        return TextEdit(Span(at, at), f"lint_skip: [{code}]{end}")
    if isinstance(node, Scalar):
        value = node.span.of(text)
        blank = "" if text[node.span.start - 1 : node.span.start] in (" ", "\t") else " "
        return TextEdit(node.span, f"{blank}[{value}, {code}]" if value else f"{blank}[{code}]")
    if not isinstance(node, Sequence):
        return None
    if not node.items:
        return TextEdit(node.span, f"[{code}]") if node.flow else None
    last = node.items[-1].span
    if node.flow:
        return TextEdit(Span(last.end, last.end), f", {code}")
    line = document.lines.line_span(document.lines.line_of(last.start))
    mark = text[line.start : last.start]
    if mark.strip() != "-":
        return None
    return TextEdit(Span(line.end, line.end), f"{line_end(text)}{mark}{code}")


def _with_code(directive: Directive, code: str) -> TextEdit | None:
    """Name one more rule in a comment that is there already."""
    if not directive.codes:
        return None
    at = directive.codes[-1][1].end
    return TextEdit(Span(at, at), f", {code}")


def _comment(scope: Scope, code: str) -> str:
    return f"<!-- {WORDS[scope]} {code} -->"


def _in_yaml(document: Document, offset: int) -> bool:
    if document.kind == "yaml":
        return True
    frontmatter = document.frontmatter
    return frontmatter is not None and offset < frontmatter.span.end


def _hash_above(document: Document, line: int, code: str) -> TextEdit | None:
    """A ``#`` line of its own: behind a value, simple readers would take it for a part of it."""
    at = document.lines.start_of(line)
    frontmatter = document.frontmatter
    if document.kind == "markdown" and frontmatter is not None and at < frontmatter.inner.start:
        return None  # nothing stands above the opening fence
    if inside(at, scalar_spans(document)):
        return None
    text = document.lines.line_text(line)
    indent = text[: len(text) - len(text.lstrip(" "))]
    if document.kind == "env":
        indent = ""
    comment = f"{indent}# {WORDS['next-line']} {code}{line_end(document.text)}"
    return TextEdit(Span(at, at), comment)


def _takes_comment(document: Document, line: int) -> bool:
    """Whether an HTML comment may end this line of a body."""
    lines = document.lines
    text = lines.line_text(line)
    below = lines.line_text(line + 1) if line + 1 < len(lines) else ""
    if _HEADING.match(text) or (text.strip() and _UNDERLINE.match(below)):
        return False
    if _UNDERLINE.match(text) or _in_table(document, line):
        return False
    span = lines.line_span(line)
    taken = (
        *(fence.span for fence in document.fences),
        *document.comments,
        *(code.span for code in document.code_spans),
        *(link.span for link in document.links),
    )
    if any(fence.span.start <= span.start < fence.span.end for fence in document.fences):
        return False
    return not any(start < span.end < end for start, end in taken)


def _in_table(document: Document, line: int) -> bool:
    lines = document.lines
    if "|" not in lines.line_text(line):
        return False
    if line + 1 < len(lines) and _is_delimiter(lines.line_text(line + 1)):
        return True
    for above in range(line, max(-1, line - _MAX_TABLE_ROWS), -1):
        text = lines.line_text(above)
        if _is_delimiter(text):
            return True
        if not text.strip():
            return False
    return True


def _is_delimiter(text: str) -> bool:
    return "-" in text and "|" in text and _DELIMITER_ROW.match(text) is not None


def _behind(document: Document, line: int, code: str) -> TextEdit:
    span = document.lines.line_span(line)
    text = span.of(document.text)
    # Blanks and a backslash at the end of a line are a line break: they stay the last thing.
    kept = text.rstrip(" \t")
    at = span.start + len(kept[:-1].rstrip(" \t") if kept.endswith("\\") else kept)
    blank = " " if at > span.start else ""
    return TextEdit(Span(at, at), blank + _comment("line", code))


def _above(document: Document, line: int, code: str) -> TextEdit | None:
    """A comment on a line of its own, for headings and the first line of a fence or comment."""
    lines = document.lines
    text = lines.line_text(line)
    at = lines.start_of(line)
    if _LIST_MARKER.match(text) or _in_table(document, line):
        return None
    spans = (*(fence.span for fence in document.fences), *document.comments)
    if any(start < at < end for start, end in spans):
        return None
    indent = _INDENT.match(text)
    prefix = indent.group() if indent else ""
    return TextEdit(Span(at, at), f"{prefix}{_comment('next-line', code)}{line_end(document.text)}")


def _works(document: Document, edit: TextEdit, finding: Finding) -> bool:
    """Whether the edit hides the finding and leaves the document as it was otherwise."""
    changed = parse(apply_edits(document.text, (edit,)), document.kind)
    if _shape(changed) != _shape(document):
        return False
    frontmatter = changed.frontmatter
    if frontmatter is not None and finding.code in frontmatter.strings("lint_skip"):
        return True
    shift = len(edit.new_text) - (edit.span.end - edit.span.start)
    at = finding.span
    if edit.span.end <= at.start:
        at = Span(at.start + shift, at.end + shift)
    elif edit.span.start < at.end:
        at = Span(at.start, at.end + shift)
    return read_suppressions(changed).hides(finding.code, lines_of(changed, at))


def _shape(document: Document) -> tuple[object, ...]:
    frontmatter = document.frontmatter
    return (
        frontmatter is None or (frontmatter.closed, frontmatter.problem is None),
        [heading.slug for heading in document.headings],
        [fence.info for fence in document.fences],
        [occurrence.text for occurrence in document.refs],
        _keys(document),
    )


def _keys(document: Document) -> list[str]:
    frontmatter = document.frontmatter
    if frontmatter is None:
        return []
    return [pair.key.text for pair in frontmatter.root.pairs if pair.key.text != "lint_skip"]
