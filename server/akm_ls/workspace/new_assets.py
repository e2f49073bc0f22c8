"""Where a new asset goes and what stands in it: types, places by the conventions, the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from akm_ls.bundles.asset_types import TYPE_BY_NAME, path_for
from akm_ls.index.neighbours import SCOPE_BORN
from akm_ls.index.stub import DOMAINS_FACT
from akm_ls.lint.rules.conventions.placement import REUSE_BORN
from akm_ls.lint.rules.conventions.segments import slug_of
from akm_ls.lint.rules.conventions.vocabulary import DEFAULT, read_vocabulary
from akm_ls.refs import RefError, is_plausible_name, parse_ref
from akm_ls.workspace.templates import (
    NewAsset,
    Template,
    kinds_with_template,
    template_for,
)

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle
    from akm_ls.workspace.workspace import Workspace

_LIKE_AKM = ("akm", "claude", "opencode")
_PAGES = ("okf", "llm-wiki")
_OF_TOOLS = ("skill", "agent", "command")
"""What a tool reads from a directory of its own."""


class NewAssetError(ValueError):
    """Why there can be no such asset, for the person who asked."""


@dataclass(frozen=True, slots=True)
class NewPlace:
    """A directory below that of the type, ``""`` for that itself; ``why`` is for people."""

    directory: str
    why: str


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that is not there yet. ``path`` is absolute, ``ref`` what it will be cited by."""

    ref: str
    rel: str
    path: str
    template: Template


def types_in(bundle: Bundle) -> tuple[str, ...]:
    """The types of assets that a person can begin in a bundle; none where nothing is written."""
    if not bundle.writable:
        return ()
    if bundle.adapter == "akm" and bundle.origin != "host":
        return tuple(kind for kind in kinds_with_template() if kind in TYPE_BY_NAME)
    if bundle.adapter in _LIKE_AKM:
        return _OF_TOOLS
    if bundle.adapter == "agent-skills":
        return ("skill",)
    return ("knowledge",) if bundle.adapter in _PAGES else ()


def places_for(workspace: Workspace, bundle: Bundle, kind: str) -> tuple[NewPlace, ...]:
    """Where an asset of a type belongs, as the placement rules see it, the likeliest first.

    What is made to be used again goes below a domain of the bundle's vocabulary, what comes out
    of a piece of work below its project; both may stand right in the directory of the type, as
    everything else does.
    """
    top = NewPlace("", _top(bundle, kind))
    if bundle.adapter != "akm" or bundle.origin == "host":
        return (top,)
    used = _directories(workspace, bundle, kind)
    if kind in SCOPE_BORN:
        projects = workspace.catalog.neighbours.directories(bundle.id) | set(used)
        return (*(NewPlace(name, "project") for name in sorted(projects)), top)
    if kind in REUSE_BORN:
        domains = _domains(workspace, bundle)
        first = [name for name in domains if name in used]
        rest = [name for name in domains if name not in used]
        return (*(NewPlace(name, "domain") for name in (*first, *rest)), top)
    return (top,)


def _top(bundle: Bundle, kind: str) -> str:
    known = TYPE_BY_NAME.get(kind)
    if known is None or bundle.adapter not in _LIKE_AKM:
        return "top of the bundle"
    return f"right in {known.directory}/"


def _directories(workspace: Workspace, bundle: Bundle, kind: str) -> dict[str, None]:
    """First directories that assets of the type are in already."""
    heads = (
        stub.name.partition("/") for stub in workspace.catalog.stubs(bundle.id) if stub.type == kind
    )
    return dict.fromkeys(head for head, slash, _ in heads if slash)


def _domains(workspace: Workspace, bundle: Bundle) -> tuple[str, ...]:
    path = os.path.join(bundle.real_root, *DOMAINS_FACT.split("/")) + ".md"
    document = workspace.document(path)
    return (DEFAULT if document is None else read_vocabulary(document)).domains


def new_file(bundle: Bundle, kind: str, name: str) -> NewFile:
    """The file of a new asset, from the template of its type.

    Args:
        name: as a person types it, below the directory of the type: ``auth/token rotation``.

    Raises:
        NewAssetError: the bundle takes no such asset, the name is none, the file is there.
    """
    if kind not in types_in(bundle):
        raise NewAssetError(f'nothing of type "{kind}" can be begun in the bundle {bundle.id}')
    name = "/".join(_segments(kind, name))
    rel, concept_id = _rel(bundle, kind, name)
    path = bundle.path_of(rel)
    if os.path.lexists(path):
        raise NewAssetError(f"{rel} exists already in the bundle {bundle.id}")
    akm = bundle.adapter == "akm" and bundle.origin != "host"
    template_kind = kind
    if kind == "agent" and not akm:
        template_kind = "agent-opencode" if bundle.adapter == "opencode" else "agent-claude"
    leaf = name.rpartition("/")[2]
    template = template_for(template_kind, NewAsset(leaf, date.today().isoformat(), akm=akm))
    assert template is not None
    return NewFile(f"{bundle.id}//{concept_id}", rel, path, template)


def _segments(kind: str, name: str) -> Iterator[str]:
    """The parts of a name as the conventions spell them; a script keeps its extension."""
    parts = name.replace("\\", "/").strip().strip("/").split("/")
    for place, part in enumerate(parts):
        stem, dot, extension = part.strip(), "", ""
        if place == len(parts) - 1:
            if kind == "script":
                stem, dot, extension = stem.rpartition(".")
                if not stem:
                    raise NewAssetError("a script's name needs an extension, such as .sh or .py")
            else:
                stem = stem.removesuffix(".md").removesuffix(".yml")
        slug = slug_of(stem)
        if not slug or stem in (".", ".."):
            raise NewAssetError(f'"{name}" is no name: "{part}" has no letter or digit')
        yield f"{slug}{dot}{extension.lower()}"


def _rel(bundle: Bundle, kind: str, name: str) -> tuple[str, str]:
    """The path in the bundle and the concept id."""
    if bundle.adapter == "agent-skills":
        return f"{name}/SKILL.md", name
    if bundle.adapter in _PAGES:
        return f"{name}.md", name
    known = TYPE_BY_NAME[kind]
    concept_id = f"{known.directory}/{name}"
    try:
        plausible = is_plausible_name(parse_ref(concept_id))
    except RefError as problem:
        raise NewAssetError(str(problem)) from None
    rel = next(iter(path_for(concept_id)), None)
    if rel is None or not plausible or not known.fits(rel.rpartition("/")[2]):
        raise NewAssetError(f'"{name}" cannot be the name of a {kind}')
    return rel, concept_id


def bundles_json(workspace: Workspace) -> list[dict[str, Any]]:
    """The bundles that a person can add to, and what."""
    return [
        {"id": bundle.id, "root": bundle.root, "types": list(types)}
        for bundle in workspace.bundles
        if (types := types_in(bundle))
    ]
