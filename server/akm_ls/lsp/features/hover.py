"""Hover: what stands under the cursor, and what it means."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.documents.document import kind_of
from akm_ls.documents.nodes import Mapping, Scalar, scalar_items
from akm_ls.documents.text import Span
from akm_ls.documents.yaml_places import yaml_place
from akm_ls.lint.suppression import WORDS, read_suppressions
from akm_ls.lsp.features.card import asset_card, document_card, section_card
from akm_ls.lsp.features.completion.offer import plain as without_marks
from akm_ls.lsp.features.frontmatter_keys import asset_type, definitions, key_card, schema_place
from akm_ls.lsp.features.placeholders import placeholder_at
from akm_ls.lsp.features.relative import Relative, anchor_of, relative_at, section_of
from akm_ls.lsp.features.rule_card import rule_card
from akm_ls.lsp.features.target import target_at
from akm_ls.lsp.features.workflow_places import outputs, workflow_of, workflow_place
from akm_ls.search.said import said_description
from akm_ls.workspace.standards import standards

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

MAX_STANDARDS = 6
MAX_LISTED = 20

_Found = tuple[str, Span]
"""What to show, in Markdown (or in plain text for a client without), and of what."""
_SCOPE_WORDS = {
    WORDS["file"]: "Switches the named rules off in the whole file; without names, all of them.",
    WORDS["line"]: "Switches the named rules off for this line; without names, all of them.",
    WORDS["next-line"]: (
        "Switches the named rules off for the next line; without names, all of them."
    ),
}


def hover(session: Session, params: lsp.HoverParams) -> lsp.Hover | None:
    opened = session.document(params.text_document.uri)
    if opened is None or opened.bundle is None:
        return None
    offset = session.offset(opened, params.position)
    plain = not session.client.markdown_hover
    for source in _SOURCES:
        found = source(session, opened, offset, plain)
        if found is not None:
            text, span = found
            return lsp.Hover(
                contents=lsp.MarkupContent(
                    lsp.MarkupKind.PlainText if plain else lsp.MarkupKind.Markdown, text
                ),
                range=session.range(opened.document.lines, span),
            )
    return None


def _ref(session: Session, opened: OpenDocument, offset: int, plain: bool) -> _Found | None:
    position = lsp.Position(*opened.document.lines.position(offset, session.encoding))
    target = target_at(session, opened, position)
    if target is None:
        return None
    if target.stub is None:
        return f"Nothing is known under {target.ref}.", target.span
    text = asset_card(session.workspace, target.stub, target.ref.fragment, plain=plain)
    if target.status == "elsewhere":
        text = f"Not in {target.ref.bundle}; this one is in {target.stub.bundle}.\n\n{text}"
    elif target.status == "missing-fragment":
        text = f'No heading "#{target.ref.fragment}" here.\n\n{text}'
    return text, target.span


def _rule(session: Session, opened: OpenDocument, offset: int, plain: bool) -> _Found | None:
    """A rule's code in ``lint_skip`` or in a comment, and the comment's own words."""
    document = opened.document
    for directive in read_suppressions(document).directives:
        for code, span in directive.codes:
            if span.contains(offset):
                card = rule_card(code)
                return (_said(card, plain), span) if card else None
        words = directive.words
        if words.contains(offset) and (known := _SCOPE_WORDS.get(words.of(document.text))):
            return known, words
    frontmatter = document.frontmatter
    for item in scalar_items(frontmatter.get("lint_skip") if frontmatter else None):
        if item.inner.contains(offset):
            card = rule_card(item.text.strip())
            return (_said(card, plain), item.inner) if card else None
    return None


def _workflow(session: Session, opened: OpenDocument, offset: int, plain: bool) -> _Found | None:
    workflow = workflow_of(opened)
    place = None if workflow is None else workflow_place(workflow, offset)
    if workflow is None or place is None:
        return None
    if place.what == "param":
        declared = workflow.root.get("params")
        schema = declared.get(place.name) if isinstance(declared, Mapping) else None
        parts = [f"**`{place.name}`** · parameter"]
        for key in ("type", "description", "default"):
            node = schema.get(key) if isinstance(schema, Mapping) else None
            if isinstance(node, Scalar) and node.text:
                parts.append(node.text if key == "description" else f"{key}: `{node.text}`")
        if schema is None:
            parts.append("No parameter of this name is declared under `params`.")
        return _said("\n\n".join(parts), plain), place.span
    step = workflow.step_by_id.get(place.name)
    if step is None:
        return (f"No step is called {place.name}.", place.span) if place.what == "step" else None
    parts = [f"**`{step.id}`** · step {step.index + 1} of {len(workflow.steps)}, {step.kind}"]
    if names := list(outputs(step)):
        parts.append(f"Output: {', '.join(f'`{name}`' for name in names)}")
    section = workflow.section_by_name.get(place.name)
    if section is not None and place.what != "section":
        parts += ["---", section_card(section.instructions.of(opened.text))]
    return _said("\n\n".join(parts), plain), place.span


def _key(session: Session, opened: OpenDocument, offset: int, plain: bool) -> _Found | None:
    at = yaml_place(opened.document, offset)
    if at is None or at.kind != "key" or not at.has_colon:
        return None
    place = schema_place(session, opened)
    name = at.span.of(opened.text)
    keys = () if place is None else definitions(place, (*at.path, name))
    if place is None or not keys:
        return None
    text = _said(key_card(place, name, keys), plain)
    if name == "type" and not at.path:
        listed = _standards(session, opened, plain)
        text = f"{text}\n\n{listed}" if listed else text
    return text, at.span


def _type_value(session: Session, opened: OpenDocument, offset: int, plain: bool) -> _Found | None:
    """The value of ``type``: how assets of the type are written here."""
    at = yaml_place(opened.document, offset)
    if at is None or at.kind != "value" or at.path != ("type",):
        return None
    listed = _standards(session, opened, plain)
    return (listed, at.span) if listed else None


def _value(session: Session, opened: OpenDocument, offset: int, plain: bool) -> _Found | None:
    """A value of a closed set: what its key is for, and the other values there are."""
    at = yaml_place(opened.document, offset)
    place = None if at is None or at.kind != "value" else schema_place(session, opened)
    if at is None or place is None:
        return None
    value = at.span.of(opened.text).strip()
    keys = definitions(place, at.path)
    if not any(value in key.values for key in keys):
        return None
    card = f"**`{value}`** · a value of\n\n{key_card(place, at.key, keys)}"
    return _said(card, plain), at.span


def _standards(session: Session, opened: OpenDocument, plain: bool) -> str:
    """The bundle's authoring standards for the document's type, a line each."""
    assert opened.bundle is not None
    kind = asset_type(session, opened)
    found = standards(session.workspace, kind, opened.bundle.id)
    if not found:
        return ""
    lines = [
        f"- `{item.stub.ref}`: {said_description(item.stub) or item.title}"
        for item in found[:MAX_STANDARDS]
    ]
    if len(found) > MAX_STANDARDS:
        lines.append(f"- and {len(found) - MAX_STANDARDS} more")
    head = f"**Authoring standards** for {kind or 'assets'} in {opened.bundle.id}:"
    return _said("\n".join((head, "", *lines)), plain)


def _relative(session: Session, opened: OpenDocument, offset: int, plain: bool) -> _Found | None:
    found = relative_at(session, opened, offset)
    return None if found is None else (relative_card(session, found, plain=plain), found.span)


def relative_card(session: Session, found: Relative, *, plain: bool) -> str:
    """What lies at the end of a relative path: an asset's card, a section, an image, a listing."""
    workspace = session.workspace
    name = os.path.basename(found.path)
    if found.kind == "directory":
        names = workspace.surroundings.names(found.path)
        entries = sorted(
            f"{entry}/" if kind == "directory" else entry for entry, kind in names.items()
        )
        more = f"\n- and {len(entries) - MAX_LISTED} more" if len(entries) > MAX_LISTED else ""
        text = "\n".join(f"- {entry}" for entry in entries[:MAX_LISTED])
        return _said(f"**{name}/** · directory\n\n{text}{more}", plain)
    if found.is_image:
        return f"{name}: an image" if plain else f"![{name}]({session.uri(found.path)})"
    document = None
    if found.fragment is not None and kind_of(found.path) == "markdown":
        document = workspace.surroundings.document(found.path)
    anchor = None
    if document is not None and found.fragment is not None:
        anchor = anchor_of(document, found.fragment)
        if anchor is not None:
            return section_card(section_of(document, anchor).of(document.text))
    stub = workspace.stub_at(found.path)
    if stub is not None:
        text = asset_card(workspace, stub, plain=plain)
    else:
        other = workspace.surroundings.document(found.path)
        text = _said(f"**{name}**", plain)
        if other is not None:
            text = f"{text}\n\n---\n\n{document_card(other)}"
    if document is not None and anchor is None:
        text = f'No heading "#{found.fragment}" here.\n\n{text}'
    return text


def _placeholder(session: Session, opened: OpenDocument, offset: int, plain: bool) -> _Found | None:
    if opened.document.kind != "markdown" or ("$" not in opened.text and "{{" not in opened.text):
        return None
    found = placeholder_at(opened.document, schema_place(session, opened), offset)
    return None if found is None else (_said(found.card, plain), found.span)


def _said(markdown: str, plain: bool) -> str:
    return without_marks(markdown) if plain else markdown


_Source = Callable[["Session", "OpenDocument", int, bool], "_Found | None"]
_SOURCES: tuple[_Source, ...] = (
    _ref,
    _rule,
    _workflow,
    _key,
    _type_value,
    _value,
    _relative,
    _placeholder,
)
