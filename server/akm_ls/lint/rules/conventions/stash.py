"""Where conventions hold: in an akm bundle that is somebody's stash, and for which of its files."""

from __future__ import annotations

import re
from typing import NamedTuple

from akm_ls.bundles.asset_types import TYPE_BY_NAME
from akm_ls.documents.text import Span
from akm_ls.lint.rule import Subject
from akm_ls.lint.traits import Traits

_FIRST_LINE = re.compile(r"[^\r\n]*")


class Placement(NamedTuple):
    """Where an asset lies below the directory of its type.

    ``directories`` are the ones in between (a skill's own directory is not among them), ``leaf``
    is the asset's own segment without its extension.
    """

    type: str
    type_directory: str
    directories: tuple[str, ...]
    leaf: str

    def path(self, *segments: str) -> str:
        return "/".join((self.type_directory, *segments))


def is_placed(traits: Traits) -> bool:
    """Whether a file is an asset of a stash that lies in the directory of its type."""
    kind = TYPE_BY_NAME.get(traits.type or "")
    return traits.in_stash and kind is not None and traits.head == kind.directory


def is_own_with_frontmatter(traits: Traits) -> bool:
    return traits.is_own and traits.has_frontmatter


def placement_of(subject: Subject) -> Placement | None:
    """Where the asset lies; ``None`` outside a stash and outside the directory of its type.

    So it is for wiki pages, READMEs and what a skill brings along: they have rules of their own.
    """
    return subject.once(_placement_of)


def _placement_of(subject: Subject) -> Placement | None:
    recognition = subject.recognition
    if recognition is None or not subject.traits.in_stash:
        return None
    kind = TYPE_BY_NAME.get(recognition.type)
    if kind is None or not subject.rel.startswith(f"{kind.directory}/"):
        return None
    *directories, leaf = recognition.name.split("/")
    if leaf.lower() == "readme":
        return None
    if kind.naming == "script":
        leaf = leaf.rpartition(".")[0] or leaf
    return Placement(recognition.type, kind.directory, tuple(directories), leaf)


def top_of(subject: Subject) -> Span:
    """Where a finding about a file's name or place stands: its first line.

    An env file's first line is not marked: it may hold a value.
    """
    if subject.document.kind not in ("markdown", "yaml"):
        return Span(0, 0)
    # Without the index of all lines, which many a file needs for nothing else.
    line = _FIRST_LINE.match(subject.document.text)
    return Span(0, line.end() if line else 0)
