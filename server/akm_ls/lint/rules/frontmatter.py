"""Frontmatter that does not parse, and the colon that is usually to blame."""

from __future__ import annotations

import re
from collections.abc import Iterator

from akm_ls.documents.document import Document
from akm_ls.documents.frontmatter import Frontmatter, read_frontmatter
from akm_ls.documents.nodes import Scalar
from akm_ls.documents.text import Span
from akm_ls.lint.finding import Finding, Fix, TextEdit
from akm_ls.lint.rule import Rule, Subject

_DESCRIPTION = re.compile(r"^description:[ \t]*(?P<value>.*?)[ \t]*(?=\r?$|\r)", re.MULTILINE)
_BLOCK_INDICATOR = re.compile(r"[|>][-+0-9]*([ \t]+#.*)?\Z")
_COLON_BREAKS = re.compile(r":(?=[ \t]|$)")


def check_unquoted_colon(subject: Subject) -> Iterator[Finding]:
    document = subject.document
    frontmatter = document.frontmatter
    if frontmatter is None or not frontmatter.closed:
        return
    if frontmatter.problem is None:
        value = frontmatter.get("description")
        if isinstance(value, Scalar) and not value.style and ":" in value.text:
            yield Finding(
                code="unquoted-colon",
                severity="hint",
                message=(
                    "The description contains a colon outside quotes. YAML accepts this one; "
                    "quotes keep it safe when a blank follows it later."
                ),
                span=value.span,
                data={"key": "description", "value": value.text},
                fixes=(_quote(document, value.span),),
            )
        return
    span = breaking_description(document, frontmatter)
    if span is not None:
        yield Finding(
            code="unquoted-colon",
            severity="error",
            message=(
                "The description contains a colon and is not quoted, so the frontmatter is not "
                "valid YAML and hosts drop the file. Put the description in double quotes."
            ),
            span=span,
            data={"key": "description", "value": span.of(document.text)},
            fixes=(_quote(document, span),),
        )


def check_invalid_frontmatter(subject: Subject) -> Iterator[Finding]:
    document = subject.document
    frontmatter = document.frontmatter
    if frontmatter is None or frontmatter.problem is None:
        return
    span = breaking_description(document, frontmatter) if frontmatter.closed else None
    if span is not None and _parses_with(document, _quote(document, span)):
        return  # one finding for one fault: unquoted-colon says it
    problem = frontmatter.problem
    yield Finding(
        code="invalid-frontmatter",
        severity="error",
        message=problem.message,
        span=problem.span,
        data={"kind": problem.kind},
    )


def breaking_description(document: Document, frontmatter: Frontmatter) -> Span | None:
    """The unquoted description whose colon breaks the YAML, or ``None``.

    The span covers the continuation lines of a description that goes over several.
    """
    inner = frontmatter.inner
    match = _DESCRIPTION.search(document.text, inner.start, inner.end)
    if match is None:
        return None
    value = match.group("value")
    quoted = value[:1] in ("'", '"') and _is_closed_quote(value)
    if not value or quoted or _BLOCK_INDICATOR.match(value):
        return None
    span = Span(*match.span("value"))
    span = Span(span.start, _end_of_continuation(document, span.end, inner.end))
    text = span.of(document.text)
    return span if _COLON_BREAKS.search(text) or ":" in value else None


def _is_closed_quote(value: str) -> bool:
    return len(value) > 1 and value[-1] == value[0]


def _end_of_continuation(document: Document, end: int, limit: int) -> int:
    """The end of the last line after ``end`` that goes on with a plain scalar: indented ones.

    Blank lines between them belong to it as well.
    """
    lines = document.lines
    for line in range(lines.line_of(end) + 1, len(lines)):
        span = lines.line_span(line)
        text = span.of(document.text)
        if span.start >= limit:
            break
        if not text.strip():
            continue
        if not text.startswith((" ", "\t")):
            break
        end = span.start + len(text.rstrip())
    return min(end, limit)


def _quote(document: Document, span: Span) -> Fix:
    """Wrap a scalar in double quotes so that YAML reads exactly the characters it has now."""
    value = span.of(document.text)
    quoted = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    # Lines that go on in a way no quotes can hold are for the author to mend.
    alone = read_frontmatter(f"---\ndescription: {quoted}\n---\n")
    safe = alone is not None and alone.problem is None
    return Fix("Quote the description", (TextEdit(span, quoted),), safe=safe)


def _parses_with(document: Document, fix: Fix) -> bool:
    (edit,) = fix.edits
    text = document.text[: edit.span.start] + edit.new_text + document.text[edit.span.end :]
    frontmatter = read_frontmatter(text)
    return frontmatter is not None and frontmatter.problem is None


RULES = (
    Rule(
        code="unquoted-colon",
        severity="error",
        summary="The description contains a colon and is not quoted.",
        why=(
            "`description: Use when: …` is not valid YAML. Most hosts drop the file without a "
            "word, so the skill is never offered."
        ),
        remedy="Put the description in double quotes.",
        example="---\nname: review\ndescription: Use when: reviewing a change\n---\n",
        check=check_unquoted_colon,
        group="frontmatter",
        places=("frontmatter",),
        skippable=True,
    ),
    Rule(
        code="invalid-frontmatter",
        severity="error",
        summary="The frontmatter is not valid YAML.",
        why="A host that cannot read the frontmatter loads the file without it, or not at all.",
        remedy="Correct the YAML at the marked place.",
        example='---\nname: review\ndescription: "never closed\n---\n',
        check=check_invalid_frontmatter,
        group="frontmatter",
        places=("frontmatter",),
    ),
)
