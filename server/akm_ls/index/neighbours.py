"""Assets beside each other: those with one name, those with one description, working directories.

All of it is made on the first question and kept in step afterwards, so that a keystroke costs
what one asset costs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
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
"""Two neighbouring words, by their length and their hash: long ones are the greater numbers."""
_HASH_BITS = 48
_HASH_MASK = (1 << _HASH_BITS) - 1
_FILED_AT_ONCE = 500


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
    return frozenset(
        [
            ((len(pair[0]) + len(pair[1])) << _HASH_BITS) | (hash(pair) & _HASH_MASK)
            for pair in pairwise(words)
        ]
    )


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
        self._directories: dict[str, dict[str, int]] = {}
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
            counts = self._directories.get(bundle, {})
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
            self._count(stub.bundle, directory, 1)

    def _remove(self, stub: Stub) -> None:
        if stub.type in NAMED_TYPES:
            key, scope = (stub.bundle, stub.concept_id), scope_of(stub)
            self._by_name.get((scope, called(stub)), {}).pop(key, None)
            self._members.get(scope, {}).pop(key, None)
            if (descriptions := self._descriptions.get(scope)) is not None:
                descriptions.remove(key)
        elif (directory := _directory_of(stub)) is not None:
            self._count(stub.bundle, directory, -1)

    def _count(self, bundle: str, directory: str, change: int) -> None:
        counts = self._directories.setdefault(bundle, {})
        counts[directory] = counts.get(directory, 0) + change
        self._present.pop(bundle, None)


def _directory_of(stub: Stub) -> str | None:
    if stub.type not in SCOPE_BORN:
        return None
    head, slash, _ = stub.name.partition("/")
    # A file outside its type's directory is named by its whole path: no project's directory.
    return head if slash and head not in ASSET_DIRECTORIES else None


class _Descriptions:
    """The descriptions of one scope, found by their longest word pairs.

    Two sets of which the share ``ALIKE`` is common have one of their first elements in common, in
    whatever order the elements are, if of ``n`` elements the first ``n - ceil(ALIKE * n) + 1``
    count (the prefix filter of similarity joins). Long words are rare words, so few descriptions
    are compared.

    The first questions file some descriptions each and look through the others one by one: of
    20,000 none has to wait until all of them are filed.
    """

    def __init__(self, members: dict[Key, Stub]) -> None:
        self._stubs: dict[Key, Stub] = {}
        self._filed: dict[Key, list[WordPair]] = {}
        self._by_pair: dict[WordPair, dict[Key, None]] = {}
        self._unfiled = dict(members)

    def add(self, key: Key, stub: Stub) -> None:
        self._stubs[key] = stub
        foremost = self._filed[key] = _foremost(pairs_of(stub.description))
        for pair in foremost:
            self._by_pair.setdefault(pair, {})[key] = None

    def remove(self, key: Key) -> None:
        if self._unfiled.pop(key, None) is not None:
            return
        if self._stubs.pop(key, None) is not None:
            for pair in self._filed.pop(key):
                self._by_pair.get(pair, {}).pop(key, None)

    def like(self, stub: Stub) -> list[tuple[float, Stub]]:
        own = (stub.bundle, stub.concept_id)
        if self._unfiled:
            for key in list(islice(self._unfiled, _FILED_AT_ONCE)):
                self.add(key, self._unfiled.pop(key))
        is_filed = self._stubs.get(own) is stub
        if is_filed and not self._unfiled and self._is_alone(own):
            return []
        pairs = pairs_of(stub.description)
        if not pairs:
            return []
        candidates: dict[Key, Stub] = {}
        for pair in self._filed[own] if is_filed else _foremost(pairs):
            for key in self._by_pair.get(pair, ()):
                candidates[key] = self._stubs[key]
            if len(candidates) > _MAX_COMPARED:
                break
        if self._unfiled and len(candidates) <= _MAX_COMPARED:
            candidates.update(self._sharing_a_word(stub.description, len(pairs)))
        candidates.pop(own, None)
        found: list[tuple[float, Stub]] = []
        for other in islice(candidates.values(), _MAX_COMPARED):
            share = _likeness(stub, pairs, other, pairs_of(other.description))
            if share:
                found.append((share, other))
        found.sort(key=lambda item: (-item[0], item[1].concept_id))
        return found[:MAX_NEIGHBOURS]

    def _is_alone(self, key: Key) -> bool:
        """Whether a filed description has none of its foremost pairs in common with another."""
        return all(len(self._by_pair[pair]) == 1 for pair in self._filed[key])

    def _sharing_a_word(self, description: str, count: int) -> Iterator[tuple[Key, Stub]]:
        """Of those that are not filed all that may be alike, found by their letters.

        A description that is alike lacks at most ``missing`` pairs. Of words that stand in no
        common pair each one it lacks costs a pair, so of one word more it has one.
        """
        missing = int(count * (1 - ALIKE) + 1e-9)
        words = _WORD.findall(description.casefold())
        by_length = sorted(range(len(words)), key=lambda at: -len(words[at]))
        chosen: dict[int, str] = {}
        for at in by_length:
            if at - 1 not in chosen and at + 1 not in chosen and words[at] not in chosen.values():
                chosen[at] = words[at]
            if len(chosen) > missing:
                break
        if len(chosen) <= missing:
            yield from self._unfiled.items()
            return
        some = tuple(chosen.values())
        for key, other in self._unfiled.items():
            text = other.description.casefold()
            if any(word in text for word in some):
                yield key, other


def _foremost(pairs: frozenset[WordPair]) -> list[WordPair]:
    """The pairs two descriptions must have one of in common to be alike."""
    if not pairs:
        return []
    # Numerically 0.8 * 35 is a little more than 28.
    count = len(pairs) - ceil(ALIKE * len(pairs) - 1e-9) + 1
    return sorted(pairs, reverse=True)[:count]
