"""How this asset stands to another one: cite it in ``xrefs``, or step back behind it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

from lsprotocol import types as lsp

from akm_ls.bundles.entry import Entry
from akm_ls.index.stub import Stub
from akm_ls.lint.finding import Fix
from akm_ls.lint.frontmatter_edits import FrontmatterEdits
from akm_ls.lint.rules.superseded import DEMOTING_STATES
from akm_ls.lsp.features.refactorings.cursor import Cursor, Offer
from akm_ls.refs import is_writable_in_prose

KINDS = (lsp.CodeActionKind.RefactorRewrite,)
_WITHOUT_XREFS = frozenset(("session", "task", "env", "secret", "script"))


def offers(cursor: Cursor) -> Iterator[Offer]:
    own, other = cursor.opened.entry, cursor.named
    if (
        own is None
        or other is None
        or own.type in _WITHOUT_XREFS
        or cursor.bundle.adapter != "akm"
        or cursor.opened.document.kind != "markdown"
    ):
        return
    occurrence = cursor.occurrence
    if not _holds(cursor, "xrefs", other) and (occurrence is None or occurrence.channel == "prose"):
        offer = Offer(
            "add-xref",
            f"Add {cursor.spelled(other)} to xrefs",
            lsp.CodeActionKind.RefactorRewrite,
            partial(_add_xref, cursor, other),
        )
        if offer.build() is not None:
            yield offer
    if other.type in _WITHOUT_XREFS or (own.belief_state or "") in DEMOTING_STATES:
        return
    bundle = cursor.session.workspace.bundles.get(other.bundle)
    if bundle is None or not bundle.writable or _same_skill(own, other):
        return
    offer = Offer(
        "supersede",
        f"Mark this as superseded by {cursor.spelled(other)}",
        lsp.CodeActionKind.RefactorRewrite,
        partial(_supersede, cursor, other),
    )
    if offer.build() is not None:
        yield offer


def _same_skill(own: Entry | Stub, other: Stub) -> bool:
    """Whether one is a skill and the other a file of it: a part replaces no whole."""
    for skill, part in ((own.path, other.path), (other.path, own.path)):
        folder, name = os.path.split(skill)
        if name == "SKILL.md" and part.startswith(os.path.join(folder, "")):
            return True
    return False


def _holds(cursor: Cursor, channel: str, stub: Stub) -> bool:
    """Whether a frontmatter list of this document names an asset."""
    return any(
        it.ref is not None
        and it.channel == channel
        and cursor.session.workspace.catalog.find(
            it.ref.bundle or cursor.bundle.id, it.ref.concept_id
        )
        == stub
        for it in cursor.opened.document.refs
    )


def _add_xref(cursor: Cursor, other: Stub) -> Fix | None:
    edits = FrontmatterEdits(cursor.opened.document)
    if not edits.append("xrefs", cursor.spelled(other)):
        return None
    return Fix("Add to xrefs", edits.edits())


def _supersede(cursor: Cursor, other: Stub) -> Fix | None:
    """Both files: this one says by what, the other one cites it."""
    own = cursor.opened.entry
    workspace = cursor.session.workspace
    path = workspace.canonical(other.path)
    document = workspace.document(path)
    if own is None or document is None or document.kind != "markdown":
        return None
    ours, theirs = FrontmatterEdits(cursor.opened.document), FrontmatterEdits(document)
    if not ours.set("beliefState", "superseded"):
        return None
    if not _holds(cursor, "supersededBy", other) and not ours.append(
        "supersededBy", cursor.spelled(other)
    ):
        return None
    spelled = own.concept_id if own.bundle == other.bundle else own.ref
    cited = any(
        it.ref is not None
        and it.channel in ("xrefs", "refs")
        and (it.ref.bundle or other.bundle, it.ref.concept_id) == (own.bundle, own.concept_id)
        for it in document.refs
    )
    if not cited and not theirs.append("xrefs", spelled):
        return None
    elsewhere = {} if cited else {path: theirs.edits()}
    return Fix("Mark as superseded", ours.edits(), elsewhere=elsewhere)


def ref_here(cursor: Cursor) -> tuple[str, str] | None:
    """The ref of this asset, or of the heading at the cursor, and what it is of.

    ``None`` for one that cannot be pasted everywhere.
    """
    own = cursor.opened.entry
    if own is None or not is_writable_in_prose(own.ref):
        return None
    line = cursor.opened.document.lines.line_of(cursor.start)
    for heading in cursor.opened.document.headings:
        if heading.line == line and heading.level > 1 and heading.slug:
            return f"{own.ref}#{heading.slug}", "heading"
    return own.ref, "asset"
