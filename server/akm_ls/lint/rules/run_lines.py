"""Commands in a skill's code blocks that run one of its scripts: ``python scripts/x.py``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from akm_ls.documents.document import Document
from akm_ls.documents.markdown import Fence
from akm_ls.documents.text import Span
from akm_ls.lint.rule import Subject
from akm_ls.lint.rules import link_cues as cues
from akm_ls.lint.rules.link_bases import Bases
from akm_ls.lint.rules.link_targets import (
    RESOURCE_FOLDERS,
    RUN_TIME_FOLDERS,
    Target,
    is_domain,
    is_placeholder,
    read_target,
)

_RUN_LINE = re.compile(
    r"^[ \t>]*(?:\$[ ]+)?(?:uv run |poetry run )?"
    r"(?:python3?|bash|sh|node|npx tsx|ruby|deno run)[ ]+"
    r"(?P<path>[\w-][\w.-]*/[^\s;|&<>\"']{1,200})",
    re.MULTILINE,
)
_ELSEWHERE = re.compile(r"^[ \t>]*(?:\$[ ]+)?(?:cd|pushd|git clone)[ ]", re.MULTILINE)
_ENDINGS = (".py", ".sh", ".js", ".ts", ".mjs", ".cjs", ".tsx", ".rb")
_FOLDERS = RESOURCE_FOLDERS - RUN_TIME_FOLDERS
_SHELLS = frozenset(("", "bash", "sh", "shell", "zsh", "console", "shell-session", "terminal"))


def run_lines(document: Document) -> list[tuple[Target, Span]]:
    """The relative paths that commands in code blocks run, and where each stands."""
    return [
        found
        for fence in document.fences
        if fence.language in _SHELLS
        for found in _run_in(document, fence)
    ]


def missing_scripts(
    subject: Subject, bases: Bases, skill: str, runs: list[tuple[Target, Span]], told: set[str]
) -> Iterator[tuple[Target, Span]]:
    """Those of ``runs`` that the skill has not; each is told once.

    ``told`` are the paths of which something is said already.
    """
    document = subject.document
    for target, span in runs:
        if target.path in told or document.is_doubtful(span.start):
            continue
        told.add(target.path)
        if not bases.folder_in_skill(target.head) and target.head not in _FOLDERS:
            continue
        near = (bases.folder, skill, os.path.dirname(skill))
        if any(bases.kind(base, target.path) is not None for base in near):
            continue
        if bases.join(skill, target.path) is None or cues.is_made_here(document, target.path):
            continue
        if bases.elsewhere(target.path) is None and not cues.makes_skills(subject, skill):
            yield target, span


def _run_in(document: Document, fence: Fence) -> Iterator[tuple[Target, Span]]:
    text, (start, end) = document.text, fence.inner
    away: int | None = None
    for found in _RUN_LINE.finditer(text, start, end):
        if away is None:
            other = _ELSEWHERE.search(text, start, end)
            away = end if other is None else other.start()
        if found.start() > away:
            return  # in a directory that may be anybody's
        target = read_target(found["path"], link=False)
        if target is None or not target.path.endswith(_ENDINGS):
            continue
        if is_placeholder(target) or is_domain(target):
            continue
        at = found.start("path")
        yield target, Span(at, at + target.written)
