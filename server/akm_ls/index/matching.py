"""Finding assets by what somebody types: completion candidates and "did you mean"."""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence

from akm_ls.index.delta import Key

MAX_LATE = 256
"""Ids added one by one, until it is better to sort all of them again."""

_FAR = 4
"""Characters by which the lengths of an id and what it was meant to be may differ."""
_OTHER_LETTERS = 3
_ENOUGH = 200
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
        self._places: _Places | None = None

    def add(self, key: Key) -> bool:
        """Take in a new id; ``False``: too many came this way, make a new matcher."""
        if key not in self._late and not self._has(key):
            self._late[key] = None
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
            if first in lower and _has_in_order(lower, query):
                yield self._keys[at]
        for key in self._late:
            if _has_in_order(key[1].lower(), query):
                yield key

    def nearest(
        self, concept_id: str, *, prefer: str | None, limit: int, passes: Callable[[Key], bool]
    ) -> list[Key]:
        """The ids that are most like ``concept_id``, those of one bundle first."""
        wanted = concept_id.lower()
        name = wanted.rpartition("/")[2]
        measure = difflib.SequenceMatcher(autojunk=False)
        measure.set_seq2(wanted)
        ranked: list[tuple[float, str, str]] = []
        for bundle, other in filter(passes, self._similar(wanted)):
            lower = other.lower()
            measure.set_seq1(lower)
            likeness = measure.ratio()
            if len(name) > 2 and lower.rpartition("/")[2] == name:
                likeness = max(likeness, 0.8)  # the same name in another place: it was moved
            if likeness >= 0.75:
                bonus = 0.05 if bundle == prefer else 0.0
                ranked.append((-(likeness + bonus), other, bundle))
        ranked.sort()
        return [(bundle, other) for _, other, bundle in ranked[:limit]]

    def _similar(self, wanted: str) -> list[Key]:
        """Ids worth comparing with a misspelled one: a like last segment, or same directory."""
        head, _, name = wanted.rpartition("/")
        places = self._places
        if places is None:
            places = self._places = _Places(self._lower)
        found = dict.fromkeys(places.by_name.get(name, ())[:_ENOUGH])
        for other in places.like(name):
            found.update(dict.fromkeys(places.by_name[other][:_ENOUGH]))
        # The neighbours in the same directory, those nearest in the alphabet.
        start = bisect_left(self._lower, f"{head}/" if head else "")
        end = bisect_left(self._lower, f"{head}0" if head else _LAST, start)
        middle = bisect_left(self._lower, wanted, start, end)
        for at in range(max(start, middle - _ENOUGH), min(end, middle + _ENOUGH)):
            if len(found) > _ENOUGH:
                break
            if abs(len(self._lower[at]) - len(wanted)) <= _FAR:
                found[at] = None
        late = [key for key in self._late if abs(len(key[1]) - len(wanted)) <= _FAR]
        return [*(self._keys[at] for at in found), *late]


class _Places:
    """Where an id may be found again by its last segment; made when first one is missing."""

    def __init__(self, keys: Sequence[str]) -> None:
        self.by_name: dict[str, list[int]] = {}
        for at, key in enumerate(keys):
            self.by_name.setdefault(key.rpartition("/")[2], []).append(at)
        # A slip seldom hits both ends of a name.
        self._by_ends: dict[tuple[str, int], list[str]] = {}
        for name in self.by_name:
            if name:
                self._by_ends.setdefault((f"^{name[0]}", len(name)), []).append(name)
                self._by_ends.setdefault((f"{name[-1]}$", len(name)), []).append(name)

    def like(self, name: str) -> list[str]:
        """Names that differ from ``name`` by little."""
        if len(name) < 3:
            return []
        letters = set(name)
        near: dict[str, None] = {}
        for length in range(len(name) - 2, len(name) + 3):
            for end in (f"^{name[0]}", f"{name[-1]}$"):
                for other in self._by_ends.get((end, length), ()):
                    if len(letters.symmetric_difference(other)) <= _OTHER_LETTERS:
                        near[other] = None
            if len(near) > _ENOUGH:
                break
        return difflib.get_close_matches(name, list(near)[:_ENOUGH], n=8, cutoff=0.75)


def _has_in_order(key: str, query: str) -> bool:
    at = 0
    for char in query:
        at = key.find(char, at) + 1
        if at == 0:
            return False
    return True


def nearest_names(name: str, names: Sequence[str], limit: int) -> tuple[str, ...]:
    """Of some names those most like ``name``."""
    if len(names) > 2000:
        names = [other for other in names if abs(len(other) - len(name)) <= _FAR][:2000]
    by_lower: dict[str, str] = {}
    for other in names:
        by_lower.setdefault(other.lower(), other)
    close = difflib.get_close_matches(name.lower(), list(by_lower), n=limit, cutoff=0.6)
    return tuple(by_lower[other] for other in close)
