"""The JSON schema of ``.akm-ls.toml`` allows exactly what the server reads without complaint."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from akm_ls.bundles.bundle import Bundle
from akm_ls.lint.bundle_settings import BundleSettings, BundleSettingsFiles
from akm_ls.lint.engine import CODES

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import vscode_settings  # noqa: E402 (a script, not a package)

SCHEMA: dict[str, Any] = json.loads(vscode_settings.SCHEMA.read_text(encoding="utf-8"))


def test_the_schema_is_current() -> None:
    text = vscode_settings.SCHEMA.read_text(encoding="utf-8")
    assert text == vscode_settings.text_of(vscode_settings.bundle_schema()), "run `make rules`"


def read(tmp_path: Path, text: str) -> BundleSettings:
    (tmp_path / ".akm-ls.toml").write_text(text, encoding="utf-8")
    root = str(tmp_path.resolve())
    return BundleSettingsFiles(CODES).of(Bundle("b", root, root, "akm"))


def problems(tmp_path: Path, text: str) -> list[str]:
    return [problem.key for problem in read(tmp_path, text).problems]


def values(schema: dict[str, Any]) -> Iterator[object]:
    """Everything that a leaf of the schema allows, and for a list all of it at once."""
    if "anyOf" in schema:
        for part in schema["anyOf"]:
            yield from values(part)
    elif schema.get("type") == "boolean":
        yield from (True, False)
    elif schema.get("type") == "array":
        yield list(schema["items"]["enum"])
    elif "const" in schema:
        yield schema["const"]
    else:
        yield from schema["enum"]


def leaves(
    schema: dict[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    for name, part in schema["properties"].items():
        if part.get("type") == "object":
            yield from leaves(part, (*path, name))
        else:
            yield (*path, name), part


def test_every_key_and_value_of_the_schema_is_read_without_complaint(tmp_path: Path) -> None:
    tried = 0
    for path, schema in leaves(SCHEMA):
        table = f"[{'.'.join(path[:-1])}]\n" if path[1:] else ""
        for value in values(schema):
            assert problems(tmp_path, f"{table}{path[-1]} = {json.dumps(value)}\n") == [], path
            tried += 1
    assert tried > len(CODES)


def test_the_schema_knows_every_rule_and_every_key_that_counts(tmp_path: Path) -> None:
    known = {".".join(path) for path, _ in leaves(SCHEMA)}
    assert {f"lint.rules.{code}" for code in CODES} <= known
    for text, key in (
        ('hosts = ["claude"]', "hosts"),
        ("portable = true", "portable"),
        ("[lint]\nportable = true", "lint.portable"),
    ):
        assert read(tmp_path, text) != read(tmp_path, ""), key
        assert key in known
    assert len(known) == len(CODES) + 3


@pytest.mark.parametrize(
    "text",
    [
        'hosts = ["emacs"]',
        'hosts = "claude"',
        'portable = "yes"',
        "nothing = 1",
        "[lint]\nrule = {}",
        '[lint.rules]\nmissing-ref = "loud"',
        '[lint.rules]\nno-such-rule = "off"',
        "[lint.rules]\nmissing-ref = true",
    ],
)
def test_what_the_schema_forbids_the_server_complains_about(tmp_path: Path, text: str) -> None:
    assert len(problems(tmp_path, text)) == 1
