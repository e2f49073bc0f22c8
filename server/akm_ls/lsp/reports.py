"""The diagnostics of open documents in the protocol's terms, made once for each state."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.counts import count
from akm_ls.lsp.convert import file_start, to_diagnostic
from akm_ls.workspace.known_findings import KnownFindings

if TYPE_CHECKING:
    from akm_ls.documents.text import LineIndex
    from akm_ls.lint.finding import Finding
    from akm_ls.lsp.session import Session


MAX_DIAGNOSTICS = 400
"""Of one document. More take longer to send than to find, and editors show no more of them."""
_GRAVITY = ("error", "warning", "information", "hint")


@dataclass(frozen=True, slots=True)
class Report:
    """What a client is told of one document.

    ``result_id`` names the diagnostics: it stays while they do, and no other server has it.
    """

    result_id: str
    diagnostics: list[lsp.Diagnostic]
    findings: tuple[Finding, ...]
    text: str


class Reports:
    """Reports of the open documents, by canonical path."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.known = KnownFindings(session.workspace)
        self._reports: dict[str, Report] = {}
        self._server = uuid.uuid4().hex[:8]
        self._count = 0

    def of(self, path: str) -> Report:
        """The report of an open document as it stands; one without findings for any other."""
        workspace = self._session.workspace
        before = self._reports.get(path)
        opened = workspace.documents.get(path)
        text = "" if opened is None else opened.text
        if before is not None and workspace.complete_catalog is None and before.text == text:
            # Half of the rules are silent until every bundle is read: what was true stays.
            return before
        findings = self.known.of(path)
        if before is not None and before.findings is findings:
            return before
        diagnostics = [] if opened is None else self.diagnostics(findings, opened.document.lines)
        if before is not None and before.diagnostics == diagnostics:
            report = Report(before.result_id, before.diagnostics, findings, text)
        else:
            self._count += 1
            report = Report(f"{self._server}-{self._count}", diagnostics, findings, text)
        if opened is not None:
            self._reports[path] = report
        return report

    def diagnostics(self, findings: Sequence[Finding], lines: LineIndex) -> list[lsp.Diagnostic]:
        """Findings as far as this client understands them, and as many as somebody reads."""
        session = self._session
        left = len(findings) - MAX_DIAGNOSTICS
        if left > 0:
            findings = sorted(findings, key=lambda finding: _GRAVITY.index(finding.severity))
            findings = sorted(findings[:MAX_DIAGNOSTICS], key=lambda finding: finding.span)
        related, tags = session.client.related_information, session.client.diagnostic_tags
        shown = [
            to_diagnostic(finding, lines, session.encoding, session.uri, related=related, tags=tags)
            for finding in findings
        ]
        if left > 0:
            message = (
                f"Not shown here: {count(left, 'more finding')}. `akm-ls check` lists them all."
            )
            severity = lsp.DiagnosticSeverity.Information
            shown.append(lsp.Diagnostic(file_start(), message, severity, source="akm"))
        return shown

    def forget(self, path: str) -> None:
        self.known.forget(path)
        self._reports.pop(path, None)


def full(report: Report) -> lsp.FullDocumentDiagnosticReport:
    return lsp.FullDocumentDiagnosticReport(
        items=report.diagnostics, kind="full", result_id=report.result_id
    )
