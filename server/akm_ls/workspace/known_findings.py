"""Findings that hold until something they were made from changes.

A document's findings depend on its own text, on what is known of the assets it cites or resembles
(`Workspace.affected`), and on the files and directories that its rules have looked at. The last
are remembered here while the rules run.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from akm_ls.bundles.listings import PathKind
from akm_ls.lint.engine import lint
from akm_ls.workspace.surroundings import SurroundingsOfThread
from akm_ls.workspace.watching import with_directories

if TYPE_CHECKING:
    from akm_ls.documents.document import Document
    from akm_ls.index.delta import Delta
    from akm_ls.lint.finding import Finding
    from akm_ls.lint.rule import Surroundings
    from akm_ls.workspace.open_documents import OpenDocument
    from akm_ls.workspace.workspace import Workspace

_SUGGESTING = frozenset({"missing-ref", "wrong-bundle"})


@dataclass(slots=True)
class Looked:
    """What rules asked of the files around one document."""

    paths: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    """Directories whose names mattered."""
    citations: bool = False
    """Whether it mattered who else cites an asset."""

    def touched_by(self, path: str) -> bool:
        """Whether a file or directory that was written, created or deleted was looked at."""
        if path in self.paths or os.path.dirname(path) in self.listed or path in self.listed:
            return True
        below = os.path.join(path, "")
        return any(
            looked.startswith(below) for looks in (self.paths, self.listed) for looked in looks
        )


class NotingSurroundings:
    """Surroundings that remember what was asked of them, by normalised paths.

    A rule may ask for ``skills/x/`` or ``a/../b``; a change is told as ``skills/x`` and ``b``.
    """

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self.looked = Looked()

    def kind(self, path: str) -> PathKind | None:
        self.looked.paths.add(os.path.normpath(path))
        return self._surroundings.kind(path)

    def names(self, directory: str) -> Mapping[str, PathKind]:
        self.looked.listed.add(os.path.normpath(directory))
        return self._surroundings.names(directory)

    def document(self, path: str) -> Document | None:
        self.looked.paths.add(os.path.normpath(path))
        return self._surroundings.document(path)

    def exists(self, path: str) -> bool:
        self.looked.paths.add(os.path.normpath(path))
        return self._surroundings.exists(path)

    def cited_in(self, bundle: str, concept_id: str) -> frozenset[str] | None:
        self.looked.citations = True
        return self._surroundings.cited_in(bundle, concept_id)


@dataclass(frozen=True, slots=True)
class _Known:
    opened: OpenDocument
    findings: tuple[Finding, ...]
    looked: Looked


class LintJob:
    """One run of the rules over an open document, for a thread of its own."""

    def __init__(self, workspace: Workspace, opened: OpenDocument, forgotten: int) -> None:
        assert opened.bundle is not None
        self.opened = opened
        self.forgotten = forgotten
        self.findings: tuple[Finding, ...] = ()
        # Nothing of what the workspace's own thread keeps is used by two.
        self._around = NotingSurroundings(SurroundingsOfThread(workspace))
        self._subject = workspace.subject(
            opened.document, opened.path, opened.bundle, opened.rel, around=self._around
        )

    @property
    def looked(self) -> Looked:
        return self._around.looked

    def run(self) -> None:
        self.findings = lint(self._subject)


def suggests_assets(findings: Iterable[Finding]) -> bool:
    """Whether some finding says what else may have been meant: any new asset can be that."""
    return any(finding.code in _SUGGESTING for finding in findings)


class KnownFindings:
    """The findings of the open documents, each made once for one state of things.

    Whoever changes the workspace tells: every delta to `changed`, every file on disk to
    `files_changed`, and to `forget_all` what all documents depend on: settings, the bundles, and
    that a catalog has become complete. Paths are canonical.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._known: dict[str, _Known] = {}
        self._forgotten: Counter[str] = Counter()
        """How often the findings of a document have been given up."""
        self._all_forgotten = 0

    def of(self, path: str) -> tuple[Finding, ...]:
        """The findings of one open document; none outside every bundle."""
        opened = self._workspace.documents.get(path)
        if opened is None or opened.bundle is None:
            return ()
        known = self._known.get(path)
        if known is None or known.opened is not opened:
            around = NotingSurroundings(self._workspace.surroundings)
            findings = self._workspace.findings_in(
                opened.document, path, opened.bundle, opened.rel, around=around
            )
            known = self._known[path] = _Known(opened, findings, around.looked)
        return known.findings

    def job(self, path: str) -> LintJob | None:
        """What makes `is_known` true once it has run, in any thread, and is given to `take`."""
        opened = self._workspace.documents.get(path)
        if opened is None or opened.bundle is None:
            return None
        return LintJob(self._workspace, opened, self._times_forgotten(path))

    def take(self, job: LintJob) -> None:
        """The findings of a job, unless what they were made from has changed since."""
        path = job.opened.path
        if (
            self._workspace.documents.get(path) is job.opened
            and self._times_forgotten(path) == job.forgotten
        ):
            self._known[path] = _Known(job.opened, job.findings, job.looked)

    def _times_forgotten(self, path: str) -> int:
        return self._forgotten[path] + self._all_forgotten

    def is_known(self, path: str) -> bool:
        """Whether `of` would not run the rules."""
        opened = self._workspace.documents.get(path)
        if opened is None or opened.bundle is None:
            return True
        known = self._known.get(path)
        return known is not None and known.opened is self._workspace.documents.get(path)

    def changed(self, delta: Delta) -> tuple[str, ...]:
        """Take note of a delta; the open documents whose findings may differ now."""
        stale = dict.fromkeys(opened.path for opened in self._workspace.affected(delta))
        if delta.added or delta.removed:
            stale.update(
                (path, None)
                for path, known in self._known.items()
                if suggests_assets(known.findings)
            )
        return self._forget(stale)

    def buffer_changed(self, path: str) -> tuple[str, ...]:
        """A buffer was opened, edited or closed; the other documents that looked at it."""
        return self._forget(
            other
            for other, known in self._known.items()
            if other != path and (known.looked.citations or path in known.looked.paths)
        )

    def files_changed(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Files or directories were written, created or deleted; who looked at them."""
        if not self._known:
            return ()
        workspace = self._workspace
        changed = with_directories(workspace.bundles, map(workspace.canonical, paths))
        return self._forget(
            other
            for other, known in self._known.items()
            if known.looked.citations or any(map(known.looked.touched_by, changed))
        )

    def forget_all(self) -> None:
        self._known.clear()
        self._all_forgotten += 1

    def forget(self, path: str) -> None:
        """A document was closed."""
        self._known.pop(path, None)
        self._forgotten.pop(path, None)

    def _forget(self, paths: Iterable[str]) -> tuple[str, ...]:
        forgotten = tuple(paths)
        for path in forgotten:
            self._known.pop(path, None)
            self._forgotten[path] += 1
        return forgotten
