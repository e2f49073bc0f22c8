"""The files around a document, as the rules see them: open buffers first, then the disk."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from akm_ls.bundles.listings import SETTLED_NS, Listings, PathKind, exists
from akm_ls.bundles.reading import read_text
from akm_ls.documents.document import Document, kind_of, parse
from akm_ls.index.store import Store, StoreError
from akm_ls.refs import Ref
from akm_ls.search.references import references

if TYPE_CHECKING:
    from akm_ls.workspace.workspace import Workspace

MAX_DOCUMENTS = 100
"""Parsed documents kept for the next question; each is asked for by several links."""


class OpenSurroundings:
    """`akm_ls.lint.rule.Surroundings` over one workspace. Not thread-safe."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._listings = Listings()
        self._read: dict[str, tuple[tuple[int, int], Document | None]] = {}

    def kind(self, path: str) -> PathKind | None:
        return self._listings.kind(path)

    def names(self, directory: str) -> Mapping[str, PathKind]:
        return self._listings.names(directory)

    def exists(self, path: str) -> bool:
        return exists(path)

    def cited_in(self, bundle: str, concept_id: str) -> frozenset[str] | None:
        citations = self._workspace.references(Ref(bundle, concept_id))
        return frozenset(citation.channel for citation in citations)

    def document(self, path: str) -> Document | None:
        if kind_of(path) == "env":
            return None
        opened = self._workspace.documents.get(path)
        if opened is not None:
            return opened.document
        owner = self._workspace.bundles.relative(path)
        if owner is None:
            return None
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return None
        stamp = (status.st_mtime_ns, status.st_size)
        kept = self._read.get(path)
        if kept is None or kept[0] != stamp:
            text = read_text(*owner)
            kept = (stamp, None if text is None else parse(text, kind_of(path)))
            if time.time_ns() - status.st_mtime_ns < SETTLED_NS:
                return kept[1]  # another change may leave time and size as they are
            if len(self._read) >= MAX_DOCUMENTS:
                self._read.pop(next(iter(self._read)))
            self._read[path] = kept
        return kept[1]


class SurroundingsOfThread(OpenSurroundings):
    """The same for one thread other than the workspace's: it shares no cache and no connection."""

    def cited_in(self, bundle: str, concept_id: str) -> frozenset[str] | None:
        workspace = self._workspace
        try:
            with Store(workspace.store_path, workspace.bundles) as store:
                library, overlay = workspace.library(store), workspace.open_citations()
                found = references(library, Ref(bundle, concept_id), overlay=overlay)
        except StoreError:
            return None
        return frozenset(citation.channel for citation in found)
