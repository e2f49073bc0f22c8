"""The VS Code extension offers exactly the settings, rules and tools that the server reads.

So does the schema of ``.akm-ls.toml``. ``python scripts/vscode_settings.py`` writes what repeats
the server in both.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from akm_ls import __version__
from akm_ls.embedders.settings import MODES, PROVIDERS
from akm_ls.workspace import Settings, read_settings

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import vscode_settings  # noqa: E402 (a script, not a package)

MANIFEST = json.loads(vscode_settings.MANIFEST.read_text(encoding="utf-8"))
SETTINGS: dict[str, dict[str, Any]] = MANIFEST["contributes"]["configuration"]["properties"]
OF_THE_CLIENT = {"akm.server.command", "akm.trace.server"}
OF_THE_SERVER = {key: it for key, it in SETTINGS.items() if key not in OF_THE_CLIENT}
COUNTS = [key for key, it in OF_THE_SERVER.items() if "minimum" in it]


class _Asked(Mapping[str, object]):
    """A section without any value that notes which keys are asked for."""

    def __init__(self) -> None:
        self.keys_asked: set[str] = set()

    def __contains__(self, key: object) -> bool:
        self.keys_asked.add(str(key))
        return False

    def __getitem__(self, key: str) -> object:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def _problems(key: str, value: object) -> list[str]:
    _, problems = read_settings({key.removeprefix("akm."): value})
    return [problem.message for problem in problems]


def test_the_settings_are_those_that_the_server_reads() -> None:
    section = _Asked()
    read_settings(section)
    assert {f"akm.{key}" for key in section.keys_asked} == set(OF_THE_SERVER)


def test_every_default_is_the_servers_own() -> None:
    section = {key.removeprefix("akm."): it["default"] for key, it in OF_THE_SERVER.items()}
    assert read_settings(section) == (Settings(), ())


@pytest.mark.parametrize("key", COUNTS)
def test_a_number_may_be_what_the_server_takes_and_nothing_else(key: str) -> None:
    low, high = SETTINGS[key]["minimum"], SETTINGS[key]["maximum"]
    assert _problems(key, low) == _problems(key, high) == []
    assert _problems(key, low - 1) != []
    assert _problems(key, high + 1) != []


def test_the_choices_are_the_servers() -> None:
    assert tuple(SETTINGS["akm.semantic.mode"]["enum"]) == MODES
    assert tuple(SETTINGS["akm.embedding.provider"]["enum"]) == PROVIDERS


def test_rules_and_tools_are_current() -> None:
    current = vscode_settings.text_of(vscode_settings.current(MANIFEST))
    text = vscode_settings.MANIFEST.read_text(encoding="utf-8")
    assert text == current, "run `make rules`"


def test_what_decides_where_a_key_is_sent_is_not_read_from_a_workspace() -> None:
    for key in ("server.command", "config", "embedding.endpoint", "embedding.apiKey",
                "embedding.apiKeyEnv", "embedding.provider", "embedding.model"):  # fmt: skip
        assert SETTINGS[f"akm.{key}"]["scope"] == "machine", key


def test_client_and_server_have_one_version() -> None:
    assert MANIFEST["version"] == __version__
