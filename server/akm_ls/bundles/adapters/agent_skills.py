"""A directory of Agent Skills: one directory with a SKILL.md each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.bundles.adapters import layout, probes
from akm_ls.bundles.adapters.adapter import Recognition

if TYPE_CHECKING:
    from akm_ls.documents.document import Document


class AgentSkills:
    """A directory of Agent Skills (akm.md §2.2). Files beside a SKILL.md are no assets."""

    id = "agent-skills"

    def probe(self, root: str) -> bool:
        return probes.agent_skills(root)

    def wants(self, rel: str) -> bool:
        return rel.endswith("/SKILL.md")

    def reads(self, rel: str) -> bool:
        return not layout.is_unreadable(rel)

    def recognise(self, rel: str, document: Document | None) -> Recognition | None:
        if not self.wants(rel):
            return None
        concept_id = layout.without(rel, "/SKILL.md")
        name = layout.key(document, "name") or layout.filename(concept_id)
        return Recognition(concept_id, "skill", name)
