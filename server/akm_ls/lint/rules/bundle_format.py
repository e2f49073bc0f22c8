"""Bundles whose format hides their assets."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from akm_ls.bundles.adapters import adapter_of, get_adapter
from akm_ls.bundles.adapters.adapter import Adapter
from akm_ls.bundles.asset_types import ASSET_TYPES
from akm_ls.bundles.bundle import Bundle
from akm_ls.bundles.listings import PathKind
from akm_ls.lint.finding import Finding
from akm_ls.lint.rule import Rule, Subject, Surroundings

MAX_FILES = 10_000
"""Hidden files that are counted; a message says "more than" then."""

_MAX_DIRECTORIES = 300
_MAX_KEPT = 1_000
_OWN_DIRECTORIES = ("knowledge", "memories", "facts")
"""Directories whose names are akm's own: with Markdown in them a root means to be a stash."""
_WORKFLOWS = "akm-workflow"
"""A format that takes all Markdown, but for workflows."""
_UNWALKED = ("node_modules", "bin")
_SIGNS: dict[str, tuple[str, ...]] = {
    "claude": ("CLAUDE.md",),
    "opencode": ("AGENTS.md", "opencode.json", "opencode.jsonc"),
    "llm-wiki": ("schema.md",),
    "website-snapshot": ("manifest.json",),
}
"""The files at the root that make a probe choose a format; the others are found by content."""


def check_bundle_format(subject: Subject) -> Iterator[Finding]:
    """The file that turns an akm bundle into another format (akm.md §2.1, trap 18).

    Only that file is told. A format that the configuration names is somebody's decision.
    """
    bundle = subject.bundle
    if bundle.pinned or not _is_sign(subject):
        return
    hidden = _hidden(subject)
    if not any(count and name in _OWN_DIRECTORIES for name, count in hidden.items()):
        return
    counted = {name: count for name, count in hidden.items() if count}
    total = sum(counted.values())
    directories = _and([f"{name}/" for name in counted])
    snippet = configuration(bundle)
    number = f"more than {MAX_FILES} files" if total > MAX_FILES else _count(total, "file")
    verb = "is" if total == 1 else "are"
    lot = "taken for workflows" if bundle.adapter == _WORKFLOWS else "not indexed"
    yield Finding(
        code="bundle-format",
        severity="information",
        message=(
            f"{number} in {directories} {verb} {lot} because the root reads as "
            f"{_with_article(bundle.adapter)} bundle; set the adapter to akm in akm's "
            f"config.json: {snippet}"
        ),
        span=subject.document.lines.line_span(0),
        data={"adapter": bundle.adapter, "hidden": counted, "configuration": snippet},
    )


def configuration(bundle: Bundle) -> str:
    """What pins a bundle's format to akm, as a part of akm's ``config.json``."""
    entry: dict[str, object] = {"components": {"main": {"adapter": "akm"}}}
    if bundle.origin != "config":
        entry = {"path": bundle.root, **entry}
    return json.dumps({"bundles": {bundle.id: entry}}, ensure_ascii=False)


def _is_sign(subject: Subject) -> bool:
    """Whether this file is what made the probe choose the format."""
    bundle, rel = subject.bundle, subject.rel
    signs = _SIGNS.get(bundle.adapter)
    if signs is not None:
        names = subject.around.names(bundle.real_root)
        return rel == next((sign for sign in signs if sign in names), None)
    if bundle.adapter == "agent-skills":
        return rel == next(_child_skills(subject), None)
    if bundle.adapter == "akm-task":
        return rel == next(_top_files(subject, ".yml"), None)
    if bundle.adapter == "akm-workflow":
        return rel == next(_top_files(subject, ".md"), None)
    return False


def _child_skills(subject: Subject) -> Iterator[str]:
    root = subject.bundle.real_root
    if not subject.rel.endswith("/SKILL.md") or subject.rel.count("/") != 1:
        return
    for name, kind in sorted(subject.around.names(root).items()):
        if kind == "directory" and subject.around.kind(os.path.join(root, name, "SKILL.md")):
            yield f"{name}/SKILL.md"


def _top_files(subject: Subject, extension: str) -> Iterator[str]:
    """The tasks or workflows right at the root, by name."""
    root = subject.bundle.real_root
    if "/" in subject.rel or not subject.rel.endswith(extension):
        return
    for name, kind in sorted(subject.around.names(root).items()):
        if kind != "file" or not name.endswith(extension) or name.lower() == "readme.md":
            continue
        document = (
            subject.document
            if name == subject.rel
            else subject.around.document(os.path.join(root, name))
        )
        frontmatter = None if document is None else document.frontmatter
        if frontmatter is not None and (
            frontmatter.text("schedule")
            if extension == ".yml"
            else frontmatter.text("type") == "workflow"
        ):
            yield name


@dataclass(frozen=True, slots=True)
class _Listed:
    """One directory as it was counted: valid as long as ``names`` is its listing."""

    names: Mapping[str, PathKind]
    count: int
    below: tuple[str, ...]


_COUNTED: dict[tuple[str, str], _Listed] = {}
"""By format and directory. A keystroke must not go through the names of 20,000 files."""


def _hidden(subject: Subject) -> dict[str, int]:
    """How many files of each asset directory akm's format would index and this one does not."""
    bundle = subject.bundle
    names = subject.around.names(bundle.real_root)
    current, akm = adapter_of(bundle), get_adapter("akm")
    found: dict[str, int] = {}
    total = 0
    for kind in ASSET_TYPES:
        if names.get(kind.directory) != "directory":
            continue
        count = _count_below(subject.around, bundle, kind.directory, current, akm)
        found[kind.directory] = count
        total += count
        if total > MAX_FILES:
            break
    return found


def _count_below(
    around: Surroundings, bundle: Bundle, top: str, current: Adapter, akm: Adapter
) -> int:
    waiting, count = [top], 0
    for position, rel in enumerate(waiting):
        if position >= _MAX_DIRECTORIES or count > MAX_FILES:
            break
        directory = os.path.join(bundle.real_root, *rel.split("/"))
        names = around.names(directory)
        key = (bundle.adapter, directory)
        listed = _COUNTED.get(key)
        if listed is None or listed.names is not names:
            listed = _listed(names, rel, current, akm)
            if len(_COUNTED) >= _MAX_KEPT:
                _COUNTED.clear()
            _COUNTED[key] = listed
        count += listed.count
        waiting += listed.below
    return count


def _listed(
    names: Mapping[str, PathKind], directory: str, current: Adapter, akm: Adapter
) -> _Listed:
    count, below = 0, []
    for name, kind in names.items():
        rel = f"{directory}/{name}"
        if kind == "directory":
            if not name.startswith(".") and name not in _UNWALKED:
                below.append(rel)
        elif akm.wants(rel) and (
            not current.wants(rel)
            or (current.id == _WORKFLOWS and not directory.startswith("workflows"))
        ):
            count += 1
    return _Listed(names, count, tuple(sorted(below)))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _and(parts: Iterable[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def _with_article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


RULES = (
    Rule(
        code="bundle-format",
        severity="information",
        summary="A file at the root turns an akm bundle into one of another format.",
        why=(
            "akm tells a bundle's format by its layout. A `CLAUDE.md` or `AGENTS.md` beside "
            "`skills/`, a task or a workflow at the root, or a directory with a `SKILL.md` makes "
            "it a bundle of that format, and memories, facts and knowledge are no longer found."
        ),
        remedy=(
            "Pin the format in akm's `config.json`: "
            '`{"bundles": {"team": {"path": "…", "components": {"main": {"adapter": "akm"}}}}}`. '
            "Or move the file out of the root."
        ),
        example="# Rules for Claude\n",
        example_path="CLAUDE.md",
        around={
            "skills/review/SKILL.md": "---\nname: review\ndescription: Reviews a change.\n---\n",
            "memories/outage.md": "# Outage\n",
        },
        check=check_bundle_format,
        about=lambda traits: traits.format not in ("akm", "host"),
        group="bundle",
        places=("file name", "directory"),
        kinds=frozenset({"markdown", "yaml", "other"}),
    ),
)
