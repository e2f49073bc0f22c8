"""``akm-ls show``: one asset, or one section of it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from akm_ls.cli.json_output import SCHEMA_VERSION, write_json
from akm_ls.cli.library import asked_ref, open_workspace, refresh_to_ask, require_bundles
from akm_ls.cli.outcome import CLEAN, NOTHING_FOUND, CommandError
from akm_ls.cli.places import shown_path
from akm_ls.cli.terminal import (
    Printer,
    complain,
    output,
    printable,
    printable_block,
    wrapped,
)
from akm_ls.counts import count

_BODIES = ("content", "template", "prompt")
_MAX_CITING = 4


def run(options: Namespace) -> int:
    """Print the asset. Exit code 1 when the ref names nothing."""
    ref = asked_ref(options.ref)
    with open_workspace(options) as workspace:
        require_bundles(workspace)
        refresh_to_ask(workspace)
        from akm_ls.search.show import ShowError

        try:
            asset = workspace.show(str(ref)).to_json()
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
    body = next((asset[key] for key in _BODIES if asset.get(key)), "")
    _print_text(out, body)
    for step in asset.get("steps") or ():
        out.line()
        out.line((f"Step {printable(step['id'])}", "bold"))
        _print_text(out, step["instructions"])


def _print_text(out: Printer, text: str) -> None:
    text = printable_block(text).strip("\n")
    if text:
        out.line()
        for line in text.split("\n"):
            out.line(line)


def _print_card(out: Printer, asset: Mapping[str, Any]) -> None:
    ref = asset["ref"]
    if asset.get("fragment") and "#" not in ref:
        ref = f"{ref}#{asset['fragment']}"
    out.line((printable(ref), "bold cyan"), (f"  {printable(asset['type'])}", "magenta"))
    for line in wrapped(asset.get("description") or "", out.width, ""):
        out.line(line)
    superseded = asset.get("supersededBy") or ()
    if superseded:
        out.line((f"superseded by {printable(', '.join(superseded))}", "bold yellow"))
    if asset.get("action"):
        out.line((printable(asset["action"]), "dim"))
    for label, value in _fields(asset):
        if value:
            out.line((f"{label}: ", "dim"), printable(value))
    for warning in asset.get("warnings") or ():
        out.line((printable(warning), "yellow"))


def _fields(asset: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "when to use", asset.get("whenToUse") or ""
    for label, key in (
        ("tags", "tags"),
        ("keys", "keys"),
        ("run", "run"),
        ("setup", "setup"),
        ("in", "cwd"),
        ("parameters", "parameters"),
        ("agent", "agent"),
        ("model", "modelHint"),
        ("tools", "toolPolicy"),
    ):
        yield label, _listed(asset.get(key))
    yield "sections", _listed([f"#{f['slug']}" for f in asset.get("fragments") or ()])
    yield "cites", _listed(asset.get("xrefs"))
    yield "cited by", _cited_by(asset.get("citedBy"))
    yield "file", shown_path(asset["path"]) if asset.get("path") else ""


def _listed(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(str(item) for item in value)
    return "" if value is None else str(value)


def _cited_by(cited: Mapping[str, Any] | None) -> str:
    if not cited or not cited.get("total"):
        return ""
    refs = list(cited.get("refs") or ())
    shown = ", ".join(refs[:_MAX_CITING]) + (", …" if len(refs) > _MAX_CITING else "")
    return f"{count(cited['total'], 'asset')} ({shown})"
