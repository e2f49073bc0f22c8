"""A whole file for a document that is still empty."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.bundles.asset_types import TYPE_BY_DIRECTORY
from akm_ls.bundles.schema import place_of
from akm_ls.documents.text import Span
from akm_ls.lsp.features.completion.offer import Kind, Offer, listed, snippet_of
from akm_ls.workspace.templates import NewAsset, Template, template_for

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

_START = re.compile(r"\s*(?P<typed>[\w-]*)\s*\Z")


def complete(session: Session, opened: OpenDocument, offset: int) -> lsp.CompletionList | None:
    """The template of what the file is by its place, when it holds one word at most."""
    text = opened.text
    if len(text) > 100 or _START.match(text.lstrip("\ufeff")) is None:
        return None
    if opened.document.kind == "yaml" and text.strip():
        return None  # a first key
    templates = list(templates_of(opened))
    end = len(text.rstrip()) if text[offset:].strip() else len(text)
    span = Span(1 if text.startswith("\ufeff") else 0, max(end, offset))
    offers = [
        Offer(
            f"New {template.kind}",
            Kind.Snippet,
            template.text,
            snippet_of(template.parts),
            detail=template.summary,
            documentation=f"```markdown\n{template.text}```",
            filter=text.strip() or f"New {template.kind}",
        )
        for template in templates
    ]
    return listed(session, opened, span, offset, offers)


def templates_of(opened: OpenDocument) -> Iterator[Template]:
    """The templates that fit the place of a file, the likeliest first."""
    bundle = opened.bundle
    if bundle is None:
        return
    name = os.path.basename(opened.path)
    is_skill = name == "SKILL.md"
    stem = os.path.basename(os.path.dirname(opened.path)) if is_skill else name.partition(".")[0]
    akm = bundle.adapter == "akm" and bundle.origin != "host"
    new = NewAsset(stem, date.today().isoformat(), akm=akm)
    for kind in _kinds(opened, is_skill, akm):
        template = template_for(kind, new)
        if template is not None:
            yield template


def _kinds(opened: OpenDocument, is_skill: bool, akm: bool) -> Iterator[str]:
    if is_skill:
        yield "skill"
        return
    bundle = opened.bundle
    assert bundle is not None
    segments = opened.rel.split("/")
    kind = next(
        (TYPE_BY_DIRECTORY[part] for part in segments[:-1] if part in TYPE_BY_DIRECTORY), None
    )
    if kind is not None and not akm and kind.name == "agent":
        place = place_of(opened.path, "agent", bundle.adapter)
        yield place.kind.id if place is not None else "agent-claude"
    elif kind is not None:
        if kind.fits(segments[-1]):
            yield kind.name
    elif opened.path.endswith(".mdc"):
        yield "rule"
    elif bundle.adapter == "akm-workflow" and opened.path.endswith(".md"):
        yield "workflow"
    elif bundle.adapter == "akm-task" and opened.path.endswith(".yml"):
        yield "task"
