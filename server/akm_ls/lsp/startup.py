"""The start of the server: what is loaded when, and what is not made anew each time.

==========================  ====================================================================
before ``initialize`` is    the protocol and what a first document needs: the session, parsing,
answered                    the rules, the index; `offers` says what the features can do
when first asked for, or    `features`: how they do it
a moment later
when first asked for        numpy, httpx, rich, tokenizers, the MCP SDK, …
==========================  ====================================================================

Most of the time until the answer would go into code that libraries write for lsprotocol's classes
and ours; `akm_ls.import_cache` keeps it.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import Iterator

from akm_ls.import_cache import Generated
from akm_ls.lsp import features

_LIBRARIES = ("attr", "cattrs")
_SOON = 0.1
"""Seconds from the answer on in which the editor opens its documents and has their diagnostics."""

_YOUNG = 20_000
"""Objects between two collections. attrs makes every class twice and leaves the first one to the
collector: without any collection that is 10 MB for good, with the usual ones a slower start."""


class Start:
    """Loads the server, first what it answers ``initialize`` with::

        start = Start(directory)
        with start.imports():
            from akm_ls.lsp.server import AkmLanguageServer  # for the first time, lsprotocol too

            server = AkmLanguageServer()
        server.protocol.once_answered = start.load_rest_soon

    ``directory`` is where `akm_ls.import_cache` keeps its file; ``None`` keeps nothing.
    """

    def __init__(self, directory: str | None) -> None:
        self._generated = Generated(directory, "serve", _LIBRARIES)

    @contextlib.contextmanager
    def imports(self) -> Iterator[None]:
        """Import with rare garbage collection, and generate only what is new."""
        thresholds = gc.get_threshold()
        gc.set_threshold(_YOUNG, *thresholds[1:])
        try:
            with self._generated.in_use():
                yield
        finally:
            gc.set_threshold(*thresholds)
        gc.freeze()  # what was imported stays: the collector need not look at it again
        self._generated.keep()

    def load_rest_soon(self) -> None:
        """On the event loop: load what ``initialize`` was answered without. A feature that is
        asked for before is loaded then."""
        features.loading = self._generated.in_use
        asyncio.get_running_loop().call_later(_SOON, self._load_next, iter(features.__all__))

    def _load_next(self, names: Iterator[str]) -> None:
        """One feature; messages come in between."""
        name = next(names, None)
        if name is not None:
            getattr(features, name)
            asyncio.get_running_loop().call_soon(self._load_next, names)
            return
        features.loading = contextlib.nullcontext
        self._generated.keep()
        # What the file holds is not needed any more.
        self._generated = Generated(None, "serve")
