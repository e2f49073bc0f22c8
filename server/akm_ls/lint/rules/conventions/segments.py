"""How the segments of an asset's path are spelled, and what does not belong in them (S2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal

from akm_ls.documents.document import Kind
from akm_ls.index.neighbours import SCOPE_BORN
from akm_ls.lint.finding import Finding
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules.conventions.stash import (
    Placement,
    is_placed,
    placement_of,
    top_of,
)
from akm_ls.lint.traits import Traits

_DATE = re.compile(r"(?<!\d)\d{4}-\d{2}(?:-\d{2})?(?!\d)", re.ASCII)
_VERSION = re.compile(r"(?:^|[-_ ])(v\d+(?:\.\d+)*)(?:$|[-_ ])", re.ASCII)
_PRIORITY = re.compile(r"(?:^|[-_ ])(p[0-3])$", re.ASCII)
_STATUS = frozenset(
    {"wip", "draft", "done", "todo", "old", "new", "final", "archive", "deprecated", "stable"}
)
_URGENCY = frozenset({"high", "low", "urgent"})
_TRAILING_STATUS = frozenset({"wip", "draft", "old", "final", "deprecated"})
"""Words that name a status at the end of a segment too; ``whats-new`` is a subject."""

_SLUG = re.compile(r"[^\W_A-Z]+(?:-[^\W_A-Z]+)*\Z")
_WORD = re.compile(r"[^\W\d_]{2,}")
_UUID = re.compile(r"[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}\Z", re.IGNORECASE | re.ASCII)
_SHORTEST_UUID = 32
_DIGIT = re.compile(r"[0-9]")
_HEX = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\Z", re.ASCII)
_DECIMAL = re.compile(r"\d{2}(?:\.\d{2})?\Z", re.ASCII)
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_EXTENSIONS = frozenset(("md", "mdc", "markdown", "yml", "yaml", "env"))
"""Extensions that are part of an asset's name when they are not written in lower case."""

Fault = Literal["volatile", "opaque", "case"]


def volatile_part(segment: str) -> str | None:
    """What in a segment changes with time: a date, version, status, priority or author."""
    lowered = segment.lower()
    if lowered in _STATUS or lowered in _URGENCY or segment.startswith("@"):
        return segment
    if _DIGIT.search(segment):
        if match := _DATE.search(segment):
            return match.group()
        if match := _VERSION.search(lowered) or _PRIORITY.search(lowered):
            return match.group(1)
    last = lowered.replace("_", "-").replace(" ", "-").rpartition("-")[2]
    return last if last in _TRAILING_STATUS else None


def is_opaque(segment: str) -> bool:
    """Whether a segment is a number or an identifier, with no word to be found by."""
    lowered = segment.lower()
    if _DIGIT.search(segment) and (_HEX.match(lowered) or _DECIMAL.match(segment)):
        return True
    if len(segment) >= _SHORTEST_UUID and _UUID.match(lowered):
        return True
    if _WORD.search(segment):
        return False
    digits = sum(char.isdigit() for char in segment)
    return 2 * digits > sum(char.isalnum() for char in segment)


def is_slug(segment: str) -> bool:
    """Lower-case words joined by single hyphens, in any script."""
    return _SLUG.match(segment) is not None and segment == segment.lower()


def _instead_of(segment: str) -> str:
    """What a segment would be as the conventions spell it, an extension of the file's kept."""
    stem, dot, extension = segment.rpartition(".")
    if stem and extension.lower() in _EXTENSIONS and extension != extension.lower():
        return f"{slug}{dot}{extension.lower()}" if (slug := slug_of(stem)) else ""
    return slug_of(segment)


def slug_of(segment: str) -> str:
    """The spelling the conventions ask for; ``""`` when nothing is left of it."""
    return _NOT_SLUG.sub("-", segment.lower()).strip("-")


def _segments(placement: Placement) -> Iterator[tuple[str, bool]]:
    """The segments that are judged, each with whether it may be spelled as its project is."""
    for index, segment in enumerate(placement.directories):
        yield segment, index == 0 and placement.type in SCOPE_BORN
    # Scripts keep the names of their language, secrets those of their tools.
    if placement.type not in ("script", "secret"):
        yield placement.leaf.removesuffix(".derived"), False


@lru_cache(maxsize=8192)
def _fault_of(segment: str) -> Fault | None:
    """A segment has one fault: a date is not misspelled as well."""
    if volatile_part(segment) is not None:
        return "volatile"
    if is_opaque(segment):
        return "opaque"
    return None if is_slug(segment) else "case"


def _is_judged(traits: Traits) -> bool:
    return is_placed(traits) and traits.is_own


def _faulty(subject: Subject, fault: Fault) -> Sequence[str]:
    faults = subject.once(_faults)
    return [segment for segment, its in faults if its == fault] if faults else ()


def _faults(subject: Subject) -> list[tuple[str, Fault]]:
    """The segments with a fault, in order."""
    placement = placement_of(subject)
    if placement is None:
        return []
    found: list[tuple[str, Fault]] = []
    for segment, is_project in _segments(placement):
        fault = _fault_of(segment)
        if fault is None or (is_project and fault == "case"):
            continue
        if fault == "case" and placement.type == "skill" and segment == placement.leaf:
            continue  # the Agent Skills rule about names says it, and says it louder
        found.append((segment, fault))
    return found


def check_segment_case(subject: Subject) -> Iterable[Finding]:
    return _misspelled(subject, faulty) if (faulty := _faulty(subject, "case")) else ()


def _misspelled(subject: Subject, faulty: Sequence[str]) -> Iterator[Finding]:
    for segment in faulty:
        slug = _instead_of(segment)
        instead = f'; "{slug}" would be' if slug else ""
        yield Finding(
            code="placement-segment-case",
            severity="hint",
            message=f'"{segment}" is not lower-case words with single hyphens{instead}.',
            span=top_of(subject),
            data={"segment": segment, "suggestion": slug},
        )


def check_volatile(subject: Subject) -> Iterable[Finding]:
    return _volatile(subject, faulty) if (faulty := _faulty(subject, "volatile")) else ()


def _volatile(subject: Subject, faulty: Sequence[str]) -> Iterator[Finding]:
    for segment in faulty:
        part = volatile_part(segment)
        of = "" if part == segment else f' of "{segment}"'
        yield Finding(
            code="placement-volatile",
            severity="hint",
            message=(
                f'"{part}"{of} will change and the ref with it; say it in the frontmatter '
                "(`updated`, `status`, `tags`) and not in the path."
            ),
            span=top_of(subject),
            data={"segment": segment, "part": part},
        )


def check_opaque(subject: Subject) -> Iterable[Finding]:
    return _opaque(subject, faulty) if (faulty := _faulty(subject, "opaque")) else ()


def _opaque(subject: Subject, faulty: Sequence[str]) -> Iterator[Finding]:
    for segment in faulty:
        yield Finding(
            code="placement-opaque",
            severity="hint",
            message=(
                f'"{segment}" says nothing: the path is what search weighs most. Name the file '
                "after its subject."
            ),
            span=top_of(subject),
            data={"segment": segment},
        )


_KINDS: frozenset[Kind] = frozenset({"markdown", "yaml", "script", "env"})

RULES = (
    Rule(
        code="placement-segment-case",
        severity="hint",
        summary="A directory or file name is not lower-case words with single hyphens.",
        why="Refs are case-sensitive: one spelling for all of them saves guessing.",
        remedy="Rename the file and correct the refs to it in the same pass.",
        example="---\ndescription: How the queue is drained before a deployment\n---\n",
        example_path="knowledge/databases/Drain_Queue.md",
        check=check_segment_case,
        about=_is_judged,
        group="conventions",
        places=("directory", "file name"),
        kinds=_KINDS,
    ),
    Rule(
        code="placement-volatile",
        severity="hint",
        summary="A path holds a date, version, status, priority or author.",
        why=(
            "A path is an address chosen once. When the status changes, the file is renamed, and "
            "every ref to it breaks."
        ),
        remedy="Rename the file after its subject; the rest belongs in the frontmatter.",
        example="---\ndescription: How the queue is drained before a deployment\n---\n",
        example_path="knowledge/databases/queue-draft.md",
        check=check_volatile,
        about=_is_judged,
        group="conventions",
        places=("directory", "file name"),
        kinds=_KINDS,
    ),
    Rule(
        code="placement-opaque",
        severity="hint",
        summary="A path segment is a number or an identifier.",
        why="The words of the path weigh most in search; a number has none.",
        remedy="Name the file after its subject.",
        example="---\ndescription: How the queue is drained before a deployment\n---\n",
        example_path="knowledge/databases/12.03.md",
        check=check_opaque,
        about=_is_judged,
        group="conventions",
        places=("directory", "file name"),
        kinds=_KINDS,
    ),
)
