"""Reading a few files again: after a save, or when a watcher reports a change."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from akm_ls.bundles.walker import list_named
from akm_ls.index import wiping
from akm_ls.index.bundle_keys import claim_keys
from akm_ls.index.database import StoreReplaced
from akm_ls.index.delta import Delta
from akm_ls.index.locks import live_holder
from akm_ls.index.removal import forget_directories
from akm_ls.index.rows import (
    ENTRY_COLUMNS,
    PreparedFile,
    native_path,
    prepare,
    prepared,
    root_prefix,
    stub_from_row,
)
from akm_ls.index.scan import CONTEXT_FILES, directory_of, is_racy, listed, wanted_files
from akm_ls.index.writer import Target, Written, write

if TYPE_CHECKING:
    import apsw

    from akm_ls.bundles.bundle import Bundle
    from akm_ls.index.store import Store
    from akm_ls.index.stub import Stub

PATIENCE_MS = 1_000
"""How long wiping the index waits for others: somebody waits for what was asked."""
MAX_NAMED = 300
"""New files from which on listing a whole bundle is better than asking for each."""


@dataclass(slots=True)
class _Asked:
    """What was asked about one bundle, as POSIX paths in it."""

    bundle: Bundle
    rels: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Work:
    """What that comes to: files to read, rows to forget, rows to write whatever the bytes say."""

    read: list[PreparedFile] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    forced: set[str] = field(default_factory=set)


def upsert_files(store: Store, paths: Sequence[str], *, write: bool = True) -> Delta:
    """Bring the index up to date for ``paths``: absolute paths of files, or of directories.

    They may have been written, created or deleted. The result has the present stub of every
    asset among them, whether this call or another process wrote it, and under ``gone`` the
    paths that are no assets. While another process rebuilds the index, and without ``write``,
    nothing is written: ``deferred`` says so, and the rest of the result is what a catalog should
    know all the same.

    Raises:
        StoreBusy: another process did not let go of the index; without ``write`` never.
        StoreError: the index file cannot be used.
    """
    asked: dict[str, _Asked] = {}
    for path in paths:
        place = store.bundles.relative(path)
        if place is not None:
            asked.setdefault(place[0].id, _Asked(place[0])).rels.add(place[1])
    if not asked:
        return Delta()
    if not write or live_holder(store.path) is not None:
        keys = store.keys()
        deltas = [
            _without_writing(store, item, keys.get(item.bundle.id)) for item in asked.values()
        ]
        return replace(_merged(deltas), deferred=tuple(paths))
    try:
        return _write_all(store, asked)
    except StoreReplaced:
        return _write_all(store, asked)


def _write_all(store: Store, asked: Mapping[str, _Asked]) -> Delta:
    keys = store.keys()
    if not keys.keys() >= asked.keys():
        keys = store.database.write(lambda connection: claim_keys(connection, store.bundles, None))
    delta = _merged([_write(store, item, keys[item.bundle.id]) for item in asked.values()])
    if store.database.run(wiping.is_owed):
        wiping.wipe(store.path, patience_ms=PATIENCE_MS)
    return delta


def read_one(bundle: Bundle, rel: str) -> PreparedFile | None:
    """One file as it is now; ``None`` when it is no regular file any more."""
    path = native_path(root_prefix(bundle.real_root), rel)
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    mtime_ns = status.st_mtime_ns
    racy = is_racy(mtime_ns, time.time_ns())
    return prepared(prepare(bundle, rel, status.st_size, mtime_ns, racy))


def _write(store: Store, asked: _Asked, key: int) -> Delta:
    bundle = asked.bundle
    work = store.database.run(lambda connection: _plan(connection, store, asked, key))
    rels = [*(file.rel for file in work.read), *work.gone]
    if not rels:
        return Delta()
    prefix = root_prefix(bundle.real_root)
    target = Target(bundle.id, key, prefix, lambda rel: read_one(bundle, rel))

    def act(connection: apsw.Connection) -> tuple[Written, dict[str, Stub]]:
        forget_directories(connection, key, {directory_of(rel) for rel in rels})
        wiping.note(connection, key, prefix, work.read, work.gone, rels)
        written = write(connection, target, work.read, work.gone, forced=work.forced)
        return written, _stubs_at(connection, bundle, key, rels)

    written, present = store.database.write(act)
    return _with_present(written.delta(), prefix, rels, present)


def _with_present(
    delta: Delta, prefix: str, rels: Iterable[str], present: dict[str, Stub]
) -> Delta:
    """``delta`` with what is at the paths now, also where this process changed nothing."""
    told = {stub.path for stub in delta.added} | {new.path for _, new in delta.changed}
    repeated = [stub for stub in present.values() if stub.path not in told]
    gone = [native_path(prefix, rel) for rel in rels if rel not in present]
    return replace(delta, added=(*delta.added, *repeated), gone=tuple(gone))


def _without_writing(store: Store, asked: _Asked, key: int | None) -> Delta:
    bundle = asked.bundle
    work = store.database.run(lambda connection: _plan(connection, store, asked, key))
    prefix = root_prefix(bundle.real_root)
    present = {
        file.rel: stub_from_row(bundle.id, prefix, file.entry.stub)
        for file in work.read
        if file.entry is not None
    }
    rels = [*(file.rel for file in work.read), *work.gone]
    return _with_present(Delta(), prefix, rels, present)


def _plan(connection: apsw.Connection, store: Store, asked: _Asked, key: int | None) -> _Work:
    """Read what is to be read. Nothing is locked meanwhile."""
    bundle, prefix = asked.bundle, root_prefix(asked.bundle.real_root)
    work = _Work()
    wanted: set[str] = set()
    folders: set[str] = set()
    for rel in asked.rels:
        name = rel.rpartition("/")[2]
        wanted.add(rel)
        if name in CONTEXT_FILES or name.endswith(".sensitive"):
            # Its neighbours borrow from it, or are no assets because of it.
            neighbours = _rows_in(connection, key, directory_of(rel), deep=False)
            wanted |= neighbours
            work.forced |= neighbours
            if name.endswith(".sensitive"):
                folders.add(directory_of(rel))
        if os.path.isdir(native_path(prefix, rel)):
            folders.add(rel)
            wanted |= _rows_in(connection, key, rel, deep=True)
        elif not os.path.lexists(native_path(prefix, rel)):
            wanted |= _rows_in(connection, key, rel, deep=True)  # a directory that went
    known = _known(connection, key, wanted)
    unknown = {rel for rel in wanted - known if os.path.lexists(native_path(prefix, rel))}
    if folders or len(unknown) > MAX_NAMED:
        walk = listed(
            bundle,
            store.bundles,
            lambda rel: (
                rel in unknown
                or any(not folder or rel.startswith(f"{folder}/") for folder in folders)
            ),
        )
        known |= {file.rel for file in walk.files}
    elif unknown:
        # Only a listing knows what git ignores and which directories are left out.
        files = list_named(
            bundle,
            unknown,
            exclude_roots=store.bundles.nested_roots(bundle),
            wants=wanted_files(bundle),
        )
        known |= {file.rel for file in files}
    # A row that another process has removed already: the catalog may still have the asset.
    missing = wanted - known - unknown
    work.gone += sorted(rel for rel in missing if rel in asked.rels)
    for rel in sorted(known):
        file = read_one(bundle, rel)
        if file is None:
            work.gone.append(rel)
        else:
            work.read.append(file)
    return work


def _rows_in(
    connection: apsw.Connection, key: int | None, directory: str, *, deep: bool
) -> set[str]:
    """The known files in a directory."""
    low, high = (f"{directory}/", f"{directory}0") if directory else ("", "\U0010ffff")
    return {
        rel
        for (rel,) in connection.execute(
            "SELECT rel FROM files WHERE bundle_key = ? AND rel >= ? AND rel < ?", (key, low, high)
        )
        if deep or directory_of(rel) == directory
    }


def _known(connection: apsw.Connection, key: int | None, rels: Iterable[str]) -> set[str]:
    return {
        rel
        for (rel,) in connection.execute(
            "SELECT rel FROM files WHERE bundle_key = ?"
            " AND rel IN (SELECT value FROM json_each(?))",
            (key, json.dumps(sorted(rels))),
        )
    }


def _stubs_at(
    connection: apsw.Connection, bundle: Bundle, key: int, rels: Sequence[str]
) -> dict[str, Stub]:
    """The assets that are held by the files ``rels``, by these."""
    prefix = root_prefix(bundle.real_root)
    return {
        row[1]: stub_from_row(bundle.id, prefix, row)
        for row in connection.execute(
            f"SELECT {', '.join(f'e.{name.strip()}' for name in ENTRY_COLUMNS.split(','))}"
            " FROM files AS f JOIN entries AS e"
            " ON e.bundle_key = f.bundle_key AND e.concept_id = f.concept_id AND e.rel = f.rel"
            " WHERE f.bundle_key = ? AND f.rel IN (SELECT value FROM json_each(?))",
            (key, json.dumps(list(rels))),
        )
    }


def _merged(deltas: Sequence[Delta]) -> Delta:
    if len(deltas) == 1:
        return deltas[0]
    return Delta(
        added=tuple(stub for delta in deltas for stub in delta.added),
        changed=tuple(pair for delta in deltas for pair in delta.changed),
        removed=tuple(stub for delta in deltas for stub in delta.removed),
        claims=tuple(claim for delta in deltas for claim in delta.claims),
        gone=tuple(path for delta in deltas for path in delta.gone),
        generation=max((delta.generation for delta in deltas), default=0),
    )
