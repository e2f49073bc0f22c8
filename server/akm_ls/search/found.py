"""What a plan finds, before pages are cut."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from akm_ls.search.library import never_cancelled

if TYPE_CHECKING:
    from akm_ls.index.store import Store
    from akm_ls.search.page import Ranked
    from akm_ls.search.query import Stage
    from akm_ls.search.request import SearchRequest
    from akm_ls.search.spelling import Correction

MAX_ROWS = 500
"""Rows of either lane looked at for one query, or as many as a page needs: ``total`` is a floor
from here on. Telling for a row whether it may be seen costs more than finding it."""
MIN_RANKED = 96
"""Rows whose entries are loaded and ranked, at least: three times a page, in doubling steps so
that neighbouring pages are cut from one ranking."""
_STEPS_BETWEEN_QUESTIONS = 50_000
"""SQLite's virtual machine instructions, some milliseconds' worth."""

RanMode = Literal["lexical", "hybrid", "semantic", "overlap"]


class Degraded(NamedTuple):
    """A lane that was wanted and had no answer, and why."""

    lane: Literal["semantic", "lexical"]
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """Assets with their scores, in no order; ``total`` counts what is not among them as well.

    ``tokens`` are the words that were looked for.
    """

    stage: Stage
    ranked: list[Ranked]
    total: int
    tokens: tuple[str, ...]
    mode: RanMode = "lexical"
    corrections: tuple[Correction, ...] = ()
    degraded: tuple[Degraded, ...] = ()


def depth_of(request: SearchRequest) -> int:
    """How many rows to rank for a page."""
    depth = MIN_RANKED
    while depth < 3 * (request.offset + request.limit):
        depth *= 2
    return depth


def rows_of(request: SearchRequest) -> int:
    """How many rows of a lane to look at for a page."""
    return max(MAX_ROWS, depth_of(request))


@contextlib.contextmanager
def interruptible(store: Store, cancelled: Callable[[], bool]) -> Iterator[None]:
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
