"""Where conventions hold: in an akm bundle that is somebody's stash, and for which of its files."""

from __future__ import annotations

import re
from typing import NamedTuple

from akm_ls.bundles.asset_types import TYPE_BY_NAME
from akm_ls.documents import checkpoints
from akm_ls.documents.text import Span
from akm_ls.lint.rule import Sort, Subject

_FIRST_LINE = re.compile(r"[^\r\n]*")

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


def may_be_stash(sort: Sort) -> bool:
    """Whether a file is an asset of a bundle that may be a stash: see `is_stash`."""
    return sort.format == "akm" and sort.type is not None


def may_be_placed(sort: Sort) -> bool:
    """Whether it lies in the directory of its type besides: see `placement_of`."""
    kind = TYPE_BY_NAME.get(sort.type or "")
    return sort.format == "akm" and kind is not None and sort.head == kind.directory


def is_stash(subject: Subject) -> bool:
    """Whether a file's bundle is akm's own and more than a tool's directory of skills."""
    return subject.once(_is_stash)


def _is_stash(subject: Subject) -> bool:
    bundle = subject.bundle
    if bundle.adapter != "akm" or bundle.origin == "host":
        return False
    names = subject.around.names(bundle.real_root)
    return "directory" in map(names.get, SIGNS)


def placement_of(subject: Subject) -> Placement | None:
    """Where the asset lies; ``None`` outside a stash and outside the directory of its type.

    So it is for wiki pages, READMEs and what a skill brings along: they have rules of their own.
    """
    return subject.once(_placement_of)


def _placement_of(subject: Subject) -> Placement | None:
    recognition = subject.recognition
    if recognition is None or not is_stash(subject):
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


def is_asset(subject: Subject) -> bool:
    """Whether the file is an asset of a stash, and not one that akm writes by itself."""
    return subject.once(_is_asset)


def _is_asset(subject: Subject) -> bool:
    return (
        subject.type not in (None, "session") and is_stash(subject) and not is_checkpoint(subject)
    )


def may_be_asset(sort: Sort) -> bool:
    """Whether a file may be one by its sort: see `is_asset`."""
    return may_be_stash(sort) and sort.type != "session"


def is_checkpoint(subject: Subject) -> bool:
    """A memory that akm has written of a session."""
    return subject.once(_is_checkpoint)


def _is_checkpoint(subject: Subject) -> bool:
    return checkpoints.is_checkpoint(subject.document)


def top_of(subject: Subject) -> Span:
    """Where a finding about a file's name or place stands: its first line.

    An env file's first line is not marked: it may hold a value.
    """
    if subject.document.kind not in ("markdown", "yaml"):
        return Span(0, 0)
    # Without the index of all lines, which many a file needs for nothing else.
    line = _FIRST_LINE.match(subject.document.text)
    return Span(0, line.end() if line else 0)
