"""A bundle, and the set of bundles in force."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

BundleOrigin = Literal["override", "config", "workspace", "host"]

_REAL_DIRECTORIES_KEPT = 4096
_FORMS: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")


@dataclass(frozen=True, slots=True)
class Bundle:
    """A directory of assets with an id.

    ``root`` is absolute and spelled as the user spells it; ``real_root`` has its symlinks
    resolved. ``origin`` says who named it: an explicit option, akm's configuration, an opened
    folder, or (``host``) the layout of a tool such as ``.claude/`` or a plugin directory.
    """

    id: str
    root: str
    real_root: str
    adapter: str
    writable: bool = True
    configured: bool = False
    origin: BundleOrigin = "workspace"
    label: str = ""
    pinned: bool = False
    """Whether the configuration names the format, rather than the layout deciding it."""
    ignore_case: bool = False

    def path_of(self, rel: str) -> str:
        """The absolute path of a file, from its POSIX path in the bundle."""
        return os.path.join(self.root, *rel.split("/"))


@dataclass(frozen=True, slots=True)
class BundleSet:
    """Bundles in priority order, with the default one, and what was noticed while finding them.

    ``warnings`` are faults the user should repair; ``notes`` say in words why each folder did or
    did not become a bundle; ``unusable`` are those of the warnings that are about a whole
    configuration file, or a directory that was named explicitly; ``watch`` lists the files whose
    change calls for a new set.
    """

    bundles: tuple[Bundle, ...] = ()
    default: str | None = None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    watch: tuple[str, ...] = ()
    unusable: tuple[str, ...] = ()
    _by_id: dict[str, Bundle] = field(init=False, repr=False, compare=False, hash=False)
    _by_root: dict[str, Bundle] = field(init=False, repr=False, compare=False, hash=False)
    _folded: dict[str, Bundle] = field(init=False, repr=False, compare=False, hash=False)
    _real: dict[str, str] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        by_root: dict[str, Bundle] = {}
        folded: dict[str, Bundle] = {}
        for bundle in self.bundles:
            for root in (bundle.root, bundle.real_root):
                by_root.setdefault(_key(root), bundle)
                if bundle.ignore_case:
                    folded.setdefault(_key(root).casefold(), bundle)
        object.__setattr__(self, "_by_id", {bundle.id: bundle for bundle in self.bundles})
        object.__setattr__(self, "_by_root", by_root)
        object.__setattr__(self, "_folded", folded)
        object.__setattr__(self, "_real", {})

    def __iter__(self) -> Iterator[Bundle]:
        return iter(self.bundles)

    def __len__(self) -> int:
        return len(self.bundles)

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(self._by_id)

    def get(self, bundle_id: str) -> Bundle | None:
        return self._by_id.get(bundle_id)

    def owner_of(self, path: str) -> Bundle | None:
        """The bundle whose root is the longest prefix of an absolute path, or ``None``.

        A path through a symlinked directory belongs to the bundle it really lies in.
        """
        found = self._locate(path)
        return None if found is None else found[0]

    def relative(self, path: str) -> tuple[Bundle, str] | None:
        """The owner of a path and the POSIX path inside it (``""`` for the root itself)."""
        return self._locate(path)

    def nested_roots(self, bundle: Bundle) -> tuple[str, ...]:
        """The real roots of other bundles that lie inside this one: not its files."""
        prefix = os.path.join(bundle.real_root, "")
        return tuple(
            other.real_root for other in self.bundles if other.real_root.startswith(prefix)
        )

    def _locate(self, path: str) -> tuple[Bundle, str] | None:
        if not self.bundles:
            return None
        path = os.path.normpath(path)
        directory, name = os.path.split(path)
        real = os.path.join(self._real_directory(directory), name)
        found = self._longest_prefix(real)
        if found is None and real != path:
            found = self._longest_prefix(path)
        if found is None and not path.isascii():
            # A client may spell an accented name composed where the disk has it decomposed.
            for form in _FORMS:
                found = found or self._longest_prefix(unicodedata.normalize(form, path))
        return found

    def _longest_prefix(self, path: str) -> tuple[Bundle, str] | None:
        candidate = path
        while True:
            bundle = self._by_root.get(os.path.normcase(candidate))
            if bundle is None and self._folded:
                bundle = self._folded.get(candidate.casefold())
            if bundle is not None:
                rel = path[len(candidate) :].lstrip(os.sep)
                return bundle, rel if os.sep == "/" else rel.replace(os.sep, "/")
            parent = os.path.dirname(candidate)
            if parent == candidate:
                return None
            candidate = parent

    def _real_directory(self, directory: str) -> str:
        # Asked on every keystroke; a cached answer may outlive a moved symlink, which is
        # harmless: a set is built anew whenever folders or configuration change.
        real = self._real.get(directory)
        if real is None:
            try:
                real = os.path.realpath(directory)
            except (OSError, ValueError):
                real = directory
            if len(self._real) >= _REAL_DIRECTORIES_KEPT:
                self._real.clear()
            self._real[directory] = real
        return real


def is_usable(name: str) -> bool:
    """Whether a file or directory name can be written in a ref, a message
    and a database."""
    if name.isprintable():
        return True
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:  # the system's stand-in for bytes that are not UTF-8
        return False
    return not ("\n" in name or "\r" in name)


def printable(text: str) -> str:
    """``text`` with what is not UTF-8 spelled out: a path or key as it may be logged and sent."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _key(path: str) -> str:
    return os.path.normcase(os.path.normpath(path))
