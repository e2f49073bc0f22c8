"""``akm-ls refs``: every place that cites an asset."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from akm_ls.cli.json_output import SCHEMA_VERSION, write_json
from akm_ls.cli.library import asked_ref, open_workspace, refresh_to_ask, require_bundles
from akm_ls.cli.outcome import CLEAN, NOTHING_FOUND
from akm_ls.cli.places import shown_path
from akm_ls.cli.terminal import complain, output, printable
from akm_ls.counts import count

if TYPE_CHECKING:
    from akm_ls.index.catalog import Resolution
    from akm_ls.refs import Ref
    from akm_ls.search.references import LocatedCitation
    from akm_ls.workspace import Workspace


def run(options: Namespace) -> int:
    """List citations as ``file:line:column``. Exit code 1 when nothing cites the ref.

    A ref that names nothing may be cited all the same: what is listed then is broken.
    """
    ref = asked_ref(options.ref)
    with open_workspace(options) as workspace:
        require_bundles(workspace)
        refresh_to_ask(workspace)
        places = workspace.references(ref)
        target = _resolved(workspace, ref)
        if options.format == "json":
            write_json(_json(workspace, ref, target, places))
        else:
            _print(workspace, ref, places)
            _complain(ref, _problem(ref, target), places)
    return CLEAN if places else NOTHING_FOUND


def _resolved(workspace: Workspace, ref: Ref) -> Resolution:
    target = workspace.catalog.resolve(ref, None, workspace.bundles)
    if target.suggestions or target.status not in ("missing", "unknown-bundle"):
        return target
    from akm_ls.search.lookup import instead
    from akm_ls.search.show import MAX_SUGGESTIONS

    return target._replace(suggestions=instead(workspace.catalog, ref, None, MAX_SUGGESTIONS))


def _json(
    workspace: Workspace, ref: Ref, target: Resolution, places: Sequence[LocatedCitation]
) -> dict[str, object]:
    """Lines and characters are 0-based, characters in UTF-16 units, as in LSP.

    ``found`` tells a ref that nothing cites from one that names nothing; ``target`` is the whole
    ref of the asset, null where there is none.
    """
    problem = _problem(ref, target)
    return {
        "schemaVersion": SCHEMA_VERSION,
        "ref": str(ref),
        "found": not problem,
        "target": target.stub.ref if target.stub and target.status != "elsewhere" else None,
        "suggestions": list(target.suggestions),
        "warnings": [problem] if problem else [],
        "references": [
            {
                "ref": place.source if place.is_by_asset else workspace.display_path(place.path),
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
    if places:
        files = len({place.path for place in places})
        out.line((f"{count(len(places), 'citation')} in {count(files, 'file')}.", "dim"))


def _complain(ref: Ref, problem: str, places: Sequence[LocatedCitation]) -> None:
    if problem:
        complain(f"{problem} {'These citations are broken.' if places else 'Nothing cites it.'}")
    elif not places:
        complain(f"nothing cites {ref}")


def _problem(ref: Ref, target: Resolution) -> str:
    """Why a ref names nothing, in one sentence; ``""`` when it does name something."""
    if target.status == "found":
        return ""
    if target.status == "missing-fragment":
        reason = f'{ref.asset} has no heading "#{ref.fragment}"'
    elif target.status == "unknown-bundle":
        reason = f'{ref} leads nowhere: no bundle is named "{ref.bundle}"'
    else:
        reason = f"{ref} leads nowhere"
    near = ", ".join(target.suggestions)
    return f"{reason}, did you mean {near}?" if near else f"{reason}."
