"""What a new asset starts as: one template for each type, for snippets and for code actions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from akm_ls.lint.frontmatter_edits import quoted


@dataclass(frozen=True, slots=True)
class Field:
    """A place that the author fills in. ``hint`` stands there until then."""

    name: str
    hint: str
    choices: tuple[str, ...] = ()


Part: TypeAlias = "str | Field"


@dataclass(frozen=True, slots=True)
class Template:
    """A whole file. ``kind`` is the asset type, or what a tool calls it; lines end in ``\\n``."""

    kind: str
    summary: str
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The file with its hints as they are."""
        return "".join(part if isinstance(part, str) else part.hint for part in self.parts)


@dataclass(frozen=True, slots=True)
class NewAsset:
    """What is known of an asset before it is written.

    ``name`` is its last segment, ``today`` a date as ``YYYY-MM-DD``. ``akm`` is whether akm reads
    it, and not only a tool from a directory of its own. ``body`` stands in place of the
    template's own, ``xrefs`` are refs as the new file spells them.
    """

    name: str
    today: str
    akm: bool = True
    title: str = ""
    description: str = ""
    xrefs: tuple[str, ...] = ()
    body: str = ""
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def heading(self) -> str:
        return self.title or title_of(self.name)


def title_of(name: str) -> str:
    """A name as a title: ``rotate-tokens`` is ``Rotate tokens``."""
    words = name.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]


_Line: TypeAlias = "tuple[str, Part | Sequence[Part]]"

_DESCRIPTION = Field("description", "What it is about, in one sentence")


def template_for(kind: str, new: NewAsset) -> Template | None:
    """The template of an asset type, or of a tool's kind of file (``agent-claude``, ``rule``).

    ``None`` for types that are not written by hand: sessions, secrets.
    """
    make = _TEMPLATES.get(kind)
    return None if make is None else make(new)


def kinds_with_template() -> tuple[str, ...]:
    return tuple(_TEMPLATES)


def _file(
    new: NewAsset, kind: str, summary: str, lines: Sequence[_Line], body: Sequence[Part]
) -> Template:
    parts: list[Part] = ["---\n"]
    for key, value in lines:
        parts.append(f"{key}: ")
        parts += [value] if isinstance(value, str | Field) else value
        parts.append("\n")
    parts += [*_xrefs(new), "---\n"]
    parts += [new.body] if new.body else body
    return Template(kind, summary, tuple(parts))


def _xrefs(new: NewAsset) -> Iterator[str]:
    if new.xrefs:
        yield "xrefs:\n"
        for ref in new.xrefs:
            yield f"  - {quoted(ref)}\n"


def _described(new: NewAsset, hint: Field = _DESCRIPTION) -> _Line:
    return ("description", quoted(new.description) if new.description else hint)


def _dated(new: NewAsset) -> tuple[_Line, ...]:
    return (("updated", new.today),) if new.akm else ()


def _title(new: NewAsset) -> str:
    return f"# {new.heading}\n\n"


def _skill(new: NewAsset) -> Template:
    hint = Field("description", "What it does. Use when somebody asks for it")
    lines: list[_Line] = [("name", new.name), _described(new, hint), *_dated(new)]
    body: list[Part] = [
        _title(new),
        Field("orientation", "One sentence on what comes out of it."),
        "\n\n## Steps\n\n1. ",
        Field("step", "The first step"),
        "\n",
    ]
    return _file(new, "skill", "A skill: name, description, steps", lines, body)


def _command(new: NewAsset) -> Template:
    lines: list[_Line] = []
    if new.akm:
        lines += [("name", new.name), ("type", "command")]
    lines.append(_described(new, Field("description", "What the command does")))
    if not new.akm:
        lines.append(("argument-hint", ['"[', Field("argument", "what"), ']"']))
    lines += _dated(new)
    body: list[Part] = [Field("prompt", "Do this with"), " $ARGUMENTS\n"]
    return _file(new, "command", "A command: description, prompt with $ARGUMENTS", lines, body)


def _agent(new: NewAsset) -> Template:
    lines: list[_Line] = [
        ("name", new.name),
        ("type", "agent"),
        _described(new, Field("description", "What it does and when it is called")),
        ("tools", ["[", Field("tools", "Read, Grep"), "]"]),
        *_dated(new),
    ]
    return _file(new, "agent", "An agent: name, description, tools, prompt", lines, _role(new))


def _agent_claude(new: NewAsset) -> Template:
    lines: list[_Line] = [
        ("name", new.name),
        _described(new, Field("description", "Use when the work is of this kind")),
        ("tools", Field("tools", "Read, Grep, Glob")),
    ]
    summary = "A Claude Code agent: name, description, tools, prompt"
    return _file(new, "agent-claude", summary, lines, _role(new))


def _agent_opencode(new: NewAsset) -> Template:
    lines: list[_Line] = [
        _described(new, Field("description", "What it does and when it is called")),
        ("mode", Field("mode", "subagent", ("subagent", "primary", "all"))),
    ]
    summary = "An OpenCode agent: description, mode, prompt"
    return _file(new, "agent-opencode", summary, lines, _role(new))


def _role(new: NewAsset) -> list[Part]:
    return ["You are ", Field("role", "a reviewer who looks for what is missing"), ".\n"]


def _page(kind: str, summary: str) -> Callable[[NewAsset], Template]:
    def make(new: NewAsset) -> Template:
        lines: list[_Line] = [_described(new), *_tags(new), *_dated(new)]
        body: list[Part] = [
            _title(new),
            Field("orientation", "The one sentence to remember."),
            "\n",
        ]
        return _file(new, kind, summary, lines, body)

    return make


def _tags(new: NewAsset) -> tuple[_Line, ...]:
    tags = new.values.get("tags")
    return (("tags", f"[{tags}]" if tags else ["[", Field("tags", "topic"), "]"]),)


def _memory(new: NewAsset) -> Template:
    lines: list[_Line] = [
        _described(new, Field("description", "What was seen or decided, in one sentence")),
        *_tags(new),
        ("observed_at", new.today),
        *_dated(new),
    ]
    body: list[Part] = [_title(new), Field("observation", "What happened, and why."), "\n"]
    return _file(new, "memory", "A memory: what was seen, and when", lines, body)


def _lesson(new: NewAsset) -> Template:
    lines: list[_Line] = [
        _described(new, Field("description", "What to do differently, in one sentence")),
        ("when_to_use", Field("when_to_use", "The situation in which it helps")),
        *_dated(new),
    ]
    body: list[Part] = [
        _title(new),
        Field("lesson", "What went wrong, and what works instead."),
        "\n",
    ]
    return _file(new, "lesson", "A lesson: description, when to use it", lines, body)


CATEGORIES = ("personal", "team", "project", "convention", "meta")


def _fact(new: NewAsset) -> Template:
    lines: list[_Line] = [
        _described(new, Field("description", "The fact in one sentence")),
        ("when_to_use", Field("when_to_use", "The work for which one must know it")),
        ("category", new.values.get("category") or Field("category", "team", CATEGORIES)),
        *_dated(new),
    ]
    body: list[Part] = [_title(new), Field("fact", "The fact, with its number or name."), "\n"]
    return _file(new, "fact", "A fact: description, category", lines, body)


def _workflow(new: NewAsset) -> Template:
    parts: list[Part] = [
        "---\ntype: workflow\ndescription: ",
        quoted(new.description)
        if new.description
        else Field("description", "What it brings about, step by step"),
        *(f"\n{key}: {value}" for key, value in _dated(new) if isinstance(value, str)),
        "\n",
        *_xrefs(new),
        "params:\n  ",
        Field("param", "target"),
        ":\n    type: string\nsteps:\n  - id: ",
        Field("step", "prepare"),
        "\n    output:\n      type: object\n---\n",
        _title(new),
        "## ",
        Field("step", "prepare"),
        "\n\n",
        Field("instructions", "What this step does, and when it is done."),
        "\n",
    ]
    return Template("workflow", "A workflow: parameters, one step and its section", tuple(parts))


def _task(new: NewAsset) -> Template:
    parts: list[Part] = [
        f"version: 2\nname: {quoted(new.name)}\ndescription: ",
        quoted(new.description) if new.description else Field("description", "What runs, and why"),
        '\nschedule: "',
        Field("schedule", "15 3 * * *"),
        '"\nenabled: ',
        Field("enabled", "true", ("true", "false")),
        "\nworkflow: ",
        Field("workflow", "workflows/name"),
        "\n",
    ]
    return Template("task", "A task: schedule and what it runs", tuple(parts))


def _script(new: NewAsset) -> Template:
    parts: list[Part] = []
    if new.name.endswith((".sh", ".py", ".rb", ".pl")):
        program = {"sh": "sh", "py": "python3", "rb": "ruby", "pl": "perl"}
        parts.append(f"#!/usr/bin/env {program[new.name.rpartition('.')[2]]}\n")
    mark = (
        "//" if new.name.endswith((".js", ".ts", ".go", ".php", ".swift", ".kt", ".kts")) else "#"
    )
    parts += [
        f"{mark} @description ",
        new.description or Field("description", "What the script does"),
        "\n",
    ]
    return Template("script", "A script: its description", tuple(parts))


def _rule(new: NewAsset) -> Template:
    lines: list[_Line] = [
        _described(new, Field("description", "When the rule applies")),
        ("globs", Field("globs", "src/**/*.ts")),
        ("alwaysApply", Field("alwaysApply", "false", ("false", "true"))),
    ]
    return _file(
        new, "rule", "A Cursor rule: description, globs", lines, [Field("rule", "Do it"), "\n"]
    )


_TEMPLATES: dict[str, Callable[[NewAsset], Template]] = {
    "skill": _skill,
    "command": _command,
    "agent": _agent,
    "agent-claude": _agent_claude,
    "agent-opencode": _agent_opencode,
    "knowledge": _page("knowledge", "A page: description, tags, title, text"),
    "instruction": _page("instruction", "An instruction: description, tags, title, text"),
    "memory": _memory,
    "lesson": _lesson,
    "fact": _fact,
    "workflow": _workflow,
    "task": _task,
    "script": _script,
    "rule": _rule,
}
