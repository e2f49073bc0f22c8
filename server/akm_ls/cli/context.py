"""``akm-ls context``: what is known for a query, cited and within a budget, for an agent."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from akm_ls.cli.json_output import write_json
from akm_ls.cli.library import open_workspace, refresh_to_ask, require_bundles
from akm_ls.cli.outcome import CLEAN, NOTHING_FOUND, CommandError
from akm_ls.cli.terminal import Printer, output, printable, wrapped
from akm_ls.counts import count

LARGEST_BUDGET = 12_000


def run(options: Namespace) -> int:
    """Print the pack. Exit code 1 when nothing was found."""
    from akm_ls.search.request import RequestError

    if options.max_tokens > LARGEST_BUDGET:
        options.max_tokens = LARGEST_BUDGET
    with open_workspace(options) as workspace:
        require_bundles(workspace)
        if options.bundle is not None and workspace.bundles.get(options.bundle) is None:
            known = ", ".join(sorted(workspace.bundles.ids))
            raise CommandError(f"--bundle {options.bundle}: no such bundle; there is {known}")
        from akm_ls.search.context_pack import PackError, PackRequest, build_pack

        try:
            request = PackRequest(
                query=" ".join(options.query),
                purpose=options.purpose,
                topic=options.topic,
                type=options.type,
                bundle=options.bundle,
                since=options.since,
                mode=options.mode,
                max_items=options.max_items,
                max_tokens=options.max_tokens,
                dedupe=options.dedupe,
            )
        except RequestError as error:
            raise CommandError(str(error).replace("maxTokens", "--max-tokens")) from error
        refresh_to_ask(workspace)
        try:
            pack = build_pack(workspace.library(), request, workspace.search).to_json()
        except PackError as error:
            raise CommandError(str(error)) from error
    if options.format == "json":
        # On one line: what is printed is what the budget was measured in.
        write_json(pack, indent=None)
    else:
        _print(output(), pack)
    return CLEAN if pack["evidence"] else NOTHING_FOUND


def _print(out: Printer, pack: Mapping[str, Any]) -> None:
    """The same for a reader: evidence with its text, then where it stands."""
    cited = {citation["id"]: citation for citation in pack["citations"]}
    for number, item in enumerate(pack["evidence"], 1):
        out.line(
            (f"{number}. ", "dim"),
            (printable(item["ref"]), "bold cyan"),
            (f"  {printable(item['type'])}", "magenta"),
        )
        for line in wrapped(item["text_preview"], out.width, "   "):
            out.line(line)
        for key in item["citation_ids"]:
            _print_place(out, cited[key])
    if pack["evidence"]:
        out.line()
    for group in pack["duplicate_candidates"]:
        numbers = _numbers(pack, group["evidence_ids"])
        out.line((f"{numbers} say the same ({group['confidence']} confidence).", "yellow"))
    for warning in pack["warnings"]:
        out.line((printable(warning), "yellow"))
    budgets = pack["budgets"]
    tokens = f"{budgets['estimated_tokens']:,} of {count(budgets['max_tokens'], 'token')}"
    out.line((f"{printable(pack['message'])} {tokens}.", "dim"))


def _print_place(out: Printer, citation: Mapping[str, Any]) -> None:
    span = citation.get("range")
    if span is not None:
        line, character = span["start"]["line"] + 1, span["start"]["character"] + 1
        out.line((f"   {printable(citation['source_uri'])}:{line}:{character}", "dim"))


def _numbers(pack: Mapping[str, Any], ids: list[str]) -> str:
    order = [item["id"] for item in pack["evidence"]]
    return ", ".join(str(order.index(key) + 1) for key in ids)
