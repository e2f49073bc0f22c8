"""Findings for people: one line each, with the source below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.cli.check import CheckedFile, Summary
from akm_ls.cli.excerpt import Excerpt, excerpt
from akm_ls.cli.places import shown_path
from akm_ls.cli.terminal import Printer, complain, output, printable
from akm_ls.counts import count
from akm_ls.documents.env_keys import read_env_keys

if TYPE_CHECKING:
    from akm_ls.documents.text import Span
    from akm_ls.lint.finding import Finding, Related

STYLES = {"error": "bold red", "warning": "bold yellow", "information": "bold blue", "hint": "cyan"}

_PLURALS = {"information": "information"}  # what the severity is called, "informations" are none


class TextReport:
    """``path:line:col: severity[code] message``, the source line, carets; files apart."""

    def __init__(self, printer: Printer | None = None) -> None:
        self._out = printer or output(plain_width=80)
        self._first = True

    def file(self, checked: CheckedFile) -> None:
        if not self._first:
            self._out.line()
        self._first = False
        path = printable(shown_path(checked.path))
        for finding in checked.findings:
            _print_finding(self._out, path, checked, finding)
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
                count(number, severity, _PLURALS.get(severity))
                for severity, number in _shown_counts(summary)
                if number
            ]
            where = f" in {count(summary.files_with_shown, 'file')}"
            self._out.line((", ".join(counts), "bold"), f"{where}; checked {checked}.")
        if summary.fixable:
            self._out.line(f"{summary.fixable} can be fixed with --fix.")
        hidden = sum(summary.severities.values()) - summary.shown
        if hidden:
            self._out.line((f"{count(hidden, 'milder finding')} not shown: --severity hint", "dim"))


def _print_finding(out: Printer, path: str, checked: CheckedFile, finding: Finding) -> None:
    """One finding with its source line; columns are 1-based characters."""
    lines = checked.lines
    line, column = lines.position(finding.span.start, "utf-32")
    style = STYLES[finding.severity]
    out.line(
        (f"{path}:{line + 1}:{column + 1}: ", "bold"),
        (finding.severity, style),
        (f"[{finding.code}]", style),
        f" {printable(finding.message)}",
    )
    # The frame takes eight columns. Very wide lines are no easier to read for all their width.
    width = max(30, min(out.width, 120) - 8)
    shown = _source(checked, finding.span, width)
    if shown is None:
        return
    out.line((f"{line + 1:>5} | ", "dim"), shown.source)
    out.line((f"{' ' * 5} | ", "dim"), (shown.marker, style))


def _source(checked: CheckedFile, span: Span, width: int) -> Excerpt | None:
    """The first line of ``span``; of an env file the key alone, as values are nobody's business."""
    lines = checked.lines
    line = lines.line_of(span.start)
    whole = lines.line_span(line)
    if checked.kind == "env":
        keys = [key.span for key in read_env_keys(lines.text) if key.line == line]
        if not keys or keys[0].end < span.start:
            return None
        text = lines.text[whole.start : keys[0].end] + "=…"
        end = min(span.end, keys[0].end)
        return excerpt(text, span.start - whole.start, end - whole.start, width)
    # Taken from a bounded neighbourhood: a line may be megabytes long.
    near = span.start - whole.start <= 400
    low = whole.start if near else span.start - 400
    high = min(whole.end, span.start + 800)
    return excerpt(lines.text[low:high], span.start - low, span.end - low, width)


def _related_place(checked: CheckedFile, related: Related) -> str:
    place = printable(shown_path(related.path))
    if related.span is not None and related.path == checked.path:
        place = f"line {checked.lines.line_of(related.span.start) + 1}"
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
