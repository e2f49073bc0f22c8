"""Models that need no weights: words and their three-letter runs, hashed."""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from akm_ls.embedders.embedder import Document, Watch

_WORD = re.compile(r"[^\W_]+")
_BATCH = 100


class TrigramModel:
    """Texts that share words, or parts of words, lie close together."""

    dims = 1024
    body_limit = 400
    id = "local:trigrams|1024"

    def embed_documents(self, documents: Iterable[Document], watch: Watch) -> None:
        source = iter(documents)
        while batch := list(itertools.islice(source, _BATCH)):
            vectors = np.asarray([self.embed_query(document.text) for document in batch])
            watch.on_batch([document.key for document in batch], vectors)

    def embed_query(self, text: str) -> Any:
        vector = np.zeros(self.dims, dtype=np.float32)
        for word in set(_WORD.findall(text.lower())):
            if len(word) < 3:
                continue
            padded = f"<{word}>"
            runs = [padded[at : at + 3] for at in range(len(padded) - 2)]
            add(vector, f"word {word}", 1.0)
            for run in runs:
                add(vector, run, 1.0 / len(runs))
        length = float(np.linalg.norm(vector))
        return vector / np.float32(length) if length else vector


def add(vector: Any, feature: str, weight: float) -> None:
    code = zlib.crc32(feature.encode("utf-8"))
    vector[code % len(vector)] += weight if code & 1 << 20 else -weight


def named(name: str) -> Any:
    """``none``, ``trigrams``, or what `open_static_model` takes."""
    if name == "none":
        return None
    if name == "trigrams":
        return TrigramModel()
    from akm_ls.embedders.static_model import open_static_model

    return open_static_model(name)
