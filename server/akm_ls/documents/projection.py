"""A Markdown body as the plain words that search should see."""

from __future__ import annotations

from akm_ls.documents.document import Document


def project_body(document: Document, limit: int = 1_000_000) -> str:
    return " ".join(document.text[document.body_start :].split())[:limit]
