"""The words of a query in the full-text index: the default plan.

One OR of all words finds, so that a body that happens to hold every word never hides what
answers better; how many of the words a row holds is one of the ranking's signals instead.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from akm_ls.search.parsing import Phrase, Query
from akm_ls.search.query import MIN_PREFIX_LETTERS, MatchStage
from akm_ls.search.spelling import MOST_SLIPS, Correction, may_correct, most_likely

if TYPE_CHECKING:
    from akm_ls.index.full_text import FullText
    from akm_ls.index.stub import Stub

COMMON_SHARE = 0.2
COMMON_ROWS = 500
"""A word in more rows than this, and in more than this share of them, only scores what rarer words
find: it tells little, and ranking all that has it takes most of the time of a search."""
_ENDINGS = ("", "e", "y", "s", "es", "ed", "ing", "er", "ion", "ation", "al", "ate", "ment", "ies")
"""What may stand behind a stem: the index cannot be asked for a stem itself."""


@dataclass(frozen=True, slots=True)
class WordPlan:
    """What is asked of the full-text index for a query.

    Attributes:
        expression: FTS5 syntax, every word quoted; empty: nothing can match.
        forms: an expression for every word of the query, to see which of them a row holds.
        corrections: words that are looked for in place of words that nothing holds.
        query: the query as it was looked for.
        required: what every hit has to match, whatever it means; empty: nothing has to be matched.
        stage: how a path was looked for; words are always looked for in the same way.
    """

    expression: str
    forms: tuple[str, ...]
    corrections: tuple[Correction, ...]
    query: Query
    required: str = ""
    stage: MatchStage | None = None
    common: frozenset[str] = frozenset()
    """The forms that only score what ``rare``, an expression, finds."""
    rare: str = ""

    @property
    def forbidden(self) -> str:
        """What no hit may match; empty: anything may be matched."""
        return " OR ".join(_quoted(phrase) for phrase in self.query.excluded)


def plan_path(full_text: FullText, query: Query) -> WordPlan:
    """A path that does not exist is better answered with nothing than with its words anywhere."""
    exact = tuple(_quoted([word]) for word in query.words)
    expression = " AND ".join(exact)
    if full_text.frequency(expression):
        return WordPlan(expression, exact, (), query, expression, "and")
    beginnings = tuple(
        form if len(word) < MIN_PREFIX_LETTERS else f"{form}*"
        for word, form in zip(query.words, exact, strict=True)
    )
    expression = " AND ".join(beginnings)
    return WordPlan(expression, beginnings, (), query, expression, "prefix")


def plan_words(full_text: FullText, query: Query, spell: Callable[[str], str | None]) -> WordPlan:
    """Plan a query, knowing how common its words are.

    Args:
        spell: what a word that nothing holds may have been meant for.
    """
    forms: dict[str, str] = {}
    meant: dict[str, str] = {}
    counts: dict[str, int] = {}
    for word in query.words:
        form = _quoted([word]) + ("*" if word in query.beginnings else "")
        count = full_text.frequency(form)
        if not count:
            form, count, other = _instead(full_text, word, form, spell)
            if other is not None:
                meant[word] = other
        forms[word] = form
        counts[form] = count
    corrected = replace(query, words=tuple(meant.get(word, word) for word in query.words))
    most = max(COMMON_ROWS, COMMON_SHARE * full_text.size())
    present = [form for form in dict.fromkeys(forms.values()) if counts[form]]
    rare = [form for form in present if counts[form] <= most]
    if any(len(alternatives) > 1 for alternatives in query.required):
        # Somebody asked for a common word in place of the rare ones.
        rare = present
    common = frozenset(present).difference(rare) if rare else frozenset()
    required = _required(query, forms)
    return WordPlan(
        _expression(present, rare, required, query),
        tuple(dict.fromkeys(forms.values())),
        tuple(Correction(*pair) for pair in meant.items()),
        corrected,
        required,
        common=common,
        rare=" OR ".join(rare),
    )


def _instead(
    full_text: FullText, word: str, form: str, spell: Callable[[str], str | None]
) -> tuple[str, int, str | None]:
    """For a word that nothing holds: words that begin with it, or the one it was meant for."""
    if len(word) >= MIN_PREFIX_LETTERS and not form.endswith("*"):
        beginning = f"{form}*"
        if count := full_text.frequency(beginning):
            return beginning, count, None
    other = spell(word) if may_correct(word) else None
    if other is None:
        return form, 0, None
    corrected = _quoted([other])
    # A word that only stands where the caller may not look is not suggested either.
    if not full_text.match(corrected, limit=1):
        return form, 0, None
    return corrected, full_text.frequency(corrected), other


def _required(query: Query, forms: Mapping[str, str]) -> str:
    """What every hit has to match; ``forms`` are the expressions of the query's words."""

    def form_of(phrase: Phrase) -> str:
        return (forms.get(phrase[0]) if len(phrase) == 1 else None) or _quoted(phrase)

    return " AND ".join(
        f"({' OR '.join(map(form_of, alternatives))})" for alternatives in query.required
    )


def _expression(present: list[str], rare: list[str], required: str, query: Query) -> str:
    if not present:
        return ""
    found = " OR ".join(present)
    conditions = [required] if required else []
    if rare and len(rare) < len(present):
        conditions.append(f"({' OR '.join(rare)})")
    expression = " AND ".join((*conditions, f"({found})")) if conditions else found
    if query.excluded:
        excluded = " OR ".join(_quoted(phrase) for phrase in query.excluded)
        expression = f"({expression}) NOT ({excluded})"
    return expression


def _quoted(phrase: Iterable[str]) -> str:
    return f'"{" ".join(phrase)}"'


def coverage(
    full_text: FullText, plan: WordPlan, ids: Collection[int], *, found_by_words: bool
) -> dict[int, float]:
    """The share of a query's words that each of some rows holds.

    Rows are taken to hold a single word: it found them, or else their meaning did.

    Args:
        found_by_words: every row matches the plan's expression.
    """
    forms = plan.forms
    if len(forms) < 2:
        return dict.fromkeys(ids, 1.0)
    held = dict.fromkeys(ids, 0)
    for form in forms:
        if found_by_words and form in plan.common:
            form = f"{form} AND ({plan.rare})"
        for entry_id in full_text.holding(form, ids):
            held[entry_id] += 1
    return {entry_id: count / len(forms) for entry_id, count in held.items()}


def speller(
    full_text: FullText, stubs: Callable[[], Iterable[Stub]]
) -> Callable[[str], str | None]:
    """Corrects by the names and descriptions of assets, then by all words of the index.

    The index keeps only stems, which make poorer corrections and are harder to read.
    """

    def spell(word: str) -> str | None:
        meant = most_likely(word, _words_like(word, stubs()))
        return meant if meant is not None else _by_stem(full_text, word)

    return spell


def _words_like(word: str, stubs: Iterable[Stub]) -> dict[str, int]:
    """The words of names, descriptions and tags that begin and end about like a word."""
    least = max(len(word) - MOST_SLIPS - 1, 1)
    like = re.compile(rf"(?<![^\W_]){word[0]}[^\W_]{{{least},{least + 2 * MOST_SLIPS}}}(?![^\W_])")
    counts: Counter[str] = Counter()
    for stub in stubs:
        counts.update(like.findall(f"{stub.name} {stub.description} {' '.join(stub.tags)}".lower()))
    return counts


def _by_stem(full_text: FullText, word: str) -> str | None:
    (stem,) = full_text.stems([word])
    if not may_correct(stem):
        return None
    meant = most_likely(stem, full_text.terms(stem[0]))
    if meant is None:
        return None
    forms = [f"{meant.removesuffix('i')}{ending}" for ending in _ENDINGS] + [
        f"{meant}{ending}" for ending in _ENDINGS
    ]
    stems = full_text.stems(forms)
    return next((form for form, kept in zip(forms, stems, strict=True) if kept == meant), None)
