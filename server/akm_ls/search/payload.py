"""What showing an asset gives, by its type (akm.md §7.1)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from akm_ls.bundles.frontmatter_keys import jsonable
from akm_ls.documents.nodes import Mapping as YamlMapping
from akm_ls.documents.nodes import Scalar, Sequence

if TYPE_CHECKING:
    from akm_ls.bundles.entry import Entry
    from akm_ls.documents.document import Document
    from akm_ls.documents.markdown import Heading

MAX_FOREIGN_CHARS = 100_000
"""Of a file that is none of akm's own types; the rest of a longer one is left out."""

_WHOLE = frozenset({"knowledge", "instruction", "memory", "task", "meta"})
_ORCHESTRATION = ("unit", "map", "route", "inputs", "output", "gate")
_BODY_KEY = {"command": "template", "agent": "prompt"}


@dataclass(frozen=True, slots=True)
class Shown:
    """One asset in front of a reader: its text, and the section of it that was asked for.

    ``document`` is ``None`` for what has no text to show: secrets and env files.
    """

    entry: Entry
    document: Document | None
    section: Heading | None = None
    primary: bool = True
    """Whether the asset lies in the primary bundle: only there an agent's tools are granted."""


def payload(shown: Shown) -> dict[str, Any]:
    """The fields of *ShowResult* that depend on the type; the text is under `body_key`."""
    maker = _PAYLOADS.get(shown.entry.type)
    if shown.entry.type == "secret":
        return {}
    fields = dict(maker(shown)) if maker is not None else {}
    if shown.section is not None and shown.document is not None:
        fields[body_key(shown.entry.type)] = section_text(shown.document, shown.section)
    elif maker is None and shown.document is not None:
        text = shown.document.text
        fields["content"] = text if shown.entry.type in _WHOLE else text[:MAX_FOREIGN_CHARS]
    return fields


def body_key(type_name: str) -> str:
    """The field that holds the text of an asset of this type."""
    return _BODY_KEY.get(type_name, "content")


def section_text(document: Document, heading: Heading) -> str:
    """A section from its heading to the next one of its level, without the line end before it."""
    text = heading.section.of(document.text)
    if heading.section.end < len(document.text):
        text = text[:-2] if text.endswith("\r\n") else text[:-1] if text[-1:] in "\r\n" else text
    return text


def _body(shown: Shown) -> str:
    document = shown.document
    return "" if document is None else document.text[document.body_start :]


def _skill(shown: Shown) -> Mapping[str, Any]:
    return {"content": _body(shown)}


def _command(shown: Shown) -> Mapping[str, Any]:
    extra = shown.entry.extra
    return {
        "template": _body(shown),
        "agent": extra.get("agent"),
        "modelHint": extra.get("model"),
        **_parameters(shown.entry),
    }


def _agent(shown: Shown) -> Mapping[str, Any]:
    extra = shown.entry.extra
    tools = extra.get("tools")
    if isinstance(tools, str):
        tools = [name.strip() for name in tools.split(",") if name.strip()]
    return {
        "prompt": _body(shown),
        "toolPolicy": tools if shown.primary else None,
        "modelHint": extra.get("model"),
    }


def _script(shown: Shown) -> Mapping[str, Any]:
    extra = shown.entry.extra
    if not extra.get("run"):
        # Nobody knows how to run it: its source is all there is to show.
        return {"content": "" if shown.document is None else shown.document.text}
    cwd = extra.get("cwd")
    return {
        "run": extra["run"],
        "setup": extra.get("setup"),
        "cwd": os.path.dirname(shown.entry.path) if cwd == "." else cwd,
        **_parameters(shown.entry),
    }


def _env(shown: Shown) -> Mapping[str, Any]:
    return {"keys": list(shown.entry.keys)}


def _workflow(shown: Shown) -> Mapping[str, Any]:
    document = shown.document
    if document is None or document.kind != "markdown":
        return {"content": "" if document is None else document.text}
    sections = [heading for heading in document.headings if heading.level == 2]
    end = sections[0].span.start if sections else len(document.text)
    return {
        "content": document.text[document.body_start : end].strip(),
        "workflowTitle": shown.entry.name,
        "workflowParameters": [
            {"name": item.name, "description": item.description or None}
            for item in shown.entry.parameters
        ]
        or None,
        "steps": _steps(document, sections),
        **_parameters(shown.entry),
    }


def _steps(document: Document, sections: list[Heading]) -> list[dict[str, Any]]:
    """The declared steps in order, each with the prose of the section that bears its id."""
    declared = document.frontmatter.get("steps") if document.frontmatter else None
    if not isinstance(declared, Sequence):
        return []
    by_id: dict[str, Heading] = {}
    for heading in sections:
        by_id.setdefault(heading.text, heading)
    steps: list[dict[str, Any]] = []
    for item in declared.items:
        if not isinstance(item, YamlMapping) or not isinstance(node := item.get("id"), Scalar):
            continue
        step: dict[str, Any] = {"id": node.text, "title": node.text, "instructions": ""}
        section = by_id.get(node.text)
        if section is not None:
            step |= _instructions(document, section)
        step["sequenceIndex"] = len(steps)
        if orchestration := _orchestration(item):
            step["orchestration"] = orchestration
        steps.append(step)
    return steps


def _orchestration(step: YamlMapping) -> dict[str, Any]:
    """How a step is carried out, as its author wrote it: which unit, over what, to what end."""
    nodes = ((key, step.get(key)) for key in _ORCHESTRATION)
    said = ((key, jsonable(node)) for key, node in nodes if node is not None)
    return {key: value for key, value in said if value not in (None, {}, [])}


def _instructions(document: Document, heading: Heading) -> dict[str, str]:
    """A step's prose; what follows its ``### gate`` heading is its completion criterion."""
    gate = next(
        (
            inner
            for inner in document.headings
            if inner.level == 3
            and inner.text.strip().lower() == "gate"
            and heading.span.end <= inner.span.start < heading.section.end
        ),
        None,
    )
    end = heading.section.end if gate is None else gate.span.start
    prose = {"instructions": document.text[heading.span.end : end].strip()}
    if gate is not None:
        criteria = document.text[gate.span.end : heading.section.end].strip()
        prose["completionCriteria"] = criteria
    return prose


def _parameters(entry: Entry) -> dict[str, Any]:
    if not entry.parameters:
        return {}
    described = {item.name: item.description for item in entry.parameters if item.description}
    return {
        "parameters": [item.name for item in entry.parameters],
        "parameterDescriptions": described,
    }


_PAYLOADS: dict[str, Callable[[Shown], Mapping[str, Any]]] = {
    "skill": _skill,
    "lesson": _skill,
    "fact": _skill,
    "session": _skill,
    "command": _command,
    "agent": _agent,
    "workflow": _workflow,
    "script": _script,
    "env": _env,
}
