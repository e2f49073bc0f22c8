"""Path rules that several formats share."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from akm_ls.documents.nodes import Scalar

if TYPE_CHECKING:
    from akm_ls.documents.document import Document

MARKDOWN = ".md"
_INDEX_AND_LOG = frozenset(("index.md", "log.md"))


def filename(rel: str) -> str:
    return rel.rpartition("/")[2]


def is_markdown(rel: str) -> bool:
    """Whether the extension is ``.md`` in any case."""
    return rel[-3:].lower() == MARKDOWN


def is_index_or_log(rel: str) -> bool:
    return filename(rel).lower() in _INDEX_AND_LOG


def is_readme(rel: str) -> bool:
    return filename(rel).lower() == "readme.md"


def below(rel: str, directory: str) -> bool:
    """Whether a file has ``directory`` among the directories above it."""
    return rel.startswith(f"{directory}/") or f"/{directory}/" in rel


def is_unreadable(rel: str) -> bool:
    """Files no format may open: everything below ``secrets`` or ``vaults``, and env files."""
    name = filename(rel).lower()
    return (
        below(rel, "secrets")
        or below(rel, "vaults")
        or name.endswith(".env")
        or name.startswith(".env.")
    )


def without(rel: str, suffix: str = MARKDOWN) -> str:
    """``rel`` without ``suffix`` (its case counts), as a concept id: NFC, as refs are."""
    rel = rel.removesuffix(suffix)
    return rel if rel.isascii() else unicodedata.normalize("NFC", rel)


def key(document: Document | None, name: str) -> str | None:
    """A scalar of the frontmatter, trimmed; ``None`` when it is absent or blank.

    Frontmatter that is never closed counts for nothing, here as in akm.
    """
    if document is None or (frontmatter := document.frontmatter) is None or not frontmatter.closed:
        return None
    node = frontmatter.get(name)
    if not isinstance(node, Scalar) or node.plain is None:
        return None
    return node.text.strip() or None
