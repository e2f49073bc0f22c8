"""Completion of a workflow's names: steps, parameters, outputs, and the headings of sections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.documents.text import Span
from akm_ls.documents.workflow import Step, Workflow
from akm_ls.documents.yaml_places import ITEM, YamlPlace, yaml_block, yaml_place
from akm_ls.lsp.features.completion.offer import Kind, Offer, listed
from akm_ls.lsp.features.completion.values import value_place, written
from akm_ls.lsp.features.workflow_places import outputs, workflow_of

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

_HEADING = re.compile(r"##[ \t]+(?P<typed>[^\n]*)\Z")


def complete(session: Session, opened: OpenDocument, offset: int) -> lsp.CompletionList | None:
    workflow = workflow_of(opened)
    if workflow is None:
        return None
    if yaml_block(opened.document, offset) is None:
        return _section(session, opened, offset, workflow)
    found = value_place(yaml_place(opened.document, offset))
    if found is None:
        return None
    at, lead = found
    step = _step_at(workflow, opened, at)
    offers = [
        Offer(
            offer.label,
            offer.kind,
            written(offer.label, at, lead),
            detail=offer.detail,
            note=offer.note,
            filter=offer.label,
        )
        for offer in _offers(workflow, at, step)
    ]
    return listed(session, opened, at.span, offset, offers)


def _offers(workflow: Workflow, at: YamlPlace, step: int) -> Iterator[Offer]:
    path = at.path[:-1] if at.is_item else at.path
    if path[:2] != ("steps", ITEM):
        return
    below = path[2:]
    if below in (("map", "over"), ("route", "input")):
        for param in workflow.params:
            yield Offer(f"params.{param.text}", Kind.Variable, note="parameter")
        yield from _outputs(workflow.steps[:step])
    elif below == ("inputs",):
        yield from _outputs(workflow.steps[:step])
    elif below in (("route", "when", ITEM, "step"), ("route", "default")):
        for later in workflow.steps[step + 1 :]:
            if later.id:
                yield Offer(later.id, Kind.Event, note=later.kind)


def _outputs(steps: tuple[Step, ...]) -> Iterator[Offer]:
    """What earlier steps give, the nearest first."""
    for step in reversed(steps):
        if not step.id or step.kind == "route":
            continue
        name = f"steps.{step.id}.output"
        yield Offer(name, Kind.Variable, note="output")
        for key in outputs(step):
            yield Offer(f"{name}.{key}", Kind.Field, note="part of the output")


def _step_at(workflow: Workflow, opened: OpenDocument, at: YamlPlace) -> int:
    """The index of the step that is being written."""
    line = opened.document.lines.line_of(at.span.start)
    line_of = opened.document.lines.line_of
    before = [step for step in workflow.steps if line_of(step.node.span.start) <= line]
    return before[-1].index if before else 0


def _section(
    session: Session, opened: OpenDocument, offset: int, workflow: Workflow
) -> lsp.CompletionList | None:
    """The steps that have no section yet, behind ``## ``."""
    lines = opened.document.lines
    line = lines.line_span(lines.line_of(offset))
    match = _HEADING.match(opened.text[line.start : offset])
    if match is None or any(f.span.start < offset < f.span.end for f in opened.document.fences):
        return None
    current = line.of(opened.text)[3:].strip()
    taken = {section.name for section in workflow.sections} - {current}
    offers = [
        Offer(step.id, Kind.Event, note=step.kind)
        for step in workflow.steps
        if step.id and step.has_prose and step.id not in taken
    ]
    return listed(session, opened, Span(offset - len(match["typed"]), line.end), offset, offers)
