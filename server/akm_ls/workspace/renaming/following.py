"""What the catalog should know at once of files that have moved."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from akm_ls.bundles.reading import read_entry
from akm_ls.index.delta import Delta, Key
from akm_ls.index.stub import stub_of
from akm_ls.workspace.renaming.moves import Move, Moves

if TYPE_CHECKING:
    from akm_ls.index.stub import Stub
    from akm_ls.workspace.renaming.view import View

MAX_AT_ONCE = 500
"""Files that are read while the editor waits, a few tenths of a millisecond each; further ones
come with the index."""


def delta_of_moves(view: View, pairs: Iterable[tuple[str, str]]) -> Delta:
    """The assets of moved files under their new refs: (old, new) paths of files or directories."""
    moves = Moves(Move(view.canonical(old), view.canonical(new)) for old, new in pairs)
    before = [stub for stub in view.catalog.stubs() if moves.touch(stub.path)]
    gone = {stub.path for stub in before} | {move.old for move in moves}
    present = [path for path in map(moves.of, sorted(gone)) if os.path.isfile(path)]
    added: dict[Key, Stub] = {}
    for path in present[:MAX_AT_ONCE]:
        place = view.bundles.relative(path)
        if place is None:
            continue
        try:
            status = os.stat(path)
        except OSError:
            continue
        entry = read_entry(*place, status.st_size, status.st_mtime_ns).entry
        if entry is None:
            continue
        # Of several files that claim a ref the smallest path holds it, and the others have not
        # changed: the index will not say again whose it is.
        key = entry.bundle, entry.concept_id
        holder = added.get(key) or view.catalog.get(*key)
        if holder is None or holder.path in gone or path <= holder.path:
            added[key] = stub_of(entry)
    missing = tuple(path for path in gone if not os.path.lexists(path))
    return Delta(added=tuple(added.values()), gone=missing)
