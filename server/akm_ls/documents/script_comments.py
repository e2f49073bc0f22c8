"""What a script says of itself in the comments of its first 50 lines (akm.md §5, P2b)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MAX_LINES = 50
_MAX_LINE_CHARS = 2000

_COMMENT = re.compile(r"[ \t]*(?://+|#+|/\*+|\*+/?|;+|--+|')[ \t]?(?P<text>.*)")
_TAG = re.compile(r"@(?P<name>[A-Za-z]+(?:\.[a-z]+)?)(?:[ \t]+|$)(?P<value>.*)")
_PARAM = re.compile(
    r"@param[ \t]+(?:\{(?P<type>[^}]+)\}[ \t]+)?(?P<name>\w+)(?:[ \t]+-[ \t]+(?P<text>.+))?"
)
_SCOPE = re.compile(r"(?P<key>[A-Za-z_]+)=(?P<value>\S+)")
_LISTS = {
    "tag": "tags",
    "tags": "tags",
    "alias": "aliases",
    "aliases": "aliases",
    "searchhint": "search_hints",
    "searchhints": "search_hints",
    "usage": "usage",
    "example": "examples",
    "examples": "examples",
}
_COMMA_LISTS = frozenset({"tags", "aliases", "search_hints"})
_TEXTS = frozenset({"description", "run", "setup", "cwd"})


@dataclass(frozen=True, slots=True)
class ScriptParameter:
    name: str
    type: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class ScriptComments:
    """The tags of a script's head comments.

    ``tagged`` says whether ``description`` comes from an ``@description`` tag rather than from
    the first comment. ``intent`` has the keys when, input and output (a bare ``@intent`` is when).
    """

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
    """The comment tags and the leading comment of a script, whatever its language."""
    lines = [
        line[:_MAX_LINE_CHARS].rstrip("\r") for line in text.split("\n", MAX_LINES)[:MAX_LINES]
    ]
    lists: dict[str, list[str]] = {name: [] for name in set(_LISTS.values())}
    texts: dict[str, str] = {}
    scope: dict[str, str] = {}
    intent: dict[str, str] = {}
    params: list[ScriptParameter] = []
    for line in lines:
        comment = _COMMENT.match(line)
        if comment is None:
            continue
        content = comment["text"].strip().removesuffix("*/").rstrip()
        param = _PARAM.match(content)
        if param is not None:
            description = param["text"].strip() if param["text"] else None
            params.append(ScriptParameter(param["name"], param["type"], description))
            continue
        tag = _TAG.match(content)
        if tag is None:
            continue
        name, value = tag["name"].lower(), tag["value"].strip()
        if not value:
            continue
        if name in _LISTS:
            field_name = _LISTS[name]
            items = value.split(",") if field_name in _COMMA_LISTS else [value]
            lists[field_name] += [item.strip() for item in items if item.strip()]
        elif name in _TEXTS:
            texts.setdefault(name, value)
        elif name == "scope":
            scope.update({found["key"]: found["value"] for found in _SCOPE.finditer(value)})
        elif name == "intent":
            intent.setdefault("when", value)
        elif name in ("intent.when", "intent.input", "intent.output"):
            intent[name.partition(".")[2]] = value
    return ScriptComments(
        description=texts.get("description") or _leading_comment(lines),
        tagged="description" in texts,
        tags=tuple(lists["tags"]),
        aliases=tuple(lists["aliases"]),
        search_hints=tuple(lists["search_hints"]),
        usage=tuple(lists["usage"]),
        examples=tuple(lists["examples"]),
        run=texts.get("run"),
        setup=texts.get("setup"),
        cwd=texts.get("cwd"),
        scope=scope,
        intent=intent,
        params=tuple(params),
    )


def _leading_comment(lines: list[str]) -> str | None:
    """The comment that opens a script, after a shebang and blank lines; tags end it."""
    words: list[str] = []
    block = False
    for number, line in enumerate(lines):
        stripped = line.strip()
        if number == 0 and stripped.startswith("#!"):
            continue
        if not stripped and not block:
            if words:
                break
            continue
        if not block and not stripped.startswith(("//", "#", "/*")):
            break
        content = stripped
        if block or stripped.startswith("/*"):
            block = "*/" not in stripped
            content = stripped.removeprefix("/*").lstrip("*").removesuffix("*/").rstrip("*")
        else:
            content = stripped.lstrip("/#")
        content = content.strip()
        if content.startswith("@"):
            break
        if content:
            words.append(content)
        elif words:
            break
    return " ".join(words) or None
