"""How good a hit is: pure functions of a stored entry, a query and what the lanes say of both.

A score is ``base * (1 + boost) * usage``, held below a ceiling for assets that are no longer
believed (akm.md §6.3, §6.4). Every part is reported, so a score can be recomputed. `fusion`
makes the base.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from akm_ls.bundles.entry import Entry
from akm_ls.index.fields import fold
from akm_ls.search.fusion import Base
from akm_ls.search.query import MatchStage, find_word, root_of, words
from akm_ls.search.usage.utility import utility_factor

MAX_BOOST = 3.0
EXACT_NAME = 2.0
EXACT_ALIAS = 1.5
_MATCHES = frozenset({"name", "tags", "searchHints", "aliases", "description"})
MATCH_WEIGHT = 0.2
"""What a match of some of the words counts in the default plan. Its base tells good matches from
poor ones, as bm25 weighs the same columns; counting them in full again costs quality
(docs/search-quality.md). Exact names, types, beliefs and the rest count in full in either plan."""
USED = "usage history boost"
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
        return round(min(self.raw, 1.0 if self.ceiling is None else self.ceiling), 4)

    @property
    def reasons(self) -> tuple[str, ...]:
        found = dict.fromkeys(part.reason for part in self.parts if part.reason)
        return (*found, USED) if self.usage > 1 else tuple(found)


LISTED = Score(base=1.0, boost=0.0, ceiling=None, keyword=1.0)
"""The score of everything in a listing."""


def listed_like_akm(entry: Entry) -> Score:
    """The same score with the reasons that akm gives: those that need no query."""
    own = (part for signal in (_type, _belief, _metadata) for part in signal(entry, _NO_TERMS))
    parts = (*LEXICAL, *(Part(part.signal, 0.0, part.reason) for part in own))
    return replace(LISTED, parts=parts)


_NO_TERMS = Terms((), "", ())
LEXICAL = (Part("keyword", 0.0, "fts bm25 relevance"),)
SEMANTIC = (Part("semantic", 0.0, "semantic similarity"),)
HYBRID = (Part("hybrid", 0.0, "hybrid (fts + semantic)"),)
"""Which lanes found a hit."""


def keyword_score(bm25: float) -> float:
    """SQLite's bm25 (negative, better is lower) on the scale from .3 to .8."""
    strength = math.log1p(max(0.0, -bm25) / 1e-6)
    return round(0.3 + 0.5 * strength / (strength + 3), 4)


def rank(entry: Entry, terms: Terms, *, bm25: float, stage: MatchStage) -> Score:
    """Score one full-text hit of akm's plan: nothing depends on the other hits."""
    keyword = keyword_score(bm25)
    return rank_base(entry, terms, Base(keyword, keyword), LEXICAL, relaxed=stage == "or")


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
    utility: float = 0.0,
) -> Score:
    """Score a hit whose lanes say ``base``.

    Args:
        lead: parts that come before the entry's own.
        relaxed: only some of the query's words are known to be in it.
        boosted: otherwise the base is the score, but for beliefs' ceilings.
        matches: what a match of some of the query's words counts; see `MATCH_WEIGHT`.
        utility: how much the asset has been used, from 0 to 1.
    """
    names, named = _name_parts(entry.name, terms)
    parts = lead
    if boosted:
        own = (part for signal in _SIGNALS for part in signal(entry, terms))
        parts = (*lead, *(_weighed(part, matches) for part in (*names, *own)))
    boost = round(min(sum(part.value for part in parts), MAX_BOOST), 4)
    ceilings = [RELAXED_CEILING] if relaxed and boosted and not named else []
    if entry.belief_state in BELIEF_CEILING:
        ceilings.append(BELIEF_CEILING[entry.belief_state])
    ceiling = min(ceilings, default=None)
    usage = round(utility_factor(utility), 4) if boosted and utility else 1.0
    return Score(base.value, boost, ceiling, parts, base.keyword, base.semantic, usage)


def _weighed(part: Part, matches: float) -> Part:
    if matches == 1.0 or part.signal not in _MATCHES or part.value in (EXACT_NAME, EXACT_ALIAS):
        return part
    return Part(part.signal, round(part.value * matches, 4), part.reason)


def _name_parts(name: str, terms: Terms) -> tuple[list[Part], bool]:
    """The name's share, and whether the name holds anything of the query at all."""
    name_words = words(name)
    spaced = " ".join(name_words)
    if spaced and spaced == terms.phrase:
        return [Part("name", EXACT_NAME, "exact name match")], True
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
    hints = entry.hints
    if hints and not _GUIDANCE.isdisjoint(entry.extra):
        others = set(_other_guidance(entry))
        hints = tuple(hint for hint in hints if hint not in others)
    if hints and (found := _found(terms.roots, fold(" ".join(hints)))):
        yield Part("searchHints", _capped(0.12, found, 0.24), "matched searchHints")


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


def _aliases(entry: Entry, terms: Terms) -> Iterator[Part]:
    name = entry.name.lower()
    # A name with blanks in it is its own spaced form, which is an alias of every other.
    aliases = [alias for alias in entry.aliases if alias != name] if " " in name else entry.aliases
    if not aliases:
        return
    found = _found(terms.roots, fold(" ".join(aliases)))
    if found and any(" ".join(words(alias)) == terms.phrase for alias in aliases):
        yield Part("aliases", EXACT_ALIAS, "matched aliases")
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
