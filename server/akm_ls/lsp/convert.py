"""Between the domain's values and the protocol's: the only place that converts positions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from lsprotocol import types as lsp

from akm_ls.documents.text import LineIndex, PositionEncoding, Span
from akm_ls.lint.finding import Finding
from akm_ls.lint.pages import rule_url
from akm_ls.search.references import LocatedCitation

_SEVERITY = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "information": lsp.DiagnosticSeverity.Information,
    "hint": lsp.DiagnosticSeverity.Hint,
}
_TAG = {
    "deprecated": lsp.DiagnosticTag.Deprecated,
    "unnecessary": lsp.DiagnosticTag.Unnecessary,
}
ALL_TAGS = frozenset(_TAG.values())


def to_range(lines: LineIndex, span: Span, encoding: PositionEncoding) -> lsp.Range:
    start, end = lines.range(span, encoding)
    return lsp.Range(lsp.Position(*start), lsp.Position(*end))


def to_offset(lines: LineIndex, position: lsp.Position, encoding: PositionEncoding) -> int:
    return lines.offset(position.line, position.character, encoding)


def file_start() -> lsp.Range:
    return lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))


def to_diagnostic(
    finding: Finding,
    lines: LineIndex,
    encoding: PositionEncoding,
    uri_of: Callable[[str], str],
    *,
    related: bool = True,
    tags: Collection[lsp.DiagnosticTag] = ALL_TAGS,
) -> lsp.Diagnostic:
    """A finding as the protocol has it; ``related`` is whether the client shows other places.

    ``tags`` are those the client knows. The span of a related place is in this document, or has
    none.
    """
    places: Sequence[lsp.DiagnosticRelatedInformation] = [
        lsp.DiagnosticRelatedInformation(
            lsp.Location(
                uri_of(place.path),
                file_start() if place.span is None else to_range(lines, place.span, encoding),
            ),
            place.message,
        )
        for place in (finding.related if related else ())
    ]
    return lsp.Diagnostic(
        range=to_range(lines, finding.span, encoding),
        severity=_SEVERITY[finding.severity],
        code=finding.code,
        code_description=lsp.CodeDescription(rule_url(finding.code)),
        source="akm",
        message=finding.message,
        tags=[_TAG[tag] for tag in finding.tags if _TAG[tag] in tags] or None,
        related_information=places or None,
        data=dict(finding.data) or None,
    )


def citation_range(citation: LocatedCitation, encoding: PositionEncoding) -> lsp.Range:
    start, end = citation.characters(encoding)
    return lsp.Range(
        lsp.Position(citation.line, start),
        lsp.Position(citation.line, end),
    )
