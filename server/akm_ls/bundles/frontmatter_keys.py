"""What each frontmatter key means for an entry (akm.md §5, P2). Other keys mean nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from akm_ls.bundles.draft import normalise_tag
from akm_ls.documents.nodes import Mapping, Node, Plain, Scalar, Sequence, scalar_items, strings

if TYPE_CHECKING:
    from akm_ls.bundles.draft import Draft
    from akm_ls.documents.frontmatter import Frontmatter

Reader = Callable[["Draft", str, Node], None]

_SCOPES = ("user", "agent", "run", "channel")
_INTENTS = ("when", "input", "output")
_NULLS = frozenset(("~", "null", "Null", "NULL"))
_CAPTURE_MODES = ("hot", "background")


def read_keys(draft: Draft, frontmatter: Frontmatter) -> None:
    """Put what the author wrote into ``draft``; of a repeated key the last one counts."""
    root = frontmatter.root
    for pair in root.pairs:
        key = pair.key.text
        reader = _READERS.get(key)
        if reader is not None and root.pair(key) is pair:
            reader(draft, key, pair.value)


def text_of(node: Node | None) -> str:
    """A scalar's text, trimmed; ``""`` for anything else and for null."""
    if not isinstance(node, Scalar):
        return ""
    text = node.text.strip()
    return "" if text in _NULLS and not node.style else text


def jsonable(node: Node) -> Plain:
    """A value as JSON knows it: numbers that JSON has no spelling for stay text."""
    if isinstance(node, Scalar):
        plain = node.plain
        return node.text if isinstance(plain, float) and not math.isfinite(plain) else plain
    if isinstance(node, Sequence):
        return [jsonable(item) for item in node.items]
    return {pair.key.text: jsonable(pair.value) for pair in node.pairs}


def _kept_as(name: str) -> Reader:
    """A key whose value is kept as it is, under ``name``."""

    def keep(draft: Draft, key: str, node: Node) -> None:
        value = jsonable(node)
        if value is not None and value != "":
            draft.extra[name] = value

    return keep


def _description(draft: Draft, key: str, node: Node) -> None:
    if text := text_of(node):
        draft.describe(text, "frontmatter", 0.9)


def _tags(draft: Draft, key: str, node: Node) -> None:
    draft.tags[:] = _normal_tags(node)


def _aliases(draft: Draft, key: str, node: Node) -> None:
    draft.aliases += _normal_tags(node)


def _normal_tags(node: Node) -> list[str]:
    """Tags in their normal spelling; one string may hold several, separated by commas."""
    if isinstance(node, Scalar):
        found = text_of(node).split(",")
    else:
        found = [text_of(item) for item in scalar_items(node)]
    return [tag for text in found if (tag := normalise_tag(text))]


def _when_to_use(draft: Draft, key: str, node: Node) -> None:
    draft.when_to_use = text_of(node)


def _search_hints(draft: Draft, key: str, node: Node) -> None:
    draft.hints += strings(node)


def _guidance(draft: Draft, key: str, node: Node) -> None:
    """``usage``, ``examples``, ``xrefs``: kept, and searched."""
    if values := strings(node):
        draft.extra[key] = list(values)
        draft.hints += values


def _list(draft: Draft, key: str, node: Node) -> None:
    if values := strings(node):
        draft.extra[key] = list(values)


def _derived_from(draft: Draft, key: str, node: Node) -> None:
    values = strings(node)
    if values:
        draft.extra[key] = values[0] if len(values) == 1 else list(values)


def _page_kind(draft: Draft, key: str, node: Node) -> None:
    if text := text_of(node):
        draft.extra[key] = text
        draft.hints.append(text)


def _quality(draft: Draft, key: str, node: Node) -> None:
    draft.quality = text_of(node) or draft.quality


def _category(draft: Draft, key: str, node: Node) -> None:
    draft.category = text_of(node) or None


def _belief_state(draft: Draft, key: str, node: Node) -> None:
    draft.belief_state = text_of(node) or None


def _superseded_by(draft: Draft, key: str, node: Node) -> None:
    draft.superseded_by = strings(node)


def _capture_mode(draft: Draft, key: str, node: Node) -> None:
    if (mode := text_of(node)) in _CAPTURE_MODES:
        draft.extra[key] = mode


def _intent(draft: Draft, key: str, node: Node) -> None:
    if isinstance(node, Mapping):
        intent = {part: text for part in _INTENTS if (text := text_of(node.get(part)))}
    else:
        intent = {"when": text} if (text := text_of(node)) else {}
    if intent:
        draft.hints += intent.values()
        draft.extra[key] = dict(intent)


def _scope(draft: Draft, key: str, node: Node) -> None:
    if isinstance(node, Mapping):
        for part in _SCOPES:
            if text := text_of(node.get(part)):
                draft.scope.setdefault(part, text)


def _scope_part(draft: Draft, key: str, node: Node) -> None:
    if text := text_of(node):
        draft.scope[key.removeprefix("scope_")] = text


def _lesson_strength(draft: Draft, key: str, node: Node) -> None:
    """A number, or how many things are listed."""
    value = len(node.items) if isinstance(node, Sequence) else jsonable(node)
    if isinstance(value, int | float) and not isinstance(value, bool):
        draft.extra[key] = value


def _sources(draft: Draft, key: str, node: Node) -> None:
    """Plain strings, or provenance records that name a ``resource``."""
    found: list[Plain] = list(strings(node))
    if isinstance(node, Sequence):
        found += [
            text
            for item in node.items
            if isinstance(item, Mapping) and (text := text_of(item.get("resource")))
        ]
    if found:
        draft.extra[key] = found


def _params(draft: Draft, key: str, node: Node) -> None:
    """Names with a description, or (in a workflow) with a JSON schema."""
    if isinstance(node, Mapping):
        for pair in node.pairs:
            value = pair.value
            described = value.get("description") if isinstance(value, Mapping) else value
            draft.ask_for(pair.key.text, text_of(described))


def _arguments(draft: Draft, key: str, node: Node) -> None:
    for name in strings(node):
        draft.ask_for(name)


_READERS: dict[str, Reader] = {
    "description": _description,
    "tags": _tags,
    "aliases": _aliases,
    "when_to_use": _when_to_use,
    "searchHints": _search_hints,
    "usage": _guidance,
    "examples": _guidance,
    "xrefs": _guidance,
    "contradictedBy": _list,
    "currentBeliefRefs": _list,
    "evidenceSources": _list,
    "derivedFrom": _derived_from,
    "pageKind": _page_kind,
    "quality": _quality,
    "category": _category,
    "beliefState": _belief_state,
    "supersededBy": _superseded_by,
    "captureMode": _capture_mode,
    "intent": _intent,
    "scope": _scope,
    "scope_user": _scope_part,
    "scope_agent": _scope_part,
    "scope_run": _scope_part,
    "scope_channel": _scope_part,
    "lessonStrength": _lesson_strength,
    "sources": _sources,
    "params": _params,
    "arguments": _arguments,
    "allowed-tools": _kept_as("allowedTools"),
    "argument-hint": _kept_as("argumentHint"),
    "ended_at": _kept_as("endedAt"),
    "log_path": _kept_as("logPath"),
    "observed_at": _kept_as("observedAt"),
    "stale_after": _kept_as("staleAfter"),
    "started_at": _kept_as("startedAt"),
} | {
    key: _kept_as(key)
    for key in (
        "access",
        "agent",
        "compatibility",
        "cwd",
        "effect",
        "expires",
        "generated",
        "harness",
        "inferred",
        "license",
        "model",
        "name",
        "pinned",
        "project",
        "provenance",
        "run",
        "setup",
        "sourceUrl",
        "status",
        "subjective",
        "timestamp",
        "tools",
        "updated",
        "verified",
        "wikiRole",
    )
}
