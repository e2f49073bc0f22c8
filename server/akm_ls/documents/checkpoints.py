"""Whether a memory is a session's checkpoint: what was said in a session, which stays there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.documents.frontmatter import Frontmatter, read_frontmatter
from akm_ls.documents.nodes import Scalar

if TYPE_CHECKING:
    from akm_ls.documents.document import Document

_KEY = "akm_memory_kind"
_MARK = "checkpoint"


def is_checkpoint(document: Document) -> bool:
    """Whether the frontmatter says so, or a second block below it: some tools nest them.

    akm writes ``akm_memory_kind: session_checkpoint``. Any value that speaks of a checkpoint
    counts, in any case: showing what nobody may see is the worse mistake.
    """
    text = document.text
    if _KEY not in text:
        return False
    if says_checkpoint(document.frontmatter):
        return True
    return says_checkpoint(read_frontmatter(text[document.body_start :].lstrip()))


def says_checkpoint(block: Frontmatter | None) -> bool:
    """Whether one block says so."""
    node = None if block is None else block.get(_KEY)
    return isinstance(node, Scalar) and _MARK in node.text.lower()
