"""Reading a changed text again: does every place say what it was meant to say?"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

from akm_ls.documents.document import Document, parse
from akm_ls.lint.finding import TextEdit
from akm_ls.lint.fixes import apply_edits
from akm_ls.lint.rules.link_targets import read_target
from akm_ls.refs import Ref
from akm_ls.workspace.renaming.occurrences import citings

if TYPE_CHECKING:
    from akm_ls.workspace.renaming.plan import Change
    from akm_ls.workspace.renaming.view import Source


def changed_text(document: Document, changes: Sequence[Change]) -> str:
    edits = [TextEdit(change.span, change.new_text) for change in changes]
    return apply_edits(document.text, edits)


def unreadable(source: Source, changes: Sequence[Change]) -> tuple[Change, ...]:
    """The changes of one file, in text order, that would not be read as what they mean.

    All of them when the text as a whole would be read differently: another number of refs.
    """
    before = source.document
    after = parse(changed_text(before, changes), before.kind)
    adapter = source.bundle.adapter
    refs = citings(after, adapter)
    if len(refs) != len(citings(before, adapter)) or len(after.links) != len(before.links):
        return tuple(changes)
    by_start = {citing.span.start: citing.ref for citing in refs}
    shift = 0
    failed: list[Change] = []
    for change in changes:
        start = change.span.start + shift
        shift += len(change.new_text) - (change.span.end - change.span.start)
        means = change.means
        if isinstance(means, Ref):
            read = by_start.get(start) or by_start.get(start + 1)
            right = _covers(after, start, means, by_start) if read is None else read == means
        elif isinstance(means, str) and change.kind == "link":
            right = _leads(after, start, means)
        elif change.kind == "path":
            right = " " not in change.new_text and any(
                code.inner.start <= start and start + len(change.new_text) <= code.inner.end
                for code in after.code_spans
            )
        else:
            right = True
        if not right:
            failed.append(change)
    return tuple(failed)


def _covers(document: Document, start: int, means: Ref, by_start: dict[int, Ref]) -> bool:
    """Whether a ref that begins before a changed fragment is what it should be."""
    starts = sorted(by_start)
    index = bisect_right(starts, start) - 1
    return index >= 0 and by_start[starts[index]] == means


def _leads(document: Document, start: int, means: str) -> bool:
    for link in document.links:
        span = link.target_span
        if link.kind != "autolink" and span.start <= start <= span.end:
            written = link.target.removeprefix("/")
            target = read_target(written)
            if target is None:
                return False
            if means.startswith("#"):
                return target.fragment is not None and unquote(target.fragment) == means[1:]
            return target.path == means
    # An inclusion has no escapes: its path is what stands there.
    return document.text.startswith(means, start)
