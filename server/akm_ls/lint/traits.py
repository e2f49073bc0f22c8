"""Traits of a file: what the rules that are asked about it are chosen by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from akm_ls.bundles.listings import PathKind
from akm_ls.documents.document import Kind
from akm_ls.documents.frontmatter import Frontmatter

SIGNS = (
    ".stash",
    "facts",
    "instructions",
    "knowledge",
    "lessons",
    "memories",
    "sessions",
    "tasks",
    "workflows",
)
"""What a stash has and a plain collection of skills, agents and commands has not."""

TELLING_KEYS = frozenset(
    {
        "akm_memory_kind",
        "beliefState",
        "contradictedBy",
        "currentBeliefRefs",
        "derivedFrom",
        "evidenceSources",
        "lint_skip",
        "project",
        "refs",
        "source",
        "sources",
        "supersededBy",
        "tags",
        "updated",
        "xrefs",
    }
)
"""Frontmatter keys that some rule needs one of, or that keep one from having a word."""


class Traits(NamedTuple):
    """All that is known of a file before anything is looked for in its text.

    Most of many files share their traits with others, and most rules have no word on most files.
    """

    format: str
    """The bundle's, ``host`` for a tool's own directory."""
    kind: Kind
    type: str | None
    """The asset type, such as ``skill``; ``None`` when the file is no asset."""
    head: str
    """The first directory of the path in the bundle; ``""`` for a file at the root."""
    is_skill: bool
    """Whether it is a skill's main file, which it may be without being an asset."""
    in_stash: bool
    """Whether it is an asset of an akm bundle that is more than a tool's directory of skills."""
    is_own: bool
    """Whether it is one besides that people write: akm writes sessions and their checkpoints."""
    has_frontmatter: bool
    is_broken: bool
    """Whether the frontmatter is not valid YAML, or never closed."""
    keys: frozenset[str]
    """Those of `TELLING_KEYS` that the frontmatter has."""

    def has(self, *keys: str) -> bool:
        """Whether the frontmatter has one of some `TELLING_KEYS`."""
        return not self.keys.isdisjoint(keys)


def any_file(traits: Traits) -> bool:
    return True


def is_stash(names: Mapping[str, PathKind]) -> bool:
    """Whether an akm bundle with these entries at its root is somebody's stash."""
    return "directory" in map(names.get, SIGNS)


_NONE: frozenset[str] = frozenset()


def telling_keys(frontmatter: Frontmatter | None) -> frozenset[str]:
    if frontmatter is None:
        return _NONE
    return TELLING_KEYS.intersection([pair.key.text for pair in frontmatter.root.pairs])
