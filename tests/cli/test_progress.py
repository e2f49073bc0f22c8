"""What is seen of long work, on a terminal and in a log."""

from __future__ import annotations

import io
import sys

import pytest

from akm_ls.cli import progress
from akm_ls.cli.progress import Progress


class Stream(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def work(
    monkeypatch: pytest.MonkeyPatch, *, terminal: bool, seconds: int, **environment: str
) -> str:
    """What is written while ten files a second are done."""
    stream = Stream(terminal)
    now = [1000.0]
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    for name in ("CI", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with Progress("Indexing") as shown:
        for tick in range(seconds * 10 + 1):
            now[0] = 1000 + tick / 10
            shown(tick, 5000, f"bundle-{tick}")
    return stream.getvalue()


def test_on_a_terminal_one_line_is_rewritten_and_taken_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = work(monkeypatch, terminal=True, seconds=2)
    assert "\n" not in written
    assert "\r\x1b[KIndexing: 20 of 5,000 files · bundle-20" in written
    assert written.endswith("\r\x1b[K")


def test_the_line_is_never_broken_in_two(monkeypatch: pytest.MonkeyPatch) -> None:
    written = work(monkeypatch, terminal=True, seconds=2, COLUMNS="30")
    assert max(len(line.removeprefix("\x1b[K")) for line in written.split("\r")) == 29


@pytest.mark.parametrize(
    ("terminal", "environment"), [(False, {}), (True, {"CI": "true"}), (True, {"TERM": "dumb"})]
)
def test_in_a_log_there_is_a_line_every_few_seconds(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, environment: dict[str, str]
) -> None:
    written = work(monkeypatch, terminal=terminal, seconds=11, **environment)
    assert written == "Indexing: 50 of 5,000 files\nIndexing: 100 of 5,000 files\n"


@pytest.mark.parametrize("terminal", [True, False])
def test_what_is_done_at_once_is_not_told(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    assert work(monkeypatch, terminal=terminal, seconds=0) == ""
