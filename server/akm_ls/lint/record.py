"""Findings as plain values, to be kept in a file between two runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from akm_ls.documents.text import Span
from akm_ls.lint.finding import Finding, Fix, Related, TextEdit


def to_plain(finding: Finding) -> list[Any]:
    """A finding as JSON knows it; `from_plain` makes an equal one of it."""
    return [
        finding.code,
        finding.severity,
        finding.message,
        list(finding.span),
        [[item.path, item.message, item.span and list(item.span)] for item in finding.related],
        _plain(finding.data),
        [
            [
                fix.title,
                _edits(fix.edits),
                fix.safe,
                fix.preferred,
                {path: _edits(edits) for path, edits in fix.elsewhere.items()},
                dict(fix.creates),
                list(fix.deletes),
            ]
            for fix in finding.fixes
        ],
        list(finding.tags),
    ]


def from_plain(plain: Sequence[Any]) -> Finding:
    """The finding that `to_plain` wrote.

    Raises:
        ValueError, TypeError, KeyError, AttributeError: for anything else.
    """
    code, severity, message, span, related, data, fixes, tags = plain
    return Finding(
        code,
        severity,
        message,
        Span(*span),
        tuple([Related(path, text, at and Span(*at)) for path, text, at in related]),
        data,
        ()
        if not fixes
        else tuple(
            Fix(
                title,
                _read_edits(edits),
                safe,
                preferred,
                {path: _read_edits(items) for path, items in elsewhere.items()},
                creates,
                tuple(deletes),
            )
            for title, edits, safe, preferred, elsewhere, creates, deletes in fixes
        ),
        tuple(tags),
    )


def _edits(edits: Sequence[TextEdit]) -> list[list[Any]]:
    return [[*edit.span, edit.new_text] for edit in edits]


def _read_edits(plain: Sequence[Sequence[Any]]) -> tuple[TextEdit, ...]:
    return tuple(TextEdit(Span(start, end), text) for start, end, text in plain)


def _plain(value: object) -> Any:
    """``data`` with tuples as lists and mappings as dictionaries."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict | Mapping):  # most are the former, which is told at once
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return value
