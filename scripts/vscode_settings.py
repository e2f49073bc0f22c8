"""Write what editors repeat of the server's settings: rules and tools.

    python scripts/vscode_settings.py            # write it
    python scripts/vscode_settings.py --check    # say whether it is current

In the VS Code extension's ``package.json`` each rule code becomes a property of
``akm.lint.rules``, so that the settings editor offers the codes and says what each one means.
``docs/akm-ls.schema.json`` does the same for ``.akm-ls.toml``, in any editor that knows schemas.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, get_args

from akm_ls.bundles.schema import load_schema
from akm_ls.lint.rule import Rule
from akm_ls.lint.rules import ALL_RULES
from akm_ls.lint.settings import Level

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = ROOT / "vscode-client" / "package.json"
SCHEMA = ROOT / "docs" / "akm-ls.schema.json"


def rule_property(rule: Rule) -> dict[str, Any]:
    """A rule as a property of the setting: its levels, what it finds and what it is without one."""
    usual = f"Default: {rule.severity}." if rule.default else "Off by default."
    return {
        "type": "string",
        "enum": list(get_args(Level)),
        "markdownDescription": f"{rule.summary} {usual}",
    }


def hosts() -> list[str]:
    """The tools that ``akm.hosts`` may name."""
    return [host for host in load_schema().hosts if host != "spec"]


def current(manifest: dict[str, Any]) -> dict[str, Any]:
    """``package.json`` with the rules and tools of this server."""
    manifest = json.loads(json.dumps(manifest))
    properties = manifest["contributes"]["configuration"]["properties"]
    properties["akm.hosts"]["items"]["enum"] = hosts()
    rules = properties["akm.lint.rules"]
    rules["properties"] = {
        rule.code: rule_property(rule) for rule in sorted(ALL_RULES, key=lambda rule: rule.code)
    }
    return manifest


def bundle_schema() -> dict[str, Any]:
    """What may stand in ``.akm-ls.toml``, as a JSON schema."""
    portable = {
        "type": "boolean",
        "description": "Judge skills by the Agent Skills specification alone.",
    }
    rules = {
        rule.code: {
            "description": it["markdownDescription"],
            "anyOf": [
                {"enum": [*it["enum"], "info", "warn"]},
                {"const": False, "description": "As off."},
            ],
        }
        for rule in sorted(ALL_RULES, key=lambda rule: rule.code)
        for it in [rule_property(rule)]
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Settings of a bundle of agent skills and knowledge (.akm-ls.toml)",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "hosts": {
                "type": "array",
                "items": {"enum": hosts()},
                "uniqueItems": True,
                "description": "The tools that the files are written for; none named: all.",
            },
            "portable": portable,
            "lint": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "portable": portable,
                    "rules": {
                        "type": "object",
                        "additionalProperties": False,
                        "description": "Severity by rule.",
                        "properties": rules,
                    },
                },
            },
        },
    }


def text_of(manifest: dict[str, Any]) -> str:
    """JSON as npm writes it."""
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    options = parser.parse_args()
    manifest = current(json.loads(MANIFEST.read_text(encoding="utf-8")))
    stale = [
        (path, text_of(content))
        for path, content in ((MANIFEST, manifest), (SCHEMA, bundle_schema()))
        if not path.exists() or path.read_text(encoding="utf-8") != text_of(content)
    ]
    for path, text in stale:
        name = path.relative_to(ROOT).as_posix()
        print(f"{name} is not current: run `make rules`" if options.check else name)
        if not options.check:
            path.write_text(text, encoding="utf-8", newline="\n")
    return int(options.check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
