"""Diagnostics that the client asks for: of one document, and of everything there is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.lsp.features.diagnostics import PulledDiagnostics
from akm_ls.lsp.reports import full
from akm_ls.lsp.uris import path_of
from akm_ls.workspace.closed_findings import ClosedFindings, file_to_check, files_to_check

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.closed_findings import FileReport
    from akm_ls.workspace.linter import FileToCheck

MAX_RELATED = 20
"""Other documents whose new diagnostics come along with one answer."""
SLICE = 0.008
"""Seconds of linting at a stretch; keystrokes come in between."""
CHUNK = 100
"""Files in one partial result."""
CHUNK_SECONDS = 0.3
PATIENCE = 10.0
"""Seconds that a client which asks once and never again waits for the first index."""
HOLD = 10.0
"""Seconds that a request waits for news when a streaming client knows everything already."""

_Related = dict[str, lsp.FullDocumentDiagnosticReport | lsp.UnchangedDocumentDiagnosticReport]


async def document_diagnostics(
    session: Session, params: lsp.DocumentDiagnosticParams
) -> lsp.RelatedFullDocumentDiagnosticReport | lsp.RelatedUnchangedDocumentDiagnosticReport:
    """The diagnostics of one document, and of those that an edit in it made wrong."""
    uri, previous = params.text_document.uri, params.previous_result_id
    if not session.client.refreshes_diagnostics and not session.workspace.complete_catalog:
        # Such a client cannot be told to ask again once there is more to say.
        await session.index.idle(PATIENCE)
    opened = session.document(uri)
    if opened is None:
        return await _closed(session, uri, previous)
    await session.large.known(opened.path)
    report = session.reports.of(opened.path)
    related: _Related | None = None
    if isinstance(session.diagnostics, PulledDiagnostics):
        session.diagnostics.told(opened.path)
        if session.client.related_documents:
            stale = session.diagnostics.take_stale(MAX_RELATED)
            for path in stale:
                await session.large.known(path)
            related = {session.uri(path): full(session.reports.of(path)) for path in stale} or None
    if report.result_id == previous:
        return lsp.RelatedUnchangedDocumentDiagnosticReport(
            result_id=report.result_id, kind="unchanged", related_documents=related
        )
    return lsp.RelatedFullDocumentDiagnosticReport(
        items=report.diagnostics,
        kind="full",
        result_id=report.result_id,
        related_documents=related,
    )


async def _closed(
    session: Session, uri: str, previous: str | None
) -> lsp.RelatedFullDocumentDiagnosticReport | lsp.RelatedUnchangedDocumentDiagnosticReport:
    """Of a file that is not open: what the disk says."""
    path = path_of(uri)
    owner = None if path is None else session.workspace.bundles.relative(path)
    workers = session.server.protocol.workers
    file = None if owner is None else await workers.run(file_to_check, *owner)
    if file is None:
        return lsp.RelatedFullDocumentDiagnosticReport(items=[], kind="full")
    report = session.files.of(file, previous)
    if report is None:
        return lsp.RelatedUnchangedDocumentDiagnosticReport(
            result_id=str(previous), kind="unchanged"
        )
    fingerprint, items = report
    return lsp.RelatedFullDocumentDiagnosticReport(items=items, kind="full", result_id=fingerprint)


class ClosedReports:
    """The reports of files that are not open, and whether there is news for a waiting client."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.findings = ClosedFindings(session.workspace)
        self._news = asyncio.Event()

    def news(self) -> None:
        """Something may have changed: whoever waits should look."""
        self._news.set()

    async def wait(self, seconds: float) -> bool:
        """Whether there was news within some seconds."""
        try:
            await asyncio.wait_for(self._news.wait(), seconds)
        except asyncio.TimeoutError:
            return False
        return True

    def looked(self) -> None:
        """What was news until now is seen."""
        self._news.clear()

    def of(
        self, file: FileToCheck, previous: str | None
    ) -> tuple[str, list[lsp.Diagnostic]] | None:
        """A file's result id and diagnostics; ``None`` when ``previous`` still holds."""
        report = self.findings.check(file)
        if self.id_of(report) == previous:
            return None
        if report.document is None and report.fingerprint:
            report = self.findings.check(file, again=True)
        if report.document is None:
            return self.id_of(report), []
        items = self._session.reports.diagnostics(report.findings, report.document.lines)
        return self.id_of(report), items

    @staticmethod
    def id_of(report: FileReport) -> str:
        return f"file-{report.fingerprint}"


async def workspace_diagnostics(
    session: Session, params: lsp.WorkspaceDiagnosticParams
) -> lsp.WorkspaceDiagnosticReport:
    """Every file of every bundle, open ones as they stand, in parts where the client takes them.

    A client that gets it in parts asks again as soon as it has an answer; when it knows
    everything already, the answer waits for news.
    """
    if not session.workspace.settings.workspace_diagnostics:
        await session.files.wait(HOLD if params.partial_result_token is not None else 0)
        return lsp.WorkspaceDiagnosticReport(items=[])
    await session.index.idle()
    pull = _Pull(session, params)
    await pull.run()
    streams = params.partial_result_token is not None
    if streams and not pull.has_news and await session.files.wait(HOLD):
        await session.index.idle()
        await pull.run()
    return lsp.WorkspaceDiagnosticReport(items=pull.rest())


class _Pull:
    """One ``workspace/diagnostic``."""

    def __init__(self, session: Session, params: lsp.WorkspaceDiagnosticParams) -> None:
        self._session = session
        self._token = params.partial_result_token
        self._previous: dict[str, tuple[str, str]] = {}
        for item in params.previous_result_ids:
            path = path_of(item.uri)
            if path is not None:
                self._previous[session.workspace.canonical(path)] = (item.uri, item.value)
        self._items: list[lsp.WorkspaceDocumentDiagnosticReport] = []
        self._sent = time.monotonic()
        self.has_news = False

    async def run(self) -> None:
        session = self._session
        session.files.looked()
        session.settle()
        session.files.findings.settle()
        workspace = session.workspace
        seen: set[str] = set()
        for opened in workspace.documents:
            if opened.bundle is not None:
                seen.add(opened.path)
                await session.large.known(opened.path)
                self._open(opened.path, opened.version)
        files = await session.server.protocol.workers.run(files_to_check, workspace.bundles)
        until = time.monotonic() + SLICE
        for file in files:
            if time.monotonic() > until:
                self._send()
                await asyncio.sleep(0)
                until = time.monotonic() + SLICE
            if file.path not in seen and file.path not in workspace.documents:
                seen.add(file.path)
                self._file(file)
        for path, (uri, _) in list(self._previous.items()):
            if path not in seen:
                self._tell(path, uri, None, None, [])
        self._send(final=True)

    def rest(self) -> Sequence[lsp.WorkspaceDocumentDiagnosticReport]:
        """What the answer itself holds: nothing, if the client got it in parts."""
        return self._items

    def _open(self, path: str, version: int | None) -> None:
        session = self._session
        report = session.reports.of(path)
        uri, previous = self._previous.get(path, ("", ""))
        if report.result_id == previous:
            self._unchanged(uri, version, previous)
        else:
            self._tell(path, session.uri(path), version, report.result_id, report.diagnostics)

    def _file(self, file: FileToCheck) -> None:
        path = file.path
        uri, previous = self._previous.get(path, ("", None))
        report = self._session.files.of(file, previous)
        if report is None:
            self._unchanged(uri, None, str(previous))
            return
        result_id, items = report
        if items or previous is not None:
            self._tell(path, self._session.uri(path), None, result_id, items)

    def _tell(
        self,
        path: str,
        uri: str,
        version: int | None,
        result_id: str | None,
        items: list[lsp.Diagnostic],
    ) -> None:
        """``result_id`` is ``None`` for a file that is gone."""
        self.has_news = True
        if result_id is None:
            self._previous.pop(path, None)
        else:
            self._previous[path] = (uri, result_id)
        self._items.append(
            lsp.WorkspaceFullDocumentDiagnosticReport(
                uri=uri, items=items, kind="full", version=version, result_id=result_id
            )
        )

    def _unchanged(self, uri: str, version: int | None, result_id: str) -> None:
        if self._token is None:
            self._items.append(
                lsp.WorkspaceUnchangedDocumentDiagnosticReport(
                    uri=uri, result_id=result_id, kind="unchanged", version=version
                )
            )

    def _send(self, *, final: bool = False) -> None:
        """A part of the answer, once there is enough of it or it has waited long enough."""
        waited = time.monotonic() - self._sent
        enough = final or len(self._items) >= CHUNK or waited >= CHUNK_SECONDS
        if self._token is None or not self._items or not enough:
            return
        self._sent += waited
        self._session.server.progress(
            lsp.ProgressParams(
                self._token,
                lsp.WorkspaceDiagnosticReportPartialResult(items=self._items),
            )
        )
        self._items = []
