"""Assets beside each other: those with one name, those with one description, working directories.

All of it is made on the first question and kept in step afterwards, so that a keystroke costs
what one asset costs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from akm_ls.index.delta import Key
from akm_ls.index.stub import NAMED_TYPES, Stub
from akm_ls.refs import ASSET_DIRECTORIES

ALIKE = 0.8
"""From this share of common word pairs on, two descriptions say the same (Jaccard index)."""
MIN_WORDS = 6
"""Shorter descriptions are alike by chance."""
MAX_NEIGHBOURS = 3
"""Assets with one description that are named."""

SCOPE_BORN = frozenset({"memory", "lesson", "task", "env", "secret"})
"""Types whose directories name a project or a client (organisation conventions, "Decision")."""

_MAX_COMPARED = 300
"""Descriptions compared with one; only boilerplate that thousands share gets there."""
_TYPE_DIRECTORIES = {"skill": "skills", "agent": "agents", "command": "commands"}
_WORD = re.compile(r"[^\W_]+")

WordPair = int
"""Two neighbouring words, by their hash: a quarter of the time and memory of the words."""


class Scope(NamedTuple):
    """Where a tool would look for assets of one type: a bundle, or a plugin's directory in it."""

    bundle: str
    directory: str
    """POSIX, relative to the bundle; ``""`` for the bundle itself."""
    type: str


def scope_of(stub: Stub) -> Scope:
    """The scope of a skill, agent or command.

    An asset of ``plugins/x/skills/`` is in the scope ``plugins/x``: plugins load by themselves.
    """
    directory = _TYPE_DIRECTORIES[stub.type]
    segments = stub.concept_id.split("/")
    if segments[0] in ASSET_DIRECTORIES:
        segments = segments[1:]
    above = segments[:-1]
    at = len(above) - above[::-1].index(directory) - 1 if directory in above else 0
    return Scope(stub.bundle, "/".join(above[:at]), stub.type)


def called(stub: Stub) -> str:
    """The name a tool would load a skill, agent or command under.

    What its frontmatter says, else a skill's directory, an agent's file, and for a command its
    whole path: tools turn the directories of a command into a part of its name.
    """
    name = stub.mark("name")
    if name:
        return name
    return stub.name if stub.type == "command" else stub.name.rpartition("/")[2]


def alike(one: Stub, other: Stub) -> float:
    """How much of two descriptions is the same, 0 to 1; 0 for pairs that can be told apart.

    The share of word pairs (two words that follow each other) that both have, of those that one
    has. Two descriptions that differ in a word of the assets' own names can be told apart:
    ``python-review`` and ``go-review`` may say the same otherwise.
    """
    return _likeness(one, pairs_of(one.description), other, pairs_of(other.description))


def pairs_of(description: str) -> frozenset[WordPair]:
    """The pairs of neighbouring words; empty for a description that is too short to compare."""
    words = _WORD.findall(description.casefold())
    if len(words) < MIN_WORDS:
        return _NONE
    return frozenset(map(hash, pairwise(words)))


_NONE: frozenset[WordPair] = frozenset()


def _likeness(
    one: Stub, pairs: frozenset[WordPair], other: Stub, other_pairs: frozenset[WordPair]
) -> float:
    common = len(pairs & other_pairs)
    share = common / (len(pairs) + len(other_pairs) - common) if common else 0.0
    if share < ALIKE or (share < 1.0 and _told_apart(one, other)):
        return 0.0
    return share


def _told_apart(one: Stub, other: Stub) -> bool:
    words, other_words = _words(one.description), _words(other.description)
    names, other_names = _words(called(one)), _words(called(other))
    return not (
        (words - other_words).isdisjoint(names - other_names)
        and (other_words - words).isdisjoint(other_names - names)
    )


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


class Neighbours:
    """What lies beside each asset. Not thread-safe."""

    def __init__(self, stubs: Iterable[Stub]) -> None:
        self._by_name: dict[tuple[Scope, str], dict[Key, Stub]] = {}
        self._members: dict[Scope, dict[Key, Stub]] = {}
        self._descriptions: dict[Scope, _Descriptions] = {}
        self._directories: dict[str, Counter[str]] = {}
        self._present: dict[str, frozenset[str]] = {}
        """What `directories` has answered, until one of a bundle's counts changes."""
        for stub in stubs:
            self._add(stub)

    def change(self, old: Stub | None, new: Stub | None) -> None:
        """An asset came (``old`` is ``None``), changed, or went (``new`` is ``None``)."""
        if old is not None:
            self._remove(old)
        if new is not None:
            self._add(new)

    def namesakes(self, scope: Scope, name: str) -> Iterator[Stub]:
        """The assets that a tool would load under a name."""
        yield from self._by_name.get((scope, name), {}).values()

    def lookalikes(self, stub: Stub) -> list[tuple[float, Stub]]:
        """Other assets of the scope with nearly the same description, the likest first."""
        scope = scope_of(stub)
        descriptions = self._descriptions.get(scope)
        if descriptions is None:
            members = self._members.get(scope, {})
            descriptions = self._descriptions[scope] = _Descriptions(members)
        return descriptions.like(stub)

    def directories(self, bundle: str) -> frozenset[str]:
        """First directories of a bundle's memories, lessons, tasks, env files and secrets."""
        found = self._present.get(bundle)
        if found is None:
            counts = self._directories.get(bundle) or Counter()
            found = frozenset([name for name, count in counts.items() if count > 0])
            self._present[bundle] = found
        return found

    def _add(self, stub: Stub) -> None:
        if stub.type in NAMED_TYPES:
            key, scope = (stub.bundle, stub.concept_id), scope_of(stub)
            self._by_name.setdefault((scope, called(stub)), {})[key] = stub
            self._members.setdefault(scope, {})[key] = stub
            if (descriptions := self._descriptions.get(scope)) is not None:
                descriptions.add(key, stub)
        elif (directory := _directory_of(stub)) is not None:
            self._directories.setdefault(stub.bundle, Counter())[directory] += 1
            self._present.pop(stub.bundle, None)

    def _remove(self, stub: Stub) -> None:
        if stub.type in NAMED_TYPES:
            key, scope = (stub.bundle, stub.concept_id), scope_of(stub)
            self._by_name.get((scope, called(stub)), {}).pop(key, None)
            self._members.get(scope, {}).pop(key, None)
            if (descriptions := self._descriptions.get(scope)) is not None:
                descriptions.remove(key)
        elif (directory := _directory_of(stub)) is not None:
            self._directories.setdefault(stub.bundle, Counter())[directory] -= 1
            self._present.pop(stub.bundle, None)


def _directory_of(stub: Stub) -> str | None:
    if stub.type not in SCOPE_BORN:
        return None
    head, slash, _ = stub.name.partition("/")
    # A file outside its type's directory is named by its whole path: no project's directory.
    return head if slash and head not in ASSET_DIRECTORIES else None


class _Descriptions:
    """The descriptions of one scope, found by their rarest word pairs.

    Two sets of which the share ``ALIKE`` is common have one of their rarest elements in common,
    however rarity is measured, if of ``n`` elements the ``n - ceil(ALIKE * n) + 1`` rarest count
    (the prefix filter of similarity joins). Rarity is frozen when the index is made.
    """

    def __init__(self, members: dict[Key, Stub]) -> None:
        self._pairs: dict[Key, frozenset[WordPair]] = {}
        self._stubs: dict[Key, Stub] = {}
        self._by_pair: dict[WordPair, dict[Key, None]] = {}
        self._frequency: Counter[WordPair] = Counter()
        described = {key: pairs_of(stub.description) for key, stub in members.items()}
        for pairs in described.values():
            self._frequency.update(pairs)
        for key, pairs in described.items():
            self._file(key, members[key], pairs)

    def add(self, key: Key, stub: Stub) -> None:
        self._file(key, stub, pairs_of(stub.description))

    def _file(self, key: Key, stub: Stub, pairs: frozenset[WordPair]) -> None:
        self._stubs[key] = stub
        self._pairs[key] = pairs
        for pair in self._rarest(pairs):
            self._by_pair.setdefault(pair, {})[key] = None

    def remove(self, key: Key) -> None:
        for pair in self._rarest(self._pairs.pop(key, _NONE)):
            self._by_pair.get(pair, {}).pop(key, None)
        self._stubs.pop(key, None)

    def like(self, stub: Stub) -> list[tuple[float, Stub]]:
        own = (stub.bundle, stub.concept_id)
        pairs = pairs_of(stub.description)
        candidates: dict[Key, None] = {}
        for pair in self._rarest(pairs):
            candidates.update(self._by_pair.get(pair, {}))
            if len(candidates) > _MAX_COMPARED:
                break
        candidates.pop(own, None)
        found: list[tuple[float, Stub]] = []
        for key in list(candidates)[:_MAX_COMPARED]:
            other = self._stubs[key]
            share = _likeness(stub, pairs, other, self._pairs[key])
            if share:
                found.append((share, other))
        found.sort(key=lambda item: (-item[0], item[1].concept_id))
        return found[:MAX_NEIGHBOURS]

    def _rarest(self, pairs: frozenset[WordPair]) -> list[WordPair]:
        if not pairs:
            return []
        frequency = self._frequency.get
        # Numerically 0.8 * 35 is a little more than 28.
        count = len(pairs) - ceil(ALIKE * len(pairs) - 1e-9) + 1
        return [pair for _, pair in sorted([(frequency(pair, 0), pair) for pair in pairs])[:count]]
