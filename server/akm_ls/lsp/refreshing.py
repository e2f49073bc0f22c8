"""Asking the client to ask again, once what it was told has become old."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session

logger = logging.getLogger(__name__)

QUIET = 0.3
"""Seconds without a further change before the client is asked: it asks for everything then."""


class Refreshing:
    """Code lenses, inlay hints and pulled diagnostics that the client should ask for again."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._due: dict[str, asyncio.TimerHandle] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}

    def annotations(self) -> None:
        """What is known of assets has changed: lenses and hints say something else now."""
        client, server = self._session.client, self._session.server
        shown = self._session.workspace.settings.shown
        if client.refreshes_code_lenses and (shown.citations or shown.superseded):
            self._soon("code lenses", server.workspace_code_lens_refresh_async)
        if client.refreshes_inlay_hints and (shown.titles or shown.targets):
            self._soon("inlay hints", server.workspace_inlay_hint_refresh_async)

    def everything(self) -> None:
        """The settings of the annotations themselves have changed."""
        client, server = self._session.client, self._session.server
        if client.refreshes_code_lenses:
            self._soon("code lenses", server.workspace_code_lens_refresh_async)
        if client.refreshes_inlay_hints:
            self._soon("inlay hints", server.workspace_inlay_hint_refresh_async)

    def diagnostics(self, wanted: Callable[[], bool]) -> None:
        """Diagnostics that the client has pulled are no longer true.

        ``wanted`` is asked when it is time: the client may have them all by then.
        """
        if self._session.client.refreshes_diagnostics:
            ask = self._session.server.workspace_diagnostic_refresh_async
            self._soon("diagnostics", ask, wanted)

    def stop(self) -> None:
        for timer in self._due.values():
            timer.cancel()
        self._due.clear()

    def _soon(
        self,
        what: str,
        ask: Callable[[None], Awaitable[None]],
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        timer = self._due.pop(what, None)
        if timer is not None:
            timer.cancel()
        loop = asyncio.get_running_loop()
        self._due[what] = loop.call_later(QUIET, self._ask, what, ask, wanted)

    def _ask(
        self, what: str, ask: Callable[[None], Awaitable[None]], wanted: Callable[[], bool]
    ) -> None:
        self._due.pop(what, None)
        if not wanted():
            return

        async def asking() -> None:
            try:
                await ask(None)
            except Exception as problem:
                logger.info("the client does not refresh %s: %s", what, problem)

        self._asking[what] = asyncio.get_running_loop().create_task(asking())
