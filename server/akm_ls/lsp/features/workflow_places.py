"""The steps and parameters of a workflow at a cursor, and where they are declared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from akm_ls.documents.nodes import Mapping, Scalar
from akm_ls.documents.text import Span
from akm_ls.documents.workflow import Step, Workflow, read_workflow

if TYPE_CHECKING:
    from akm_ls.workspace.open_documents import OpenDocument

What = Literal["step", "param", "id", "section"]


@dataclass(frozen=True, slots=True)
class WorkflowPlace:
    """A name in a workflow: a mention of a step or parameter, a step's id, or its section."""

    what: What
    name: str
    span: Span


def workflow_of(opened: OpenDocument) -> Workflow | None:
    """The workflow that a document is."""
    if opened.entry is None or opened.entry.type != "workflow":
        frontmatter = opened.document.frontmatter
        if frontmatter is None or frontmatter.text("type") != "workflow":
            return None
    return read_workflow(opened.document)


def mentions(workflow: Workflow) -> Iterator[WorkflowPlace]:
    """Where the frontmatter refers to a step or a parameter."""
    for step in workflow.steps:
        for reference in step.references():
            if reference.scope == "steps":
                yield WorkflowPlace("step", reference.name, reference.name_span)
            elif reference.scope == "params":
                yield WorkflowPlace("param", reference.name, reference.name_span)
        for target in step.targets():
            yield WorkflowPlace("step", target.name, target.span)


def workflow_place(workflow: Workflow, offset: int) -> WorkflowPlace | None:
    for place in mentions(workflow):
        if place.span.contains(offset):
            return place
    for step in workflow.steps:
        if isinstance(step.id_node, Scalar) and step.id_node.inner.contains(offset):
            return WorkflowPlace("id", step.id, step.id_node.inner)
    for param in workflow.params:
        if param.inner.contains(offset):
            return WorkflowPlace("param", param.text, param.inner)
    for section in workflow.sections:
        if section.heading.span.contains(offset):
            return WorkflowPlace("section", section.name, section.heading.span)
    return None


def declaration(workflow: Workflow, place: WorkflowPlace) -> tuple[Span, Span] | None:
    """Where a name leads: the whole of what it names, and the part to put the cursor on.

    From a mention to the declaration, from a step's id to its section and back.
    """
    if place.what == "param":
        found = next((param for param in workflow.params if param.text == place.name), None)
        return None if found is None else (found.span, found.inner)
    if place.what == "id":
        section = workflow.section_by_name.get(place.name)
        return None if section is None else (section.heading.section, section.heading.span)
    step = workflow.step_by_id.get(place.name)
    if step is None or not isinstance(step.id_node, Scalar):
        return None
    return step.node.span, step.id_node.inner


def outputs(step: Step) -> Iterator[str]:
    """The properties of a step's output that its schema declares."""
    schema = step.node.get("output")
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if isinstance(properties, Mapping):
        for pair in properties.pairs:
            yield pair.key.text
