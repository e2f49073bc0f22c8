"""Where in one document the thing at a place stands: an asset, a heading, a step, a tag."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote

from akm_ls.documents.document import Document, RefOccurrence
from akm_ls.documents.markdown import Heading
from akm_ls.documents.nodes import scalar_items
from akm_ls.documents.text import Span
from akm_ls.documents.workflow import Workflow, read_workflow
from akm_ls.refs import Ref

if TYPE_CHECKING:
    from akm_ls.workspace.open_documents import OpenDocument
    from akm_ls.workspace.workspace import Workspace

Role = Literal["read", "write", "text"]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place; ``write`` is where the thing is made, ``read`` where it is used."""

    span: Span
    role: Role


def occurrences(workspace: Workspace, opened: OpenDocument, offset: int) -> tuple[Occurrence, ...]:
    """Every place in the document of what stands at ``offset``, in text order.

    Of a ref both halves can be meant: with the cursor behind the ``#`` only the citations of the
    same heading count. A heading is also meant by links of the form ``#anchor``.
    """
    found = dict.fromkeys(_Finder(workspace, opened).at(offset))
    return tuple(sorted(found, key=lambda occurrence: occurrence.span))


def step_occurrences(document: Document, offset: int) -> tuple[Occurrence, ...]:
    """The places of the workflow step or parameter whose name stands at ``offset``."""
    workflow = read_workflow(document)
    for group in _names(workflow):
        if any(occurrence.span.contains(offset) for occurrence in group):
            return tuple(sorted(group, key=lambda occurrence: occurrence.span))
    return ()


def _names(workflow: Workflow) -> Iterator[list[Occurrence]]:
    """The places of each step, then of each parameter."""
    steps: dict[str, list[Occurrence]] = {}
    params: dict[str, list[Occurrence]] = {}
    for step in workflow.steps:
        if step.id and step.id_node is not None:
            span = getattr(step.id_node, "inner", step.id_node.span)
            steps.setdefault(step.id, []).append(Occurrence(span, "write"))
        for target in step.targets():
            steps.setdefault(target.name, []).append(Occurrence(target.span, "read"))
        for reference in step.references():
            if reference.scope:
                into = steps if reference.scope == "steps" else params
                into.setdefault(reference.name, []).append(Occurrence(reference.name_span, "read"))
    for section in workflow.sections:
        if section.name in steps:
            steps[section.name].append(Occurrence(section.heading.span, "text"))
    for name in workflow.params:
        params.setdefault(name.text, []).append(Occurrence(name.inner, "write"))
    yield from steps.values()
    yield from params.values()


class _Finder:
    def __init__(self, workspace: Workspace, opened: OpenDocument) -> None:
        self._workspace = workspace
        self._opened = opened
        self._document = opened.document
        entry = opened.entry
        self._own = None if entry is None else (entry.bundle, entry.concept_id)

    def at(self, offset: int) -> Iterator[Occurrence]:
        document, entry = self._document, self._opened.entry
        if entry is not None and entry.type == "workflow":
            steps = step_occurrences(document, offset)
            if steps:
                yield from steps
                return
        ref = document.ref_at(offset)
        if ref is not None and ref.ref is not None:
            yield from self._of_ref(ref, ref.ref, offset)
            return
        heading = document.heading_at(offset)
        if heading is not None and heading.span.contains(offset):
            yield from self._of_heading(heading)
            return
        for link in document.links:
            if link.span.contains(offset) and link.kind != "image":
                yield from self._of_link(link.target)
                return
        yield from self._of_tag(offset)

    def _of_ref(self, occurrence: RefOccurrence, ref: Ref, offset: int) -> Iterator[Occurrence]:
        key, fragment = self._meant(ref)
        mark = self._document.text.find("#", *occurrence.span)
        if ref.fragment is None or not 0 <= mark < offset:
            for span, other, _ in self._refs():
                if other == key:
                    yield Occurrence(span, "read")
            return
        heading = self._document.fragment(fragment or "") if key == self._own else None
        if heading is not None:
            yield from self._of_heading(heading)
            return
        for span, other, other_fragment in self._refs():
            if (other, other_fragment) == (key, fragment):
                yield Occurrence(span, "read")

    def _of_heading(self, heading: Heading) -> Iterator[Occurrence]:
        yield Occurrence(heading.span, "write")
        for span, key, fragment in self._refs():
            if key == self._own and key is not None and fragment == heading.slug:
                yield Occurrence(span, "read")
        document = self._document
        names = {
            anchor.name for anchor in document.anchors if anchor.span.start == heading.span.start
        }
        for link in document.links:
            if self._anchor(link.target) in names:
                yield Occurrence(link.target_span, "read")

    def _of_link(self, target: str) -> Iterator[Occurrence]:
        document = self._document
        name = self._anchor(target)
        if name is not None:
            place = next((it for it in document.anchors if it.name == name), None)
            for heading in document.headings:
                if place is not None and heading.span.start == place.span.start:
                    yield from self._of_heading(heading)
                    return
            if place is not None:
                yield Occurrence(place.span, "write")
        for link in document.links:
            if link.target == target or (name is not None and self._anchor(link.target) == name):
                yield Occurrence(link.target_span, "read")

    def _of_tag(self, offset: int) -> Iterator[Occurrence]:
        frontmatter = self._document.frontmatter
        if frontmatter is None:
            return
        tags = [tag for tag in scalar_items(frontmatter.get("tags")) if tag.text.strip()]
        wanted = next((tag for tag in tags if tag.span.contains(offset)), None)
        if wanted is not None:
            name = _tag(wanted.text)
            yield from (Occurrence(tag.inner, "text") for tag in tags if _tag(tag.text) == name)

    def _anchor(self, target: str) -> str | None:
        """The anchor of this document that a link leads to."""
        path, mark, fragment = target.partition("#")
        if not mark or not fragment:
            return None
        if path and unquote(path).removeprefix("./") != os.path.basename(self._opened.path):
            return None
        return unquote(fragment)

    def _refs(self) -> Iterable[tuple[Span, tuple[str, str], str | None]]:
        """Each ref with what it means: asset and heading."""
        for occurrence in self._document.refs:
            if occurrence.ref is not None:
                key, fragment = self._meant(occurrence.ref)
                yield occurrence.span, key, fragment

    def _meant(self, ref: Ref) -> tuple[tuple[str, str], str | None]:
        workspace, bundle = self._workspace, self._opened.bundle
        home = None if bundle is None else bundle.id
        resolution = workspace.catalog.resolve(ref, home, workspace.bundles, suggest=False)
        stub = resolution.stub if resolution.status != "elsewhere" else None
        if stub is None:
            return (ref.bundle or home or "", ref.concept_id), ref.fragment
        return (stub.bundle, stub.concept_id), resolution.fragment or ref.fragment


def _tag(text: str) -> str:
    return "-".join(text.lower().replace("_", " ").replace("-", " ").split())
