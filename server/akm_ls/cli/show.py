"""``akm-ls show``: one asset, or one section of it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from akm_ls.cli.json_output import SCHEMA_VERSION, write_json
from akm_ls.cli.library import open_workspace, refresh_to_ask, require_bundles
from akm_ls.cli.outcome import CLEAN, NOTHING_FOUND, CommandError
from akm_ls.cli.places import shown_path
from akm_ls.cli.terminal import Printer, complain, count, output, printable, printable_block

_BODIES = ("content", "template", "prompt")


def run(options: Namespace) -> int:
    """Print the asset. Exit code 1 when the ref names nothing."""
    with open_workspace(options) as workspace:
        require_bundles(workspace)
        refresh_to_ask(workspace)
        from akm_ls.search.show import ShowError

        try:
            asset = workspace.show(options.ref).to_json()
        except ShowError as error:
            if error.code == "INVALID_REF":
                raise CommandError(str(error)) from error
            return _not_found(options, error)
    if options.format == "json":
        write_json(asset)
    else:
        _print(output(), asset)
    return CLEAN


def _not_found(options: Namespace, error: Any) -> int:
    suggestions = list(error.suggestions)
    if options.format == "json":
        write_json(
            {
                "schemaVersion": SCHEMA_VERSION,
                "error": {
                    "code": error.code,
                    "message": str(error),
                    "suggestions": suggestions,
                },
            }
        )
        return NOTHING_FOUND
    hint = f" Did you mean {', '.join(suggestions)}?" if suggestions else ""
    complain(f"{error}{hint}")
    return NOTHING_FOUND


def _print(out: Printer, asset: Mapping[str, Any]) -> None:
    """A card, then the content."""
    _print_card(out, asset)
    body = next((asset[key] for key in _BODIES if asset.get(key)), None)
    if body is not None:
        out.line()
        for line in printable_block(body).rstrip("\n").split("\n"):
            out.line(line)


def _print_card(out: Printer, asset: Mapping[str, Any]) -> None:
    ref = asset["ref"]
    if asset.get("fragment") and "#" not in ref:
        ref = f"{ref}#{asset['fragment']}"
    out.line((printable(ref), "bold cyan"), (f"  {printable(asset['type'])}", "magenta"))
    if asset.get("description"):
        out.line(printable(asset["description"]))
    superseded = asset.get("supersededBy") or ()
    if superseded:
        out.line((f"superseded by {printable(', '.join(superseded))}", "bold yellow"))
    fields = (
        ("when to use", asset.get("whenToUse")),
        ("tags", ", ".join(asset.get("tags") or ())),
        ("keys", ", ".join(asset.get("keys") or ())),
        ("run", asset.get("run")),
        ("setup", asset.get("setup")),
        ("cwd", asset.get("cwd")),
        ("sections", ", ".join(f"#{f['slug']}" for f in asset.get("fragments") or ())),
        ("cites", ", ".join(asset.get("xrefs") or ())),
        ("cited by", _cited_by(asset.get("citedBy"))),
        ("file", shown_path(asset["path"]) if asset.get("path") else None),
    )
    for label, value in fields:
        if value:
            out.line((f"{label}: ", "dim"), printable(str(value)))
    for warning in asset.get("warnings") or ():
        out.line((printable(warning), "yellow"))


def _cited_by(cited: Mapping[str, Any] | None) -> str:
    if not cited or not cited.get("total"):
        return ""
    refs = ", ".join(cited.get("refs") or ())
    return f"{count(cited['total'], 'asset')} ({refs})" if refs else str(cited["total"])
