"""What a rule says about a document, and the edits that would mend it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from akm_ls.documents.text import Span

Severity = Literal["error", "warning", "information", "hint"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "information", "hint")
"""From the gravest to the mildest."""

Tag = Literal["deprecated", "unnecessary"]

_NONE: Mapping[str, Any] = {}
"""Shared, as nobody changes what a finding holds."""


class TextEdit(NamedTuple):
    """Replace the characters of ``span`` by ``new_text``."""

    span: Span
    new_text: str


class Fix(NamedTuple):
    """Edits to the document the finding is in, and to others.

    ``safe`` fixes keep the author's meaning and may be applied without asking; one that touches
    another file never is. ``elsewhere`` has edits by canonical path, ``creates`` the text of new
    files by path, ``deletes`` files to remove: only ever what the title says.
    """

    title: str
    edits: tuple[TextEdit, ...] = ()
    safe: bool = False
    preferred: bool = True
    elsewhere: Mapping[str, tuple[TextEdit, ...]] = _NONE
    creates: Mapping[str, str] = _NONE
    deletes: tuple[str, ...] = ()

    @property
    def unasked(self) -> bool:
        """Whether it may be applied without asking: safe, and in the finding's document alone."""
        reaches_out = self.elsewhere or self.creates or self.deletes
        return self.safe and bool(self.edits) and not reaches_out


class Related(NamedTuple):
    """Another place that explains a finding; ``span`` is ``None`` for the file as a whole."""

    path: str
    message: str
    span: Span | None = None


class Finding(NamedTuple):
    """One fault at one place. ``span`` is in ``str`` offsets of the document's text."""

    code: str
    severity: Severity
    message: str
    span: Span
    related: tuple[Related, ...] = ()
    data: Mapping[str, object] = _NONE
    fixes: tuple[Fix, ...] = ()
    tags: tuple[Tag, ...] = ()

    @property
    def fixable(self) -> bool:
        """Whether some fix is safe to apply unasked."""
        return self.safe_fix is not None

    @property
    def safe_fix(self) -> Fix | None:
        """The fix to apply unasked: the first one that may be."""
        return next((fix for fix in self.fixes if fix.unasked), None)


def at_least(severity: Severity, threshold: Severity) -> bool:
    """Whether ``severity`` is as grave as ``threshold`` or graver."""
    return SEVERITIES.index(severity) <= SEVERITIES.index(threshold)
