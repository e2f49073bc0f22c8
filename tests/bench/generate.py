"""A bundle of any size, the same for the same seed: assets of about 2 KB that cite each other."""

from __future__ import annotations

import argparse
import os
import random
from dataclasses import dataclass
from pathlib import Path

HUB_CITATIONS = 500
_WEIGHTS = {
    "knowledge": 50,
    "memories": 20,
    "skills": 10,
    "commands": 5,
    "agents": 5,
    "lessons": 5,
    "facts": 5,
}
_SYLLABLES = tuple(
    syllable
    for line in (
        "ro ta te to ken se cu re de ploy in dex sear ch graph que ry ca che la yer pro xy",
        "sche ma shard rep li ve log met ric sta ge bu ild lin ter",
    )
    for syllable in line.split()
)
_VOCABULARY = 6_000


def _vocabulary() -> tuple[list[str], list[float]]:
    """Invented words, and weights by which a few are in every text and most in a handful."""
    chance = random.Random(7)
    words = dict.fromkeys(
        "".join(chance.choice(_SYLLABLES) for _ in range(chance.randint(2, 4)))
        for _ in range(2 * _VOCABULARY)
    )
    kept = list(words)[:_VOCABULARY]
    total, weights = 0.0, []
    for rank in range(len(kept)):
        total += 1 / (rank + 10)
        weights.append(total)
    return kept, weights


_WORDS, _WEIGHTS_OF_WORDS = _vocabulary()


def words(chance: random.Random, count: int) -> list[str]:
    """Words as texts use them, the frequent ones more often."""
    return chance.choices(_WORDS, cum_weights=_WEIGHTS_OF_WORDS, k=count)


@dataclass(frozen=True, slots=True)
class Generated:
    """What was written: ``ids`` are concept ids, ``hub`` the one that 500 others cite."""

    root: str
    ids: tuple[str, ...]
    hub: str

    def path(self, concept_id: str) -> str:
        end = "/SKILL.md" if concept_id.startswith("skills/") else ".md"
        return os.path.join(self.root, *concept_id.split("/")) + end


def generate(root: str, count: int, seed: int = 42) -> Generated:
    """Write ``count`` assets below ``root``, whose directory name is the bundle's id."""
    chance = random.Random(seed)
    directories = [name for name, weight in _WEIGHTS.items() for _ in range(weight)]
    ids = []
    for number in range(count):
        middle = [chance.choice(_WORDS) for _ in range(chance.randint(0, 2))]
        name = f"{chance.choice(_WORDS)}-{number}"
        ids.append("/".join((chance.choice(directories), *middle, name)))
    bundle = os.path.basename(root)
    made = Generated(root, tuple(ids), ids[0])
    for number, concept_id in enumerate(ids):
        path = Path(made.path(concept_id))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_asset(chance, bundle, made, number), encoding="utf-8")
    return made


def _asset(chance: random.Random, bundle: str, made: Generated, number: int) -> str:
    refs = [_ref(chance, bundle, made.ids) for _ in range(8)]
    if 0 < number <= HUB_CITATIONS:
        refs[0] = f"{bundle}//{made.hub}"

    def prose(count: int) -> str:
        return " ".join(words(chance, count))

    name = made.ids[number].rpartition("/")[2]
    accent = " ünïcode 😀" if number % 20 == 0 else ""
    return (
        f"---\nname: {name}\ndescription: {prose(12)}\n"
        f"tags: [{chance.choice(_WORDS)}, {chance.choice(_WORDS)}]\nupdated: '2026-01-01'\n"
        f"xrefs:\n  - {chance.choice(made.ids)}\n---\n"
        f"# {prose(3)}{accent}\n\n{prose(38)} {refs[0]} and {refs[1]}.\n\n"
        f"## Section one\n\n{prose(38)} `{refs[2]}` {refs[3]}\n\n"
        f"## Section two\n\n- {refs[4]}\n- {refs[5]}\n\n{prose(38)}\n\n"
        f"```sh\necho {refs[6]}\n```\n\n## Section three\n\n{prose(38)} ({refs[7]}).\n"
    )


def _ref(chance: random.Random, bundle: str, ids: tuple[str, ...]) -> str:
    if chance.random() < 0.02:
        return f"{bundle}//knowledge/gone/{chance.choice(_WORDS)}-{chance.randint(0, 999)}"
    fragment = "#section-two" if chance.random() < 0.3 else ""
    return f"{bundle}//{chance.choice(ids)}{fragment}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("--assets", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=42)
    options = parser.parse_args()
    generate(os.path.abspath(options.root), options.assets, options.seed)
