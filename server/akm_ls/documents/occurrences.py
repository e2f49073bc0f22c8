"""Where refs stand: in prose, and in the keys of a frontmatter that hold refs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from akm_ls.documents.frontmatter import Frontmatter
from akm_ls.documents.nodes import Mapping, Node, Scalar, Sequence, scalar_items
from akm_ls.documents.text import Span
from akm_ls.refs import (
    ASSET_DIRECTORIES,
    Ref,
    RefError,
    find_refs,
    parse_ref,
    try_parse_ref,
    usual_ref,
)

Channel = Literal[
    "prose",
    "refs",
    "xrefs",
    "supersededBy",
    "contradictedBy",
    "currentBeliefRefs",
    "env",
    "task",
]
LIST_CHANNELS: tuple[Channel, ...] = (
    "refs",
    "xrefs",
    "supersededBy",
    "contradictedBy",
    "currentBeliefRefs",
)
"""Top-level keys whose value is a ref or a list of refs, bare ids included."""
TASK_KEYS = ("workflow", "prompt", "uses")
"""Keys of a task file that may hold a ref among other things."""
MAX_REFS = 50_000
"""Refs of one document that are kept."""

_NOT_MEANT_AS_REF = ("$(", "${", "::")


class RefOccurrence(NamedTuple):
    """A ref at its place. ``span`` covers the ref alone, without quotes and punctuation.

    ``text`` is the ref as the author wrote it (in a quoted YAML scalar, its value). ``ref`` is
    ``None`` for an entry of a list channel that does not parse; ``error`` then says why.
    """

    text: str
    span: Span
    channel: Channel
    ref: Ref | None
    error: str | None = None


def in_prose(text: str, spans: Iterable[Span]) -> list[RefOccurrence]:
    """The qualified refs within ``spans`` of ``text``."""
    found: list[RefOccurrence] = []
    new = tuple.__new__  # a named tuple's own constructor takes half as long again
    for start, end in spans:
        if text.find("//", start, end) < 0:
            continue
        for begin, after, written, known in find_refs(text, start, end):
            ref = known or try_parse_ref(written)
            if ref is not None:
                span = new(Span, (begin, after))
                found.append(new(RefOccurrence, (written, span, "prose", ref, None)))
                if len(found) >= MAX_REFS:
                    return found
    return found


def in_frontmatter(frontmatter: Frontmatter, text: str, *, tasks: bool) -> list[RefOccurrence]:
    """The refs in the channels of a frontmatter, in text order."""
    root = frontmatter.root
    found: dict[Span, RefOccurrence] = {}
    for channel, scalar in _candidates(root, tasks):
        occurrence = _occurrence(channel, scalar, text)
        if occurrence is not None:
            found.setdefault(occurrence.span, occurrence)
            if len(found) >= MAX_REFS:
                break
    return [found[span] for span in sorted(found)] if found else []


def _candidates(root: Mapping, tasks: bool) -> Iterator[tuple[Channel, Scalar]]:
    for channel in LIST_CHANNELS:
        if (value := root.get(channel)) is not None:
            for scalar in scalar_items(value):
                yield channel, scalar
    if (steps := root.get("steps")) is not None:
        for scalar in _unit_environments(steps):
            yield "env", scalar
    if tasks:
        for key in TASK_KEYS:
            value = root.get(key)
            if isinstance(value, Scalar) and _looks_like_ref(value.text):
                yield "task", value


def _unit_environments(steps: Node | None) -> Iterator[Scalar]:
    """A workflow's ``steps[].unit.env[]`` and ``steps[].map.unit.env[]``."""
    if not isinstance(steps, Sequence):
        return
    for step in steps.items:
        if not isinstance(step, Mapping):
            continue
        for holder in (step, step.get("map")):
            unit = holder.get("unit") if isinstance(holder, Mapping) else None
            if isinstance(unit, Mapping):
                yield from scalar_items(unit.get("env"))


def _looks_like_ref(text: str) -> bool:
    """Whether a task's value names an asset rather than being a prompt's text."""
    text = text.strip()
    if any(char.isspace() for char in text):
        return False
    ref = try_parse_ref(text)
    return ref is not None and (ref.head in ASSET_DIRECTORIES and "/" in ref.concept_id)


def _occurrence(channel: Channel, scalar: Scalar, text: str) -> RefOccurrence | None:
    if not scalar.style and "/" in scalar.text and scalar.span.of(text) == scalar.text:
        usual = usual_ref(scalar.text)
        if usual is not None:
            return RefOccurrence(scalar.text, scalar.span, channel, usual)
    value = scalar.text.strip().strip("\"'")
    if not value or "\n" in value or scalar.style in ("|", ">"):
        return None
    if not isinstance(scalar.plain, str) or any(mark in value for mark in _NOT_MEANT_AS_REF):
        return None
    path = value.partition("//")[2] or value
    if ":" in path.partition("#")[0] or "://" in value:
        return None  # a URL, `wiki:bundle/id`, or the grammar of earlier akm versions
    span = _trimmed(text, scalar.inner)
    try:
        return RefOccurrence(value, span, channel, parse_ref(value))
    except RefError as error:
        return RefOccurrence(value, span, channel, None, str(error))


def _trimmed(text: str, span: Span) -> Span:
    """``span`` without blanks and stray quotes at its ends (an unclosed one opens the value)."""
    source = span.of(text)
    stripped = source.strip().strip("\"'")
    lead = source.find(stripped)
    return Span(span.start + lead, span.start + lead + len(stripped))
