"""The changes that keep links by path leading where they led: to and from files that move."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from akm_ls.bundles.host_layouts import PLUGIN_DIRECTORIES
from akm_ls.documents.text import Span
from akm_ls.lint.rules.link_targets import Target, is_placeholder, read_target
from akm_ls.workspace.renaming.plan import Change

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle
    from akm_ls.workspace.renaming.moves import Moves
    from akm_ls.workspace.renaming.view import Source

LINKED_FROM_ROOT = frozenset({"okf", "llm-wiki"})
"""Formats in which a link may start at the bundle's root with ``/``."""

_MAX_UP = 40
_NO_PATH = ("~", "@", "$")
"""A link that starts with one of these is read as something else."""
_NON_ASCII_ESCAPE = re.compile(r"%[89A-Fa-f][0-9A-Fa-f]")
_RUN = re.compile(
    r"(?:uv run |poetry run )?(?:python3?|bash|sh|node|npx tsx|ruby|deno run)[ ]+"
    r"(?P<path>[^\s;|&<>]+)"
)


def link_changes(source: Source, moves: Moves) -> Iterator[Change]:
    """The links, inclusions and, in a skill, the resources in inline code that would break."""
    document, text = source.document, source.document.text
    folder = os.path.dirname(source.path)
    new_folder = os.path.dirname(moves.of(source.path))
    for link in document.links:
        if link.kind == "autolink":
            continue
        angle = text[link.target_span.start - 1 : link.target_span.start] == "<"
        if link.target.startswith("/") and source.bundle.adapter in LINKED_FROM_ROOT:
            change = _from_root(source, link.target, link.target_span, moves, angle)
        else:
            target = read_target(link.target)
            bases = _bases_of_link(source, target, folder, new_folder, moves)
            change = _change(target, link.target, link.target_span, bases, moves, angle)
        if change is not None:
            yield change
    for span in document.inclusions:
        root = source.bundle.real_root
        bases = ((folder, new_folder), (root, moves.of(root)))
        target = read_target(span.of(text), link=False)
        change = _change(target, span.of(text), span, bases, moves, None)
        if change is not None:
            yield change
    yield from _code_changes(source, moves, folder, new_folder)


Bases = Sequence[tuple[str, str]]
"""Directories a path may be meant from, each with its place afterwards."""


def _bases_of_link(
    source: Source, target: Target | None, folder: str, new_folder: str, moves: Moves
) -> Bases:
    if target is None or target.variable is None:
        return ((folder, new_folder),)
    base = _root_of(source, target)
    return () if base is None else ((base, moves.of(base)),)


def _root_of(source: Source, target: Target) -> str | None:
    """What a variable before a path stands for."""
    if target.variable == "skill":
        return skill_directory(source.path, source.bundle)
    for directory in _upwards(os.path.dirname(source.path)):
        if any(
            os.path.isfile(os.path.join(directory, marker, "plugin.json"))
            for marker in PLUGIN_DIRECTORIES
        ):
            return directory
    return None


def skill_directory(path: str, bundle: Bundle) -> str | None:
    """The directory of the skill that a file is part of."""
    for directory in _upwards(os.path.dirname(path)):
        if os.path.isfile(os.path.join(directory, "SKILL.md")):
            return directory
        if directory == bundle.real_root:
            return None
    return None


def _upwards(directory: str) -> Iterator[str]:
    for _ in range(_MAX_UP):
        yield directory
        parent = os.path.dirname(directory)
        if parent == directory:
            return
        directory = parent


def _code_changes(source: Source, moves: Moves, folder: str, new_folder: str) -> Iterator[Change]:
    """Inline code that names a file of the skill, as skills tell agents what to read."""
    document, text = source.document, source.document.text
    if not document.code_spans:
        return
    skill = skill_directory(source.path, source.bundle)
    if skill is None:
        return
    above = os.path.dirname(skill)
    new_skill = _moved(skill, moves)
    bases = (
        (folder, new_folder),
        (skill, new_skill),
        (above, os.path.dirname(new_skill)),
    )
    for code in document.code_spans:
        written = code.inner.of(text)
        stripped = written.strip()
        if "/" not in stripped or "\n" in stripped or len(stripped) > 512:
            continue
        start = code.inner.start + written.find(stripped)
        run = _RUN.match(stripped)
        if run is not None:
            start += run.start("path")
            stripped = run.group("path")
        elif " " in stripped:
            continue
        target = read_target(stripped, link=False)
        if target is None or not target.extension or is_placeholder(target):
            continue
        its_bases: Bases = bases
        if target.variable is not None:
            root = _root_of(source, target)
            its_bases = () if root is None else ((root, moves.of(root)),)
        span = Span(start, start + len(stripped))
        change = _change(target, stripped, span, its_bases, moves, None)
        if change is not None:
            yield Change(change.span, change.new_text, "path", change.means)


def _moved(skill: str, moves: Moves) -> str:
    """A skill's directory afterwards, also when its SKILL.md alone moves."""
    moved = moves.of(skill)
    if moved != skill:
        return moved
    return os.path.dirname(moves.of(os.path.join(skill, "SKILL.md")))


def _from_root(
    source: Source, written: str, span: Span, moves: Moves, angle: bool
) -> Change | None:
    root = source.bundle.real_root
    target = read_target(written[1:])
    if target is None or written.startswith("//"):
        return None
    shifted = Span(span.start + 1, span.end)
    change = _change(target, written[1:], shifted, ((root, root),), moves, angle)
    # Out of the bundle nothing can be named from its root.
    return None if change is None or str(change.means).startswith("..") else change


def _change(
    target: Target | None,
    written: str,
    span: Span,
    bases: Bases,
    moves: Moves,
    angle: bool | None,
) -> Change | None:
    """The change of one target; ``angle`` is ``None`` where Markdown's escapes do not count."""
    if target is None or not target.path:
        return None
    path = target.path.rstrip("/")
    lead = 0 if target.variable is None else written.index("/") + 1
    if target.variable is not None and written.startswith("<"):
        lead = written.index("/", written.index(">")) + 1
    source = written[lead : target.written].rstrip("/")
    segments = path.split("/")
    dots = 0
    while dots < len(segments) - 1 and segments[dots] == ".":
        dots += 1
    for base, new_base in bases:
        old = os.path.normpath(os.path.join(base, *segments))
        stays = base == new_base and not moves.touch(old)
        if not os.path.lexists(old):
            continue
        if stays:
            return None
        new = _rewritten(segments[dots:], base, new_base, old, moves)
        if new == segments[dots:]:
            return None
        prefix = "./" * dots if new[0] != ".." else ""
        if not prefix and (new[0].startswith(_NO_PATH) or ":" in new[0]):
            prefix = "./"
        spelled = prefix + _spelled(new, segments, source, angle)
        at = span.start + lead
        means = prefix + "/".join(new) + target.path[len(path) :]
        return Change(Span(at, at + len(source)), spelled, "link", means)
    return None


def _rewritten(segments: list[str], base: str, new_base: str, old: str, moves: Moves) -> list[str]:
    """The path from ``new_base`` to where ``old`` goes, in the manner of ``segments``.

    The shortest path stays the shortest one. Another stays as it is where it still leads there,
    or keeps its detour where every step of it has a counterpart.
    """
    target = moves.of(old)
    shortest = os.path.relpath(target, new_base).split(os.sep)
    if os.path.relpath(old, base).split(os.sep) == segments:
        return shortest
    if os.path.normpath(os.path.join(new_base, *segments)) == target:
        return segments
    return _step_by_step(segments, base, new_base, moves) or shortest


def _step_by_step(segments: list[str], base: str, new_base: str, moves: Moves) -> list[str] | None:
    here, there = base, new_base
    steps: list[str] = []
    for segment in segments:
        here = os.path.normpath(os.path.join(here, segment))
        next_there = moves.of(here)
        if segment in (".", ".."):
            if os.path.normpath(os.path.join(there, segment)) != next_there:
                return None
            steps.append(segment)
        else:
            if os.path.dirname(next_there) != there:
                return None
            steps.append(os.path.basename(next_there))
        there = next_there
    return steps


def _spelled(new: list[str], old: list[str], source: str, angle: bool | None) -> str:
    """The new path as source: segments that stay keep their spelling."""
    if angle is None:
        return "/".join(new)
    written = source.split("/")
    known: dict[str, str] = {}
    if len(written) == len(old):
        known = dict(zip(old, written, strict=True))
    if _BALANCED.match("/".join(new)) is None:
        known = {name: text for name, text in known.items() if "(" not in text and ")" not in text}
    return "/".join(known.get(segment) or _encoded(segment, source, angle) for segment in new)


_BALANCED = re.compile(r"[^()]*(?:\([^()]*\)[^()]*)*\Z")


def _encoded(segment: str, source: str, angle: bool) -> str:
    """One segment with the escapes it needs, and with those its author is used to."""
    safe = "/!$&'*+,;=:@~[]"
    if angle:
        safe += " ()"
    elif _BALANCED.match(segment) and not re.search("%2[89]", source):
        safe += "()"
    if _NON_ASCII_ESCAPE.search(source):
        return quote(segment, safe=safe)
    return "".join(char if ord(char) > 127 else quote(char, safe=safe) for char in segment)
