"""Frontmatter that no tool sees: below something else, or between fences that are none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from akm_ls.documents.frontmatter import read_yaml
from akm_ls.documents.text import Span

Before = Literal["blank lines", "a comment", "text", "a code fence", "a bad fence"]

MAX_BEFORE = 2_000
"""Characters in front of a block that is still taken for the file's frontmatter."""

_FENCE = re.compile(r"---[ \t]*(?=\r\n|\r|\n|\Z)")
_NEAR_FENCE = re.compile(r"(?:[ \t]+---|-{4,10}|[—–]{1,3}|--|\*{3}|_{3})[ \t]*(?=\r\n|\r|\n)")
_KEY = re.compile(r"([A-Za-z_][\w-]*):(?=[ \t\r\n]|\Z)")
_COMMENTS = re.compile(r"\s*(?:<!--(?:(?!-->)[\s\S])*-->\s*)+\Z")
_CODE_FENCE = re.compile(r"[ ]{0,3}(?:```|~~~)", re.MULTILINE)
_WRAPPED = re.compile(r"\s*(?:```|~~~)[ \t]*(?:markdown|md|yaml)?[ \t]*\Z")
_LINE_END = re.compile(r"\r\n|\r|\n")

KNOWN_KEYS = frozenset(
    (
        "name",
        "description",
        "license",
        "compatibility",
        "metadata",
        "allowed-tools",
        "argument-hint",
        "tools",
        "model",
        "applyTo",
        "globs",
        "alwaysApply",
        "when_to_use",
        "type",
        "tags",
        "updated",
        "version",
        "mode",
    )
)


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A block with both fences and the line end behind it.

    ``before`` is what stands in front, or ``a bad fence`` when the block is at the start and its
    first line merely resembles ``---``. ``opening`` and ``closing`` are the fences' visible parts.
    """

    span: Span
    opening: Span
    closing: Span
    keys: tuple[str, ...]
    before: Before


def find_misplaced(text: str) -> Misplaced | None:
    """The block that looks like the file's frontmatter though it is not where tools look.

    Only for a text that has no frontmatter. ``None`` unless its keys are those of skills, agents
    and the like.
    """
    near = _NEAR_FENCE.match(text)
    if near:
        return _block(text, near, "a bad fence")
    at = 0
    limit = min(len(text), MAX_BEFORE)
    while 0 <= at < limit:
        fence = _FENCE.match(text, at)
        if fence and at > 0:
            before = text[:at]
            what = _what(before)
            return None if what is None else _block(text, fence, what)
        end = _LINE_END.search(text, at)
        if end is None:
            return None
        at = end.end()
    return None


def _what(before: str) -> Before | None:
    if not before.strip("\ufeff \t\r\n"):
        return "blank lines"
    if _COMMENTS.match(before):
        return "a comment"
    if _WRAPPED.match(before):
        return "a code fence"
    if _CODE_FENCE.search(before):
        return None
    lines = before.splitlines()
    last = lines[-1].strip()
    # Directly below a line of text, `---` underlines a heading.
    return "text" if not last or last.startswith("#") or last.endswith("-->") else None


def _block(text: str, opening: re.Match[str], before: Before) -> Misplaced | None:
    line = _LINE_END.match(text, opening.end())
    if line is None or not _KEY.match(text, line.end()):
        return None
    start = at = line.end()
    near = before == "a bad fence"
    while at < len(text):
        closing = _FENCE.match(text, at) or (_NEAR_FENCE.match(text, at) if near else None)
        if closing:
            break
        end = _LINE_END.search(text, at)
        if end is None:
            return None
        at = end.end()
    else:
        return None
    root, problem = read_yaml(text, start, at)
    keys = tuple(pair.key.text for pair in root.pairs)
    known = KNOWN_KEYS.intersection(keys)
    enough = {"name", "description", "applyTo", "globs"} & known
    if not enough or (len(known) < 2 and before != "blank lines") or 2 * len(known) < len(keys):
        return None
    if problem is not None and before in ("text", "a bad fence"):
        return None
    after = _LINE_END.match(text, closing.end())
    return Misplaced(
        Span(opening.start(), after.end() if after else closing.end()),
        Span(*opening.span()),
        Span(*closing.span()),
        keys,
        before,
    )
