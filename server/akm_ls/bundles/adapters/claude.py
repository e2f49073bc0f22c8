"""Claude Code's layout: CLAUDE.md, commands, agents, skills."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.bundles.adapters import layout, probes
from akm_ls.bundles.adapters.adapter import Recognition

if TYPE_CHECKING:
    from akm_ls.documents.document import Document

_DIRECTORIES = {"commands": "commands", "agents": "agents", "skills": "skills"}


def recognise_tool_layout(
    rel: str, instructions: str, directories: dict[str, str]
) -> Recognition | None:
    """A tool's own directory: one instruction file, and commands, agents and skills by directory.

    ``directories`` maps a first path segment to the directory its concept ids start with.
    Claude and OpenCode differ only in these names.
    """
    if rel == f"{instructions}.md":
        return Recognition(instructions, "instruction", instructions)
    head, _, rest = rel.partition("/")
    directory = directories.get(head)
    if directory is None or not rest:
        return None
    if directory == "skills":
        name, _, last = layout.without(rest, "").rpartition("/")
        if last != "SKILL.md" or not name:
            return None
        return Recognition(f"skills/{name}", "skill", name)
    if not layout.is_markdown(rest) or layout.is_index_or_log(rest) or layout.is_readme(rest):
        return None
    name = layout.without(rest)
    return Recognition(f"{directory}/{name}", directory[:-1], name)


class Claude:
    """Claude Code's layout: CLAUDE.md, commands, agents, skills (akm.md §2.2)."""

    id = "claude"

    def probe(self, root: str) -> bool:
        return probes.claude(root)

    def wants(self, rel: str) -> bool:
        return self.recognise(rel, None) is not None

    def reads(self, rel: str) -> bool:
        return not layout.is_unreadable(rel)

    def recognise(self, rel: str, document: Document | None) -> Recognition | None:
        return recognise_tool_layout(rel, "CLAUDE", _DIRECTORIES)
