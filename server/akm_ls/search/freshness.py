"""Whether a hit's file is still what was indexed, and what it is instead."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Literal, NamedTuple

from akm_ls.bundles.reading import read_entry

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import BundleSet
    from akm_ls.bundles.entry import Entry

Freshness = Literal["fresh", "changed", "gone"]


class Found(NamedTuple):
    """How a hit's file is; of one that changed, ``entry`` is what it would be indexed as.

    A file that is no asset any more is gone as one.
    """

    state: Freshness
    entry: Entry | None = None


_FRESH, _GONE = Found("fresh"), Found("gone")


def freshness(bundles: BundleSet, entry: Entry) -> Found:
    """Compare size and time with the disk, and only where these differ the content's hash.

    A secret is fresh as long as it is there: nothing of it is known that could change.
    """
    try:
        status = os.stat(entry.path)
    except (OSError, ValueError):
        return _GONE
    if not stat.S_ISREG(status.st_mode):
        return _GONE
    if entry.type == "secret" or not entry.content_hash:
        return _FRESH
    if (status.st_size, status.st_mtime_ns) == (entry.size, entry.mtime_ns):
        return _FRESH
    bundle = bundles.get(entry.bundle)
    if bundle is None:
        return _FRESH
    now = read_entry(bundle, entry.rel, status.st_size, status.st_mtime_ns)
    if now.content_hash == entry.content_hash:
        return _FRESH
    return _GONE if now.entry is None else Found("changed", now.entry)
