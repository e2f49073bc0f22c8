"""Headings and workflow steps that get another name, with the fragments that name them."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from akm_ls.documents.document import Document, parse
from akm_ls.documents.markdown import Heading, Link
from akm_ls.documents.nodes import Scalar
from akm_ls.documents.text import Span
from akm_ls.documents.workflow import STEP_ID, read_workflow
from akm_ls.lint.rules.link_targets import read_target
from akm_ls.refs import Ref
from akm_ls.search.references import spellings_of
from akm_ls.workspace.renaming.moving import require_writable_source, settle
from akm_ls.workspace.renaming.occurrences import citings, quoted
from akm_ls.workspace.renaming.plan import Change, Plan, RenameRefused
from akm_ls.workspace.renaming.verifying import changed_text

if TYPE_CHECKING:
    from akm_ls.index.delta import Key
    from akm_ls.workspace.renaming.view import Source, View

_OPENING = re.compile(r"#{1,6}[ \t]+")
_CUSTOM_ID = re.compile(r"[ \t]*\{[ \t]*#[^\s{}]+[^{}]*\}[ \t]*\Z")


def heading_span(document: Document, heading: Heading) -> Span:
    """The text of a heading without its marks and without an id of its own (``{#id}``)."""
    source = heading.span.of(document.text)
    opening = _OPENING.match(source)
    start = heading.span.start + (opening.end() if opening else 0)
    text = heading.text
    custom = _CUSTOM_ID.search(text)
    shown = text[: custom.start()] if custom else text
    return Span(start, start + len(shown))


def rename_heading(view: View, source: Source, heading: Heading, typed: str) -> Plan:
    """The plan for another heading text: every fragment that names it, in refs and links.

    In a workflow a step's section is renamed with its step.

    Raises:
        RenameRefused: with the reason in words.
    """
    require_writable_source(source)
    text = " ".join(typed.split())
    span = heading_span(source.document, heading)
    if text == span.of(source.document.text):
        return Plan()
    if not text:
        raise RenameRefused("The new heading is empty.")
    if "\n" in typed.strip() or "\r" in typed.strip():
        raise RenameRefused("A heading has one line only.")
    return _with_fragments(view, source, [Change(span, text, "heading")])


def rename_step(view: View, source: Source, step_id: str, typed: str) -> Plan:
    """The plan for another step id: the step, what refers to it, its section and its fragments.

    Raises:
        RenameRefused: with the reason in words.
    """
    require_writable_source(source)
    new = typed.strip()
    if new == step_id:
        return Plan()
    if not new:
        raise RenameRefused("The new step id is empty.")
    if STEP_ID.match(new) is None:
        raise RenameRefused(
            f'"{new}" cannot be a step id: use letters, digits, "_" and "-", and start with a '
            "letter."
        )
    workflow = read_workflow(source.document)
    ids = [step.id for step in workflow.steps]
    if new in ids:
        raise RenameRefused(f'This workflow has a step "{new}" already.')
    if ids.count(step_id) > 1:
        raise RenameRefused(f'Two steps are called "{step_id}"; give one another id by hand first.')
    if new in workflow.section_by_name:
        raise RenameRefused(f'This workflow has a section "## {new}" already.')
    changes: list[Change] = []
    for step in workflow.steps:
        if step.id == step_id and isinstance(step.id_node, Scalar):
            node = step.id_node
            changes.append(Change(node.inner, _as_scalar(node, new), "step"))
        changes += [
            Change(reference.name_span, new, "step")
            for reference in step.references()
            if reference.scope == "steps" and reference.name == step_id
        ]
        changes += [
            Change(target.span, new, "step") for target in step.targets() if target.name == step_id
        ]
    changes += [
        Change(heading_span(source.document, section.heading), new, "heading")
        for section in workflow.sections
        if section.name == step_id
    ]
    return _with_fragments(view, source, changes)


def _as_scalar(node: Scalar, text: str) -> str:
    # `null` and `yes` are ids by their letters, but no strings to YAML.
    return text if node.style else quoted(text, "")


@dataclass(frozen=True, slots=True)
class _Names:
    """What names a document's headings before and after.

    ``slugs`` are akm's, ``anchors`` GitHub's, both old to new; only what changes.
    """

    slugs: dict[str, str]
    texts: dict[str, str]
    anchors: dict[str, str]

    @property
    def is_empty(self) -> bool:
        return not (self.slugs or self.texts or self.anchors)


def _with_fragments(view: View, source: Source, own: Sequence[Change]) -> Plan:
    """The plan for edits of headings in one file, with every fragment in any file."""
    ordered = sorted(own, key=lambda change: change.span)
    before = source.document
    after = parse(changed_text(before, ordered), before.kind)
    names = _names(before, after, ordered)
    stub = view.catalog.by_path(source.path)
    key = None if stub is None else (stub.bundle, stub.concept_id)
    found: dict[str, tuple[Source, list[Change]]] = {source.path: (source, list(ordered))}
    if not names.is_empty:
        needles = [os.path.basename(source.path)]
        if stub is not None:
            needles += spellings_of(stub.concept_id)
        for other in view.sources_with(needles, {source.path}):
            changes = [
                *_ref_fragments(view, other, key, before, names),
                *_link_fragments(other, source.path, names),
            ]
            if changes:
                found.setdefault(other.path, (other, []))[1].extend(changes)
    files, left = settle(found.values())
    if not any(file.source.path == source.path for file in files):
        raise RenameRefused(
            f"{source.name} cannot be edited safely: the text around the heading would be read "
            "differently."
        )
    return Plan(files=files, left=left)


def _names(before: Document, after: Document, changes: Sequence[Change]) -> _Names:
    if len(before.headings) != len(after.headings):
        raise RenameRefused("With this text the line would not be a heading any more.")
    slugs: dict[str, str] = {}
    texts: dict[str, str] = {}
    for old, new in zip(before.headings, after.headings, strict=True):
        if old.slug and old.slug != new.slug:
            if not new.slug:
                raise RenameRefused(
                    "A heading needs a letter or a digit, so that a fragment can name it."
                )
            slugs[old.slug] = new.slug
        if old.text != new.text:
            texts.setdefault(old.text.strip().casefold(), new.slug)
    anchors: dict[str, str] = {}
    if len(before.anchors) == len(after.anchors):
        pairs = zip(before.anchors, after.anchors, strict=True)
        anchors = {old.name: new.name for old, new in pairs if old.name != new.name}
    return _Names(slugs, texts, anchors)


def _ref_fragments(
    view: View, other: Source, key: Key | None, target: Document, names: _Names
) -> Iterator[Change]:
    if key is None:
        return
    home = other.bundle.id
    for citing in citings(other.document, other.bundle.adapter):
        fragment = citing.ref.fragment
        if fragment is None or citing.wiki:
            continue
        new = _new_slug(fragment, target, names)
        if new is None or not leads_to(view, citing.ref, home, key):
            continue
        written = citing.span.of(other.document.text)
        mark = written.find("#")
        if mark < 0:
            continue
        span = Span(citing.span.start + mark + 1, citing.span.end)
        meant = Ref(citing.ref.bundle, citing.ref.concept_id, new)
        yield Change(span, new, "ref", meant)


def _new_slug(fragment: str, target: Document, names: _Names) -> str | None:
    if fragment in names.slugs:
        return names.slugs[fragment]
    if any(heading.slug == fragment for heading in target.headings):
        return None
    return names.texts.get(fragment.strip().casefold())


def leads_to(view: View, ref: Ref, home: str, key: Key) -> bool:
    bundles = view.bundles
    if ref.bundle is not None:
        order: list[str | None] = [ref.bundle] if bundles.get(ref.bundle) else []
    else:
        order = [home, bundles.default, *(bundle.id for bundle in bundles)]
    for bundle in order:
        stub = None if bundle is None else view.catalog.find(bundle, ref.concept_id)
        if stub is not None:
            return (stub.bundle, stub.concept_id) == key
    return False


def links_into(other: Source, path: str) -> Iterator[tuple[Link, str]]:
    """The links of a file that name a part of the file ``path``, each with its fragment as written.

    ``path`` is canonical; it may be the file's own.
    """
    for link in other.document.links:
        if link.kind == "autolink" or "#" not in link.target:
            continue
        from_root = link.target.startswith("/") and other.bundle.adapter in ("okf", "llm-wiki")
        target = read_target(link.target.removeprefix("/") if from_root else link.target)
        if target is None or not target.fragment or target.variable is not None:
            continue
        folder = other.bundle.real_root if from_root else os.path.dirname(other.path)
        leads = os.path.normpath(os.path.join(folder, target.path)) if target.path else other.path
        if leads == path:
            yield link, target.fragment


def _link_fragments(other: Source, path: str, names: _Names) -> Iterator[Change]:
    for link, fragment in links_into(other, path):
        new = names.anchors.get(_same(unquote(fragment), names))
        if new is None:
            continue
        start = link.target_span.start + link.target.index("#") + 1
        spelled = quote(new, safe="") if "%" in fragment else new
        yield Change(Span(start, link.target_span.end), spelled, "link", f"#{new}")


def _same(fragment: str, names: _Names) -> str:
    """The anchor that is meant, whatever its Unicode form."""
    if fragment in names.anchors:
        return fragment
    wanted = unicodedata.normalize("NFC", fragment.replace("\ufe0f", ""))
    for name in names.anchors:
        if unicodedata.normalize("NFC", name.replace("\ufe0f", "")) == wanted:
            return name
    return fragment
