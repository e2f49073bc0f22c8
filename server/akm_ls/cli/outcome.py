"""Exit codes, and the error that carries one."""

from __future__ import annotations

CLEAN = 0
"""Done, and nothing to complain about."""
FINDINGS = 1
"""``check``: findings at or above the asked severity."""
NOTHING_FOUND = 1
"""``search``, ``show``, ``refs``: no such thing."""
UNUSABLE = 2
"""Wrong usage or unusable input."""
INTERNAL_ERROR = 3
INTERRUPTED = 130
"""What a shell reports for a process that SIGINT ended."""
CLOSED_PIPE = 141
"""What a shell reports for a process that SIGPIPE ended."""


class CommandError(Exception):
    """Ends the command with one line on stderr and an exit code."""

    def __init__(self, message: str, code: int = UNUSABLE) -> None:
        super().__init__(message)
        self.code = code
