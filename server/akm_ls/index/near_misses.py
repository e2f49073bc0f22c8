"""What a ref that leads nowhere may have meant: slips of the pen, and assets that moved."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count as numbered
from itertools import pairwise

from akm_ls.index.delta import Key

_ENOUGH = 200
"""Ids of one name, and names that differ by slips, that are looked at more closely."""
_FINALISTS = 12
_MOVED = 3
"""A name this long or longer is no chance match in another directory."""

_NO_DIGITS = re.compile(r"[^0-9\0]+")
_SUFFIX = re.compile(r"\.[^\W\d]")


def tolerance(name: str) -> int:
    """How many slips (letters left out, added, changed, or swapped) ``name`` may hold."""
    length = len(name)
    return 0 if length < 3 else 1 if length < 5 else 2 if length < 12 else 3


def slips(name: str, other: str, most: int) -> int:
    """The slips that make one name of another; ``most + 1`` where it takes more than ``most``.

    Time grows threefold with each slip allowed and not with a power of the length.
    """
    start, tail, left, right = 0, 0, len(name), len(other)
    if left - right > most or right - left > most:
        return most + 1
    shorter = min(left, right)
    while start < shorter and name[start] == other[start]:
        start += 1
    shorter -= start
    while tail < shorter and name[-1 - tail] == other[-1 - tail]:
        tail += 1
    left, right = left - start - tail, right - start - tail
    if not left or not right:
        return min(left + right, most + 1)
    # Both ends differ now, so one slip is left over at most where one letter is on either side.
    if left == right == 1:
        return 1 if most else 1 + most
    name, other = name[start : start + left], other[start : start + right]
    if left == right == 2 and name[0] == other[1] and name[1] == other[0]:
        return min(1, most + 1)
    if most < 2:
        return most + 1
    less = most - 1
    best = slips(name[1:], other[1:], less)
    best = min(best, slips(name[1:], other, min(best, less)))
    best = min(best, slips(name, other[1:], min(best, less)))
    if name[0] == other[1:2] and name[1:2] == other[0]:
        best = min(best, slips(name[2:], other[2:], min(best, less)))
    return min(best, less + 1) + 1


def numbered_apart(name: str, other: str) -> bool:
    """Whether two names have other numbers: ``note-2024-01`` is no slip for ``note-2024-02``.

    A single digit may be one: ``oauth-flow`` for ``oauth2-flow``.
    """
    numbers, others = _number(name), _number(other)
    return numbers != others and max(len(numbers), len(others)) > 1


class NearMisses:
    """The ids of a catalog by what remains of them when they are misspelled.

    Made when the first ref leads nowhere, in time linear in the number of ids. A look-up touches
    a small part of them: those of the same last segment, of the same segment without a suffix
    (``janitor`` and ``janitor.agent``), of the same words joined otherwise (``code_review`` and
    ``code-review``), and those whose last segment has about the length, the first letter and the
    numbers of the one asked for.
    """

    def __init__(self, keys: Iterable[Key]) -> None:
        self._keys: list[Key] = []
        self._lower: list[str] = []
        self._by_name: dict[str, list[int]] = {}
        self._by_stem: dict[str, list[str]] = {}
        self._by_words: dict[str, int] = {}
        self._by_shape: dict[tuple[str, str, int], list[str]] = {}
        self._initials: dict[str, None] = {}
        self.add(*keys)

    def add(self, *keys: Key) -> None:
        """Take in more ids."""
        by_name, by_shape = self._by_name, self._by_shape
        start = len(self._keys)
        lowered = _all_at_once(str.lower, [concept_id for _, concept_id in keys])
        self._keys += keys
        self._lower += lowered
        self._by_words.update(zip(_all_at_once(_words, lowered), numbered(start)))
        names: list[str] = []
        for at, lower in enumerate(lowered, start):
            name = lower.rpartition("/")[2]
            known = by_name.get(name)
            if known is None:
                by_name[name] = [at]
                names.append(name)
            else:
                known.append(at)
        for name, number in zip(names, _all_at_once(_number, names), strict=True):
            if "." in name and (stem := _stem(name)) != name:
                self._by_stem.setdefault(stem, []).append(name)
            if name:
                shape = (number if len(number) > 1 else "", name[0], len(name))
                shaped = by_shape.get(shape)
                if shaped is None:
                    by_shape[shape] = [name]
                    self._initials[name[0]] = None
                else:
                    shaped.append(name)

    def nearest(
        self, concept_id: str, *, prefer: str | None, limit: int, passes: Callable[[Key], bool]
    ) -> list[Key]:
        """What ``concept_id`` may have meant, likeliest first; nothing where nothing is alike.

        Of two that are equally alike, the one in the same directory, below the same first
        segment, in the bundle ``prefer`` comes first.
        """
        wanted = concept_id.lower()
        best: dict[Key, float] = {}
        for at, cost in self._alike(wanted):
            key = self._keys[at]
            cost += 0.0 if key[0] == prefer else 0.5
            if cost < best.get(key, 99.0) and passes(key):
                best[key] = cost
        ranked = sorted(best, key=lambda key: (best[key], key[1], key[0]))[:_FINALISTS]
        if len(ranked) > limit or len({best[key] for key in ranked}) < len(ranked):
            measure = difflib.SequenceMatcher(autojunk=False)
            measure.set_seq2(wanted)
            likeness = {}
            for key in ranked:
                measure.set_seq1(key[1].lower())
                likeness[key] = measure.ratio()
            ranked.sort(key=lambda key: (best[key], -likeness[key], key[1], key[0]))
        return ranked[:limit]

    def _alike(self, wanted: str) -> Iterator[tuple[int, float]]:
        """Ids that ``wanted`` may have meant, by position, and what speaks against each."""
        head, _, name = wanted.rpartition("/")
        place = _Place(head)
        joined = self._by_words.get(_words(wanted))
        if joined is not None:
            # The same id may be in several bundles.
            twin = self._lower[joined]
            yield from ((at, 0.25) for at in self._named(twin.rpartition("/")[2], twin, twin))
        if not name:
            return
        for other, cost in ((name, 0.0), *((other, 0.5) for other in self._variants(name))):
            for at in self._named(other, wanted):
                distance = place.distance(self._lower[at])
                if distance <= 1 or len(name) >= _MOVED:
                    yield at, cost + distance
        most = tolerance(name)
        for other, count in self._misspelled(name, most):
            for at in self._named(other, wanted):
                distance = place.distance(self._lower[at])
                # In another directory as well, only less of a slip is one.
                share = 0.4 if distance <= 1 else 0.3 if distance < 2 else 0.15
                if count <= max(share * len(name), 1 if distance < 2 else 0):
                    yield at, count + distance

    def _named(self, name: str, wanted: str, only: str | None = None) -> Iterator[int]:
        """The ids with a last segment; where these are very many, those near in the alphabet."""
        found: Sequence[int] = self._by_name.get(name, ())
        if len(found) > _ENOUGH:
            middle = bisect_left(found, wanted, key=self._lower.__getitem__)
            start = max(0, min(middle - _ENOUGH // 2, len(found) - _ENOUGH))
            found = found[start : start + _ENOUGH]
        return (at for at in found if only is None or self._lower[at] == only)

    def _variants(self, name: str) -> Iterator[str]:
        """Names with another suffix, with one, or with none."""
        stem = _stem(name)
        if stem != name and stem in self._by_name:
            yield stem
        yield from (other for other in self._by_stem.get(stem, ())[:_ENOUGH] if other != name)

    def _misspelled(self, name: str, most: int) -> Iterator[tuple[str, int]]:
        """Names that ``name`` may be misspelled from, with the slips in it.

        They have the same first letter, or that is all that differs.
        """
        if not most:
            return
        yield from ((other, 1) for other in self._other_first(name) if other in self._by_name)
        pieces = _pieces(name, most)
        letters = set(name)
        number = _long_number(name)
        found = 0
        for length in range(len(name) - most, len(name) + most + 1):
            for other in self._by_shape.get((number, name[0], length), ()):
                if other == name or not any(piece in other for piece in pieces):
                    continue
                if len(letters.symmetric_difference(other)) > 2 * most:
                    continue
                count = slips(name, other, most)
                if count <= most and found < _ENOUGH:
                    found += 1
                    yield other, count

    def _other_first(self, name: str) -> Iterator[str]:
        """``name`` with its first letter left out, added, changed, or swapped with the next."""
        rest = name[1:]
        yield rest
        yield f"{rest[0]}{name[0]}{rest[1:]}"
        for first in self._initials:
            yield first + name
            if first != name[0]:
                yield first + rest


class _Place:
    """The directory that was meant, and how far from it an id is."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._segments = directory.split("/")
        self._known: dict[str, float] = {}

    def distance(self, lower: str) -> float:
        """0 in the same directory, up to 1 where it is misspelled, then below 2 under the same
        first segment, and from 2 on elsewhere."""
        directory = lower.rpartition("/")[0]
        found = self._known.get(directory)
        if found is None:
            found = self._known[directory] = self._measure(directory)
        return found

    def _measure(self, directory: str) -> float:
        if directory == self._directory:
            return 0.0
        most = tolerance(self._directory)
        if (count := slips(self._directory, directory, most)) <= most and directory:
            return count / 4
        segments = directory.split("/")
        longest = max(len(segments), len(self._segments))
        apart = 1 - len(set(segments) & set(self._segments)) / (longest + 1)
        return apart + (1 if segments[0] == self._segments[0] else 2)


def _pieces(name: str, most: int) -> tuple[str, ...]:
    """Parts of a name of which one stays whole in spite of ``most`` slips."""
    if most < 2:
        return ("",)  # two letters that are swapped can lie in both of two parts
    size = len(name) // (most + 1)
    cuts = [*(at * size for at in range(most + 1)), len(name)]
    return tuple(name[start:end] for start, end in pairwise(cuts))


def _words(lower: str) -> str:
    """An id in which words are joined in one way."""
    return lower.replace("/", "-").replace("_", "-").replace(".", "-").replace(" ", "-")


def _stem(name: str) -> str:
    """A name without its suffixes: ``janitor`` of ``janitor.agent``, ``v1.2`` as it is."""
    found = _SUFFIX.search(name, 1)
    return name if found is None else name[: found.start()]


def _number(name: str) -> str:
    """The digits of a name."""
    return _NO_DIGITS.sub("", name)


def _long_number(name: str) -> str:
    number = _number(name)
    return number if len(number) > 1 else ""


def _all_at_once(change: Callable[[str], str], texts: Sequence[str]) -> list[str]:
    """What ``change`` makes of each text, made of all of them together: with 20,000 that counts.

    It must leave NUL alone, which no file's name holds, and look at nothing beyond it.
    """
    changed = change("\0".join(texts)).split("\0")
    return changed if len(changed) == len(texts) else [change(text) for text in texts]
