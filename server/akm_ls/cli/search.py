"""``akm-ls search``: what in the library answers a query."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from akm_ls.cli.json_output import write_json
from akm_ls.cli.library import open_workspace, refresh_to_ask, require_bundles
from akm_ls.cli.outcome import CLEAN, NOTHING_FOUND, CommandError
from akm_ls.cli.terminal import Printer, complain, output, printable, wrapped
from akm_ls.counts import count


def run(options: Namespace) -> int:
    """Print the hits, best first. Exit code 1 when there are none."""
    _check_type(options.type)
    with open_workspace(options) as workspace:
        require_bundles(workspace)
        if options.bundle is not None and workspace.bundles.get(options.bundle) is None:
            known = ", ".join(sorted(workspace.bundles.ids))
            raise CommandError(f"--bundle {options.bundle}: no such bundle; there is {known}")
        refresh_to_ask(workspace)
        from dataclasses import replace

        from akm_ls.search.project import project_words

        result = workspace.search(
            replace(
                workspace.search_defaults,
                query=" ".join(options.query),
                type=options.type,
                bundle=options.bundle,
                limit=options.limit,
                detail=options.detail,
                mode=options.mode,
                project=project_words([os.getcwd()]),
            )
        ).to_json()
    if options.format == "json":
        write_json(result)
    else:
        _print(output(), result)
    return CLEAN if result["hits"] else NOTHING_FOUND


def _check_type(name: str | None) -> None:
    from akm_ls.bundles.asset_types import TYPE_BY_NAME

    if name is not None and name not in TYPE_BY_NAME:
        complain(f"--type {name}: akm has no such asset type ({', '.join(sorted(TYPE_BY_NAME))})")


def _print(out: Printer, result: Mapping[str, Any]) -> None:
    hits = result["hits"]
    for number, hit in enumerate(hits, 1):
        _print_hit(out, number, hit, len(str(len(hits))))
    if hits:
        out.line()
        shown = "" if result["total"] == len(hits) else f", {len(hits)} shown"
        out.line((f"{count(result['total'], 'hit')}{shown}.", "dim"))
    else:
        out.line(f"Nothing found for {printable(result['query'])!r}.")
    for item in result.get("corrections", ()):
        line = f'Nothing has "{item["from"]}": searched for "{item["to"]}".'
        out.line((printable(line), "dim"))
    for item in result.get("degraded", ()):
        if item["lane"] == "semantic":
            out.line((printable(_words_only(item["reason"], result["semantic"])), "dim"))
    for line in (result.get("tip"), *result.get("warnings", ())):
        if line:
            out.line((printable(line), "dim"))


def _words_only(reason: str, semantic: Mapping[str, Any]) -> str:
    """Why the meaning that was asked for had no part in the answer, and what to do about it."""
    from akm_ls.index.semantic_status import NO_MODEL

    advice = ""
    if reason == NO_MODEL:
        advice = (
            " Name one as `embedding` in akm's config.json, then run `akm-ls index --embed`"
            " (docs/embeddings.md)."
        )
    elif semantic["status"] == "blocked":
        advice = " `akm-ls doctor` says what is known of it."
    return f"Searched by words, not by meaning: {reason}.{advice}"


def _print_hit(out: Printer, number: int, hit: Mapping[str, Any], digits: int) -> None:
    indent = " " * (digits + 2)
    out.line(
        (f"{number:>{digits}}. ", "dim"),
        (printable(hit["ref"]), "bold cyan"),
        (f"  {printable(hit['type'])}", "magenta"),
    )
    # An asset that says nothing of itself is known by what it was found for.
    citation = hit.get("citation") or {}
    said = hit.get("description") or " ".join(citation.get("text", "").split())
    for line in wrapped(said, out.width, indent):
        out.line(line)
    why = ", ".join(hit.get("whyMatched") or ())
    if why:
        out.line((f"{indent}why: {printable(why)}", "dim"))
