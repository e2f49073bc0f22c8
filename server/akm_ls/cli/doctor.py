"""``akm-ls doctor``: what was found, and why something was not."""

from __future__ import annotations

import os
import platform
import sys
from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from akm_ls import __version__
from akm_ls.cli.json_output import SCHEMA_VERSION, write_json
from akm_ls.cli.library import open_workspace
from akm_ls.cli.outcome import CLEAN
from akm_ls.cli.places import shown_path
from akm_ls.cli.terminal import Printer, output, printable
from akm_ls.counts import count

if TYPE_CHECKING:
    from akm_ls.workspace import Workspace

_PACKAGES = ("apsw", "pygls", "lsprotocol", "pyyaml", "watchfiles", "numpy", "httpx", "mcp")


def run(options: Namespace) -> int:
    with open_workspace(options, options.paths) as workspace:
        workspace.load()
        findings = _examine(workspace)
    if options.format == "json":
        write_json(findings)
    else:
        _print(output(), findings)
    return CLEAN


def _examine(workspace: Workspace) -> dict[str, Any]:
    status = dict(workspace.status())
    index = dict(status.get("index") or {})
    path = index.get("path")
    index["bytes"] = os.path.getsize(path) if path and os.path.exists(path) else None
    return {
        "schemaVersion": SCHEMA_VERSION,
        **status,
        "index": index,
        "versions": _versions(),
        "notes": list(workspace.bundles.notes),
    }


def _versions() -> dict[str, str | None]:
    """Versions without importing the packages, which would cost half a second."""
    from importlib.metadata import PackageNotFoundError, version

    versions: dict[str, str | None] = {
        "akm-ls": __version__,
        "python": platform.python_version(),
        "platform": f"{sys.platform} {platform.machine()}",
    }
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    return versions


def _print(out: Printer, found: Mapping[str, Any]) -> None:
    complete = found["index"].get("state") == "ready"
    _heading(out, "Bundles")
    for bundle in found["bundles"]:
        _print_bundle(out, bundle, indexed=bool(bundle["entries"]) or complete)
    if not found["bundles"]:
        out.line("  none")
    _heading(out, "How they were found")
    for note in found["notes"] or ["nothing to say"]:
        out.line(f"  {printable(note)}")
    _heading(out, "Index")
    index = found["index"]
    _field(out, "file", index.get("path"))
    _field(out, "size", "not built yet" if index["bytes"] is None else _size(index["bytes"]))
    _field(out, "built", index.get("builtAt") or "not yet (akm-ls index)")
    _field(out, "assets", index.get("entries"))
    _field(out, "state", index.get("state"))
    _heading(out, "Semantic search")
    semantic = found.get("semantic") or {}
    _field(out, "status", semantic.get("status"))
    if semantic.get("provider"):
        _field(out, "model", f"{semantic.get('model')} ({semantic['provider']})")
        _field(out, "embedded", f"{semantic['embedded']:,}, {semantic['missing']:,} missing")
    _field(out, "reason", semantic.get("reason"))
    _heading(out, "Versions")
    for package, version in found["versions"].items():
        _field(out, package, version or "not installed")
    if found.get("warnings"):
        _heading(out, "Warnings")
        for warning in found["warnings"]:
            out.line((f"  {printable(warning)}", "yellow"))


def _print_bundle(out: Printer, bundle: Mapping[str, Any], *, indexed: bool) -> None:
    access = "writable" if bundle.get("writable") else "read-only"
    out.line(
        "  ",
        (printable(bundle["id"]), "bold cyan"),
        f"  {printable(bundle['adapter'])}, {_origin(bundle)}, {access}, "
        f"{count(bundle['entries'], 'asset') if indexed else 'not indexed yet'}",
    )
    out.line((f"    {printable(shown_path(bundle['root']))}", "dim"))


def _origin(bundle: Mapping[str, Any]) -> str:
    return {
        "override": "named by --bundle-dir",
        "config": "from akm's configuration",
        "workspace": "found in this directory",
        "host": "kept by an agent host or plugin",
    }.get(str(bundle.get("origin")), "found")


def _heading(out: Printer, text: str) -> None:
    out.line((text, "bold"))


def _field(out: Printer, label: str, value: object) -> None:
    if value is not None:
        out.line((f"  {label}: ", "dim"), printable(str(value)))


def _size(number: int) -> str:
    return f"{number / 1024:,.0f} KiB" if number < 1024 * 1024 else f"{number / 1048576:,.1f} MiB"
