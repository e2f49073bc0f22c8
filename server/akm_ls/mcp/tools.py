"""What agents are offered: names, descriptions and JSON schemas of the tools.

The one place for them. The VS Code extension's ``languageModelTools`` say the same; a test
compares. A description is all that a model knows of a tool, and is read on every turn: it says
when to call it, what comes back, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TYPES = (
    "skill",
    "command",
    "agent",
    "knowledge",
    "instruction",
    "memory",
    "lesson",
    "session",
    "fact",
    "workflow",
    "script",
    "env",
    "secret",
    "task",
)
"""The asset types to ask for, the most wanted first."""

INSTRUCTIONS = (
    "The user's local library of agent assets: skills, commands, agents, workflows, scripts, "
    "knowledge, lessons, memories and team conventions. Search it before a task that the team may "
    "have done before. Assets are named by refs (bundle//type/name): cite refs, not paths. "
    "Everything is read-only, and secrets are never returned."
)


@dataclass(frozen=True, slots=True)
class ToolDescription:
    """One tool. ``input`` and ``output`` are JSON schemas of objects."""

    name: str
    title: str
    description: str
    input: Mapping[str, Any]
    output: Mapping[str, Any]


def _object(required: list[str], **properties: Any) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return {**schema, "additionalProperties": False}


def _answer(required: list[str], **properties: Any) -> dict[str, Any]:
    """An answer: what can be relied on; fields may be added."""
    return {"type": "object", "properties": properties, "required": required}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _number(description: str, least: int, most: int, default: int) -> dict[str, Any]:
    return {
        "type": "integer",
        "minimum": least,
        "maximum": most,
        "default": default,
        "description": description,
    }


_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_INTEGER = {"type": "integer"}
_ONE_TYPE = {
    "type": "string",
    "enum": list(TYPES),
    "description": "Only assets of this type. Leave it out unless the user asks for one type.",
}
_ONE_BUNDLE = _text("Only this bundle, by its id: the part of a ref before `//`.")
_RANGE = {
    "type": "object",
    "description": "0-based lines and UTF-16 characters, as in the Language Server Protocol.",
}

SEARCH = ToolDescription(
    name="akm_search",
    title="Search AKM assets",
    description=(
        "Searches the user's local library of agent assets: skills, commands, agents, workflows, "
        "scripts, knowledge, lessons, memories, facts and team conventions. Call it before you "
        "start a task that the team may have a skill, a convention or an earlier lesson for, and "
        "whenever the user mentions one. Returns up to `limit` hits, best first: ref "
        "(bundle//type/name), type, description and the passage that matched. It reads only the "
        "local index and never returns secrets. Read a hit in full with akm_show."
    ),
    input=_object(
        ["query"],
        query=_text(
            "A few words on the subject, e.g. `rotate tokens`; no sentence and no operators. "
            "A ref prefix such as `skills/` lists what is there."
        ),
        type=_ONE_TYPE,
        bundle=_ONE_BUNDLE,
        limit=_number("Most hits.", 1, 30, 8),
    ),
    output=_answer(
        ["query", "hits", "total", "mode"],
        query=_TEXT,
        hits={
            "type": "array",
            "items": _answer(
                ["ref", "bundle", "type", "name", "score", "path"],
                ref=_TEXT,
                bundle=_TEXT,
                type=_TEXT,
                name=_TEXT,
                description=_TEXT,
                tags=_TEXTS,
                score={"type": "number"},
                whyMatched=_TEXTS,
                path=_TEXT,
                citation=_answer(["text"], text=_TEXT, fragment=_TEXT, range=_RANGE),
                beliefState=_TEXT,
                keys=_TEXTS,
                alsoIn=_TEXTS,
                citable={"type": "boolean"},
                stale={"type": "boolean"},
                estimatedTokens=_INTEGER,
            ),
        },
        total=_INTEGER,
        mode=_TEXT,
        tip=_TEXT,
        warnings=_TEXTS,
    ),
)

SHOW = ToolDescription(
    name="akm_show",
    title="Read an AKM asset",
    description=(
        "Reads one asset of the user's local library by its ref, or one section of it by "
        "`ref#section`. Returns its type, description, sections, what it cites, whether it was "
        "superseded, and its text. An env file is returned as the names of its keys, a secret "
        "without any content. For an unknown ref it answers with similar refs. Get refs from "
        "akm_search or from documents that cite them; do not guess them."
    ),
    input=_object(
        ["ref"],
        ref=_text(
            "The asset's ref, e.g. `team//skills/code-review` or "
            "`team//knowledge/auth/tokens#rotate-a-token`. Without the bundle, bundles are looked "
            "through by priority."
        ),
    ),
    output=_answer(
        ["ref", "bundle", "type", "name", "path"],
        ref=_TEXT,
        bundle=_TEXT,
        type=_TEXT,
        name=_TEXT,
        path=_TEXT,
        title=_TEXT,
        description=_TEXT,
        whenToUse=_TEXT,
        tags=_TEXTS,
        content=_TEXT,
        template=_TEXT,
        prompt=_TEXT,
        keys=_TEXTS,
        fragment=_TEXT,
        fragments={
            "type": "array",
            "items": _answer(["slug", "level"], slug=_TEXT, title=_TEXT, level=_INTEGER),
        },
        xrefs=_TEXTS,
        citedBy=_answer(["total"], total=_INTEGER, refs=_TEXTS),
        beliefState=_TEXT,
        supersededBy=_TEXTS,
        truncated=_TEXTS,
        estimatedTokens=_INTEGER,
        warnings=_TEXTS,
    ),
)

CONTEXT = ToolDescription(
    name="akm_context",
    title="Build an AKM context pack",
    description=(
        "Gathers what the user's local library says on a subject into one pack within a budget of "
        "tokens: short pieces of evidence, best first, each with its ref, the quote it rests on "
        "and where that stands, with secrets left out. Call it instead of several akm_search and "
        "akm_show calls when you need background for a task or an answer; call akm_show when you "
        "need one asset in full. Cite what you use by its ref."
    ),
    input=_object(
        ["query"],
        query=_text("The subject in a few words, e.g. `rotate tokens after a leak`."),
        type=_ONE_TYPE,
        bundle=_ONE_BUNDLE,
        maxItems=_number("Most pieces of evidence.", 1, 50, 6),
        maxTokens=_number("Most tokens of the whole pack.", 800, 12_000, 1_200),
    ),
    output=_answer(
        ["format", "version", "query", "evidence", "citations", "budgets", "warnings"],
        format=_TEXT,
        version=_INTEGER,
        evidence={
            "type": "array",
            "items": _answer(
                ["id", "ref", "citation_ids"],
                id=_TEXT,
                ref=_TEXT,
                title=_TEXT,
                text_preview=_TEXT,
                citation_ids=_TEXTS,
            ),
        },
        citations={"type": "array", "items": _answer(["id", "ref"], id=_TEXT, ref=_TEXT)},
        budgets={"type": "object"},
        warnings=_TEXTS,
    ),
)

CHECK = ToolDescription(
    name="akm_check",
    title="Check AKM assets",
    description=(
        "Finds faults in the user's skills and other assets: refs and links that lead nowhere, "
        "frontmatter that does not parse, names and descriptions that a host would reject. Call "
        "it after you created or changed an asset, with the files or refs you touched. Returns "
        "the findings, gravest first: file:line:column, rule, message and what would fix it. It "
        "changes nothing."
    ),
    input=_object(
        [],
        paths={
            "type": "array",
            "items": {"type": "string"},
            "description": (
                "Files or directories (absolute, or relative to the workspace folder) or refs, "
                "e.g. `skills/review/SKILL.md` or `team//skills/review`. Without it everything "
                "is checked."
            ),
        },
        severity={
            "type": "string",
            "enum": ["error", "warning", "information", "hint"],
            "default": "warning",
            "description": "The mildest finding to return.",
        },
        limit=_number("Most findings.", 1, 200, 50),
    ),
    output=_answer(
        ["findings", "total", "summary"],
        findings={
            "type": "array",
            "items": _answer(
                ["at", "file", "path", "bundle", "code", "severity", "message", "range"],
                at=_TEXT,
                file=_TEXT,
                path=_TEXT,
                bundle=_TEXT,
                ref=_TEXT,
                code=_TEXT,
                severity=_TEXT,
                message=_TEXT,
                range=_RANGE,
                fixable={"type": "boolean"},
                fixes=_TEXTS,
            ),
        },
        total=_INTEGER,
        severity=_TEXT,
        summary={"type": "object"},
        warnings=_TEXTS,
    ),
)

TOOLS = (SEARCH, SHOW, CONTEXT, CHECK)
