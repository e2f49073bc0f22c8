"""The assets and who cites whom: what a picture of the bundles is drawn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from akm_ls.index.store import StoreError
from akm_ls.refs import ASSET_DIRECTORIES, Ref, is_citation, is_plausible_name

if TYPE_CHECKING:
    from akm_ls.bundles.entry import Citation
    from akm_ls.index.catalog import Resolution
    from akm_ls.index.stub import Stub
    from akm_ls.search.library import Library
    from akm_ls.search.references import OpenCitations

MAX_NODES = 2_000
"""Nodes of an answer that does not say how many it wants: what can still be looked at."""

_Name: TypeAlias = "tuple[str, str]"


@dataclass(frozen=True, slots=True)
class Node:
    """An asset, or what is cited and is not there: then ``stub`` is ``None``."""

    ref: str
    stub: Stub | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """All citations of one asset by another. ``source`` and ``target`` are places in the nodes.

    ``broken``: at least one of them leads nowhere: to no asset, to another bundle's, or to a
    heading that its target does not have.
    """

    source: int
    target: int
    count: int
    broken: bool


@dataclass(frozen=True, slots=True)
class Graph:
    """``total`` is how many nodes there would be without a limit."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    total: int

    def to_json(self, uri_of: Callable[[str], str]) -> dict[str, Any]:
        """The answer to ``akm/graph``; ``uri_of`` spells a path for the client."""
        return {
            "nodes": [_node_json(node, uri_of) for node in self.nodes],
            "edges": [
                {"source": edge.source, "target": edge.target, "count": edge.count}
                | ({"broken": True} if edge.broken else {})
                for edge in self.edges
            ],
            "total": self.total,
        }


def _node_json(node: Node, uri_of: Callable[[str], str]) -> dict[str, Any]:
    stub = node.stub
    if stub is None:
        return {"ref": node.ref, "type": "missing", "title": node.ref.rpartition("/")[2]}
    found = {
        "ref": node.ref,
        "type": stub.type,
        "title": stub.title or stub.name,
        "uri": uri_of(stub.path),
    }
    return found | ({"beliefState": stub.belief_state} if stub.belief_state else {})


def graph_of(
    library: Library,
    overlay: Mapping[str, OpenCitations],
    *,
    bundle: str | None = None,
    limit: int = MAX_NODES,
) -> Graph:
    """The assets of a bundle (or of all), what they cite, and what cites them.

    With a bundle, assets of others are there when one of its assets cites them or is cited by
    them. Past ``limit`` the nodes with the fewest citations are left out, with their edges.

    Args:
        overlay: what open documents cite, by path, in place of their files' citations.
    """
    resolve = _Resolver(library)
    stubs: dict[str, Stub | None] = {
        stub.ref: stub for stub in library.catalog.stubs() if bundle in (None, stub.bundle)
    }
    counts: Counter[tuple[str, str]] = Counter()
    broken: set[tuple[str, str]] = set()
    for source, home, citation in _made(library, overlay):
        found = resolve(home, citation)
        origin = library.catalog.get(*_split(source))
        if found is None or origin is None or found[0] == source:
            continue
        target, stub, faulty = found
        ends = {home, target.partition("//")[0]}
        if bundle is not None and bundle not in ends:
            continue
        stubs.setdefault(source, origin)
        stubs.setdefault(target, stub)
        counts[source, target] += 1
        if faulty:
            broken.add((source, target))
    kept = _most_connected(stubs, counts, limit)
    places = {ref: place for place, ref in enumerate(kept)}
    edges = tuple(
        Edge(places[source], places[target], count, (source, target) in broken)
        for (source, target), count in counts.items()
        if source in places and target in places
    )
    return Graph(tuple(Node(ref, stubs[ref]) for ref in kept), edges, len(stubs))


def _most_connected(
    stubs: Mapping[str, Stub | None], counts: Mapping[tuple[str, str], int], limit: int
) -> list[str]:
    """At most ``limit`` refs, in the order of ``stubs``."""
    if len(stubs) <= limit:
        return list(stubs)
    degrees: Counter[str] = Counter()
    for source, target in counts:
        degrees[source] += 1
        degrees[target] += 1
    most = set(sorted(stubs, key=lambda ref: -degrees[ref])[:limit])
    return [ref for ref in stubs if ref in most]


def _made(
    library: Library, overlay: Mapping[str, OpenCitations]
) -> Iterator[tuple[str, str, Citation]]:
    """Every citation that an asset makes: its ref, its bundle, the citation."""
    try:
        places = () if library.store is None else library.store.citations()
    except StoreError:
        places = ()
    for place in places:
        if place.path not in overlay and place.source != place.path:
            yield place.source, place.source.partition("//")[0], place.citation
    for path, document in overlay.items():
        if document.source != path:
            for citation in document.citations:
                yield document.source, document.bundle, citation


def _split(ref: str) -> _Name:
    bundle, _, concept_id = ref.partition("//")
    return bundle, concept_id


class _Resolver:
    """Where citations lead; what many assets cite is looked up once."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._known: dict[tuple[str | None, str, str | None, str], Resolution] = {}

    def __call__(self, home: str, citation: Citation) -> tuple[str, Stub | None, bool] | None:
        """The ref it leads to, its asset if there is one, whether it is broken.

        ``None`` for what is not meant as a citation.
        """
        ref = Ref(citation.bundle, citation.concept_id, citation.fragment)
        key = (ref.bundle, ref.concept_id, ref.fragment, home if ref.bundle is None else "")
        resolution = self._known.get(key)
        if resolution is None:
            bundles = self._library.bundles
            resolution = self._library.catalog.resolve(ref, home, bundles, suggest=False)
            self._known[key] = resolution
        if resolution.stub is not None:
            return resolution.stub.ref, resolution.stub, resolution.status != "found"
        if not self._is_meant(ref):
            return None
        return f"{ref.bundle or home}//{ref.concept_id}", None, True

    def _is_meant(self, ref: Ref) -> bool:
        if ref.bundle is not None:
            return is_citation(ref, self._library.bundles.ids)
        return ref.head in ASSET_DIRECTORIES and is_plausible_name(ref)
