"""Questions for any bundle, made by rule from what its own authors wrote.

Families: ``name`` (an asset's name), ``when`` (its "use when ..." sentences), ``bullet`` (the items
of its "when to use" sections), both without the words of its name, and ``typo_name`` and
``typo_when`` (one slip in half of the words of five letters and more, never in the first letter).
The sentences and sections are to be taken out of what is indexed: `without_answers`.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

FAMILIES = ("name", "when", "bullet", "paraphrase", "typo_name", "typo_when")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WORD = re.compile(r"[^\W_]+")
_USE_WHEN = re.compile(
    r"\b(?:Use (?:this |it |the |PROACTIVELY |proactively |skill |agent |command )*"
    r"(?:when|whenever|for|if|after|before|to)|MUST BE USED|Invoke when|Trigger when)\b"
    r"[^\n]*?(?:\.(?=\s|\Z|[\"'])|(?=\n)|\Z)"
)
_LEAD = re.compile(
    r"(?:Use (?:this |it |the |PROACTIVELY |proactively |skill |agent |command )*"
    r"(?:when|whenever|for|if|after|before|to)|MUST BE USED|Invoke when|Trigger when)\s*"
)
_SECTION = re.compile(
    r"^(#{1,6})[ \t]+[^\n]*\bwhen to (?:use|activate|apply)\b[^\n]*\n(?:(?!#{1,6}[ \t])[^\n]*\n?)*",
    re.IGNORECASE | re.MULTILINE,
)
_BULLET = re.compile(r"^[ \t]*[-*+][ \t]+([^\n]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Asset:
    """What is asked for: one asset with the text of its file."""

    ref: str
    type: str
    name: str
    description: str
    text: str

    @property
    def title_words(self) -> list[str]:
        return _WORD.findall(self.name.rpartition("/")[2].lower())


@dataclass(frozen=True, slots=True)
class Question:
    """``answers`` are groups of refs; each group is one answer."""

    family: str
    query: str
    answers: tuple[frozenset[str], ...]


def make(assets: Sequence[Asset], *, seed: int = 7) -> list[Question]:
    """All families but paraphrases. The same for the same assets and seed."""
    same = _copies(assets)
    chance = random.Random(seed)
    made: list[Question] = []
    seen: set[tuple[str, str]] = set()
    for asset in assets:
        answers = (same[asset.ref],)
        name = " ".join(asset.title_words)
        for family, query in (
            ("name", name),
            ("typo_name", with_slips(name, chance)),
            *(("when", query) for query in _sentences(asset)[:1]),
            *(("typo_when", with_slips(query, chance)) for query in _sentences(asset)[:1]),
            *(("bullet", query) for query in _bullets(asset)[:2]),
        ):
            changed = not family.startswith("typo") or query != name
            if query and changed and (family, query) not in seen:
                seen.add((family, query))
                made.append(Question(family, query, answers))
    return made


def read(path: Path, assets: Sequence[Asset]) -> list[Question]:
    """Written questions: lines of ``{"query", "relevant_names" | "relevant", "set"}``."""
    same = _copies(assets)
    by_name: dict[str, list[str]] = {}
    for asset in assets:
        by_name.setdefault(asset.name.rpartition("/")[2], []).append(asset.ref)
    questions = []
    for line in path.read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        if "relevant" in item:
            groups = [frozenset({ref}) for ref in item["relevant"]]
        else:
            groups = [
                frozenset(ref for known in by_name[name] for ref in same[known])
                for name in item["relevant_names"]
                if name in by_name
            ]
        if groups:
            questions.append(Question(item["set"], item["query"], tuple(groups)))
    return questions


def _copies(assets: Iterable[Asset]) -> dict[str, frozenset[str]]:
    """For every ref those of the assets that count as the same: type and name, or description."""
    keys: dict[tuple[str, ...], set[str]] = {}

    def keys_of(asset: Asset) -> Iterator[tuple[str, ...]]:
        yield asset.type, asset.name.rpartition("/")[2]
        if asset.description:
            yield (asset.description,)

    assets = list(assets)
    for asset in assets:
        for key in keys_of(asset):
            keys.setdefault(key, set()).add(asset.ref)
    return {
        asset.ref: frozenset(ref for key in keys_of(asset) for ref in keys[key]) for asset in assets
    }


def _sentences(asset: Asset) -> list[str]:
    found = (_LEAD.sub("", match.group()) for match in _USE_WHEN.finditer(asset.text))
    return [query for text in found if len((query := _nameless(text, asset)).split()) >= 3]


def _bullets(asset: Asset) -> list[str]:
    items = (
        item.group(1)
        for section in _SECTION.finditer(asset.text)
        for item in _BULLET.finditer(section.group())
    )
    return [query for text in items if len((query := _nameless(text, asset)).split()) >= 2]


def _nameless(text: str, asset: Asset) -> str:
    names = set(asset.title_words)
    return " ".join(word for word in _WORD.findall(text.lower()) if word not in names)


def with_slips(text: str, chance: random.Random) -> str:
    """One slip in half of the words of five letters and more, in one at least."""
    parts = text.split()
    long = [at for at, word in enumerate(parts) if len(word) >= 5 and word.isalpha()]
    for at in chance.sample(long, (len(long) + 1) // 2):
        parts[at] = _slip(parts[at], chance)
    return " ".join(parts)


def _slip(word: str, chance: random.Random) -> str:
    at = chance.randrange(1, len(word) - 1)
    kind = chance.choice(("drop", "double", "swap", "change"))
    if kind == "drop":
        return word[:at] + word[at + 1 :]
    if kind == "double":
        return word[:at] + chance.choice(LETTERS) + word[at:]
    if kind == "swap":
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return word[:at] + chance.choice(LETTERS) + word[at + 1 :]


def without_answers(text: str) -> str:
    """A file's text without what the ``when`` and ``bullet`` questions were made of."""
    return _USE_WHEN.sub("", _SECTION.sub("", text))


def count(questions: Iterable[Question]) -> Mapping[str, int]:
    numbers = dict.fromkeys(FAMILIES, 0)
    for question in questions:
        numbers[question.family] = numbers.get(question.family, 0) + 1
    return {family: number for family, number in numbers.items() if number}
