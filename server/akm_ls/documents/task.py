"""A task file read as one: its version, what it runs and when (akm.md §8.5)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from akm_ls.counts import count
from akm_ls.documents.document import Document
from akm_ls.documents.nodes import Mapping, Pair, Scalar

TARGETS = ("workflow", "prompt", "command")
"""What a task of version 2 runs: exactly one of these keys."""
STEPS_TARGETS = ("uses", "run")
"""The same for version 4."""

KEYS_V2 = frozenset(
    {"version", "name", "description", "when_to_use", "tags", "schedule", "enabled", *TARGETS}
)
KEYS_BY_TARGET = {
    "workflow": frozenset({"params"}),
    "prompt": frozenset({"engine", "model", "timeoutMs", "llm"}),
    "command": frozenset({"timeoutMs"}),
}
"""Keys of version 2 that belong to one kind of target."""
KEYS_V4 = frozenset(
    {
        "version",
        *STEPS_TARGETS,
        "with",
        "inputs",
        "output",
        "schedule",
        "env",
        "shell",
        "working-directory",
        "agent",
        "engine",
        "model",
        "inference",
        "tools",
        "timeout",
        "redact",
        "maxSteps",
        "maxRetries",
        "name",
        "description",
        "when_to_use",
        "tags",
    }
)
SHELLS = ("bash", "sh", "zsh", "pwsh", "powershell", "cmd")

_ONLY_V4 = KEYS_V4 - KEYS_V2 - {"engine", "model"}
_ALIASES = frozenset(
    [
        "@hourly",
        "@daily",
        "@midnight",
        "@weekly",
        "@monthly",
        "@yearly",
        "@annually",
        "@reboot",
    ]
)
_PART = re.compile(r"(\*|\?|L|\w+(?:-\w+)?(?:#[1-5])?|\d+[LW])(?:/(\d+))?\Z")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
_FIELDS: tuple[tuple[str, int, int, dict[str, int]], ...] = (
    ("minute", 0, 59, {}),
    ("hour", 0, 23, {}),
    ("day of the month", 1, 31, {}),
    ("month", 1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
    ("day of the week", 0, 7, {name: number for number, name in enumerate(_DAYS)}),
)


@dataclass(frozen=True, slots=True)
class Task:
    """The top level of a task file.

    ``version`` is the number it declares, ``None`` when it declares none or no whole number;
    ``targets`` are the keys that say what to run, of whatever version, in text order.
    """

    root: Mapping
    version: int | None
    targets: tuple[Pair, ...]

    @property
    def is_modern(self) -> bool:
        """Whether it uses what only version 4 has, whatever version it declares."""
        return any(pair.key.text in _ONLY_V4 for pair in self.root.pairs)


def read_task(document: Document) -> Task | None:
    """The task a YAML file holds; ``None`` for anything but a mapping, broken YAML included."""
    frontmatter = document.frontmatter
    if document.kind != "yaml" or frontmatter is None or frontmatter.problem is not None:
        return None
    root = frontmatter.root
    declared = root.get("version")
    plain = declared.plain if isinstance(declared, Scalar) else None
    version = plain if isinstance(plain, int) and not isinstance(plain, bool) else None
    names = (*TARGETS, *STEPS_TARGETS)
    targets = tuple(pair for pair in root.pairs if pair.key.text in names)
    return Task(root, version, targets)


def schedule_problem(schedule: str) -> str | None:
    """What is wrong with a cron expression of five fields or an ``@alias``, in words."""
    text = schedule.strip()
    if text.startswith("@"):
        if text.lower() in _ALIASES:
            return None
        return f'"{text}" is none of {", ".join(sorted(_ALIASES))}'
    fields = text.split()
    if len(fields) != len(_FIELDS):
        found = count(len(fields), "field")
        return f'"{text}" has {found}; a schedule has five, such as "15 3 * * *", or is an @alias'
    for source, (name, low, high, words) in zip(fields, _FIELDS, strict=True):
        if not all(_fits(part, low, high, words) for part in source.split(",")):
            return f'"{source}" is no {name} ({low}-{high})'
    return None


def _fits(part: str, low: int, high: int, words: dict[str, int]) -> bool:
    match = _PART.match(part)
    if match is None or (match.group(2) is not None and int(match.group(2)[:6]) == 0):
        return False
    value = match.group(1).partition("#")[0]
    if value in ("*", "?", "L"):
        return True
    ends = [_number(end, words) for end in value.rstrip("LW").split("-")]
    return all(end is not None and low <= end <= high for end in ends)


def _number(text: str, words: dict[str, int]) -> int | None:
    if text.isascii() and text.isdigit():
        return int(text[:6])
    return words.get(text.lower())
