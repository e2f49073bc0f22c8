"""Findings as one JSON document (the shape other programs rely on)."""

from __future__ import annotations

from akm_ls.cli.check import CheckedFile, Summary
from akm_ls.cli.json_output import SCHEMA_VERSION, write_json
from akm_ls.workspace.finding_json import finding_json


class JsonReport:
    """Lines and characters are 0-based, characters in UTF-16 units, as in LSP."""

    def __init__(self) -> None:
        self._findings: list[dict[str, object]] = []

    def file(self, checked: CheckedFile) -> None:
        self._findings += [
            finding_json(
                finding,
                rel=checked.rel,
                path=checked.path,
                bundle=checked.bundle.id,
                lines=checked.lines,
            )
            for finding in checked.findings
        ]

    def finish(self, summary: Summary) -> None:
        write_json(
            {
                "schemaVersion": SCHEMA_VERSION,
                "findings": self._findings,
                "summary": summary.to_json(),
                "warnings": list(summary.warnings),
            }
        )
