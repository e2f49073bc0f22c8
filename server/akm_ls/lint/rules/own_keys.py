"""Frontmatter keys that no tool has, but the author of a file: one habit, one hint."""

from __future__ import annotations

from collections.abc import Sequence

from akm_ls.bundles.schema import Place
from akm_ls.documents.document import Document
from akm_ls.documents.nodes import Mapping, Pair, Scalar
from akm_ls.documents.text import Span
from akm_ls.documents.yaml_mends import quoted
from akm_ls.lint.finding import Finding, Fix, Related, TextEdit
from akm_ls.lint.fixes import line_end
from akm_ls.lint.rule import Subject

MAX_NAMED = 5
"""Keys one finding names."""
OWN = "authors-own"
"""The ``reason`` in such a finding's data."""
_HOME = "metadata"


def authors_own(subject: Subject, place: Place, pairs: Sequence[Pair]) -> Finding:
    """One hint for all such keys of a document.

    Of 431 files of public collections with such keys 249 had more than one, mostly the same
    three in each file (``version``, ``author`` and ``dependencies``).
    """
    names = [pair.key.text for pair in pairs]
    what, they = ("is no key", "it") if len(names) == 1 else ("are no keys", "them")
    message = f"{_listed(names)} {what} of {place.kind.title}; tools pass over {they}."
    fix: Fix | None = None
    if place.kind.id == "skill":
        message += f" Facts of your own go under `{_HOME}`."
        fix = _move(subject.document, pairs)
    first, *others = pairs
    return Finding(
        "unknown-key",
        "hint",
        message,
        first.key.span,
        related=tuple(
            Related(subject.path, f"`{pair.key.text}`", pair.key.span)
            for pair in others[: MAX_NAMED - 1]
        ),
        data={"key": names[0], "keys": names, "suggestions": [], "reason": OWN},
        fixes=() if fix is None else (fix,),
    )


def _listed(names: Sequence[str]) -> str:
    shown = [f"`{name}`" for name in names[:MAX_NAMED]]
    if len(names) > MAX_NAMED:
        return f"{', '.join(shown)} and {len(names) - MAX_NAMED} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _move(document: Document, pairs: Sequence[Pair]) -> Fix | None:
    """The keys with a value of one line, below ``metadata``, where each value is a text."""
    frontmatter = document.frontmatter
    if frontmatter is None or frontmatter.problem is not None or not frontmatter.closed:
        return None
    home = frontmatter.root.pair(_HOME)
    target = None if home is None else home.value
    if home is not None and not (isinstance(target, Mapping) and target.pairs and not target.flow):
        return None
    taken = {pair.key.text for pair in target.pairs} if isinstance(target, Mapping) else set()
    moved = [
        (pair, line)
        for pair in pairs
        if pair.key.text not in taken and (line := _whole_line(document, pair)) is not None
    ]
    if not moved:
        return None
    text, end = document.text, line_end(document.text)
    indent = "  "
    if isinstance(target, Mapping):
        start = target.pairs[0].key.span.start
        indent = text[document.lines.start_of(document.lines.line_of(start)) : start]
        if indent.strip() or not indent:
            return None
    lines = "".join(f"{indent}{_as_text(document, pair)}{end}" for pair, _ in moved)
    edits = [TextEdit(line, "") for _, line in moved]
    if isinstance(target, Mapping):
        last = document.lines.line_of(max(target.span.end - 1, target.span.start))
        at = document.lines.start_of(last + 1)
        edits.append(TextEdit(Span(at, at), lines))
    else:
        edits[0] = TextEdit(moved[0][1], f"{_HOME}:{end}{lines}")
    title = f"Move {_listed([pair.key.text for pair, _ in moved])} under `{_HOME}`"
    edits.sort(key=lambda edit: edit.span)
    return Fix(title, tuple(edits))


def _whole_line(document: Document, pair: Pair) -> Span | None:
    """The line of a key that has nothing but a short value behind it, with its line end."""
    value = pair.value
    if not isinstance(value, Scalar) or value.style in ("|", ">") or value.tag:
        return None
    lines = document.lines
    line = lines.line_of(pair.key.span.start)
    if lines.start_of(line) != pair.key.span.start:
        return None
    if value.span.end > value.span.start and lines.line_of(value.span.end - 1) != line:
        return None
    if document.text[pair.key.span.end : value.span.start].strip(" \t:\"'"):
        return None  # an anchor
    return Span(pair.key.span.start, lines.start_of(line + 1))


def _as_text(document: Document, pair: Pair) -> str:
    """A key's line without its line end, its value in quotes where it would be no text."""
    value, text = pair.value, document.text
    line = document.lines.line_span(document.lines.line_of(pair.key.span.start))
    source = line.of(text)
    if not isinstance(value, Scalar) or isinstance(value.plain, str) or not value.text:
        return source
    start, end = value.span.start - line.start, value.span.end - line.start
    return f"{source[:start]}{quoted(value.text)}{source[end:]}"
