"""``akm-ls index --embed``: what is said while embeddings are computed, and after."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from akm_ls.cli.outcome import CommandError
from akm_ls.cli.terminal import complain, output
from akm_ls.counts import count

if TYPE_CHECKING:
    from akm_ls.index.embedding import LineKind
    from akm_ls.workspace import Workspace
    from akm_ls.workspace.semantic import EmbeddingOutcome


class Lines:
    """Takes the lines of a run. Called as ``(kind, text)``.

    On a terminal every batch rewrites one line. Elsewhere, and always with JSON, batches are
    silent; the start, the heartbeats and the end show that something happens. ``verbose``: every
    batch is a line on stderr, whatever the format.
    """

    def __init__(self, *, as_json: bool, verbose: bool = False) -> None:
        self._as_json = as_json
        self._verbose = verbose
        self._terminal = sys.stderr.isatty() and not as_json and not verbose
        self._shown = False

    def __call__(self, kind: LineKind, text: str) -> None:
        if kind == "batch" and not self._verbose:
            if self._terminal:
                sys.stderr.write(f"\r\x1b[K{text}")
                sys.stderr.flush()
                self._shown = True
            return
        self.clear()
        if kind == "done" and not self._as_json:
            output().line(text)
        else:
            complain(text)

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False


def embed(
    workspace: Workspace, asked: str, *, as_json: bool, verbose: bool = False
) -> EmbeddingOutcome:
    """Run the embedding pass; ``asked`` is the option that wanted it.

    A model that fails is said and does not end the command: the index is as good as before.

    Raises:
        CommandError: the index file cannot be used.
    """
    from akm_ls.index.store import StoreError

    lines = Lines(as_json=as_json, verbose=verbose)
    try:
        outcome = workspace.embed(reembed=asked == "--reembed", on_line=lines)
    except StoreError as error:
        raise CommandError(str(error)) from error
    finally:
        lines.clear()
    state = outcome.readiness
    if outcome.report is None and state.status == "off":
        complain(f"{asked}: {state.reason}, nothing to embed")
    elif state.status == "blocked":
        complain(f"semantic search is blocked: {state.reason}")
    elif state.status == "pending":
        complain(f"semantic search is not complete: {state.reason}")
    elif not as_json and outcome.report is not None and not outcome.report.pending:
        output().line(f"Embeddings are up to date: {count(state.embedded, 'asset')}.")
    return outcome


def outcome_json(outcome: EmbeddingOutcome) -> dict[str, object]:
    state, report = outcome.readiness, outcome.report
    return {
        "semanticStatus": state.status,
        "embedding": {
            "model": state.model,
            "stored": report.stored if report else 0,
            "failed": report.failed if report else 0,
            "truncated": report.truncated if report else 0,
            "missing": state.missing,
            "seconds": round(report.seconds, 3) if report else 0.0,
            "reason": state.reason,
        },
    }
