"""One thing that can be run or followed, as it is searched for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from akm_ls.search.result import file_uri

if TYPE_CHECKING:
    from akm_ls.bundles.entry import Entry

Effect = Literal["read", "write", "destructive"]
EFFECTS: tuple[Effect, ...] = ("read", "write", "destructive")

ASSET_KINDS = frozenset({"command", "workflow", "skill", "script", "agent", "task"})
HELP_CHARS = 400
"""Of a body: the rest of it is about something else sooner or later."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS = re.compile(r"[./_-]+")
_FIRST_SENTENCE = re.compile(r"[^.!?\n]{0,300}[.!?]?")
_READING_TOOLS = frozenset(
    ("Read", "Grep", "Glob", "LS", "NotebookRead", "WebFetch", "WebSearch", "TodoRead")
)
_TOOL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DESTRUCTIVE = frozenset(
    ("delete", "destroy", "drop", "erase", "nuke", "prune", "purge", "remove", "reset", "revoke")
) | {"rollback", "teardown", "truncate", "uninstall", "wipe"}


@dataclass(frozen=True, slots=True)
class CommandDoc:
    """A command in four columns, by how much a word in them says.

    ``key`` is what it is called by: a server command (``akm.search``), a command line
    (``akm-ls check``) or a ref. ``arguments`` is a JSON schema of an object. ``effect`` is the
    worst that carrying it out may do, not what reading about it does.
    """

    key: str
    title: str
    kind: str
    key_and_name: str
    aliases: str = ""
    description: str = ""
    help: str = ""
    effect: Effect = "write"
    arguments: Mapping[str, Any] = field(default_factory=dict)
    call: Mapping[str, Any] = field(default_factory=dict)
    """``{"command": …, "arguments": […]}`` for ``workspace/executeCommand``; or empty."""
    cli: str | None = None
    uri: str | None = None
    bundle: str | None = None

    @property
    def columns(self) -> tuple[str, str, str, str]:
        return self.key_and_name, self.aliases, self.description, self.help

    @property
    def combined_text(self) -> str:
        """All four, for a model and for counting words."""
        return "\n".join(filter(None, self.columns))

    @property
    def is_verb(self) -> bool:
        return self.bundle is None


def spoken(key: str) -> str:
    """A key and the words it is made of: ``akm.contextPack`` and ``akm context pack``."""
    return f"{key} {_SEPARATORS.sub(' ', _CAMEL.sub(' ', key))}"


def document_of(entry: Entry) -> CommandDoc:
    """An asset as a command."""
    extra = entry.extra
    intent = extra.get("intent")
    intents = [str(text) for text in intent.values()] if isinstance(intent, dict) else []
    parameters = [f"{item.name} {item.description}".strip() for item in entry.parameters]
    listed = [*entry.aliases, *entry.tags, *intents]
    own_name = extra.get("name")
    names = [entry.concept_id, entry.name, own_name if isinstance(own_name, str) else ""]
    return CommandDoc(
        key=entry.ref,
        title=entry.title or entry.name,
        kind=entry.type,
        key_and_name=" ".join(spoken(name) for name in dict.fromkeys(filter(None, names))),
        aliases=" ".join(listed),
        description=entry.description or _first_sentence(entry.content),
        help="\n".join(
            filter(None, (entry.when_to_use, *entry.hints, *parameters, entry.content[:HELP_CHARS]))
        ),
        effect=effect_of(entry),
        arguments=_schema(entry),
        call={"command": "akm.show", "arguments": [{"ref": entry.ref}]},
        uri=file_uri(entry.path),
        bundle=entry.bundle,
    )


def effect_of(entry: Entry) -> Effect:
    """What following an asset may do.

    What its frontmatter's ``effect`` says; ``read`` where its tools can only read; else what its
    name says; and ``write`` where nobody can know.
    """
    declared = entry.extra.get("effect")
    for effect in EFFECTS:
        if declared == effect:
            return effect
    if _DESTRUCTIVE.intersection(re.split(r"[^a-z]+", entry.name.lower())):
        return "destructive"
    tools = entry.extra.get("allowedTools") or entry.extra.get("tools")
    if entry.type in ("skill", "agent", "command") and tools:
        named = _tools(tools)
        if named and named <= _READING_TOOLS:
            return "read"
    return "write"


def _tools(value: object) -> frozenset[str]:
    """The names in a tool list, without what is said about each (``Bash(git:*)``)."""
    if isinstance(value, list):
        parts = [str(item) for item in value]
    else:
        parts = re.sub(r"\([^()]*\)", "", str(value)).replace(",", " ").split()
    names = (_TOOL.match(part.strip()) for part in parts)
    return frozenset(name.group() if name else "?" for name in names)


def _first_sentence(content: str) -> str:
    match = _FIRST_SENTENCE.match(content.lstrip("# \t\r\n"))
    return match.group().strip() if match else ""


def _schema(entry: Entry) -> dict[str, Any]:
    if not entry.parameters:
        return {}
    return {
        "type": "object",
        "properties": {
            item.name: {"type": "string", "description": item.description}
            if item.description
            else {"type": "string"}
            for item in entry.parameters
        },
    }
