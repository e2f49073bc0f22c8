"""Which files have to be read again: what lies on disk, held against what the index knows."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from akm_ls.bundles.adapters import adapter_of
from akm_ls.bundles.citations import may_cite
from akm_ls.bundles.contributions import SETUP_FILES
from akm_ls.bundles.sensitive import is_secret
from akm_ls.bundles.walker import list_bundles, list_files

if TYPE_CHECKING:
    import apsw

    from akm_ls.bundles.bundle import Bundle, BundleSet
    from akm_ls.bundles.walker import Walk, WalkedFile

CONTEXT_FILES = frozenset(("package.json", *SETUP_FILES))
"""Files that say something of their neighbours: those are read again when these change."""

MUCH = 200
"""Files to read that are certainly worth other processes."""

_TICK_NS = 50_000_000
"""Coarser than the clocks of common file systems: within it a file can change unseen."""
_FUTURE_NS = 2_000_000_000


class FileRow(NamedTuple):
    """A row of ``files``."""

    size: int
    mtime_ns: int
    content_hash: str
    concept_id: str | None
    warning: str | None
    racy: int


class FileToRead(NamedTuple):
    rel: str
    size: int
    mtime_ns: int
    racy: int


class DirState(NamedTuple):
    """A row of ``dir_state`` without its bundle."""

    dir: str
    fingerprint: bytes
    context: bytes
    max_mtime_ns: int
    row_count: int


@dataclass(slots=True)
class BundleScan:
    """What one bundle needs. ``known`` are rows as they were before the files were listed."""

    bundle: Bundle
    key: int
    files: int = 0
    reads: list[FileToRead] = field(default_factory=list)
    forced: frozenset[str] = frozenset()
    """Files whose rows are written even if their bytes are the same."""
    removed: list[str] = field(default_factory=list)
    known: dict[str, FileRow] = field(default_factory=dict)
    drained: list[str] = field(default_factory=list)
    """Directories whose state no longer counts."""
    states: Iterable[DirState] = ()
    """Their new states, for when all their files have been written; to be gone through once."""
    warnings: tuple[str, ...] = ()
    walked: Sequence[WalkedFile] | None = None
    """All that was listed, also what does not matter to the index; ``None``: list it anew."""


def wanted_files(bundle: Bundle) -> Callable[[str], bool]:
    """Whether a file of this bundle matters to the index, by its path."""
    adapter = adapter_of(bundle)
    wants = adapter.wants
    return lambda rel: (
        wants(rel) or rel.rpartition("/")[2] in CONTEXT_FILES or may_cite(adapter, rel)
    )


def scan(
    connection: apsw.Connection,
    bundles: BundleSet,
    selected: Sequence[Bundle],
    keys: Mapping[str, int],
    *,
    full: bool,
    also: Callable[[str], bool] | None = None,
    on_much: Callable[[], None] = lambda: None,
) -> list[BundleScan]:
    """Compare the files of the ``selected`` ones of ``bundles`` with the index.

    The view of the index is taken before the files are listed: a row that another process adds
    meanwhile is not mistaken for one whose file is gone. ``keys`` are the bundles' by id. Files
    that ``also`` takes are listed on the way. ``on_much`` is called once it is certain, long
    before the end, that there will be `MUCH` to read.
    """
    connection.execute("BEGIN")
    try:
        connection.execute("SELECT count(*) FROM bundles").fetchone()  # takes the view
        unread = [bundle.id for bundle in selected if full or _is_new(connection, keys[bundle.id])]
        now = time.time_ns()
        counter = _Counter(on_much)
        listings = {
            bundle.id: _Wanted(bundle, also, counter if bundle.id in unread else None)
            for bundle in selected
        }
        if len(selected) == len(bundles):
            walks = list_bundles(bundles, lambda bundle: listings[bundle.id])
        else:
            walks = {bundle.id: listed(bundle, bundles, listings[bundle.id]) for bundle in selected}
        found: list[BundleScan] = []
        for bundle in selected:
            walk, beside = walks[bundle.id], listings[bundle.id].beside
            shared: Sequence[WalkedFile] | None = None if walk.all_ignored else walk.files
            if beside and len(beside) == len(walk.files) and walk.method == "git":
                # Of what matters here git lists nothing, which means another way of listing.
                walk, shared = listed(bundle, bundles), None
            elif beside:
                files = tuple([file for file in walk.files if file.rel not in beside])
                walk = replace(walk, files=files)
            item = _scan_bundle(connection, bundle, keys[bundle.id], walk, now, full)
            item.walked = shared
            found.append(item)
        return found
    finally:
        connection.execute("COMMIT")


def _is_new(connection: apsw.Connection, key: int) -> bool:
    query = "SELECT 1 FROM files WHERE bundle_key = ? LIMIT 1"
    return connection.execute(query, (key,)).fetchone() is None


class _Counter:
    """Counts files that will be read, and tells when they are `MUCH`."""

    def __init__(self, on_much: Callable[[], None]) -> None:
        self._left = MUCH
        self._on_much = on_much

    def one_more(self) -> None:
        self._left -= 1
        if not self._left:
            self._on_much()


class _Wanted:
    """Whether a file is listed; ``beside`` are those that do not matter to the index."""

    def __init__(
        self, bundle: Bundle, also: Callable[[str], bool] | None, counter: _Counter | None
    ) -> None:
        self._matters = wanted_files(bundle)
        self._also = also
        self._counter = counter
        self.beside: set[str] = set()

    def __call__(self, rel: str) -> bool:
        if self._matters(rel):
            if self._counter is not None:
                self._counter.one_more()
            return True
        if self._also is None or not self._also(rel):
            return False
        self.beside.add(rel)
        return True


def listed(bundle: Bundle, bundles: BundleSet, wants: Callable[[str], bool] | None = None) -> Walk:
    """The files of one bundle of the set; ``wants`` narrows them down further."""
    matters = wanted_files(bundle)
    return list_files(
        bundle,
        exclude_roots=bundles.nested_roots(bundle),
        wants=matters if wants is None else lambda rel: wants(rel) and matters(rel),
    )


def _scan_bundle(
    connection: apsw.Connection, bundle: Bundle, key: int, walk: Walk, now: int, full: bool
) -> BundleScan:
    found = BundleScan(bundle, key, len(walk.files), warnings=walk.warnings)
    states = {
        row[0]: DirState(*row)
        for row in connection.execute(
            "SELECT dir, fingerprint, context, max_mtime_ns, row_count FROM dir_state"
            " WHERE bundle_key = ?",
            (key,),
        )
    }
    rows = connection.execute("SELECT count(*) FROM files WHERE bundle_key = ?", (key,)).fetchone()
    if not states and rows == (0,):
        found.reads = [
            FileToRead(rel, size, mtime_ns, is_racy(mtime_ns, now))
            for rel, size, mtime_ns in map(_without_secret_size, walk.files)
        ]
        # Much to do, and nobody needs it before all those files have been read.
        found.states = _settled_states(walk.files, now)
        return found
    directories = _by_directory(walk.files)
    new_states: list[DirState] = []
    settled: set[str] = set()
    forced: list[str] = []
    drained: dict[str, tuple[list[WalkedFile], bool]] = {}
    settled_rows = 0
    for directory, files in directories.items():
        state = _state(directory, files)
        before = states.get(directory)
        if state == before and not full:
            settled.add(directory)
            settled_rows += len(files)
            continue
        borrowed = before is not None and before.context != state.context
        drained[directory] = (files, borrowed)
        if not _has_racy(files, now):
            new_states.append(state)
    found.states = new_states
    if not drained and rows == (settled_rows,) and states.keys() == settled:
        return found
    found.drained = [*drained, *(states.keys() - directories.keys())]
    found.known = {
        rel: FileRow(*row)
        for rel, *row in connection.execute(
            "SELECT rel, size, mtime_ns, content_hash, concept_id, warning, racy FROM files"
            " WHERE bundle_key = ?",
            (key,),
        )
        if directory_of(rel) not in settled
    }
    walked: set[str] = set()
    for files, borrowed in drained.values():
        for file in files:
            rel, size, mtime_ns = file
            walked.add(rel)
            row = found.known.get(rel)
            if full or borrowed:
                forced.append(rel)
            elif row is not None and not row.racy and row[:2] == (size, mtime_ns):
                continue
            found.reads.append(FileToRead(rel, size, mtime_ns, is_racy(mtime_ns, now)))
    found.reads.sort()
    found.forced = frozenset(forced)
    found.removed = sorted(found.known.keys() - walked)
    return found


def _by_directory(files: Iterable[WalkedFile]) -> dict[str, list[WalkedFile]]:
    directories: dict[str, list[WalkedFile]] = {}
    for file in files:
        directory = directory_of(file.rel)
        file = _without_secret_size(file)
        known = directories.get(directory)
        if known is None:
            directories[directory] = [file]
        else:
            known.append(file)
    return directories


def _without_secret_size(file: WalkedFile) -> WalkedFile:
    return file._replace(size=0) if file.size and is_secret(file.rel) else file


def _settled_states(files: Iterable[WalkedFile], now: int) -> Iterator[DirState]:
    for directory, inside in _by_directory(files).items():
        if not _has_racy(inside, now):
            yield _state(directory, inside)


def _has_racy(files: Iterable[WalkedFile], now: int) -> bool:
    return any(is_racy(file.mtime_ns, now) for file in files)


def directory_of(rel: str) -> str:
    return rel.rpartition("/")[0]


def _state(directory: str, files: list[WalkedFile]) -> DirState:
    names = "\n".join([f"{rel}\0{size}\0{mtime_ns}" for rel, size, mtime_ns in files])
    context = "\n".join(
        [
            f"{rel}\0{size}\0{mtime_ns}" if rel.endswith(".json") else rel
            for rel, size, mtime_ns in files
            if rel.rpartition("/")[2] in CONTEXT_FILES
        ]
    )
    return DirState(
        directory,
        _digest(names),
        _digest(context) if context else b"",
        max([file.mtime_ns for file in files]),
        len(files),
    )


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def is_racy(mtime_ns: int, now_ns: int) -> int:
    """1 when a file was written so shortly before ``now_ns`` that its time proves nothing."""
    return int(now_ns - _TICK_NS < mtime_ns < now_ns + _FUTURE_NS)
