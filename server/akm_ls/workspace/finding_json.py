"""A finding as JSON: what the command line prints, and what agents are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from akm_ls.documents.text import LineIndex, PositionEncoding, Span
    from akm_ls.lint.finding import Finding


def finding_json(
    finding: Finding,
    *,
    rel: str,
    path: str,
    bundle: str,
    lines: LineIndex,
    encoding: PositionEncoding = "utf-16",
    shown: Callable[[str], str] = str,
) -> dict[str, Any]:
    """One of the ``findings`` of ``akm-ls check --format json`` (protocol.md).

    Args:
        rel: the file's POSIX path in its bundle.
        path: its absolute path, as the user spells it.
        lines: those of the file; lines and characters are 0-based, as in LSP.
        shown: how the user spells the path of another file.
    """
    return {
        "file": rel,
        "path": path,
        "bundle": bundle,
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "range": range_json(lines, finding.span, encoding),
        "data": dict(finding.data),
        "fixable": finding.fixable,
        "source": "akm",
        "related": [
            {
                "path": shown(related.path),
                "message": related.message,
                "range": None
                if related.span is None or shown(related.path) != path
                else range_json(lines, related.span, encoding),
            }
            for related in finding.related
        ],
    }


def range_json(
    lines: LineIndex, span: Span, encoding: PositionEncoding = "utf-16"
) -> dict[str, Any]:
    """A 0-based LSP range; characters are counted in the units of ``encoding``."""
    start, end = lines.range(span, encoding)
    return {
        "start": {"line": start.line, "character": start.character},
        "end": {"line": end.line, "character": end.character},
    }
