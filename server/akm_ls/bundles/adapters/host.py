"""A tool's directory inside an ordinary repository: ``.claude/``, ``.github/``, a plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.bundles.adapters import layout
from akm_ls.bundles.adapters.adapter import Recognition
from akm_ls.bundles.asset_types import TYPE_BY_DIRECTORY
from akm_ls.bundles.classification import split_path

if TYPE_CHECKING:
    from akm_ls.documents.document import Document

_DIRECTORIES = {
    "skills": "skills",
    "skill": "skills",
    "agents": "agents",
    "agent": "agents",
    "chatmodes": "agents",
    "commands": "commands",
    "command": "commands",
    "prompts": "commands",
    "workflows": "commands",
    "instructions": "instructions",
    "rules": "instructions",
}
"""First path segment to the directory of the concept id. A tool's workflow is a slash command."""

_SUFFIXES = {
    "agents": (".agent.md", ".chatmode.md", ".md"),
    "commands": (".prompt.md", ".md"),
    "instructions": (".instructions.md", ".md"),
}
_MARKED = {
    ".agent.md": "agents",
    ".chatmode.md": "agents",
    ".prompt.md": "commands",
    ".instructions.md": "instructions",
}
"""Suffixes that say what a file is wherever it lies."""

_ROOT_INSTRUCTIONS = frozenset(
    ("claude.md", "claude.local.md", "agents.md", "gemini.md", "copilot-instructions.md")
)


class Host:
    """Skills, agents, commands and instructions as the tools themselves lay them out.

    Concept ids are those an akm bundle would mint: ``skills/<name>``, ``agents/<name>``,
    ``commands/<name>``, ``instructions/<name>``; what a skill brings along follows akm's rule
    for skill resources (``knowledge/skills/<name>/...``, ``scripts/skills/<name>/...``).
    Everything else in such a directory (workflows of a CI, issue templates) is left alone.
    """

    id = "host"

    def probe(self, root: str) -> bool:
        """Never claims a directory by itself: discovery knows these by their names."""
        return False

    def wants(self, rel: str) -> bool:
        return self.recognise(rel, None) is not None

    def reads(self, rel: str) -> bool:
        return not layout.is_unreadable(rel)

    def recognise(self, rel: str, document: Document | None) -> Recognition | None:
        head, slash, rest = rel.partition("/")
        name = layout.filename(rel)
        if name == "SKILL.md":
            return self._skill(rel, document)
        if not slash:
            return self._root_file(name)
        directory = _DIRECTORIES.get(head)
        if directory == "skills":
            return self._resource(rest)
        if not layout.is_markdown(rel) or layout.is_readme(rel):
            return None
        if directory is None:
            directory = _marked(name)
            rest = rel
        elif head == "workflows" and _is_ci(document):
            return None
        return None if directory is None else _asset(directory, rest)

    def _skill(self, rel: str, document: Document | None) -> Recognition:
        directory = rel.rpartition("/")[0]
        head, _, below = directory.partition("/")
        if _DIRECTORIES.get(head) == "skills":
            directory = below
        if not directory:
            # One skill is the whole directory: only its own name can tell it from others.
            directory = (layout.key(document, "name") or "skill").replace("/", "-")
        directory = layout.without(directory, "")
        return Recognition(f"skills/{directory}", "skill", directory)

    def _root_file(self, name: str) -> Recognition | None:
        if name.lower() in _ROOT_INSTRUCTIONS:
            return _asset("instructions", name)
        directory = _marked(name)
        return None if directory is None else _asset(directory, name)

    def _resource(self, rest: str) -> Recognition | None:
        if "/" not in rest:
            return None
        path = split_path(rest)
        if path.markdown:
            name = "skills/" + layout.without(rest)
            return Recognition(f"knowledge/{name}", "knowledge", name)
        if path.script:
            name = "skills/" + layout.without(rest, "")
            return Recognition(f"scripts/{name}", "script", name)
        return None


def _is_ci(document: Document | None) -> bool:
    """Markdown that GitHub runs as a workflow: it says on which events."""
    frontmatter = None if document is None else document.frontmatter
    return frontmatter is not None and "on" in frontmatter.root


def _marked(name: str) -> str | None:
    lowered = name.lower()
    return next((place for mark, place in _MARKED.items() if lowered.endswith(mark)), None)


def _asset(directory: str, rest: str) -> Recognition | None:
    for suffix in _SUFFIXES[directory]:
        if rest.endswith(suffix):
            name = layout.without(rest, suffix)
            if not name or name.endswith("/"):
                return None
            return Recognition(f"{directory}/{name}", TYPE_BY_DIRECTORY[directory].name, name)
    return None
