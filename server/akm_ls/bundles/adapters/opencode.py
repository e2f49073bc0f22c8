"""OpenCode's layout: AGENTS.md, commands, agents, skills; singular directories count as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.bundles.adapters import layout, probes
from akm_ls.bundles.adapters.claude import recognise_tool_layout

if TYPE_CHECKING:
    from akm_ls.bundles.adapters.adapter import Recognition
    from akm_ls.documents.document import Document

_DIRECTORIES = {
    "commands": "commands",
    "command": "commands",
    "agents": "agents",
    "agent": "agents",
    "skills": "skills",
    "skill": "skills",
}


class OpenCode:
    """OpenCode's layout (akm.md §2.2). Concept ids always use the plural directory."""

    id = "opencode"

    def probe(self, root: str) -> bool:
        return probes.opencode(root)

    def wants(self, rel: str) -> bool:
        return self.recognise(rel, None) is not None

    def reads(self, rel: str) -> bool:
        return not layout.is_unreadable(rel)

    def recognise(self, rel: str, document: Document | None) -> Recognition | None:
        return recognise_tool_layout(rel, "AGENTS", _DIRECTORIES)
