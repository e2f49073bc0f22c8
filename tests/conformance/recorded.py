"""What akm 0.9.0 answered about the example bundles."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EXPECTED = Path(__file__).parent / "expected"

RUNS = {
    "ab": ("alpha", "beta"),
    "wiki": ("wiki",),
    "okf": ("okf",),
    "dot": ("dot",),
    "claudeb": ("claudeb",),
}
"""The recorded runs and the bundles of each; the first is the default bundle."""

BUNDLES = tuple(bundle for bundles in RUNS.values() for bundle in bundles)


def load(name: str) -> Any:
    return json.loads((EXPECTED / name).read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Row:
    """One index row."""

    ref: str
    type: str
    file: str
    adapter: str


def rows() -> dict[str, Row]:
    """The recorded index rows of all bundles, by file (``alpha/knowledge/x.md``)."""
    found = [Row(**row) for run in RUNS for row in load(f"_entries-{run}.json")]
    return {row.file: row for row in found}


def files() -> dict[str, dict[str, Any]]:
    """Every file of every bundle with the recorded verdict on what akm did with it."""
    return {
        f"{bundle}/{rel}": record
        for bundle in BUNDLES
        for rel, record in load(f"{bundle}.json").items()
    }


def hits() -> dict[str, dict[str, Any]]:
    """What search and show said of an asset, by full ref: name, description, tags and so on."""
    found: dict[str, dict[str, Any]] = {}
    for probe in load("_search-probes.json"):
        for hit in probe["out"].get("hits", ()):
            found.setdefault(_full(hit["ref"]), {}).update(hit)
    for probe in load("_show-probes.json"):
        shown = probe["out"]
        if probe["rc"] == 0 and _full(shown["ref"]) in found:
            known = found[_full(shown["ref"])]
            known.update({key: shown[key] for key in ("parameters", "keys") if key in shown})
    return found


def _full(ref: str) -> str:
    return ref if "//" in ref else f"alpha//{ref}"
