"""Progress on stderr, for work that takes longer than a moment."""

from __future__ import annotations

import os
import sys
import time
from typing import TextIO

from akm_ls.cli.terminal import printable, terminal_columns
from akm_ls.counts import count

_QUIET = 1.0
_ON_TERMINAL = 0.1
_IN_A_LOG = 5.0


class Progress:
    """Call it with ``(done, total, what)``; says nothing of what is done soon.

    On a terminal one line is rewritten. Elsewhere a line appears every few seconds; that also
    goes for CI, which often has a terminal and keeps all that was ever written to it.
    """

    def __init__(self, label: str) -> None:
        self._label = label
        self._stream = sys.stderr
        self._terminal = _rewrites_lines(self._stream)
        self._next = time.monotonic() + (_QUIET if self._terminal else _IN_A_LOG)
        self._shown = False

    def __call__(self, done: int, total: int, what: str = "") -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (_ON_TERMINAL if self._terminal else _IN_A_LOG)
        of = f"{done:,} of {count(total, 'file')}" if total else count(done, "file")
        text = f"{self._label}: {of}"
        if self._terminal:
            tail = f" · {printable(what)}"[:40] if what else ""
            # A line that is broken in two cannot be rewritten.
            shown = (text + tail)[: terminal_columns() - 1]
            self._stream.write(f"\r\x1b[K{shown}")
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


def _rewrites_lines(stream: TextIO) -> bool:
    """Whether somebody watches ``stream`` on a terminal that can go back in a line."""
    if os.environ.get("CI", "").lower() not in ("", "0", "false"):
        return False
    return os.environ.get("TERM") != "dumb" and stream.isatty()
