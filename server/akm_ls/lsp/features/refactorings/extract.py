"""Make a section a file of its own, and leave a ref to it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from lsprotocol import types as lsp

from akm_ls.bundles.adapters import adapter_of
from akm_ls.documents.document import Document, parse
from akm_ls.documents.markdown import Heading, Link
from akm_ls.documents.slugs import akm_slug
from akm_ls.documents.text import Span
from akm_ls.lint.finding import Fix, TextEdit
from akm_ls.lint.fixes import apply_edits, line_end
from akm_ls.lint.rules.link_targets import read_target
from akm_ls.lsp.features.refactorings.cursor import Cursor, Offer
from akm_ls.lsp.features.relative import anchor_of, bases_of
from akm_ls.refs import Ref, is_writable_in_prose
from akm_ls.workspace.renaming.extracting import Extraction, follow_section
from akm_ls.workspace.renaming.plan import Change
from akm_ls.workspace.renaming.view import view_of
from akm_ls.workspace.templates import NewAsset, template_for

KINDS = (lsp.CodeActionKind.RefactorExtract,)
_SAME_TYPE = frozenset(("knowledge", "instruction", "memory", "lesson", "fact"))
_ELSEWHERE = frozenset(("agent", "command"))
MAX_NAMES = 50
_LABEL = re.compile(r"\[([^\[\]\n]{1,300})\](?!:)")


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
    below = Span(heading.span.end, heading.section.end)
    new_document = parse(text)
    recognition = adapter_of(bundle).recognise(place.rel, new_document)
    ref = None if recognition is None else Ref(bundle.id, recognition.concept_id)
    view = view_of(cursor.session.workspace)
    source = view.source(cursor.opened.path)
    if source is None:
        return None
    plan, inside = follow_section(view, Extraction(source, below, path, ref, new_document))
    if inside:
        text = _new_text(cursor, heading, place, path, eol, inside)
        if text is None:
            return None
    folder = os.path.dirname(cursor.opened.path)
    relative = os.path.relpath(path, folder).replace(os.sep, "/")
    if place.by_link:
        pointer = f"See [{heading.text}]({relative})."
    elif ref is None or not is_writable_in_prose(str(ref)):
        return None
    else:
        pointer = f"See {ref}."
    last = heading.section.end >= len(document.text.rstrip())
    kept = [_line_of(cursor, it).of(document.text) for it in _definitions(cursor, below, True)]
    pointer = eol.join((pointer, "", *kept)) if kept else pointer
    new = f"{eol}{eol}{pointer}{eol}" + ("" if last else eol)
    edits = [TextEdit(below, new)]
    elsewhere = {}
    for file in plan.files:
        changed = [TextEdit(change.span, change.new_text) for change in file.changes]
        if file.source.path == source.path:
            edits += changed
        else:
            elsewhere[file.source.path] = tuple(changed)
    edits.sort(key=lambda edit: edit.span)
    return Fix("Extract", tuple(edits), elsewhere=elsewhere, creates={path: text})


def _definitions(cursor: Cursor, below: Span, inside: bool) -> list[Link]:
    """The definitions of links (``[label]: target``) on one side that the other side uses."""
    document = cursor.opened.document
    text = document.text
    there = [
        link
        for link in document.links
        if link.kind == "definition" and (below.start <= link.span.start < below.end) == inside
    ]
    if not there:
        return []
    body = document.body_start
    sides = (text[body : below.start], text[below.end :]) if inside else (below.of(text),)
    used = {_label(label) for side in sides for label in _LABEL.findall(side)}
    return [link for link in there if _label(link.text_span.of(text)) in used]


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()


def _line_of(cursor: Cursor, link: Link) -> Span:
    lines = cursor.opened.document.lines
    return lines.line_span(lines.line_of(link.span.start))


def _new_text(
    cursor: Cursor,
    heading: Heading,
    place: _Place,
    path: str,
    eol: str,
    inside: Sequence[Change] = (),
) -> str | None:
    """The file: frontmatter of its type, the heading as its title, what stood below it.

    ``inside`` are changes of places in it that name other places in it.
    """
    document, entry = cursor.opened.document, cursor.opened.entry
    below = Span(heading.span.end, heading.section.end)
    edits = [
        TextEdit(Span(inner.span.start, inner.span.start + heading.level - 1), "")
        for inner in document.headings
        if below.start <= inner.span.start < below.end
    ]
    changed = [TextEdit(change.span, change.new_text) for change in inside]
    edits += changed
    edits += [
        edit
        for edit in _moved_links(cursor, below, below, path)
        if not any(it.span.start <= edit.span.start <= it.span.end for it in changed)
    ]
    content = _edited(document, below, edits).strip("\r\n")
    copied = [
        _edited(document, line, list(_moved_links(cursor, line, below, path)))
        for link in _definitions(cursor, below, False)
        if (line := _line_of(cursor, link))
    ]
    content = eol.join((content, "", *copied)) if copied else content
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


def _edited(document: Document, where: Span, edits: Sequence[TextEdit]) -> str:
    """A part of a document after edits in it."""
    moved = [
        TextEdit(Span(edit.span.start - where.start, edit.span.end - where.start), edit.new_text)
        for edit in edits
    ]
    return apply_edits(where.of(document.text), moved)


def _moved_links(cursor: Cursor, where: Span, below: Span, path: str) -> Iterator[TextEdit]:
    """Relative links in ``where`` as they are written in the new file of what is ``below``."""
    document = cursor.opened.document
    before, after = os.path.dirname(cursor.opened.path), os.path.dirname(path)
    for link in document.links:
        if link.kind == "autolink" or not where.start <= link.span.start < where.end:
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
