"""``akm-ls refs``: every place that cites an asset."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from akm_ls.cli.json_output import SCHEMA_VERSION, write_json
from akm_ls.cli.library import open_workspace, refresh_to_ask, require_bundles
from akm_ls.cli.outcome import CLEAN, NOTHING_FOUND, CommandError
from akm_ls.cli.places import shown_path
from akm_ls.cli.terminal import complain, count, output, printable
from akm_ls.refs import RefError, parse_ref

if TYPE_CHECKING:
    from akm_ls.refs import Ref
    from akm_ls.search.references import LocatedCitation
    from akm_ls.workspace import Workspace


def run(options: Namespace) -> int:
    """List citations as ``file:line:column``. Exit code 1 when nothing cites the ref."""
    try:
        ref = parse_ref(options.ref)
    except RefError as error:
        raise CommandError(str(error)) from error
    with open_workspace(options) as workspace:
        require_bundles(workspace)
        refresh_to_ask(workspace)
        places = workspace.references(ref)
        if options.format == "json":
            write_json(_json(workspace, ref, places))
        else:
            _print(workspace, ref, places)
    return CLEAN if places else NOTHING_FOUND


def _json(workspace: Workspace, ref: Ref, places: Sequence[LocatedCitation]) -> dict[str, object]:
    """Lines and characters are 0-based, characters in UTF-16 units, as in LSP."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "ref": str(ref),
        "references": [
            {
                "ref": place.source,
                "path": workspace.display_path(place.path),
                "channel": place.channel,
                "text": place.text,
                "range": {
                    "start": {"line": place.line, "character": place.characters("utf-16")[0]},
                    "end": {"line": place.line, "character": place.characters("utf-16")[1]},
                },
            }
            for place in places
        ],
        "total": len(places),
    }


def _print(workspace: Workspace, ref: Ref, places: Sequence[LocatedCitation]) -> None:
    out = output()
    for place in places:
        path = printable(shown_path(workspace.display_path(place.path)))
        column = place.characters("utf-32")[0] + 1
        out.line(
            (f"{path}:{place.line + 1}:{column}: ", "bold"),
            printable(place.text),
            (f"  {place.channel}", "dim"),
        )
    if not places:
        complain(f"nothing cites {ref}{_unless_misspelt(workspace, ref)}")
        return
    files = len({place.path for place in places})
    out.line((f"{count(len(places), 'citation')} in {count(files, 'file')}.", "dim"))


def _unless_misspelt(workspace: Workspace, ref: Ref) -> str:
    """What to add for a ref that names no asset."""
    found = workspace.catalog.resolve(ref, None, workspace.bundles)
    if found.status == "found" or (found.status == "elsewhere" and ref.bundle is None):
        return ""
    near = workspace.catalog.suggest(ref, None, 3)
    hint = f", did you mean {', '.join(near)}?" if near else ""
    return f", and it leads nowhere{hint}"
