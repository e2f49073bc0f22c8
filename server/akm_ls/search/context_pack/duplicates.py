"""Pieces of evidence that say the same."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from akm_ls.search.context_pack.evidence import Evidence

MAX_COMPARED = 220
_URL = re.compile(r"[a-z][a-z0-9+.-]{1,20}://\S+")
_NUMBERED = re.compile(r"\b(?=[a-z_-]{0,20}[0-9])[a-z0-9_-]{1,64}\b")
_WORD = re.compile(r"[^\W_]+")
_STATUS = frozenset(
    ("done", "failed", "failure", "success", "succeeded", "completed", "pending", "running")
) | {"started", "finished", "error", "ok", "todo", "wip", "draft", "copy", "status"}


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Evidence with one title and text, but for addresses, numbers and words of state."""

    id: str
    evidence_ids: tuple[str, ...]

    @property
    def confidence(self) -> str:
        return "high" if len(self.evidence_ids) > 2 else "medium"

    def within(self, kept: set[str]) -> DuplicateGroup | None:
        """The group without evidence that was dropped; ``None`` when nothing is left of it."""
        ids = tuple(item for item in self.evidence_ids if item in kept)
        return replace(self, evidence_ids=ids) if len(ids) > 1 else None

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "confidence": self.confidence,
            "evidence_ids": list(self.evidence_ids),
        }


def duplicates_in(evidence: Iterable[Evidence]) -> tuple[DuplicateGroup, ...]:
    """The groups of two or more, in the order of their first members."""
    groups: dict[str, list[str]] = {}
    for item in evidence:
        groups.setdefault(compared(item.title, item.preview), []).append(item.id)
    return tuple(
        DuplicateGroup(f"dup_{hashlib.sha256(key.encode()).hexdigest()[:12]}", tuple(ids))
        for key, ids in groups.items()
        if len(ids) > 1
    )


def compared(title: str, preview: str) -> str:
    """What of a title and a text has to be the same: words, neither addresses nor numbers."""
    text = _NUMBERED.sub(" ", _URL.sub(" ", f"{title} {preview}".lower()))
    words = (word for word in _WORD.findall(text) if word not in _STATUS)
    return " ".join(words)[:MAX_COMPARED]
