"""Whether semantic search can be used, and what is in the way."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from akm_ls.counts import count

if TYPE_CHECKING:
    import apsw

Status = Literal["off", "pending", "ready", "blocked"]

NO_MODEL = "no embedding model configured"
SWITCHED_OFF = "akm.semantic.mode is off"
_MODEL_KEY = "embedding_model"
_PROBLEM_KEY = "embedding_problem "


@dataclass(frozen=True, slots=True)
class Readiness:
    """The state of semantic search. ``embedded`` and ``missing`` count entries; ``reason`` is one
    line, ``None`` when it is ready."""

    status: Status
    model: str | None
    embedded: int
    missing: int
    reason: str | None

    @property
    def is_usable(self) -> bool:
        """Whether there is something to search in: a model, and at least one vector of it."""
        return self.status != "off" and self.embedded > 0


def readiness(
    model: str | None,
    rows: Mapping[str, int],
    embeddable: int,
    *,
    is_off: bool = False,
    unusable: str | None = None,
    problem: str | None = None,
) -> Readiness:
    """The state that follows from settings, rows and the last run.

    Args:
        model: the configured model's fingerprint; ``None``: there is none.
        rows: how many entries have a vector, by model.
        embeddable: how many entries may have one.
        is_off: semantic search is switched off.
        unusable: why the configured model cannot be used at all.
        problem: why the last run with this model ended early.
    """
    if is_off:
        return Readiness("off", None, 0, 0, SWITCHED_OFF)
    if unusable is not None:
        return Readiness("blocked", model, rows.get(model or "", 0), 0, unusable)
    if model is None:
        return Readiness("off", None, 0, 0, NO_MODEL)
    embedded = min(rows.get(model, 0), embeddable)
    missing = embeddable - embedded
    if not missing:
        return Readiness("ready", model, embedded, 0, None)
    if problem is not None:
        return Readiness("blocked", model, embedded, missing, problem)
    share = f"{missing:,} of {count(embeddable, 'asset')}"
    reason = f"{share} without a vector of {model} (akm-ls index --embed)"
    return Readiness("pending", model, embedded, missing, reason)


# What runs leave behind for it, in the index file.


def note_model(connection: apsw.Connection, model: str) -> None:
    """A run with this model begins; before its first request."""
    connection.execute("REPLACE INTO meta VALUES (?, ?)", (_MODEL_KEY, model))


def noted_model(connection: apsw.Connection) -> str | None:
    """The model of the last run of any workspace."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (_MODEL_KEY,)).fetchone()
    return None if row is None else str(row[0])


def note_problem(connection: apsw.Connection, model: str, problem: str) -> None:
    connection.execute(
        "REPLACE INTO meta VALUES (?, json_array(?, ?))",
        (_PROBLEM_KEY + model, problem, time.time()),
    )


def forget_problem(connection: apsw.Connection, model: str) -> None:
    connection.execute("DELETE FROM meta WHERE key = ?", (_PROBLEM_KEY + model,))


def noted_problem(connection: apsw.Connection, model: str) -> str | None:
    """Why the last run with this model ended early, if it did."""
    row = connection.execute(
        "SELECT json_extract(value, '$[0]') FROM meta WHERE key = ?", (_PROBLEM_KEY + model,)
    ).fetchone()
    return None if row is None else str(row[0])
