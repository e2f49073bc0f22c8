"""Making a pack fit its budget: what is cut first, what last, and when to give up."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from akm_ls.search.context_pack.evidence import Evidence
from akm_ls.search.context_pack.pack import ContextPack, tokens_of
from akm_ls.search.context_pack.request import PackError

SHORT_PREVIEW = 180
SHORT_QUOTE = 120
_Item = TypeVar("_Item")


def fit(pack: ContextPack) -> ContextPack:
    """The pack within its budget: the longest previews are cut first, then the longest quotes,
    then details go, then the weakest evidence, then next actions. One warning names each kind
    of cut.

    Raises:
        PackError: even one short piece of evidence does not fit.
    """
    smallest, needed, sizes = pack, 0, _Sizes()
    for cuts, candidate in _smaller(pack):
        noted = tuple(f"{name}:{count}" for name, count in cuts.items())
        smallest = replace(candidate, warnings=(*pack.warnings, *noted))
        needed = sizes.tokens(smallest)
        if needed <= pack.request.max_tokens:
            return smallest
    raise PackError(
        f"The smallest pack takes {needed} tokens, and {pack.request.max_tokens} are allowed: "
        "increase --max-tokens (maxTokens).",
        needed,
        (*smallest.warnings, "token_budget_floor"),
    )


class _Sizes:
    """Measures packs that share most of their items: each of these is written once."""

    def __init__(self) -> None:
        self._items: dict[tuple[int, bool], tuple[object, int]] = {}

    def tokens(self, pack: ContextPack) -> int:
        """What ``budgets.estimated_tokens`` of the pack's JSON will be."""
        length = len(json.dumps(pack.without_items()))
        length += self._listed(pack.citations, pack.citation_json, pack.detailed)
        length += self._listed(pack.evidence, pack.evidence_json, pack.detailed)
        return tokens_of(length)

    def _listed(
        self, items: tuple[_Item, ...], to_json: Callable[[_Item], dict[str, Any]], detailed: bool
    ) -> int:
        """The characters of some items, with what stands between them."""
        total = max(0, len(items) - 1) * len(", ")
        for item in items:
            key = id(item), detailed
            if key not in self._items:
                # The item is kept, so that no other one gets its id.
                self._items[key] = item, len(json.dumps(to_json(item)))
            total += self._items[key][1]
        return total


def _smaller(pack: ContextPack) -> Iterator[tuple[dict[str, int], ContextPack]]:
    """The pack, and ever smaller ones, with the cuts made so far."""
    cuts: dict[str, int] = {}

    def count(name: str) -> dict[str, int]:
        cuts[name] = cuts.get(name, 0) + 1
        return cuts

    yield cuts, pack
    while (index := _longest([len(item.preview) for item in pack.evidence], SHORT_PREVIEW)) >= 0:
        pack = _with(pack, index, pack.evidence[index].cut(SHORT_PREVIEW))
        yield count("previews_shortened"), pack
    while (
        index := _longest([len(item.citation.quote) for item in pack.evidence], SHORT_QUOTE)
    ) >= 0:
        item = pack.evidence[index]
        pack = _with(pack, index, replace(item, citation=item.citation.cut(SHORT_QUOTE)))
        yield count("quotes_shortened"), pack
    pack = replace(pack, detailed=False)
    yield count("details_dropped"), pack
    while len(pack.evidence) > 1:
        pack = replace(pack, evidence=pack.evidence[:-1])
        yield count("evidence_dropped"), pack
    while len(pack.next_actions) > 1:
        pack = replace(pack, next_actions=pack.next_actions[:-1])
        yield count("next_actions_dropped"), pack


def _longest(lengths: list[int], limit: int) -> int:
    """Where the longest one above ``limit`` is, the last among equals; -1: there is none."""
    longest = max(lengths, default=0)
    return -1 if longest <= limit else len(lengths) - 1 - lengths[::-1].index(longest)


def _with(pack: ContextPack, index: int, item: Evidence) -> ContextPack:
    evidence = pack.evidence
    return replace(pack, evidence=(*evidence[:index], item, *evidence[index + 1 :]))
