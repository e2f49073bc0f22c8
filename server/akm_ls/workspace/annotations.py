"""What an editor may show between the lines of a document: lenses and inlay hints."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from akm_ls.counts import count
from akm_ls.documents.occurrences import LIST_CHANNELS
from akm_ls.documents.text import Span
from akm_ls.refs import Ref
from akm_ls.search.ranking import BELIEF_CEILING
from akm_ls.search.result import estimate_tokens
from akm_ls.search.said import said_description

if TYPE_CHECKING:
    from akm_ls.index.stub import Stub
    from akm_ls.workspace.open_documents import OpenDocument
    from akm_ls.workspace.workspace import Workspace

SKILL_TOKENS = 5_000
SKILL_LINES = 500
"""What the Agent Skills specification recommends as the most for the body of a SKILL.md."""
MAX_HINTS = 500
"""Hints of one request; a screen holds far fewer."""
_MAX_LABEL = 60

LensKind = Literal["citations", "superseded", "tokens"]


@dataclass(frozen=True, slots=True)
class Shown:
    """Which annotations are wanted: the settings ``akm.codeLens.*`` and ``akm.inlayHints.*``."""

    citations: bool = True
    superseded: bool = True
    tokens: bool = True
    titles: bool = True
    targets: bool = True


_KEYS = {
    "codeLens.citations": "citations",
    "codeLens.superseded": "superseded",
    "codeLens.tokens": "tokens",
    "inlayHints.titles": "titles",
    "inlayHints.targets": "targets",
}


def read_shown(flag: Callable[[str, bool], bool], base: Shown) -> Shown:
    """The settings laid over ``base``; ``flag`` reads a key, with the value that stays."""
    return replace(base, **{name: flag(key, getattr(base, name)) for key, name in _KEYS.items()})


@dataclass(frozen=True, slots=True)
class Lens:
    """A line of text above ``span``. ``text`` is empty while it takes counting (`citations`)."""

    kind: LensKind
    span: Span
    text: str = ""
    fragment: str | None = None
    """The heading whose citations are meant."""
    target: Stub | None = None
    """The asset that the text names."""


def lenses(workspace: Workspace, opened: OpenDocument, shown: Shown) -> tuple[Lens, ...]:
    """The lenses of an asset: at its title, and at each heading that is cited."""
    entry = opened.entry
    if entry is None:
        return ()
    document = opened.document
    title = next((heading.span for heading in document.headings if heading.level == 1), None)
    if title is None:
        start = document.body_start if document.kind == "markdown" else 0
        title = document.lines.line_span(document.lines.line_of(start))
    found: list[Lens] = []
    if shown.superseded and entry.belief_state in BELIEF_CEILING:
        found.append(_belief(workspace, opened, title))
    if shown.citations:
        found.append(Lens("citations", title))
        if len(document.headings) > 1:
            found += _cited_headings(workspace, opened, title)
    if shown.tokens and entry.type == "skill" and os.path.basename(opened.path) == "SKILL.md":
        found.append(Lens("tokens", title, _size(opened)))
    return tuple(found)


def _belief(workspace: Workspace, opened: OpenDocument, title: Span) -> Lens:
    entry = opened.entry
    assert entry is not None
    for occurrence in opened.document.refs:
        if occurrence.channel == "supersededBy" and occurrence.ref is not None:
            resolution = workspace.catalog.resolve(
                occurrence.ref, entry.bundle, workspace.bundles, suggest=False
            )
            return Lens(
                "superseded", title, f"superseded by {occurrence.text}", target=resolution.stub
            )
    return Lens("superseded", title, str(entry.belief_state))


def _cited_headings(workspace: Workspace, opened: OpenDocument, title: Span) -> Iterator[Lens]:
    entry, document = opened.entry, opened.document
    assert entry is not None
    slugs = {
        heading.slug
        for citation in workspace.references(Ref(entry.bundle, entry.concept_id))
        if citation.fragment and (heading := document.fragment(citation.fragment)) is not None
    }
    for heading in document.headings:
        if heading.slug in slugs and heading.span != title:
            yield Lens("citations", heading.span, fragment=heading.slug)


def _size(opened: OpenDocument) -> str:
    body = opened.document.body
    tokens = estimate_tokens(len(body.strip()))
    lines = len(body.strip().splitlines())
    return (
        f"about {count(tokens, 'token')} in {count(lines, 'line')} when it is used "
        f"(recommended: up to {SKILL_TOKENS:,} and {SKILL_LINES:,})"
    )


def count_of_citations(number: int) -> str:
    return count(number, "citation") if number else "no citations"


@dataclass(frozen=True, slots=True)
class Hint:
    """A few words behind ``offset``; ``more`` is shown when somebody points at them."""

    offset: int
    label: str
    more: str
    target: Stub


def hints(
    workspace: Workspace, opened: OpenDocument, within: Span, shown: Shown
) -> tuple[Hint, ...]:
    """The inlay hints in a part of a document.

    Behind a bare concept id of the frontmatter the asset's title, or its type where it has none.
    Behind any ref that leads to an asset by another name than it says, that name.
    """
    if opened.bundle is None:
        return ()
    found: list[Hint] = []
    for occurrence in opened.document.refs:
        ref = occurrence.ref
        if ref is None or not within.start <= occurrence.span.end <= within.end:
            continue
        resolution = workspace.catalog.resolve(
            ref, opened.bundle.id, workspace.bundles, suggest=False
        )
        stub = resolution.stub
        if stub is None:
            continue
        home = ref.bundle or opened.bundle.id
        differs = (stub.bundle, stub.concept_id) != (home, ref.concept_id)
        description = said_description(stub)
        more = "\n\n".join(filter(None, [stub.ref, description]))
        if shown.targets and differs:
            found.append(Hint(occurrence.span.end, f"→ {stub.ref}", more, stub))
        elif shown.titles and ref.bundle is None and occurrence.channel in LIST_CHANNELS:
            label = _short(stub.title) if stub.title else stub.type
            found.append(Hint(occurrence.span.end, label, more, stub))
        if len(found) >= MAX_HINTS:
            break
    return tuple(found)


def _short(title: str) -> str:
    title = " ".join(title.split())
    return title if len(title) <= _MAX_LABEL else f"{title[: _MAX_LABEL - 1]}…"
