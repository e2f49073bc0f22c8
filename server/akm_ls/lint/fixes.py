"""Applying fixes to a text."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from akm_ls.documents.text import Span
from akm_ls.lint.finding import Finding, Fix, TextEdit

ROUNDS = 10
"""How often a text is linted and mended again: one fix may make room for another."""

_LINE_END = re.compile(r"\r\n|\n|\r")
_MOST_LINES = 5_000
"""Texts with more lines are compared at their two ends only."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A text with its safe fixes applied. ``findings`` counts those that were mended."""

    text: str
    findings: int


def safe_fixes(findings: Iterable[Finding]) -> tuple[Fix, ...]:
    """The fixes to apply unasked, in text order; of two that overlap, the first one stays.

    A fix of several edits is taken whole or not at all.
    """
    candidates = [fix for finding in findings if (fix := finding.safe_fix) is not None]
    candidates.sort(key=lambda fix: min(edit.span for edit in fix.edits))
    taken: list[Span] = []
    chosen: list[Fix] = []
    for fix in candidates:
        spans = sorted(edit.span for edit in fix.edits)
        if any(map(_overlap, spans, spans[1:])) or any(_is_taken(span, taken) for span in spans):
            continue
        chosen.append(fix)
        for span in spans:
            taken.insert(bisect_left(taken, span), span)
    return tuple(chosen)


def safe_edits(findings: Iterable[Finding]) -> tuple[TextEdit, ...]:
    """The edits of `safe_fixes`, in text order."""
    edits = [edit for fix in safe_fixes(findings) for edit in fix.edits]
    return tuple(sorted(edits, key=lambda edit: edit.span))


def fix_text(text: str, lint: Callable[[str], Sequence[Finding]], rounds: int = ROUNDS) -> Fixed:
    """``text`` with safe fixes applied until ``lint`` has none left, ``rounds`` times at most."""
    seen = {text}
    count = 0
    for _ in range(rounds):
        fixes = safe_fixes(lint(text))
        mended = apply_edits(text, [edit for fix in fixes for edit in fix.edits])
        if mended in seen:
            break
        seen.add(mended)
        text = mended
        count += len(fixes)
    return Fixed(text, count)


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """``text`` with non-overlapping ``edits`` applied."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        pieces += (text[at : edit.span.start], edit.new_text)
        at = edit.span.end
    return "".join((*pieces, text[at:]))


def edits_between(old: str, new: str) -> tuple[TextEdit, ...]:
    """Edits that make ``new`` of ``old`` and leave the lines both have alone."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    if max(len(before), len(after)) > _MOST_LINES:
        return _middle(old, new)
    edits: list[TextEdit] = []
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, low, high, new_low, new_high in matcher.get_opcodes():
        if kind != "equal":
            span = Span(starts[low], starts[high])
            edits.append(TextEdit(span, "".join(after[new_low:new_high])))
    return tuple(edits)


def line_end(text: str) -> str:
    """The line end a text uses: that of its first line, ``\\n`` when it has none."""
    match = _LINE_END.search(text)
    return match.group() if match else "\n"


def _middle(old: str, new: str) -> tuple[TextEdit, ...]:
    if old == new:
        return ()
    shorter = min(len(old), len(new))
    start = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    tail = next((i for i in range(shorter - start) if old[-1 - i] != new[-1 - i]), shorter - start)
    return (TextEdit(Span(start, len(old) - tail), new[start : len(new) - tail]),)


def _is_taken(span: Span, taken: Sequence[Span]) -> bool:
    """Whether ``span`` overlaps one of the ordered, disjoint spans ``taken``."""
    index = bisect_left(taken, span)
    return any(_overlap(span, other) for other in taken[max(0, index - 1) : index + 1])


def _overlap(one: Span, other: Span) -> bool:
    """Whether two edits meet; two insertions at one place do, as their order would be a guess."""
    if one == other:
        return True
    return one.start < other.end and other.start < one.end
