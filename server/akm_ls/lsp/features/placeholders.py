"""The placeholders of commands and skills: ``$ARGUMENTS``, ``$1``, ``$name``, ``{{name}}``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.documents.nodes import Mapping, Scalar
from akm_ls.documents.text import Span

if TYPE_CHECKING:
    from akm_ls.bundles.schema import Place
    from akm_ls.documents.document import Document

_PLACEHOLDER = re.compile(
    r"\$ARGUMENTS(?:\[(?P<index>\d{1,3})\])?(?!\w)|\$(?P<number>\d{1,2})(?![\w.,]\d|\w)"
    r"|\$\{(?P<variable>CLAUDE_[A-Z_]+)\}|\$(?P<name>[a-z][\w-]*)"
    r"|\{\{[ \t]*(?P<template>[\w.-]+)[ \t]*\}\}"
)
_VARIABLES = {
    "CLAUDE_SKILL_DIR": "The directory of this skill.",
    "CLAUDE_PROJECT_DIR": "The root of the project.",
    "CLAUDE_SESSION_ID": "The id of the session.",
    "CLAUDE_EFFORT": "How hard the model thinks.",
    "CLAUDE_PLUGIN_ROOT": "The directory of the plugin.",
    "CLAUDE_PLUGIN_DATA": "The directory in which the plugin keeps its data.",
}


@dataclass(frozen=True, slots=True)
class Placeholder:
    text: str
    span: Span
    card: str
    """What it stands for, in Markdown."""


def placeholder_at(document: Document, place: Place | None, offset: int) -> Placeholder | None:
    """The placeholder that a cursor touches; in files that take arguments only."""
    line = document.lines.line_span(document.lines.line_of(offset))
    for found in placeholders(document, place, line):
        if found.span.start <= offset <= found.span.end:
            return found
    return None


def placeholders(document: Document, place: Place | None, part: Span) -> Iterator[Placeholder]:
    """The placeholders in a part of the body of a Markdown file that takes arguments."""
    text = document.text
    if document.kind != "markdown" or place is None or not _takes_arguments(place):
        return
    for match in _PLACEHOLDER.finditer(text, max(part.start, document.body_start), part.end):
        if text[match.start() - 1 : match.start()] == "\\":
            continue
        lines = list(_lines(document, place, match))
        if lines:
            card = "\n\n".join((f"**`{match.group()}`**", *lines))
            yield Placeholder(match.group(), Span(*match.span()), card)


def _takes_arguments(place: Place) -> bool:
    return place.kind.id in ("command", "skill", "prompt")


def _lines(document: Document, place: Place, match: re.Match[str]) -> Iterator[str]:
    names = _names(document)
    claude, opencode = "claude" in place.hosts, "opencode" in place.hosts
    if match["variable"]:
        known = _VARIABLES.get(match["variable"])
        if known:
            yield f"{known} Claude Code puts it in."
    elif match["template"]:
        yield f"A parameter that akm asks for.{_described(document, match['template'])}"
    elif match["name"]:
        if match["name"] in names:
            yield f"Argument {names.index(match['name']) + 1} of {len(names)}, by its name."
    elif match["number"]:
        number = int(match["number"])
        if claude:
            named = f", `{names[number]}`" if number < len(names) else ""
            yield f"Claude Code counts from 0: argument number {number + 1}{named}."
        if opencode:
            yield f"OpenCode counts from 1: argument number {number}."
        if "akm" in place.hosts and 1 <= number <= 9:
            yield f"akm lists it as a parameter of the asset.{_described(document, str(number))}"
    elif match["index"]:
        yield f"Argument number {int(match['index']) + 1} alone (Claude Code)."
    else:
        yield "Everything that is written behind the command, as one text."
    if not match["variable"] and not match["template"]:
        hint = document.frontmatter.text("argument-hint") if document.frontmatter else None
        if hint:
            yield f"The menu shows `{hint}`."


def _names(document: Document) -> list[str]:
    """What the frontmatter calls the arguments, in their order."""
    frontmatter = document.frontmatter
    if frontmatter is None:
        return []
    return [name for value in frontmatter.strings("arguments") for name in value.split()]


def _described(document: Document, name: str) -> str:
    frontmatter = document.frontmatter
    params = None if frontmatter is None else frontmatter.get("params")
    node = params.get(name) if isinstance(params, Mapping) else None
    if isinstance(node, Mapping):
        node = node.get("description")
    return f" {node.text}" if isinstance(node, Scalar) and node.text else ""
