"""Progress on stderr, for work that takes longer than a moment."""

from __future__ import annotations

import sys
import time

from akm_ls.cli.terminal import printable

_QUIET = 1.0
_ON_TERMINAL = 0.1
_IN_A_LOG = 5.0


class Progress:
    """Call it with ``(done, total, what)``; says nothing in the first second.

    On a terminal one line is rewritten; elsewhere a line appears every few seconds.
    """

    def __init__(self, label: str) -> None:
        self._label = label
        self._stream = sys.stderr
        self._terminal = self._stream.isatty()
        self._next = time.monotonic() + _QUIET
        self._shown = False

    def __call__(self, done: int, total: int, what: str = "") -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (_ON_TERMINAL if self._terminal else _IN_A_LOG)
        of = f" of {total:,}" if total else ""
        text = f"{self._label}: {done:,}{of} files"
        if self._terminal:
            tail = f" · {printable(what)}"[:40] if what else ""
            self._stream.write(f"\r\x1b[K{text}{tail}")
        else:
            self._stream.write(text + "\n")
        self._stream.flush()
        self._shown = True

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Take the line off the terminal, before something else is printed there."""
        if self._shown and self._terminal:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown = False
