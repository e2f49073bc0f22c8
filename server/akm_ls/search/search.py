"""Answering a query from the index: plan, match, rank, check, cut a page (akm.md §6)."""

from __future__ import annotations

import contextlib
import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from akm_ls.bundles.entry import Entry
from akm_ls.documents.document import kind_of
from akm_ls.index.store import MatchRow, Store, StoreError
from akm_ls.search.excerpt import Excerpt, best_excerpt
from akm_ls.search.freshness import freshness
from akm_ls.search.library import Cancelled, Library, entry_of_stub, never_cancelled
from akm_ls.search.overlap import overlap
from akm_ls.search.query import Browse, MatchStage, Plan, Stage, plan
from akm_ls.search.ranking import BELIEF_CEILING, LISTED, Score, Terms, rank
from akm_ls.search.request import SearchRequest
from akm_ls.search.result import Hit, SearchResult, estimate_tokens

if TYPE_CHECKING:
    from akm_ls.index.stub import Stub

MAX_ROWS = 1_000
"""Full-text rows looked at for one query; ``total`` is exact below this and a floor at it."""
MIN_RANKED = 96
"""Rows whose entries are loaded and ranked, at least: three times a page, in doubling steps so
that neighbouring pages are cut from one ranking."""

_STEPS_BETWEEN_QUESTIONS = 50_000
"""SQLite's virtual machine instructions, some milliseconds' worth."""

_NO_INDEX = "No search index available. Run `akm-ls index` to build one."
_EMPTY_INDEX = "The index is empty. Run `akm-ls index` to fill it, `akm-ls doctor` to see why."
_NO_HITS = "Nothing matches. Try other words, or run `akm-ls index` if the files are new."

_CLOSED = frozenset({"secret", "env"})
_BODILESS = _CLOSED | {"session"}
"""Types whose bodies are not searched."""


@dataclass(frozen=True, slots=True)
class _Ranked:
    entry: Entry
    score: Score

    @property
    def key(self) -> tuple[float, float, str, str]:
        # Many a good hit is held at 1: what it would have had keeps an exact name above a near one.
        return (-self.score.total, -self.score.raw, self.entry.name, self.entry.ref)


def search(
    library: Library,
    request: SearchRequest,
    *,
    cancelled: Callable[[], bool] = never_cancelled,
) -> SearchResult:
    """Answer one request. Any query text is fine; no match is an answer with a tip.

    Raises:
        Cancelled: ``cancelled`` became true on the way.
    """
    search_plan = plan(request.query)
    if search_plan.retired is not None:
        again = search_plan.retired.replacement
        tip = f"This spelling is no longer read. Search for `{again}` instead."
        return SearchResult(request, "browse", tip=tip)
    if search_plan.browse is not None:
        return _list(library, request, search_plan.browse, cancelled)
    return _match(library, request, search_plan, cancelled)


def _list(
    library: Library, request: SearchRequest, browse: Browse, cancelled: Callable[[], bool]
) -> SearchResult:
    """Everything that passes the filters, by type, name and path."""
    bundle, prefix = (browse.bundle or "").casefold(), browse.prefix.casefold()
    # Someone who spells out `sessions/` wants to see sessions.
    excluded = frozenset() if prefix.startswith("sessions/") else request.exclude_types
    found = [
        stub
        for stub in library.catalog.stubs(request.bundle)
        if (not bundle or stub.bundle.casefold() == bundle)
        and (not prefix or stub.concept_id.casefold().startswith(prefix))
        and (stub.type == request.type if request.type else stub.type not in excluded)
        and (request.include_proposed or stub.quality != "proposed")
        and _believed(request, _belief_of(library, stub, stub.belief_state))
    ]
    _check(cancelled)
    found = list({stub.path: stub for stub in found}.values())
    # Some more than the page, to fill the places of files that are gone.
    depth = request.offset + request.limit + MIN_RANKED
    ordered = heapq.nsmallest(depth, found, key=_listing_key)
    page = (
        _Ranked(_entry_of(library, stub), LISTED)
        for stub in ordered[request.offset :]
        if not cancelled()
    )
    hits, gone, warnings = _page(library, request, page, (), cancelled)
    total = len(found) - gone
    return SearchResult(request, "browse", hits, total, _tip(library, total=total), tuple(warnings))


def _listing_key(stub: Stub) -> tuple[str, str, str, str]:
    return (stub.type, stub.name.casefold(), stub.name.swapcase(), stub.path)


def _match(
    library: Library, request: SearchRequest, search_plan: Plan, cancelled: Callable[[], bool]
) -> SearchResult:
    terms = Terms.of(request.query, search_plan.tokens, request.project)
    warnings: list[str] = []
    try:
        stage, ranked, total = _from_index(library, request, search_plan, terms, cancelled)
    except StoreError as error:
        _check(cancelled)
        warnings.append(f"The index cannot be read ({error}); only names were compared.")
        stage = "or"
        scored = overlap(library.catalog.stubs(request.bundle), library.bundles, terms)
        ranked = _by_file(
            _Ranked(entry, score)
            for entry, score in scored
            if _passes(library, request, entry) and _wanted_type(request, entry.type)
        )
        total = len(ranked)
    _check(cancelled)
    ordered = sorted(ranked, key=lambda item: item.key)
    hits, gone, stale = _page(
        library, request, iter(ordered[request.offset :]), search_plan.tokens, cancelled
    )
    total -= gone
    warnings += stale
    return SearchResult(request, stage, hits, total, _tip(library, total=total), tuple(warnings))


def _from_index(
    library: Library,
    request: SearchRequest,
    search_plan: Plan,
    terms: Terms,
    cancelled: Callable[[], bool],
) -> tuple[Stage, list[_Ranked], int]:
    """The stage that answered, its best rows ranked, and how many rows there are."""
    store = library.store
    if store is None:
        raise StoreError("it could not be opened")
    stage: MatchStage = "and"
    for step in search_plan.steps:
        _check(cancelled)
        stage = step.stage
        with _interruptible(store, cancelled):
            rows = store.match(
                step.expression,
                limit=MAX_ROWS,
                types=frozenset({request.type}) if request.type else None,
                exclude_types=frozenset() if request.type else request.exclude_types,
                bundle=request.bundle,
            )
        if not rows:
            continue
        ranked, hidden = _rank_rows(library, store, request, rows, terms, stage, cancelled)
        # Rows that the caller may not see do not keep a wider stage from answering.
        if ranked:
            return stage, ranked, len(rows) - hidden
    return stage, [], 0


def _rank_rows(
    library: Library,
    store: Store,
    request: SearchRequest,
    rows: list[MatchRow],
    terms: Terms,
    stage: MatchStage,
    cancelled: Callable[[], bool],
) -> tuple[list[_Ranked], int]:
    """The first rows ranked, and how many of those looked at were hidden or double."""
    depth = MIN_RANKED
    while depth < 3 * (request.offset + request.limit):
        depth *= 2
    ranked: list[_Ranked] = []
    seen = 0
    for start in range(0, len(rows), depth):
        _check(cancelled)
        chunk = rows[start : start + depth]
        seen += len(chunk)
        bm25 = {row.entry_id: row.bm25 for row in chunk}
        for stored in store.entries(list(bm25)):
            entry = _with_belief(library, stored.entry)
            if _passes(library, request, entry):
                score = rank(entry, terms, bm25=bm25[stored.id], stage=stage)
                ranked.append(_Ranked(entry, score))
        ranked = _by_file(ranked)
        if len(ranked) >= request.offset + request.limit:
            break
    return ranked, seen - len(ranked)


def _by_file(ranked: Iterable[_Ranked]) -> list[_Ranked]:
    """One hit for each file: the better one."""
    best: dict[str, _Ranked] = {}
    for item in ranked:
        known = best.get(item.entry.path)
        if known is None or item.key < known.key:
            best[item.entry.path] = item
    return list(best.values())


def _page(
    library: Library,
    request: SearchRequest,
    ranked: Iterator[_Ranked],
    tokens: tuple[str, ...],
    cancelled: Callable[[], bool],
) -> tuple[tuple[Hit, ...], int, list[str]]:
    """A page of hits whose files exist, how many did not, and warnings about changed ones."""
    hits: list[Hit] = []
    warnings: list[str] = []
    gone = 0
    for item in ranked:
        _check(cancelled)
        entry = item.entry
        buffered = None if entry.type in _CLOSED else library.text_of(entry.path)
        state = "fresh" if buffered is not None else freshness(library.bundles, entry)
        if state == "gone":
            gone += 1
            continue
        if state == "changed":
            warnings.append(f"{entry.ref} has changed since it was indexed.")
        hits.append(_hit(library, item, tokens, stale=state == "changed"))
        if len(hits) == request.limit:
            break
    return tuple(hits), gone, warnings


def _hit(library: Library, item: _Ranked, tokens: tuple[str, ...], *, stale: bool) -> Hit:
    entry = item.entry
    owner = library.bundles.get(entry.bundle)
    excerpt: Excerpt | None = None
    if entry.type == "secret":
        shown = None
    elif entry.type == "env":
        shown = len("\n".join(entry.keys))
    else:
        shown = entry.size
        if tokens and _has_body(entry) and (text := library.read(entry.path)) is not None:
            shown = len(text)
            excerpt = best_excerpt(text, tokens)
    return Hit(
        entry=_bare(entry) if entry.type == "secret" else entry,
        score=item.score,
        editable=owner is not None and owner.writable,
        excerpt=excerpt,
        estimated_tokens=None if shown is None else estimate_tokens(shown),
        stale=stale,
    )


def _bare(entry: Entry) -> Entry:
    """A secret as far as anyone may know it: where it is and what it is called."""
    return replace(entry, content_hash="", size=0, mtime_ns=0, content="", extra={})


def _has_body(entry: Entry) -> bool:
    if entry.type in _BODILESS or entry.extra.get("checkpoint"):
        return False
    return kind_of(entry.path) == "markdown"


def _entry_of(library: Library, stub: Stub) -> Entry:
    """The stored entry, or what the catalog knows of an asset that is only in an open buffer."""
    try:
        stored = library.store and library.store.entry(stub.bundle, stub.concept_id)
    except StoreError:
        stored = None
    if stored and stored.entry.path == stub.path:
        return _with_belief(library, stored.entry)
    return entry_of_stub(library.bundles, stub)


def _with_belief(library: Library, entry: Entry) -> Entry:
    state = _belief_of(library, entry, entry.belief_state)
    return entry if state == entry.belief_state else replace(entry, belief_state=state)


def _belief_of(library: Library, asset: Entry | Stub, own: str | None) -> str | None:
    """An asset's belief state; a memory's derived twin shares its parent's (akm.md §6.5)."""
    if own or asset.type != "memory" or not asset.name.endswith(".derived"):
        return own
    parent = library.catalog.get(asset.bundle, asset.concept_id.removesuffix(".derived"))
    return parent.belief_state if parent else None


def _passes(library: Library, request: SearchRequest, entry: Entry) -> bool:
    if entry.quality == "proposed" and not request.include_proposed:
        return False
    return _believed(request, _belief_of(library, entry, entry.belief_state))


def _believed(request: SearchRequest, state: str | None) -> bool:
    return request.belief == "all" or (state in BELIEF_CEILING) == (request.belief == "historical")


def _wanted_type(request: SearchRequest, name: str) -> bool:
    return name == request.type if request.type else name not in request.exclude_types


def _tip(library: Library, *, total: int) -> str | None:
    if total:
        return None
    if len(library.catalog):
        return _NO_HITS
    try:
        built = library.store is not None and library.store.status().built_at is not None
    except StoreError:
        built = False
    return _EMPTY_INDEX if built else _NO_INDEX


@contextlib.contextmanager
def _interruptible(store: Store, cancelled: Callable[[], bool]) -> Iterator[None]:
    """Let ``cancelled`` stop a query while SQLite is at work on it: a `StoreError` then."""
    if cancelled is never_cancelled:
        yield
        return
    connection = store.database.connection
    connection.set_progress_handler(cancelled, _STEPS_BETWEEN_QUESTIONS)
    try:
        yield
    finally:
        connection.set_progress_handler(None)


def _check(cancelled: Callable[[], bool]) -> None:
    if cancelled():
        raise Cancelled
