"""Applying fixes to a text."""

from __future__ import annotations

from collections.abc import Iterable

from akm_ls.lint.finding import Finding, TextEdit


def safe_edits(findings: Iterable[Finding]) -> tuple[TextEdit, ...]:
    """The edits of all safe fixes, in text order; of two that overlap, the first one stays."""
    candidates = [
        fix.edits for finding in findings for fix in finding.fixes[:1] if fix.safe and fix.edits
    ]
    taken: list[TextEdit] = []
    for edits in sorted(candidates, key=lambda edits: edits[0].span):
        if all(_apart(edit, other) for edit in edits for other in taken):
            taken.extend(edits)
    return tuple(sorted(taken, key=lambda edit: edit.span))


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """``text`` with non-overlapping ``edits`` applied."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        pieces += (text[at : edit.span.start], edit.new_text)
        at = edit.span.end
    return "".join((*pieces, text[at:]))


def _apart(one: TextEdit, other: TextEdit) -> bool:
    if one.span == other.span:
        return False
    return one.span.end <= other.span.start or other.span.end <= one.span.start
