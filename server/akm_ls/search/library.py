"""What searching and showing read from: the index, the catalog, the bundles, open documents."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.bundles.adapters import adapter_of
from akm_ls.bundles.adapters.layout import is_unreadable
from akm_ls.bundles.entry import Entry
from akm_ls.bundles.reading import MAX_FILE_BYTES
from akm_ls.bundles.sensitive import is_sensitive
from akm_ls.documents.text import decode
from akm_ls.search.usage.utility import Utility, no_utility

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import BundleSet
    from akm_ls.index.catalog import Catalog
    from akm_ls.index.store import Store
    from akm_ls.index.stub import Stub
    from akm_ls.search.semantic import SemanticIndex


_LEAST_READ = 65_535
"""Bytes of a file that grows while it is read."""


class Cancelled(Exception):
    """Whoever asked no longer wants the answer."""


def check_cancelled(cancelled: Callable[[], bool]) -> None:
    """
    Raises:
        Cancelled: nobody wants the answer any more.
    """
    if cancelled():
        raise Cancelled


def _no_buffer(_path: str) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Library:
    """Everything known, for the length of one request. Use it from the store's thread.

    ``store`` is ``None`` where the index file cannot be used; searching then falls back on the
    catalog. ``text_of`` gives the text of an open document by path: it wins over the disk.
    """

    store: Store | None
    catalog: Catalog
    bundles: BundleSet
    text_of: Callable[[str], str | None] = _no_buffer
    semantic: SemanticIndex | None = None
    """``None``: there is no embedding model."""
    utility: Utility = no_utility
    """How much an asset has been used."""

    def read(self, path: str, places: dict[str, str] | None = None) -> str | None:
        """The text of an asset's file, of the open document if there is one.

        ``None`` where there is no such file, it is too large, or it may not be read: secrets and
        env files, under their own or under a symlink's name, and links that leave their bundle.

        Args:
            places: where directories really are, found out while many files are read at once.
        """
        if not may_read(self.bundles, path, places):
            return None
        text = self.text_of(path)
        return _read_file(path) if text is None else text


def may_read(bundles: BundleSet, path: str, places: dict[str, str] | None = None) -> bool:
    """Whether the content of the file at ``path`` may be shown: decided without opening it."""
    try:
        real = _real_path(path, {} if places is None else places)
    except (OSError, ValueError):
        return False
    target = bundles.relative(real)
    if target is None:
        return False
    owner, rel = target
    if real != path and bundles.owner_of(path) is not owner:
        return False
    if is_unreadable(rel) or not adapter_of(owner).reads(rel):
        return False
    return not is_sensitive(rel, lambda sibling: os.path.lexists(os.path.join(owner.root, sibling)))


def _real_path(path: str, places: dict[str, str]) -> str:
    """`os.path.realpath`, asking for every directory once."""
    if os.name == "posix" and path.startswith("/"):
        directory, _, name = path.rpartition("/")  # a third of the time of asking `os.path`
        directory = directory or "/"
    else:
        directory, name = os.path.split(path)
    if name in ("", ".", "..") or not os.path.isabs(path):
        return os.path.realpath(path)
    place = places.get(directory)
    if place is None:
        place = places[directory] = _real_path(directory, places)
    real = os.path.join(place, name)
    return os.path.realpath(real) if os.path.islink(real) else real


def _read_file(path: str) -> str | None:
    try:
        # Opening a pipe would wait for a writer: look first.
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
            return None
        # Room for as much as there may be would take longer to get than the file.
        return decode(_bytes_of(path, max(status.st_size, _LEAST_READ) + 1)).text
    except (OSError, ValueError):
        return None


def _bytes_of(path: str, most: int) -> bytes:
    """The first ``most`` bytes of a file. A file object takes as long to make as the file to read.

    Raises:
        OSError: it cannot be read.
    """
    file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        data = os.read(file, most)
        while len(data) < most and (more := os.read(file, most - len(data))):
            data += more
        return data
    finally:
        os.close(file)


def entry_of_stub(bundles: BundleSet, stub: Stub) -> Entry:
    """As much of an entry as the catalog remembers of it."""
    owner = bundles.relative(stub.path)
    return Entry(
        bundle=stub.bundle,
        concept_id=stub.concept_id,
        type=stub.type,
        name=stub.name,
        adapter=owner[0].adapter if owner else "",
        path=stub.path,
        rel=owner[1] if owner else "",
        title=stub.title,
        description=stub.description,
        tags=stub.tags,
        when_to_use=stub.when_to_use,
        belief_state=stub.belief_state,
        superseded_by=stub.superseded_by,
        quality=stub.quality,
    )


def never_cancelled() -> bool:
    return False
