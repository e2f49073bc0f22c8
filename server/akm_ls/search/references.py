"""Who cites an asset, and where (akm.md §4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.index.store import StoreError
from akm_ls.refs import Ref
from akm_ls.search.lookup import find

if TYPE_CHECKING:
    from akm_ls.bundles.entry import Citation, Entry
    from akm_ls.documents.text import PositionEncoding
    from akm_ls.index.stub import Stub
    from akm_ls.search.library import Library


@dataclass(frozen=True, slots=True)
class OpenCitations:
    """The citations in an open document: they stand in for those of the file on disk."""

    source: str
    """``bundle//conceptId`` of the document, or its path when it holds no ref."""
    bundle: str
    """The bundle that owns the document: where its bare citations resolve first."""
    citations: Sequence[Citation]


@dataclass(frozen=True, slots=True)
class LocatedCitation:
    """One citation of an asset. ``line`` is 0-based; ``start`` and ``end`` are ``str`` offsets."""

    source: str
    """``bundle//conceptId`` of the citing asset; the path of a file that holds no ref."""
    path: str
    """Absolute, native."""
    channel: str
    text: str
    """As written."""
    fragment: str | None
    line: int
    start: int
    end: int
    columns: tuple[int, int, int, int]

    @property
    def is_by_asset(self) -> bool:
        """False: by a README, say, or by a file whose ref another file holds."""
        return self.source != self.path

    def characters(self, encoding: PositionEncoding) -> tuple[int, int]:
        """Where the citation starts and ends on its line, in code units of ``encoding``.

        In utf-32 it is exact unless a character beyond U+FFFF stands before it on the line.
        """
        first = 0 if encoding == "utf-8" else 2
        return self.columns[first], self.columns[first + 1]


def references(
    library: Library,
    ref: Ref,
    *,
    home: str | None = None,
    overlay: Mapping[str, OpenCitations] | None = None,
) -> tuple[LocatedCitation, ...]:
    """Every citation of the asset ``ref`` leads to, by bundle priority, path and position.

    A bare citation counts where resolving it from its own bundle leads to that asset. Of a ref
    with a fragment, only citations of that heading count. A ref that leads nowhere has the
    citations that are written for it: they are what is broken.

    Args:
        home: the bundle from which a short ``ref`` is meant.
        overlay: what open documents cite, by path; their files' stored citations are passed over.
    """
    target = find(library, ref, home)
    if target is not None:
        wanted = Ref(target.bundle, target.concept_id)
    else:
        wanted = Ref(ref.bundle or home or library.bundles.default, ref.concept_id)
    open_paths = overlay or {}
    spellings = frozenset(spellings_of(wanted.concept_id))
    found = [item for item in _stored(library, wanted) if item.path not in open_paths]
    for path, document in open_paths.items():
        found += (
            _located(document.source, path, citation)
            for citation in document.citations
            if citation.concept_id in spellings
            and _means(library, Ref(citation.bundle, citation.concept_id), document.bundle, wanted)
        )
    if ref.fragment is not None:
        found = [item for item in found if _same_heading(target, ref.fragment, item.fragment)]
    order = {bundle.id: index for index, bundle in enumerate(library.bundles)}
    owners = {path: library.bundles.owner_of(path) for path in {item.path for item in found}}
    ranks = {path: order[owner.id] if owner else len(order) for path, owner in owners.items()}
    found.sort(key=lambda item: (ranks[item.path], item.path, item.start))
    return tuple(found)


def citing_assets(library: Library, entry: Entry) -> tuple[str, ...]:
    """The refs of the assets that cite ``entry``, itself aside, by bundle priority and path."""
    places = references(library, Ref(entry.bundle, entry.concept_id))
    return tuple(
        dict.fromkeys(
            item.source for item in places if item.is_by_asset and item.source != entry.ref
        )
    )


def _stored(library: Library, wanted: Ref) -> list[LocatedCitation]:
    """The indexed citations that lead to ``wanted``."""
    store = library.store
    if store is None:
        return []
    found: list[LocatedCitation] = []
    try:
        for spelling in spellings_of(wanted.concept_id):
            for bundle in library.bundles:
                qualified = _means(library, Ref(bundle.id, spelling), None, wanted)
                bare = _means(library, Ref(None, spelling), bundle.id, wanted)
                if not (qualified or bare):
                    continue
                found += (
                    _located(place.source, place.path, place.citation)
                    for place in store.citations_of(bundle.id, spelling)
                    if (bare if place.citation.bundle is None else qualified)
                )
    except StoreError:
        return []
    return found


def _means(library: Library, cited: Ref, home: str | None, wanted: Ref) -> bool:
    target = find(library, cited, home)
    if target is not None:
        return (target.bundle, target.concept_id) == (wanted.bundle, wanted.concept_id)
    return ((cited.bundle or home), cited.concept_id) == (wanted.bundle, wanted.concept_id)


def spellings_of(concept_id: str) -> tuple[str, ...]:
    """A concept id, and what authors write for it after the path of its file.

    The other way round than `akm_ls.index.catalog.Catalog.find` reads them.
    """
    found = [concept_id]
    head, _, rest = concept_id.partition("/")
    if head == "skills":
        found += (f"{concept_id}/SKILL", f"{concept_id}/SKILL.md")
    elif head == "env":
        found += (f"{concept_id}.env", *_dotenv(concept_id))
    elif head == "tasks":
        found.append(f"{concept_id}.yml")
    elif not concept_id.endswith(".md"):
        found.append(f"{concept_id}.md")
    if head in ("knowledge", "scripts") and rest.startswith("skills/"):
        found += (rest, f"{rest}.md") if head == "knowledge" else (rest,)
    return tuple(found)


def _dotenv(concept_id: str) -> tuple[str, ...]:
    directory, _, name = concept_id.rpartition("/")
    return (f"{directory}/.env",) if name == "default" else ()


def _located(source: str, path: str, citation: Citation) -> LocatedCitation:
    return LocatedCitation(
        source=source,
        path=path,
        channel=citation.channel,
        text=citation.text,
        fragment=citation.fragment,
        line=citation.line,
        start=citation.start,
        end=citation.end,
        columns=citation.columns,
    )


def _same_heading(target: Stub | None, asked: str, cited: str | None) -> bool:
    if cited is None:
        return False
    if target is None:
        return cited == asked
    return cited == asked or target.fragment(cited) == (target.fragment(asked) or asked)
