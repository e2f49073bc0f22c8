"""Cutting texts and grouping them into requests (akm.md §9.6). All tokens are estimates."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from akm_ls.embedders.embedder import Document

CHARS_PER_TOKEN = 4
BUDGET_SHRINK = 0.75


def estimated_tokens(text: str) -> int:
    """How many tokens a text probably has; dense technical text has up to half as many again."""
    return math.ceil(len(text) / CHARS_PER_TOKEN)


def capped(text: str, max_tokens: int) -> tuple[str, bool]:
    """The head of a text that is estimated at ``max_tokens``, and whether something was cut off.

    The cut is between characters, and never before a combining mark or inside a joined sequence.
    """
    limit = max_tokens * CHARS_PER_TOKEN
    if len(text) <= limit:
        return text, False
    end = limit
    while end > 0 and limit - end < 32 and _continues(text[end], text[end - 1]):
        end -= 1
    return text[: end or limit].rstrip(), True


def _continues(char: str, before: str) -> bool:
    """Whether ``char`` belongs to the character that a reader sees before it."""
    if char < "\u0300":
        return False
    import unicodedata

    joiner = "\u200d"
    return (
        char == joiner
        or before == joiner
        or unicodedata.category(char) in ("Mn", "Mc", "Me")
        or "\U0001f3fb" <= char <= "\U0001f3ff"
    )


def scaled_timeout(timeout_ms: int, tokens: int, budget: int) -> float:
    """Seconds a request may take: the full time for a full one, and never less than 30."""
    return min(max(timeout_ms * tokens / budget, 30_000), timeout_ms) / 1000


@dataclass(frozen=True, slots=True)
class Batch:
    """The documents of one request."""

    documents: tuple[Document, ...]

    @property
    def tokens(self) -> int:
        return sum(estimated_tokens(document.text) for document in self.documents)

    @property
    def keys(self) -> tuple[int, ...]:
        return tuple(document.key for document in self.documents)

    @property
    def texts(self) -> list[str]:
        return [document.text for document in self.documents]

    def halves(self) -> tuple[Batch, Batch]:
        middle = len(self.documents) // 2
        return Batch(self.documents[:middle]), Batch(self.documents[middle:])


class Batcher:
    """Takes documents as batches of at most ``budget`` tokens and ``max_documents`` documents.

    It plans one batch at a time, so that a smaller budget counts for everything not yet taken.
    """

    def __init__(
        self, documents: Iterable[Document], budget: int, max_documents: int, max_input: int
    ) -> None:
        self.budget = budget
        self._source = iter(documents)
        self._max_documents = max_documents
        self._floor = 2 * max_input
        self._held: Document | None = None
        self._shrunk = False
        self._closed = False

    def take(self) -> Batch | None:
        """The next batch. One document above the budget is a batch of its own; ``None``: done."""
        taken: list[Document] = []
        tokens = 0
        while len(taken) < self._max_documents and not self._closed:
            document = self._held if self._held is not None else next(self._source, None)
            self._held = None
            if document is None:
                break
            size = estimated_tokens(document.text)
            if taken and tokens + size > self.budget:
                self._held = document
                break
            taken.append(document)
            tokens += size
        return Batch(tuple(taken)) if taken else None

    def shrink(self) -> int | None:
        """Three quarters of the budget, at least two full documents, once; the new budget."""
        if self._shrunk:
            return None
        self._shrunk = True
        smaller = max(int(self.budget * BUDGET_SHRINK), self._floor)
        if smaller >= self.budget:
            return None
        self.budget = smaller
        return smaller

    def close(self) -> None:
        """Give no more batches."""
        self._closed = True
        self._held = None
