"""An asset on a card, as hover and completion show it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from akm_ls.documents.document import Document
from akm_ls.documents.env_keys import read_env_keys
from akm_ls.search.said import said, said_description

if TYPE_CHECKING:
    from akm_ls.index.stub import Stub
    from akm_ls.workspace import Workspace

OPENING_LINES = 12
SECTION_LINES = 30
_DIMMED = ("superseded", "contradicted", "deprecated", "archived")
_BLANK_RUN = re.compile(r"(?:[ \t]*(?:\r\n|\r|\n)){3,}")


def asset_card(
    workspace: Workspace, stub: Stub, fragment: str | None = None, *, plain: bool = False
) -> str:
    """What an asset is, in Markdown: type, banner, description, when to use, opening lines.

    With a fragment the section stands in the place of the opening lines. Of an env file only the
    names of its keys are shown, of a secret nothing but its name.
    """
    title = stub.title or stub.name
    parts = [f"{title} ({stub.type})" if plain else f"**{_escape(title)}** · {stub.type}"]
    if stub.belief_state in _DIMMED:
        by = f" by {', '.join(stub.superseded_by)}" if stub.superseded_by else ""
        banner = f"{stub.belief_state}{by}"
        parts.append(f"! {banner}" if plain else f"⚠ *{_escape(banner)}*")
    if stub.type == "secret":
        parts.append("A secret: its content is never shown.")
    elif description := said_description(stub):
        parts.append(description if plain else _escape(description))
    if when_to_use := said(stub.when_to_use):
        label = "When to use:" if plain else "**When to use:**"
        parts.append(f"{label} {when_to_use if plain else _escape(when_to_use)}")
    facts = [stub.ref if plain else f"`{stub.ref}`"]
    if stub.tags:
        facts.append("tags: " + ", ".join(stub.tags[:8]))
    cited = workspace.citation_count(stub)
    if cited:
        facts.append(f"cited {cited} time{'s' if cited != 1 else ''}")
    parts.append(" · ".join(facts))
    preview = _preview(workspace, stub, fragment)
    if preview:
        parts += ["---", preview]
    return "\n\n".join(parts)


def _preview(workspace: Workspace, stub: Stub, fragment: str | None) -> str:
    if stub.type == "secret":
        return ""
    document = workspace.document(stub.path)
    if document is None:
        return ""
    if document.kind == "env" or stub.type == "env":
        keys = dict.fromkeys(key.name for key in read_env_keys(document.text))
        return "Keys: " + ", ".join(f"`{key}`" for key in keys) if keys else "No keys."
    heading = document.fragment(fragment) if fragment else None
    if heading is not None:
        return section_card(heading.section.of(document.text))
    return document_card(document)


def section_card(text: str) -> str:
    """The first lines of a section."""
    return _closed(_head(text.strip(), SECTION_LINES))


def document_card(document: Document) -> str:
    """The opening lines of a file."""
    if document.kind != "markdown":
        return _fenced(_head(document.text, OPENING_LINES))
    return _closed(_opening(document))


def _opening(document: Document) -> str:
    body = document.text[document.body_start :].strip()
    return _head(_BLANK_RUN.sub("\n\n", body), OPENING_LINES)


def _head(text: str, lines: int) -> str:
    split = text.splitlines()
    kept = [line[:400] for line in split[:lines]]
    return said("\n".join([*kept, "…"] if len(split) > lines else kept))


def _closed(text: str) -> str:
    """``text`` with a code fence closed that the cut left open."""
    fence = ""
    for line in text.splitlines():
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~") and (not fence or mark == fence):
            fence = "" if fence else mark
    return f"{text}\n{fence}" if fence else text


def _fenced(text: str) -> str:
    return f"~~~~\n{text}\n~~~~" if text else ""


def _escape(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", " ".join(text.split()))
