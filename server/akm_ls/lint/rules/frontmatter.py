"""Frontmatter that does not parse, and what parses but not as it was meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from akm_ls.bundles.schema import place_of
from akm_ls.documents.document import Document
from akm_ls.documents.frontmatter import Frontmatter
from akm_ls.documents.misplaced import Misplaced, find_misplaced
from akm_ls.documents.nodes import Scalar
from akm_ls.documents.text import Span
from akm_ls.documents.yaml_mends import Fault, Faults, find_faults, quoted
from akm_ls.lint.finding import Finding, Fix, Severity, TextEdit
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules.skill_body import is_only_a_resource
from akm_ls.lint.rules.skill_files import is_binary
from akm_ls.lint.rules.sound_yaml import silently_wrong

_COLON_BREAKS = re.compile(r":(?=[ \t\r\n]|\Z)")
_DESCRIPTION = "description"
_OTHER_CAUSES = frozenset(("unclosed-quote", "escape", "tab", "control-character"))
"""Faults of a description that a colon in it has no part in."""
_NO_FAULTS = Faults((), True)


def check_unquoted_colon(subject: Subject) -> Iterable[Finding]:
    frontmatter = subject.document.frontmatter
    if frontmatter is None or not frontmatter.closed:
        return ()
    if frontmatter.problem is None and ":" not in (frontmatter.text(_DESCRIPTION) or ""):
        return ()  # most files
    return _unquoted_colon(subject.document, frontmatter)


def _unquoted_colon(document: Document, frontmatter: Frontmatter) -> Iterator[Finding]:
    faults = _faults(document, frontmatter)
    told = False
    for fault in faults.faults:
        if _is_colon_in_description(document, frontmatter, fault):
            yield _breaking_colon(document, frontmatter, fault, faults.sound)
            told = True
    if told:
        return
    value = frontmatter.get(_DESCRIPTION)
    if not isinstance(value, Scalar) or value.style or ":" not in value.text:
        return
    if document.text.startswith(("'", '"'), value.span.start):
        return  # a quote that is at fault, and the fault is told
    if not faults.sound and _COLON_BREAKS.search(value.span.of(document.text)):
        # Another fault stands before it and has no cure that would let us look further.
        span = value.span
        edits = (TextEdit(span, quoted(span.of(document.text))),)
        yield _colon(span, document, (Fix("Quote the description", edits),))
        return
    edits = (TextEdit(value.span, quoted(value.span.of(document.text))),)
    yield Finding(
        code="unquoted-colon",
        severity="hint",
        message=(
            "The description contains a colon outside quotes. YAML accepts this one; "
            "quotes keep it safe when a blank follows it later."
        ),
        span=value.span,
        data={"key": _DESCRIPTION, "value": value.text},
        fixes=(Fix("Quote the description", edits, safe=frontmatter.problem is None),),
    )


def _breaking_colon(
    document: Document, frontmatter: Frontmatter, fault: Fault, sound: bool
) -> Finding:
    base = frontmatter.inner.start
    if fault.mend is None:
        problem = fault.problem.moved(base)
        return _colon(problem.span, document, ())
    spans = [Span(span.start + base, span.end + base) for span, _ in fault.mend.edits]
    span = Span(spans[0].start, spans[-1].end)
    return _colon(span, document, (_fix(fault, base, sound, "Quote the description"),))


def _colon(span: Span, document: Document, fixes: tuple[Fix, ...]) -> Finding:
    return Finding(
        code="unquoted-colon",
        severity="error",
        message=(
            "The description contains a colon and is not quoted, so the frontmatter is not "
            "valid YAML: most tools drop the file, or read it without its frontmatter. Put the "
            "description in double quotes."
        ),
        span=span,
        data={"key": _DESCRIPTION, "value": span.of(document.text)},
        fixes=fixes,
    )


def check_invalid_frontmatter(subject: Subject) -> Iterable[Finding]:
    document = subject.document
    text, frontmatter = document.text, document.frontmatter
    if (
        frontmatter is None
        or frontmatter.fence_blanks is not None
        or subject.traits.is_broken
        or "\ufffd" in text
        or is_binary(text)
    ):
        return _frontmatter_faults(subject)
    return silently_wrong(subject.path, document, frontmatter)


def _frontmatter_faults(subject: Subject) -> Iterator[Finding]:
    document = subject.document
    frontmatter = document.frontmatter
    if is_binary(document.text) and _is_read(subject):
        at = document.text.index("\0")
        if frontmatter is None or frontmatter.problem is None or at >= frontmatter.span.end:
            yield _not_text(at)
            return
    if frontmatter is None:
        yield from _misplaced(subject)
        return
    if "\ufffd" in document.text and _is_read(subject):
        yield from _lost_letters(document, frontmatter)
    if not frontmatter.closed:
        yield _unclosed(document, frontmatter)
        return
    if frontmatter.problem is not None:
        yield from _broken(subject, frontmatter)
        return
    yield from silently_wrong(subject.path, document, frontmatter)
    if frontmatter.fence_blanks is not None:
        yield Finding(
            code="invalid-frontmatter",
            severity="hint",
            message="Blanks behind a fence: akm and some other tools see no frontmatter then.",
            span=frontmatter.fence_blanks,
            data={"kind": "fence-blanks"},
            fixes=(Fix("Remove the blanks", (TextEdit(frontmatter.fence_blanks, ""),), safe=True),),
        )


def _not_text(at: int) -> Finding:
    return Finding(
        code="invalid-frontmatter",
        severity="error",
        message=(
            "The file holds NUL bytes, so it is no text file to the tools that load it; save it "
            "as UTF-8 text without them."
        ),
        span=Span(at, at + 1),
        data={"kind": "not-text"},
    )


def _lost_letters(document: Document, frontmatter: Frontmatter) -> Iterator[Finding]:
    """Bytes that are not UTF-8 read as U+FFFD; so do letters that some conversion has lost."""
    at = document.text.find("\ufffd", *frontmatter.inner)
    if at < 0:
        return
    yield Finding(
        code="invalid-frontmatter",
        severity="warning",
        message=(
            "A character of the frontmatter is lost here: the file is not saved as UTF-8, and "
            "some tools refuse it then, or it was converted wrongly. Write the character anew "
            "and save as UTF-8."
        ),
        span=Span(at, at + 1),
        data={"kind": "not-utf-8"},
    )


def _faults(document: Document, frontmatter: Frontmatter) -> Faults:
    if frontmatter.problem is None:
        return _NO_FAULTS
    return find_faults(frontmatter.inner.of(document.text))


def _fix(fault: Fault, base: int, sound: bool, title: str | None = None) -> Fix:
    """``sound``: all mends together give YAML that parses; only then is one safe."""
    assert fault.mend is not None
    return Fix(
        title or fault.mend.title,
        tuple(
            TextEdit(Span(span.start + base, span.end + base), new)
            for span, new in fault.mend.edits
        ),
        safe=fault.mend.safe and sound,
    )


def _is_colon_in_description(document: Document, frontmatter: Frontmatter, fault: Fault) -> bool:
    if fault.problem.kind in _OTHER_CAUSES or fault.problem.key != _DESCRIPTION:
        return False
    start, end = fault.problem.span
    if fault.mend is not None:
        start, end = fault.mend.edits[0][0].start, fault.mend.edits[-1][0].end
    source = frontmatter.inner.of(document.text)
    value = source[start:end]
    line = max(source.rfind("\n", 0, start), source.rfind("\r", 0, start)) + 1
    if not source.startswith("description:", line) or value[:1] in ("'", '"'):
        return False
    return ":" in value


def _broken(subject: Subject, frontmatter: Frontmatter) -> Iterator[Finding]:
    document = subject.document
    base = frontmatter.inner.start
    faults = _faults(document, frontmatter)
    # Also when a comment or `lint_skip` hides it there: who hides the fault wants silence.
    told_elsewhere = subject.settings.runs("unquoted-colon")
    for fault in faults.faults:
        if told_elsewhere and _is_colon_in_description(document, frontmatter, fault):
            continue  # one finding for one fault: unquoted-colon says it
        problem = fault.problem.moved(base)
        if problem.key == "globs" and subject.path.endswith(".mdc"):
            continue  # Cursor reads `globs: **/*.ts` its own way
        yield Finding(
            code="invalid-frontmatter",
            severity="error" if _is_read(subject) else "information",
            message=problem.message,
            span=problem.span,
            data={"kind": problem.kind, **({"key": problem.key} if problem.key else {})},
            fixes=() if fault.mend is None else (_fix(fault, base, faults.sound),),
        )


def _unclosed(document: Document, frontmatter: Frontmatter) -> Finding:
    problem = frontmatter.problem
    assert problem is not None  # an open block always has one
    text, at = document.text, frontmatter.span.end
    newline = _newline(text)
    start = "" if at and text[at - 1] in "\r\n" else newline
    # What stands in the block must be YAML without the fence as well.
    safe = find_faults(frontmatter.inner.of(text)).faults == () and bool(frontmatter.root.pairs)
    return Finding(
        code="invalid-frontmatter",
        severity="error",
        message=problem.message,
        span=problem.span,
        data={"kind": problem.kind},
        fixes=(
            Fix(
                "Close the frontmatter with `---`",
                (TextEdit(Span(at, at), f"{start}---{newline}"),),
                safe=safe,
            ),
        ),
    )


def _misplaced(subject: Subject) -> Iterator[Finding]:
    text = subject.document.text
    if "---" not in text[:2_100] and not text.startswith(("—", "–", "--", "***", "___")):
        return
    found = find_misplaced(text)
    if found is None:
        return
    if found.before in ("text", "a bad fence") and not _needs_frontmatter(subject):
        return
    severity: Severity = "error" if _needs_frontmatter(subject) else "warning"
    fixes: tuple[Fix, ...] = ()
    match found.before:
        case "a bad fence":
            message = (
                "This looks like frontmatter, but a fence must be exactly three hyphens: `---`."
            )
            edits = tuple(
                TextEdit(span, "---")
                for span in (found.opening, found.closing)
                if span.of(text) != "---"
            )
            fixes = (Fix("Write the fences as `---`", edits, safe=True),)
        case "a code fence":
            message = (
                "The frontmatter stands in a code block, so no tool sees it; it must start in "
                "the first line of the file. Remove the code fence around it."
            )
        case before:
            message = (
                f"The frontmatter comes after {before}, so no tool sees it; it must start in the "
                "first line of the file."
            )
            fixes = (_moved(text, found),)
    yield Finding(
        code="invalid-frontmatter",
        severity=severity,
        message=message,
        span=found.opening,
        data={"kind": "misplaced", "before": found.before},
        fixes=fixes,
    )


def _moved(text: str, found: Misplaced) -> Fix:
    title = "Move the frontmatter to the start"
    if found.before == "blank lines":
        return Fix("Remove the blank lines", (TextEdit(Span(0, found.span.start), ""),), safe=True)
    block = found.span.of(text)
    newline = _newline(text)
    if not block.endswith(("\n", "\r")):
        block += newline
    edits = TextEdit(Span(0, 0), block), TextEdit(found.span, "")
    return Fix(title, edits, safe=found.before == "a comment")


def _is_read(subject: Subject) -> bool:
    """Whether any tool reads the file's frontmatter; none does of a template in a skill."""
    if subject.type is not None or place_of(subject.path, None) is not None:
        return not is_only_a_resource(subject)
    return subject.bundle.adapter == "akm" and not subject.rel.startswith("skills/")


def _needs_frontmatter(subject: Subject) -> bool:
    """Whether tools look for this file's frontmatter at all."""
    place = place_of(subject.path, subject.type, subject.bundle.adapter)
    return place is not None and not place.kind.open


def _newline(text: str) -> str:
    match = re.search(r"\r\n|\r|\n", text)
    return match.group() if match else "\n"


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
        about=lambda traits: traits.has_frontmatter,
        group="frontmatter",
        places=("frontmatter",),
        skippable=True,
    ),
    Rule(
        code="invalid-frontmatter",
        severity="error",
        summary="The frontmatter is not valid YAML, or not where tools look for it.",
        why=(
            "A host that cannot read the frontmatter loads the file without it, or not at all. "
            "The commonest cause after a colon is a value that starts with a character YAML has "
            "a use for, such as `argument-hint: [file] [--all]`. What only some readers refuse, or "
            "read otherwise than it looks (a text cut off at ` #`), is a warning."
        ),
        remedy=(
            "Correct the YAML at the marked place; mostly the value needs quotes. The block "
            "starts in the first line and each key stands in it once."
        ),
        example="---\ndescription: Deploys\nargument-hint: [env] [--dry-run]\n---\nDeploy it.\n",
        example_path="commands/deploy.md",
        check=check_invalid_frontmatter,
        group="frontmatter",
        places=("frontmatter",),
    ),
)
