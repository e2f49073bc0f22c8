"""The directories a relative target may be meant from, and what is there."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator

from akm_ls.bundles.host_layouts import PLUGIN_DIRECTORIES
from akm_ls.bundles.listings import PathKind
from akm_ls.documents.lazy import lazy
from akm_ls.lint.rule import Subject

MAX_UP = 40
"""Directories looked at on the way up from a document."""
MAX_SEARCHED = 200
"""Directories of a skill that are searched for a file of the same name."""
_LIKE = 0.88
_EVERYWHERE = frozenset(("skill.md", "readme.md", "index.md", "__init__.py"))
"""Names that say nothing of what a file is about."""
_WORD = re.compile(r"\w[\w-]*")


class Bases:
    """The directories around one document. Nothing above `top` is looked at."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._around = subject.around
        self._spelled: dict[str, bool] = {}
        self.folder = os.path.dirname(subject.path)

    @lazy
    def top(self) -> str:
        """The repository's root, or the root of the outermost bundle the document lies in."""
        enclosing = [
            root
            for bundle in self._subject.bundles
            for root in (bundle.root, bundle.real_root)
            if self.folder == root or self.folder.startswith(os.path.join(root, ""))
        ]
        outermost = min(enclosing, key=len, default=self._subject.bundle.real_root)
        directory = outermost
        for _ in range(MAX_UP):
            if ".git" in self._around.names(directory):
                return directory
            parent = os.path.dirname(directory)
            if parent == directory:
                break
            directory = parent
        return outermost

    def _upwards(self) -> Iterator[str]:
        directory = self.folder
        for _ in range(MAX_UP):
            yield directory
            if directory == self.top:
                return
            parent = os.path.dirname(directory)
            if parent == directory:
                return
            directory = parent

    @lazy
    def skill(self) -> str | None:
        """The directory of the skill the document is part of."""
        root = self._subject.bundle.real_root
        directory = self.folder
        for _ in range(MAX_UP):
            if "SKILL.md" in self._around.names(directory):
                return directory
            parent = os.path.dirname(directory)
            if directory == root or parent == directory:
                return None
            directory = parent
        return None

    @lazy
    def plugin(self) -> str | None:
        """The directory of the plugin the document is part of."""
        for directory in self._upwards():
            names = self._around.names(directory)
            if any(
                marker in names
                and "plugin.json" in self._around.names(os.path.join(directory, marker))
                for marker in PLUGIN_DIRECTORIES
            ):
                return directory
        return None

    @lazy
    def _others(self) -> tuple[tuple[str, str], ...]:
        """The other directories, nearest first, with what a message calls them."""
        found = {}
        if self.skill is not None:
            found[self.skill] = "the skill's directory"
            found.setdefault(os.path.dirname(self.skill), "the directory of the skills")
        if self.plugin is not None:
            found.setdefault(self.plugin, "the plugin's root")
        found.setdefault(self._subject.bundle.real_root, "the bundle's root")
        found.setdefault(self.top, "the repository's root")
        found.pop(self.folder, None)
        return tuple(found.items())

    def join(self, base: str, path: str) -> str | None:
        """The absolute path; ``None`` when it leaves what may be looked at."""
        joined = os.path.normpath(os.path.join(base, *path.split("/")))
        # The bundle first: the repository's root is only looked for when a path leaves it.
        for root in (self._subject.bundle.real_root, None):
            root = self.top if root is None else root
            if joined == root or joined.startswith(os.path.join(root, "")):
                return joined
        return None

    def kind(self, base: str, path: str) -> PathKind | None:
        """What is at ``path`` from ``base``, each name in its exact case."""
        joined = self.join(base, path)
        if joined is None or not self._is_spelled(os.path.dirname(joined)):
            return None
        return "directory" if joined == self.top else self._around.kind(joined)

    def _is_spelled(self, directory: str) -> bool:
        """Whether a directory is there under exactly this name, on any file system."""
        if self.folder == directory or self.folder.startswith(os.path.join(directory, "")):
            return True
        known = self._spelled.get(directory)
        if known is None:
            known = self._around.kind(directory) == "directory" and self._is_spelled(
                os.path.dirname(directory)
            )
            self._spelled[directory] = known
        return known

    def elsewhere(self, path: str) -> tuple[str, str] | None:
        """Where else ``path`` exists: the absolute path, and what it exists from."""
        for base, called in self._others:
            if self.kind(base, path) is not None:
                joined = self.join(base, path)
                if joined is not None:
                    return joined, called
        return None

    def relative(self, path: str) -> str:
        """An absolute path as a link from the document spells it."""
        return os.path.relpath(path, self.folder).replace(os.sep, "/")

    def folder_in_skill(self, name: str) -> bool:
        return self.skill is not None and self.kind(self.skill, name) == "directory"

    def respelled(self, base: str, path: str) -> tuple[str, str] | None:
        """A file that ``path`` may have meant, and how it differs: ``case``, ``extension``.

        The names are compared segment by segment, so a directory may be in another case too.
        """
        joined = self.join(base, path)
        if joined is None:
            return None
        parts = os.path.relpath(joined, self.top).split(os.sep)
        directory = self.top
        changed = False
        for index, part in enumerate(parts):
            names = self._around.names(directory)
            real = part if part in names else None
            if real is None:
                same = [name for name in names if name.lower() == part.lower()]
                real = same[0] if len(same) == 1 else None
                changed = changed or real is not None
            if real is None and index == len(parts) - 1:
                stem = part.rpartition(".")[0] or part
                like = [
                    name
                    for name, kind in names.items()
                    if kind == "file" and (name.rpartition(".")[0] or name).lower() == stem.lower()
                ]
                if len(like) == 1:
                    return os.path.join(directory, like[0]), "extension"
            if real is None:
                return None
            directory = os.path.join(directory, real)
        return (directory, "case") if changed else None

    def misspelled(self, base: str, path: str) -> str | None:
        """The one file of the same directory whose name is much like that of ``path``."""
        joined = self.join(base, path)
        if joined is None:
            return None
        directory, name = os.path.split(joined)
        stem, ending = os.path.splitext(name)
        stems = [
            os.path.splitext(other)[0]
            for other, kind in self._around.names(directory).items()
            if kind == "file" and os.path.splitext(other)[1] == ending
        ]
        close = difflib.get_close_matches(stem, stems[:500], n=2, cutoff=_LIKE)
        return os.path.join(directory, close[0] + ending) if len(close) == 1 else None

    def same_name(self, name: str) -> str | None:
        """The one file of the skill that is called ``name``, in whatever directory."""
        if self.skill is None or name.lower() in _EVERYWHERE:
            return None
        found: list[str] = []
        queue = [self.skill]
        for directory in queue:
            for entry, kind in self._around.names(directory).items():
                path = os.path.join(directory, entry)
                if kind == "file" and entry == name:
                    found.append(path)
                elif (
                    kind == "directory"
                    and len(queue) < MAX_SEARCHED
                    and not entry.startswith(".")
                    and entry != "node_modules"
                ):
                    queue.append(path)
        return found[0] if len(found) == 1 and found[0] != self._subject.path else None

    def in_sibling(self, path: str, words: str) -> str | None:
        """``path`` in another skill that ``words`` name: one beside this one, or of a bundle."""
        if self.skill is None:
            return None
        parent = os.path.dirname(self.skill)
        named = dict.fromkeys(_WORD.findall(words))
        for name, kind in self._around.names(parent).items():
            if kind == "directory" and name in named:
                sibling = os.path.join(parent, name)
                if self.kind(sibling, path) is not None:
                    return self.join(sibling, path)
        catalog = self._subject.catalog
        for name in named if catalog is not None else ():
            for stub in catalog.by_concept(f"skills/{name}") if catalog is not None else ():
                other = os.path.join(os.path.dirname(stub.path), *path.split("/"))
                if self._around.kind(os.path.normpath(other)) is not None:
                    return other
        return None
