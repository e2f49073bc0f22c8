"""From what the author typed to the asset's new ref and path, or why it cannot be."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.bundles.adapters import adapter_of
from akm_ls.bundles.asset_types import SCRIPT_EXTENSIONS, TYPE_BY_NAME, path_for
from akm_ls.bundles.bundle import is_usable
from akm_ls.bundles.locators import is_within
from akm_ls.bundles.walker import is_walked
from akm_ls.refs import ASSET_DIRECTORIES, Ref, RefError, is_plausible_name, parse_ref
from akm_ls.workspace.renaming.plan import RenameRefused

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle
    from akm_ls.documents.document import Document
    from akm_ls.index.stub import Stub
    from akm_ls.workspace.renaming.view import View

_FORBIDDEN = re.compile(r"[<>:\"|?*{}$`\x00-\x1f\x7f]")
_SKILL_NAME = re.compile(r"(?!-)[^\W_A-Z]+(?:-[^\W_A-Z]+)*\Z")
MAX_SKILL_NAME = 64
MAX_SEGMENT = 255
"""Bytes of one file or directory name that file systems allow."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an asset goes: its new bundle, concept id and POSIX path in the bundle."""

    bundle: Bundle
    concept_id: str
    rel: str

    @property
    def path(self) -> str:
        return os.path.join(self.bundle.real_root, *self.rel.split("/"))


def new_place(view: View, stub: Stub, typed: str) -> Place | None:
    """Where ``typed`` puts an asset; ``None`` when that is where it is.

    One word is a new name in the same directory. A path is a concept id, or the name below the
    type's directory; ``bundle//conceptId`` moves the asset to that bundle.

    Raises:
        RenameRefused: with the reason in words.
    """
    home = view.bundles.relative(stub.path)
    if home is None:
        raise RenameRefused(f"{stub.ref} lies in no open bundle.")
    bundle, rel = home
    require_writable(bundle, stub.ref)
    wanted = _read(view, stub, rel, typed)
    target = view.bundles.get(wanted.bundle or stub.bundle)
    if target is None:
        known = ", ".join(sorted(view.bundles.ids))
        raise RenameRefused(f'No bundle is named "{wanted.bundle}". Known bundles: {known}.')
    if (target.id, wanted.concept_id) == (stub.bundle, stub.concept_id):
        return None
    require_writable(target, f"{target.id}//{wanted.concept_id}")
    document = view.document(stub.path)
    place = _place(target, wanted.concept_id, stub, rel, document)
    _check_place(view, stub, place)
    return place


def require_saved(stub: Stub) -> None:
    """
    Raises:
        RenameRefused: the asset is in an open document alone, so there is no file to rename.
    """
    if not os.path.lexists(stub.path):
        raise RenameRefused(f"{stub.ref} is not on disk: save its file, then rename it.")


def require_writable(bundle: Bundle, what: str) -> None:
    """
    Raises:
        RenameRefused: the bundle is read-only.
    """
    if not bundle.writable:
        raise RenameRefused(
            f'{what} is in the bundle "{bundle.id}", which is read-only; rename it at its origin.'
        )


def _read(view: View, stub: Stub, rel: str, typed: str) -> Ref:
    text = unicodedata.normalize("NFC", typed).strip()
    if not text:
        raise RenameRefused(
            f"The new name is empty. Type a name, or a whole concept id like {stub.concept_id}."
        )
    if "#" in text:
        raise RenameRefused(f'"{text}" holds a "#", which starts a fragment; leave it out.')
    try:
        ref = parse_ref(text)
    except RefError as error:
        raise RenameRefused(f'"{text}" cannot be a name: {error}') from None
    bad = _FORBIDDEN.search(ref.concept_id)
    if bad is not None:
        shown = bad.group() if bad.group().isprintable() else f"U+{ord(bad.group()):04X}"
        raise RenameRefused(f'"{text}" holds "{shown}", which no ref can be written with.')
    concept_id = _without_ending(stub, rel, ref.concept_id)
    parent = stub.concept_id.rpartition("/")[0]
    if ref.bundle is None and "/" not in concept_id:
        concept_id = f"{parent}/{concept_id}" if parent else concept_id
    elif stub.concept_id.partition("/")[0] in ASSET_DIRECTORIES and (
        concept_id.partition("/")[0] not in ASSET_DIRECTORIES
    ):
        concept_id = f"{stub.concept_id.partition('/')[0]}/{concept_id}"
    return Ref(ref.bundle, _with_ending(stub, concept_id))


def _without_ending(stub: Stub, rel: str, concept_id: str) -> str:
    """A name that was typed as its file is called."""
    for ending in ("/SKILL.md", ".md", ".yml", ".env"):
        bare = concept_id.removesuffix(ending)
        if bare and bare != concept_id and rel.endswith(ending):
            return concept_id if stub.concept_id.endswith(ending) else bare
    return concept_id


def _with_ending(stub: Stub, concept_id: str) -> str:
    """A script keeps its extension when none was typed."""
    old, new = (os.path.splitext(name)[1].lower() for name in (stub.concept_id, concept_id))
    if stub.type == "script" and old in SCRIPT_EXTENSIONS and new not in SCRIPT_EXTENSIONS:
        return concept_id + os.path.splitext(stub.concept_id)[1]
    return concept_id


def _place(
    bundle: Bundle, concept_id: str, stub: Stub, rel: str, document: Document | None
) -> Place:
    """The first path that makes the file exactly this asset."""
    new, old = Ref(None, concept_id), Ref(None, stub.concept_id)
    if new.head != old.head and {new.head, old.head} & set(ASSET_DIRECTORIES):
        _check_type(stub, new.head)
    last = concept_id.rpartition("/")[2].lower()
    if last in ("index", "log", "readme"):
        raise RenameRefused(
            f'"{last}" is a reserved name: {last}.md is a page about its directory and never an '
            "asset. Choose another name."
        )
    if new.head in ASSET_DIRECTORIES and not is_plausible_name(new):
        raise RenameRefused(f'"{concept_id}" is too short to be told from text in a ref.')
    adapter = adapter_of(bundle)
    other = None
    for candidate in _candidates(stub, rel, concept_id):
        if not adapter.wants(candidate):
            continue
        read = document if adapter.reads(candidate) else None
        found = adapter.recognise(candidate, read)
        if found is not None and found.concept_id == concept_id:
            return Place(bundle, concept_id, candidate)
        other = other or found
    if other is not None:
        raise RenameRefused(
            f"There the file would be {bundle.id}//{other.concept_id} ({other.type}), not "
            f"{concept_id}: what is in it decides its type."
        )
    raise RenameRefused(
        f'"{concept_id}" is no place for an asset of the bundle "{bundle.id}" '
        f"({bundle.adapter} format)."
    )


def _check_type(stub: Stub, head: str) -> None:
    new = next((kind for kind in TYPE_BY_NAME.values() if kind.directory == head), None)
    old = TYPE_BY_NAME.get(stub.type)
    if new is None or old is None or new.naming != old.naming:
        kind = new.name if new is not None else head
        raise RenameRefused(
            f"{stub.concept_id} is a {stub.type} and cannot become a {kind} by its name alone: "
            f"their files are kept differently. Keep {stub.concept_id.partition('/')[0]}/ in front."
        )


def _candidates(stub: Stub, rel: str, concept_id: str) -> Iterator[str]:
    """Paths for the new id, those of the old path's form first."""
    pairs = [(stub.concept_id, concept_id)]
    old_head, _, old_rest = stub.concept_id.partition("/")
    new_head, _, new_rest = concept_id.partition("/")
    if old_head == new_head and old_rest:
        pairs.append((old_rest, new_rest))
    if stub.type == "env":
        yield from path_for(concept_id)[:1]  # `default` is called `.env`
    plain = unicodedata.normalize("NFC", rel)
    for old, new in pairs:
        at = plain.rfind(old)
        end = at + len(old)
        if at >= 0 and plain[at - 1 : at] in ("", "/") and plain[end : end + 1] in ("", ".", "/"):
            yield _spelled_as(rel, plain[:at] + new + plain[end:])
    for candidate in path_for(concept_id):
        yield _spelled_as(rel, candidate)


def _spelled_as(rel: str, candidate: str) -> str:
    """``candidate`` with the directories it shares with ``rel`` as the disk spells them."""
    spelled = candidate.split("/")
    for index, segment in enumerate(rel.split("/")[:-1]):
        if index >= len(spelled) - 1 or unicodedata.normalize("NFC", segment) != spelled[index]:
            break
        spelled[index] = segment
    return "/".join(spelled)


def _check_place(view: View, stub: Stub, place: Place) -> None:
    """
    Raises:
        RenameRefused: something is there already, or nothing there would be an asset.
    """
    for segment in place.rel.split("/"):
        if not is_usable(segment) or len(os.fsencode(segment)) > MAX_SEGMENT:
            raise RenameRefused(f'"{segment[:40]}" cannot be the name of a file.')
        if segment != segment.strip() or segment.endswith("."):
            raise RenameRefused(f'"{segment}" starts or ends with a blank or a dot.')
    path, bundle = place.path, place.bundle
    owner = view.bundles.relative(path)
    real = os.path.realpath(os.path.dirname(path))
    inside = real == bundle.real_root or is_within(real, bundle.real_root)
    if not inside or owner is None or owner[0].id != bundle.id or owner[1] != place.rel:
        raise RenameRefused(f'{place.rel} would lie outside the bundle "{bundle.id}".')
    if not is_walked(bundle, place.rel, exclude_roots=view.bundles.nested_roots(bundle)):
        raise RenameRefused(
            f"{place.rel} would not be found: akm leaves out hidden directories, bin and "
            "node_modules."
        )
    skill = stub.type == "skill" and place.rel.endswith("SKILL.md")
    if skill:
        _check_skill(stub, place)
    taken = os.path.dirname(path) if skill else path
    if os.path.lexists(taken) and not _is_same(taken, os.path.dirname(stub.path), stub.path):
        raise RenameRefused(
            f"{os.path.relpath(taken, bundle.real_root)} exists already in {bundle.id}."
        )
    holder = view.catalog.get(bundle.id, place.concept_id)
    if holder is not None and holder.path != stub.path:
        shown = os.path.relpath(holder.path, bundle.real_root)
        raise RenameRefused(f"{bundle.id}//{place.concept_id} exists already: {shown}.")
    parent = os.path.dirname(taken)
    while not os.path.lexists(parent):
        parent = os.path.dirname(parent)
    if not os.path.isdir(parent):
        shown = os.path.relpath(parent, bundle.real_root)
        raise RenameRefused(f"{shown} is a file and cannot have {place.concept_id} below it.")


def _is_same(path: str, *others: str) -> bool:
    """Whether a path is the asset's own in another case, on a file system that ignores case."""
    for other in others:
        try:
            if os.path.samefile(path, other):
                return True
        except OSError:
            continue
    return False


def _check_skill(stub: Stub, place: Place) -> None:
    old, new = os.path.dirname(stub.path), os.path.dirname(place.path)
    if new.startswith(os.path.join(old, "")):
        raise RenameRefused(f"{place.concept_id} would lie inside the skill itself.")
    before = unicodedata.normalize("NFKC", os.path.basename(old))
    name = os.path.basename(new)
    if is_skill_name(before) and not is_skill_name(name):
        raise RenameRefused(
            f'"{name}" cannot name a skill: use at most {MAX_SKILL_NAME} lower-case letters, '
            "digits and single hyphens, so that every tool loads it."
        )


def is_skill_name(name: str) -> bool:
    """Whether the Agent Skills specification allows a name."""
    return len(name) <= MAX_SKILL_NAME and name == name.lower() and bool(_SKILL_NAME.match(name))
