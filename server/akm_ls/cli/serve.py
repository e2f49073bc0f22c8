"""``akm-ls serve``: the language server on stdio or a TCP port."""

from __future__ import annotations

import logging
import sys
from argparse import Namespace

from akm_ls.cli.outcome import CommandError
from akm_ls.index.places import default_data_dir

_LOOPBACK = "127.0.0.1"


def run(options: Namespace) -> int:
    """Serve until the client leaves. Stdout is the protocol's; logs go to stderr or a file."""
    address = None if options.tcp is None else parse_address(options.tcp)
    _configure_logs(options)
    from akm_ls.lsp.startup import Start

    start = Start(options.data_dir or default_data_dir())
    with start.imports():
        from akm_ls.lsp.server import AkmLanguageServer
        from akm_ls.lsp.transport import start_stdio, start_tcp
        from akm_ls.workspace.settings import Settings

        settings = Settings(
            bundle_dirs=tuple(options.bundle_dirs),
            data_dir=options.data_dir,
            config=options.config,
            offline=options.offline,
        )
        server = AkmLanguageServer(settings)
    server.protocol.once_answered = start.load_rest_soon
    if address is None:
        start_stdio(server)
    start_tcp(server, *address)


def parse_address(text: str) -> tuple[str, int]:
    """``HOST:PORT``, ``[::1]:PORT``, ``:PORT`` or ``PORT``; the host is loopback by default."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or _LOOPBACK
    if not port.isascii() or not port.isdigit() or not 0 <= int(port) <= 65_535:
        raise CommandError(f"--tcp {text}: expected HOST:PORT")
    return host, int(port)


def _configure_logs(options: Namespace) -> None:
    level = getattr(options, "log_level", "warning").upper()
    form = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    file = getattr(options, "log_file", None)
    try:
        logging.basicConfig(level=level, format=form, filename=file)
    except OSError as error:
        raise CommandError(f"--log-file {file}: {error.strerror}") from error
    if options.tcp is None and sys.stdin is not None and sys.stdin.isatty():
        from akm_ls.cli.terminal import complain

        complain("serving on stdin and stdout for an editor; `akm-ls --help` lists the commands")
