"""akm's plan, as published: every word, then their beginnings, then any of them (akm.md §6.2).

The first step with rows answers alone, and a hit's score does not depend on the others'.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from akm_ls.search import fusion
from akm_ls.search.found import Degraded, Found, depth_of, interruptible, rows_of
from akm_ls.search.gate import gate_of, passes, with_belief
from akm_ls.search.library import Library, check_cancelled
from akm_ls.search.page import Ranked, by_file
from akm_ls.search.query import MatchStage, Plan
from akm_ls.search.ranking import (
    HYBRID,
    LEXICAL,
    SEMANTIC,
    Terms,
    keyword_score,
    rank_base,
)

if TYPE_CHECKING:
    from akm_ls.index.answers import MatchRow
    from akm_ls.index.full_text import FullText
    from akm_ls.index.store import Store
    from akm_ls.search.request import SearchRequest
    from akm_ls.search.semantic import Lane


def find(
    library: Library,
    store: Store,
    request: SearchRequest,
    plan: Plan,
    lane: Lane | None,
    degraded: tuple[Degraded, ...],
    cancelled: Callable[[], bool],
) -> Found:
    """What the plan finds, with the meaning where there is a ``lane``.

    Raises:
        StoreError: the index cannot be read.
        Cancelled: nobody wants the answer any more.
    """
    full_text = store.full_text(gate_of(request))
    terms = Terms.of(request.query, plan.tokens, request.project)
    with interruptible(store, cancelled):
        if lane is not None:
            return _hybrid(library, store, full_text, request, plan, terms, lane, cancelled)
        stage: MatchStage = "and"
        for step in plan.steps:
            check_cancelled(cancelled)
            stage = step.stage
            rows = full_text.match(
                step.expression, limit=rows_of(request), enough=depth_of(request)
            )
            ranked, hidden = _rank(library, store, request, rows, terms, stage, cancelled)
            # Rows that the caller may not see do not keep a wider stage from answering.
            if ranked:
                total = len(rows) - hidden
                return Found(stage, ranked, total, plan.tokens, degraded=degraded)
    return Found(stage, [], 0, plan.tokens, degraded=degraded)


def _rank(
    library: Library,
    store: Store,
    request: SearchRequest,
    rows: Sequence[MatchRow],
    terms: Terms,
    stage: MatchStage,
    cancelled: Callable[[], bool],
) -> tuple[list[Ranked], int]:
    """The first rows ranked, and how many of those looked at were hidden or double."""
    depth = depth_of(request)
    ranked: list[Ranked] = []
    seen = 0
    for start in range(0, len(rows), depth):
        check_cancelled(cancelled)
        chunk = rows[start : start + depth]
        seen += len(chunk)
        bm25 = {row.entry_id: row.bm25 for row in chunk}
        for stored in store.entries(list(bm25)):
            entry = with_belief(library, stored.entry)
            if passes(library, request, entry):
                keyword = keyword_score(bm25[stored.id])
                score = rank_base(
                    entry,
                    terms,
                    fusion.Base(keyword, keyword),
                    LEXICAL,
                    relaxed=stage == "or",
                    boosted=request.boosts,
                    akm_reasons=True,
                    utility=library.utility(entry.bundle, entry.concept_id),
                )
                ranked.append(Ranked(entry, score))
        ranked = by_file(ranked)
        if len(ranked) >= request.offset + request.limit:
            break
    return ranked, seen - len(ranked)


def _hybrid(
    library: Library,
    store: Store,
    full_text: FullText,
    request: SearchRequest,
    plan: Plan,
    terms: Terms,
    lane: Lane,
    cancelled: Callable[[], bool],
) -> Found:
    """Both lanes fetch three times a page, and akm's formula makes one score of them."""
    depth = depth_of(request)
    rows: list[MatchRow] = []
    stage: MatchStage = "and"
    for step in plan.steps if request.mode != "semantic" else ():
        check_cancelled(cancelled)
        stage = step.stage
        rows = full_text.match(step.expression, limit=depth)
        if rows:
            break
    among = full_text.ids() if request.type or request.bundle else None
    near = [item.entry_id for item in lane.nearest(depth, among)]
    bm25 = {row.entry_id: row.bm25 for row in rows}
    ids = list(dict.fromkeys((*bm25, *near)))
    found_near = set(near)
    cosines = {
        entry_id: cosine for entry_id, cosine in lane.cosines(ids).items() if entry_id in found_near
    }
    ranked = []
    for stored in store.entries(ids):
        entry = with_belief(library, stored.entry)
        if not passes(library, request, entry):
            continue
        matched = bm25.get(stored.id)
        signals = fusion.Signals(matched, cosines.get(stored.id))
        base = fusion.akm(signals, None if matched is None else keyword_score(matched))
        if base is None:
            continue
        lead = SEMANTIC if matched is None else LEXICAL if signals.cosine is None else HYBRID
        score = rank_base(
            entry,
            terms,
            base,
            lead,
            relaxed=stage == "or" and matched is not None,
            boosted=request.boosts,
            akm_reasons=True,
            utility=library.utility(entry.bundle, entry.concept_id),
        )
        ranked.append(Ranked(entry, score))
    ranked = by_file(ranked)
    return Found(
        stage if rows else "semantic",
        ranked,
        len(ranked),
        plan.tokens,
        mode="semantic" if request.mode == "semantic" else "hybrid",
    )
