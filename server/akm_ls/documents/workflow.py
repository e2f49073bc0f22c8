"""A workflow file read as one: the graph in its frontmatter and the prose of each step.

Nothing is judged here, and nothing raises: half of a workflow is read as half a workflow. What
akm demands of it is in akm.md §8.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from akm_ls.documents.document import Document
from akm_ls.documents.markdown import Heading
from akm_ls.documents.nodes import Mapping, Node, Scalar, Sequence
from akm_ls.documents.text import Span

StepKind = Literal["unit", "map", "route"]
Place = Literal["map.over", "route.input", "inputs"]

STEP_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
PARAM_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

_PARAM = re.compile(r"params\.([A-Za-z_][A-Za-z0-9_]*)\Z")
_OUTPUT = re.compile(
    r"steps\.([A-Za-z_][A-Za-z0-9_-]*)\.output((?:\.[A-Za-z_][A-Za-z0-9_-]*|\[[0-9]+\])*)\Z"
)


@dataclass(frozen=True, slots=True)
class Reference:
    """``params.<name>`` or ``steps.<name>.output<path>``, at its place in the frontmatter.

    ``scope`` is ``""`` and ``name`` empty for a text that is neither. ``span`` covers the text
    without quotes, ``name_span`` the name alone.
    """

    text: str
    span: Span
    scope: Literal["params", "steps", ""]
    name: str
    name_span: Span
    place: Place


@dataclass(frozen=True, slots=True)
class Target:
    """The id of a step that a route leads to."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Section:
    """A level-2 heading with what stands below it.

    ``instructions`` runs from the heading to the first gate or the section's end, ``rubric`` from
    the gate's heading on; both without blanks around them.
    """

    heading: Heading
    instructions: Span
    gates: tuple[Heading, ...]
    rubric: Span | None

    @property
    def name(self) -> str:
        return self.heading.text


@dataclass(frozen=True, slots=True)
class Step:
    """One item of ``steps``. ``id`` is ``""`` where it is missing or no text."""

    index: int
    node: Mapping
    id: str
    id_node: Node | None
    kind: StepKind

    @property
    def span(self) -> Span:
        """Where the step is marked: its id, else its first key."""
        if self.id_node is not None:
            return self.id_node.span
        if self.node.pairs:
            return self.node.pairs[0].key.span
        return self.node.span

    @property
    def has_prose(self) -> bool:
        """Whether the step needs a section: everything but a route does."""
        return self.kind != "route"

    def references(self) -> Iterator[Reference]:
        """Where the step takes values from, in text order of each key."""
        over = _in(self.node.get("map"), "over")
        if isinstance(over, Scalar):
            yield read_reference(over, "map.over")
        routed = _in(self.node.get("route"), "input")
        if isinstance(routed, Scalar):
            yield read_reference(routed, "route.input")
        inputs = self.node.get("inputs")
        if isinstance(inputs, Sequence):
            for item in inputs.items:
                if isinstance(item, Scalar):
                    yield read_reference(item, "inputs")

    def targets(self) -> Iterator[Target]:
        """The steps that a route may lead to."""
        route = self.node.get("route")
        when = _in(route, "when")
        if isinstance(when, Sequence):
            for item in when.items:
                target = _in(item, "step")
                if isinstance(target, Scalar) and target.text:
                    yield Target(target.text, target.inner)
        default = _in(route, "default")
        if isinstance(default, Scalar) and default.text:
            yield Target(default.text, default.inner)


class Workflow:
    """What a workflow file declares and describes. ``steps`` are those that are mappings."""

    def __init__(self, document: Document) -> None:
        self._document = document
        frontmatter = document.frontmatter
        self.root = Mapping((), Span(0, 0)) if frontmatter is None else frontmatter.root

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        declared = self.root.get("steps")
        items = declared.items if isinstance(declared, Sequence) else ()
        return tuple(
            _step(index, item) for index, item in enumerate(items) if isinstance(item, Mapping)
        )

    @cached_property
    def step_by_id(self) -> dict[str, Step]:
        """The first step with each id."""
        found: dict[str, Step] = {}
        for step in self.steps:
            if step.id:
                found.setdefault(step.id, step)
        return found

    @cached_property
    def params(self) -> tuple[Scalar, ...]:
        """The names of the declared parameters, where they stand."""
        declared = self.root.get("params")
        return tuple(pair.key for pair in declared.pairs) if isinstance(declared, Mapping) else ()

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """Every level-2 section of the body, whether a step bears its name or not."""
        document = self._document
        headings = document.headings
        found: list[Section] = []
        for position, heading in enumerate(headings):
            if heading.level != 2:
                continue
            gates: list[Heading] = []
            for inner in headings[position + 1 :]:
                if inner.span.start >= heading.section.end:
                    break
                if inner.level == 3 and inner.text.strip().lower() == "gate":
                    gates.append(inner)
            end = gates[0].span.start if gates else heading.section.end
            instructions = _trimmed(document.text, Span(heading.span.end, end))
            rubric = None
            if gates:
                rubric = _trimmed(document.text, Span(gates[0].span.end, heading.section.end))
            found.append(Section(heading, instructions, tuple(gates), rubric))
        return tuple(found)

    @cached_property
    def section_by_name(self) -> dict[str, Section]:
        """The first section of each name."""
        found: dict[str, Section] = {}
        for section in self.sections:
            found.setdefault(section.name, section)
        return found


def read_workflow(document: Document) -> Workflow:
    return Workflow(document)


def read_reference(node: Scalar, place: Place) -> Reference:
    """A scalar as a reference, whatever it says."""
    text = node.text.strip()
    span = node.inner
    for scope, pattern in (("params", _PARAM), ("steps", _OUTPUT)):
        match = pattern.match(text)
        if match is not None:
            start = span.start + node.text.find(text) + match.start(1)
            name = match.group(1)
            name_span = Span(start, start + len(name))
            if scope == "params":
                return Reference(text, span, "params", name, name_span, place)
            return Reference(text, span, "steps", name, name_span, place)
    return Reference(text, span, "", "", span, place)


def _step(index: int, node: Mapping) -> Step:
    id_node = node.get("id")
    text = id_node.text if isinstance(id_node, Scalar) and isinstance(id_node.plain, str) else ""
    kind: StepKind = "route" if "route" in node else "map" if "map" in node else "unit"
    return Step(index, node, text, id_node, kind)


def _in(node: Node | None, key: str) -> Node | None:
    return node.get(key) if isinstance(node, Mapping) else None


def _trimmed(text: str, span: Span) -> Span:
    source = span.of(text)
    stripped = source.strip()
    if not stripped:
        return Span(span.end, span.end)
    start = span.start + source.find(stripped)
    return Span(start, start + len(stripped))
