"""Findings as GitHub workflow commands, which become annotations on a pull request."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from akm_ls.cli.check import CheckedFile, Summary
from akm_ls.cli.places import project_path
from akm_ls.cli.terminal import printable
from akm_ls.counts import count

if TYPE_CHECKING:
    pass

_LEVELS = {"error": "error", "warning": "warning", "information": "notice", "hint": "notice"}


class GithubReport:
    def file(self, checked: CheckedFile) -> None:
        path = _property(project_path(checked.path) or checked.path)
        for finding in checked.findings:
            start, end = checked.lines.range(finding.span, "utf-16")
            place = f"file={path},line={start.line + 1},endLine={end.line + 1}"
            if start.line == end.line:
                # GitHub refuses columns on annotations of several lines.
                place += f",col={start.character + 1},endColumn={max(end.character, 1)}"
            sys.stdout.write(
                f"::{_LEVELS[finding.severity]} {place},title={_property(finding.code)}"
                f"::{_message(finding.message)}\n"
            )

    def finish(self, summary: Summary) -> None:
        for warning in summary.warnings:
            sys.stdout.write(f"::warning title=akm-ls::{_message(warning)}\n")
        checked = f"checked {count(summary.files, 'file')} in {count(summary.bundles, 'bundle')}."
        if not summary.shown:
            print(f"No findings: {checked}")
            return
        where = count(summary.files_with_shown, "file")
        print(f"{count(summary.shown, 'finding')} in {where}; {checked}")


def _message(text: str) -> str:
    text = "".join(char if char in "\r\n" else printable(char) for char in text)
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
