"""Findings of an earlier `check`, for as long as nothing they were made from has changed.

Kept beside the index, one file for each set of bundles. Losing one costs a slower run and nothing
else, so whatever is odd about it means that there is none.
"""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import sys
import time
import zlib
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

import akm_ls
from akm_ls.bundles.listings import PathKind
from akm_ls.bundles.walker import WalkedFile
from akm_ls.lint.bundle_settings import FILES
from akm_ls.lint.finding import Finding
from akm_ls.lint.record import from_plain

if TYPE_CHECKING:
    from akm_ls.documents.document import Document
    from akm_ls.lint.rule import Surroundings
    from akm_ls.workspace.workspace import Workspace

DIRECTORY = "findings"
SETTLED_NS = 2_000_000_000
"""File systems count time in steps of up to two seconds."""
MAX_DOCUMENTS = 200
"""Documents around others that one run keeps at a time."""
_FORMAT = 3

Stamp = list[int]
"""Modification time in nanoseconds and size in bytes; ``[]``: nothing there."""


class OneRun:
    """Surroundings for one run over many files: nothing is looked at twice.

    `looked` is what was asked since `start`: paths and their stamps.
    """

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self._names: dict[str, Mapping[str, PathKind]] = {}
        self._documents: dict[str, Document | None] = {}
        self._stamps: dict[str, Stamp] = {}
        self.looked: dict[str, Stamp] = {}

    def start(self) -> None:
        """Begin with another file."""
        self.looked = {}

    def kind(self, path: str) -> PathKind | None:
        directory, name = os.path.split(path)
        return self.names(directory).get(name) if name else "directory"

    def names(self, directory: str) -> Mapping[str, PathKind]:
        self._note(directory)
        names = self._names.get(directory)
        if names is None:
            names = self._names[directory] = self._surroundings.names(directory)
        return names

    def document(self, path: str) -> Document | None:
        self._note(path)
        if path not in self._documents:
            if len(self._documents) >= MAX_DOCUMENTS:
                self._documents.pop(next(iter(self._documents)))
            self._documents[path] = self._surroundings.document(path)
        return self._documents[path]

    def exists(self, path: str) -> bool:
        self._note(path)
        return self._surroundings.exists(path)

    def cited_in(self, bundle: str, concept_id: str) -> frozenset[str] | None:
        # Whatever changes this changes the state of the index, which all findings depend on.
        return self._surroundings.cited_in(bundle, concept_id)

    def _note(self, path: str) -> None:
        if path not in self.looked:
            stamp = self._stamps.get(path)
            if stamp is None:
                stamp = self._stamps[path] = stamp_of(path)
            self.looked[path] = stamp


class Kept(NamedTuple):
    """One file's findings, and the stamps of the file and of what was looked at.

    ``plain`` are the findings as `lint.record` writes them: to be sent and to be kept.
    """

    file: Stamp
    looked: Mapping[str, Stamp]
    plain: Sequence[Any]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(map(from_plain, self.plain))

    @property
    def is_settled(self) -> bool:
        """Whether nothing was changed just now: a second change might leave no trace."""
        latest = time.time_ns() - SETTLED_NS
        for stamp in (self.file, *self.looked.values()):
            if stamp and stamp[0] >= latest:
                return False
        return True


class KeptFindings:
    """The findings of one earlier run, by canonical path of the file.

    The file has a line with the key, a checksum of the rest, and marshalled: what was looked at,
    each as its path and the parts of its stamp; and by path of each file its own stamp, the
    numbers of what was looked at for it, and its findings.
    """

    def __init__(self, path: str, key: str) -> None:
        self._path = path
        self._key = f"{key}\n".encode()
        self._looked: list[tuple[Any, ...]] = []
        self._files: dict[str, tuple[Stamp, list[int], Sequence[Any]]] = {}
        self._stamps: dict[str, Stamp] = {}
        self._holds: dict[int, bool] = {}
        with contextlib.suppress(OSError), open(path, "rb") as file:
            if file.readline() == self._key:
                checksum, content = file.read(_CHECKSUM), file.read()
                # Only what was written here is read: marshal takes no care.
                if checksum == _checksum(content):
                    self._looked, self._files = marshal.loads(content)
        self._numbers = {seen: number for number, seen in enumerate(self._looked)}
        self._has_news = False

    def get(self, path: str, walked: WalkedFile) -> tuple[Finding, ...] | None:
        """The findings of a file that is as it was, ``None`` for any other."""
        kept = self._files.get(path)
        if kept is None:
            return None
        stamp, looked, findings = kept
        if stamp != [walked.mtime_ns, walked.size]:
            return None
        for number in looked:
            if not self._is_as_seen(number):
                return None
        return tuple(map(from_plain, findings)) if findings else ()

    def _is_as_seen(self, number: int) -> bool:
        holds = self._holds.get(number)
        if holds is None:
            path, *seen = self._looked[number]
            holds = self._holds[number] = self._stamp(path) == seen
        return holds

    def _stamp(self, path: str) -> Stamp:
        stamp = self._stamps.get(path)
        if stamp is None:
            stamp = self._stamps[path] = stamp_of(path)
        return stamp

    def add(self, path: str, kept: Kept) -> None:
        """Take note of what was found in a file, for `write`."""
        if kept.is_settled:
            numbers = self._numbers
            seen = [
                numbers.setdefault((at, *stamp), len(numbers)) for at, stamp in kept.looked.items()
            ]
            self._files[path] = kept.file, seen, kept.plain
            self._has_news = True

    def write(self) -> None:
        """Keep what was added, all or nothing; a disk that refuses is no fault of the run."""
        if not self._has_news:
            return
        import tempfile  # only here: most runs find nothing new

        directory = os.path.dirname(self._path)
        try:
            content = marshal.dumps((list(self._numbers), self._files))
            os.makedirs(directory, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=directory, prefix=".new-")
        except (OSError, ValueError):
            return
        try:
            with os.fdopen(handle, "wb") as file:
                file.writelines((self._key, _checksum(content), content))
            os.replace(temporary, self._path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


_CHECKSUM = 4


def _checksum(content: bytes) -> bytes:
    return zlib.crc32(content).to_bytes(_CHECKSUM, "little")


def kept_findings(workspace: Workspace) -> KeptFindings | None:
    """What is kept for a workspace as it is now; ``None`` while its index is not whole.

    The key is made from everything that all files' findings depend on: the program, the settings,
    the bundles and their configuration, and the state of the index.
    """
    store = workspace.store
    if store is None or not workspace.is_complete():
        return None
    roots = "\n".join(f"{bundle.id} {bundle.real_root}" for bundle in workspace.bundles)
    parts = [
        str(_FORMAT),
        _program(),
        sys.implementation.cache_tag,
        repr(workspace.settings.lint),
        repr([workspace.bundles.bundles, workspace.bundles.default]),
        repr([stamp_of(bundle.path_of(name)) for bundle in workspace.bundles for name in FILES]),
        str(store.generation()),
        date.today().isoformat(),
    ]
    name = hashlib.sha256(roots.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    key = hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return KeptFindings(os.path.join(workspace.data_dir, DIRECTORY, f"{name}.bin"), key)


def stamp_of(path: str) -> Stamp:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return []
    # A directory's size says nothing that its time does not.
    return [status.st_mtime_ns, status.st_size]


def _program() -> str:
    """The version, and the time of the newest module: rules change while they are worked on."""
    package = os.path.dirname(os.path.abspath(akm_ls.__file__))
    newest = 0
    for directory, _, names in os.walk(package):
        for name in names:
            if name.endswith((".py", ".json", ".yaml")):
                newest = max(newest, (stamp_of(os.path.join(directory, name)) or [0])[0])
    return f"{akm_ls.__version__} {newest}"
