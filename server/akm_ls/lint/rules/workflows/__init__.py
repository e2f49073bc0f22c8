"""Workflows whose structure akm cannot run (akm.md §8.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from akm_ls.bundles.classification import is_reserved, split_path
from akm_ls.documents.document import Document
from akm_ls.documents.nodes import Sequence
from akm_ls.documents.text import Span
from akm_ls.documents.workflow import STEP_ID, Workflow, read_workflow
from akm_ls.lint.finding import Finding, Fix, TextEdit
from akm_ls.lint.fixes import line_end
from akm_ls.lint.frontmatter_edits import set_keys
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules.assets import first_line, opening
from akm_ls.lint.rules.stubs import placeholder
from akm_ls.lint.rules.workflows.envelope import TOP_KEYS, check_envelope
from akm_ls.lint.rules.workflows.problems import Checker, Problem
from akm_ls.lint.rules.workflows.sections import check_sections
from akm_ls.lint.rules.workflows.steps import check_steps
from akm_ls.lint.traits import Traits

__all__ = ["MAX_FILE", "RULES", "TOP_KEYS"]

MAX_FILE = 1024 * 1024
"""Bytes of a workflow that akm reads."""


def check_structure(subject: Subject) -> Iterator[Finding]:
    if not _is_workflow(subject) or placeholder(subject) is not None:
        return
    for problem in _problems(subject.document):
        yield Finding(
            code="invalid-workflow-structure",
            severity="error",
            message=problem.message,
            span=problem.span,
            data={"key": problem.key},
            fixes=problem.fixes,
        )


def _may_be_workflow(traits: Traits) -> bool:
    if traits.format == "host":
        return False
    return traits.type == "workflow" or (traits.format == "akm" and traits.head == "workflows")


def _is_workflow(subject: Subject) -> bool:
    if subject.type == "workflow":
        return True
    path = split_path(subject.rel)
    return path.markdown and not path.readme and not is_reserved(path)


_RETIRED = re.compile(r"^Step ID:[ \t]*\S", re.MULTILINE)


@lru_cache(maxsize=2)
def _problems(document: Document) -> tuple[Problem, ...]:
    """Both rules ask for them, one after the other."""
    checker = Checker(document)
    frontmatter = document.frontmatter
    text = document.text
    if len(text) > MAX_FILE // 4 and len(text.encode("utf-8", "surrogatepass")) > MAX_FILE:
        checker.report(
            "the file is larger than 1 MiB, and akm does not read it. Split it.",
            first_line(document),
            "",
        )
        return tuple(checker.found)
    workflow = read_workflow(document)
    if frontmatter is None:
        checker.report(
            "A workflow starts with a frontmatter block between two lines `---` that declares its "
            "`steps`; this file has none.",
            first_line(document),
            "frontmatter",
            *_declare_all(document, workflow),
        )
        return tuple(checker.found)
    if frontmatter.problem is not None:
        return ()  # `invalid-frontmatter` tells it
    steps = workflow.root.pair("steps")
    if steps is None and _RETIRED.search(text, document.body_start):
        # Its `params` are texts as well: all of that follows from the one cause.
        checker.report(
            "this is the workflow format of earlier akm versions (`Step ID:` below each heading), "
            "which akm no longer runs. List the steps as `steps` in the frontmatter, name the "
            "heading of each section after its step, and make each of the `params` a JSON Schema.",
            opening(frontmatter),
            "steps",
        )
        return tuple(checker.found)
    check_envelope(checker, workflow)
    if steps is not None and isinstance(steps.value, Sequence) and steps.value.items:
        check_steps(checker, workflow)
        check_sections(checker, workflow)
    else:
        checker.report(
            "a workflow needs `steps`, a list of at least one.",
            opening(frontmatter) if steps is None else steps.key.span,
            "steps",
            *(_declare_all(document, workflow) if steps is None else ()),
        )
    return tuple(checker.found)


def _declare_all(document: Document, workflow: Workflow) -> tuple[Fix, ...]:
    """Steps for the sections that are there."""
    names = list(dict.fromkeys(section.name for section in workflow.sections))
    if not names or not all(STEP_ID.match(name) for name in names):
        return ()
    end = line_end(document.text)
    steps = "".join(f"{end}  - id: {name}" for name in names)
    if document.frontmatter is None:
        at = Span(0, 0)
        block = f"---{end}type: workflow{end}steps:{steps}{end}---{end}{end}"
        return (Fix("Declare the sections as steps", (TextEdit(at, block),)),)
    edit = set_keys(document, {"steps": steps})
    if edit is None:
        return ()
    edit = TextEdit(edit.span, edit.new_text.replace("steps: ", "steps:", 1))
    return (Fix("Declare the sections as steps", (edit,)),)


def check_warning(subject: Subject) -> Iterator[Finding]:
    frontmatter = subject.document.frontmatter
    if frontmatter is None or frontmatter.problem is not None or not _is_workflow(subject):
        return
    if placeholder(subject) is not None or _problems(subject.document):
        return  # what cannot run yet needs no advice
    workflow = read_workflow(subject.document)
    declared = {name.text for name in workflow.params}
    for step in workflow.steps:
        if step.id and step.has_prose and "output" not in step.node:
            yield Finding(
                code="workflow-warning",
                severity="information",
                message=(
                    f'Step "{step.id}" has no `output`, so later steps get its answer as text of '
                    "any shape. Add a JSON Schema to rely on."
                ),
                span=step.span,
                data={"key": f"{step.id}.output"},
            )
        if "params" not in workflow.root:
            continue
        for reference in step.references():
            if (
                reference.scope == "params"
                and reference.place != "inputs"
                and reference.name not in declared
            ):
                yield Finding(
                    code="workflow-warning",
                    severity="information",
                    message=(
                        f"`{reference.text}` is not declared in `params`; a run may start "
                        "without it. Declare it."
                    ),
                    span=reference.span,
                    data={"key": reference.text},
                )


RULES: tuple[Rule, ...] = (
    Rule(
        code="invalid-workflow-structure",
        severity="error",
        summary="A workflow cannot be run as it is written.",
        why=(
            "akm compiles a workflow before it runs or even indexes it. One that does not compile "
            "is left out of the index, and can be neither found nor started."
        ),
        remedy=(
            "Correct the marked key, step or heading. The frontmatter declares the steps; each "
            "step that runs something has a `## id` section with its instructions."
        ),
        example="---\ntype: workflow\nsteps:\n  - id: build\n---\n## Build it\n\nRun make.\n",
        check=check_structure,
        about=_may_be_workflow,
        group="assets",
        places=("frontmatter", "headings", "whole file"),
        example_path="workflows/release.md",
    ),
    Rule(
        code="workflow-warning",
        severity="information",
        summary="A workflow runs, but something in it is left open.",
        why=(
            "A step without `output` answers in prose that later steps have to guess at; a "
            "parameter that is not declared may be missing when the workflow runs."
        ),
        remedy="Give the step an `output` schema, or declare the parameter below `params`.",
        example="---\ntype: workflow\nsteps:\n  - id: build\n---\n## build\n\nRun make.\n",
        check=check_warning,
        about=lambda traits: _may_be_workflow(traits) and traits.has_frontmatter,
        group="assets",
        places=("frontmatter",),
        example_path="workflows/release.md",
    ),
)
