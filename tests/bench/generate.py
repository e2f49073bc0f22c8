"""A bundle of any size, the same for the same seed: assets of about 2 KB that cite each other."""

from __future__ import annotations

import argparse
import os
import random
from dataclasses import dataclass
from pathlib import Path

HUB_CITATIONS = 500
BROKEN = 0.02
REFS = 8
_SHARES = {
    "knowledge": 40,
    "memories": 20,
    "skills": 10,
    "commands": 5,
    "agents": 5,
    "lessons": 4,
    "facts": 4,
    "instructions": 2,
    "sessions": 2,
    "workflows": 2,
    "scripts": 2,
    "tasks": 2,
    "env": 1,
    "secrets": 1,
}
_ENDS = {"skills": "/SKILL.md", "tasks": ".yml", "env": ".env", "scripts": "", "secrets": ""}
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
    """What was written.

    Attributes:
        root: the bundle's directory; its name is the bundle's id.
        ids: all concept ids.
        hub: the one that `HUB_CITATIONS` others cite.
        probes: Markdown assets to edit.
    """

    root: str
    ids: tuple[str, ...]
    hub: str
    probes: tuple[str, ...]

    @property
    def bundle(self) -> str:
        return os.path.basename(self.root)

    def path(self, concept_id: str) -> str:
        directory = concept_id.partition("/")[0]
        return os.path.join(self.root, *concept_id.split("/")) + _ENDS.get(directory, ".md")


def generate(root: str, count: int, seed: int = 42, *, write: bool = True) -> Generated:
    """Write ``count`` assets below ``root``, whose directory name is the bundle's id.

    Without ``write`` they are there already.
    """
    chance = random.Random(seed)
    ids = [_name(chance, number) for number in range(count)]
    ids[0] = "knowledge/the-hub"
    markdown = [name for name in ids if name.partition("/")[0] not in _NOT_MARKDOWN]
    probes = [name for name in markdown if name.startswith("knowledge/")][1:101]
    made = Generated(root, tuple(ids), ids[0], tuple(probes))
    if not write:
        return made
    citing = set(markdown[1 : HUB_CITATIONS + 1])
    for concept_id in ids:
        path = Path(made.path(concept_id))
        path.parent.mkdir(parents=True, exist_ok=True)
        text = _NOT_MARKDOWN.get(concept_id.partition("/")[0], _markdown)
        path.write_text(text(chance, made, concept_id, concept_id in citing), encoding="utf-8")
    return made


def _name(chance: random.Random, number: int) -> str:
    (directory,) = chance.choices(list(_SHARES), list(_SHARES.values()))
    middle = [chance.choice(_WORDS) for _ in range(chance.randint(0, 2))]
    accent = chance.choice(("-größe", "-ключ", "-目录", "-😀")) if number % 50 == 7 else ""
    end = ".sh" if directory == "scripts" else ""
    return "/".join((directory, *middle, f"{chance.choice(_WORDS)}{accent}-{number}{end}"))


def _prose(chance: random.Random, count: int) -> str:
    return " ".join(words(chance, count))


def _markdown(chance: random.Random, made: Generated, concept_id: str, cites_hub: bool) -> str:
    refs = [_ref(chance, made) for _ in range(REFS)]
    if cites_hub:
        refs[0] = f"{made.bundle}//{made.hub}"
    name = concept_id.rpartition("/")[2]
    accent = " ünïcode 😀" if chance.random() < 0.05 else ""
    return (
        f"---\nname: {name}\ndescription: {_prose(chance, 12)}\n"
        f"tags: [{chance.choice(_WORDS)}, {chance.choice(_WORDS)}]\nupdated: '2026-01-01'\n"
        f"xrefs:\n  - {chance.choice(made.ids)}\n---\n"
        f"# {_prose(chance, 3)}{accent}\n\n{_prose(chance, 38)} {refs[0]} and {refs[1]}.\n\n"
        f"## Section one\n\n{_prose(chance, 38)} `{refs[2]}` {refs[3]}\n\n"
        f"## Section two\n\n- {refs[4]}\n- {refs[5]}\n\n{_prose(chance, 38)}\n\n"
        f"```sh\necho {refs[6]}\n```\n\n"
        f"## Section three\n\n{_prose(chance, 38)} ({refs[7]}).\n"
    )


def _script(chance: random.Random, made: Generated, concept_id: str, cites_hub: bool) -> str:
    lines = "".join(f"echo {_prose(chance, 12)}\n" for _ in range(20))
    return f"#!/bin/sh\n# @description {_prose(chance, 10)}\nset -e\n{lines}"


def _task(chance: random.Random, made: Generated, concept_id: str, cites_hub: bool) -> str:
    name = concept_id.rpartition("/")[2]
    return (
        f"version: 2\nname: {name}\ndescription: {_prose(chance, 12)}\n"
        f'schedule: "15 3 * * *"\nenabled: true\ncommand: [sh, {_prose(chance, 200)!r}]\n'
    )


def _env(chance: random.Random, made: Generated, concept_id: str, cites_hub: bool) -> str:
    keys = (word.upper() for word in words(chance, 30))
    return "".join(f"{key}={_prose(chance, 6)!r}\n" for key in keys)


def _secret(chance: random.Random, made: Generated, concept_id: str, cites_hub: bool) -> str:
    return f"{chance.getrandbits(256):x}\n"


_NOT_MARKDOWN = {"scripts": _script, "tasks": _task, "env": _env, "secrets": _secret}


def _ref(chance: random.Random, made: Generated) -> str:
    if chance.random() < BROKEN:
        return f"{made.bundle}//knowledge/gone/{chance.choice(_WORDS)}-{chance.randint(0, 999)}"
    target = chance.choice(made.ids)
    fragments = target.partition("/")[0] not in _NOT_MARKDOWN and chance.random() < 0.3
    return f"{made.bundle}//{target}{'#section-two' if fragments else ''}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("--assets", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=42)
    options = parser.parse_args()
    generate(os.path.abspath(options.root), options.assets, options.seed)
