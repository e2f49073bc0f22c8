"""Findings for people: one line each, with the source below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.cli.check import CheckedFile, Summary
from akm_ls.cli.excerpt import excerpt
from akm_ls.cli.places import shown_path
from akm_ls.cli.terminal import Printer, complain, count, output, printable

if TYPE_CHECKING:
    from akm_ls.documents.text import LineIndex
    from akm_ls.lint.finding import Finding, Related

STYLES = {"error": "bold red", "warning": "bold yellow", "information": "bold blue", "hint": "cyan"}


class TextReport:
    """``path:line:col: severity[code] message``, the source line, carets; files apart."""

    def __init__(self, printer: Printer | None = None) -> None:
        self._out = printer or output()
        self._first = True

    def file(self, checked: CheckedFile, shown: tuple[Finding, ...]) -> None:
        if not self._first:
            self._out.line()
        self._first = False
        path = printable(shown_path(checked.path))
        for finding in shown:
            _print_finding(self._out, path, checked.lines, finding)
            for related in finding.related:
                self._out.line(("      = ", "dim"), _related_place(checked, related))

    def finish(self, summary: Summary) -> None:
        for warning in summary.warnings:
            complain(f"warning: {warning}")
        if not self._first:
            self._out.line()
        checked = f"{count(summary.files, 'file')} in {count(summary.bundles, 'bundle')}"
        if summary.fixed:
            self._out.line((f"Fixed {count(summary.fixed, 'finding')}.", "bold green"))
        if not summary.shown:
            self._out.line(("No findings", "bold green"), f": checked {checked}.")
        else:
            counts = [
                count(number, severity) for severity, number in _shown_counts(summary) if number
            ]
            where = f" in {count(summary.files_with_shown, 'file')}"
            self._out.line((", ".join(counts), "bold"), f"{where}; checked {checked}.")
        if summary.fixable:
            self._out.line(f"{summary.fixable} can be fixed with --fix.")
        hidden = sum(summary.severities.values()) - summary.shown
        if hidden:
            self._out.line((f"{count(hidden, 'milder finding')} not shown: --severity hint", "dim"))


def _print_finding(out: Printer, path: str, lines: LineIndex, finding: Finding) -> None:
    """One finding with its source line; columns are 1-based characters."""
    line, column = lines.position(finding.span.start, "utf-32")
    style = STYLES[finding.severity]
    out.line(
        (f"{path}:{line + 1}:{column + 1}: ", "bold"),
        (finding.severity, style),
        (f"[{finding.code}]", style),
        f" {printable(finding.message)}",
    )
    span = lines.line_span(line)
    number = f"{line + 1:>5}"
    width = max(30, min(out.width, 160) - 8)
    # Taken from a bounded neighbourhood: a line may be megabytes long.
    low, high = max(span.start, finding.span.start - 400), min(span.end, finding.span.start + 800)
    low = span.start if finding.span.start - span.start <= 400 else low
    source, marker = excerpt(
        lines.text[low:high], finding.span.start - low, finding.span.end - low, width
    )
    out.line((f"{number} | ", "dim"), source)
    out.line((f"{' ' * 5} | ", "dim"), (marker, style))


def _related_place(checked: CheckedFile, related: Related) -> str:
    place = printable(shown_path(related.path))
    if related.span is not None and related.path == checked.path:
        line, column = checked.lines.position(related.span.start, "utf-32")
        place += f":{line + 1}:{column + 1}"
    return f"{place}: {printable(related.message)}"


def _shown_counts(summary: Summary) -> list[tuple[str, int]]:
    """Counts by severity, gravest first, that add up to what was shown."""
    left = summary.shown
    counts = []
    for severity, number in summary.severities.items():
        taken = min(number, left)
        left -= taken
        counts.append((severity, taken))
    return counts
