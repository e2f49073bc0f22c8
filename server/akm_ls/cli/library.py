"""From the arguments to an open workspace whose index is up to date."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.cli.outcome import CommandError
from akm_ls.cli.progress import Progress
from akm_ls.cli.terminal import complain
from akm_ls.counts import count

if TYPE_CHECKING:
    from akm_ls.index.indexer import IndexReport
    from akm_ls.refs import Ref
    from akm_ls.workspace import Workspace
    from akm_ls.workspace.check_run import CheckRun


def open_workspace(options: Namespace, paths: Sequence[str] = ()) -> Workspace:
    """The workspace of ``paths``, or of the current directory; a context manager.

    With ``--bundle-dir`` the bundles are exactly those, wherever the paths lie. Its catalog is
    empty until `refresh`.

    Raises:
        CommandError: a path that does not exist.
    """
    from akm_ls.import_cache import Generated

    folders = []
    for path in paths or ["."]:
        absolute = os.path.abspath(path)
        if not os.path.lexists(absolute):
            raise CommandError(f"{path}: no such file or directory")
        folders.append(absolute if os.path.isdir(absolute) else os.path.dirname(absolute))
    data_dir = usable_data_dir(options.data_dir)
    generated = Generated(data_dir, "commands")
    with generated.in_use():
        from akm_ls.workspace import Workspace
        from akm_ls.workspace.settings import Settings
    generated.keep()

    settings = Settings(
        bundle_dirs=tuple(options.bundle_dirs),
        folders=() if options.bundle_dirs else tuple(dict.fromkeys(folders)),
        data_dir=data_dir,
        config=options.config,
        offline=options.offline,
    )
    return Workspace(settings)


def usable_data_dir(asked: str | None) -> str:
    """The data directory, or one for this run alone where nothing can be written (a container)."""
    from akm_ls.index.places import default_data_dir

    path = asked or default_data_dir()
    try:
        os.makedirs(path, exist_ok=True)
        if os.access(path, os.W_OK):
            return path
        problem = "it cannot be written to"
    except OSError as error:
        problem = error.strerror or str(error)
    complain(f"{path}: {problem}; the index of this run is not kept (--data-dir names a place)")
    import atexit
    import shutil
    import tempfile

    temporary = tempfile.mkdtemp(prefix="akm-ls-")
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    return temporary


def require_bundles(workspace: Workspace) -> None:
    """Raises: CommandError when there is no bundle to work on."""
    if not len(workspace.bundles):
        raise CommandError(
            "no bundle found here and none is configured (`akm-ls doctor` says why, "
            "--bundle-dir names one)"
        )


def refresh(
    workspace: Workspace,
    *,
    full: bool = False,
    clean: bool = False,
    skip_if_locked: bool = False,
    check_run: CheckRun | None = None,
    load: bool = True,
) -> IndexReport:
    """Bring the index up to date with the files, with progress on stderr when it takes long.

    Without ``load`` the catalog stays as empty as it is: for commands that may not need it.

    Raises:
        CommandError: the index file cannot be used.
    """
    from akm_ls.index.store import StoreError

    try:
        with Progress("Indexing") as progress:
            report = workspace.refresh(
                full=full,
                clean=clean,
                skip_if_locked=skip_if_locked,
                check_run=check_run,
                follow=workspace.has_catalog,
                on_progress=progress,
            )
    except StoreError as error:
        raise CommandError(str(error)) from error
    if load:
        workspace.require_catalog()
    return report


def asked_ref(text: str) -> Ref:
    """The ref a command was given.

    Raises:
        CommandError: it is none, or nothing but punctuation, which the grammar lets pass.
    """
    from akm_ls.refs import RefError, parse_ref

    try:
        ref = parse_ref(text)
        if not ref.concept_id.isascii() or any(char.isalnum() for char in ref.concept_id):
            return ref
    except RefError as error:
        raise CommandError(str(error)) from error
    raise CommandError(f"{text} is no ref: expected [bundle//]conceptId[#fragment]")


def refresh_to_ask(workspace: Workspace) -> None:
    """`refresh` before a question: while another process rebuilds the index, do not wait for it."""
    if refresh(workspace, skip_if_locked=True).skipped_locked:
        complain("another process is indexing: this is what it knows so far")


def paths_to_check(workspace: Workspace, options: Namespace) -> list[str]:
    """The absolute files and directories ``check`` goes through; none means all bundles.

    With ``--skip-outside`` what was asked for may come to nothing: then none means nothing.

    Raises:
        CommandError: when nothing of what was asked for belongs to a bundle.
    """
    if options.paths:
        return _asked_for(workspace, options.paths, skip_outside=options.skip_outside)
    require_bundles(workspace)
    here = os.getcwd()
    if options.bundle_dirs:
        return []
    if _is_in_bundles(workspace, here):
        return [here]
    bundles = count(len(workspace.bundles), "configured bundle")
    complain(f"no bundle in {here}: checking {bundles}")
    return []


def _asked_for(workspace: Workspace, paths: Sequence[str], *, skip_outside: bool) -> list[str]:
    outside = {path for path in paths if not _is_in_bundles(workspace, os.path.abspath(path))}
    if skip_outside:
        return [os.path.abspath(path) for path in paths if path not in outside]
    if outside.issuperset(paths):
        verb = "is" if len(paths) == 1 else "are"
        raise CommandError(
            f"{', '.join(paths)} {verb} in no bundle (`akm-ls doctor {paths[0]}` says why)"
        )
    for path in sorted(outside):
        complain(f"{path} is in no bundle: not checked")
    return [os.path.abspath(path) for path in paths if path not in outside]


@dataclass(frozen=True, slots=True)
class PassedOver:
    """Files that were named and are not checked: their absolute paths, and a line for each.

    ``unreadable`` counts those that rules should have looked at.
    """

    paths: frozenset[str] = frozenset()
    lines: tuple[str, ...] = ()
    unreadable: int = 0


def passed_over(workspace: Workspace, options: Namespace) -> PassedOver:
    """Which of the files that ``check`` was given by name it does not look at, and why.

    A commit hook gives all files of the commit: with ``--skip-outside`` only those count that
    cannot be read.

    Raises:
        CommandError: when that leaves nothing to check.
    """
    from akm_ls.workspace.checking import why_unchecked

    paths: list[str] = []
    lines: list[str] = []
    unreadable = 0
    for path in dict.fromkeys(options.paths):
        why = None if os.path.isdir(path) else why_unchecked(workspace, path)
        if why is not None and (why.unreadable or not options.skip_outside):
            paths.append(os.path.abspath(path))
            lines.append(f"{path}: not checked, {why.reason}")
            unreadable += why.unreadable
    if lines and len(lines) == len(set(options.paths)):
        more = f" (and {count(len(lines) - 1, 'more file')})" if len(lines) > 1 else ""
        raise CommandError(lines[0] + more)
    return PassedOver(frozenset(paths), tuple(lines), unreadable)


class Named:
    """What ``check`` was given by name, of which it takes note which directories held a file.

    A run that was asked for something and looked at nothing must not pass for a clean one.
    """

    def __init__(self, workspace: Workspace, directories: Sequence[str]) -> None:
        self._workspace = workspace
        self._without = {
            path: (
                os.path.join(workspace.canonical(os.path.abspath(path)), ""),
                os.path.join(os.path.realpath(path), ""),
            )
            for path in directories
        }
        self._any = False

    @classmethod
    def of(cls, workspace: Workspace, paths: Sequence[str]) -> Named | None:
        """``None`` when nothing was named: an empty bundle is none's fault."""
        if not paths:
            return None
        inside = (p for p in paths if os.path.isdir(p) and _is_in_bundles(workspace, p))
        return cls(workspace, list(dict.fromkeys(inside)))

    def note(self, path: str) -> None:
        """A file is checked; ``path`` is canonical."""
        self._any = True
        if self._without:
            self._without = {
                directory: places
                for directory, places in self._without.items()
                if not path.startswith(places)
            }

    def lines(self) -> tuple[str, ...]:
        """A line for each named directory below which no file was checked."""
        from akm_ls.workspace.checking import why_empty

        return tuple(
            f"{path}: nothing to check, {why_empty(self._workspace, path)}"
            for path in self._without
        )

    def require_files(self) -> None:
        """Raises: CommandError unless at least one file was checked."""
        if self._any:
            return
        first, *others = self.lines() or ("nothing to check: the files are gone",)
        more = f" (and {count(len(others), 'more directory', 'more directories')})"
        raise CommandError(first + (more if others else ""))


def _is_in_bundles(workspace: Workspace, path: str) -> bool:
    """Whether a bundle owns ``path``, or some bundle lies below it."""
    if workspace.bundles.owner_of(path) is not None:
        return True
    inside = os.path.join(os.path.realpath(path), "")
    return any(bundle.real_root.startswith(inside) for bundle in workspace.bundles)
