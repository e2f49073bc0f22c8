"""From a query to a context pack: search, read, cite, look for duplicates, fit."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from akm_ls.documents.redaction import redact
from akm_ls.search.context_pack.duplicates import duplicates_in
from akm_ls.search.context_pack.evidence import (
    MAX_LATER_QUOTE,
    MAX_QUOTE,
    QUOTES_IN_FULL,
    Evidence,
    cut,
    evidence_of,
    moment_of,
)
from akm_ls.search.context_pack.fit import fit
from akm_ls.search.context_pack.pack import MAX_QUERY, NEXT_ACTIONS, ContextPack
from akm_ls.search.context_pack.request import PackRequest, read_since
from akm_ls.search.query import tokens_of
from akm_ls.search.ranking import BELIEF_CEILING
from akm_ls.search.request import MAX_LIMIT, SearchRequest

if TYPE_CHECKING:
    from akm_ls.documents.text import PositionEncoding
    from akm_ls.search.library import Library
    from akm_ls.search.result import Hit, SearchResult

Find = Callable[[SearchRequest], "SearchResult"]

_SPARE = 2
"""Hits beyond the items asked for, to take the places of those that may not be packed."""
_MANY_MORE = 40
"""Hits beyond them where these few do not do, or older ones are left out."""
MAX_WARNINGS = 10


def build_pack(
    library: Library,
    request: PackRequest,
    find: Find,
    *,
    encoding: PositionEncoding = "utf-16",
    now: Callable[[], float] = time.time,
) -> ContextPack:
    """Make a pack out of what ``find`` gives, in its order.

    Proposed assets, secrets and sessions are not for agents to read in passing: they are not in
    a pack. Whatever the query, the pack is within its budget.

    Args:
        find: the search; it must leave out proposed assets when it is asked to.
        encoding: that of the citations' ranges.
        now: seconds since 1970, for a relative ``since``.

    Raises:
        PackError: the budget is too small even for one short piece of evidence.
        Cancelled: ``find`` was told to stop.
    """
    warnings: list[str] = []
    since = None
    if request.since is not None:
        since = read_since(request.since, now())
        if since is None:
            warnings.append("invalid_since_ignored")
    found = find(_search_request(request, spare=_SPARE if since is None else _MANY_MORE))
    # A query without a word in it is answered with a listing of everything: no context.
    said_nothing = not tokens_of(request.searched)
    hits, left_out = _fit_for_agents(() if said_nothing else found.hits, since)
    if left_out > _SPARE and since is None and len(found.hits) < found.total:
        found = find(_search_request(request, spare=_MANY_MORE))
        hits, left_out = _fit_for_agents(found.hits, since)
    if left_out:
        warnings.append(f"permission_filtered:{left_out}")
    evidence = tuple(
        evidence_of(
            library,
            hit,
            request.searched,
            quote_limit=MAX_QUOTE if index < QUOTES_IN_FULL else MAX_LATER_QUOTE,
        )
        for index, hit in enumerate(hits[: request.max_items])
    )
    warnings += _about(evidence)
    answer = found.to_json("brief")
    semantic = answer.get("semantic") or {}
    query, topic = redact(cut(request.query, MAX_QUERY)), redact(cut(request.topic or "", 100))
    return fit(
        ContextPack(
            request=request,
            query=query.text,
            topic=topic.text or None,
            created_at=_newest(evidence),
            mode=answer["mode"],
            model=semantic.get("model"),
            evidence=evidence,
            available=len(hits)
            if said_nothing or since is not None
            else max(found.total - left_out, len(hits)),
            duplicates=duplicates_in(evidence) if request.dedupe else (),
            next_actions=NEXT_ACTIONS[request.purpose],
            warnings=tuple(warnings[:MAX_WARNINGS]),
            query_redactions=query.count + topic.count,
            encoding=encoding,
        )
    )


def _search_request(request: PackRequest, *, spare: int) -> SearchRequest:
    limit = request.max_items + spare
    return SearchRequest(
        query=request.searched,
        type=request.type,
        bundle=request.bundle,
        limit=min(limit, MAX_LIMIT),
        mode=request.mode,
        belief=request.belief,
        include_proposed=False,
    )


def _fit_for_agents(hits: tuple[Hit, ...], since: float | None) -> tuple[list[Hit], int]:
    """The hits that may be packed, and how many may not whatever their date is."""
    kept: list[Hit] = []
    left_out = 0
    for hit in hits:
        if hit.entry.type == "secret" or hit.entry.quality == "proposed":
            left_out += 1
        elif since is None or hit.entry.mtime_ns / 1e9 >= since:
            kept.append(hit)
    return kept, left_out


def _about(evidence: tuple[Evidence, ...]) -> list[str]:
    """What a reader should doubt."""
    doubtful = [f"stale_source:{item.entry.ref}" for item in evidence if item.stale]
    states = ((item.entry.belief_state, item.entry.ref) for item in evidence)
    return doubtful + [f"{state}:{ref}" for state, ref in states if state in BELIEF_CEILING]


def _newest(evidence: tuple[Evidence, ...]) -> str | None:
    """When the newest packed file was written: a clock would make every pack another one."""
    newest = max((item.entry.mtime_ns for item in evidence), default=0)
    return moment_of(newest) if newest else None
