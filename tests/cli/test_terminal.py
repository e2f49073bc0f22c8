"""What reaches a terminal, and what does not."""

from __future__ import annotations

import io

import pytest

from akm_ls.cli.terminal import (
    ColourPrinter,
    PlainPrinter,
    printable,
    printable_block,
    wants_colour,
    wrapped,
)
from akm_ls.counts import count


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("日本 é 👩‍💻", "日本 é 👩‍💻"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("a\tb\nc\rd", "a\\tb\\nc\\x0dd"),
        ("evil \u202egnp.exe", "evil \\u202egnp.exe"),
        ("\udc80", "\\udc80"),
        ("a\u2028b", "a\\u2028b"),
    ],
)
def test_what_a_terminal_would_act_on_is_spelt_out(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_block_keeps_its_lines_and_tabs() -> None:
    assert printable_block("a\r\n\tb\x1b[0m\n") == "a\n\tb\\x1b[0m\n"


def test_the_plain_printer_drops_styles() -> None:
    stream = io.StringIO()
    PlainPrinter(stream).line(("warning", "bold"), "[code] ", "text")
    assert stream.getvalue() == "warning[code] text\n"


def test_the_colour_printer_adds_nothing_but_colour() -> None:
    stream = io.StringIO()
    ColourPrinter(stream, 40).line(("warning", "bold red"), "[bold]not markup[/] " + "long " * 20)
    text = stream.getvalue()
    assert "\x1b[1;31mwarning\x1b[0m" in text
    assert "[bold]not markup[/]" in text
    assert text.count("\n") == 1


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_is_for_terminals_that_want_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    assert wants_colour(Terminal())
    assert not wants_colour(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(Terminal())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_colour(Terminal())


def test_wrapped_text_keeps_its_indent() -> None:
    assert wrapped("one two three four five", 24, "    ") == [
        "    one two three four",
        "    five",
    ]
    assert wrapped("", 40, "  ") == []


def test_counts_read_like_english() -> None:
    assert count(1, "file") == "1 file"
    assert count(0, "file") == "0 files"
    assert count(12_345, "entry", "entries") == "12,345 entries"
