"""What ``akm/status`` and ``akm-ls doctor`` say about a workspace."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from akm_ls import __version__
from akm_ls.index.locks import BEING_REBUILT, live_holder
from akm_ls.index.store import StoreError
from akm_ls.workspace.semantic import semantic_status

if TYPE_CHECKING:
    from akm_ls.workspace.workspace import Workspace

MAX_COMPLAINTS = 200


def status_of(workspace: Workspace) -> dict[str, Any]:
    """The state of bundles, index and semantic search, in protocol.md's shape."""
    store = workspace.store
    try:
        stored = store.status() if store is not None else None
    except StoreError:
        stored = None
    counts = {bundle.id: bundle.entries for bundle in stored.bundles} if stored else {}
    return {
        "version": __version__,
        "bundles": [
            {
                "id": bundle.id,
                "root": bundle.root,
                "adapter": bundle.adapter,
                "writable": bundle.writable,
                "configured": bundle.configured,
                "origin": bundle.origin,
                "entries": counts.get(bundle.id, 0),
            }
            for bundle in workspace.bundles
        ],
        "default": workspace.bundles.default,
        "index": {
            "path": workspace.store_path,
            "entries": stored.entries if stored else 0,
            "builtAt": _iso(stored.built_at) if stored else None,
            "state": _state(workspace) if stored else "unusable",
        },
        "semantic": semantic_status(workspace.settings, store, running=workspace.embedding),
        "warnings": [
            *filter(None, [workspace.nothing_open()]),
            *workspace.bundles.warnings,
            *workspace.settings_problems(),
            *_of_the_last_run(workspace),
            *_of_files(workspace),
        ],
    }


def _of_the_last_run(workspace: Workspace) -> list[str]:
    """What was wrong when the index was last brought up to date, and is wrong still."""
    rebuilding = live_holder(workspace.store_path) is not None
    return [
        warning
        for warning in workspace.warnings
        if rebuilding or not warning.startswith(BEING_REBUILT)
    ]


def _of_files(workspace: Workspace) -> list[str]:
    store = workspace.store
    try:
        return [] if store is None else store.complaints()[:MAX_COMPLAINTS]
    except StoreError:
        return []


def _state(workspace: Workspace) -> str:
    if workspace.indexing:
        return "indexing"
    return "ready" if workspace.catalog.is_complete() else "incomplete"


def _iso(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="seconds")
