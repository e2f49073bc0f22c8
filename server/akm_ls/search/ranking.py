"""How good a hit is: one pure function of a stored entry and a query (akm.md §6.3, §6.4).

A score is ``keyword * (1 + boost)``, held below a ceiling for assets that are no longer believed.
No part depends on the other results, so the same asset gets the same score for the same query
whatever else is in the index's answer; and every part is reported, so a score can be recomputed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from akm_ls.bundles.entry import Entry
from akm_ls.index.fields import fold
from akm_ls.search.query import MatchStage, find_word, root_of, words

MAX_BOOST = 3.0
RELAXED_CEILING = 0.65
"""For a hit of the last, widest stage whose name holds none of the query."""

TYPE_BOOST = {
    "skill": 0.4,
    "command": 0.35,
    "workflow": 0.35,
    "agent": 0.3,
    "knowledge": 0.22,
    "fact": 0.22,
    "instruction": 0.22,
    "script": 0.2,
    "memory": -0.02,
}
TYPE_REASON = {name: f"{name} type boost" for name in ("skill", "command", "agent")}
BELIEF_BOOST = {
    "contradicted": -0.45,
    "superseded": -0.25,
    "archived": -0.6,
    "deprecated": -0.15,
    "asserted": 0.08,
    "active": 0.06,
}
BELIEF_CEILING = {"deprecated": 0.28, "superseded": 0.25, "contradicted": 0.2, "archived": 0.15}
"""What is no longer believed cannot outrank its correction. Also: the *historical* states."""


@dataclass(frozen=True, slots=True)
class Terms:
    """A query as the ranking reads it."""

    tokens: tuple[str, ...]
    phrase: str
    """All words of the query, normalised, one blank between them."""
    roots: tuple[str, ...]
    """What the tokens' forms begin with."""
    project: tuple[str, ...] = ()
    """Words that name the project at hand: assets that carry them come first."""

    @classmethod
    def of(cls, query: str, tokens: tuple[str, ...], project: Iterable[str] = ()) -> Terms:
        roots = tuple(map(root_of, tokens))
        return cls(tokens, " ".join(words(query)), roots, tuple(project))


@dataclass(frozen=True, slots=True)
class Part:
    """One signal's share of the boost; ``reason`` is its word in ``whyMatched``, if it has one."""

    signal: str
    value: float
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """A hit's score and what it is made of; numbers have four decimals.

    ``total == round(min(1, max(0, keyword * (1 + boost)), ceiling), 4)``, no ceiling being 1.
    """

    keyword: float
    boost: float
    ceiling: float | None
    parts: tuple[Part, ...] = ()

    @property
    def raw(self) -> float:
        """The score below no ceiling: what tells two hits at one ceiling apart."""
        return max(0.0, self.keyword * (1 + self.boost))

    @property
    def total(self) -> float:
        return round(min(self.raw, 1.0 if self.ceiling is None else self.ceiling), 4)

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(part.reason for part in self.parts if part.reason))


LISTED = Score(keyword=1.0, boost=0.0, ceiling=None)
"""The score of everything in a listing."""


def keyword_score(bm25: float) -> float:
    """SQLite's bm25 (negative, better is lower) on the scale from .3 to .8."""
    strength = math.log1p(max(0.0, -bm25) / 1e-6)
    return round(0.3 + 0.5 * strength / (strength + 3), 4)


def rank(entry: Entry, terms: Terms, *, bm25: float, stage: MatchStage) -> Score:
    """Score one full-text hit."""
    keyword = Part("keyword", 0.0, "fts bm25 relevance")
    return _score(entry, terms, keyword_score(bm25), (keyword,), relaxed=stage == "or")


def rank_overlap(entry: Entry, terms: Terms, *, share: float) -> Score:
    """Score an asset by the share of the query's words it holds, without an index."""
    return _score(entry, terms, round(0.3 + 0.5 * share, 4), (), relaxed=share < 1)


def _score(
    entry: Entry, terms: Terms, keyword: float, lead: tuple[Part, ...], *, relaxed: bool
) -> Score:
    names, named = _name_parts(entry.name, terms)
    parts = (
        *lead,
        *names,
        *(part for signal in _SIGNALS for part in signal(entry, terms)),
    )
    boost = round(min(sum(part.value for part in parts), MAX_BOOST), 4)
    ceilings = [RELAXED_CEILING] if relaxed and not named else []
    if entry.belief_state in BELIEF_CEILING:
        ceilings.append(BELIEF_CEILING[entry.belief_state])
    return Score(keyword, boost, min(ceilings, default=None), parts)


def _name_parts(name: str, terms: Terms) -> tuple[list[Part], bool]:
    """The name's share, and whether the name holds anything of the query at all."""
    name_words = words(name)
    spaced = " ".join(name_words)
    if spaced and spaced == terms.phrase:
        return [Part("name", 2.0, "exact name match")], True
    if _begins(terms.phrase, spaced) or _begins(spaced, terms.phrase):
        return [Part("name", 1.0, "near-exact name match")], True
    found = _found(terms.roots, spaced)
    if not found:
        return [], False
    return [Part("name", _capped(0.3, found, 0.9), "matched name tokens")], True


def _type(entry: Entry, _terms: Terms) -> Iterator[Part]:
    if value := TYPE_BOOST.get(entry.type):
        yield Part("type", value, TYPE_REASON.get(entry.type))


def _tags(entry: Entry, terms: Terms) -> Iterator[Part]:
    tokens = set(terms.tokens)
    equal = sum(1 for tag in entry.tags if (found := _word_set(tag)) and tokens >= found)
    if equal:
        yield Part("tags", _capped(0.15, equal, 0.3), "matched tags")


def _hints(entry: Entry, terms: Terms) -> Iterator[Part]:
    if found := _found(terms.roots, fold(" ".join(entry.hints))):
        yield Part("searchHints", _capped(0.12, found, 0.24), "matched searchHints")


def _aliases(entry: Entry, terms: Terms) -> Iterator[Part]:
    found = _found(terms.roots, fold(" ".join(entry.aliases)))
    if found and any(" ".join(words(alias)) == terms.phrase for alias in entry.aliases):
        yield Part("aliases", 1.5, "matched aliases")
    elif found:
        yield Part("aliases", round(0.3 * found, 4), "matched aliases")


def _description(entry: Entry, terms: Terms) -> Iterator[Part]:
    found = _found(terms.roots, fold(entry.description))
    if found:
        every = found == len(terms.tokens) > 1
        yield Part("description", 0.25 if every else 0.1, "matched description")


def _belief(entry: Entry, _terms: Terms) -> Iterator[Part]:
    state = entry.belief_state
    if state in BELIEF_BOOST:
        yield Part("beliefState", BELIEF_BOOST[state], f"{state} belief state")


def _metadata(entry: Entry, _terms: Terms) -> Iterator[Part]:
    if entry.quality == "curated":
        yield Part("quality", 0.05, "curated metadata boost")
    if entry.confidence > 0:
        share = round(0.05 * min(entry.confidence, 1.0), 4)
        yield Part("confidence", share, "metadata confidence boost")


def _by_type(entry: Entry, _terms: Terms) -> Iterator[Part]:
    extra = entry.extra
    if entry.type == "memory" and extra.get("captureMode") == "hot":
        yield Part("captureMode", 0.2)
    if entry.type == "fact" and extra.get("pinned") is True:
        yield Part("pinned", 0.15)
    if entry.type == "lesson":
        strength = extra.get("lessonStrength")
        if isinstance(strength, (int, float)) and 0 < strength < math.inf:
            yield Part("lessonStrength", _capped(0.06, strength, 0.3))


def _project(entry: Entry, terms: Terms) -> Iterator[Part]:
    if not terms.project:
        return
    known = set(words(entry.name)).union(*map(_word_set, entry.tags))
    if found := sum(1 for token in terms.project if known.issuperset(words(token))):
        yield Part("project", _capped(0.2, found, 0.5))


_SIGNALS: tuple[Callable[[Entry, Terms], Iterator[Part]], ...] = (
    _type,
    _tags,
    _hints,
    _aliases,
    _description,
    _belief,
    _metadata,
    _by_type,
    _project,
)


def _capped(each: float, count: float, most: float) -> float:
    return round(min(each * count, most), 4)


def _found(roots: tuple[str, ...], text: str) -> int:
    """How many of the query's words, in any form, a folded text has."""
    return sum(1 for root in roots if find_word(root, text) >= 0)


def _begins(phrase: str, text: str) -> bool:
    """Whether some words of a text begin like a phrase, which is not blank."""
    return bool(phrase) and find_word(phrase, text) >= 0


@lru_cache(maxsize=4096)
def _word_set(tag: str) -> frozenset[str]:
    """The words of a tag: one tag is on many assets."""
    return frozenset(words(tag))
