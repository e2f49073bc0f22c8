"""What the lower floors log, as one line each on stderr."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from akm_ls.cli.terminal import complain


class LineHandler(logging.Handler):
    """Prints warnings and errors as single lines; remembers whether something failed.

    A rule or a file that fails is logged by the floor it fails on and costs only its own answer;
    the command then still ends with the exit code of an internal error.
    """

    def __init__(self, debug: bool) -> None:
        super().__init__(logging.WARNING)
        self._debug = debug
        self.failed = False

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        line = record.getMessage()
        if error is not None:
            line += f": {type(error).__name__}: {error}"
        complain(line)
        if record.levelno >= logging.ERROR:
            self.failed = True
            if self._debug and error is not None:
                import traceback

                traceback.print_exception(error)


@contextmanager
def watch_logs(debug: bool) -> Iterator[LineHandler]:
    """Route ``akm_ls`` log records to a `LineHandler` while the command runs."""
    handler = LineHandler(debug)
    logger = logging.getLogger("akm_ls")
    propagate, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield handler
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate
