"""A directory of akm tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.bundles.adapters import layout, probes
from akm_ls.bundles.adapters.adapter import Recognition

if TYPE_CHECKING:
    from akm_ls.documents.document import Document


class AkmTask:
    """A directory of akm tasks: every ``.yml`` is one (akm.md §2.2)."""

    id = "akm-task"

    def probe(self, root: str) -> bool:
        return probes.akm_task(root)

    def wants(self, rel: str) -> bool:
        return rel[-4:].lower() == ".yml"

    def reads(self, rel: str) -> bool:
        return not layout.is_unreadable(rel)

    def recognise(self, rel: str, document: Document | None) -> Recognition | None:
        if not self.wants(rel):
            return None
        concept_id = layout.without(rel, ".yml")
        return Recognition(concept_id, "task", concept_id)
