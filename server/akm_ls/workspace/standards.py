"""The authoring standards of a bundle: the facts that whoever writes an asset should know.

akm puts facts of category ``convention`` or ``meta`` in front of every author, and
``facts/conventions/assets/<type>.md`` in front of those who write that type.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from akm_ls.bundles.asset_types import TYPE_BY_DIRECTORY, TYPE_BY_NAME
from akm_ls.lint.rules.superseded import DEMOTING_STATES
from akm_ls.search.result import estimate_tokens

if TYPE_CHECKING:
    from akm_ls.index.stub import Stub
    from akm_ls.workspace.workspace import Workspace

CATEGORIES = ("convention", "meta")
OF_TYPES = "facts/conventions/assets/"
"""Concept ids of the facts about one asset type each, by the type's name."""


@dataclass(frozen=True, slots=True)
class Standard:
    """One fact. ``content`` is its text without frontmatter."""

    stub: Stub
    category: str
    content: str

    @property
    def title(self) -> str:
        return self.stub.title or self.stub.name

    def to_json(self) -> dict[str, Any]:
        """An element of the answer to ``akm/conventions`` (protocol.md)."""
        return {
            "ref": self.stub.ref,
            "category": self.category,
            "title": self.title,
            "description": self.stub.description,
            "content": self.content,
            "estimatedTokens": estimate_tokens(len(self.content)),
        }


def standards(
    workspace: Workspace, asset_type: str | None = None, bundle: str | None = None
) -> tuple[Standard, ...]:
    """The standards for an asset type in a bundle; without them for every type, in all bundles.

    What is about the type comes first, then conventions, then ``meta``; bundles in their order.
    Facts that hold no longer are left out.
    """
    asset_type = _singular(asset_type)
    found: list[tuple[int, Standard]] = []
    for home in workspace.bundles:
        if bundle is not None and home.id != bundle:
            continue
        for stub in sorted(_candidates(workspace, home.id), key=lambda stub: stub.concept_id):
            rank = _rank(stub, asset_type)
            standard = None if rank is None else _read(workspace, stub)
            if rank is not None and standard is not None:
                place = 0 if rank == 0 else 1 + CATEGORIES.index(standard.category)
                found.append((place, standard))
    found.sort(key=lambda pair: pair[0])
    return tuple(standard for _, standard in found)


def _candidates(workspace: Workspace, bundle: str) -> Iterator[Stub]:
    """Facts that may be standards: the index gives each fact its category as a tag."""
    for stub in workspace.catalog.stubs(bundle):
        if stub.type != "fact" or (stub.belief_state or "").lower() in DEMOTING_STATES:
            continue
        if stub.concept_id.startswith(OF_TYPES) or not set(CATEGORIES).isdisjoint(stub.tags):
            yield stub


def _rank(stub: Stub, asset_type: str | None) -> int | None:
    """0 for what is about the type, ``None`` for what is about another one."""
    if not stub.concept_id.startswith(OF_TYPES):
        return 1
    about = _singular(stub.concept_id.removeprefix(OF_TYPES))
    return 0 if asset_type is None or about == asset_type else None


def _read(workspace: Workspace, stub: Stub) -> Standard | None:
    document = workspace.surroundings.document(workspace.canonical(stub.path))
    if document is None:
        return None
    frontmatter = document.frontmatter
    category = (frontmatter.text("category") or "").strip() if frontmatter else ""
    if category not in CATEGORIES:
        if not stub.concept_id.startswith(OF_TYPES):
            return None
        category = CATEGORIES[0]
    return Standard(stub, category, document.body.strip())


def _singular(name: str | None) -> str | None:
    """An asset type by its name or its directory's."""
    if name is None or name in TYPE_BY_NAME:
        return name
    by_directory = TYPE_BY_DIRECTORY.get(name)
    return name if by_directory is None else by_directory.name
