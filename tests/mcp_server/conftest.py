"""A bundle, and the official client with ``akm-ls mcp`` at the other end of a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

MARKER = "zqneverseen4417"
"""In every secret and env value."""
PASTED = "ghp_" + "a1B2" * 9
"""A key that somebody left in ordinary text."""
TEAM = {
    "skills/review/SKILL.md": (
        "---\nname: review\ndescription: Review a change before it is merged.\n---\n\n"
        "# Review\n\n## Steps\n\nSee team//knowledge/auth/tokens#rotate.\n"
    ),
    "knowledge/auth/tokens.md": (
        "---\ndescription: How access tokens are rotated.\ntags: [auth]\n"
        "xrefs:\n  - skills/review\n---\n\n# Tokens\n\n## Rotate\n\n"
        f"Issue a new one, wait, revoke. Never paste {PASTED} anywhere.\n\n## Lifetimes\n\nShort.\n"
    ),
    "knowledge/broken.md": (
        "---\ndescription: Cites what is not there.\n---\n\n# Broken\n\n"
        "See team//knowledge/auth/token for more.\n"
    ),
    "env/prod.env": f"# {MARKER}\nPAYROLL_TOKEN={MARKER}\n",
    "secrets/payroll": f"{MARKER}\n",
    "secrets/notes.md": f"---\ndescription: {MARKER}\n---\n\n# {MARKER}\n",
}


def write(root: Path, files: Mapping[str, str]) -> Path:
    for rel, text in files.items():
        path = root / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@dataclass(frozen=True)
class Machine:
    """A home with one bundle, and nothing of akm's configured."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def team(self) -> Path:
        return self.root / "team"

    @property
    def log(self) -> Path:
        return self.root / "stderr.log"

    def arguments(self, *more: str) -> list[str]:
        return ["-m", "akm_ls", "--data-dir", str(self.root / "data"), "mcp", *more]

    def connect(self, *more: str, at: Path | None = None, **options: Any) -> Any:
        """The official client, connected once it is entered; ``at`` is the current directory."""
        from mcp import Client, StdioServerParameters
        from mcp.client.stdio import stdio_client

        parameters = StdioServerParameters(
            command=sys.executable,
            args=self.arguments(*more),
            env=self.environment,
            cwd=at or self.team,
        )
        with self.log.open("a", encoding="utf-8") as log:
            descriptor = os.dup(log.fileno())
        stderr = os.fdopen(descriptor, "a", encoding="utf-8")
        return Client(stdio_client(parameters, errlog=stderr), **options)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    write(tmp_path / "team", TEAM)
    (tmp_path / "home").mkdir()
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("AKM_", "XDG_"))}
    home = str(tmp_path / "home")
    return Machine(tmp_path, {**kept, "HOME": home, "USERPROFILE": home, "APPDATA": home})
