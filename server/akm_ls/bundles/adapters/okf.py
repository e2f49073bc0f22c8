"""Open Knowledge Format: a tree of typed Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.bundles.adapters import layout, probes
from akm_ls.bundles.adapters.adapter import Recognition

if TYPE_CHECKING:
    from akm_ls.documents.document import Document


class Okf:
    """Every Markdown file but ``index.md`` and ``log.md``; the type is the author's own word."""

    id = "okf"

    def probe(self, root: str) -> bool:
        return probes.okf(root)

    def wants(self, rel: str) -> bool:
        return layout.is_markdown(rel) and not layout.is_index_or_log(rel)

    def reads(self, rel: str) -> bool:
        return not layout.is_unreadable(rel)

    def recognise(self, rel: str, document: Document | None) -> Recognition | None:
        if not self.wants(rel):
            return None
        concept_id = layout.without(rel)
        return Recognition(
            concept_id,
            layout.key(document, "type") or "knowledge",
            layout.key(document, "title") or layout.filename(concept_id),
        )
