"""A crawled web site, kept as Markdown pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.bundles.adapters import layout, probes
from akm_ls.bundles.adapters.adapter import Recognition

if TYPE_CHECKING:
    from akm_ls.documents.document import Document

_PAGES = "stash/knowledge/"


class WebsiteSnapshot:
    """Pages below ``stash/knowledge`` that say where they came from (akm.md §2.2)."""

    id = "website-snapshot"

    def probe(self, root: str) -> bool:
        return probes.website_snapshot(root)

    def wants(self, rel: str) -> bool:
        return rel.startswith(_PAGES) and layout.is_markdown(rel)

    def reads(self, rel: str) -> bool:
        return not layout.is_unreadable(rel)

    def recognise(self, rel: str, document: Document | None) -> Recognition | None:
        if not self.wants(rel) or not _is_page(document):
            return None
        concept_id = layout.without(rel[len(_PAGES) :])
        title = layout.key(document, "title")
        return Recognition(concept_id, "website", title or layout.filename(concept_id))


def _is_page(document: Document | None) -> bool:
    if layout.key(document, "sourceUrl") is not None:
        return True
    frontmatter = None if document is None else document.frontmatter
    return frontmatter is not None and "website" in frontmatter.strings("tags")
