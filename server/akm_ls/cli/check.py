"""``akm-ls check``: the findings an editor would show, for a terminal, a script or CI."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from akm_ls.cli.library import Named, open_workspace, passed_over, paths_to_check, refresh
from akm_ls.cli.outcome import CLEAN, FINDINGS, UNUSABLE, CommandError
from akm_ls.cli.progress import Progress
from akm_ls.cli.terminal import complain

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle
    from akm_ls.documents.document import Kind
    from akm_ls.documents.text import LineIndex
    from akm_ls.lint.finding import Finding, Severity
    from akm_ls.workspace import FileFindings, Workspace
    from akm_ls.workspace.check_run import CheckRun

_MOST_OFFERED = 4
_LONG_SEVERITY: dict[str, Severity] = {"info": "information"}


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """One file with the findings to show. ``path`` is absolute, as the user spells its bundle."""

    path: str
    rel: str
    bundle: Bundle
    lines: LineIndex
    findings: tuple[Finding, ...]
    kind: Kind = "markdown"


@dataclass(slots=True)
class Summary:
    """What a run counted. ``shown`` findings are at or above the asked severity."""

    files: int = 0
    bundles: int = 0
    severities: dict[str, int] = field(
        default_factory=lambda: {"error": 0, "warning": 0, "information": 0, "hint": 0}
    )
    shown: int = 0
    files_with_shown: int = 0
    fixable: int = 0
    fixed: int = 0
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        return {
            "files": self.files,
            "bundles": self.bundles,
            **self.severities,
            "fixable": self.fixable,
            "fixed": self.fixed,
        }


class Report(Protocol):
    """One output format. `file` is called for each file with findings to show, in order."""

    def file(self, checked: CheckedFile) -> None: ...

    def finish(self, summary: Summary) -> None: ...


@dataclass(frozen=True, slots=True)
class Selection:
    """Which findings the user wants to see."""

    select: frozenset[str]
    ignore: frozenset[str]
    severity: Severity

    def of(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """The findings of the selected rules, of every severity."""
        if not self.select and not self.ignore:
            return findings
        return tuple(
            finding
            for finding in findings
            if finding.code not in self.ignore and (not self.select or finding.code in self.select)
        )

    def shown(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        from akm_ls.lint.finding import at_least

        return tuple(f for f in findings if at_least(f.severity, self.severity))


def run(options: Namespace) -> int:
    """Check what was asked for. Exit code 1 when a finding is shown, unless ``--exit-zero``."""
    selection = _selection(options)
    if options.diff and options.format in ("sarif", "github"):
        raise CommandError("--diff goes with --format text or json")
    with open_workspace(options, options.paths) as workspace:
        # Only now: it imports nearly everything, which `open_workspace` has made quick.
        from akm_ls.workspace.check_run import CheckRun

        with CheckRun() as check_run:
            return _run(options, selection, workspace, check_run)


def _run(
    options: Namespace, selection: Selection, workspace: Workspace, check_run: CheckRun
) -> int:
    paths = paths_to_check(workspace, options)
    if options.paths and not paths:
        _report(options.format).finish(Summary())
        return CLEAN
    over = passed_over(workspace, options)
    paths = [path for path in paths if path not in over.paths]
    if options.format in ("json", "github"):  # the others tell warnings on stderr anyway
        for line in over.lines:
            complain(line)
    # What corrections change is read again: they do without.
    edits = options.fix or options.diff
    index = refresh(workspace, check_run=None if edits else check_run, load=edits)
    named = None if options.skip_outside else Named.of(workspace, options.paths)
    if options.diff:
        from akm_ls.cli.fixing import show_diff

        summary = show_diff(workspace, paths, selection, options.format, named)
    else:
        fixed = _fix(workspace, paths, selection) if options.fix else 0
        report = _report(options.format)
        summary = _check(workspace, paths, selection, report, check_run, named)
        summary.fixed = fixed
        summary.warnings = (
            *over.lines,
            *(named.lines() if named else ()),
            *workspace.bundles.warnings,
            *workspace.settings_problems(),
            *index.warnings,
        )
        if not workspace.is_complete():
            summary.warnings += ("not every bundle could be read: refs were not checked",)
        report.finish(summary)
    if over.unreadable:
        return UNUSABLE
    return FINDINGS if summary.shown and not options.exit_zero else CLEAN


def found_files(
    workspace: Workspace,
    paths: list[str],
    check_run: CheckRun | None = None,
    named: Named | None = None,
) -> Iterator[FileFindings]:
    """What was found in every file of ``paths``, with progress on stderr when it takes long.

    ``named`` takes note of them.

    Raises:
        CommandError: at the end, if something was named and there was no file at all.
    """
    with Progress("Checking") as progress:
        for found in workspace.check(paths, check_run=check_run, on_progress=progress):
            if found.findings:
                progress.clear()
            if named is not None:
                named.note(found.path)
            yield found
    if named is not None:
        named.require_files()


def _checked(workspace: Workspace, found: FileFindings, shown: tuple[Finding, ...]) -> CheckedFile:
    return CheckedFile(
        found.bundle.path_of(found.rel),
        found.rel,
        found.bundle,
        found.document.lines,
        tuple(_for_display(workspace, finding) for finding in shown),
        found.document.kind,
    )


def _for_display(workspace: Workspace, finding: Finding) -> Finding:
    if not finding.related:
        return finding
    return finding._replace(
        related=tuple(
            related._replace(path=workspace.display_path(related.path))
            for related in finding.related
        )
    )


def tally(summary: Summary, findings: tuple[Finding, ...], shown: tuple[Finding, ...]) -> None:
    """Add one file's findings to the summary."""
    summary.files += 1
    for finding in findings:
        summary.severities[finding.severity] += 1
    summary.shown += len(shown)
    summary.files_with_shown += bool(shown)
    summary.fixable += sum(finding.fixable for finding in shown)


def _check(
    workspace: Workspace,
    paths: list[str],
    selection: Selection,
    report: Report,
    check_run: CheckRun,
    named: Named | None,
) -> Summary:
    summary = Summary()
    bundles: set[str] = set()
    for found in found_files(workspace, paths, check_run, named):
        bundles.add(found.bundle.id)
        if not found.findings:
            summary.files += 1
            continue
        findings = selection.of(found.findings)
        shown = selection.shown(findings)
        tally(summary, findings, shown)
        if shown:
            report.file(_checked(workspace, found, shown))
    summary.bundles = len(bundles)
    return summary


def _fix(workspace: Workspace, paths: list[str], selection: Selection) -> int:
    from akm_ls.cli.fixing import apply_fixes

    return apply_fixes(workspace, paths, selection)


def _report(name: str) -> Report:
    if name == "json":
        from akm_ls.cli.check_json import JsonReport

        return JsonReport()
    if name == "sarif":
        from akm_ls.cli.check_sarif import SarifReport

        return SarifReport()
    if name == "github":
        from akm_ls.cli.check_github import GithubReport

        return GithubReport()
    from akm_ls.cli.check_text import TextReport

    return TextReport()


def _selection(options: Namespace) -> Selection:
    return Selection(
        select=_codes(options.select, "--select"),
        ignore=_codes(options.ignore, "--ignore"),
        severity=_LONG_SEVERITY.get(options.severity, options.severity),
    )


def _codes(values: list[str], option: str) -> frozenset[str]:
    """Rule codes from repeated, comma-separated values; an unknown one is an error."""
    if not values:
        return frozenset()
    from akm_ls.lint.engine import CODES
    from akm_ls.lint.pages import RULES_URL

    codes = [code.strip() for value in values for code in value.split(",") if code.strip()]
    if not codes:
        raise CommandError(f"{option} names no rule: give codes, such as {option} missing-ref")
    for code in codes:
        if code not in CODES:
            near = ", ".join(_nearest(code, CODES)[:_MOST_OFFERED])
            raise CommandError(
                f"{option}: no rule is called {code}"
                + (f", did you mean {near}?" if near else f" (all are in {RULES_URL})")
            )
    return frozenset(codes)


def _nearest(code: str, codes: Collection[str]) -> list[str]:
    """The codes most like one that is none, best first: by spelling, else by a word in common."""
    from difflib import get_close_matches

    code = code.lower().replace("_", "-")
    near = get_close_matches(code, codes, n=1, cutoff=0.75)
    words = {word for word in code.split("-") if len(word) > 2}
    alike = sorted(other for other in codes if words & set(other.split("-")))
    return near or alike or get_close_matches(code, codes, n=1, cutoff=0.5)
