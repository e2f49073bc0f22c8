"""The command line: arguments in, text or one JSON document out, an exit code back.

Each subcommand is a module that imports what it needs when it runs, so that ``--version`` stays
quick and nothing but ``serve`` loads the protocol libraries.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from akm_ls.cli.outcome import CLOSED_PIPE, INTERNAL_ERROR, INTERRUPTED, UNUSABLE, CommandError

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns its exit code; never raises and never prints a traceback unasked."""
    try:
        return _answer(list(sys.argv[1:] if argv is None else argv))
    finally:
        if argv is None:
            _end_quietly()


def _answer(arguments: list[str]) -> int:
    debug = "--traceback" in arguments or bool(os.environ.get("AKM_LS_DEBUG"))
    try:
        _prepare_streams()
        code = _run(arguments, debug)
        sys.stdout.flush()
    except SystemExit as leaving:  # argparse: --help, --version and wrong usage
        return _after_exit(leaving)
    except CommandError as error:
        _complain(str(error))
        return error.code
    except BrokenPipeError:
        _silence_output()
        return CLOSED_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if debug:
            raise
        return _failed(error)
    return code


def _run(arguments: list[str], debug: bool) -> int:
    from akm_ls.cli.arguments import parse

    options = parse(arguments)
    if options.command == "serve":
        from akm_ls.cli.serve import run as serve

        return serve(options)
    from akm_ls.cli.logs import watch_logs
    from akm_ls.index.memory import rare_collections

    with watch_logs(debug) as logs, rare_collections():
        code = _command(options.command)(options)
    return INTERNAL_ERROR if logs.failed else code


def _command(name: str) -> Callable[[Namespace], int]:
    from importlib import import_module

    run: Callable[[Namespace], int] = import_module(f"akm_ls.cli.{name}").run
    return run


def _after_exit(leaving: SystemExit) -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _silence_output()
        return CLOSED_PIPE
    return leaving.code if isinstance(leaving.code, int) else UNUSABLE


def _failed(error: Exception) -> int:
    """One line for what went wrong; what the system refused is not our fault, the rest is."""
    if isinstance(error, OSError) and error.filename is not None:
        _complain(f"{error.filename}: {error.strerror or error}")
        return UNUSABLE
    if isinstance(error, OSError):
        _complain(f"cannot go on: {error.strerror or error}")
        return INTERNAL_ERROR
    _complain(
        f"internal error: {type(error).__name__}: {error} "
        "(--traceback or AKM_LS_DEBUG=1 shows where)"
    )
    return INTERNAL_ERROR


def _complain(message: str) -> None:
    from akm_ls.cli.terminal import complain

    complain(message)


def _end_quietly() -> None:
    """The process is about to end: there is nothing worth collecting any more, and Ctrl-C has
    nothing left to unwind, and nobody to tell."""
    import gc
    import signal

    gc.freeze()
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    except ValueError:  # not the main thread, which alone is interrupted
        return


def _prepare_streams() -> None:
    """File names and texts hold every character; none of them may stop the output."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (lives with the process)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _silence_output() -> None:
    """Nobody reads any more: let the interpreter's last flush go nowhere, quietly."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
