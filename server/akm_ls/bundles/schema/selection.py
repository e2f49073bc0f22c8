"""Which kind of file a path is, and which tools read it there."""

from __future__ import annotations

from functools import lru_cache

from akm_ls.bundles.schema.loading import load_schema
from akm_ls.bundles.schema.model import DirectoryPlace, Place

_MARKDOWN = (".md", ".mdc", ".markdown")


def place_of(path: str, asset_type: str | None = None, adapter: str = "") -> Place | None:
    """What the file at an absolute (or POSIX) path is to the tools that read frontmatter.

    A tool's own directory decides first (``.claude/agents``), then the name (``x.agent.md``),
    then the asset type in a bundle of format ``adapter``. ``None`` when no tool reads keys there.
    """
    posix = path.replace("\\", "/")
    return _in_tool_directory(posix) or _by_name(posix) or _by_type(posix, asset_type, adapter)


def _in_tool_directory(posix: str) -> Place | None:
    """By the last two segments that are a tool's directory: ``…/.claude/skills/…``."""
    directory, _, name = posix.rpartition("/")
    found = _tool_directory(directory)
    if found is None:
        return None
    place, is_below_skill = found
    if not name.lower().endswith(place.ends or _MARKDOWN):
        return None
    if place.kinds == ("skill",):
        return _place(place.kinds, place.hosts) if is_skill_path(posix) else None
    if name.lower() in ("readme.md", "index.md") or is_below_skill:
        return None
    if place.kinds == ("agent-gemini",) and name.startswith("_"):
        return None
    return _place(place.kinds, place.hosts)


@lru_cache(maxsize=1024)
def _tool_directory(directory: str) -> tuple[DirectoryPlace, bool] | None:
    """The tool's directory that one is or lies in, and whether skills lie in between."""
    segments = directory.split("/")
    directories = load_schema().directories
    for at in range(len(segments) - 2, -1, -1):
        place = directories.get(f"{segments[at]}/{segments[at + 1]}")
        if place is None or (place.directory[0] != "." and segments[at - 1 : at] != [".config"]):
            continue
        return place, "skills" in segments[at + 2 :]
    return None


def is_skill_path(posix: str) -> bool:
    """Whether a file is a skill's main file, whose keys alone are read.

    The reference validator takes ``skill.md``, too; elsewhere that may be a page about skills.
    akm and the hosts do not take it: it is indexed as a page, and `missing-skill-md` wants it
    renamed. What is in it is written and checked as a skill's all the same.
    """
    directory, _, name = posix.rpartition("/")
    return name == "SKILL.md" or (
        name == "skill.md" and directory.rpartition("/")[0].endswith(("/skills", "/skill"))
    )


def _by_name(posix: str) -> Place | None:
    if not posix.endswith(_all_ends()):
        return None
    for place in load_schema().names:
        if posix.endswith(place.ends):
            return _place(place.kinds, place.hosts)
    return None


@lru_cache(maxsize=1)
def _all_ends() -> tuple[str, ...]:
    return tuple(end for place in load_schema().names for end in place.ends)


def _by_type(posix: str, asset_type: str | None, adapter: str) -> Place | None:
    skill = is_skill_path(posix)
    if skill:
        asset_type = "skill"
    if asset_type is None:
        return None
    place = load_schema().assets.get(asset_type)
    if place is None or (asset_type == "skill" and not skill):
        return None
    kinds, hosts = place.kinds, place.hosts
    if asset_type == "agent" and adapter == "claude":
        kinds = ("agent-claude",)
    return _place(kinds, hosts)


@lru_cache(maxsize=64)
def _place(kinds: tuple[str, ...], hosts: frozenset[str]) -> Place:
    """A bundle's files are akm's too; a skill's keys are the specification's everywhere."""
    schema = load_schema()
    own = tuple(schema.kinds[kind] for kind in kinds)
    hosts = hosts | {"akm"}
    if kinds[0] == "skill":
        hosts = hosts | {"spec"}
    with_envelope = any(kind.envelope for kind in own) or kinds[0] in _ALSO_ASSETS
    return Place(own, schema.kinds["envelope"] if with_envelope else None, hosts)


_ALSO_ASSETS = frozenset(("skill", "command", "agent-claude", "agent-opencode"))
"""Kinds of a tool that akm indexes, too."""
