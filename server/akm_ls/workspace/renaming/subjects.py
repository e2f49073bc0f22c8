"""What can be renamed at a place of a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.documents.document import Document
from akm_ls.documents.markdown import Heading
from akm_ls.documents.nodes import Scalar
from akm_ls.documents.text import Span
from akm_ls.documents.workflow import Workflow, read_workflow
from akm_ls.workspace.renaming.headings import heading_span, rename_heading, rename_step
from akm_ls.workspace.renaming.moving import rename_asset
from akm_ls.workspace.renaming.names import require_saved, require_writable
from akm_ls.workspace.renaming.occurrences import ref_at
from akm_ls.workspace.renaming.plan import Plan, RenameRefused
from akm_ls.workspace.renaming.tags import rename_tag, tag_items

if TYPE_CHECKING:
    from akm_ls.index.stub import Stub
    from akm_ls.workspace.renaming.view import Source, View


@dataclass(frozen=True, slots=True)
class Subject:
    """Something with a name: what it is, where its name stands, and the name to start from.

    ``span`` is in the document that was asked about. ``source`` is the file that has the heading,
    step or tag; ``stub`` the asset.
    """

    span: Span
    name: str
    source: Source
    stub: Stub | None = None
    heading: Heading | None = None
    step: str | None = None
    tag: str | None = None

    def rename(self, view: View, typed: str) -> Plan:
        """
        Raises:
            RenameRefused: with the reason in words.
        """
        if any("\ud800" <= char <= "\udfff" for char in typed):
            raise RenameRefused("The new name holds half a character, which no file can hold.")
        if self.stub is not None:
            return rename_asset(view, self.stub, typed)
        if self.step is not None:
            return rename_step(view, self.source, self.step, typed)
        if self.heading is not None:
            return rename_heading(view, self.source, self.heading, typed)
        assert self.tag is not None
        return rename_tag(view, self.source, self.tag, typed)


def subject_at(view: View, source: Source, offset: int) -> Subject | None:
    """What a cursor at ``offset`` is on: a ref, its fragment, a heading, a step or a tag.

    Raises:
        RenameRefused: there is something, and it cannot be renamed: it does not exist, was never
            saved, or is in a read-only bundle.
    """
    found = _ref(view, source, offset) or _step(source, offset) or _tag(source, offset)
    found = found or _heading(source, offset)
    if found is not None:
        if found.stub is not None:
            owner = view.bundles.relative(found.stub.path)
            if owner is not None:
                require_writable(owner[0], found.stub.ref)
            require_saved(found.stub)
        else:
            require_writable(found.source.bundle, found.source.name)
    return found


def _ref(view: View, source: Source, offset: int) -> Subject | None:
    occurrence = ref_at(source.document, source.bundle.adapter, offset)
    if occurrence is None or occurrence.ref is None:
        return None
    ref = occurrence.ref
    found = view.catalog.resolve(ref, source.bundle.id, view.bundles, suggest=False)
    if found.stub is None or found.status == "elsewhere":
        if ref.bundle is None or view.bundles.get(ref.bundle) is not None:
            raise RenameRefused(f"{ref.asset} does not exist, so there is nothing to rename.")
        return None
    written = occurrence.span.of(source.document.text)
    mark = written.find("#")
    if mark >= 0 and offset > occurrence.span.start + mark:
        return _fragment(
            view,
            found.stub,
            ref.fragment or "",
            Span(occurrence.span.start + mark + 1, occurrence.span.end),
        )
    path = written if mark < 0 else written[:mark]
    start = occurrence.span.start + (path.find("//") + 2 if "//" in path else 0)
    span = Span(start, occurrence.span.start + len(path))
    return Subject(span, found.stub.concept_id, source, stub=found.stub)


def _fragment(view: View, stub: Stub, fragment: str, span: Span) -> Subject | None:
    target = view.source(stub.path)
    heading = None if target is None else target.document.fragment(fragment)
    if target is None or heading is None:
        raise RenameRefused(f'{stub.ref} has no heading "#{fragment}".')
    return _subject_of_heading(target, heading, span)


def _subject_of_heading(source: Source, heading: Heading, span: Span | None = None) -> Subject:
    own = heading_span(source.document, heading)
    name = own.of(source.document.text)
    step = None
    workflow = _workflow(source)
    if workflow is not None and heading.level == 2 and heading.text in workflow.step_by_id:
        step = heading.text
    return Subject(span or own, name, source, heading=heading, step=step)


def _heading(source: Source, offset: int) -> Subject | None:
    for heading in source.document.headings:
        if heading.span.contains(offset):
            return _subject_of_heading(source, heading)
    return None


def _step(source: Source, offset: int) -> Subject | None:
    workflow = _workflow(source)
    if workflow is None or offset > source.document.body_start:
        return None
    for step in workflow.steps:
        if isinstance(step.id_node, Scalar) and step.id and step.id_node.inner.contains(offset):
            return Subject(step.id_node.inner, step.id, source, step=step.id)
        for reference in step.references():
            if reference.scope == "steps" and reference.name_span.contains(offset):
                return _step_named(workflow, reference.name, reference.name_span, source)
        for target in step.targets():
            if target.span.contains(offset):
                return _step_named(workflow, target.name, target.span, source)
    return None


def _step_named(workflow: Workflow, name: str, span: Span, source: Source) -> Subject:
    if name not in workflow.step_by_id:
        raise RenameRefused(f'This workflow has no step "{name}".')
    return Subject(span, name, source, step=name)


def _workflow(source: Source) -> Workflow | None:
    if not _is_workflow(source.document):
        return None
    return read_workflow(source.document)


def _is_workflow(document: Document) -> bool:
    return (
        document.kind == "markdown"
        and document.frontmatter is not None
        and "steps" in document.frontmatter.root
    )


def _tag(source: Source, offset: int) -> Subject | None:
    if offset > source.document.body_start:
        return None
    for item in tag_items(source):
        if item.inner.contains(offset):
            return Subject(item.inner, item.text.strip(), source, tag=item.text.strip())
    return None
