"""What a script says of itself in the comments of its first 50 lines."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ScriptParameter:
    name: str
    type: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class ScriptComments:
    description: str | None = None
    tagged: bool = False
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    search_hints: tuple[str, ...] = ()
    usage: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    run: str | None = None
    setup: str | None = None
    cwd: str | None = None
    scope: dict[str, str] = field(default_factory=dict)
    intent: dict[str, str] = field(default_factory=dict)
    params: tuple[ScriptParameter, ...] = ()


def read_script_comments(text: str) -> ScriptComments:
    return ScriptComments()
