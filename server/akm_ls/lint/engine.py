"""Runs the rules over one document."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from akm_ls.documents.document import Document
from akm_ls.lint.finding import Finding
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules import ALL_RULES

logger = logging.getLogger(__name__)

CODES = frozenset(rule.code for rule in ALL_RULES)
SKIPPABLE = frozenset(rule.code for rule in ALL_RULES if rule.skippable)
"""Codes that akm's ``lint_skip`` suppresses."""


def lint(subject: Subject, rules: Sequence[Rule] = ALL_RULES) -> tuple[Finding, ...]:
    """All findings of one document, in text order.

    A rule that fails is logged and loses its own answer only.
    """
    settings = subject.settings
    skipped = _skipped_codes(subject.document)
    found: list[Finding] = []
    for rule in rules:
        if (
            subject.document.kind not in rule.kinds
            or (rule.needs_catalog and subject.catalog is None)
            or (rule.skippable and rule.code in skipped)
            or not settings.runs(rule.code, rule.default)
        ):
            continue
        try:
            findings = list(rule.check(subject))
        except Exception:
            logger.exception("rule %s failed on %s", rule.code, subject.path)
            continue
        for finding in findings:
            level = settings.level(rule.code, finding.severity)
            if level != "off":
                found.append(
                    finding if level == finding.severity else replace(finding, severity=level)
                )
    found.sort(key=lambda finding: (finding.span, finding.code))
    return tuple(found)


def _skipped_codes(document: Document) -> frozenset[str]:
    frontmatter = document.frontmatter
    if frontmatter is None:
        return frozenset()
    return frozenset(frontmatter.strings("lint_skip"))
