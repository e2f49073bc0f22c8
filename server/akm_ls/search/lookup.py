"""From a ref to an asset, a file or an orientation document (akm.md §3.3, §4.3, §4.5)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from akm_ls.bundles.adapters.layout import is_markdown
from akm_ls.bundles.asset_types import TYPE_BY_DIRECTORY, path_for
from akm_ls.bundles.entry import Entry
from akm_ls.bundles.reading import read_entry
from akm_ls.bundles.sensitive import is_sensitive
from akm_ls.refs import Ref
from akm_ls.search.library import Library, may_read

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle
    from akm_ls.index.catalog import Catalog
    from akm_ls.index.stub import Stub

_META = re.compile(r"(?:([^\s:.#/]+)//)?meta(?::([^\s/\\][^\\]*))?\Z")
_META_DIRECTORY = ".meta"
_META_DEFAULT = "index"
_TELLING = 3
"""Letters from which on the beginning of a name says which one is meant."""
_LOOKED_AT = 100


def find(library: Library, ref: Ref, home: str | None) -> Stub | None:
    """The asset a ref leads to, its fragment aside.

    A qualified ref leads into its bundle only; a short one from ``home`` to any other bundle
    when ``home`` has no such asset. Unlike `Catalog.resolve` it makes no suggestions, which
    takes far longer than looking.
    """
    for bundle in search_order(library, ref.bundle, home):
        stub = library.catalog.find(bundle.id, ref.concept_id)
        if stub is not None:
            return stub
    return None


def instead(catalog: Catalog, ref: Ref, home: str | None, limit: int) -> tuple[str, ...]:
    """Whole refs to try for one that leads nowhere, likeliest first.

    They are what `Catalog.suggest` takes it for, or else assets whose ids go on where it ends:
    who asks for an asset may know no more than the beginning (``agents/legacy`` for
    ``agents/legacy-reviewer``), which is no reason to write that for it in a document.
    """
    near = catalog.suggest(ref, home, limit)
    begun = ref.concept_id.lower()
    if near or len(begun.rpartition("/")[2]) < _TELLING:
        return near
    prefer = ref.bundle or home
    found, _ = catalog.candidates(begun, limit=_LOOKED_AT)
    begin_so = [stub for stub in found if stub.concept_id.lower().startswith(begun)]
    begin_so.sort(key=lambda stub: (stub.bundle != prefer, len(stub.concept_id), stub.concept_id))
    return tuple(stub.ref for stub in begin_so[:limit])


def search_order(library: Library, bundle: str | None, home: str | None) -> Iterator[Bundle]:
    """The bundles in which to look: the one named, else home, the default one, and the rest."""
    if bundle is not None:
        ids: tuple[str | None, ...] = (bundle,)
    else:
        rest = (other.id for other in library.bundles)
        ids = tuple(dict.fromkeys((home, library.bundles.default, *rest)))
    for bundle_id in ids:
        known = None if bundle_id is None else library.bundles.get(bundle_id)
        if known is not None:
            yield known


def by_place(library: Library, ref: Ref, home: str | None) -> tuple[Bundle, Stub | Entry] | None:
    """The file that lies where a ref's name says, when no asset bears that name.

    It may be an asset of another name (``knowledge/notes.md``, ``knowledge/run`` for a file that
    is classified as a command), one that is not indexed yet, or a page that is none at all, as
    ``knowledge/index.md``.
    """
    for bundle in search_order(library, ref.bundle, home):
        for rel in _places(ref.concept_id):
            path = _regular_file(bundle, rel)
            if path is None:
                continue
            stub = library.catalog.by_path(path)
            if stub is not None:
                return bundle, stub
            entry = _read(library, bundle, rel, path, ref)
            if entry is not None:
                return bundle, entry
    return None


def _places(concept_id: str) -> tuple[str, ...]:
    asset_type = TYPE_BY_DIRECTORY.get(concept_id.partition("/")[0])
    if asset_type is not None and asset_type.naming == "skill":
        # A skill is a directory; its resources have names of their own.
        return asset_type.paths_for(concept_id.partition("/")[2])
    return path_for(concept_id)


def _regular_file(bundle: Bundle, rel: str) -> str | None:
    """The absolute path of a file that really lies in the bundle, else ``None``."""
    path = os.path.join(bundle.real_root, *rel.split("/"))
    try:
        real = os.path.realpath(path)
        inside = real.startswith(os.path.join(bundle.real_root, ""))
        return path if inside and os.path.isfile(real) else None
    except (OSError, ValueError):
        return None


def _read(library: Library, bundle: Bundle, rel: str, path: str, ref: Ref) -> Entry | None:
    if is_sensitive(rel, lambda sibling: os.path.lexists(bundle.path_of(sibling))):
        return None
    try:
        status = os.stat(path)
    except OSError:
        return None
    entry = read_entry(bundle, rel, status.st_size, status.st_mtime_ns).entry
    if entry is not None or not is_markdown(rel) or not may_read(library.bundles, path):
        return entry
    asset_type = TYPE_BY_DIRECTORY[ref.head]
    return _page(bundle, rel, path, ref.concept_id, asset_type.name)


def _page(bundle: Bundle, rel: str, path: str, concept_id: str, type_name: str) -> Entry:
    return Entry(
        bundle=bundle.id,
        concept_id=concept_id,
        type=type_name,
        name=concept_id.partition("/")[2] or concept_id,
        adapter=bundle.adapter,
        path=path,
        rel=rel,
    )


def orientation(library: Library, text: str, home: str | None) -> tuple[Bundle, Entry] | None:
    """A bundle's document about itself: ``[bundle//]meta[:name]`` is ``.meta/<name>.md``."""
    match = _META.match(text)
    if match is None:
        return None
    named, name = match.groups()
    if name is None and find(library, Ref(named, "meta"), home) is not None:
        return None
    name = name or _META_DEFAULT
    if any(segment in ("", ".", "..") for segment in name.split("/")):
        return None
    files = (name, f"{name}.md") if "." in name else (f"{name}.md", name)
    for bundle in search_order(library, named, home):
        for file in files:
            rel = f"{_META_DIRECTORY}/{file}"
            path = _regular_file(bundle, rel)
            if path is not None and may_read(library.bundles, path):
                concept_id = "meta" if name == _META_DEFAULT else f"meta:{name}"
                return bundle, _page(bundle, rel, path, concept_id, "meta")
    return None
