"""Finding assets by what somebody types: completion candidates and "did you mean"."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from heapq import nsmallest

from akm_ls.index.stub import Stub

_FAR = 4
"""Characters by which the lengths of an id and what it was meant to be may differ."""
_OTHER_LETTERS = 3
_ENOUGH = 200


class Matcher:
    """The concept ids of a catalog, lower-cased once, in order."""

    def __init__(self, stubs: Iterable[Stub]) -> None:
        self._stubs = sorted(stubs, key=lambda stub: (stub.concept_id, stub.bundle))
        self._keys = [stub.concept_id.lower() for stub in self._stubs]
        self._places: _Places | None = None

    def match(
        self, query: str, bundle: str | None, limit: int, types: frozenset[str] | None
    ) -> tuple[list[Stub], bool]:
        """The best ``limit`` assets, and whether no other one matches.

        Best are ids that start with the query, then ids with a segment that starts with it,
        then those that hold it. Only where there is none of these, ids that hold the query's
        characters in order.
        """
        query = query.lower()
        graded: list[tuple[int, int, int]] = []
        subsequence: list[int] = []
        segment = f"/{query}"
        filtered = bundle is not None or types is not None
        for index, key in enumerate(self._keys):
            at = key.find(query)
            if at < 0:
                subsequence.append(index)
                continue
            if filtered and not self._passes(index, bundle, types):
                continue
            if at == 0:
                graded.append((0, 0, index))
            elif segment in key:
                graded.append((1, len(key), index))
            else:
                graded.append((2, len(key), index))
        if not graded:
            graded += (
                (3, len(self._keys[index]), index)
                for index in subsequence
                if _has_in_order(self._keys[index], query)
                and (not filtered or self._passes(index, bundle, types))
            )
        best = nsmallest(limit, graded)
        return [self._stubs[index] for _, _, index in best], len(graded) <= limit

    def _passes(self, index: int, bundle: str | None, types: frozenset[str] | None) -> bool:
        stub = self._stubs[index]
        return (bundle is None or stub.bundle == bundle) and (types is None or stub.type in types)

    def similar(self, concept_id: str) -> list[Stub]:
        """Assets worth comparing with a misspelled id: a like last segment, or same directory."""
        wanted = concept_id.lower()
        head, _, name = wanted.rpartition("/")
        places = self._places
        if places is None:
            places = self._places = _Places(self._keys)
        found = dict.fromkeys(places.by_name.get(name, ()))
        for other in places.like(name):
            found.update(dict.fromkeys(places.by_name[other]))
        for index in places.by_directory.get(head, ()):
            if len(found) > _ENOUGH:
                break
            if abs(len(self._keys[index]) - len(wanted)) <= _FAR:
                found[index] = None
        return [self._stubs[index] for index in found]


class _Places:
    """Where an id may be found again by a part of it; built when first something is missing."""

    def __init__(self, keys: Sequence[str]) -> None:
        self.by_name: dict[str, list[int]] = {}
        self.by_directory: dict[str, list[int]] = {}
        for index, key in enumerate(keys):
            head, _, name = key.rpartition("/")
            self.by_name.setdefault(name, []).append(index)
            self.by_directory.setdefault(head, []).append(index)
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


def nearest(concept_id: str, matcher: Matcher, *, prefer: str | None, limit: int) -> list[Stub]:
    """The assets whose ids are most like ``concept_id``, those of one bundle first."""
    wanted = concept_id.lower()
    name = wanted.rpartition("/")[2]
    measure = difflib.SequenceMatcher(autojunk=False)
    measure.set_seq2(wanted)
    ranked: list[tuple[float, str, str, Stub]] = []
    for stub in matcher.similar(concept_id):
        key = stub.concept_id.lower()
        measure.set_seq1(key)
        likeness = measure.ratio()
        if key.rpartition("/")[2] == name and len(name) > 2:
            likeness = max(likeness, 0.8)  # the same name in another place: it was moved
        if likeness < 0.75:
            continue
        bonus = 0.05 if stub.bundle == prefer else 0.0
        ranked.append((-(likeness + bonus), stub.concept_id, stub.bundle, stub))
    ranked.sort(key=lambda item: item[:3])
    return [stub for *_, stub in ranked[:limit]]


def nearest_names(name: str, names: Sequence[str], limit: int) -> tuple[str, ...]:
    """Of some names those most like ``name``."""
    if len(names) > 2000:
        names = [other for other in names if abs(len(other) - len(name)) <= _FAR][:2000]
    by_lower: dict[str, str] = {}
    for other in names:
        by_lower.setdefault(other.lower(), other)
    close = difflib.get_close_matches(name.lower(), list(by_lower), n=limit, cutoff=0.6)
    return tuple(by_lower[other] for other in close)
