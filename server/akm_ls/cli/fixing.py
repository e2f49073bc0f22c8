"""``check --fix`` and ``--diff``: safe fixes, written to files or shown."""

from __future__ import annotations

import contextlib
import difflib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from io import FileIO
from typing import TYPE_CHECKING

from akm_ls.cli.check import Selection, Summary, found_files, tally
from akm_ls.cli.json_output import SCHEMA_VERSION, write_json
from akm_ls.cli.library import Named, refresh
from akm_ls.cli.places import shown_path
from akm_ls.cli.terminal import complain, printable, printable_block
from akm_ls.counts import count

if TYPE_CHECKING:
    from akm_ls.documents.document import Document
    from akm_ls.lint.finding import Finding
    from akm_ls.lint.fixes import Fixed
    from akm_ls.workspace import FileFindings, Workspace

_PASSES = 3
_BOM = b"\xef\xbb\xbf"


def apply_fixes(workspace: Workspace, paths: list[str], selection: Selection) -> int:
    """Apply the safe fixes of the selected findings. Returns how many were applied.

    Each file is mended in memory until nothing is left to mend, and written once. What that makes
    possible in other files is done in a next pass.
    """
    _say_what_is_read_only(workspace, paths)
    total = 0
    refused: set[str] = set()
    for _ in range(_PASSES):
        fixed = 0
        for found in list(_fixable(workspace, paths, selection)):
            if found.path not in refused:
                number = _fix_file(workspace, found, selection)
                fixed += number
                if not number:
                    refused.add(found.path)
        total += fixed
        if not fixed:
            break
        refresh(workspace)
    return total


def show_diff(
    workspace: Workspace,
    paths: list[str],
    selection: Selection,
    output_format: str,
    named: Named | None = None,
) -> Summary:
    """Print what `apply_fixes` would change, as a unified diff, and change nothing."""
    _say_what_is_read_only(workspace, paths)
    summary = Summary()
    bundles: set[str] = set()
    diffs: list[str] = []
    would_fix = 0
    for found in found_files(workspace, paths, named=named):
        bundles.add(found.bundle.id)
        findings = selection.of(found.findings)
        shown = selection.shown(findings)
        tally(summary, findings, shown)
        if not any(finding.fixable for finding in shown):
            continue
        fixed = _fixed(workspace, found, selection)
        if fixed.findings:
            would_fix += fixed.findings
            diffs.append(_unified(workspace.display_path(found.path), found.document, fixed.text))
    summary.bundles = len(bundles)
    summary.warnings = (*(named.lines() if named else ()), *workspace.settings_problems())
    if output_format == "json":
        write_json(
            {
                "schemaVersion": SCHEMA_VERSION,
                "diff": "".join(diffs),
                "summary": summary.to_json(),
                "warnings": list(summary.warnings),
            }
        )
    else:
        for warning in summary.warnings:
            complain(f"warning: {warning}")
        sys.stdout.write(printable_block("".join(diffs)))
        complain(f"would fix {count(would_fix, 'finding')} in {count(len(diffs), 'file')}")
    return summary


def _fixable(
    workspace: Workspace, paths: list[str], selection: Selection
) -> Iterator[FileFindings]:
    for found in found_files(workspace, paths):
        if any(finding.fixable for finding in selection.shown(selection.of(found.findings))):
            yield found


def _say_what_is_read_only(workspace: Workspace, paths: list[str]) -> None:
    """Findings in a read-only bundle have no fixes; who asks for them is told why."""
    owners = [workspace.bundles.owner_of(path) for path in paths] or list(workspace.bundles)
    for bundle in dict.fromkeys(owners):
        if bundle is not None and not bundle.writable:
            complain(f"{shown_path(bundle.root)}: not fixed, the bundle {bundle.id} is read-only")


def _fix_file(workspace: Workspace, found: FileFindings, selection: Selection) -> int:
    if not found.bundle.writable:
        return 0
    fixed = _fixed(workspace, found, selection)
    if not fixed.findings:
        return 0
    path = workspace.display_path(found.path)
    encoded = _encoded_like(path, found.document.text, fixed.text)
    if encoded is None:
        complain(f"{shown_path(path)}: not fixed, it is not plain UTF-8 or has changed")
        return 0
    try:
        _replace(path, encoded)
    except OSError as problem:
        complain(f"{shown_path(path)}: not fixed, it cannot be written ({problem.strerror})")
        return 0
    return fixed.findings


def _fixed(workspace: Workspace, found: FileFindings, selection: Selection) -> Fixed:
    from akm_ls.documents.document import parse
    from akm_ls.lint.fixes import fix_text

    kind = found.document.kind

    def lint(text: str) -> tuple[Finding, ...]:
        findings = workspace.findings_in(parse(text, kind), found.path, found.bundle, found.rel)
        return selection.shown(selection.of(findings))

    return fix_text(found.document.text, lint)


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
    """Write all or nothing, keeping the file's mode, owner and other names; a symlink stays one.

    A new file takes the old one's place, so that a crash leaves one of the two. That would part
    hard links, and may not keep an owner who is somebody else: such a file is written over.
    """
    target = os.path.realpath(path)
    before = os.stat(target)
    if before.st_nlink > 1:
        _write_over(target, data)
        return
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".akm-ls-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        kept = _give(temporary, before)
        os.chmod(temporary, stat.S_IMODE(before.st_mode))
        if kept:
            os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
    if not kept:
        os.unlink(temporary)
        _write_over(target, data)


def _give(path: str, like: os.stat_result) -> bool:
    """Give a file of ours the owner and group of another; whether it has them now."""
    ours = os.stat(path)
    if (ours.st_uid, ours.st_gid) == (like.st_uid, like.st_gid):
        return True
    try:
        os.chown(path, like.st_uid, like.st_gid)
    except (OSError, AttributeError):
        return False
    return True


def _write_over(path: str, data: bytes) -> None:
    """Put other bytes into a file; the old ones, when that cannot be done."""
    with open(path, "r+b", buffering=0) as file:
        old = file.read()
        try:
            _fill(file, data)
        except BaseException:
            with contextlib.suppress(OSError):
                _fill(file, old)
            raise


def _fill(file: FileIO, data: bytes) -> None:
    file.seek(0)
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]
    file.truncate()
    os.fsync(file.fileno())


def _unified(path: str, document: Document, new_text: str) -> str:
    name = printable(shown_path(path)).replace(os.sep, "/")
    if document.kind == "env":
        return f"--- a/{name}\n+++ b/{name}\n(an env file: its values are not shown)\n"
    lines = difflib.unified_diff(
        document.text.splitlines(keepends=True),
        new_text.splitlines(keepends=True),
        f"a/{name}",
        f"b/{name}",
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
