"""A directory of akm workflows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.bundles.adapters import layout, probes
from akm_ls.bundles.adapters.adapter import Recognition

if TYPE_CHECKING:
    from akm_ls.documents.document import Document


class AkmWorkflow:
    """A directory of akm workflows: Markdown whose ``type`` is ``workflow`` or not given."""

    id = "akm-workflow"

    def probe(self, root: str) -> bool:
        return probes.akm_workflow(root)

    def wants(self, rel: str) -> bool:
        return layout.is_markdown(rel) and not layout.is_readme(rel)

    def reads(self, rel: str) -> bool:
        return not layout.is_unreadable(rel)

    def recognise(self, rel: str, document: Document | None) -> Recognition | None:
        if not self.wants(rel) or layout.key(document, "type") not in (None, "workflow"):
            return None
        concept_id = layout.without(rel)
        return Recognition(concept_id, "workflow", concept_id)
