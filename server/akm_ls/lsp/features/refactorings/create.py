"""Create the asset that a ref names and that is not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date
from functools import partial

from lsprotocol import types as lsp

from akm_ls.bundles.asset_types import TYPE_BY_DIRECTORY, path_for
from akm_ls.bundles.bundle import Bundle
from akm_ls.lint.finding import Fix
from akm_ls.lsp.features.refactorings.cursor import Cursor, Offer
from akm_ls.lsp.features.target import target_of
from akm_ls.refs import Ref, is_plausible_name
from akm_ls.workspace.templates import NewAsset, template_for, title_of

KINDS = (lsp.CodeActionKind.QuickFix,)
_LIKE_AKM = ("akm", "claude", "opencode")


def offers(cursor: Cursor) -> Iterator[Offer]:
    """One for each missing asset in the selection whose place is known and free."""
    session = cursor.session
    if (
        not session.client.can_change_files(lsp.ResourceOperationKind.Create)
        or session.workspace.complete_catalog is None
    ):
        return
    seen: set[str] = set()
    for occurrence in cursor.occurrences:
        target = target_of(session, cursor.opened, occurrence)
        if target is None or target.status != "missing" or str(target.ref.asset) in seen:
            continue
        seen.add(str(target.ref.asset))
        bundle = session.workspace.bundles.get(target.ref.bundle or cursor.bundle.id)
        rel = None if bundle is None else _place(cursor, bundle, target.ref)
        if bundle is None or rel is None or not bundle.writable:
            continue
        where = "" if bundle == cursor.bundle else f" in {bundle.id}"
        yield Offer(
            f"create {target.ref.asset}",
            f"Create {target.ref.concept_id}{where}",
            lsp.CodeActionKind.QuickFix,
            partial(_build, cursor, bundle, target.ref, rel),
            "missing-ref",
        )


def _place(cursor: Cursor, bundle: Bundle, ref: Ref) -> str | None:
    """The path in the bundle of a new file for a ref; ``None`` where none may be made."""
    rel: str | None = None
    concept_id = ref.concept_id
    if bundle.adapter in _LIKE_AKM:
        kind = TYPE_BY_DIRECTORY.get(ref.head)
        if kind is None or not is_plausible_name(ref) or template_for(kind.name, _nobody()) is None:
            return None
        skill = _skill_around(cursor, bundle, concept_id) if kind.name == "skill" else None
        if skill is not None:
            rel = concept_id if concept_id.endswith(".md") else None
        else:
            concept_id = concept_id.removesuffix(".md").removesuffix("/SKILL")
            rel = next(iter(path_for(concept_id)), None)
    elif bundle.adapter == "agent-skills":
        rel = f"{concept_id}/SKILL.md"
    elif bundle.adapter in ("okf", "llm-wiki"):
        rel = f"{concept_id.removesuffix('.md')}.md"
    if rel is None or os.path.lexists(bundle.path_of(rel)):
        return None
    return rel


def _skill_around(cursor: Cursor, bundle: Bundle, concept_id: str) -> str | None:
    """The skill that a path below ``skills/`` is inside of."""
    segments = concept_id.split("/")
    for length in range(len(segments) - 1, 1, -1):
        parent = "/".join(segments[:length])
        if cursor.session.workspace.catalog.get(bundle.id, parent) is not None:
            return parent
    return None


def _nobody() -> NewAsset:
    return NewAsset("x", "")


def _build(cursor: Cursor, bundle: Bundle, ref: Ref, rel: str) -> Fix | None:
    directory, file = os.path.split(rel)
    is_skill = file == "SKILL.md"
    own = cursor.opened.entry
    akm = bundle.adapter == "akm" and bundle.origin != "host"
    kind = TYPE_BY_DIRECTORY.get(ref.head) if bundle.adapter in _LIKE_AKM else None
    name = "skill" if is_skill else kind.name if kind is not None else "knowledge"
    if name == "skill" and not is_skill:
        name = "knowledge"  # a page that a skill brings along
    if name == "agent" and not akm:
        name = "agent-opencode" if bundle.adapter == "opencode" else "agent-claude"
    stem = os.path.basename(directory) if is_skill else file
    if not is_skill and name != "script":
        stem = stem.rpartition(".")[0] or stem
    xrefs: tuple[str, ...] = ()
    if own is not None and akm and own.type != "session":
        xrefs = (own.concept_id if own.bundle == bundle.id else own.ref,)
    new = NewAsset(stem, date.today().isoformat(), akm=akm, xrefs=xrefs)
    template = template_for(name, new)
    if template is None:
        return None
    text = template.text
    if ref.fragment and rel.endswith(".md"):
        text = f"{text.rstrip()}\n\n## {title_of(ref.fragment)}\n"
    path = os.path.join(bundle.real_root, *rel.split("/"))
    return Fix(f"Create {ref.concept_id}", creates={path: text})
