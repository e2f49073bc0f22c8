"""Finding assets by what somebody types: completion candidates and "did you mean"."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator

from akm_ls.index.delta import Key
from akm_ls.index.near_misses import NearMisses, numbered_apart, slips, tolerance

MAX_LATE = 256
"""Ids added one by one, until it is better to sort all of them again."""

_LAST = "\U0010ffff"


class Matcher:
    """The concept ids of a catalog, lower-cased once, in order.

    Ids may be added later; ids that are gone stay, and whoever asks leaves them out
    (``passes``). It holds ids only, so it outlives every change of what an asset says.
    """

    def __init__(self, keys: Iterable[Key]) -> None:
        self._keys = sorted(keys, key=lambda key: (key[1].lower(), key[1], key[0]))
        self._lower = [concept_id.lower() for _, concept_id in self._keys]
        self._late: dict[Key, None] = {}
        self._near: NearMisses | None = None

    def add(self, key: Key) -> bool:
        """Take in a new id; ``False``: too many came this way, make a new matcher."""
        if key not in self._late and not self._has(key):
            self._late[key] = None
            if self._near is not None:
                self._near.add(key)
        return len(self._late) <= MAX_LATE

    def _has(self, key: Key) -> bool:
        lower = key[1].lower()
        at = bisect_left(self._lower, lower)
        while at < len(self._lower) and self._lower[at] == lower:
            if self._keys[at] == key:
                return True
            at += 1
        return False

    def match(
        self, query: str, limit: int, passes: Callable[[Key], bool]
    ) -> tuple[list[Key], bool]:
        """The best ``limit`` ids that pass, and whether no other one matches.

        Best are ids that start with the query, then ids with a segment that starts with it,
        then those that hold it. Only where there is none of these, ids that hold the query's
        characters in order.
        """
        query = query.lower()
        found: dict[Key, None] = {}
        for stage in (self._starting, self._with_segment, self._holding):
            for key in stage(query):
                if key not in found and passes(key):
                    found[key] = None
                    if len(found) > limit:
                        return list(found)[:limit], False
        if not found:
            for key in self._in_order(query):
                if passes(key):
                    found[key] = None
                    if len(found) > limit:
                        return list(found)[:limit], False
        return list(found), True

    def _starting(self, query: str) -> Iterator[Key]:
        """By id; this one is the fast way, for most of what people type."""
        start = bisect_left(self._lower, query)
        end = bisect_left(self._lower, query + _LAST, start) if query else len(self._lower)
        late = [key for key in self._late if key[1].lower().startswith(query)]
        if not late:
            yield from self._keys[start:end]
            return
        yield from sorted((*self._keys[start:end], *late), key=lambda key: key[1].lower())

    def _with_segment(self, query: str) -> list[Key]:
        """The shorter, the better."""
        return self._by_length(f"/{query}")

    def _holding(self, query: str) -> list[Key]:
        return self._by_length(query)

    def _by_length(self, part: str) -> list[Key]:
        keys = [self._keys[at] for at, lower in enumerate(self._lower) if part in lower]
        keys += [key for key in self._late if part in key[1].lower()]
        keys.sort(key=lambda key: len(key[1]))
        return keys

    def _in_order(self, query: str) -> Iterator[Key]:
        first = query[:1]
        for at, lower in enumerate(self._lower):
            if first in lower and has_in_order(lower, query):
                yield self._keys[at]
        for key in self._late:
            if has_in_order(key[1].lower(), query):
                yield key

    def nearest(
        self, concept_id: str, *, prefer: str | None, limit: int, passes: Callable[[Key], bool]
    ) -> list[Key]:
        """What a misspelled or outdated id may have meant: see `NearMisses.nearest`."""
        if self._near is None:
            self._near = NearMisses((*self._keys, *self._late))
        return self._near.nearest(concept_id, prefer=prefer, limit=limit, passes=passes)


def has_in_order(key: str, query: str) -> bool:
    """Whether ``key`` has all characters of ``query``, one after the other."""
    at = 0
    for char in query:
        at = key.find(char, at) + 1
        if at == 0:
            return False
    return True


def nearest_names(name: str, names: Iterable[str], limit: int) -> tuple[str, ...]:
    """Of some names those that ``name`` may be meant for, likeliest first.

    They differ by a slip or two, or one goes on where the other ends (``rotate`` and
    ``rotate-a-token``). None is better than one that is not alike.
    """
    wanted = name.lower()
    most = tolerance(wanted)
    ranked: list[tuple[int, int, str]] = []
    for at, other in enumerate(names):
        lower = other.lower()
        if abs(len(lower) - len(wanted)) <= most:
            count = slips(wanted, lower, most)
            alike = count <= 1 or wanted[0] == lower[0]
            if count <= most and alike and not numbered_apart(wanted, lower):
                ranked.append((count, at, other))
                continue
        if lower.startswith(f"{wanted}-") or wanted.startswith(f"{lower}-"):
            ranked.append((most + 1, at, other))
    ranked.sort()
    return tuple(dict.fromkeys(other for _, _, other in ranked))[:limit]
