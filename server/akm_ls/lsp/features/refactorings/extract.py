"""Make a section a file of its own, and leave a ref to it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial

from lsprotocol import types as lsp

from akm_ls.bundles.adapters import adapter_of
from akm_ls.documents.document import parse
from akm_ls.documents.markdown import Heading
from akm_ls.documents.slugs import akm_slug
from akm_ls.documents.text import Span
from akm_ls.lint.finding import Fix, TextEdit
from akm_ls.lint.fixes import apply_edits, line_end
from akm_ls.lint.rules.link_targets import read_target
from akm_ls.lsp.features.refactorings.cursor import Cursor, Offer
from akm_ls.lsp.features.relative import anchor_of, bases_of
from akm_ls.workspace.templates import NewAsset, template_for

KINDS = (lsp.CodeActionKind.RefactorExtract,)
_SAME_TYPE = frozenset(("knowledge", "instruction", "memory", "lesson", "fact"))
_ELSEWHERE = frozenset(("agent", "command"))
MAX_NAMES = 50


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the new file goes. ``by_link``: tools read it by its path and know no refs."""

    type: str
    rel: str
    by_link: bool


def offers(cursor: Cursor) -> Iterator[Offer]:
    if (
        not cursor.session.client.can_change_files(lsp.ResourceOperationKind.Create)
        or cursor.opened.document.kind != "markdown"
    ):
        return
    heading = _heading(cursor)
    place = None if heading is None else _place(cursor, heading)
    if heading is None or place is None:
        return
    yield Offer(
        "extract",
        f"Extract this section to {place.rel}",
        lsp.CodeActionKind.RefactorExtract,
        partial(_build, cursor, heading, place),
    )


def _heading(cursor: Cursor) -> Heading | None:
    """The heading of the selection's first line, if there is something below it."""
    document = cursor.opened.document
    line = document.lines.line_of(cursor.start)
    for heading in document.headings:
        if heading.line == line and heading.level > 1:
            below = Span(heading.span.end, heading.section.end).of(document.text)
            return heading if below.strip() else None
    return None


def _place(cursor: Cursor, heading: Heading) -> _Place | None:
    entry, opened = cursor.opened.entry, cursor.opened
    bases = bases_of(cursor.session, opened)
    if bases is None:
        return None
    name = akm_slug(heading.text) or "section"
    root = cursor.bundle.real_root
    folder = os.path.relpath(bases.folder, root).replace(os.sep, "/")
    folder = "" if folder == "." else f"{folder}/"
    if bases.skill is not None:
        main = bases.folder == bases.skill
        place = _Place("knowledge", f"{folder}references/" if main else folder, True)
    elif cursor.bundle.adapter in ("okf", "llm-wiki"):
        place = _Place("knowledge", folder, True)
    elif entry is None or cursor.bundle.adapter != "akm":
        return None
    elif entry.type in _SAME_TYPE:
        place = _Place(entry.type, folder, False)
    elif entry.type in _ELSEWHERE:
        place = _Place("knowledge", "knowledge/", False)
    else:
        return None
    taken = cursor.session.workspace.surroundings.names(
        os.path.normpath(os.path.join(root, place.rel))
    )
    lowered = {name.lower() for name in taken}
    for number in range(1, MAX_NAMES):
        file = f"{name}.md" if number == 1 else f"{name}-{number}.md"
        if file.lower() not in lowered and file not in ("index.md", "log.md", "readme.md"):
            return _Place(place.type, place.rel + file, place.by_link)
    return None


def _build(cursor: Cursor, heading: Heading, place: _Place) -> Fix | None:
    document, bundle = cursor.opened.document, cursor.bundle
    eol = line_end(document.text)
    path = os.path.join(bundle.real_root, *place.rel.split("/"))
    text = _new_text(cursor, heading, place, path, eol)
    if text is None:
        return None
    folder = os.path.dirname(cursor.opened.path)
    relative = os.path.relpath(path, folder).replace(os.sep, "/")
    if place.by_link:
        pointer = f"See [{heading.text}]({relative})."
    else:
        recognition = adapter_of(bundle).recognise(place.rel, parse(text))
        if recognition is None:
            return None
        pointer = f"See {bundle.id}//{recognition.concept_id}."
    below = Span(heading.span.end, heading.section.end)
    last = heading.section.end >= len(document.text.rstrip())
    new = f"{eol}{eol}{pointer}{eol}" + ("" if last else eol)
    return Fix("Extract", (TextEdit(below, new),), creates={path: text})


def _new_text(cursor: Cursor, heading: Heading, place: _Place, path: str, eol: str) -> str | None:
    """The file: frontmatter of its type, the heading as its title, what stood below it."""
    document, entry = cursor.opened.document, cursor.opened.entry
    below = Span(heading.span.end, heading.section.end)
    edits = [
        TextEdit(Span(inner.span.start, inner.span.start + heading.level - 1), "")
        for inner in document.headings
        if below.start <= inner.span.start < below.end
    ]
    edits += _moved_links(cursor, below, path)
    moved = [
        TextEdit(Span(edit.span.start - below.start, edit.span.end - below.start), edit.new_text)
        for edit in edits
    ]
    content = apply_edits(below.of(document.text), moved).strip("\r\n")
    body = f"# {heading.text}{eol}{eol}{content}{eol}"
    if place.by_link and cursor.bundle.adapter not in ("okf", "llm-wiki"):
        return body
    own = () if entry is None or place.by_link else (entry.concept_id,)
    new = NewAsset(
        place.rel.rpartition("/")[2].removesuffix(".md"),
        date.today().isoformat(),
        title=heading.text,
        description=heading.text,
        xrefs=own,
        body="\0",
    )
    template = template_for(place.type, new)
    if template is None:
        return None
    head = template.text.partition("\0")[0].replace("\n", eol)
    return head + body


def _moved_links(cursor: Cursor, below: Span, path: str) -> Iterator[TextEdit]:
    """Relative links of the section as they are written in the new file."""
    document = cursor.opened.document
    before, after = os.path.dirname(cursor.opened.path), os.path.dirname(path)
    for link in document.links:
        if link.kind == "autolink" or not below.start <= link.span.start < below.end:
            continue
        target = read_target(link.target)
        if target is None or target.variable is not None:
            continue
        start = link.target_span.start
        if not target.path:
            anchor = anchor_of(document, target.fragment or "")
            inside = anchor is not None and below.start <= anchor.span.start < below.end
            if anchor is not None and not inside:
                back = os.path.relpath(cursor.opened.path, after).replace(os.sep, "/")
                yield TextEdit(Span(start, start), back)
        elif before != after:
            there = os.path.normpath(os.path.join(before, *target.path.split("/")))
            moved = os.path.relpath(there, after).replace(os.sep, "/")
            moved += "/" if target.path.endswith("/") else ""
            written = link.target[: target.written]
            if "%" not in written and "\\" not in written:
                yield TextEdit(Span(start, start + target.written), moved)
