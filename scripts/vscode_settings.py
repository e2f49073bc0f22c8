"""Write what the VS Code extension's ``package.json`` repeats of the server: rules and tools.

    python scripts/vscode_settings.py            # write it
    python scripts/vscode_settings.py --check    # say whether it is current

Each rule code becomes a property of ``akm.lint.rules``, so that the settings editor offers
the codes and says what each one means.
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

MANIFEST = Path(__file__).resolve().parent.parent / "vscode-client" / "package.json"


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


def text_of(manifest: dict[str, Any]) -> str:
    """``package.json`` as npm writes it."""
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    options = parser.parse_args()
    before = MANIFEST.read_text(encoding="utf-8")
    after = text_of(current(json.loads(before)))
    if before == after:
        return 0
    if options.check:
        print("vscode-client/package.json is not current: run scripts/vscode_settings.py")
        return 1
    MANIFEST.write_text(after, encoding="utf-8", newline="\n")
    print("vscode-client/package.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
