"""Every command and option of ``akm-ls``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import NoReturn

from akm_ls import __version__
from akm_ls.cli.outcome import CommandError

SEVERITIES = ("error", "warning", "info", "hint")
_DESCRIPTION = """\
Language server for agent skills and AKM knowledge bundles.

Without a command akm-ls serves the Language Server Protocol on stdin and stdout, for an editor.
"""
_EXIT_CODES = """\
exit codes: 0 done and clean; 1 findings (check) or nothing found (search, show,
context, commands, refs);
2 wrong usage or unusable input; 3 internal error

Lines and columns in text count from 1, columns in characters (code points).
"""


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line.

    The result has ``command`` (``serve`` when none was given), the common options
    ``bundle_dirs``, ``data_dir``, ``config`` and ``offline`` with absolute paths, and the
    command's own.

    Raises:
        CommandError: wrong usage, in one line.
        SystemExit: after ``--help`` and ``--version``.
    """
    options = _parsed(arguments)
    options.bundle_dirs = [*options.bundle_dirs_before, *getattr(options, "bundle_dirs_after", [])]
    options.command = options.command or "serve"
    _check_common(options)
    return options


_LISTS = ("paths", "query")
"""Positionals of which a command takes any number; options may stand between them."""


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Like ``parse_args``, but ``check a --fix b`` is ``check --fix a b``.

    argparse takes positionals in one go, and calls those behind the next option unknown.
    """
    parser = _build()
    options, left = parser.parse_known_args(arguments)
    if not left:
        return options
    several = next((name for name in _LISTS if isinstance(getattr(options, name, None), list)), "")
    literal = arguments[arguments.index("--") + 1 :] if "--" in arguments else ()
    left = [text for text in left if text != "--" or text in literal]
    wrong = [text for text in left if text.startswith("-") and text not in literal]
    if wrong or not several:
        parser.error(f"unrecognized arguments: {' '.join(wrong or left)}")
    getattr(options, several).extend(left)
    return options


class _Parser(argparse.ArgumentParser):
    """argparse that answers wrong usage in one line."""

    def error(self, message: str) -> NoReturn:
        if message.startswith("argument COMMAND"):  # argparse would list the hidden ones too
            message = message.partition(" (choose from")[0].replace("invalid choice", "no command")
        raise CommandError(f"{message} (see {self.prog} --help)")


def _build() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="akm-ls",
        description=_DESCRIPTION,
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"akm-ls {__version__}")
    _add_transport(parser)
    _add_common(parser, "bundle_dirs_before", None, False)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for add in _COMMANDS:
        _add_common(add(commands), "bundle_dirs_after", argparse.SUPPRESS, argparse.SUPPRESS)
    return parser


_Commands = argparse._SubParsersAction  # argparse has no public name for what it returns


def _add(commands: _Commands[_Parser], name: str, summary: str) -> _Parser:
    return commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        allow_abbrev=False,
    )


def _serve(commands: _Commands[_Parser]) -> _Parser:
    parser = _add(commands, "serve", "serve the Language Server Protocol (the default)")
    _add_transport(parser, argparse.SUPPRESS)
    parser.add_argument("--log-file", metavar="FILE", help="write the log there, not to stderr")
    parser.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="warning",
        help="how much to log (default: %(default)s)",
    )
    return parser


def _check(commands: _Commands[_Parser]) -> _Parser:
    parser = _add(commands, "check", "find faults in bundles or files")
    _add_paths(parser, "files or directories to check (default: the bundles here)")
    _add_format(parser, "text", "json", "sarif", "github")
    parser.add_argument(
        "--select", action="append", metavar="CODE[,…]", help="only these rules", default=[]
    )
    parser.add_argument(
        "--ignore", action="append", metavar="CODE[,…]", help="not these rules", default=[]
    )
    parser.add_argument(
        "--severity",
        choices=SEVERITIES,
        default="warning",
        help="the mildest to show and to fail for (default: %(default)s)",
    )
    parser.add_argument("--fix", action="store_true", help="apply the fixes that are safe")
    parser.add_argument(
        "--diff", action="store_true", help="show what --fix would change, and change nothing"
    )
    parser.add_argument(
        "--skip-outside",
        action="store_true",
        help="pass over files that are in no bundle (for commit hooks)",
    )
    parser.add_argument("--exit-zero", action="store_true", help="exit 0 also with findings")
    return parser


def _index(commands: _Commands[_Parser]) -> _Parser:
    parser = _add(commands, "index", "build or refresh the index")
    _add_paths(parser, "directories whose bundles to index (default: the bundles here)")
    _add_format(parser, "text", "json")
    parser.add_argument("--full", action="store_true", help="read every file again")
    parser.add_argument("--clean", action="store_true", help="also forget bundles that are gone")
    parser.add_argument(
        "--embed", action="store_true", help="also compute the embeddings that are missing"
    )
    parser.add_argument(
        "--reembed", action="store_true", help="discard all embeddings and compute them again"
    )
    parser.add_argument(
        "--verbose", action="store_true", help="with either: a line on stderr for every batch"
    )
    parser.add_argument(
        "--skip-if-locked",
        action="store_true",
        help="do nothing, successfully, while another process indexes",
    )
    return parser


def _search(commands: _Commands[_Parser]) -> _Parser:
    parser = _add(commands, "search", "search the library")
    parser.add_argument(
        "query",
        nargs="*",
        metavar="QUERY",
        help="words, or a place to list such as knowledge/auth/ or team//; nothing lists all",
    )
    _add_format(parser, "text", "json")
    parser.add_argument("--type", metavar="T", help="only this asset type, for example skill")
    parser.add_argument("--bundle", metavar="B", help="only this bundle")
    parser.add_argument(
        "--limit", type=_positive, default=20, metavar="N", help="at most N (default: %(default)s)"
    )
    parser.add_argument(
        "--detail",
        choices=("brief", "normal", "full", "agent"),
        default="normal",
        help="how much to say of each hit (default: %(default)s)",
    )
    parser.add_argument(
        "--mode",
        choices=("auto", "lexical", "hybrid", "semantic"),
        default="auto",
        help="how to search (default: %(default)s)",
    )
    return parser


def _show(commands: _Commands[_Parser]) -> _Parser:
    parser = _add(commands, "show", "print an asset, or one section of it")
    parser.add_argument("ref", metavar="REF", help="[bundle//]conceptId[#fragment]")
    _add_format(parser, "text", "json")
    return parser


def _context(commands: _Commands[_Parser]) -> _Parser:
    parser = _add(commands, "context", "pack what is known for a query, for an agent")
    parser.add_argument("query", nargs="*", metavar="QUERY", help="words; a topic can stand in")
    _add_format(parser, "text", "json")
    parser.add_argument("--type", metavar="T", help="only this asset type, for example skill")
    parser.add_argument("--bundle", metavar="B", help="only this bundle")
    parser.add_argument(
        "--max-items",
        type=_positive,
        default=6,
        metavar="N",
        help="pieces of evidence, at most 50 (default: %(default)s)",
    )
    parser.add_argument(
        "--max-tokens",
        type=_positive,
        default=1200,
        metavar="N",
        help="tokens the whole pack takes, 800 to 12000 (default: %(default)s)",
    )
    parser.add_argument("--since", metavar="WHEN", help="changed since 30m, 12h, 7d, 2w or a date")
    parser.add_argument("--dedupe", action="store_true", help="also say what repeats")
    parser.add_argument("--topic", metavar="TEXT", help="what a proposal is about")
    parser.add_argument(
        "--purpose",
        choices=("agent_context", "proposal"),
        default="agent_context",
        help="what it is for (default: %(default)s)",
    )
    parser.add_argument(
        "--mode",
        choices=("auto", "lexical", "hybrid", "semantic"),
        default="auto",
        help="how to search (default: %(default)s)",
    )
    return parser


def _commands(commands: _Commands[_Parser]) -> _Parser:
    parser = _add(commands, "commands", "find a command, workflow or skill that does something")
    parser.add_argument("query", nargs="+", metavar="QUERY", help="what it should do")
    _add_format(parser, "text", "json")
    parser.add_argument(
        "--limit", type=_positive, default=20, metavar="N", help="at most N (default: %(default)s)"
    )
    parser.add_argument(
        "--scope",
        choices=("all", "verbs", "assets"),
        default="all",
        help="akm-ls's own commands, those of the bundles, or both (default: %(default)s)",
    )
    parser.add_argument(
        "--effect",
        action="append",
        choices=("read", "write", "destructive"),
        help="only with this effect (repeatable)",
    )
    parser.add_argument("--bundle", metavar="B", help="only this bundle")
    return parser


def _refs(commands: _Commands[_Parser]) -> _Parser:
    parser = _add(commands, "refs", "list the places that cite an asset")
    parser.add_argument("ref", metavar="REF", help="[bundle//]conceptId[#fragment]")
    _add_format(parser, "text", "json")
    return parser


def _doctor(commands: _Commands[_Parser]) -> _Parser:
    parser = _add(commands, "doctor", "say what was found: config, bundles, index, versions")
    _add_paths(parser, "directories to look at (default: the current one)")
    _add_format(parser, "text", "json")
    return parser


def _mcp(commands: _Commands[_Parser]) -> _Parser:
    return _add(commands, "mcp", "serve the library to agents, over the Model Context Protocol")


_COMMANDS = (_serve, _check, _index, _search, _show, _context, _commands, _refs, _mcp, _doctor)


def _add_paths(parser: _Parser, text: str) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help=text)


def _add_format(parser: _Parser, *formats: str) -> None:
    parser.add_argument(
        "--format", choices=formats, default=formats[0], help="default: %(default)s"
    )


def _add_transport(parser: _Parser, default: object = None) -> None:
    parser.add_argument(
        "--stdio", action="store_true", help=argparse.SUPPRESS, default=default or False
    )
    parser.add_argument(
        "--tcp",
        metavar="HOST:PORT",
        default=default,
        help="serve on a TCP port instead, on the loopback interface unless HOST says otherwise",
    )


def _add_common(parser: _Parser, bundle_dirs: str, default: object, flag: object) -> None:
    """Options that stand before or after the command; the one after it wins."""
    group = parser.add_argument_group("common options")
    group.add_argument(
        "--bundle-dir",
        dest=bundle_dirs,
        action="append",
        default=[],
        metavar="PATH",
        help="use exactly this bundle (repeatable), and nothing from akm's configuration",
    )
    group.add_argument("--data-dir", metavar="PATH", default=default, help="where the index lives")
    group.add_argument("--config", metavar="PATH", default=default, help="akm's config.json")
    group.add_argument(
        "--offline", action="store_true", default=flag, help="use nothing over the network"
    )
    group.add_argument("--traceback", action="store_true", default=flag, help=argparse.SUPPRESS)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def _check_common(options: argparse.Namespace) -> None:
    named = {"PATH": getattr(options, "paths", ()), "--bundle-dir": options.bundle_dirs}
    named |= {"--config": (options.config,), "--data-dir": (options.data_dir,)}
    for what, paths in named.items():
        if "" in paths:  # an unset variable in a script; it would name the current directory
            raise CommandError(f"{what} is empty: name a file or directory")
    options.bundle_dirs = [os.path.abspath(path) for path in options.bundle_dirs]
    for path in options.bundle_dirs:
        if not os.path.isdir(path):
            raise CommandError(f"--bundle-dir {path}: no such directory")
    if options.config is not None:
        options.config = os.path.abspath(options.config)
        if not os.path.isfile(options.config):
            raise CommandError(f"--config {options.config}: no such file")
    if options.data_dir is not None:
        options.data_dir = os.path.abspath(options.data_dir)
        if os.path.exists(options.data_dir) and not os.path.isdir(options.data_dir):
            raise CommandError(f"--data-dir {options.data_dir}: not a directory")
