"""Runs the rules over one document."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from akm_ls.documents.document import Document, Kind
from akm_ls.documents.text import Span
from akm_ls.lint.finding import Finding
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules import ALL_RULES
from akm_ls.lint.settings import LintSettings
from akm_ls.lint.suppression import Suppressions, lines_of, read_suppressions

logger = logging.getLogger(__name__)

MAX_FINDINGS = 1_000
"""Findings of one rule in one document; who has more has one fault, a thousand times."""

CODES = frozenset(rule.code for rule in ALL_RULES)
SKIPPABLE = frozenset(rule.code for rule in ALL_RULES if rule.skippable)
"""Codes that akm's ``lint_skip`` suppresses."""


def lint(subject: Subject, rules: Sequence[Rule] = ALL_RULES) -> tuple[Finding, ...]:
    """All findings of one document, in text order, without those that a comment hides.

    A rule that fails is logged and loses its own answer only.
    """
    document, settings = subject.document, subject.settings
    skipped = _skipped_codes(document)
    suppressions = read_suppressions(document)
    running = _running(settings, document.kind, subject.catalog is not None, rules)
    if skipped:
        running = [rule for rule in running if not rule.skippable or rule.code not in skipped]
    if suppressions.directives:
        running = [rule for rule in running if not suppressions.hides_file(rule.code)]
    found: list[Finding] = []
    for rule in running:
        try:
            answer = iter(rule.check(subject))
            # Nearly every rule has nothing to say of nearly every document.
            first = next(answer, None)
            if first is None:
                continue
            findings = [first, *islice(answer, MAX_FINDINGS - 1)]
        except Exception:
            logger.exception("rule %s failed on %s", rule.code, subject.path)
            continue
        for finding in findings:
            level = settings.level(finding.code, finding.severity)
            if level == "off" or _is_hidden(subject.document, suppressions, finding):
                continue
            if level != finding.severity:
                finding = replace(finding, severity=level)
            found.append(_with_possible_fixes(subject, finding) if finding.fixes else finding)
    found.sort(key=lambda finding: (finding.span, finding.code))
    return tuple(found)


_Plan = tuple[LintSettings, Kind, bool, Sequence[Rule]]
_latest: tuple[_Plan, tuple[Rule, ...]] | None = None


def _running(
    settings: LintSettings, kind: Kind, with_catalog: bool, rules: Sequence[Rule]
) -> Sequence[Rule]:
    """The rules that settings leave on for a kind; of many files most ask the same thing."""
    global _latest
    kept = _latest
    if kept is not None:
        (before, of, had_catalog, among), running = kept
        if before is settings and of == kind and had_catalog == with_catalog and among is rules:
            return running
    running = tuple(
        rule
        for rule in rules
        if kind in rule.kinds
        and (with_catalog or not rule.needs_catalog)
        and settings.runs(rule.code, rule.default)
    )
    _latest = (settings, kind, with_catalog, rules), running
    return running


_PROPERTY = re.compile(r"(?:^|[\s,\[{])[!&][^\s,\[\]{}]*\s*\Z")
_MOST_PROPERTY = 200


def _with_possible_fixes(subject: Subject, finding: Finding) -> Finding:
    """``finding`` without fixes that nobody may make: none in a bundle that is read-only, and
    none that would write another value behind a YAML tag or anchor its author chose.
    """
    if not subject.bundle.writable:
        return replace(finding, fixes=())
    frontmatter = subject.document.frontmatter
    if frontmatter is None:
        return finding
    text, inner = subject.document.text, frontmatter.inner
    fixes = tuple(
        fix
        for fix in finding.fixes
        if not any(_is_behind_property(text, inner, edit.span) for edit in fix.edits)
    )
    return finding if len(fixes) == len(finding.fixes) else replace(finding, fixes=fixes)


def _is_behind_property(text: str, inner: Span, span: Span) -> bool:
    if span.start == span.end or not inner.start < span.start < inner.end:
        return False
    before = text[max(inner.start, span.start - _MOST_PROPERTY) : span.start]
    return ("!" in before or "&" in before) and _PROPERTY.search(before) is not None


def _is_hidden(document: Document, suppressions: Suppressions, finding: Finding) -> bool:
    if not suppressions.directives:
        return False
    return suppressions.hides(finding.code, lines_of(document, finding.span))


def _skipped_codes(document: Document) -> frozenset[str]:
    frontmatter = document.frontmatter
    if frontmatter is None:
        return frozenset()
    return frozenset(frontmatter.strings("lint_skip"))
