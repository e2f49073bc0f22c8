"""A tag that gets another name in every asset of a bundle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from akm_ls.documents.nodes import Scalar, scalar_items
from akm_ls.lint.frontmatter_edits import FrontmatterEdits
from akm_ls.workspace.renaming.moving import require_writable_source, settle
from akm_ls.workspace.renaming.occurrences import quoted
from akm_ls.workspace.renaming.plan import Change, Plan, RenameRefused

if TYPE_CHECKING:
    from akm_ls.workspace.renaming.view import Source, View


def rename_tag(view: View, source: Source, tag: str, typed: str) -> Plan:
    """The plan for another tag in all files of the bundle of ``source``.

    Where a file has the new tag already, the old one goes. Tags that come from a directory's name
    are no text and stay.

    Raises:
        RenameRefused: with the reason in words.
    """
    require_writable_source(source)
    new = typed.strip()
    if new == tag:
        return Plan()
    if not new:
        raise RenameRefused("The new tag is empty.")
    if any(char in new for char in ",\n\r[]{}#") or not new.isprintable():
        raise RenameRefused(f'"{new}" cannot be a tag: leave out commas, brackets and "#".')
    found: list[tuple[Source, list[Change]]] = []
    for other in view.sources_with([tag]):
        if other.bundle.id == source.bundle.id:
            changes = list(_changes(other, tag, new))
            if changes:
                found.append((other, changes))
    files, left = settle(found)
    return Plan(files=files, left=left)


def tag_items(source: Source) -> tuple[Scalar, ...]:
    """The tags of a file where they stand as items, one by one."""
    frontmatter = source.document.frontmatter
    if frontmatter is None or source.document.kind != "markdown":
        return ()
    return tuple(
        item
        for item in scalar_items(frontmatter.get("tags"))
        if item.style not in ("|", ">") and item.text.strip() and "," not in item.text
    )


def _changes(source: Source, tag: str, new: str) -> Iterator[Change]:
    items = tag_items(source)
    texts = [item.text.strip() for item in items]
    for index, item in enumerate(items):
        if texts[index] != tag or source.document.text[item.span.start] == "*":
            continue
        if new in texts:
            edits = FrontmatterEdits(source.document)
            if edits.remove("tags", index):
                for edit in edits.edits():
                    yield Change(edit.span, edit.new_text, "tag")
                continue
        quote = item.style if item.style in ("'", '"') else ""
        yield Change(item.inner, quoted(new, quote), "tag")  # type: ignore[arg-type]
