"""Directories that should hold a skill and do not.

A directory has no squiggle. The finding stands at the top of its first Markdown file by path, so
that the editor and `check` show it once and in the same place; a directory without Markdown has
none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from akm_ls.bundles.listings import PathKind
from akm_ls.lint.finding import Finding, Severity
from akm_ls.lint.rule import Rule, Subject, Surroundings
from akm_ls.lint.rules.assets import first_line
from akm_ls.lint.traits import Traits

_NOT_WALKED = frozenset({"node_modules", "bin"})

MAX_DEPTH = 4
MAX_DIRECTORIES = 200
"""Directories below one that are looked at; one with more is left alone."""


def check_missing_skill_md(subject: Subject) -> Iterator[Finding]:
    place = _skill_directory(subject)
    if place is None:
        return
    rel, severity = place
    directory = os.path.join(subject.bundle.real_root, *rel.split("/"))
    names = subject.around.names(directory)
    if names.get("SKILL.md") == "file":
        return
    content = _Content(subject.around, directory)
    if content.too_large or content.has_skill:
        return
    if content.first != subject.rel[len(rel) + 1 :]:
        return
    other = next((name for name in names if name.lower() == "skill.md"), None)
    what = f"it has {other}, and case counts" if other else "no agent finds a skill there"
    remedy = f"Rename {other} to SKILL.md." if other else f"Add {rel}/SKILL.md, or move the files."
    yield Finding(
        code="missing-skill-md",
        severity="warning" if other else severity,
        message=f"{rel}/ has no SKILL.md: {what}. {remedy}",
        span=first_line(subject.document),
        data={"directory": rel},
    )


def _may_lie_in_skill(traits: Traits) -> bool:
    if traits.format == "agent-skills":
        return traits.head != ""
    return traits.format in ("akm", "claude", "opencode", "host") and traits.head in (
        "skills",
        "skill",
    )


def _skill_directory(subject: Subject) -> tuple[str, Severity] | None:
    """The directory that has to hold a skill, for a file in it."""
    segments = subject.rel.split("/")
    if subject.traits.format == "agent-skills":
        # People keep other things beside their skills.
        depth, severity = 1, "hint"
    else:
        depth, severity = 2, "hint" if subject.traits.format == "host" else "warning"
    if len(segments) <= depth or segments[depth - 1].startswith((".", "_")):
        return None
    return "/".join(segments[:depth]), "hint" if severity == "hint" else "warning"


@dataclass
class _Content:
    """What lies below a directory, as far as it matters here."""

    has_skill: bool
    too_large: bool
    first: str | None
    """The first Markdown file by path, relative to the directory."""

    def __init__(self, around: Surroundings, directory: str) -> None:
        self.has_skill = self.too_large = False
        self.first = None
        waiting = [("", 1)]
        seen = 0
        while waiting:
            prefix, depth = waiting.pop()
            seen += 1
            if seen > MAX_DIRECTORIES:
                self.too_large = True
                return
            names: Mapping[str, PathKind] = around.names(os.path.join(directory, prefix))
            for name, kind in names.items():
                rel = f"{prefix}{name}"
                if kind == "directory":
                    if depth < MAX_DEPTH and not name.startswith(".") and name not in _NOT_WALKED:
                        waiting.append((f"{rel}/", depth + 1))
                elif name == "SKILL.md":
                    self.has_skill = True
                    return
                elif name.lower().endswith(".md") and (self.first is None or rel < self.first):
                    self.first = rel


RULES: tuple[Rule, ...] = (
    Rule(
        code="missing-skill-md",
        severity="warning",
        summary="A directory of skills has one without SKILL.md.",
        why="A skill is a directory with a SKILL.md; without it no host offers what lies there.",
        remedy=(
            "Add the SKILL.md, or move the files out of `skills/`. A directory that only groups "
            "skills is fine. The finding stands in the directory's first Markdown file."
        ),
        example="# Notes\n",
        check=check_missing_skill_md,
        about=_may_lie_in_skill,
        group="assets",
        places=("directory",),
        example_path="skills/review/notes.md",
    ),
)
