"""Between the domain's values and the protocol's: the only place that converts positions."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types as lsp

from akm_ls.documents.text import LineIndex, PositionEncoding, Span
from akm_ls.lint.finding import Finding
from akm_ls.lsp.buffers import uri_of
from akm_ls.search.references import LocatedCitation

ENCODINGS: dict[lsp.PositionEncodingKind | str, PositionEncoding] = {
    lsp.PositionEncodingKind.Utf8: "utf-8",
    lsp.PositionEncodingKind.Utf16: "utf-16",
    lsp.PositionEncodingKind.Utf32: "utf-32",
}

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


def to_range(lines: LineIndex, span: Span, encoding: PositionEncoding) -> lsp.Range:
    start, end = lines.range(span, encoding)
    return lsp.Range(lsp.Position(*start), lsp.Position(*end))


def to_offset(lines: LineIndex, position: lsp.Position, encoding: PositionEncoding) -> int:
    return lines.offset(position.line, position.character, encoding)


def file_start() -> lsp.Range:
    return lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))


def to_diagnostic(finding: Finding, lines: LineIndex, encoding: PositionEncoding) -> lsp.Diagnostic:
    related: Sequence[lsp.DiagnosticRelatedInformation] = [
        lsp.DiagnosticRelatedInformation(
            lsp.Location(
                uri_of(place.path),
                file_start() if place.span is None else to_range(lines, place.span, encoding),
            ),
            place.message,
        )
        for place in finding.related
    ]
    return lsp.Diagnostic(
        range=to_range(lines, finding.span, encoding),
        severity=_SEVERITY[finding.severity],
        code=finding.code,
        source="akm",
        message=finding.message,
        tags=[_TAG[tag] for tag in finding.tags] or None,
        related_information=related or None,
        data=dict(finding.data) or None,
    )


def citation_range(citation: LocatedCitation, encoding: PositionEncoding) -> lsp.Range:
    start, end = citation.characters(encoding)
    return lsp.Range(
        lsp.Position(citation.line, start),
        lsp.Position(citation.line, end),
    )
