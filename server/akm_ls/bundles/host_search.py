"""The search for tools' layouts in an opened folder.

It is breadth first, bounded in depth and in directories, and follows no symlink out of the
folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from akm_ls.bundles.bundle import is_usable
from akm_ls.bundles.host_layouts import (
    HOST_DIRECTORIES,
    PLUGIN_DIRECTORIES,
    SKILL_DIRECTORIES,
    SKIPPED_DIRECTORIES,
    SKIPPED_IN_HOSTS,
    HostBundle,
    host_bundle,
    listed,
    marketplace_sources,
    plugin_bundle,
    skills_bundle,
)
from akm_ls.bundles.locators import is_within

MAX_DEPTH = 8
MAX_DIRECTORIES = 4_000


@dataclass(frozen=True, slots=True)
class Enclosing:
    """The bundle the searched folder lies in: which ``SKILL.md`` files it already covers."""

    root: str
    adapter: str
    origin: str

    def covers(self, directory: str) -> bool:
        """Whether a ``SKILL.md`` in ``directory`` is this bundle's asset."""
        rel = os.path.relpath(directory, self.root)
        parts = [] if rel == "." else rel.split(os.sep)
        if any(part in ("node_modules", "bin") or part.startswith(".") for part in parts):
            return self.adapter == "okf" and self.origin != "host"
        if self.origin == "host":
            return True
        if self.adapter in ("claude", "opencode"):
            return len(parts) > 1 and parts[0] in SKILL_DIRECTORIES
        if self.adapter == "agent-skills":
            return bool(parts)
        return self.adapter in ("akm", "okf", "akm-workflow", "generic-files")


@dataclass(slots=True)
class HostSearch:
    """What `find_host_bundles` found, by path, and whether it had to stop early."""

    found: list[HostBundle] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    directories: int = 0
    truncated: bool = False


def find_host_bundles(
    folder: str,
    *,
    enclosing: Enclosing | None = None,
    taken: Callable[[str], bool] = lambda root: False,
    only_hosts: bool = False,
    nested: Callable[[str, list[str]], HostBundle | None] = lambda directory, names: None,
) -> HostSearch:
    """Search a folder for tools' directories, plugins and skills that no bundle covers.

    ``taken`` answers for real paths that are already a bundle's root. ``only_hosts`` looks for
    tools' own directories only: a configured bundle owns everything else in it. ``nested`` tells
    other bundles by a directory and the names of the directories in it.
    """
    return _Search(folder, enclosing, taken, only_hosts, nested).run()


def find_home_bundles(home: str) -> HostSearch:
    """Tools' own directories right in a user's home; nothing else there is looked at.

    Links count here: the home and where it points to are the user's own.
    """
    search = HostSearch()
    seen: set[str] = set()
    for name in sorted(HOST_DIRECTORIES):
        directory = os.path.join(home, name)
        found = host_bundle(directory)
        real = os.path.realpath(directory)
        if found is not None and real not in seen:
            seen.add(real)
            search.found.append(found)
    return search


class _Search:
    """One breadth-first search."""

    def __init__(
        self,
        folder: str,
        enclosing: Enclosing | None,
        taken: Callable[[str], bool],
        only_hosts: bool,
        nested: Callable[[str, list[str]], HostBundle | None],
    ) -> None:
        self._folder = folder
        self._real_folder = os.path.realpath(folder)
        self._enclosing = enclosing
        self._taken = taken
        self._only_hosts = only_hosts
        self._nested = nested
        self._search = HostSearch()
        self._roots: dict[str, HostBundle] = {}
        self._announced: dict[str, None] = {}
        self._links: list[str] = []

    def run(self) -> HostSearch:
        queue: list[tuple[str, int]] = [(self._folder, 0)]
        for directory, depth in queue:
            if self._search.directories >= MAX_DIRECTORIES:
                self._search.truncated = True
                break
            self._search.directories += 1
            queue.extend((child, depth + 1) for child in self._visit(directory, depth))
        for directory in list(self._announced):
            if directory not in self._roots and directory != self._folder:
                self._add(plugin_bundle(directory, announced=True))
        for link in self._links:
            self._visit_link(link)
        self._search.found = [self._roots[root] for root in sorted(self._roots)]
        return self._search

    def _visit(self, directory: str, depth: int) -> list[str]:
        """Look at one directory; returns the directories to look at below it."""
        names: list[str] = []
        has_skill = False
        for entry in listed(directory):
            name = entry.name
            if name == "SKILL.md":
                has_skill = entry.is_file(follow_symlinks=False)
            elif entry.is_dir(follow_symlinks=False):
                names.append(name)
            elif name in HOST_DIRECTORIES and entry.is_symlink() and entry.is_dir():
                self._links.append(entry.path)
        if directory != self._folder:
            if self._is_foreign(directory):
                return []
            self._look_for_layout(directory, names)
        if ".claude-plugin" in names and not self._only_hosts:
            self._read_marketplace(directory)
        if has_skill and not self._only_hosts:
            if not self._covered(directory):
                self._add(skills_bundle(self._root_for(directory)))
            if directory != self._folder and os.path.basename(directory) not in SKILL_DIRECTORIES:
                return []
        if depth >= MAX_DEPTH:
            return []
        if os.path.basename(directory) in SKILL_DIRECTORIES and self._covered(
            os.path.join(directory, "any")
        ):
            # Thousands of skills that are accounted for; only a dot directory is not.
            names = [name for name in names if name.startswith(".")]
        return [os.path.join(directory, name) for name in names if self._enters(directory, name)]

    def _is_foreign(self, directory: str) -> bool:
        """A directory that is a bundle already, such as a configured one."""
        # No link is followed on the way down, so only the folder itself may be one.
        return self._taken(self._real_folder + directory[len(self._folder) :])

    def _look_for_layout(self, directory: str, names: list[str]) -> None:
        found: HostBundle | None = None
        if os.path.basename(directory) in HOST_DIRECTORIES:
            found = host_bundle(directory)
        elif not self._only_hosts:
            announced = (
                directory in self._announced
                or os.path.basename(os.path.dirname(directory)) == "plugins"
            )
            if announced or not set(PLUGIN_DIRECTORIES).isdisjoint(names):
                found = plugin_bundle(directory, announced=announced)
            if found is None and self._enclosing is None and not self._in_found(directory):
                found = self._nested(directory, names)
        self._add(found)

    def _in_found(self, directory: str) -> bool:
        return any(root in self._roots for root in _upwards(directory, self._folder))

    def _covered(self, directory: str) -> bool:
        """Whether a ``SKILL.md`` in ``directory`` is an asset of a bundle known already."""
        for root in _upwards(directory, self._folder):
            bundle = self._roots.get(root)
            if bundle is not None:
                return Enclosing(root, bundle.adapter, bundle.origin).covers(directory)
        return self._enclosing is not None and self._enclosing.covers(directory)

    def _root_for(self, directory: str) -> str:
        """Where a bundle for a lone skill starts: above ``skills/``, else one level up.

        A dot directory on the way is where it starts at the latest, since no walk enters one.
        """
        if directory == self._folder:
            return directory
        for parent in _upwards(os.path.dirname(directory), self._folder):
            name = os.path.basename(parent)
            if parent == self._folder or name.startswith("."):
                break
            if name in SKILL_DIRECTORIES:
                return os.path.dirname(parent)
        return os.path.dirname(directory)

    def _add(self, found: HostBundle | None) -> None:
        if found is not None and found.root not in self._roots:
            self._roots[found.root] = found

    def _enters(self, directory: str, name: str) -> bool:
        if name in SKIPPED_DIRECTORIES or not is_usable(name):
            return False
        parent = os.path.basename(directory)
        if name.startswith("."):
            # Some collections file skills under skills/.curated and the like.
            return name in HOST_DIRECTORIES or parent in SKILL_DIRECTORIES
        if parent in HOST_DIRECTORIES and name in SKIPPED_IN_HOSTS:
            return False
        if name == "env" and os.path.isfile(os.path.join(directory, name, "pyvenv.cfg")):
            return False
        # An akm bundle's own directories hold its assets, and nothing of other tools.
        return not (
            self._enclosing is not None
            and self._enclosing.adapter == "akm"
            and directory == self._enclosing.root
            and name in ("knowledge", "memories", "lessons", "sessions", "facts", "secrets", "env")
        )

    def _read_marketplace(self, directory: str) -> None:
        for source in marketplace_sources(directory):
            target = os.path.normpath(os.path.join(directory, source))
            if is_within(self._real(target), self._real_folder) and is_within(target, self._folder):
                self._announced.setdefault(target)

    def _visit_link(self, link: str) -> None:
        real = self._real(link)
        if not is_within(real, self._real_folder):
            self._search.notes.append(
                f"{link}: a link out of the folder (to {real}); left alone. "
                "Open that directory too if it is yours."
            )
            return
        mirrors = {self._real(root) for root in self._roots}
        if real == self._real_folder or self._taken(real) or real in mirrors:
            self._search.notes.append(f"{link}: a link to {real}; one bundle, not two.")
            return
        self._add(host_bundle(link))

    def _real(self, path: str) -> str:
        try:
            return os.path.realpath(path)
        except (OSError, ValueError):
            return path


def _upwards(directory: str, stop: str) -> Iterator[str]:
    """``directory`` and its parents up to and with ``stop``."""
    while True:
        yield directory
        parent = os.path.dirname(directory)
        if directory == stop or parent == directory:
            return
        directory = parent
