"""``akm-ls commands``: what does the thing that the query says."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from akm_ls.cli.json_output import write_json
from akm_ls.cli.library import open_workspace, refresh_to_ask
from akm_ls.cli.outcome import CLEAN, NOTHING_FOUND, CommandError
from akm_ls.cli.terminal import Printer, output, printable, wrapped
from akm_ls.counts import count


def run(options: Namespace) -> int:
    """Print the commands, best first. Exit code 1 when there are none."""
    with open_workspace(options) as workspace:
        if options.bundle is not None and workspace.bundles.get(options.bundle) is None:
            known = ", ".join(sorted(workspace.bundles.ids)) or "none"
            raise CommandError(f"--bundle {options.bundle}: no such bundle; there is {known}")
        # Without a bundle there still are the commands of akm-ls itself.
        if len(workspace.bundles):
            refresh_to_ask(workspace)
        from akm_ls.search.commands import FindRequest
        from akm_ls.search.commands.document import EFFECTS

        request = FindRequest(
            query=" ".join(options.query),
            limit=options.limit,
            scope=options.scope,
            effects=frozenset(options.effect or EFFECTS),
            bundle=options.bundle,
        )
        result = workspace.commands.find(workspace.library(), request).to_json()
    if options.format == "json":
        write_json(result)
    else:
        _print(output(), result)
    return CLEAN if result["hits"] else NOTHING_FOUND


def _print(out: Printer, result: Mapping[str, Any]) -> None:
    hits = result["hits"]
    digits = len(str(len(hits)))
    indent = " " * (digits + 2)
    for number, hit in enumerate(hits, 1):
        out.line(
            (f"{number:>{digits}}. ", "dim"),
            (printable(hit["key"]), "bold cyan"),
            (f"  {printable(hit['kind'])}", "magenta"),
            (f"  {hit['effect']}", "dim" if hit["effect"] == "read" else "yellow"),
        )
        for line in wrapped(hit["description"], out.width, indent):
            out.line(line)
        if hit.get("cli"):
            out.line((f"{indent}run: {printable(hit['cli'])}", "dim"))
        elif hit.get("ref"):
            out.line((f"{indent}read: akm-ls show {printable(hit['ref'])}", "dim"))
    if hits:
        out.line()
        out.line((f"{count(len(hits), 'command')} of {result['searched']:,}.", "dim"))
    else:
        out.line(f"Nothing found for {printable(result['query'])!r}.")
    for reason in result["degraded"]:
        out.line((printable(reason), "yellow"))
