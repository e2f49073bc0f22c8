"""Search results and their JSON (protocol.md, *SearchResult*)."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from akm_ls.refs import is_writable_in_prose
from akm_ls.search.query import Stage
from akm_ls.search.ranking import LISTED, Score
from akm_ls.search.said import said, said_description
from akm_ls.search.semantic import NOT_CONFIGURED

if TYPE_CHECKING:
    from akm_ls.bundles.entry import Entry
    from akm_ls.documents.text import PositionEncoding
    from akm_ls.index.semantic_status import Readiness
    from akm_ls.search.excerpt import Excerpt
    from akm_ls.search.found import Degraded, RanMode
    from akm_ls.search.request import Detail, SearchRequest
    from akm_ls.search.spelling import Correction

SCHEMA_VERSION = 1
MAX_DESCRIPTION_CHARS = 250
"""Longer descriptions are cut, except in ``full`` detail."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One asset that answers a query.

    ``excerpt`` is the stretch of the file's body that matched; its offsets are ``str`` offsets in
    the file's text. ``estimated_tokens`` is a quarter of the characters that showing it gives.
    """

    entry: Entry
    score: Score = LISTED
    editable: bool = True
    excerpt: Excerpt | None = None
    estimated_tokens: int | None = None
    stale: bool = False
    also_in: tuple[str, ...] = ()
    """Refs of the same asset in bundles that come later."""
    dirty: bool = False
    """Whether the file is open and not as indexed; the entry has the hash of the editor."""

    def to_json(
        self, detail: Detail = "normal", encoding: PositionEncoding = "utf-16"
    ) -> dict[str, Any]:
        entry = self.entry
        secret = entry.type == "secret"
        full = detail == "full"
        answer: dict[str, Any] = {
            "ref": entry.ref,
            "bundle": entry.bundle,
            "conceptId": entry.concept_id,
            "type": entry.type,
            "name": entry.name,
        }
        if detail != "brief":
            description = said_description(entry)
            answer["description"] = description if full else _cut(description)
            answer["tags"] = list(entry.tags)
        answer["score"] = self.score.total
        if detail != "brief":
            answer["scores"] = self._scores(with_parts=full)
        if detail != "agent":
            answer["whyMatched"] = list(self.score.reasons)
            answer["uri"] = file_uri(entry.path)
        answer["path"] = entry.path
        if detail != "agent":
            answer["range"] = None if self.excerpt is None else line_range(self.excerpt.line)
        answer["editable"] = self.editable
        answer["quality"] = entry.quality
        answer["beliefState"] = entry.belief_state
        answer["estimatedTokens"] = None if secret else self.estimated_tokens
        answer["contentHash"] = entry.content_hash or None
        if detail != "brief":
            answer["citation"] = None if self.excerpt is None else self.excerpt.to_json(encoding)
        answer["alsoIn"] = list(self.also_in)
        answer["action"] = f"akm.show {entry.ref}"
        if entry.type == "env":
            answer["keys"] = list(entry.keys)
        if not is_writable_in_prose(entry.ref):
            answer["citable"] = False
        if self.stale:
            answer["stale"] = True
        if self.dirty:
            answer["dirty"] = True
        if full:
            answer.update(self._more())
        return answer

    def _scores(self, *, with_parts: bool) -> dict[str, Any]:
        score = self.score
        answer: dict[str, Any] = {
            "keyword": score.keyword,
            "semantic": score.semantic,
            "base": score.base,
            "boost": score.boost,
            "ceiling": score.ceiling,
        }
        if score.usage > 1:
            answer["usage"] = score.usage
        if with_parts:
            answer["parts"] = [
                {"signal": part.signal, "value": part.value} for part in score.parts if part.value
            ]
        return answer

    def _more(self) -> dict[str, Any]:
        entry = self.entry
        return {
            "title": entry.title and said(entry.title),
            "aliases": list(entry.aliases),
            "whenToUse": said(entry.when_to_use) or None,
            "supersededBy": list(entry.superseded_by),
            "adapter": entry.adapter,
            "run": entry.extra.get("run"),
        }


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to one request. ``total`` counts what matched beyond this page as well."""

    request: SearchRequest
    stage: Stage
    hits: tuple[Hit, ...] = ()
    total: int = 0
    tip: str | None = None
    warnings: tuple[str, ...] = ()
    mode: RanMode = "lexical"
    semantic: Readiness = NOT_CONFIGURED
    corrections: tuple[Correction, ...] = ()
    degraded: tuple[Degraded, ...] = ()

    def to_json(
        self, detail: Detail | None = None, encoding: PositionEncoding = "utf-16"
    ) -> dict[str, Any]:
        """The result as protocol.md has it, in the detail asked for unless told otherwise.

        ``encoding`` is that of the ranges' characters.
        """
        detail = detail or self.request.detail
        return {
            "schemaVersion": SCHEMA_VERSION,
            "query": self.request.query,
            "mode": self.mode,
            "stage": self.stage,
            "plan": self.request.plan,
            "fusion": self.request.fusion if self.mode == "hybrid" else None,
            "corrections": [{"from": it.word, "to": it.meant} for it in self.corrections],
            "hits": [hit.to_json(detail, encoding) for hit in self.hits],
            "total": self.total,
            "limit": self.request.limit,
            "offset": self.request.offset,
            "semantic": self._semantic(),
            "degraded": [{"lane": it.lane, "reason": it.reason} for it in self.degraded],
            "tip": self.tip,
            "warnings": list(self.warnings),
        }

    def _semantic(self) -> dict[str, Any]:
        state = self.semantic
        failed = next((it.reason for it in self.degraded if it.lane == "semantic"), None)
        return {
            "status": state.status,
            "reason": failed or state.reason,
            "model": state.model,
            "embedded": state.embedded,
            "missing": state.missing,
        }


_PLAIN_PATH = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)+")


def file_uri(path: str) -> str:
    # Most paths have nothing in them that is spelled otherwise in a URI.
    if _PLAIN_PATH.fullmatch(path) and os.sep == "/":
        return f"file://{path}"
    return PurePath(path).as_uri()


def line_range(line: int) -> dict[str, Any]:
    """A whole 0-based line as a range: the same in every position encoding."""
    return {
        "start": {"line": line, "character": 0},
        "end": {"line": line + 1, "character": 0},
    }


def estimate_tokens(characters: int) -> int:
    """A model's tokens in a text of so many characters, roughly: a quarter, rounded up."""
    return -(-characters // 4)


def _cut(text: str) -> str:
    if len(text) <= MAX_DESCRIPTION_CHARS:
        return text
    return f"{text[: MAX_DESCRIPTION_CHARS - 1].rstrip()}…"
