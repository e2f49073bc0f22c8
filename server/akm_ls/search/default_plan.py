"""The default plan: any of the words, weighed by all that is known, with the meaning beside them.

Measured better than asking for every word first: docs/search-quality.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from akm_ls.search import fusion
from akm_ls.search.found import MIN_RANKED, Degraded, Found, depth_of, interruptible, rows_of
from akm_ls.search.fusion import Base, Evidence, Scale, Signals
from akm_ls.search.gate import gate_of, passes, with_belief
from akm_ls.search.lexical import WordPlan, coverage, plan_path, plan_words, speller
from akm_ls.search.library import Library, check_cancelled
from akm_ls.search.page import Ranked, by_file
from akm_ls.search.parsing import read_query
from akm_ls.search.query import find_word, is_path_like, words
from akm_ls.search.ranking import HYBRID, LEXICAL, MATCH_WEIGHT, SEMANTIC, Part, Terms, rank_base
from akm_ls.search.semantic import Unavailable

if TYPE_CHECKING:
    from akm_ls.bundles.entry import Entry
    from akm_ls.index.full_text import FullText
    from akm_ls.index.store import Store
    from akm_ls.index.stub import Stub
    from akm_ls.search.found import RanMode
    from akm_ls.search.query import Stage
    from akm_ls.search.request import SearchRequest
    from akm_ls.search.semantic import Lane

LEAST_COSINE = 0.2
"""What only the meaning finds has to be as near as this."""
COVERAGE_BOOST = 0.02
"""For an asset that holds every word of the query, and less for some of them: bm25 has counted
them, so this is to decide where all else is alike."""

OpenLane = Callable[[str], "Lane"]
"""Opens the semantic lane for a text; raises `Unavailable`."""


@dataclass(frozen=True, slots=True)
class _Candidates:
    """What both lanes say, best first, and the scale it is measured on."""

    bm25: Mapping[int, float]
    near: Mapping[int, float]
    lane: Lane | None
    scale: Scale
    first: Collection[int]
    """The ids that the scale is made of."""
    known: Mapping[int, float]
    """The cosines of those of them that have a vector."""

    def __len__(self) -> int:
        return len(self.bm25.keys() | self.near.keys())

    def chunks(self, depth: int) -> Iterator[list[int]]:
        """The ids in the order in which they are worth ranking: some of each lane at a time."""
        rows, near = list(self.bm25), list(self.near)
        half = depth // 2
        taken: set[int] = set()
        at, count = 0, len(self)
        while len(taken) < count:
            both = (*rows[at * depth : (at + 1) * depth], *near[at * half : (at + 1) * half])
            chunk = [entry_id for entry_id in dict.fromkeys(both) if entry_id not in taken]
            taken.update(chunk)
            yield chunk
            at += 1

    def cosines(self, ids: Collection[int]) -> Mapping[int, float]:
        """Those of some ids, and maybe of others."""
        if self.lane is None:
            return {}
        others = [entry_id for entry_id in ids if entry_id not in self.first]
        return {**self.known, **self.lane.cosines(others)} if others else self.known


def find(
    library: Library,
    store: Store,
    request: SearchRequest,
    open_lane: OpenLane | None,
    cancelled: Callable[[], bool],
) -> Found:
    """What the plan finds.

    Raises:
        StoreError: the index cannot be read.
        Cancelled: nobody wants the answer any more.
    """
    full_text = store.full_text(gate_of(request))
    query = read_query(request.query)

    def seen() -> Iterator[Stub]:
        return (stub for stub in library.catalog.stubs() if passes(library, request, stub))

    with interruptible(store, cancelled):
        if is_path_like(request.query):
            plan = plan_path(full_text, query)
        else:
            plan = plan_words(full_text, query, speller(full_text, seen))
        check_cancelled(cancelled)
        lane, degraded = _lane(request, plan, open_lane)
        candidates = _candidates(full_text, request, plan, lane)
        check_cancelled(cancelled)
        ranked, hidden, full = _rank(
            library, store, full_text, request, plan, candidates, cancelled
        )
    mode: RanMode = "lexical"
    if lane is not None:
        mode = "semantic" if request.mode == "semantic" else "hybrid"
    return Found(
        _stage(plan, candidates, ranked, full),
        ranked,
        len(candidates) - hidden,
        plan.query.words,
        mode=mode,
        corrections=plan.corrections,
        degraded=degraded,
    )


def _lane(
    request: SearchRequest, plan: WordPlan, open_lane: OpenLane | None
) -> tuple[Lane | None, tuple[Degraded, ...]]:
    if open_lane is None:
        return None, ()
    meant = dict(plan.corrections)
    text = request.query
    if meant:
        text = " ".join(meant.get(word, word) for word in words(request.query))
    try:
        return open_lane(text), ()
    except Unavailable as problem:
        return None, (Degraded("semantic", str(problem)),)


def _candidates(
    full_text: FullText, request: SearchRequest, plan: WordPlan, lane: Lane | None
) -> _Candidates:
    near: dict[int, float] = {}
    if lane is not None:
        among = _among(full_text, request, plan)
        near = {
            item.entry_id: item.cosine
            for item in lane.nearest(rows_of(request), among)
            if item.cosine >= LEAST_COSINE
        }
    depth = depth_of(request)
    bm25: dict[int, float] = {}
    if plan.expression and not (lane is not None and request.mode == "semantic"):
        rows = full_text.match(
            plan.expression, limit=rows_of(request), enough=depth, also=list(near)[: depth // 2]
        )
        bm25 = {row.entry_id: row.bm25 for row in rows}
    # The same for every page, so that pages are slices of one list.
    first = dict.fromkeys((*list(bm25)[:MIN_RANKED], *list(near)[:MIN_RANKED]))
    cosines: Mapping[int, float] = {}
    if lane is not None:
        cosines = {**near, **lane.cosines([it for it in first if it not in near])}
    scale = fusion.scale_of([Signals(bm25.get(it), cosines.get(it)) for it in first])
    return _Candidates(bm25, near, lane, scale, first, cosines)


def _among(full_text: FullText, request: SearchRequest, plan: WordPlan) -> Collection[int] | None:
    """The rows that the meaning may find; ``None``: any. Phrases, paths and exclusions bind it."""
    required, forbidden = plan.required, plan.forbidden
    if not (request.type or request.bundle or required or forbidden):
        return None
    among: Collection[int] = full_text.ids()
    if required:
        among = full_text.holding(required, among)
    if forbidden:
        among = set(among).difference(full_text.holding(forbidden, among))
    return among


def _rank(
    library: Library,
    store: Store,
    full_text: FullText,
    request: SearchRequest,
    plan: WordPlan,
    candidates: _Candidates,
    cancelled: Callable[[], bool],
) -> tuple[list[Ranked], int, set[str]]:
    """The first candidates ranked, how many of them were hidden or double, and the refs of those
    that hold every word."""
    corrected = dict(plan.corrections)
    said = " ".join(corrected.get(word, word) for word in words(request.query))
    terms = Terms.of(said, plan.query.words, request.project)
    lexical_rank: dict[int, int] = {}
    semantic_rank: dict[int, int] = {}
    if request.fusion in ("rrf", "akm"):
        lexical_rank = {entry_id: at for at, entry_id in enumerate(candidates.bm25, 1)}
        semantic_rank = {entry_id: at for at, entry_id in enumerate(candidates.near, 1)}
    ranked: list[Ranked] = []
    full: set[str] = set()
    seen = 0
    by_words = candidates.lane is None
    for ids in candidates.chunks(depth_of(request)):
        check_cancelled(cancelled)
        seen += len(ids)
        cosines = candidates.cosines(ids)
        covered = coverage(full_text, plan, ids, found_by_words=by_words)
        for stored in store.entries(ids):
            entry_id, entry = stored.id, with_belief(library, stored.entry)
            if not passes(library, request, entry):
                continue
            bm25, cosine = candidates.bm25.get(entry_id), cosines.get(entry_id)
            signals = Signals(bm25, cosine, lexical_rank.get(entry_id), semantic_rank.get(entry_id))
            share = covered[entry_id]
            base = _base(request, candidates, signals, entry, terms, share)
            if base is None:
                continue
            lane = "words" if cosine is None or cosine < LEAST_COSINE else "both"
            score = rank_base(
                entry,
                terms,
                base,
                _lead("meaning" if bm25 is None else lane, share if request.boosts else 0.0),
                boosted=request.boosts,
                matches=MATCH_WEIGHT,
                utility=library.utility(entry.bundle, entry.concept_id),
            )
            ranked.append(Ranked(entry, score))
            if share == 1.0 and bm25 is not None:
                full.add(entry.ref)
        ranked = by_file(ranked)
        if len(ranked) >= request.offset + request.limit:
            break
    return ranked, seen - len(ranked), full


def _base(
    request: SearchRequest,
    candidates: _Candidates,
    signals: Signals,
    entry: Entry,
    terms: Terms,
    covered: float,
) -> Base | None:
    scale = candidates.scale
    if candidates.lane is None:
        return fusion.lexical(signals, scale)
    if request.mode == "semantic":
        return fusion.semantic_only(signals, scale)
    if request.fusion == "rrf":
        return fusion.rrf(signals, scale)
    if request.fusion == "akm":
        # Its lanes know nothing of each other's cosines.
        if signals.semantic_rank is None:
            signals = Signals(signals.bm25)
        return fusion.akm(signals, fusion.spread(signals.bm25, scale))
    if request.fusion == "knowledge":
        return fusion.knowledge(signals, scale, _evidence(entry, terms, covered))
    return fusion.convex(signals, scale)


_AUTHORITY = {"curated": 0.85, "enriched": 0.8, "generated": 0.65, "proposed": 0.6}


def _evidence(entry: Entry, terms: Terms, covered: float) -> Evidence:
    text = f"{entry.name} {entry.description}".lower()
    named = sum(1 for root in terms.roots if find_word(root, text) >= 0)
    sources = entry.extra.get("sources") or entry.extra.get("xrefs")
    return Evidence(
        covered=covered,
        named=named / len(terms.roots) if terms.roots else 0.0,
        cited=1.0 if sources else 0.65 if entry.description else 0.35,
        fresh=1.0 if entry.content_hash else 0.55,
        authority=_AUTHORITY.get(entry.quality, 0.65),
    )


_FOUND_BY = {"words": LEXICAL, "meaning": SEMANTIC, "both": HYBRID}


@lru_cache(maxsize=256)
def _lead(found_by: str, share: float) -> tuple[Part, ...]:
    """What comes before an entry's own parts: what found it, and what the words that it holds
    count. Hundreds of rows share a few of them."""
    if not share:
        return _FOUND_BY[found_by]
    return (*_FOUND_BY[found_by], Part("coverage", round(COVERAGE_BOOST * share, 4)))


def _stage(
    plan: WordPlan, candidates: _Candidates, ranked: Sequence[Ranked], full: set[str]
) -> Stage:
    """``all``: the best hit holds every word."""
    if plan.stage is not None:
        return plan.stage
    if not candidates.bm25 and candidates.near:
        return "semantic"
    best = min(ranked, key=lambda item: item.key, default=None)
    return "all" if best is not None and best.entry.ref in full else "or"
