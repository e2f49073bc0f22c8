"""Findings as one JSON document (the shape other programs rely on)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.cli.check import CheckedFile, Summary
from akm_ls.cli.json_output import SCHEMA_VERSION, write_json
from akm_ls.cli.places import json_range

if TYPE_CHECKING:
    from akm_ls.lint.finding import Finding


class JsonReport:
    """Lines and characters are 0-based, characters in UTF-16 units, as in LSP."""

    def __init__(self) -> None:
        self._findings: list[dict[str, object]] = []

    def file(self, checked: CheckedFile) -> None:
        self._findings += [finding_json(checked, finding) for finding in checked.findings]

    def finish(self, summary: Summary) -> None:
        write_json(
            {
                "schemaVersion": SCHEMA_VERSION,
                "findings": self._findings,
                "summary": summary.to_json(),
                "warnings": list(summary.warnings),
            }
        )


def finding_json(checked: CheckedFile, finding: Finding) -> dict[str, object]:
    return {
        "file": checked.rel,
        "path": checked.path,
        "bundle": checked.bundle.id,
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "range": json_range(checked.lines, finding.span),
        "data": dict(finding.data),
        "fixable": finding.fixable,
        "source": "akm",
        "related": [
            {
                "path": related.path,
                "message": related.message,
                "range": None
                if related.span is None or related.path != checked.path
                else json_range(checked.lines, related.span),
            }
            for related in finding.related
        ],
    }
