"""``akm-ls mcp``: the library for agents, over the Model Context Protocol on stdio."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from typing import TYPE_CHECKING, NoReturn

from akm_ls.cli.library import usable_data_dir
from akm_ls.cli.outcome import CLEAN, INTERRUPTED, CommandError
from akm_ls.cli.terminal import complain

if TYPE_CHECKING:
    from akm_ls.mcp.library import OpenLibrary

_SDK = "'mcp>=2,<3'"
_EXTRA = "'akm-language-server[mcp]'"
_OLDEST = 2
"""The first major version of the SDK that knows clients of both generations."""


def run(options: Namespace) -> NoReturn:
    """Serve until the client closes stdin. Stdout is the protocol's; logs go to stderr.

    Raises:
        CommandError: the SDK is not there, or too old.
    """
    _require_sdk()
    if sys.stdin is not None and sys.stdin.isatty():
        complain("serving on stdin and stdout for an agent; docs/mcp.md says how to register it")
    from akm_ls.lsp.process import end
    from akm_ls.lsp.startup import Start

    with Start(None).imports():
        import anyio

        from akm_ls.mcp.server import serve

    data_dir = usable_data_dir(options.data_dir)
    try:
        anyio.run(serve, lambda: _open(options, data_dir))
    except KeyboardInterrupt:
        end(INTERRUPTED)
    # A worker that is still reading files would keep the process for as long as it takes.
    end(CLEAN)


def _open(options: Namespace, data_dir: str) -> OpenLibrary:
    from akm_ls.mcp.library import OpenLibrary
    from akm_ls.workspace.settings import Settings

    return OpenLibrary(
        Settings(
            bundle_dirs=tuple(options.bundle_dirs),
            folders=() if options.bundle_dirs else (os.getcwd(),),
            data_dir=data_dir,
            config=options.config,
            offline=options.offline,
            usage=False,  # as on the command line, nothing is noted of what is asked here
        )
    )


def sdk_version() -> str | None:
    """The version of the SDK that is installed, without importing it."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("mcp")
    except PackageNotFoundError:
        return None


def _require_sdk() -> None:
    found = sdk_version()
    major = "" if found is None else found.partition(".")[0]
    if found is not None and not (major.isdigit() and int(major) < _OLDEST):
        return
    lacking = "which is not installed" if found is None else f"version {_OLDEST}, not {found}"
    python = sys.executable or "python"
    raise CommandError(
        f"akm-ls mcp needs the MCP SDK, {lacking}: install {_EXTRA}, "
        f"or run {python} -m pip install --upgrade {_SDK}"
    )
