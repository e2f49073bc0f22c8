"""From ranked assets to a page of hits: doubles merged, files checked, places filled."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from akm_ls.bundles.reading import entry_from_text
from akm_ls.documents.document import kind_of
from akm_ls.search.excerpt import Excerpt, best_excerpt
from akm_ls.search.freshness import freshness
from akm_ls.search.gate import passes, with_belief
from akm_ls.search.library import Library, check_cancelled
from akm_ls.search.ranking import BELIEF_CEILING
from akm_ls.search.result import Hit, estimate_tokens

if TYPE_CHECKING:
    from akm_ls.bundles.entry import Entry
    from akm_ls.search.ranking import Score
    from akm_ls.search.request import SearchRequest

SHADOWING_SHARE = 0.5
_CLOSED = frozenset({"secret", "env"})
_BODILESS = _CLOSED | {"session"}
"""Types whose bodies are not searched."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """An asset and its score; ``also_in`` are the refs of the same asset in other bundles."""

    entry: Entry
    score: Score
    also_in: tuple[str, ...] = ()
    key: tuple[float, float, str, str] = field(init=False, repr=False, compare=False)
    """What it is sorted by."""

    def __post_init__(self) -> None:
        score, entry = self.score, self.entry
        # Many a good hit is held at 1: what it would have had keeps an exact name above a near one.
        total, raw = score.order
        object.__setattr__(self, "key", (-total, -raw, entry.name, entry.ref))


@dataclass(frozen=True, slots=True)
class Page:
    """Hits whose files exist, how many did not, and warnings about changed ones."""

    hits: tuple[Hit, ...] = ()
    gone: int = 0
    warnings: tuple[str, ...] = ()


def by_file(ranked: Iterable[Ranked]) -> list[Ranked]:
    """One hit for each file: the better one."""
    best: dict[str, Ranked] = {}
    for item in ranked:
        known = best.get(item.entry.path)
        if known is None or item.key < known.key:
            best[item.entry.path] = item
    return list(best.values())


def merge_doubles(library: Library, ranked: Iterable[Ranked]) -> list[Ranked]:
    """One hit for an asset that several bundles have, best first.

    The same content is the same asset, and so is one type and name, unless the bundle that comes
    first answers less than half as well. That bundle's is shown, with its own score.
    """
    place = {bundle.id: at for at, bundle in enumerate(library.bundles)}
    if len(place) < 2:
        return sorted(ranked, key=lambda item: item.key)
    kept: list[Ranked] = []
    seen: dict[tuple[str, str], int] = {}
    for item in sorted(ranked, key=lambda item: (place.get(item.entry.bundle, 0), item.key)):
        entry = item.entry
        content, name = ("", entry.content_hash), (entry.type, entry.name)
        at = seen.get(content) if entry.content_hash else None
        if at is None:
            at = seen.get(name)
            if at is not None and kept[at].score.raw < SHADOWING_SHARE * item.score.raw:
                at = None
        if at is not None and entry.bundle not in _bundles(kept[at]):
            kept[at] = replace(kept[at], also_in=(*kept[at].also_in, entry.ref))
            continue
        if entry.content_hash:
            seen.setdefault(content, len(kept))
        seen.setdefault(name, len(kept))
        kept.append(item)
    kept.sort(key=lambda item: item.key)
    return kept


def _bundles(item: Ranked) -> set[str]:
    return {item.entry.bundle, *(ref.partition("//")[0] for ref in item.also_in)}


def make_page(
    library: Library,
    request: SearchRequest,
    ranked: Iterator[Ranked],
    tokens: tuple[str, ...],
    cancelled: Callable[[], bool],
) -> Page:
    """The next ``request.limit`` hits; ``tokens`` are what an excerpt shows."""
    hits: list[Hit] = []
    warnings: list[str] = []
    gone = 0
    lowered = False
    places: dict[str, str] = {}
    for item in ranked:
        check_cancelled(cancelled)
        now = _as_it_is(library, item.entry)
        # The index knew another file: what that one says decides whether it may be seen.
        if now is None or (now.differs and not passes(library, request, now.entry)):
            gone += 1
            continue
        if now.stale:
            warnings.append(f"{item.entry.ref} has changed since it was indexed.")
        if now.differs:
            ceiling = BELIEF_CEILING.get(now.entry.belief_state or "")
            if tokens and ceiling is not None and ceiling != item.score.ceiling:
                item = replace(item, score=item.score._replace(ceiling=ceiling))
                lowered = True
            item = replace(item, entry=now.entry)
        hit = _hit(library, item, tokens, places, stale=now.stale)
        hits.append(replace(hit, dirty=now.dirty) if now.dirty else hit)
        if len(hits) == request.limit:
            break
    if lowered:
        hits.sort(key=lambda hit: -hit.score.total)
    return Page(tuple(hits), gone, tuple(warnings))


@dataclass(frozen=True, slots=True)
class _Now:
    """An asset as its file or the editor has it."""

    entry: Entry
    stale: bool = False
    dirty: bool = False

    @property
    def differs(self) -> bool:
        return self.stale or self.dirty


def _as_it_is(library: Library, entry: Entry) -> _Now | None:
    """Read again what is not as indexed; ``None``: there is no such asset any more."""
    buffered = None if entry.type in _CLOSED else library.text_of(entry.path)
    if buffered is None:
        found = freshness(library.bundles, entry)
        if found.state == "gone":
            return None
        if found.entry is None:
            return _Now(entry)
        return _Now(with_belief(library, found.entry), stale=True)
    digest = hashlib.sha256(buffered.encode("utf-8", "surrogatepass")).hexdigest()
    bundle = library.bundles.get(entry.bundle)
    if bundle is None or f"sha256:{digest}" == entry.content_hash:
        return _Now(entry)
    typed = entry_from_text(bundle, entry.rel, buffered, mtime_ns=entry.mtime_ns)
    return None if typed is None else _Now(with_belief(library, typed), dirty=True)


def _hit(
    library: Library,
    item: Ranked,
    tokens: tuple[str, ...],
    places: dict[str, str],
    *,
    stale: bool,
) -> Hit:
    entry = item.entry
    owner = library.bundles.get(entry.bundle)
    excerpt: Excerpt | None = None
    if entry.type == "secret":
        shown = None
    elif entry.type == "env":
        shown = len("\n".join(entry.keys))
    else:
        shown = entry.size
        if tokens and _has_body(entry) and (text := library.read(entry.path, places)) is not None:
            shown = len(text)
            excerpt = best_excerpt(text, tokens)
    return Hit(
        entry=_bare(entry) if entry.type == "secret" else entry,
        score=item.score,
        editable=owner is not None and owner.writable,
        excerpt=excerpt,
        estimated_tokens=None if shown is None else estimate_tokens(shown),
        stale=stale,
        also_in=item.also_in,
    )


def _bare(entry: Entry) -> Entry:
    """A secret as far as anyone may know it: where it is and what it is called."""
    return replace(entry, content_hash="", size=0, mtime_ns=0, content="", extra={})


def _has_body(entry: Entry) -> bool:
    if entry.type in _BODILESS or entry.extra.get("checkpoint"):
        return False
    return kind_of(entry.path) == "markdown"
