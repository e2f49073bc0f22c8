"""Names are spelled as the bundle's vocabulary has them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from akm_ls.documents.document import Document
from akm_ls.documents.markdown import merge
from akm_ls.documents.text import Span
from akm_ls.index.stub import DOMAINS_FACT
from akm_ls.lint.finding import Finding, Fix, Related, TextEdit
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules.conventions.vocabulary import Spelling, domains_path, vocabulary_of

MAX_FINDINGS = 50


def check_entity_spelling(subject: Subject) -> Iterable[Finding]:
    spellings = vocabulary_of(subject).spellings
    if not spellings or subject.path == domains_path(subject):
        return ()
    return _misspelled(subject, spellings)


def _misspelled(subject: Subject, spellings: Sequence[Spelling]) -> Iterator[Finding]:
    document = subject.document
    quiet: Sequence[Span] | None = None
    count = 0
    for spelling in spellings:
        for variant in spelling.variants:
            if variant == spelling.canonical:
                continue
            for span in _words(document, variant):
                quiet = _quiet_spans(document) if quiet is None else quiet
                if _is_in(span, quiet) or _is_indented_code(document, span.start):
                    continue
                yield Finding(
                    code="entity-spelling",
                    severity="hint",
                    message=f'This bundle writes "{spelling.canonical}", not "{variant}".',
                    span=span,
                    related=(Related(domains_path(subject), f"{DOMAINS_FACT} says so"),),
                    data={"canonical": spelling.canonical, "variant": variant},
                    fixes=(
                        Fix(
                            f'Replace by "{spelling.canonical}"',
                            (TextEdit(span, spelling.canonical),),
                        ),
                    ),
                )
                count += 1
                if count >= MAX_FINDINGS:
                    return


def _words(document: Document, word: str) -> Iterator[Span]:
    """Where a word stands in the body as a word of its own."""
    text = document.text
    at = text.find(word, document.body_start)
    while at >= 0:
        end = at + len(word)
        if not (_joins(text[at - 1 : at], text[max(0, at - 2) : at - 1])) and not _joins(
            text[end : end + 1], text[end + 1 : end + 2]
        ):
            yield Span(at, end)
        at = text.find(word, end)


def _joins(char: str, beyond: str) -> bool:
    """Whether a character beside a word makes it part of a longer one, a path or a host name."""
    if not char:
        return False
    if char == ".":
        return beyond.isalnum()
    return char.isalnum() or char in "_-/\\@#:$"


def _quiet_spans(document: Document) -> Sequence[Span]:
    """Where other people's spelling stands: code, comments, links' targets, refs."""
    return merge(
        (
            *(fence.span for fence in document.fences),
            *document.comments,
            *(code.span for code in document.code_spans),
            *(link.target_span for link in document.links),
            *(occurrence.span for occurrence in document.refs),
        )
    )


def _is_indented_code(document: Document, offset: int) -> bool:
    """Whether a line is code by its indentation: after a blank line, and in no list."""
    number = document.lines.line_of(offset)
    blank = False
    for above in range(number, max(-1, number - _LOOK_BACK), -1):
        line = document.lines.line_text(above)
        if not line.strip():
            blank = True
        elif not line.startswith(("    ", "\t")):
            return above < number and blank and not _LIST.match(line)
        else:
            blank = False
    return False


def _is_in(span: Span, spans: Sequence[Span]) -> bool:
    index = bisect_right(spans, Span(span.start, _BEYOND)) - 1
    return index >= 0 and span.start < spans[index].end


_BEYOND = 1 << 62
_LOOK_BACK = 50
_LIST = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]| {1,3}\S")


RULES = (
    Rule(
        code="entity-spelling",
        severity="hint",
        summary="A name is spelled otherwise than the bundle's vocabulary has it.",
        why="One spelling for one thing: then one search finds all of it.",
        remedy=f"Use the spelling of `{DOMAINS_FACT}`, or change it there.",
        example="---\ndescription: How the queue is drained\n---\nThe queue is a table in pg.\n",
        around={"facts/conventions/domains.md": "- Postgres (not postgresql / pg)\n"},
        check=check_entity_spelling,
        about=lambda traits: traits.is_own,
        group="conventions",
        places=("prose", "headings"),
    ),
)
