"""Which rows of the shared index file belong to which bundle.

The rule, since several servers with different workspaces use one file:

* A bundle's rows are found by its id, its real root and its *variant*: its format and which
  other bundles are cut out of it. Two workspaces that mean the same by these three share the
  rows; where they differ, each has its own and neither touches the other's.
* Rows of a directory that is no longer there are removed by every run, and rows of another
  variant of a bundle of this run that nobody has used for a week.
* Rows of a bundle that a configuration file named are removed by a run which read the same file,
  found bundles in it, and no longer this one. (A file that cannot be parsed for the moment names
  no bundles.)
* ``clean`` also removes: rows under another id or variant for a directory that this run indexed,
  rows of bundles whose configuration file is gone or names no bundles any more, and rows of
  bundles that nobody configured and nobody opened for 30 days.
* Everything else is left alone: it is another workspace's.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw

    from akm_ls.bundles.bundle import Bundle, BundleSet

DAY = 24 * 3600.0
UNUSED_SECONDS = 30 * DAY
UNUSED_VARIANT_SECONDS = 7 * DAY


def variant_of(bundle: Bundle, bundles: BundleSet) -> str:
    """What besides id and root decides which assets a bundle has."""
    variant = f"{bundle.label or 'host'}:{bundle.adapter}" if bundle.origin == "host" else ""
    variant = variant or bundle.adapter
    nested = sorted(
        os.path.relpath(root, bundle.real_root) for root in bundles.nested_roots(bundle)
    )
    if not nested:
        return variant
    digest = hashlib.blake2b("\0".join(nested).encode("utf-8", "replace"), digest_size=6)
    return f"{variant}-{digest.hexdigest()}"


Identity = tuple[str, str, str]
"""(id, real root, variant)."""


def identities(bundles: BundleSet) -> dict[Identity, str]:
    """Every bundle's identity, and its id."""
    return {
        (bundle.id, bundle.real_root, variant_of(bundle, bundles)): bundle.id for bundle in bundles
    }


def known_keys(connection: apsw.Connection, wanted: dict[Identity, str]) -> dict[str, int]:
    """The keys of those bundles that have one, by bundle id."""
    return {
        bundle_id: key
        for key, *identity in connection.execute("SELECT key, id, real_root, variant FROM bundles")
        if (bundle_id := wanted.get((identity[0], identity[1], identity[2]))) is not None
    }


def claim_keys(
    connection: apsw.Connection, bundles: BundleSet, config: str | None
) -> dict[str, int]:
    """The keys of all bundles, new ones included; call it inside a write transaction."""
    now = time.time()
    wanted = identities(bundles)
    for (bundle_id, real_root, variant), bundle in zip(wanted, bundles, strict=True):
        connection.execute(
            "INSERT INTO bundles (id, real_root, variant, adapter, config, seen_at)"
            " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
            " adapter = excluded.adapter, seen_at = excluded.seen_at,"
            " config = coalesce(excluded.config, config)",
            (
                bundle_id,
                real_root,
                variant,
                bundle.adapter,
                config if bundle.origin == "config" else None,
                now,
            ),
        )
    return known_keys(connection, wanted)


def forsaken_keys(
    connection: apsw.Connection,
    bundles: BundleSet,
    kept: Iterable[int],
    config: str | None,
    *,
    clean: bool,
) -> list[int]:
    """The keys whose rows a run over ``bundles`` has to remove: the module's rule."""
    mine = set(kept)
    roots = {bundle.real_root for bundle in bundles}
    names = {(bundle.id, bundle.real_root) for bundle in bundles}
    names_some = any(bundle.origin == "config" for bundle in bundles)
    now = time.time()
    forsaken = []
    for key, bundle_id, real_root, named_by, seen_at in connection.execute(
        "SELECT key, id, real_root, config, seen_at FROM bundles"
    ):
        if key in mine:
            continue
        dropped = named_by is not None and named_by == config
        if (bundle_id, real_root) in names:
            gone = clean or seen_at < now - UNUSED_VARIANT_SECONDS
        elif not os.path.isdir(real_root) or (dropped and names_some):
            gone = True
        elif not clean:
            gone = False
        elif named_by is not None:
            gone = dropped or real_root in roots or not os.path.exists(named_by)
        else:
            gone = real_root in roots or seen_at < now - UNUSED_SECONDS
        if gone:
            forsaken.append(key)
    return forsaken
