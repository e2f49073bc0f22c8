"""The command line's grammar."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from akm_ls.cli.arguments import parse
from akm_ls.cli.outcome import CommandError
from akm_ls.cli.serve import parse_address


def test_without_a_command_it_serves() -> None:
    assert parse([]).command == "serve"
    assert parse(["--stdio"]).command == "serve"
    assert parse(["--tcp", "2087"]).tcp == "2087"
    assert parse(["serve", "--tcp", ":2087"]).tcp == ":2087"


def test_common_options_stand_before_or_after_the_command(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    before = ["--bundle-dir", str(one), "--offline"]
    options = parse([*before, "check", "--bundle-dir", str(two), "--data-dir", "d"])
    assert options.bundle_dirs == [str(one), str(two)]
    assert options.offline
    assert options.data_dir == os.path.abspath("d")
    assert parse(["--data-dir", "a", "check"]).data_dir == os.path.abspath("a")
    assert parse(["--data-dir", "a", "check", "--data-dir", "b"]).data_dir == os.path.abspath("b")


def test_options_may_stand_between_paths_and_words() -> None:
    options = parse(["check", "a", "--severity", "hint", "b", "--fix", "c"])
    assert options.paths == ["a", "b", "c"]
    assert (options.severity, options.fix) == ("hint", True)
    assert parse(["search", "rotate", "--limit", "3", "tokens"]).query == ["rotate", "tokens"]
    assert parse(["check", "a", "--fix", "--", "-b"]).paths == ["a", "-b"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["check", "a", "--fix", "--nope", "b"], "unrecognized arguments: --nope"),
        (["show", "knowledge/a", "--format", "json", "knowledge/b"], "knowledge/b"),
        (["check", ""], "PATH is empty"),
        (["index", "a", ""], "PATH is empty"),
        (["--bundle-dir", "", "check"], "--bundle-dir is empty"),
        (["--data-dir", "", "check"], "--data-dir is empty"),
        (["--config", "", "check"], "--config is empty"),
        (["chekc"], "no command: 'chekc'"),
        (["check", "--nope"], "--nope"),
        (["check", "--severity", "loud"], "loud"),
        (["search", "--limit", "0"], "0 is not a positive number"),
        (["search", "--limit", "many"], "many"),
        (["show"], "REF"),
        (["--bundle-dir", "/no/such/place", "check"], "no such directory"),
        (["--config", "/no/such/file", "check"], "no such file"),
        (["context", "--max-items", "0", "query"], "0 is not a positive number"),
        (["commands"], "QUERY"),
        (["commands", "--effect", "nice", "query"], "nice"),
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str], complaint: str) -> None:
    with pytest.raises(CommandError) as caught:
        parse(arguments)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.code == 2


def test_help_does_not_promise_what_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["--help"])
    text = capsys.readouterr().out
    names = re.findall(r"^    ([a-z]+)  ", text, re.MULTILINE)
    assert {"serve", "check", "context", "commands", "doctor"} <= set(names)
    for name in names:
        assert find_spec(f"akm_ls.cli.{name}"), name


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("2087", ("127.0.0.1", 2087)),
        (":2087", ("127.0.0.1", 2087)),
        ("0.0.0.0:1", ("0.0.0.0", 1)),
        ("[::1]:2087", ("::1", 2087)),
        ("localhost:0", ("localhost", 0)),
    ],
)
def test_tcp_addresses_are_loopback_unless_they_say_otherwise(
    text: str, address: tuple[str, int]
) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["", "host", "host:", "host:70000", "host:١"])
def test_an_address_needs_a_port(text: str) -> None:
    with pytest.raises(CommandError):
        parse_address(text)
