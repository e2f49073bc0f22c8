"""Answering a request: a listing, or what a plan finds, and a page of it (akm.md §6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from akm_ls.index.locks import live_holder
from akm_ls.index.store import StoreError
from akm_ls.search import akm_plan, default_plan
from akm_ls.search.found import Degraded, Found
from akm_ls.search.gate import passes
from akm_ls.search.library import Library, check_cancelled, never_cancelled
from akm_ls.search.linked import with_linked
from akm_ls.search.listing import list_assets
from akm_ls.search.named import with_named
from akm_ls.search.overlap import overlap
from akm_ls.search.page import Ranked, by_file, make_page, merge_doubles
from akm_ls.search.parsing import read_query
from akm_ls.search.query import Plan, plan
from akm_ls.search.ranking import Terms
from akm_ls.search.request import SearchRequest
from akm_ls.search.result import SearchResult
from akm_ls.search.semantic import NOT_CONFIGURED, Unavailable

if TYPE_CHECKING:
    from akm_ls.index.semantic_status import Readiness
    from akm_ls.index.store import Store
    from akm_ls.search.semantic import Lane

_NO_INDEX = "No search index available. Run `akm-ls index` to build one."
_BEING_BUILT = "The index is being built; ask again in a moment."
_EMPTY_INDEX = "The index is empty. Run `akm-ls index` to fill it, `akm-ls doctor` to see why."
_NO_HITS = "Nothing matches. Try other words, or run `akm-ls index` if the files are new."


def search(
    library: Library,
    request: SearchRequest,
    *,
    cancelled: Callable[[], bool] = never_cancelled,
) -> SearchResult:
    """Answer one request. Any query text is fine; no match is an answer with a tip.

    What cannot be had is left out and said: the meaning first, then the index.

    Raises:
        Cancelled: ``cancelled`` became true on the way.
    """
    semantic = NOT_CONFIGURED
    if library.semantic is not None:
        semantic = library.semantic.state(library.store)
    query = plan(request.query)
    if query.retired is not None:
        again = query.retired.replacement
        tip = f"This spelling is no longer read. Search for `{again}` instead."
        return SearchResult(request, "browse", tip=tip, semantic=semantic)
    if query.browse is not None:
        page, total = list_assets(library, request, query.browse, cancelled)
        return SearchResult(
            request,
            "browse",
            page.hits,
            total,
            _tip(library, total=total),
            page.warnings,
            semantic=semantic,
        )
    return _answer(library, request, query, semantic, cancelled)


def _answer(
    library: Library,
    request: SearchRequest,
    query: Plan,
    semantic: Readiness,
    cancelled: Callable[[], bool],
) -> SearchResult:
    warnings: list[str] = []
    try:
        found = _find(library, request, query, semantic, cancelled)
    except StoreError as error:
        check_cancelled(cancelled)
        warnings.append(f"The index cannot be read ({error}); only names were compared.")
        found = _compare_names(library, request, query, str(error))
    check_cancelled(cancelled)
    ordered: Sequence[Ranked]
    if request.plan == "default":
        ordered = with_named(library, request, merge_doubles(library, found.ranked))
    else:
        ordered = sorted(found.ranked, key=lambda item: item.key)
    total = found.total - (len(found.ranked) - len(ordered))
    if request.linked and request.plan == "default" and found.mode != "overlap":
        before = len(ordered)
        try:
            ordered = with_linked(library, request, ordered, cancelled)
        except StoreError as error:
            warnings.append(f"What the hits are linked with cannot be read ({error}).")
        total += len(ordered) - before
    rest = iter(ordered[request.offset :])
    page = make_page(library, request, rest, found.tokens, cancelled)
    total -= page.gone
    return SearchResult(
        request,
        found.stage,
        page.hits,
        total,
        _tip(library, total=total),
        (*warnings, *page.warnings),
        found.mode,
        semantic,
        found.corrections,
        found.degraded,
    )


def _find(
    library: Library,
    request: SearchRequest,
    query: Plan,
    semantic: Readiness,
    cancelled: Callable[[], bool],
) -> Found:
    store = library.store
    if store is None:
        raise StoreError("it could not be opened")
    wanted = request.mode != "lexical"
    # `auto` takes what there is; who asks for the meaning by name is told when there is none.
    if wanted and request.mode == "auto" and not semantic.is_usable:
        wanted = False

    def open_lane(text: str) -> Lane:
        return _open_lane(library, store, semantic, text, cancelled)

    if request.plan == "default":
        return default_plan.find(library, store, request, open_lane if wanted else None, cancelled)
    lane: Lane | None = None
    degraded: tuple[Degraded, ...] = ()
    if wanted:
        try:
            lane = open_lane(request.query)
        except Unavailable as problem:
            degraded = (Degraded("semantic", str(problem)),)
    return akm_plan.find(library, store, request, query, lane, degraded, cancelled)


def _open_lane(
    library: Library,
    store: Store,
    semantic: Readiness,
    text: str,
    cancelled: Callable[[], bool],
) -> Lane:
    if library.semantic is None:
        raise Unavailable(semantic.reason or "")
    return library.semantic.lane(store, semantic, text, cancelled)


def _compare_names(library: Library, request: SearchRequest, query: Plan, reason: str) -> Found:
    """The catalog alone: names, descriptions and tags."""
    tokens = query.tokens if request.plan == "akm" else read_query(request.query).words
    terms = Terms.of(request.query, tokens, request.project)
    stubs = library.catalog.stubs(request.bundle)
    scored = overlap(stubs, library.bundles, terms, library.utility)
    ranked = by_file(
        Ranked(entry, score) for entry, score in scored if passes(library, request, entry)
    )
    degraded = (Degraded("lexical", reason),)
    return Found("or", ranked, len(ranked), tokens, mode="overlap", degraded=degraded)


def _tip(library: Library, *, total: int) -> str | None:
    if total:
        return None
    if len(library.catalog):
        return _NO_HITS
    if library.store is not None and live_holder(library.store.path) is not None:
        return _BEING_BUILT
    try:
        built = library.store is not None and library.store.status().built_at is not None
    except StoreError:
        built = False
    return _EMPTY_INDEX if built else _NO_INDEX
