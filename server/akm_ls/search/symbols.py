"""Assets and headings by a few letters of what they are called, for "go to symbol".

All of it is answered from memory. Hits come in the order that search would give them, by the same
scores; unlike search, parts of words count, because people type as little as they can.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from akm_ls.bundles.asset_types import TYPE_BY_NAME
from akm_ls.bundles.entry import Entry
from akm_ls.index.catalog import Catalog
from akm_ls.index.matching import has_in_order
from akm_ls.index.stub import Stub
from akm_ls.search.query import tokens_of, words
from akm_ls.search.ranking import Terms, rank_overlap

MAX_SYMBOLS = 200
MAX_RANKED = 300
"""Matches that are scored; of more than these the ones with the shortest names."""
HIDDEN_TYPES = frozenset({"session"})
"""Types that only show up when they are asked for, as in search (akm.md §6.6)."""


@dataclass(frozen=True, slots=True)
class SymbolQuery:
    """What somebody typed: words, and filters that hold for the beginning of a name.

    ``type:sk`` lets skills pass, ``bundle:te`` every bundle whose id begins so.
    """

    text: str
    types: tuple[str, ...] = ()
    bundles: tuple[str, ...] = ()

    def passes(self, stub: Stub) -> bool:
        if self.types:
            if not stub.type.startswith(self.types):
                return False
        elif stub.type in HIDDEN_TYPES:
            return False
        return not self.bundles or stub.bundle.lower().startswith(self.bundles)


@dataclass(frozen=True, slots=True)
class Symbol:
    """An asset, or one of its headings: ``fragment`` is the slug then, ``name`` the title."""

    stub: Stub
    name: str
    fragment: str | None = None


def read_symbol_query(text: str) -> SymbolQuery:
    """Take the filters out of a query; a filter without a value is still being typed."""
    found: dict[str, list[str]] = {"type": [], "bundle": []}
    rest: list[str] = []
    for word in text[:1_000].split():
        key, colon, value = word.partition(":")
        if colon and key.lower() in found:
            if value:
                found[key.lower()].append(value.lower())
        else:
            rest.append(word)
    return SymbolQuery(" ".join(rest), tuple(found["type"]), tuple(found["bundle"]))


class Symbols:
    """What can be gone to in one catalog. Not thread-safe; what `table` gives is."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._edition = -1
        self._table = SymbolTable(())

    def find(self, text: str, limit: int = MAX_SYMBOLS) -> list[Symbol]:
        """The best ``limit`` assets for what somebody typed, then headings if there is room.

        Without words: assets by type and name. Where no asset and no heading holds all the
        words, assets that hold the letters in order.
        """
        return self.table().find(text, limit) or self.in_order(text, limit)

    def table(self) -> SymbolTable:
        """The assets as the catalog knows them now."""
        if self._edition != self._catalog.edition:
            self._table = SymbolTable(tuple(self._catalog.stubs()))
            self._edition = self._catalog.edition
        return self._table

    def in_order(self, text: str, limit: int = MAX_SYMBOLS) -> list[Symbol]:
        """Assets that hold the letters in order: the last resort of `find`."""
        query = read_symbol_query(text)
        return _in_order(self._catalog, query, limit) if tokens_of(query.text) else []


class SymbolTable:
    """Assets to be gone to, as they were at one moment; for any thread.

    The first question puts the texts of all assets together, in lower case: a few milliseconds
    for every 10,000.
    """

    def __init__(self, stubs: Sequence[Stub]) -> None:
        self._stubs = stubs
        self._names: list[str] | None = None
        self._told: list[str] | None = None
        """What only few questions want."""

    def find(self, text: str, limit: int = MAX_SYMBOLS) -> list[Symbol]:
        """As `Symbols.find`, but for the last resort."""
        query = read_symbol_query(text)
        tokens = tokens_of(query.text)
        if not tokens:
            stubs = (stub for stub in self._stubs if query.passes(stub))
            return [Symbol(stub, stub.name) for stub in heapq.nsmallest(limit, stubs, key=_listing)]
        # A path is one thing to look for, not several words.
        parts = tuple(query.text.lower().split())
        if self._names is None:
            self._names = [f"{stub.name}\n{stub.concept_id}".lower() for stub in self._stubs]
        named = self._holding(self._names, parts)
        found = _ranked(self._passing(query, named), query.text, tokens)
        if len(found) < limit:
            if self._told is None:
                self._told = [_told(stub) for stub in self._stubs]
            known = set(named)
            told = [at for at in self._holding(self._told, parts) if at not in known]
            found += _ranked(self._passing(query, told), query.text, tokens)
        symbols = [Symbol(stub, stub.name) for stub in found[:limit]]
        if len(symbols) < limit:
            holders = (stub for stub in self._stubs if _holds(stub.slugs.lower(), parts))
            passing = (stub for stub in holders if query.passes(stub))
            symbols += _headings(passing, parts, limit - len(symbols))
        return symbols

    def _holding(self, texts: list[str], parts: tuple[str, ...]) -> list[int]:
        first, *more = sorted(parts, key=len, reverse=True)
        found = [at for at, text in enumerate(texts) if first in text]
        return [at for at in found if _holds(texts[at], more)] if more else found

    def _passing(self, query: SymbolQuery, rows: list[int]) -> list[Stub]:
        return [stub for at in rows if query.passes(stub := self._stubs[at])]


def _holds(text: str, parts: Sequence[str]) -> bool:
    return all(part in text for part in parts)


def _told(stub: Stub) -> str:
    text = f"{stub.concept_id}\n{stub.title or ''}\n{stub.description}\n{' '.join(stub.tags)}"
    return text.lower()


def _ranked(stubs: list[Stub], text: str, tokens: tuple[str, ...]) -> list[Stub]:
    if len(stubs) > MAX_RANKED:
        stubs = heapq.nsmallest(MAX_RANKED, stubs, key=lambda stub: (len(stub.name), stub.name))
    terms = Terms.of(text, tokens)

    def place(stub: Stub) -> tuple[float, float, str, str]:
        score = rank_overlap(_entry(stub), terms, share=1.0)
        return (-score.total, -score.raw, stub.name, stub.ref)

    return sorted(stubs, key=place)


def _entry(stub: Stub) -> Entry:
    """As much of the asset as ranking looks at."""
    return Entry(
        bundle=stub.bundle,
        concept_id=stub.concept_id,
        type=stub.type,
        name=stub.name,
        adapter="",
        path=stub.path,
        rel="",
        description=stub.description,
        tags=stub.tags,
        aliases=(stub.title,) if stub.title else (),
        belief_state=stub.belief_state,
        quality=stub.quality,
    )


def _headings(stubs: Iterable[Stub], parts: tuple[str, ...], limit: int) -> Iterator[Symbol]:
    """Headings that hold all the words, those that begin with them first."""
    found = (
        Symbol(stub, title, slug)
        for stub in islice(stubs, MAX_RANKED)
        for slug, title in stub.fragments()
        # The title of a file is found as the asset it is.
        if title != stub.title and _holds(f"{title}\n{slug}".lower(), parts)
    )

    def place(symbol: Symbol) -> tuple[bool, int, str, str]:
        title = " ".join(words(symbol.name))
        begins = title.startswith(" ".join(words(parts[0])))
        return (not begins, len(title), symbol.name, symbol.stub.ref)

    yield from heapq.nsmallest(limit, found, key=place)


def _in_order(catalog: Catalog, query: SymbolQuery, limit: int) -> list[Symbol]:
    types = frozenset(
        name
        for name in TYPE_BY_NAME
        if (name.startswith(query.types) if query.types else name not in HIDDEN_TYPES)
    )
    letters = "".join(query.text.lower().split())
    stubs, _ = catalog.candidates(letters, limit=MAX_RANKED, types=types)
    found = [stub for stub in stubs if query.passes(stub)]
    found.sort(key=lambda stub: (not has_in_order(stub.name.lower(), letters), len(stub.name)))
    return [Symbol(stub, stub.name) for stub in found[:limit]]


def _listing(stub: Stub) -> tuple[str, str, str]:
    return (stub.type, stub.name.casefold(), stub.path)
