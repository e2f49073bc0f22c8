"""The golden bundle on disk, and what is asked of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from .models import TrigramModel, add
from .questions import Question

HERE = Path(__file__).parent / "golden"
BUNDLE = "golden"
RANKED = ("paraphrase", "cross", "homonym")


@dataclass(frozen=True, slots=True)
class Ask:
    """A question, and the concept ids that go with it in its family's sense."""

    query: str
    concept_ids: tuple[str, ...]


def write(root: Path) -> Path:
    """The bundle's directory below ``root``."""
    bundle = root / BUNDLE
    (bundle / ".stash").mkdir(parents=True)
    for rel, description, body, *more in yaml.safe_load((HERE / "assets.yaml").read_text("utf-8")):
        path = bundle / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        fields = {"description": description, **(more[0] if more else {})} if description else {}
        block = f"---\n{yaml.safe_dump(fields)}---\n\n" if fields else ""
        path.write_text(f"{block}{body}\n", encoding="utf-8")
    return bundle


def asks() -> dict[str, list[Ask]]:
    data = yaml.safe_load((HERE / "questions.yaml").read_text("utf-8"))
    return {
        family: [Ask(query, tuple(ids)) for query, *ids in items] for family, items in data.items()
    }


def questions() -> list[Question]:
    """Those that are measured rather than checked one by one."""
    return [
        Question(family, ask.query, (frozenset({f"{BUNDLE}//{ask.concept_ids[0]}"}),))
        for family, items in asks().items()
        if family in RANKED
        for ask in items
    ]


class MeaningModel(TrigramModel):
    """Trigrams, and words of one meaning besides: what weights would know, written down."""

    id = "local:meanings|1024"

    def __init__(self) -> None:
        lines = (HERE / "meanings.txt").read_text("utf-8").splitlines()
        self._meanings = {word: at for at, line in enumerate(lines) for word in line.split()}

    def embed_query(self, text: str) -> Any:
        vector = super().embed_query(text)
        for word in set(text.lower().replace(".", " ").replace(",", " ").split()):
            if word in self._meanings:
                add(vector, f"meaning {self._meanings[word]}", 0.5)
        length = float(np.linalg.norm(vector))
        return vector / np.float32(length) if length else vector
