"""Which file goes where, and what every ref leads to before and after."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.bundles.adapters import adapter_of
from akm_ls.index.catalog import readings_of

if TYPE_CHECKING:
    from akm_ls.index.delta import Key
    from akm_ls.index.stub import Stub
    from akm_ls.refs import Ref
    from akm_ls.workspace.renaming.view import View


@dataclass(frozen=True, slots=True)
class Move:
    """A file or directory and its new path; both canonical."""

    old: str
    new: str


class Moves:
    """Several moves at once; of nested ones the innermost decides."""

    def __init__(self, moves: Iterable[Move]) -> None:
        self.all = tuple(moves)
        ordered = sorted(self.all, key=lambda move: len(move.old), reverse=True)
        self._exact = {move.old: move.new for move in self.all}
        self._below = [(os.path.join(move.old, ""), move.new) for move in ordered]

    def of(self, path: str) -> str:
        """Where a path leads to afterwards: itself, when it stays."""
        exact = self._exact.get(path)
        if exact is not None:
            return exact
        for prefix, new in self._below:
            if path.startswith(prefix):
                return os.path.join(new, path[len(prefix) :])
        return path

    def touch(self, path: str) -> bool:
        return path in self._exact or any(path.startswith(prefix) for prefix, _ in self._below)

    def __iter__(self) -> Iterator[Move]:
        return iter(self.all)


@dataclass(frozen=True, slots=True)
class MovedAsset:
    """An asset that moves; ``new`` is ``None`` when it is no asset afterwards."""

    stub: Stub
    path: str
    new: Key | None

    @property
    def old(self) -> Key:
        return self.stub.bundle, self.stub.concept_id


def moved_assets(view: View, moves: Moves) -> tuple[MovedAsset, ...]:
    """The assets among the files that move, by what their new paths make of them."""
    found: list[MovedAsset] = []
    for stub in _stubs_at(view, moves):
        path = moves.of(stub.path)
        found.append(MovedAsset(stub, path, key_at(view, stub.path, path)))
    return tuple(found)


def _stubs_at(view: View, moves: Moves) -> list[Stub]:
    if all(view.catalog.by_path(move.old) is not None for move in moves):
        stubs = (view.catalog.by_path(move.old) for move in moves)
        return [stub for stub in stubs if stub is not None]
    return [stub for stub in view.catalog.stubs() if moves.touch(stub.path)]


def key_at(view: View, old: str, new: str) -> Key | None:
    """The ref that the file at ``old`` would hold at the path ``new``."""
    place = view.bundles.relative(new)
    if place is None or not place[1]:
        return None
    bundle, rel = place
    adapter = adapter_of(bundle)
    document = view.document(old) if adapter.reads(rel) else None
    if not adapter.wants(rel):
        return None
    recognised = adapter.recognise(rel, document)
    return None if recognised is None else (bundle.id, recognised.concept_id)


class Leads:
    """What refs lead to, before and after the moves."""

    def __init__(self, view: View, moved: Sequence[MovedAsset]) -> None:
        self._view = view
        self.moved: Mapping[Key, Key | None] = {asset.old: asset.new for asset in moved}
        self._added = {asset.new for asset in moved if asset.new is not None}
        paths = {asset.stub.path for asset in moved}
        # A file that waited for the ref takes it over.
        self._left = {
            key
            for key in self.moved
            if key not in self._added and not set(view.catalog.claimants(*key)) - paths
        }

    def before(self, ref: Ref, home: str) -> Key | None:
        """The asset a ref of a file of bundle ``home`` leads to now; its fragment aside."""
        for bundle in self._order(ref.bundle, home):
            stub = self._view.catalog.find(bundle, ref.concept_id)
            if stub is not None:
                return stub.bundle, stub.concept_id
        return None

    def after(self, ref: Ref, home: str) -> Key | None:
        """The same once the files have moved."""
        get = self._view.catalog.get
        for bundle in self._order(ref.bundle, home):
            for reading in readings_of(ref.concept_id):
                key = (bundle, reading)
                if key in self._added or (key not in self._left and get(*key) is not None):
                    return key
        return None

    def meant(self, key: Key) -> Key | None:
        """The asset's ref afterwards; ``None`` when it has none."""
        return self.moved.get(key, key)

    def _order(self, bundle: str | None, home: str) -> Iterable[str]:
        bundles = self._view.bundles
        if bundle is not None:
            return (bundle,) if bundles.get(bundle) is not None else ()
        others = (home, bundles.default, *(other.id for other in bundles))
        return [item for item in dict.fromkeys(others) if item is not None]
