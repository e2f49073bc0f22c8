"""Models for tests: no files, no network, and what they were given."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from akm_ls.embedders.embedder import Document, EmbeddingCancelled, Watch


def direction(text: str, dims: int) -> Any:
    """A vector that depends on the words of a text."""
    vector = np.zeros(dims, dtype=np.float32)
    for word in text.lower().split():
        vector[zlib.crc32(word.encode()) % dims] += 1
    length = np.linalg.norm(vector)
    return vector / length if length else vector


class WordModel:
    """Hashes words; batches of ``batch`` documents. ``before`` runs ahead of every batch."""

    def __init__(
        self,
        name: str = "words",
        dims: int = 32,
        *,
        batch: int = 2,
        body_limit: int | None = None,
        before: Callable[[int], None] = lambda number: None,
    ) -> None:
        self.id = f"local:{name}|{dims}"
        self.dims = dims
        self.body_limit = body_limit
        self.batch = batch
        self.before = before
        self.documents: list[Document] = []

    @property
    def texts(self) -> list[str]:
        return [document.text for document in self.documents]

    def embed_documents(self, documents: Iterable[Document], watch: Watch) -> None:
        source = iter(documents)
        for number in itertools.count():
            if watch.cancelled():
                raise EmbeddingCancelled
            batch = list(itertools.islice(source, self.batch))
            if not batch:
                return
            self.before(number)
            self.documents += batch
            vectors = np.asarray([direction(document.text, self.dims) for document in batch])
            watch.on_batch([document.key for document in batch], vectors)

    def embed_query(self, text: str) -> Any:
        return direction(text, self.dims)
