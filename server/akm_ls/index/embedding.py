"""The embedding pass: every entry without a vector of the configured model gets one.

The model in a vector's row is the pass's cursor: what has a row of another model is embedded
anew, one batch and one short transaction at a time, and nothing is removed before. A run that is
interrupted leaves what it has done; several processes may run at once, and the later row wins.

A text is made of its file again, since the index does not keep it, and only of a file whose
content is still the indexed one. `fields` decides what of an asset is text, and which assets
are never given to a model.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from akm_ls.counts import count
from akm_ls.embedders.batching import capped, estimated_tokens
from akm_ls.embedders.embedder import (
    Document,
    Embedder,
    EmbeddingCancelled,
    EmbeddingError,
    Skip,
    Watch,
)
from akm_ls.index.breaker import Breaker
from akm_ls.index.bundle_keys import identities, known_keys
from akm_ls.index.database import Database, StoreError
from akm_ls.index.fields import EMBEDDED, SearchFields, search_text
from akm_ls.index.scan import FileToRead
from akm_ls.index.semantic_status import forget_problem, note_model, note_problem
from akm_ls.index.vectors import delete_vectors, put_vectors, stored_dims
from akm_ls.index.workers import read_files

if TYPE_CHECKING:
    import apsw
    import numpy as np
    from numpy.typing import NDArray

    from akm_ls.bundles.bundle import Bundle, BundleSet

logger = logging.getLogger(__name__)

GROUP_ENTRIES = 2000
"""Texts of so many entries are made at once; reading processes are worth starting for them."""
_REMOTE_GROUP_ENTRIES = 64

LineKind = Literal["start", "batch", "wait", "notice", "done"]


class EmbeddingRefused(StoreError):
    """The pass was called where it could not commit what it does."""


@dataclass(frozen=True, slots=True)
class EmbeddingReport:
    """What a run did. The counts are of entries, ``tokens`` are estimated, of what was sent.

    ``missing`` entries have no vector of the model after the run. ``problem`` is why it ended
    early, one line; a run that was ``cancelled`` has none.
    """

    model: str
    pending: int = 0
    stored: int = 0
    failed: int = 0
    truncated: int = 0
    missing: int = 0
    tokens: int = 0
    seconds: float = 0.0
    problem: str | None = None
    cancelled: bool = False


class _Pending(NamedTuple):
    """An entry to embed, and the file it was made of."""

    id: int
    bundle_key: int
    embed_hash: str
    content_hash: str
    file: FileToRead


def _say_nothing(kind: LineKind, text: str) -> None:
    return None


def _no_progress(done: int, total: int) -> None:
    return None


def _never() -> bool:
    return False


def run_embedding(
    store_path: str,
    bundles: BundleSet,
    embedder: Embedder,
    *,
    max_input_tokens: int = 512,
    reembed: bool = False,
    only: str | None = None,
    workers: int | None = None,
    on_line: Callable[[LineKind, str], None] = _say_nothing,
    on_progress: Callable[[int, int], None] = _no_progress,
    cancelled: Callable[[], bool] = _never,
) -> EmbeddingReport:
    """Embed what has no vector of the embedder's model. Runs in any thread without an event loop.

    A model that fails does not make this raise: the report says why it ended.

    Args:
        max_input_tokens: a longer text is embedded on its head.
        reembed: first discard every vector of the bundles; nothing else ever does.
        only: one bundle's id.
        workers: reading processes for a local model; see `read_files`.
        on_line: what a person wants to see: a line and what it is about.
        on_progress: entries stored, and all that had no vector.
        cancelled: asked often. What has been stored stays; the next run goes on.

    Raises:
        StoreError: the index file cannot be used.
    """
    database = Database(store_path)
    try:
        return embed_missing(
            database,
            bundles,
            embedder,
            max_input_tokens=max_input_tokens,
            reembed=reembed,
            only=only,
            workers=workers,
            on_line=on_line,
            on_progress=on_progress,
            cancelled=cancelled,
        )
    finally:
        database.close()


def embed_missing(
    database: Database,
    bundles: BundleSet,
    embedder: Embedder,
    *,
    max_input_tokens: int = 512,
    reembed: bool = False,
    only: str | None = None,
    workers: int | None = None,
    on_line: Callable[[LineKind, str], None] = _say_nothing,
    on_progress: Callable[[int, int], None] = _no_progress,
    cancelled: Callable[[], bool] = _never,
) -> EmbeddingReport:
    """`run_embedding` on an open connection.

    Raises:
        EmbeddingRefused: the connection has a transaction open: a batch would only be a part of
            that, and lost with it.
        StoreError: the index file cannot be used.
    """
    if database.connection.in_transaction:
        raise EmbeddingRefused(
            "Embedding was called inside an open transaction, where no batch can be committed."
        )
    run = _Run(database, bundles, embedder, max_input_tokens, only, workers)
    run.on_line, run.on_progress, run.cancelled = on_line, on_progress, cancelled
    return run.run(reembed=reembed)


class _Run:
    def __init__(
        self,
        database: Database,
        bundles: BundleSet,
        embedder: Embedder,
        max_input_tokens: int,
        only: str | None,
        workers: int | None,
    ) -> None:
        self.on_line: Callable[[LineKind, str], None] = _say_nothing
        self.on_progress: Callable[[int, int], None] = _no_progress
        self.cancelled: Callable[[], bool] = _never
        self._database = database
        self._embedder = embedder
        self._model = embedder.id
        self._max_input_tokens = max_input_tokens
        self._workers = workers
        wanted = identities(bundles)
        keys = database.run(lambda connection: known_keys(connection, wanted))
        self._bundles: dict[int, Bundle] = {
            keys[bundle.id]: bundle
            for bundle in bundles
            if bundle.id in keys and only in (None, bundle.id)
        }
        self._keys = json.dumps(list(self._bundles))
        self._dims = database.run(
            lambda connection: stored_dims(connection, self._model, self._bundles)
        )
        self._breaker = Breaker()
        self._sent: dict[int, tuple[str, int]] = {}
        """Hash and estimated tokens of what is on its way, by entry."""
        self._total = self._stored = self._failed = self._truncated = self._tokens = 0
        self._last_reason = ""

    def run(self, *, reembed: bool) -> EmbeddingReport:
        self._database.write(lambda connection: note_model(connection, self._model))
        if reembed:
            self._database.write(lambda connection: delete_vectors(connection, self._bundles))
            self._dims = None
        pending = self._database.run(self._pending)
        self._total = len(pending)
        started = time.perf_counter()
        problem, was_cancelled = None, False
        if pending:
            entries = count(self._total, "entry", "entries")
            self.on_line("start", f"Generating embeddings for {entries}.")
            problem, was_cancelled = self._embed(pending)
        seconds = time.perf_counter() - started
        self._report(seconds)
        if problem is None and not was_cancelled and self._failed and not self._stored:
            problem = f"no entry could be embedded (last: {self._last_reason})"
        self._remember(problem, was_cancelled)
        missing = self._database.run(self._count_missing)
        return EmbeddingReport(
            model=self._model,
            pending=self._total,
            stored=self._stored,
            failed=self._failed,
            truncated=self._truncated,
            missing=missing,
            tokens=self._tokens,
            seconds=seconds,
            problem=problem,
            cancelled=was_cancelled,
        )

    def _embed(self, pending: Sequence[_Pending]) -> tuple[str | None, bool]:
        """Why it ended early, and whether the caller wanted that."""
        watch = Watch(
            self._store,
            self._skip,
            self._wait,
            lambda text: self.on_line("notice", text),
            self.cancelled,
        )
        try:
            self._embedder.embed_documents(self._documents(pending), watch)
        except EmbeddingCancelled:
            return None, True
        except EmbeddingError as error:
            return str(error), False
        if self._breaker.is_open:
            return self._breaker.message(self._stored), False
        return None, False

    # What is missing.

    def _pending(self, connection: apsw.Connection) -> list[_Pending]:
        return [
            _Pending(entry_id, key, embed_hash, content_hash, FileToRead(*file))
            for entry_id, key, embed_hash, content_hash, *file in connection.execute(
                "SELECT e.id, e.bundle_key, e.embed_hash, f.content_hash,"
                " f.rel, f.size, f.mtime_ns, f.racy"
                " FROM entries AS e JOIN files AS f"
                f" ON f.bundle_key = e.bundle_key AND f.rel = e.rel {_MISSING}"
                " ORDER BY e.bundle_key, e.rel",
                (self._model, self._keys),
            )
        ]

    def _count_missing(self, connection: apsw.Connection) -> int:
        (count,) = connection.execute(
            f"SELECT count(*) FROM entries AS e {_MISSING}", (self._model, self._keys)
        ).fetchone() or (0,)
        return int(count)

    def _still_missing(self, group: Sequence[_Pending]) -> list[_Pending]:
        """Without those that another process has embedded meanwhile, or written anew."""
        ids = json.dumps([item.id for item in group])
        left = self._database.run(
            lambda connection: dict(
                connection.execute(
                    f"SELECT e.id, e.embed_hash FROM entries AS e {_MISSING}"
                    " AND e.id IN (SELECT value FROM json_each(?))",
                    (self._model, self._keys, ids),
                )
            )
        )
        return [item for item in group if left.get(item.id) == item.embed_hash]

    # Texts.

    def _documents(self, pending: Sequence[_Pending]) -> Iterator[Document]:
        """Texts to embed, made a few at a time as they are asked for."""
        is_local = self._embedder.body_limit is not None
        step = GROUP_ENTRIES if is_local else _REMOTE_GROUP_ENTRIES
        keys = list(self._bundles)
        bundles = [self._bundles[key] for key in keys]
        for start in range(0, len(pending), step):
            if self.cancelled():
                return
            group = self._still_missing(pending[start : start + step])
            wanted = {(item.bundle_key, item.file.rel): item for item in group}
            jobs = [
                (number, [item.file for item in group if item.bundle_key == key])
                for number, key in enumerate(keys)
            ]
            batches = read_files(
                bundles,
                jobs,
                workers=self._workers if is_local else 0,
                for_model=True,
                cancelled=self.cancelled,
            )
            try:
                for number, files in batches:
                    for file in files:
                        item = wanted[(keys[number], file.rel)]
                        # Another content than the indexed one: the next index run comes first.
                        if file.entry is not None and file.content_hash == item.content_hash:
                            document = self._document(item, SearchFields(*file.entry.fields))
                            if document is not None:
                                yield document
            finally:
                batches.close()

    def _document(self, item: _Pending, fields: SearchFields) -> Document | None:
        whole = search_text(fields, self._embedder.body_limit)
        text, was_cut = capped(whole, self._max_input_tokens)
        if not text.strip():
            return None
        self._truncated += was_cut
        self._sent[item.id] = (item.embed_hash, estimated_tokens(text))
        return Document(item.id, text)

    # What comes back.

    def _store(self, ids: Sequence[int], vectors: NDArray[np.float32]) -> None:
        self._check_dims(int(vectors.shape[1]))
        targets = [(entry_id, self._sent[entry_id][0]) for entry_id in ids]
        stored = self._database.write(
            lambda connection: put_vectors(connection, self._model, targets, vectors)
        )
        self._breaker.succeeded()
        self._stored += stored
        self._tokens += sum(self._sent.pop(entry_id)[1] for entry_id in ids)
        self.on_line("batch", f"Embedded {self._stored}/{self._total} entries.")
        self.on_progress(self._stored, self._total)

    def _check_dims(self, dims: int) -> None:
        if self._dims is not None and dims != self._dims:
            raise EmbeddingError(
                f"the model answers with vectors of {count(dims, 'number')}, and those in the index"
                f" have {self._dims}: akm-ls index --reembed discards these"
            )

    def _skip(self, skip: Skip) -> bool:
        self._failed += skip.size
        self._last_reason = skip.reason
        for entry_id in skip.keys:
            self._sent.pop(entry_id, None)
        what = count(skip.size, "entry", "entries")
        logger.warning("Embedding %s failed (%s): %s", what, skip.kind, skip.reason)
        self._breaker.failed(skip)
        return not self._breaker.is_open

    def _wait(self) -> None:
        self.on_line(
            "wait",
            f"Still generating embeddings: {self._stored}/{self._total} stored,"
            f" {self._failed} failed; waiting on embedding provider.",
        )

    # The end.

    def _report(self, seconds: float) -> None:
        if self._truncated:
            head = count(self._max_input_tokens, "token")
            entries = count(self._truncated, "entry", "entries")
            self.on_line("notice", f"Embedded only the first {head} of {entries}.")
        if self._total:
            rate = max(seconds, 1e-3)
            self.on_line(
                "done",
                f"Stored {self._stored} embeddings in {seconds:.1f}s"
                f" ({self._stored / rate:.1f} entries/s, ~{self._tokens / rate:.0f} tokens/s).",
            )

    def _remember(self, problem: str | None, was_cancelled: bool) -> None:
        if problem is not None:
            logger.warning("Embedding stopped: %s", problem)
            self._database.write(lambda connection: note_problem(connection, self._model, problem))
        elif not was_cancelled:
            self._database.write(lambda connection: forget_problem(connection, self._model))


_MISSING = (
    "LEFT JOIN embeddings AS v ON v.entry_id = e.id AND v.model = ?"
    " WHERE v.entry_id IS NULL AND e.bundle_key IN (SELECT value FROM json_each(?))"
    f" AND {EMBEDDED}"
)
"""What of ``entries AS e`` has no vector of a model, in some bundles."""
