"""Findings of files on disk: what ``akm-ls check`` prints."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from akm_ls.bundles.bundle import Bundle
from akm_ls.bundles.reading import read_problem, read_text
from akm_ls.bundles.sensitive import is_secret, is_sensitive
from akm_ls.bundles.walker import WalkedFile, list_named, walk
from akm_ls.documents.document import Document, kind_of, parse
from akm_ls.lint.finding import Finding
from akm_ls.workspace.check_run import CHECKED_ENDINGS, CheckRun, may_be_checked
from akm_ls.workspace.kept_findings import kept_findings
from akm_ls.workspace.linter import FileToCheck
from akm_ls.workspace.linting import lint_files

if TYPE_CHECKING:
    from akm_ls.index.workers import Crew
    from akm_ls.workspace.workspace import Workspace


@dataclass(frozen=True)
class FileFindings:
    """One checked file. ``path`` is canonical, ``rel`` its POSIX path in the bundle.

    ``text`` is what the rules looked at, if it is at hand.
    """

    path: str
    rel: str
    bundle: Bundle
    findings: tuple[Finding, ...]
    workspace: Workspace = field(repr=False)
    text: str | None = field(default=None, repr=False)

    @cached_property
    def document(self) -> Document:
        """The file's text, read when it is asked for; empty when the file has gone meanwhile."""
        opened = self.workspace.documents.get(self.path)
        if opened is not None:
            return opened.document
        text = read_text(self.bundle, self.rel) if self.text is None else self.text
        return parse(text or "", kind_of(self.path))


class NothingToCheck(ValueError):
    """A path that lies in no bundle or does not exist; ``str(error)`` is one line."""


@dataclass(frozen=True, slots=True)
class _Selection:
    """What to check of one bundle: everything, or what lies at or below some POSIX paths."""

    bundle: Bundle
    below: tuple[str, ...] | None = None

    def takes(self, rel: str) -> bool:
        if self.below is None:
            return True
        return any(
            not prefix or rel == prefix or rel.startswith(f"{prefix}/") for prefix in self.below
        )


def check(
    workspace: Workspace,
    paths: Sequence[str],
    run: CheckRun | None,
    on_progress: Callable[[int, int, str], None],
    cancelled: Callable[[], bool],
    *,
    alone: bool = False,
) -> Generator[FileFindings, None, None]:
    """The findings of every file under ``paths`` (of every bundle, when there are none).

    ``alone``: in this process only, for one that must not be forked.

    Raises:
        NothingToCheck: a path does not exist, or none of the paths lies in a bundle.
    """
    selections = _select(workspace, paths)
    files = [
        FileToCheck.of(selection.bundle, file)
        for selection in selections
        for file in _files_of(workspace, selection.bundle, run)
        if selection.takes(file.rel) and may_be_checked(file.rel)
    ]
    crew = run.crew if run is not None and run.is_open else None
    return _check_each(workspace, files, crew, on_progress, cancelled, alone=alone)


def _files_of(workspace: Workspace, bundle: Bundle, run: CheckRun | None) -> Iterable[WalkedFile]:
    walked = None if run is None else run.walked.get(bundle.id)
    if walked is not None:
        return walked
    return walk(bundle, exclude_roots=workspace.bundles.nested_roots(bundle))


def _check_each(
    workspace: Workspace,
    files: Sequence[FileToCheck],
    crew: Crew | None,
    on_progress: Callable[[int, int, str], None],
    cancelled: Callable[[], bool],
    *,
    alone: bool,
) -> Generator[FileFindings, None, None]:
    # What is kept is about files alone, and an open document counts for others as well.
    kept = None if len(workspace.documents) else kept_findings(workspace)
    known = [None if kept is None else kept.get(file.path, file.walked) for file in files]
    fresh = lint_files(
        workspace,
        [file for file, found in zip(files, known, strict=True) if found is None],
        crew,
        alone=alone,
    )
    with contextlib.closing(fresh):
        for done, (file, findings) in enumerate(zip(files, known, strict=True)):
            if cancelled():
                return
            on_progress(done, len(files), file.bundle.id)
            text = None
            if findings is None:
                found = next(fresh)
                if found is None:
                    continue
                findings, text = found.kept.findings, found.text
                if kept is not None:
                    kept.add(file.path, found.kept)
            yield FileFindings(file.path, file.walked.rel, file.bundle, findings, workspace, text)
    if kept is not None:
        kept.write()
    on_progress(len(files), len(files), "")


@dataclass(frozen=True, slots=True)
class Unchecked:
    """Why `check` passes over a file that was asked for by its name.

    ``unreadable`` tells a file that rules should have looked at from one that is none of theirs.
    """

    reason: str
    unreadable: bool = False


def why_unchecked(workspace: Workspace, path: str) -> Unchecked | None:
    """Why a file of a bundle is not checked; ``None`` when it is, or is in no bundle."""
    owner = workspace.bundles.relative(os.path.abspath(path))
    if owner is None:
        return None
    bundle, rel = owner
    hidden = is_secret(rel) or is_sensitive(rel, lambda name: os.path.lexists(bundle.path_of(name)))
    if hidden:
        return Unchecked(read_problem(bundle, rel) or "never opened")
    if not rel.lower().endswith(CHECKED_ENDINGS):
        return Unchecked(f"no rule is for such files ({', '.join(CHECKED_ENDINGS)} are checked)")
    problem = read_problem(bundle, rel)
    if problem is not None:
        return Unchecked(problem, unreadable=True)
    roots = workspace.bundles.nested_roots(bundle)
    if not list_named(bundle, [rel], exclude_roots=roots):
        return Unchecked(
            "not part of its bundle (a symbolic link, ignored by git, or where no assets are)"
        )
    return None


def why_empty(workspace: Workspace, path: str) -> str:
    """Why `check` finds nothing to look at below a directory."""
    owner = workspace.bundles.relative(os.path.abspath(path))
    if owner is not None and owner[1]:
        bundle, rel = owner
        inside = f"{rel}/x"
        if is_secret(inside):
            return "what is below it is secret, which is never opened"
        here = bundle.path_of(rel)
        if os.path.islink(here):
            return "a symbolic link to a directory is not part of its bundle"
        if rel.lower().endswith(CHECKED_ENDINGS):
            return "it is a directory, and no file in it is checked"
    return f"no file below it is checked ({', '.join(CHECKED_ENDINGS)} that git does not ignore)"


def is_checked(bundle: Bundle, rel: str) -> bool:
    """Whether a file is one that rules look at, by its name and its neighbours' names."""
    if not may_be_checked(rel):
        return False
    return not is_sensitive(rel, lambda other: os.path.lexists(bundle.path_of(other)))


def _select(workspace: Workspace, paths: Sequence[str]) -> tuple[_Selection, ...]:
    if not paths:
        return tuple(_Selection(bundle) for bundle in workspace.bundles)
    below: dict[str, list[str]] = {}
    whole: dict[str, Bundle] = {}
    for path in paths:
        path = os.path.abspath(path)
        if not os.path.exists(path):
            raise NothingToCheck(f"{path}: no such file or directory")
        owner = workspace.bundles.relative(path)
        if owner is not None:
            bundle, rel = owner
            whole[bundle.id] = bundle
            below.setdefault(bundle.id, []).append(rel)
        inside = os.path.join(os.path.realpath(path), "")
        for bundle in workspace.bundles:
            if os.path.join(bundle.real_root, "").startswith(inside):
                whole[bundle.id] = bundle
                below.setdefault(bundle.id, []).append("")
    if not whole:
        names = ", ".join(paths)
        raise NothingToCheck(
            f"{names}: in no bundle; run 'akm-ls doctor' there to see why, "
            "or name the bundle's root with --bundle-dir"
        )
    return tuple(_Selection(bundle, tuple(below[key])) for key, bundle in whole.items())
