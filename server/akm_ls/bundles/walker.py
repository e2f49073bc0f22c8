"""Which files a bundle has: by git inside a work tree, else by walking the directory.

Only regular files count, by stat; nothing is opened. A path never leaves the bundle: symlinked
directories are not followed, and a symlinked file counts only when git lists it and its target
lies inside.
"""

from __future__ import annotations

import os
import stat
import subprocess
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from akm_ls.bundles.adapters.probes import CLAUDE_DIRECTORIES, OPENCODE_DIRECTORIES
from akm_ls.bundles.bundle import Bundle, BundleSet, is_usable
from akm_ls.bundles.host_layouts import HOST_DIRECTORIES, SKIPPED_IN_HOSTS
from akm_ls.bundles.locators import is_within
from akm_ls.bundles.sensitive import SECRET_SIZE_LIMIT, is_secret, is_sensitive

GIT_TIMEOUT = 20.0
"""Seconds after which git is given up and the directory is walked instead."""
MAX_FILES = 300_000
"""Files of one bundle that are looked at; a bundle with more is somebody's whole disk."""

_WORTH_SHARING = 3
"""Bundles in one work tree from which on one listing of all is cheaper than one each."""

_DROPPED_DIRECTORIES = frozenset(("node_modules", "bin", ".cache"))
_DROPPED_FILES = frozenset((".stash.json", ".gitignore", ".gitattributes"))
_TOP_DIRECTORIES = {
    "claude": frozenset(CLAUDE_DIRECTORIES),
    "opencode": frozenset(OPENCODE_DIRECTORIES),
    "dotenv": frozenset(("env", "secrets")),
    "llm-wiki": frozenset(("raw", "pages")),
    "website-snapshot": frozenset(("stash",)),
}
"""Formats whose assets lie in known directories: the rest of a repository is not walked."""


_MARKER = ".sensitive"
_NO_MARKERS: frozenset[str] = frozenset()


class WalkedFile(NamedTuple):
    """A regular file of a bundle: POSIX path from the root, bytes, nanoseconds."""

    rel: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Walk:
    """The files of a bundle by path, how they were listed, and what was left out.

    ``all_ignored``: git, which is there, lists none of them.
    """

    files: tuple[WalkedFile, ...]
    method: Literal["git", "manual"]
    warnings: tuple[str, ...] = ()
    all_ignored: bool = False


def walk(
    bundle: Bundle,
    *,
    exclude_roots: Sequence[str] = (),
    wants: Callable[[str], bool] | None = None,
) -> Iterator[WalkedFile]:
    """The files of a bundle, by path; see `list_files`."""
    return iter(list_files(bundle, exclude_roots=exclude_roots, wants=wants).files)


def list_files(
    bundle: Bundle,
    *,
    exclude_roots: Sequence[str] = (),
    wants: Callable[[str], bool] | None = None,
) -> Walk:
    """The files of a bundle, by path in code-point order. Raises nothing.

    ``exclude_roots`` are real paths of nested bundles. ``wants`` (an adapter's) saves the stat
    of files whose path says that they are no assets.
    """
    return _list(bundle, exclude_roots, wants, _git_names(bundle.real_root))


def list_bundles(
    bundles: BundleSet, wants: Callable[[Bundle], Callable[[str], bool] | None] = lambda _: None
) -> dict[str, Walk]:
    """The files of every bundle by its id, without those of bundles nested in it.

    A marketplace has a hundred bundles in one work tree: git is asked once for all of them.
    """
    by_tree: dict[str, list[Bundle]] = {}
    for bundle in bundles:
        tree = _work_tree(bundle.real_root)
        if tree is not None:
            by_tree.setdefault(tree, []).append(bundle)
    listings: dict[str, list[str] | None] = {}
    for group in by_tree.values():
        if len(group) < _WORTH_SHARING:
            continue
        top = os.path.commonpath([bundle.real_root for bundle in group])
        names = _git_names(top)
        if names is None:
            continue
        names.sort()
        for bundle in group:
            listings[bundle.id] = _below(names, os.path.relpath(bundle.real_root, top))
    walks: dict[str, Walk] = {}
    for bundle in bundles:
        if bundle.id in listings:
            shared = listings[bundle.id]
        else:
            shared = _git_names(bundle.real_root)
        walks[bundle.id] = _list(bundle, bundles.nested_roots(bundle), wants(bundle), shared)
    return walks


def list_named(
    bundle: Bundle,
    rels: Iterable[str],
    *,
    exclude_roots: Sequence[str] = (),
    wants: Callable[[str], bool] | None = None,
) -> tuple[WalkedFile, ...]:
    """Those of some files that `list_files` would give, by path, without listing the others."""
    rels = sorted(set(rels))
    names = _git_names(bundle.real_root, rels)
    rules = _Rules(bundle, exclude_roots, wants)
    if names is None:
        # As in a manual walk, a symlink is no file.
        names = [rel for rel in rels if not os.path.islink(os.path.join(rules.root, rel))]
    elif not names and rels:
        # All of them are ignored, or all of the bundle is; only the whole list can tell.
        asked = set(rels)
        files = list_files(bundle, exclude_roots=exclude_roots, wants=wants).files
        return tuple(file for file in files if file.rel in asked)
    return tuple(sorted(_stat_all(rules, names)))


def is_walked(bundle: Bundle, rel: str, *, exclude_roots: Sequence[str] = ()) -> bool:
    """Whether a walk would come to a file at ``rel``, as far as names say; it need not exist."""
    rules = _Rules(bundle, exclude_roots, None)
    *directories, name = rel.split("/")
    parent = ""
    for directory in directories:
        if not rules.enters(parent, directory):
            return False
        parent = _joined(parent, directory)
    return rules.takes(rel, name)


def _below(names: list[str], rel: str) -> list[str]:
    """The part of sorted ``names`` that lies in the directory ``rel``, relative to it."""
    if rel == ".":
        return names
    prefix = rel.replace(os.sep, "/") + "/"
    start = bisect_left(names, prefix)
    end = bisect_left(names, prefix[:-1] + "0", start)  # "0" follows "/"
    return [name[len(prefix) :] for name in names[start:end]]


def _list(
    bundle: Bundle,
    exclude_roots: Sequence[str],
    wants: Callable[[str], bool] | None,
    names: list[str] | None,
) -> Walk:
    rules = _Rules(bundle, exclude_roots, wants)
    if names is not None:
        files = _stat_all(rules, names)
        if files:
            return _done(files, "git", rules)
        # Nothing: perhaps a repository around the bundle ignores all of it. Its owner opened
        # or configured it all the same, so it is walked.
    return _done(_walk_manually(rules), "manual", rules, all_ignored=names is not None)


def _done(
    files: list[WalkedFile],
    method: Literal["git", "manual"],
    rules: _Rules,
    *,
    all_ignored: bool = False,
) -> Walk:
    files.sort()
    return Walk(tuple(files), method, tuple(dict.fromkeys(rules.warnings)), all_ignored)


class _Rules:
    """What counts as a file of one bundle, by path and stat."""

    def __init__(
        self, bundle: Bundle, exclude_roots: Iterable[str], wants: Callable[[str], bool] | None
    ) -> None:
        self.root = bundle.real_root
        self.warnings: list[str] = []
        self._wants = wants
        self._walks_all = bundle.adapter == "okf" and bundle.origin != "host"
        self._top: frozenset[str] | None = None
        self._top_dropped: frozenset[str] = frozenset()
        if bundle.origin != "host":
            self._top = _TOP_DIRECTORIES.get(bundle.adapter)
        elif bundle.label in HOST_DIRECTORIES:
            self._top_dropped = SKIPPED_IN_HOSTS
        self._excluded = {
            os.path.relpath(root, self.root).replace(os.sep, "/")
            for root in exclude_roots
            if root != self.root and is_within(root, self.root)
        }
        self._directories = {"": True}
        self._markers: dict[str, frozenset[str]] = {}

    def enters(self, parent: str, name: str) -> bool:
        """Whether the directory ``name`` in ``parent`` (POSIX, relative) is walked, by its name."""
        if name == ".git" or not is_usable(name):
            return False
        if not self._walks_all and (name[0] == "." or name in _DROPPED_DIRECTORIES):
            return False
        if not parent:
            if self._top is not None and name not in self._top:
                return False
            if name in self._top_dropped:
                return False
        return not self._excluded or _joined(parent, name) not in self._excluded

    def contains(self, directory: str) -> bool:
        """Whether a directory git has files in is walked, and is no symlink. Remembers."""
        known = self._directories.get(directory)
        if known is None:
            parent, _, name = directory.rpartition("/")
            known = self.contains(parent) and self.enters(parent, name)
            if known:
                try:
                    known = stat.S_ISDIR(os.lstat(f"{self.root}/{directory}").st_mode)
                except (OSError, ValueError):
                    known = False
            self._directories[directory] = known
        return known

    def takes(self, rel: str, name: str) -> bool:
        """Whether a file in a walked directory counts, by its name and its neighbours' names."""
        if name in _DROPPED_FILES:
            return False
        if not is_usable(name):
            self.warn(f"{rel!r}: the name is not UTF-8 or holds a line end; left out.")
            return False
        if self._wants is not None and not self._wants(rel):
            return False
        if "secrets" not in rel and "vaults" not in rel:
            # Then only a marker in its own directory can make it sensitive: few have any.
            directory = rel[: -len(name) - 1]
            if not self._markers_in(directory):
                return True
        return not is_sensitive(rel, self._exists)

    def file(self, rel: str, status: os.stat_result) -> WalkedFile | None:
        if not stat.S_ISREG(status.st_mode):
            return None
        if status.st_size > SECRET_SIZE_LIMIT and is_secret(rel):
            self.warn(f"{rel}: larger than 5 MiB; left out.")
            return None
        return WalkedFile(rel, status.st_size, status.st_mtime_ns)

    def warn(self, message: str) -> None:
        self.warnings.append(f"{self.root}: {message}")

    def has_listed(self, directory: str, names: Iterable[str]) -> None:
        """Take note of all names in a directory, so that nobody lists it again."""
        markers = [name for name in names if name.endswith(_MARKER)]
        self._markers[directory] = frozenset(markers) if markers else _NO_MARKERS

    def _exists(self, rel: str) -> bool:
        directory, _, name = rel.rpartition("/")
        return name in self._markers_in(directory)

    def _markers_in(self, directory: str) -> frozenset[str]:
        """Every file asks for its directory's, which is looked at once."""
        markers = self._markers.get(directory)
        if markers is None:
            try:
                names = os.listdir(os.path.join(self.root, *directory.split("/")))
            except (OSError, ValueError):
                names = []
            self.has_listed(directory, names)
            markers = self._markers[directory]
        return markers


def _joined(parent: str, name: str) -> str:
    return f"{parent}/{name}" if parent else name


def _walk_manually(rules: _Rules) -> list[WalkedFile]:
    files: list[WalkedFile] = []
    directories = [""]
    for parent in directories:
        try:
            with os.scandir(f"{rules.root}/{parent}" if parent else rules.root) as listing:
                entries = list(listing)
            rules.has_listed(parent, [entry.name for entry in entries])
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if rules.enters(parent, entry.name):
                        directories.append(_joined(parent, entry.name))
                    continue
                rel = _joined(parent, entry.name)
                if not rules.takes(rel, entry.name):
                    continue
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    continue  # deleted since it was listed
                found = rules.file(rel, status)
                if found is not None:
                    files.append(found)
        except (OSError, ValueError) as error:
            rules.warn(f"{parent or '.'}: cannot be listed ({error}); left out.")
        if len(files) >= MAX_FILES:
            rules.warn(f"more than {MAX_FILES} files; the rest is left out.")
            break
    return files


def _stat_all(rules: _Rules, names: Iterable[str]) -> list[WalkedFile]:
    files: list[WalkedFile] = []
    prefix = os.path.join(rules.root, "")
    lstat = os.lstat
    for rel in names:
        parent, _, name = rel.rpartition("/")
        if not name or not rules.contains(parent) or not rules.takes(rel, name):
            continue
        path = prefix + rel
        try:
            status = lstat(path)
            if stat.S_ISLNK(status.st_mode):
                if not is_within(os.path.realpath(path), rules.root):
                    rules.warn(f"{rel}: a link out of the bundle; left out.")
                    continue
                status = os.stat(path)
        except (OSError, ValueError):
            continue  # in git's index, and deleted
        found = rules.file(rel, status)
        if found is not None:
            files.append(found)
        if len(files) >= MAX_FILES:
            rules.warn(f"more than {MAX_FILES} files; the rest is left out.")
            break
    return files


def _git_names(root: str, only: Sequence[str] = ()) -> list[str] | None:
    """Tracked and untracked, not ignored files below ``root``; ``None`` when git cannot say.

    With ``only``, those of these paths.
    """
    if _work_tree(root) is None:
        return None
    git = _git()
    if git is None:
        return None
    command = [
        git,
        "--literal-pathspecs",
        # Settings of the repository must not make git run programs of the repository's choice.
        *("-c", "core.fsmonitor=false"),
        *("-c", f"core.hooksPath={os.devnull}"),
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "-z",
        "--",
        *only,
    ]
    try:
        done = subprocess.run(
            command,
            cwd=root,
            env=_git_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=GIT_TIMEOUT,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    try:
        names = done.stdout.decode("utf-8").split("\0")
    except UnicodeDecodeError:
        names = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    return list(dict.fromkeys(names))


def _work_tree(root: str) -> str | None:
    """The directory at or above ``root`` that has a ``.git``."""
    directory = root
    while not os.path.lexists(os.path.join(directory, ".git")):
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent
    return directory


@lru_cache(maxsize=1)
def _git() -> str | None:
    import shutil  # loads three compressors

    return shutil.which("git")


def _git_environment() -> dict[str, str]:
    """The environment without what would point git at another repository or program."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
