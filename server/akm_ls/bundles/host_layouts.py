"""Where tools keep skills, agents and commands inside an ordinary repository.

Three layouts are known: a tool's own directory (``.claude/``, ``.github/``, ...), a plugin
(``.claude-plugin/plugin.json``, ``plugins/<name>/``, a marketplace's sources), and bare
directories of skills. `host_search` looks for them; nothing here opens a file but a marketplace's
manifest.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from akm_ls.bundles.adapters.probes import read_head
from akm_ls.bundles.bundle import BundleOrigin
from akm_ls.bundles.bundle_ids import slug
from akm_ls.bundles.jsonc import parse_jsonc
from akm_ls.documents.text import decode

HOST_DIRECTORIES = frozenset(
    (
        ".claude",
        ".opencode",
        ".codex",
        ".agents",
        ".agent",
        ".cursor",
        ".gemini",
        ".github",
        ".windsurf",
        ".devin",
    )
)
"""Directories in which tools look for a project's skills, agents and commands."""

PLUGIN_DIRECTORIES = (".claude-plugin", ".codex-plugin", ".cursor-plugin")
"""A directory with one of these and a ``plugin.json`` in it is a plugin."""

SKILL_DIRECTORIES = ("skills", "skill")
TOOL_DIRECTORIES = ("agents", "agent", "commands", "command")
"""Beside skills, what every layout may have."""
HOST_ONLY_DIRECTORIES = ("prompts", "chatmodes", "instructions", "rules", "workflows")
"""What only a tool's own directory has."""

SKIPPED_DIRECTORIES = frozenset(
    (
        "node_modules",
        "bower_components",
        "site-packages",
        "__pycache__",
        "venv",
        "target",
        "dist",
        "build",
        "vendor",
        "coverage",
        "Pods",
        "DerivedData",
    )
)
"""Directories of other people's or of generated files: never searched."""
SKIPPED_IN_HOSTS = frozenset(("worktrees", "projects", "cache", "plugins", "sessions", "logs"))
"""Directories in which a tool keeps its own state, such as whole checkouts."""

MAX_ENTRIES = 20_000
_MAX_SOURCES = 500
_EVIDENCE_DEPTH = 3
_EVIDENCE_DIRECTORIES = 300
_MANIFEST_BYTES = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class HostBundle:
    """A layout that was found. ``wish`` is the id it should get, ``why`` what was seen there."""

    root: str
    adapter: str
    label: str
    wish: str
    why: str
    origin: BundleOrigin = "host"


def host_bundle(directory: str) -> HostBundle | None:
    """The bundle a tool's own directory such as ``repo/.claude`` is, or ``None``."""
    name = os.path.basename(directory)
    if name not in HOST_DIRECTORIES:
        return None
    why = _evidence(directory, host=True)
    if why is None:
        return None
    adapter = "opencode" if name == ".opencode" else "claude"
    return HostBundle(directory, adapter, name, _wish(directory), why)


def plugin_bundle(directory: str, *, announced: bool = False) -> HostBundle | None:
    """The bundle a plugin's directory is, or ``None``.

    ``announced`` says that a marketplace or its place names it a plugin: it needs no manifest.
    """
    if not announced and not is_plugin(directory):
        return None
    why = _evidence(directory, host=False)
    if why is None:
        return None
    return HostBundle(directory, "claude", "plugin", _wish(directory), f"plugin with {why}")


def _wish(directory: str) -> str:
    """The id a directory should get; a dot directory's needs its parent's name to tell it apart."""
    name = os.path.basename(directory)
    if not name.startswith("."):
        return slug(name)
    return slug(f"{os.path.basename(os.path.dirname(directory))} {name}")


def skills_bundle(directory: str) -> HostBundle:
    """The bundle of a directory that has skills below it and nothing that says what it is."""
    return HostBundle(directory, "agent-skills", "skills", _wish(directory), "a SKILL.md below it")


def is_plugin(directory: str) -> bool:
    return any(
        os.path.isfile(os.path.join(directory, marker, "plugin.json"))
        for marker in PLUGIN_DIRECTORIES
    )


def marketplace_sources(directory: str) -> Iterator[str]:
    """Relative paths of the plugins a marketplace lists, by its manifest. Raises nothing."""
    path = os.path.join(directory, ".claude-plugin", "marketplace.json")
    try:
        data = read_head(path, _MANIFEST_BYTES)
    except (OSError, ValueError):
        return
    manifest = parse_jsonc(decode(data).text)[0] if data else None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("plugins"), list):
        return
    metadata = manifest.get("metadata")
    base = metadata.get("pluginRoot") if isinstance(metadata, dict) else None
    plugins = manifest["plugins"]
    assert isinstance(plugins, list)
    for plugin in islice(plugins, _MAX_SOURCES):
        source = plugin.get("source") if isinstance(plugin, dict) else None
        if not isinstance(source, str) or "\0" in source or "://" in source:
            continue
        yield source
        if isinstance(base, str) and "\0" not in base:
            yield os.path.join(base, source)


def _evidence(directory: str, *, host: bool) -> str | None:
    """What makes a directory worth a bundle, in words: ``skills/`` or ``commands/``, ..."""
    for name in SKILL_DIRECTORIES:
        if holds(os.path.join(directory, name), is_skill_file):
            return f"{name}/"
    for name in (*TOOL_DIRECTORIES, *(HOST_ONLY_DIRECTORIES if host else ())):
        if name == "workflows" and os.path.basename(directory) == ".github":
            continue
        if holds(os.path.join(directory, name), is_prose_file):
            return f"{name}/"
    return None


def is_skill_file(name: str) -> bool:
    return name == "SKILL.md"


def is_prose_file(name: str) -> bool:
    """Markdown that could be an asset by its name."""
    lowered = name.lower()
    return lowered.endswith(".md") and lowered not in ("readme.md", "index.md", "log.md")


def holds(directory: str, accepts: Callable[[str], bool], depth: int = _EVIDENCE_DEPTH) -> bool:
    """Whether a file whose name is accepted lies in ``directory``, not too deep down.

    Symlinks do not count: no walk follows them.
    """
    if os.path.islink(directory):
        return False
    queue = [(directory, 0)]
    for position, (current, level) in enumerate(queue):
        if position >= _EVIDENCE_DIRECTORIES:
            return False
        for entry in listed(current):
            if entry.is_dir(follow_symlinks=False):
                if level < depth and not entry.name.startswith("."):
                    queue.append((entry.path, level + 1))
            elif accepts(entry.name) and entry.is_file(follow_symlinks=False):
                return True
    return False


def listed(directory: str) -> list[os.DirEntry[str]]:
    """What is in a directory, bounded; nothing when it cannot be read."""
    try:
        with os.scandir(directory) as entries:
            return list(islice(entries, MAX_ENTRIES))
    except (OSError, ValueError):
        return []
