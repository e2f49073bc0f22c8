"""Code fences that do not end where they should."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from akm_ls.documents.document import Document
from akm_ls.documents.fence_faults import FenceFault
from akm_ls.documents.text import Span
from akm_ls.lint.finding import Finding, Fix, Related, TextEdit
from akm_ls.lint.fixes import line_end
from akm_ls.lint.rule import Rule, Subject


def check_unbalanced_fence(subject: Subject) -> Iterable[Finding]:
    return _unbalanced(subject) if subject.document.fence_faults else ()


def _unbalanced(subject: Subject) -> Iterator[Finding]:
    document = subject.document
    for fault in document.fence_faults:
        opened = document.lines.line_of(fault.opener.start) + 1
        other = document.lines.line_of(fault.at.start) + 1
        inner = _visible(document, fault.at)
        span = _trimmed(document, fault.opener)
        fix: Fix | None = None
        if fault.kind == "unclosed":
            message = (
                "This code fence is never closed: everything after it "
                f"is code. Close it with {fault.marks}."
            )
            fix = _close_at_end(document, fault)
        elif fault.kind == "nested":
            message = (
                f"This code fence ends too early: it holds {inner} on line "
                f"{other}, which needs a longer fence around it."
            )
            fix = _lengthen(document, fault)
        elif fault.kind == "twice":
            message = (
                "This line opens a code fence, although it reads like the end of one: "
                f"{_before(document, fault)}."
            )
            fix = _remove(document, fault)
        else:
            message = (
                f"This code fence is not closed before {inner} on line "
                f"{other}: what lies between is code. Close it with {fault.marks} before, or make "
                "it longer if it holds that one."
            )
        related: tuple[Related, ...] = ()
        other_line = fault.earlier if fault.kind == "twice" else fault.at
        if other_line is not None and fault.kind != "unclosed":
            called = "the fence before" if fault.kind == "twice" else "the fence within it"
            related = (Related(subject.path, called, _trimmed(document, other_line)),)
        yield Finding(
            code="unbalanced-fence",
            severity="warning",
            message=message,
            span=span,
            related=related,
            data={"reason": fault.kind, "opened": opened - 1},
            fixes=() if fix is None else (fix,),
        )


def _trimmed(document: Document, line: Span) -> Span:
    source = line.of(document.text)
    start = line.start + len(source) - len(source.lstrip())
    return Span(start, max(start + 1, line.start + len(source.rstrip())))


def _before(document: Document, fault: FenceFault) -> str:
    if fault.earlier is None:
        return "no fence is open here. Remove it, or open the fence it was meant to close"
    opened = document.lines.line_of(fault.earlier.start) + 1
    told = f"the one opened on line {opened} is closed already"
    if _follows_a_fence(document, fault.opener):
        return f"{told}. Remove one of the closing lines, or make the outer fence longer"
    return (
        f"{told}. Open the fence that this line was meant to close, make the outer fence longer "
        "if it holds another, or remove the line"
    )


def _follows_a_fence(document: Document, line: Span) -> bool:
    """Whether nothing but blanks stands between a fence line and the one before it."""
    before = document.text[: line.start].rstrip(" \t>\r\n")
    return before.endswith(("```", "~~~"))


def _visible(document: Document, line: Span) -> str:
    text = _trimmed(document, line).of(document.text)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _close_at_end(document: Document, fault: FenceFault) -> Fix:
    text = document.text
    indent = fault.opener.of(text).partition(fault.marks)[0]
    indent = "".join(char if char in " \t>" else " " for char in indent)
    end = line_end(text)
    before = "" if text.endswith(("\n", "\r")) else end
    edit = TextEdit(Span(len(text), len(text)), f"{before}{indent}{fault.marks}{end}")
    return Fix("Close the code fence at the end of the file", (edit,))


def _lengthen(document: Document, fault: FenceFault) -> Fix | None:
    """A longer outer fence, at both its ends."""
    if fault.closer is None:
        return None
    text, mark = document.text, fault.marks[0]
    longest = len(fault.marks)
    for line in text[fault.opener.end : fault.closer.start].splitlines():
        stripped = line.lstrip(" \t>")
        longest = max(longest, len(stripped) - len(stripped.lstrip(mark)))
    marks = mark * (longest + 1)
    edits = []
    for line_span in (fault.opener, fault.closer):
        source = line_span.of(text)
        start = line_span.start + source.index(fault.marks)
        length = len(source) - source.index(fault.marks)
        length -= len(source[source.index(fault.marks) :].lstrip(mark))
        edits.append(TextEdit(Span(start, start + length), marks))
    return Fix(f"Use {marks} for the outer fence", tuple(edits))


def _remove(document: Document, fault: FenceFault) -> Fix:
    line = document.lines.line_of(fault.opener.start)
    span = Span(fault.opener.start, document.lines.start_of(line + 1))
    return Fix("Remove this fence line", (TextEdit(span, ""),))


RULES = (
    Rule(
        code="unbalanced-fence",
        best_fix="offered",
        severity="warning",
        summary="A code fence is never closed, is closed twice, or ends within its own example.",
        why=(
            "From the fence on code and prose are swapped: instructions are shown as code and "
            "examples are read as instructions."
        ),
        remedy=(
            "Close the fence, remove the second closing line, or give the outer fence more "
            "backticks than those it holds."
        ),
        example="Run this:\n\n```bash\nmake\n\nThen read the log.\n\n```python\nprint(1)\n```\n",
        check=check_unbalanced_fence,
        group="markdown",
        places=("fenced code",),
    ),
)
