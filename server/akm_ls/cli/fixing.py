"""``check --fix`` and ``--diff``: safe fixes, written to files or shown."""

from __future__ import annotations

import difflib
import os
import stat
import sys
import tempfile
from typing import TYPE_CHECKING

from akm_ls.cli.check import CheckedFile, Selection, Summary, checked_files, tally
from akm_ls.cli.json_output import SCHEMA_VERSION, write_json
from akm_ls.cli.places import shown_path
from akm_ls.cli.terminal import complain, count, printable, printable_block

if TYPE_CHECKING:
    from akm_ls.lint.finding import Finding
    from akm_ls.workspace import Workspace

_ROUNDS = 5
_BOM = b"\xef\xbb\xbf"


def apply_fixes(workspace: Workspace, paths: list[str], selection: Selection) -> int:
    """Apply the safe fixes of the shown findings. Returns how many were applied.

    A fix may make room for another (of two that overlap only one is applied), so files are
    checked again until nothing changes.
    """
    total = 0
    for _ in range(_ROUNDS):
        fixed = sum(
            _fix_file(checked, selection) for checked in list(_fixable(workspace, paths, selection))
        )
        total += fixed
        if not fixed:
            break
    return total


def show_diff(
    workspace: Workspace, paths: list[str], selection: Selection, output_format: str
) -> Summary:
    """Print what `apply_fixes` would change, as a unified diff, and change nothing."""
    summary = Summary()
    bundles: set[str] = set()
    diffs: list[str] = []
    would_fix = 0
    for checked in checked_files(workspace, paths):
        bundles.add(checked.bundle.id)
        findings = selection.of(checked.findings)
        shown = selection.shown(findings)
        tally(summary, findings, shown)
        new_text, number = _fixed_text(checked, shown)
        if number:
            would_fix += number
            diffs.append(_unified(checked, new_text))
    summary.bundles = len(bundles)
    if output_format == "json":
        write_json(
            {
                "schemaVersion": SCHEMA_VERSION,
                "diff": "".join(diffs),
                "summary": summary.to_json(),
            }
        )
    else:
        sys.stdout.write(printable_block("".join(diffs)))
        complain(f"would fix {count(would_fix, 'finding')} in {count(len(diffs), 'file')}")
    return summary


def _fixable(workspace: Workspace, paths: list[str], selection: Selection) -> list[CheckedFile]:
    return [
        checked
        for checked in checked_files(workspace, paths)
        if any(f.fixable for f in selection.shown(selection.of(checked.findings)))
    ]


def _fix_file(checked: CheckedFile, selection: Selection) -> int:
    if not checked.bundle.writable:
        complain(f"{shown_path(checked.path)}: not fixed, its bundle is read-only")
        return 0
    new_text, number = _fixed_text(checked, selection.shown(selection.of(checked.findings)))
    if not number:
        return 0
    encoded = _encoded_like(checked.path, checked.lines.text, new_text)
    if encoded is None:
        complain(f"{shown_path(checked.path)}: not fixed, it is not plain UTF-8 or has changed")
        return 0
    _replace(checked.path, encoded)
    return number


def _fixed_text(checked: CheckedFile, shown: tuple[Finding, ...]) -> tuple[str, int]:
    from akm_ls.lint.fixes import apply_edits, safe_edits

    edits = safe_edits(shown)
    applied = set(edits)
    number = sum(
        any(fix.safe and fix.edits and set(fix.edits) <= applied for fix in finding.fixes[:1])
        for finding in shown
    )
    return apply_edits(checked.lines.text, edits), number


def _encoded_like(path: str, old_text: str, new_text: str) -> bytes | None:
    """``new_text`` in the bytes the file uses; ``None`` unless it still holds ``old_text``."""
    from akm_ls.documents.text import decode

    with open(path, "rb") as file:
        data = file.read()
    decoded = decode(data)
    if decoded.text != old_text or decoded.invalid_utf8:
        return None
    for prefix in (b"", _BOM):
        if data == prefix + old_text.encode("utf-8", "surrogatepass"):
            return prefix + new_text.encode("utf-8", "surrogatepass")
    return None


def _replace(path: str, data: bytes) -> None:
    """Write all or nothing, keeping the file's mode; a symlink stays one."""
    target = os.path.realpath(path)
    mode = stat.S_IMODE(os.stat(target).st_mode)
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".akm-ls-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _unified(checked: CheckedFile, new_text: str) -> str:
    name = printable(shown_path(checked.path)).replace(os.sep, "/")
    lines = difflib.unified_diff(
        checked.lines.text.splitlines(keepends=True),
        new_text.splitlines(keepends=True),
        f"a/{name}",
        f"b/{name}",
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
