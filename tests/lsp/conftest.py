"""A server on a small bundle, one for each test."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from editor import Editor
from pytest_lsp import ClientServerConfig
from warm_server import warm_server

TARGET = """---
description: How tokens are rotated
tags: [auth, tokens]
when_to_use: When a token leaks
---
# Token rotation

Opening line.

## Daily rotation

Every night.

## In an emergency

Call somebody.
"""
BUNDLE = {
    "team/knowledge/auth/tokens.md": TARGET,
    "team/knowledge/auth/tls.md": "---\ndescription: Certificates\n---\n# TLS\n",
    "team/knowledge/old.md": (
        "---\ndescription: Old way\nbeliefState: superseded\n"
        "supersededBy: [knowledge/auth/tls]\n---\n# Old\n"
    ),
    "team/skills/release/SKILL.md": (
        "---\nname: release\ndescription: Releases the product\n---\n# Release\n\n"
        "First team//knowledge/auth/tokens#daily-rotation, then team//knowledge/auth/tls.\n"
    ),
    "team/skills/release/references/steps.md": "# Steps\n",
    "team/memories/note.md": (
        "---\ndescription: A note\nxrefs:\n  - knowledge/auth/tokens\n---\n# Note\n"
    ),
    "team/env/staging.env": "API_TOKEN=MARKER-7f3a-value\nREGION=eu\n",
    "team/secrets/deploy-key": "MARKER-7f3a-secret\n",
    "other/knowledge/there.md": "---\ndescription: There\n---\n# There\n\n## Top\n",
    "other/memories/seen.md": "# Seen\n\nSee team//knowledge/auth/tls here.\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two bundles, ``team`` and ``other``, outside any git work tree."""
    for name, text in BUNDLE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="session")
def server_command() -> Iterator[list[str]]:
    """What starts a fresh server without waiting for its imports."""
    with tempfile.TemporaryDirectory(prefix="akm-ls") as name, warm_server(Path(name)) as command:
        yield command


@pytest_asyncio.fixture
async def editor(
    root: Path, monkeypatch: pytest.MonkeyPatch, server_command: list[str]
) -> AsyncIterator[Editor]:
    """A client of a fresh server; the test calls ``editor.start``."""
    monkeypatch.setenv("HOME", str(root / "home"))
    for name in ("AKM_BUNDLE_DIR", "AKM_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    client = await ClientServerConfig(server_command=server_command).start()
    yield Editor(client, root)
    await client.shutdown_session()
    await client.stop()
