"""Runs the rules over one document."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from akm_ls.documents.document import Document
from akm_ls.documents.text import Span
from akm_ls.lint.finding import Finding
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules import ALL_RULES
from akm_ls.lint.settings import LintSettings
from akm_ls.lint.suppression import Suppressions, lines_of
from akm_ls.lint.traits import Traits

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
    settings, suppressions = subject.settings, subject.suppressions
    running = _running(subject, rules)
    if subject.traits.has("lint_skip"):
        skipped = _skipped_codes(subject.document)
        running = [rule for rule in running if not rule.skippable or rule.code not in skipped]
    if suppressions.directives:
        running = [rule for rule in running if not suppressions.hides_file(rule.code)]
    found: list[Finding] = []
    for rule in running:
        try:
            answer = rule.check(subject)
            if not answer:
                continue
            answer = iter(answer)
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
                finding = finding._replace(severity=level)
            found.append(_with_possible_fixes(subject, finding) if finding.fixes else finding)
    found.sort(key=lambda finding: (finding.span, finding.code))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Plans:
    """The rules that run on files of the same traits, under some settings."""

    settings: LintSettings
    with_catalog: bool
    rules: Sequence[Rule]
    running: dict[Traits, tuple[Rule, ...]] = field(default_factory=dict)


_MAX_TRAITS = 1_000
_latest: _Plans | None = None


def _running(subject: Subject, rules: Sequence[Rule]) -> Sequence[Rule]:
    """The rules to ask about a document; of many files most ask the same ones."""
    global _latest
    settings, with_catalog = subject.settings, subject.catalog is not None
    plans = _latest
    if (
        plans is None
        or plans.settings is not settings
        or plans.with_catalog != with_catalog
        or plans.rules is not rules
    ):
        plans = _latest = _Plans(settings, with_catalog, rules)
    traits = subject.traits
    running = plans.running.get(traits)
    if running is None:
        running = tuple(
            rule
            for rule in rules
            if traits.kind in rule.kinds
            and rule.about(traits)
            and (with_catalog or not rule.needs_catalog)
            and settings.runs(rule.code, rule.default)
        )
        if len(plans.running) >= _MAX_TRAITS:
            plans.running.clear()
        plans.running[traits] = running
    return running


_PROPERTY = re.compile(r"(?:^|[\s,\[{])[!&][^\s,\[\]{}]*\s*\Z")
_MOST_PROPERTY = 200


def _with_possible_fixes(subject: Subject, finding: Finding) -> Finding:
    """``finding`` without fixes that nobody may make: none in a bundle that is read-only, and
    none that would write another value behind a YAML tag or anchor its author chose.
    """
    if not subject.bundle.writable:
        return finding._replace(fixes=())
    frontmatter = subject.document.frontmatter
    if frontmatter is None:
        return finding
    text, inner = subject.document.text, frontmatter.inner
    fixes = tuple(
        fix
        for fix in finding.fixes
        if not any(_is_behind_property(text, inner, edit.span) for edit in fix.edits)
    )
    return finding if len(fixes) == len(finding.fixes) else finding._replace(fixes=fixes)


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
    return frozenset(() if frontmatter is None else frontmatter.strings("lint_skip"))
