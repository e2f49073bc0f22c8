"""Whether a hit's file is still what was indexed."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Literal

from akm_ls.bundles.reading import read_entry

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import BundleSet
    from akm_ls.bundles.entry import Entry

Freshness = Literal["fresh", "changed", "gone"]


def freshness(bundles: BundleSet, entry: Entry) -> Freshness:
    """Compare size and time with the disk, and only where these differ the content's hash.

    A secret is fresh as long as it is there: nothing of it is known that could change.
    """
    try:
        status = os.stat(entry.path)
    except (OSError, ValueError):
        return "gone"
    if not stat.S_ISREG(status.st_mode):
        return "gone"
    if entry.type == "secret" or not entry.content_hash:
        return "fresh"
    if (status.st_size, status.st_mtime_ns) == (entry.size, entry.mtime_ns):
        return "fresh"
    bundle = bundles.get(entry.bundle)
    if bundle is None:
        return "fresh"
    now = read_entry(bundle, entry.rel, status.st_size, status.st_mtime_ns)
    return "fresh" if now.content_hash == entry.content_hash else "changed"
