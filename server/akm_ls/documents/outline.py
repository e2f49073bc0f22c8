"""The outline of a document: headings, frontmatter keys, workflow steps, names in env files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from akm_ls.documents.document import Document
from akm_ls.documents.env_keys import read_env_keys
from akm_ls.documents.markdown import Heading
from akm_ls.documents.nodes import Mapping, Node, Pair, Scalar
from akm_ls.documents.task import STEPS_TARGETS, TARGETS
from akm_ls.documents.text import Span
from akm_ls.documents.workflow import Step, read_workflow

ItemKind = Literal["frontmatter", "key", "heading", "step", "parameter", "variable"]

MAX_ITEMS = 5_000
"""Items of one outline; a document with more is generated, and editors stop looking there."""
_KEY_LEVELS = 3
_NAMELESS = "(no name)"
_TOLD_TASK_KEYS = frozenset({"version", "schedule", "enabled", *TARGETS, *STEPS_TARGETS})
"""Task fields whose value stands beside them; others may hold what is nobody's business."""
_MAX_DETAIL = 60


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """One node of an outline. ``selection`` lies within ``span``; ``name`` is never blank.

    Of an env file only the names are here; a value never is.
    """

    name: str
    kind: ItemKind
    span: Span
    selection: Span
    detail: str = ""
    children: tuple[OutlineItem, ...] = ()

    def walk(self) -> Iterator[tuple[OutlineItem, OutlineItem | None]]:
        """The node and all below it, in text order, each with its parent."""
        waiting: list[tuple[OutlineItem, OutlineItem | None]] = [(self, None)]
        while waiting:
            item, parent = waiting.pop()
            yield item, parent
            waiting += [(child, item) for child in reversed(item.children)]


def outline(document: Document, asset_type: str | None = None) -> tuple[OutlineItem, ...]:
    """What a document consists of, as a person would list it.

    Args:
        asset_type: what its bundle takes it for (``workflow``, ``task``, ``env`` …), if anything.
    """
    if document.kind == "env" or asset_type == "env":
        return _variables(document)
    if asset_type == "secret":
        return ()
    frontmatter = document.frontmatter
    if document.kind == "yaml":
        if frontmatter is None:
            return ()
        return tuple(_keys(document, frontmatter.root, asset_type))[:MAX_ITEMS]
    found: list[OutlineItem] = []
    if frontmatter is not None:
        keys = tuple(_keys(document, frontmatter.root, asset_type))[:MAX_ITEMS]
        end = max(frontmatter.span.start, _without_line_end(document.text, frontmatter.span.end))
        span = Span(frontmatter.span.start, end)
        first = document.lines.line_span(document.lines.line_of(span.start))
        selection = Span(span.start, max(span.start, min(first.end, span.end)))
        found.append(OutlineItem("frontmatter", "frontmatter", span, selection, children=keys))
    return (*found, *_headings(document.headings[:MAX_ITEMS]))


def _variables(document: Document) -> tuple[OutlineItem, ...]:
    keys = read_env_keys(document.text)[:MAX_ITEMS]
    return tuple(OutlineItem(key.name, "variable", key.span, key.span) for key in keys)


def _headings(headings: tuple[Heading, ...]) -> tuple[OutlineItem, ...]:
    """Nested as their sections are. The last heading of a section is finished first."""
    waiting: list[tuple[int, OutlineItem]] = []
    for heading in reversed(headings):
        children = []
        while waiting and waiting[-1][0] > heading.level:
            children.append(waiting.pop()[1])
        name = heading.text.strip() or _NAMELESS
        item = OutlineItem(
            name, "heading", heading.section, heading.span, "#" * heading.level, tuple(children)
        )
        waiting.append((heading.level, item))
    return tuple(item for _, item in reversed(waiting))


def _keys(document: Document, root: Mapping, asset_type: str | None) -> Iterator[OutlineItem]:
    for pair in root.pairs:
        key = pair.key.text
        if asset_type == "workflow" and key == "steps":
            steps = tuple(_step(step) for step in read_workflow(document).steps)
            yield _item(pair, "key", children=steps)
        elif asset_type == "workflow" and key == "params" and isinstance(pair.value, Mapping):
            yield _item(pair, "key", children=tuple(_nested(pair.value, 2, "parameter")))
        else:
            detail = _detail(pair.value) if asset_type == "task" and key in _TOLD_TASK_KEYS else ""
            yield _item(pair, "key", detail, tuple(_nested(pair.value, 2)))


def _nested(node: Node, level: int, kind: ItemKind = "key") -> Iterator[OutlineItem]:
    if not isinstance(node, Mapping) or level > _KEY_LEVELS:
        return
    for pair in node.pairs:
        # What an alias repeats stands elsewhere.
        if node.span.start <= pair.key.span.start and pair.span.end <= node.span.end:
            yield _item(pair, kind, children=tuple(_nested(pair.value, level + 1)))


def _item(
    pair: Pair, kind: ItemKind, detail: str = "", children: tuple[OutlineItem, ...] = ()
) -> OutlineItem:
    name = " ".join(pair.key.text.split())[:_MAX_DETAIL] or _NAMELESS
    return OutlineItem(name, kind, pair.span, pair.key.span, detail, children)


def _step(step: Step) -> OutlineItem:
    selection = step.span
    span = Span(min(step.node.span.start, selection.start), max(step.node.span.end, selection.end))
    name = step.id.strip() or f"step {step.index + 1}"
    return OutlineItem(name, "step", span, selection, step.kind)


def _detail(value: Node) -> str:
    if not isinstance(value, Scalar):
        return ""
    text = " ".join(value.text.split())
    return text if len(text) <= _MAX_DETAIL else f"{text[: _MAX_DETAIL - 1]}…"


def _without_line_end(text: str, end: int) -> int:
    if text[max(0, end - 2) : end] == "\r\n":
        return end - 2
    return end - 1 if text[end - 1 : end] in ("\n", "\r") else end
