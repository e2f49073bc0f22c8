"""Which rules run, and how grave their findings are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal, cast, get_args

from akm_ls.bundles.schema import load_schema
from akm_ls.lint.finding import Severity

Level = Literal["error", "warning", "information", "hint", "off"]
_ALIASES = {"info": "information", "warn": "warning"}


@dataclass(frozen=True, slots=True)
class LintSettings:
    """Levels by rule code; a rule that is not named keeps its own severity.

    ``hosts`` are the tools the files are written for (names of the frontmatter schema); ``None``
    means every tool that reads a path. ``portable`` adds the strict Agent Skills specification.
    """

    levels: Mapping[str, Level] = field(default_factory=dict)
    hosts: frozenset[str] | None = None
    portable: bool = False

    def level(self, code: str, default: Severity) -> Level:
        return self.levels.get(code, default)

    def runs(self, code: str, default: bool = True) -> bool:
        """Whether a rule runs; ``default`` is whether it does when no setting names it."""
        level = self.levels.get(code)
        return default if level is None else level != "off"


def as_json(value: object, most: int = 80) -> str:
    """A value of a setting as its author wrote it, for messages."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def read_hosts(
    raw: object, default: frozenset[str] | None
) -> tuple[frozenset[str] | None, tuple[str, ...]]:
    """The tools in a client's or a file's ``hosts``, and what is wrong with it.

    An empty list means every tool. Names that are none are left out; when no name is left the
    default stays.
    """
    if raw is None:
        return default, ()
    if not isinstance(raw, list | tuple):
        return default, (f"akm.hosts: {as_json(raw)} is not a list of tools; the default stays",)
    known = [host for host in load_schema().hosts if host != "spec"]
    hosts = frozenset(host for host in raw if isinstance(host, str) and host in known)
    problems = tuple(
        f"akm.hosts: {as_json(host, 40)} is none of {', '.join(known)}"
        for host in raw
        if not isinstance(host, str) or host not in known
    )
    if not hosts:
        return (default if raw else None), problems
    return hosts, problems


def read_levels(
    raw: object, known_codes: frozenset[str], *, key: str = "akm.lint.rules"
) -> tuple[LintSettings, tuple[str, ...]]:
    """Settings from a client's or a file's ``{code: level}``, and what is wrong with it.

    A key that is wrong keeps its default; each problem is ``key: what is wrong``.
    """
    if raw is None:
        return LintSettings(), ()
    if not isinstance(raw, Mapping):
        return LintSettings(), (f"{key}: must hold rule codes with their levels",)
    levels: dict[str, Level] = {}
    problems: list[str] = []
    for code, value in raw.items():
        if code not in known_codes:
            near = get_close_matches(str(code), known_codes, n=1)
            hint = f", did you mean {near[0]}?" if near else ""
            problems.append(f"{key}.{code}: no such rule{hint}")
            continue
        level = _ALIASES.get(str(value), value)
        if value is False:
            level = "off"
        if level not in get_args(Level):
            problems.append(
                f"{key}.{code}: {as_json(value, 40)} is none of {', '.join(get_args(Level))}"
            )
            continue
        levels[str(code)] = cast(Level, level)
    return LintSettings(levels), tuple(problems)
