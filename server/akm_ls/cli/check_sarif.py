"""Findings as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from akm_ls import __version__
from akm_ls.cli.check import CheckedFile, Summary
from akm_ls.cli.json_output import write_json
from akm_ls.cli.places import project_path, project_root
from akm_ls.cli.terminal import complain
from akm_ls.lint.pages import rule_url

if TYPE_CHECKING:
    from akm_ls.lint.finding import Finding

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_BASE = "%SRCROOT%"
_LEVELS = {"error": "error", "warning": "warning", "information": "note", "hint": "note"}


class SarifReport:
    def __init__(self) -> None:
        from akm_ls.lint.rules import ALL_RULES

        # Several rules may share a code; a SARIF rule id stands once.
        self._rules = list({rule.code: rule for rule in ALL_RULES}.values())
        self._index = {rule.code: number for number, rule in enumerate(self._rules)}
        self._results: list[dict[str, object]] = []

    def file(self, checked: CheckedFile) -> None:
        self._results += [self._result(checked, finding) for finding in checked.findings]

    def finish(self, summary: Summary) -> None:
        for warning in summary.warnings:
            complain(f"warning: {warning}")
        write_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [self._run(summary)]})

    def _run(self, summary: Summary) -> dict[str, object]:
        return {
            "tool": {
                "driver": {
                    "name": "akm-ls",
                    "semanticVersion": __version__,
                    "rules": [
                        {
                            "id": rule.code,
                            "shortDescription": {"text": rule.summary},
                            "fullDescription": {"text": rule.why},
                            "helpUri": rule_url(rule.code),
                            "help": {"text": rule.remedy, "markdown": rule.remedy},
                            "defaultConfiguration": {"level": _LEVELS[rule.severity]},
                        }
                        for rule in self._rules
                    ],
                }
            },
            "invocations": [
                {
                    "executionSuccessful": True,
                    "toolConfigurationNotifications": [
                        {"level": "warning", "message": {"text": warning}}
                        for warning in summary.warnings
                    ],
                }
            ],
            "columnKind": "utf16CodeUnits",
            "originalUriBaseIds": {_BASE: {"uri": Path(project_root()).as_uri() + "/"}},
            "results": self._results,
        }

    def _result(self, checked: CheckedFile, finding: Finding) -> dict[str, object]:
        start, end = checked.lines.range(finding.span, "utf-16")
        result: dict[str, object] = {
            "ruleId": finding.code,
            "level": _LEVELS[finding.severity],
            "message": {"text": finding.message},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": artifact(checked.path),
                        "region": {
                            "startLine": start.line + 1,
                            "startColumn": start.character + 1,
                            "endLine": end.line + 1,
                            "endColumn": end.character + 1,
                        },
                    }
                }
            ],
        }
        if finding.code in self._index:
            result["ruleIndex"] = self._index[finding.code]
        if finding.related:
            result["relatedLocations"] = [
                {
                    "message": {"text": related.message},
                    "physicalLocation": {"artifactLocation": artifact(related.path)},
                }
                for related in finding.related
            ]
        return result


def artifact(path: str) -> dict[str, str]:
    """A file relative to the checkout where it lies in it, else by its full URI."""
    relative = project_path(path)
    if relative is None:
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(relative, errors="surrogateescape"), "uriBaseId": _BASE}
