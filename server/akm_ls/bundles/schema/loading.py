"""Reading ``frontmatter.json``: once, when somebody first asks."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from typing import Any

from akm_ls.bundles.schema.model import (
    AssetPlace,
    DirectoryPlace,
    Key,
    Kind,
    NamePlace,
    Schema,
)

_FILE = os.path.join(os.path.dirname(__file__), "frontmatter.json")


@lru_cache(maxsize=1)
def load_schema() -> Schema:
    """The schema that comes with the package. A few milliseconds the first time."""
    with open(_FILE, encoding="utf-8") as file:
        data = json.load(file)
    lists = data["lists"]
    directories = {
        directory: DirectoryPlace(
            directory, tuple(place["kinds"]), _words(place["hosts"]), tuple(place.get("ends", ()))
        )
        for place in data["places"]
        for directory in place["in"]
    }
    return Schema(
        hosts=data["hosts"],
        kinds={name: _kind(name, kind, lists) for name, kind in data["kinds"].items()},
        directories=directories,
        names=tuple(
            NamePlace(tuple(place["ends"]), tuple(place["kinds"]), _words(place["hosts"]))
            for place in data["endings"]
        ),
        assets={
            name: AssetPlace(tuple(place["kinds"]), _words(place["hosts"]))
            for name, place in data["assets"].items()
        },
    )


def _kind(name: str, raw: dict[str, Any], lists: dict[str, list[str]]) -> Kind:
    return Kind(
        id=name,
        title=raw["title"],
        keys={key: _key(key, value, lists) for key, value in raw["keys"].items()},
        envelope=raw.get("envelope", False),
        open=raw.get("open", False),
        strict_for=raw.get("strict_for"),
        body_max=raw.get("body_max"),
        judged_by=raw.get("judged_by"),
    )


def _key(name: str, raw: dict[str, Any], lists: dict[str, list[str]]) -> Key:
    only_with = raw.get("only_with")
    return Key(
        name=name,
        types=tuple(_alternatives(raw["type"])),
        advice=raw["advice"],
        read_by=_words(raw.get("read_by", "")),
        required_by=_words(raw.get("required_by", "")),
        values=_values(raw.get("values", ()), lists),
        accepted=tuple(raw.get("accepted", ())),
        suggestions=_values(raw.get("suggest", ()), lists),
        minimum=raw.get("min"),
        maximum=raw.get("max"),
        pattern=raw.get("pattern"),
        pattern_says=raw.get("pattern_says", ""),
        default=raw.get("default"),
        only_with=None if only_with is None else (only_with[0], only_with[1]),
        replacement=raw.get("replacement"),
        subkeys=tuple(raw.get("subkeys", ())),
        judged_by=raw.get("judged_by"),
        on_wrong_type=raw.get("on_wrong_type", "warning"),
        on_wrong_value=raw.get("on_wrong_value", "warning"),
        managed=raw.get("managed", False),
        sure=raw.get("sure", "high"),
    )


def _alternatives(text: str) -> list[str]:
    """``string|list<string|map>`` at its outer bars only."""
    found, depth = [""], 0
    for char in text:
        depth += (char == "<") - (char == ">")
        if char == "|" and not depth:
            found.append("")
        else:
            found[-1] += char
    return found


def _values(raw: Any, lists: dict[str, list[str]]) -> tuple[str, ...]:
    return tuple(lists[raw] if isinstance(raw, str) else raw)


@lru_cache(maxsize=256)
def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())
