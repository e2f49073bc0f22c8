"""Findings of all files of all bundles, for a client that wants to list them.

Each file is linted once and again when something it depends on has changed; kept of it is little
more than a fingerprint of its findings. Nothing here is quick: whoever uses it does so file by
file, and lets others work in between.
"""

from __future__ import annotations

import hashlib
import json
import os
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.bundles.walker import list_named, walk
from akm_ls.lint.finding import Finding, Severity, at_least
from akm_ls.lint.record import to_plain
from akm_ls.workspace.beside import BesideChanged
from akm_ls.workspace.checking import is_checked
from akm_ls.workspace.known_findings import NotingSurroundings, suggests_assets
from akm_ls.workspace.linter import FileToCheck
from akm_ls.workspace.watching import with_directories

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle, BundleSet
    from akm_ls.documents.document import Document
    from akm_ls.index.delta import Delta
    from akm_ls.workspace.workspace import Workspace

LEAST: Severity = "information"
"""Advice (hints) on a file is for whoever has it open."""
_MANY = 200
"""More changed refs than these make every file's findings old."""


def files_to_check(bundles: BundleSet) -> list[FileToCheck]:
    """Every file of every bundle that rules look at; may run in any thread."""
    return [
        FileToCheck.of(bundle, file)
        for bundle in bundles
        for file in walk(bundle, exclude_roots=bundles.nested_roots(bundle))
        if is_checked(bundle, file.rel)
    ]


def file_to_check(bundle: Bundle, rel: str) -> FileToCheck | None:
    """One file of a bundle, if rules look at it."""
    if not is_checked(bundle, rel):
        return None
    return next((FileToCheck.of(bundle, file) for file in list_named(bundle, [rel])), None)


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file's findings and a fingerprint of them.

    ``document`` is what they are about; ``None``, with no findings, if the findings are those of
    the last time and were not made again.
    """

    path: str
    fingerprint: str
    findings: tuple[Finding, ...] = ()
    document: Document | None = None


@dataclass(slots=True)
class _Known:
    mtime_ns: int
    size: int
    fingerprint: str
    looked: array[int]
    """Hashes of the paths and directories that the rules looked at."""
    suggests: bool
    """Whether some finding says what else may have been meant, out of all there is."""


class ClosedFindings:
    """The findings of files that are not open. Paths are canonical."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._known: dict[str, _Known] = {}
        self._deltas: list[Delta] = []
        self._buffers: set[str] = set()
        """Open documents whose text has changed since `settle`."""

    def check(self, file: FileToCheck, *, again: bool = False) -> FileReport:
        """The report of one file; with ``again`` its findings in any case."""
        self.settle()
        path, walked = file.path, file.walked
        known = self._known.get(path)
        if (
            not again
            and known is not None
            and (known.mtime_ns, known.size) == (walked.mtime_ns, walked.size)
        ):
            return FileReport(path, known.fingerprint)
        document = self._workspace.document(path)
        if document is None:
            self._known.pop(path, None)
            return FileReport(path, "")
        around = NotingSurroundings(self._workspace.surroundings)
        findings = tuple(
            finding
            for finding in self._workspace.findings_in(
                document, path, file.bundle, walked.rel, around=around
            )
            if at_least(finding.severity, LEAST)
        )
        looked = around.looked
        names = {*looked.paths, *looked.listed}
        mark = _fingerprint(findings)
        hashes = array("q", sorted(map(hash, names)))
        self._known[path] = _Known(
            walked.mtime_ns, walked.size, mark, hashes, suggests_assets(findings)
        )
        return FileReport(path, mark, findings, document)

    def changed(self, delta: Delta) -> None:
        """Take note of a delta of the catalog."""
        if self._known and not delta.is_empty:
            self._deltas.append(delta)
            if delta.complete or sum(len(it.refs) for it in self._deltas) > _MANY:
                self.forget_all()

    def buffer_changed(self, path: str) -> None:
        """A document was opened, edited or closed: it costs nothing until somebody asks."""
        if self._known:
            self._buffers.add(path)

    def settle(self) -> None:
        """Forget the findings that depend on what has changed since the last time."""
        buffers, self._buffers = self._buffers, set()
        if buffers:
            self._forget_lookers(buffers)
        deltas, self._deltas = self._deltas, []
        for delta in deltas:
            self._settle(delta)

    def _settle(self, delta: Delta) -> None:
        workspace = self._workspace
        stale = set(_paths_of(delta))
        for claim in delta.claims:
            # Who held the ref with another file and has it alone now.
            holder = workspace.catalog.get(claim.bundle, claim.concept_id)
            if holder is not None:
                stale.add(holder.path)
        for concept_id in workspace.dependence.concepts(delta):
            stale.update(workspace.citing_paths(concept_id))
        if delta.added or delta.removed:
            stale.update(path for path, known in self._known.items() if known.suggests)
        beside = BesideChanged(delta, workspace.catalog)
        if beside.touches_any:
            stale.update(
                stub.path
                for stub in workspace.catalog.stubs()
                if stub.path in self._known and beside.touches(stub.path, stub.bundle)
            )
        for path in stale:
            self._known.pop(path, None)

    def files_changed(self, paths: Iterable[str]) -> None:
        """Forget what depends on files or directories that were written, created or deleted."""
        if not self._known:
            return
        workspace = self._workspace
        changed = with_directories(workspace.bundles, map(workspace.canonical, paths))
        if len(changed) > _MANY:
            self.forget_all()
            return
        self._forget_lookers(changed)

    def _forget_lookers(self, changed: set[str]) -> None:
        hashes = set(map(hash, changed)) | {hash(os.path.dirname(path)) for path in changed}
        stale = [
            path
            for path, known in self._known.items()
            if path in changed or not hashes.isdisjoint(known.looked)
        ]
        for path in stale:
            del self._known[path]

    def forget_all(self) -> None:
        self._known.clear()
        self._deltas.clear()
        self._buffers.clear()


def _paths_of(delta: Delta) -> Iterator[str]:
    for stub in (*delta.added, *delta.removed, *(new for _, new in delta.changed)):
        yield stub.path
    for claim in delta.claims:
        yield from claim.paths
    yield from delta.gone


def _fingerprint(findings: tuple[Finding, ...]) -> str:
    plain = json.dumps([to_plain(finding) for finding in findings], default=str)
    return hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
