"""A wiki kept by a language model: pages and the raw sources they digest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.bundles.adapters import layout, probes
from akm_ls.bundles.adapters.adapter import Recognition

if TYPE_CHECKING:
    from akm_ls.documents.document import Document


class LlmWiki:
    """``pages/`` and ``raw/`` (akm.md §2.2); a page's type is its ``pageKind``."""

    id = "llm-wiki"

    def probe(self, root: str) -> bool:
        return probes.llm_wiki(root)

    def wants(self, rel: str) -> bool:
        return rel.startswith(("pages/", "raw/")) and layout.is_markdown(rel)

    def reads(self, rel: str) -> bool:
        return not layout.is_unreadable(rel)

    def recognise(self, rel: str, document: Document | None) -> Recognition | None:
        if not self.wants(rel):
            return None
        concept_id = layout.without(rel)
        head, _, name = concept_id.partition("/")
        if head == "raw":
            return Recognition(concept_id, "wiki-source", name)
        return Recognition(concept_id, layout.key(document, "pageKind") or "note", name)
