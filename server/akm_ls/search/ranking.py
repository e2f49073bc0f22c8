"""How good a hit is: pure functions of a stored entry, a query and what the lanes say of both.

A score is ``base * (1 + boost) * usage``, held below a ceiling for assets that are no longer
believed (akm.md §6.3, §6.4). Every part is reported, so a score can be recomputed. `fusion`
makes the base.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from akm_ls.bundles.entry import Entry
from akm_ls.index.fields import fold
from akm_ls.search.fusion import Base
from akm_ls.search.query import MatchStage, find_word, root_of, words
from akm_ls.search.usage.utility import utility_factor

MAX_BOOST = 3.0
EXACT_NAME = 2.0
EXACT_ALIAS = 1.5
MATCH_WEIGHT = 0.2
"""What a match of some of the words counts in the default plan. Its base tells good matches from
poor ones, as bm25 weighs the same columns; counting them in full again costs quality
(docs/search-quality.md). Exact names, types, beliefs and the rest count in full in either plan."""
USED = "usage history boost"
NEAR = "near-exact name match"
"""akm says so of every name that holds the query, or that the query holds: of c-pro for ``c++``.
The default plan says it when little else is in either, and `TOKENS` of the others."""
TOKENS = "matched name tokens"
_GUIDANCE = frozenset({"usage", "examples", "xrefs", "intent", "pageKind"})
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
_TYPES_WITH_KEYS = frozenset({"memory", "fact", "lesson"})
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
    distinct: frozenset[str] = frozenset()
    """The tokens again."""

    @classmethod
    def of(cls, query: str, tokens: tuple[str, ...], project: Iterable[str] = ()) -> Terms:
        roots = tuple(map(root_of, tokens))
        phrase = " ".join(words(query))
        return cls(tokens, phrase, roots, tuple(project), frozenset(tokens))


@dataclass(frozen=True, slots=True)
class Part:
    """One signal's share of the boost; ``reason`` is its word in ``whyMatched``, if it has one."""

    signal: str
    value: float
    reason: str | None = None


class Score(NamedTuple):
    """A hit's score and what it is made of.

    ``total == round(min(1, max(0, base * (1 + boost) * usage), ceiling), 4)``, no ceiling being
    1, and ``boost`` is the sum of the parts, at most `MAX_BOOST`. ``semantic`` is ``None`` where
    the meaning had no part in the base. ``usage`` is from 1, for an asset that was never used,
    to 1.5.
    """

    base: float
    boost: float
    ceiling: float | None
    parts: tuple[Part, ...] = ()
    keyword: float = 0.0
    semantic: float | None = None
    usage: float = 1.0

    @property
    def raw(self) -> float:
        """The score below no ceiling: what tells two hits at one ceiling apart."""
        return max(0.0, self.base * (1 + self.boost) * self.usage)

    @property
    def total(self) -> float:
        return self.order[0]

    @property
    def order(self) -> tuple[float, float]:
        """The score, and the one below no ceiling: hits come in the order of both."""
        raw = self.raw
        return round(min(raw, 1.0 if self.ceiling is None else self.ceiling), 4), raw

    @property
    def reasons(self) -> tuple[str, ...]:
        found = dict.fromkeys(part.reason for part in self.parts if part.reason)
        return (*found, USED) if self.usage > 1 else tuple(found)


LISTED = Score(base=1.0, boost=0.0, ceiling=None, keyword=1.0)
"""The score of everything in a listing."""


def listed_like_akm(entry: Entry) -> Score:
    """The same score with the reasons that akm gives: those that need no query."""
    own = (
        _TYPES.get(entry.type),
        _BELIEFS.get(entry.belief_state or ""),
        _CURATED if entry.quality == "curated" else None,
        _confidence(entry.confidence),
    )
    parts = (*LEXICAL, *(Part(part.signal, 0.0, part.reason) for part in own if part))
    return LISTED._replace(parts=parts)


LEXICAL = (Part("keyword", 0.0, "fts bm25 relevance"),)
SEMANTIC = (Part("semantic", 0.0, "semantic similarity"),)
HYBRID = (Part("hybrid", 0.0, "hybrid (fts + semantic)"),)
"""Which lanes found a hit."""
_TYPES = {name: Part("type", value, TYPE_REASON.get(name)) for name, value in TYPE_BOOST.items()}
_BELIEFS = {
    state: Part("beliefState", value, f"{state} belief state")
    for state, value in BELIEF_BOOST.items()
}
_CURATED = Part("quality", 0.05, "curated metadata boost")


def keyword_score(bm25: float) -> float:
    """SQLite's bm25 (negative, better is lower) on the scale from .3 to .8."""
    strength = math.log1p(max(0.0, -bm25) / 1e-6)
    return round(0.3 + 0.5 * strength / (strength + 3), 4)


def rank(entry: Entry, terms: Terms, *, bm25: float, stage: MatchStage) -> Score:
    """Score one full-text hit of akm's plan: nothing depends on the other hits."""
    keyword = keyword_score(bm25)
    base = Base(keyword, keyword)
    return rank_base(entry, terms, base, LEXICAL, relaxed=stage == "or", akm_reasons=True)


def rank_overlap(entry: Entry, terms: Terms, *, share: float, utility: float = 0.0) -> Score:
    """Score an asset by the share of the query's words it holds, without an index."""
    keyword = round(0.3 + 0.5 * share, 4)
    base = Base(keyword, keyword)
    return rank_base(entry, terms, base, (), relaxed=share < 1, utility=utility)


def rank_base(
    entry: Entry,
    terms: Terms,
    base: Base,
    lead: tuple[Part, ...],
    *,
    relaxed: bool = False,
    boosted: bool = True,
    matches: float = 1.0,
    akm_reasons: bool = False,
    utility: float = 0.0,
) -> Score:
    """Score a hit whose lanes say ``base``.

    Args:
        lead: parts that come before the entry's own.
        relaxed: only some of the query's words are known to be in it.
        boosted: otherwise the base is the score, but for beliefs' ceilings.
        matches: what a match of some of the query's words counts; see `MATCH_WEIGHT`.
        akm_reasons: give akm's reasons also where its words promise too much; see `NEAR`.
        utility: how much the asset has been used, from 0 to 1.
    """
    name, named = _name(entry.name, terms, matches)
    if name is not None and name.reason == NEAR and not (akm_reasons or _near(entry.name, terms)):
        name = _match(name.signal, name.value, TOKENS)
    parts = list(lead)
    if boosted:
        own = (
            name,
            _TYPES.get(entry.type),
            _tags(entry.tags, terms, matches) if entry.tags else None,
            _hints(entry, terms, matches) if entry.hints else None,
            _aliases(entry, terms, matches) if entry.aliases else None,
            _description(entry.description, terms, matches),
            _BELIEFS.get(entry.belief_state or ""),
            _CURATED if entry.quality == "curated" else None,
            _confidence(entry.confidence),
            _by_type(entry) if entry.type in _TYPES_WITH_KEYS else None,
            _project(entry, terms) if terms.project else None,
        )
        parts += [part for part in own if part is not None]
    boost = round(min(sum([part.value for part in parts]), MAX_BOOST), 4)
    ceiling = BELIEF_CEILING.get(entry.belief_state or "")
    if relaxed and boosted and not named:
        ceiling = RELAXED_CEILING if ceiling is None else min(ceiling, RELAXED_CEILING)
    usage = round(utility_factor(utility), 4) if boosted and utility else 1.0
    return Score(base.value, boost, ceiling, tuple(parts), base.keyword, base.semantic, usage)


@lru_cache(maxsize=1024)
def _match(signal: str, value: float, reason: str, weight: float = 1.0) -> Part:
    """What a match of the query's words counts; thousands of rows are ranked with the same few.

    Exact names and aliases count in full.
    """
    if weight != 1.0 and value not in (EXACT_NAME, EXACT_ALIAS):
        value = round(value * weight, 4)
    return Part(signal, value, reason)


def _name(name: str, terms: Terms, weight: float) -> tuple[Part | None, bool]:
    """The name's share, and whether the name holds anything of the query at all."""
    spaced = " ".join(words(name))
    phrase = terms.phrase
    if spaced and spaced == phrase:
        return _match("name", EXACT_NAME, "exact name match"), True
    if _begins(phrase, spaced) or _begins(spaced, phrase):
        return _match("name", 1.0, NEAR, weight), True
    found = _found(terms.roots, spaced)
    if not found:
        return None, False
    return _match("name", _capped(0.3, found, 0.9), TOKENS, weight), True


def _near(name: str, terms: Terms) -> bool:
    """Whether a name, or its last segment, and the query differ by a third of either at most."""
    for written in (name, name.rpartition("/")[2]):
        spaced = " ".join(words(written))
        short, long = sorted((spaced, terms.phrase), key=len)
        if 3 * len(short) >= 2 * len(long) and _begins(short, long):
            return True
    return False


def _tags(tags: tuple[str, ...], terms: Terms, weight: float) -> Part | None:
    text = " ".join(tags)
    if text.isascii():
        # Most tags hold none of the words: that is told for all of them at once.
        text = text.lower()
        for token in terms.tokens:
            if token in text:
                break
        else:
            return None
    equal = 0
    for tag in tags:
        found = _word_set(tag)
        if found and found <= terms.distinct:
            equal += 1
    return _match("tags", _capped(0.15, equal, 0.3), "matched tags", weight) if equal else None


def _hints(entry: Entry, terms: Terms, weight: float) -> Part | None:
    found = _found(terms.roots, fold(" ".join(entry.hints)))
    if found and not _GUIDANCE.isdisjoint(entry.extra):
        others = set(_other_guidance(entry))
        hints = [hint for hint in entry.hints if hint not in others]
        found = _found(terms.roots, fold(" ".join(hints)))
    if not found:
        return None
    return _match("searchHints", _capped(0.12, found, 0.24), "matched searchHints", weight)


def _other_guidance(entry: Entry) -> Iterator[object]:
    """What is searched like hints without being any (akm.md §6.1): it is not boosted like them."""
    for key in _GUIDANCE & entry.extra.keys():
        value = entry.extra[key]
        if isinstance(value, Mapping):
            yield from value.values()
        elif isinstance(value, (list, tuple)):
            yield from value
        else:
            yield value


def _aliases(entry: Entry, terms: Terms, weight: float) -> Part | None:
    aliases: Sequence[str] = entry.aliases
    found = _found(terms.roots, fold(" ".join(aliases)))
    if found and " " in entry.name:
        # A name with blanks in it is its own spaced form, which is an alias of every other.
        name = entry.name.lower()
        aliases = [alias for alias in aliases if alias != name]
        found = _found(terms.roots, fold(" ".join(aliases)))
    if not found:
        return None
    exact = any(" ".join(words(alias)) == terms.phrase for alias in aliases)
    value = EXACT_ALIAS if exact else round(0.3 * found, 4)
    return _match("aliases", value, "matched aliases", weight)


def _description(description: str, terms: Terms, weight: float) -> Part | None:
    found = _found(terms.roots, fold(description))
    if not found:
        return None
    every = found == len(terms.tokens) > 1
    return _match("description", 0.25 if every else 0.1, "matched description", weight)


@lru_cache(maxsize=1024)
def _confidence(confidence: float) -> Part | None:
    if not confidence > 0:
        return None
    share = round(0.05 * min(confidence, 1.0), 4)
    return Part("confidence", share, "metadata confidence boost")


def _by_type(entry: Entry) -> Part | None:
    """What only some types say of themselves."""
    extra = entry.extra
    if entry.type == "memory" and extra.get("captureMode") == "hot":
        return Part("captureMode", 0.2)
    if entry.type == "fact" and extra.get("pinned") is True:
        return Part("pinned", 0.15)
    if entry.type == "lesson":
        strength = extra.get("lessonStrength")
        if isinstance(strength, (int, float)) and 0 < strength < math.inf:
            return Part("lessonStrength", _capped(0.06, strength, 0.3))
    return None


def _project(entry: Entry, terms: Terms) -> Part | None:
    known = set(words(entry.name)).union(*map(_word_set, entry.tags))
    found = sum(1 for token in terms.project if known.issuperset(words(token)))
    return Part("project", _capped(0.2, found, 0.5)) if found else None


def _capped(each: float, count: float, most: float) -> float:
    return round(min(each * count, most), 4)


def _found(roots: tuple[str, ...], text: str) -> int:
    """How many of the query's words, in any form, a folded text has."""
    found = 0
    for root in roots:
        # Most texts hold none of them: that is told without a call.
        if root in text and find_word(root, text) >= 0:
            found += 1
    return found


def _begins(phrase: str, text: str) -> bool:
    """Whether some words of a text begin like a phrase, which is not blank."""
    return bool(phrase) and phrase in text and find_word(phrase, text) >= 0


@lru_cache(maxsize=4096)
def _word_set(tag: str) -> frozenset[str]:
    """The words of a tag: one tag is on many assets."""
    return frozenset(words(tag))
