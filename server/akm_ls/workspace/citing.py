"""Who cites whom: the citations of an asset by citing file, the refs of a file by cited asset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.documents.document import Document
from akm_ls.documents.text import Span
from akm_ls.index.stub import Stub
from akm_ls.refs import Ref
from akm_ls.search.references import LocatedCitation

if TYPE_CHECKING:
    from akm_ls.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Citing:
    """A file and its citations of one asset. ``stub`` is ``None`` for a file that is no asset."""

    path: str
    stub: Stub | None
    citations: tuple[LocatedCitation, ...]


@dataclass(frozen=True, slots=True)
class Cited:
    """An asset and where one document cites it."""

    stub: Stub
    spans: tuple[Span, ...]


def citing_files(workspace: Workspace, ref: Ref) -> tuple[Citing, ...]:
    """The files that cite an asset, or one of its headings, by bundle priority and path."""
    by_path: dict[str, list[LocatedCitation]] = {}
    for citation in workspace.references(ref):
        by_path.setdefault(citation.path, []).append(citation)
    return tuple(
        Citing(path, workspace.catalog.by_path(path), tuple(citations))
        for path, citations in by_path.items()
    )


def cited_assets(
    workspace: Workspace, document: Document, home: str, within: Span | None = None
) -> tuple[Cited, ...]:
    """The assets a document of bundle ``home`` cites, in text order, each once.

    Refs that lead nowhere are left out. ``within`` is the section that counts.
    """
    found: dict[str, tuple[Stub, list[Span]]] = {}
    for occurrence in document.refs:
        if occurrence.ref is None or not (
            within is None or within.start <= occurrence.span.start < within.end
        ):
            continue
        resolution = workspace.catalog.resolve(
            occurrence.ref, home, workspace.bundles, suggest=False
        )
        stub = resolution.stub
        if stub is not None and resolution.status != "elsewhere":
            found.setdefault(stub.ref, (stub, []))[1].append(occurrence.span)
    return tuple(Cited(stub, tuple(spans)) for stub, spans in found.values())
