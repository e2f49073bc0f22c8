"""The asset types of an akm bundle: their directories, files and names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NamingRule = Literal["markdown", "skill", "script", "env", "secret", "task"]

SCRIPT_EXTENSIONS = frozenset(
    (
        ".sh",
        ".ts",
        ".js",
        ".ps1",
        ".cmd",
        ".bat",
        ".py",
        ".rb",
        ".go",
        ".pl",
        ".php",
        ".lua",
        ".r",
        ".swift",
        ".kt",
        ".kts",
    )
)
"""Lower-case extensions of files that count as scripts."""


@dataclass(frozen=True, slots=True)
class AssetType:
    """One asset type. ``directory`` is the first segment of the concept ids it mints."""

    name: str
    directory: str
    naming: NamingRule = "markdown"

    def fits(self, filename: str) -> bool:
        """Whether a file of this name may be an asset of this type, by its name alone."""
        lowered = filename.lower()
        if self.naming == "markdown":
            return lowered.endswith(".md")
        if self.naming == "skill":
            return filename == "SKILL.md"
        if self.naming == "script":
            dot = lowered.rfind(".")
            return dot > 0 and lowered[dot:] in SCRIPT_EXTENSIONS
        if self.naming == "env":
            return filename.endswith(".env")
        if self.naming == "task":
            return lowered.endswith(".yml")
        return True

    def canonical_name(self, relative: str) -> str | None:
        """The asset's name from its path below the type directory (POSIX, no leading slash).

        ``None`` when the path names no asset, such as ``SKILL.md`` directly in ``skills/``.
        """
        head, _, last = relative.rpartition("/")
        if self.naming == "skill":
            return head or None
        if self.naming == "env":
            if last == ".env":
                return f"{head}/default" if head else "default"
            return _without(relative, ".env")
        if self.naming == "task":
            return _without(relative, ".yml")
        if self.naming == "markdown":
            return _without(relative, ".md")
        return relative or None

    def paths_for(self, name: str) -> tuple[str, ...]:
        """Where the asset called ``name`` would lie, best first, relative to the bundle."""
        stem = f"{self.directory}/{name}"
        if self.naming == "skill":
            return (f"{stem}/SKILL.md",)
        if self.naming == "env":
            head, _, last = stem.rpartition("/")
            if last == "default":
                return (f"{head}/.env", f"{stem}.env")
            return (f"{stem}.env",)
        if self.naming == "task":
            return (f"{stem}.yml",)
        if self.naming == "markdown":
            return (stem if name.endswith(".md") else f"{stem}.md",)
        return (stem,)


def _without(name: str, suffix: str) -> str | None:
    return (name[: -len(suffix)] if name.endswith(suffix) else name) or None


ASSET_TYPES = (
    AssetType("skill", "skills", "skill"),
    AssetType("command", "commands"),
    AssetType("agent", "agents"),
    AssetType("knowledge", "knowledge"),
    AssetType("instruction", "instructions"),
    AssetType("memory", "memories"),
    AssetType("lesson", "lessons"),
    AssetType("session", "sessions"),
    AssetType("fact", "facts"),
    AssetType("workflow", "workflows"),
    AssetType("script", "scripts", "script"),
    AssetType("env", "env", "env"),
    AssetType("secret", "secrets", "secret"),
    AssetType("task", "tasks", "task"),
)

TYPE_BY_DIRECTORY = {asset_type.directory: asset_type for asset_type in ASSET_TYPES}
TYPE_BY_NAME = {asset_type.name: asset_type for asset_type in ASSET_TYPES}


def path_for(concept_id: str) -> tuple[str, ...]:
    """Where an akm bundle looks for a concept: relative POSIX paths, best first, no duplicates.

    The first is where a new file would go. A path may turn out to be a directory; its asset is
    then the ``SKILL.md`` in it. Empty when the first segment is not an asset directory.
    """
    head, _, rest = concept_id.partition("/")
    asset_type = TYPE_BY_DIRECTORY.get(head)
    if asset_type is None or not rest:
        return ()
    candidates = (
        *asset_type.paths_for(rest),
        f"{head}/{rest}.md",
        f"{head}/{rest}",
        f"{rest}.md",
        rest,
    )
    return tuple(dict.fromkeys(candidates))
