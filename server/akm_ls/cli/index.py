"""``akm-ls index``: build or refresh the index."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from akm_ls.cli.json_output import SCHEMA_VERSION, write_json
from akm_ls.cli.library import open_workspace, refresh, require_bundles
from akm_ls.cli.outcome import CLEAN, INTERRUPTED
from akm_ls.cli.terminal import complain, output
from akm_ls.counts import count

if TYPE_CHECKING:
    from akm_ls.index.indexer import IndexReport
    from akm_ls.workspace import Workspace


def run(options: Namespace) -> int:
    with open_workspace(options, options.paths) as workspace:
        require_bundles(workspace)
        report = refresh(
            workspace,
            full=options.full,
            clean=options.clean,
            skip_if_locked=options.skip_if_locked,
            load=False,
        )
        if options.format == "text":
            _print(report)
        semantic = _embed(workspace, options, report)
        if options.format == "json":
            write_json({**report_json(report), **semantic})
    return INTERRUPTED if report.cancelled else CLEAN


def _embed(workspace: Workspace, options: Namespace, report: IndexReport) -> dict[str, object]:
    """Compute embeddings if that was asked for; what there is to say of it in JSON."""
    asked = "--reembed" if options.reembed else "--embed" if options.embed else None
    if asked is None or report.skipped_locked or report.cancelled:
        return {}
    from akm_ls.cli.embedding import embed, outcome_json

    outcome = embed(workspace, asked, as_json=options.format == "json", verbose=options.verbose)
    return outcome_json(outcome)


def report_json(report: IndexReport) -> dict[str, object]:
    return {
        "schemaVersion": SCHEMA_VERSION,
        "mode": report.mode,
        "bundles": report.bundles,
        "files": report.files,
        "added": report.added,
        "changed": report.changed,
        "removed": report.removed,
        "unchanged": report.unchanged,
        "entries": report.entries,
        "seconds": round(report.seconds, 3),
        "skippedLocked": report.skipped_locked,
        "cancelled": report.cancelled,
        "warnings": list(report.warnings),
    }


def _print(report: IndexReport) -> None:
    out = output()
    for warning in report.warnings:
        complain(f"warning: {warning}")
    if report.skipped_locked:
        out.line("Another process is indexing: nothing done.")
        return
    changes = ", ".join(
        f"{number:,} {what}"
        for number, what in (
            (report.added, "added"),
            (report.changed, "changed"),
            (report.removed, "removed"),
            (report.unchanged, "unchanged"),
        )
        if number
    )
    out.line(
        (f"Indexed {count(report.entries, 'asset')}", "bold"),
        f" in {count(report.bundles, 'bundle')} from {count(report.files, 'file')}"
        f" in {report.seconds:.2f} s",
        f": {changes}." if changes else ".",
    )
