"""Findings on the client's screen: pushed to it, or ready for it to pull. Never both.

Both ways hear of the same things: a document was opened, edited or closed, or what it depends on
has changed.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Protocol

from lsprotocol import types as lsp

from akm_ls.lsp.work import holding_the_loop

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session

logger = logging.getLogger(__name__)


class Diagnostics(Protocol):
    """What the session tells of its open documents; paths are canonical."""

    def opened(self, path: str) -> None: ...

    def edited(self, path: str) -> None:
        """The text changed; it is read when somebody asks, or once the author pauses."""

    def stale(self, path: str, *, at_once: bool) -> None:
        """Something changed that the document's findings depend on.

        ``at_once``: the author has paused already.
        """

    def all_stale(self) -> None:
        """Settings, bundles or the completeness of the catalog have changed."""

    def closed(self, path: str, uri: str) -> None: ...


def diagnostics_for(session: Session) -> Diagnostics:
    """The way that the client prefers."""
    pulls = session.client.pulls_diagnostics
    return PulledDiagnostics(session) if pulls else PushedDiagnostics(session)


class _Settling:
    """A timer for each document, which starts anew with every keystroke."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def start(self, path: str) -> None:
        self.stop(path)
        delay = self._session.workspace.settings.diagnostics_delay_ms / 1000
        self._timers[path] = asyncio.get_running_loop().call_later(delay, self._over, path)

    def stop(self, path: str) -> None:
        timer = self._timers.pop(path, None)
        if timer is not None:
            timer.cancel()

    def _over(self, path: str) -> None:
        self._timers.pop(path, None)
        try:
            with holding_the_loop("settling a document"):
                self._session.settle(at_once=True)
                self._due(path)
        except Exception:
            logger.exception("diagnostics failed")

    def _due(self, path: str) -> None:
        raise NotImplementedError


class PushedDiagnostics(_Settling):
    """Findings sent to the client: once the author pauses, and only when they differ.

    A client that looks at versions drops what comes too late, when the author has typed on. It is
    sent the findings of every version, whether they differ or not.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._published: dict[str, tuple[int | None, list[lsp.Diagnostic]]] = {}
        self._waiting: set[str] = set()

    def opened(self, path: str) -> None:
        self._due(path)

    def edited(self, path: str) -> None:
        self.start(path)

    def stale(self, path: str, *, at_once: bool) -> None:
        if at_once:
            self._due(path)
        elif path not in self._timers:
            # Only the author's own keystrokes put off what is due: while a large bundle is
            # indexed, there is other news five times a second.
            self.start(path)

    def all_stale(self) -> None:
        for opened in self._session.workspace.documents:
            self._due(opened.path)

    def closed(self, path: str, uri: str) -> None:
        """Take the findings off the screen."""
        self.stop(path)
        published = self._published.pop(uri, None)
        # With versions, what the client shows may be older than what it was sent last.
        if published is not None and published != (None, []):
            self._send(uri, [], None)

    def _due(self, path: str) -> None:
        self.stop(path)
        session = self._session
        pending = session.large.pending(path)
        if pending is not None:
            self._after(path, pending)
            return
        opened = session.workspace.documents.get(path)
        if opened is None:
            return
        diagnostics = session.reports.of(path).diagnostics
        uri = session.uri(path)
        state = opened.version if session.client.reads_versions else None, diagnostics
        if self._published.get(uri) == state:
            return
        self._published[uri] = state
        self._send(uri, diagnostics, opened.version)

    def _after(self, path: str, pending: asyncio.Task[None]) -> None:
        """Publish once a large document has been read and linted."""
        if path not in self._waiting:
            self._waiting.add(path)

            def done(_: asyncio.Task[None]) -> None:
                self._waiting.discard(path)
                self._over(path)

            pending.add_done_callback(done)

    def _send(self, uri: str, diagnostics: list[lsp.Diagnostic], version: int | None) -> None:
        self._session.server.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri, diagnostics, version)
        )


class PulledDiagnostics(_Settling):
    """Findings that the client asks for. It is told when it should ask again.

    A client asks by itself after it has opened or edited a document, so only what an edit changes
    in other documents is worth telling.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._stale: dict[str, None] = {}

    def opened(self, path: str) -> None:
        self._stale.pop(path, None)

    def edited(self, path: str) -> None:
        # Nobody may ask for this document, but others may depend on it.
        self.start(path)

    def stale(self, path: str, *, at_once: bool) -> None:
        self._stale[path] = None
        self._session.refreshing.diagnostics(lambda: bool(self._stale))

    def all_stale(self) -> None:
        self._stale.update((opened.path, None) for opened in self._session.workspace.documents)
        self._session.refreshing.diagnostics(lambda: bool(self._stale))

    def closed(self, path: str, uri: str) -> None:
        self.stop(path)
        self._stale.pop(path, None)

    def told(self, path: str) -> None:
        """The client has the document's diagnostics as they are now."""
        self._stale.pop(path, None)

    def take_stale(self, most: int) -> list[str]:
        """Open documents of which the client has old diagnostics; they are told now."""
        paths = list(self._stale)[:most]
        for path in paths:
            self.told(path)
        return [path for path in paths if path in self._session.workspace.documents]

    def _due(self, path: str) -> None:
        return
