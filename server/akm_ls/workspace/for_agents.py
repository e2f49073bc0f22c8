"""Answers as an agent gets them: lean, within what it can read, and without a secret.

The shapes are those of protocol.md. What says nothing (``null``, an empty list) is left out, texts
are cut, and what looks like a key that somebody pasted into ordinary text is ``[REDACTED:…]``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from akm_ls.documents.redaction import REACH, redact
from akm_ls.workspace.covering import cover

if TYPE_CHECKING:
    from akm_ls.documents.text import PositionEncoding
    from akm_ls.search.result import SearchResult
    from akm_ls.search.show import ShowResult

MAX_TEXT = 32_000
"""Characters of text in one answer: about 8,000 tokens."""
MAX_ITEMS = 100
"""Items of one list that is not what was asked for."""
MAX_LINE = 1_000
"""Characters of a description, a title or a message."""
_BODIES = frozenset(
    {"content", "template", "prompt", "steps", "run", "setup", "instructions", "completionCriteria"}
)
_NAMES = frozenset(
    {"ref", "bundle", "conceptId", "path", "uri", "contentHash", "action", "slug", "keys", "xrefs"}
    | {"refs", "hits", "supersededBy", "origin", "alsoIn", "type", "fragment"}
)
"""What is the name of something: an agent goes on with it, and it is never cut or covered."""
_OF_NO_USE = frozenset(
    {"uri", "origin", "scores", "contentHash", "action", "editable", "conceptId"}
)


def search_for_agents(
    result: SearchResult, encoding: PositionEncoding = "utf-16"
) -> dict[str, Any]:
    """A *SearchResult* with reasons and citations, without the parts that a person debugs with."""
    answer = result.to_json("normal", encoding)
    hits = [_hit(hit) for hit in answer["hits"]]
    return {
        "query": redact(answer["query"][:MAX_LINE]).text,
        "hits": _Fitting().fit(hits),
        "total": answer["total"],
        "mode": answer["mode"],
        **_lean(
            {
                "semantic": {"reason": answer["semantic"]["reason"]},
                "corrections": answer["corrections"],
                "tip": answer["tip"],
                "warnings": answer["warnings"],
            }
        ),
    }


def _hit(hit: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in hit.items() if key not in _OF_NO_USE and key != "range"}
    if kept.get("citation"):
        cited = kept["citation"]
        kept["citation"] = {key: cited[key] for key in ("text", "fragment", "range")}
    lean: dict[str, Any] = _lean(kept)
    return lean


def check_for_reading(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of `check_for_agents`, lean, and no longer than `MAX_TEXT`.

    Messages may quote a document. What is cut are the mildest findings; ``total`` counts them.
    """
    fitting = _Fitting()
    findings: list[dict[str, Any]] = []
    size = 0
    for finding in answer["findings"]:
        kept = {key: value for key, value in finding.items() if key not in ("source", "data")}
        lean: dict[str, Any] = fitting.fit(_lean(kept))
        size += len(to_text(lean))
        if size > MAX_TEXT:
            break
        findings.append(lean)
    warnings = list(answer["warnings"])
    if len(findings) < answer["total"]:
        warnings.append(
            f"{len(findings)} of {answer['total']:,} findings are shown: name paths, or a severity"
        )
    rest = {**answer, "findings": None, "warnings": warnings}
    return {"findings": findings, **_lean(rest), "total": answer["total"]}


def show_for_agents(shown: ShowResult, encoding: PositionEncoding = "utf-16") -> dict[str, Any]:
    """A *ShowResult*; ``truncated`` names what was cut, and a warning says how to read the rest."""
    answer = shown.to_json(encoding)
    for fragment in answer["fragments"]:
        del fragment["range"]
    kept = {key: value for key, value in answer.items() if key not in _OF_NO_USE - {"editable"}}
    fitting = _Fitting()
    fitted: dict[str, Any] = cover(fitting.fit(_lean(kept)))
    warnings = list(fitted.get("warnings", ()))
    if fitting.redacted:
        warnings.append(f"{fitting.redacted} that look like secrets are not shown")
    if fitting.cut:
        fitted["truncated"] = sorted(fitting.cut)
        warnings.append(_how_to_go_on(answer, fitting.cut))
    if warnings:
        fitted["warnings"] = warnings
    return fitted


def _how_to_go_on(answer: Mapping[str, Any], cut: frozenset[str] | set[str]) -> str:
    said = f"Only the beginning of {', '.join(sorted(cut))} is shown."
    if len(answer["fragments"]) > 1 and "fragment" not in answer:
        said += f" Read one section with {answer['ref']}#SLUG; the slugs are in fragments."
    return f"{said} The whole is in {answer['path']}."


def to_text(answer: Mapping[str, Any]) -> str:
    """An answer as one line of JSON that can be written as UTF-8."""
    return sendable(json.dumps(answer, ensure_ascii=False, separators=(",", ":"), default=str))


def sendable(text: str) -> str:
    """``text`` with ``?`` for what UTF-8 has no bytes for: file names may be any bytes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _lean(value: Any) -> Any:
    """``value`` without what says nothing, at any depth; numbers and ``False`` do say something."""
    if isinstance(value, Mapping):
        pairs = ((key, _lean(item)) for key, item in value.items())
        return {key: item for key, item in pairs if item not in (None, "", [], {}, ())}
    if isinstance(value, list | tuple):
        return [_lean(item) for item in value]
    return value


class _Fitting:
    """Goes through one answer, covers secrets, and cuts what goes beyond `MAX_TEXT`."""

    def __init__(self) -> None:
        self._left = MAX_TEXT
        self.redacted = 0
        self.cut: set[str] = set()

    def fit(self, value: Any, key: str = "", top: str = "") -> Any:
        if isinstance(value, Mapping):
            return {name: self.fit(item, name, top or name) for name, item in value.items()}
        if isinstance(value, list):
            kept = value[:MAX_ITEMS] if key else value
            if len(kept) < len(value):
                self.cut.add(top)
            return [self.fit(item, key, top) for item in kept]
        if not isinstance(value, str) or key in _NAMES:
            return value
        # A secret that reaches into what is shown begins or ends near it.
        covered = redact(value[: MAX_TEXT + REACH])
        self.redacted += covered.count
        return self._cut(covered.text, key, top)

    def _cut(self, text: str, key: str, top: str) -> str:
        if key in _BODIES:
            room, self._left = self._left, max(self._left - len(text), 0)
        else:
            room = MAX_LINE
        if len(text) <= room:
            return text
        self.cut.add(top)
        return f"{text[:room].rstrip()}…" if room else "…"
