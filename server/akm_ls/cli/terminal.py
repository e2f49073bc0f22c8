"""Text for people: escaped, measured in terminal cells, coloured only on a terminal."""

from __future__ import annotations

import os
import re
import sys
import textwrap
import unicodedata
from typing import Protocol, TextIO, TypeAlias

Segment: TypeAlias = "str | tuple[str, str]"
"""Text, or text with a rich style such as ``bold red``."""

# Control characters, bidirectional overrides (they reorder what follows), line separators and
# lone surrogates: what could move a cursor, change a colour or break the output's encoding.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: str) -> str:
    """``text`` on one line, with everything a terminal would act on spelt out."""
    return printable_block(text).replace("\n", "\\n").replace("\t", "\\t")


def printable_block(text: str) -> str:
    """Like `printable`, keeping line ends and tabs."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(_spelt_out, text.replace("\r\n", "\n"))


def _spelt_out(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def cells(char: str) -> int:
    """How many terminal columns one printable character takes."""
    if char < "\u0300":
        return 1
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


class Printer(Protocol):
    """Writes lines made of segments."""

    def line(self, *segments: Segment) -> None: ...

    @property
    def width(self) -> int: ...


class PlainPrinter:
    """Segments without their styles."""

    def __init__(self, stream: TextIO, width: int = 100) -> None:
        self._stream = stream
        self.width = width

    def line(self, *segments: Segment) -> None:
        self._stream.write("".join(s if isinstance(s, str) else s[0] for s in segments) + "\n")


class ColourPrinter:
    """Segments with their styles, through rich."""

    def __init__(self, stream: TextIO, width: int) -> None:
        from rich.console import Console

        self._console = Console(file=stream, highlight=False, force_terminal=True)
        self.width = width

    def line(self, *segments: Segment) -> None:
        from rich.text import Text

        self._console.print(Text.assemble(*segments), soft_wrap=True)


def output(plain_width: int = 100) -> Printer:
    """A printer for stdout: coloured on a terminal, unless NO_COLOR or TERM=dumb say otherwise.

    A terminal says how wide it is; ``plain_width`` is for everything else.
    """
    if not wants_colour(sys.stdout):
        return PlainPrinter(sys.stdout, plain_width)
    return ColourPrinter(sys.stdout, max(40, terminal_columns()))


def terminal_columns() -> int:
    """How wide the terminal is, or 80."""
    import shutil  # loads three compressors

    return shutil.get_terminal_size().columns


def wants_colour(stream: TextIO) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def wrapped(text: str, width: int, indent: str) -> list[str]:
    """``text`` as lines of at most ``width`` columns, each behind ``indent``."""
    return textwrap.wrap(
        printable(text),
        width=max(20 + len(indent), width),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def complain(message: str) -> None:
    """One line on stderr, in the program's name."""
    sys.stdout.flush()
    print(f"akm-ls: {printable(message)}", file=sys.stderr)
