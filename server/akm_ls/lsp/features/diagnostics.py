"""Publishing findings: once the author pauses, and only when they differ from the last time."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.lsp.convert import to_diagnostic

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session

logger = logging.getLogger(__name__)


class DiagnosticsPublisher:
    """Findings of the open documents, pushed to the client."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._published: dict[str, list[lsp.Diagnostic]] = {}

    def schedule(self, path: str) -> None:
        """Publish a document's findings when nothing more has happened for the settle time."""
        timer = self._timers.pop(path, None)
        if timer is not None:
            timer.cancel()
        delay = self._session.workspace.settings.diagnostics_delay_ms / 1000
        self._timers[path] = asyncio.get_running_loop().call_later(delay, self._due, path)

    def refresh_all(self) -> None:
        """Publish for every open document, at once.

        While some bundle has not been read yet, what is on the screen stays: the rules that need
        all of them are silent, and squiggles that go and come back distract.
        """
        if self._session.workspace.complete_catalog is None:
            return
        for opened in self._session.workspace.documents:
            self.publish_now(opened.path)

    def _due(self, path: str) -> None:
        try:
            self._session.settle(at_once=True)
            self.publish_now(path)
        except Exception:
            logger.exception("diagnostics failed")

    def publish_now(self, path: str) -> None:
        timer = self._timers.pop(path, None)
        if timer is not None:
            timer.cancel()
        session = self._session
        opened = session.workspace.documents.get(path)
        if opened is None:
            return
        lines = opened.document.lines
        related = session.client.related_information
        diagnostics = [
            to_diagnostic(finding, lines, session.encoding, session.uri, related=related)
            for finding in session.workspace.findings(path)
        ]
        uri = session.uri(path)
        if self._published.get(uri) == diagnostics:
            return
        self._published[uri] = diagnostics
        self._send(uri, diagnostics, opened.version)

    def clear(self, path: str, uri: str) -> None:
        """A document was closed: take its findings off the screen."""
        timer = self._timers.pop(path, None)
        if timer is not None:
            timer.cancel()
        if self._published.pop(uri, None):
            self._send(uri, [], None)

    def _send(self, uri: str, diagnostics: list[lsp.Diagnostic], version: int | None) -> None:
        self._session.server.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri, diagnostics, version)
        )
