"""The body: one level-2 section per step, with what to do and what has to hold afterwards."""

from __future__ import annotations

import re

from akm_ls.documents.document import Document
from akm_ls.documents.nodes import Sequence
from akm_ls.documents.text import Span
from akm_ls.documents.workflow import STEP_ID, Section, Step, Workflow
from akm_ls.index.matching import nearest_names
from akm_ls.lint.finding import Fix, TextEdit
from akm_ls.lint.fixes import line_end
from akm_ls.lint.rules.workflows.problems import Checker

MAX_PROSE = 256 * 1024
"""Bytes of one step's instructions, and of one rubric."""
MAX_COMPARED = 256
"""Steps without a section that a heading is compared with, as many as a workflow may have."""

_ITEM = re.compile(r"[ \t]*-[ \t]+")


def check_sections(checker: Checker, workflow: Workflow) -> None:
    seen: set[str] = set()
    for section in workflow.sections:
        _check_section(checker, workflow, section, seen)
        seen.add(section.name)
    for step in workflow.steps:
        if not step.id or not step.has_prose or workflow.step_by_id[step.id] is not step:
            continue
        if step.id not in workflow.section_by_name:
            checker.report(
                f'Step "{step.id}" has no section. Write its instructions below a heading '
                f'"## {step.id}".',
                step.span,
                step.id,
                *_add_section(checker.document, workflow, step),
            )


def _check_section(checker: Checker, workflow: Workflow, section: Section, seen: set[str]) -> None:
    name, span = section.name, section.heading.span
    step = workflow.step_by_id.get(name)
    if name in seen:
        checker.report(f'there is a section "## {name}" already. Merge the two.', span, name)
        return
    if step is None:
        checker.report(
            f'no step has the id "{name}", and level-2 headings name steps. Declare the step, '
            "correct the heading, or make it one of level 3.",
            span,
            name,
            *_mend_heading(checker.document, workflow, section),
        )
        return
    source = checker.document.text
    if step.has_prose and not section.instructions.of(source):
        checker.report(
            f'the section of step "{name}" is empty. Write below the heading what to do.',
            span,
            name,
        )
    for gate in section.gates[1:]:
        checker.report(
            f'the section of step "{name}" has a gate already. Merge the two.', gate.span, name
        )
    for what, part in (("instructions", section.instructions), ("gate", section.rubric)):
        if part is not None and part.end - part.start > MAX_PROSE // 4:
            size = len(part.of(source).encode("utf-8", "surrogatepass"))
            if size > MAX_PROSE:
                checker.report(
                    f'the {what} of step "{name}" has {size // 1024} KiB; '
                    f"{MAX_PROSE // 1024} are allowed.",
                    span,
                    name,
                )


def _mend_heading(document: Document, workflow: Workflow, section: Section) -> tuple[Fix, ...]:
    """Call the section by a step that has none; declare the step; or let it be a subsection."""
    fixes: list[Fix] = []
    heading = section.heading
    start = heading.span.start + document.text[heading.span.start : heading.span.end].find(
        heading.text
    )
    title = Span(start, start + len(heading.text))
    without = [
        step.id
        for step in workflow.steps
        if step.id and step.has_prose and step.id not in workflow.section_by_name
    ]
    words = re.split(r"[\s:]+", heading.text)
    near = [name for name in without if name in words]
    if not near and len(without) <= MAX_COMPARED:
        near = list(nearest_names(heading.text, without, 1))
    fixes += [Fix(f'Rename to "{name}"', (TextEdit(title, name),)) for name in near[:1]]
    declare = _declare_step(document, workflow, heading.text)
    if declare is not None:
        fixes.append(Fix(f'Declare the step "{heading.text}"', (declare,), preferred=not near))
    at = heading.span.start
    fixes.append(Fix("Make it a level-3 heading", (TextEdit(Span(at, at), "#"),), preferred=False))
    return tuple(fixes)


def _declare_step(document: Document, workflow: Workflow, name: str) -> TextEdit | None:
    steps = workflow.root.get("steps")
    if not STEP_ID.match(name) or not isinstance(steps, Sequence) or steps.flow or not steps.items:
        return None
    lines = document.lines
    item = lines.line_span(lines.line_of(steps.items[-1].span.start)).of(document.text)
    match = _ITEM.match(item)
    if match is None:
        return None
    at = lines.line_span(lines.line_of(steps.span.end)).end
    return TextEdit(Span(at, at), f"{line_end(document.text)}{match.group()}id: {name}")


def _add_section(document: Document, workflow: Workflow, step: Step) -> tuple[Fix, ...]:
    """A section to be filled, before that of the next step that has one."""
    if not STEP_ID.match(step.id):
        return ()
    end = line_end(document.text)
    section = f"## {step.id}{end}{end}Say what this step does.{end}"
    following = (
        workflow.section_by_name[other.id]
        for other in workflow.steps
        if other.index > step.index and other.id in workflow.section_by_name
    )
    after = next(following, None)
    if after is not None:
        at = after.heading.span.start
        edit = TextEdit(Span(at, at), f"{section}{end}")
    else:
        at = len(document.text)
        gap = end if document.text.endswith(("\n", "\r")) else f"{end}{end}"
        edit = TextEdit(Span(at, at), f"{gap}{section}")
    return (Fix(f'Add the section "## {step.id}"', (edit,)),)
