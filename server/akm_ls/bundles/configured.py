"""The bundles a user configured, in priority order."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from akm_ls.bundles.bundle import BundleOrigin
from akm_ls.bundles.config import AkmConfig, BundleEntry
from akm_ls.bundles.locators import Unresolved, effective_root


@dataclass(slots=True)
class ConfiguredRoot:
    """A directory the user named; ``key`` is ``None`` when only a variable or default does."""

    root: str
    real: str
    key: str | None = None
    adapter: str | None = None
    writable: bool = True
    origin: BundleOrigin = "config"


@dataclass(slots=True)
class ConfiguredRoots:
    """``default`` is the real path of the default bundle's root."""

    roots: list[ConfiguredRoot] = field(default_factory=list)
    default: str | None = None
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def configured_roots(akm: AkmConfig) -> ConfiguredRoots:
    """Every configured root that is on this machine, one per real path.

    Order: ``AKM_BUNDLE_DIR``; then the default bundle, or without one the platform's default
    directory; then the rest as written.
    """
    return _Collector(akm).collect()


class _Collector:
    def __init__(self, akm: AkmConfig) -> None:
        self._akm = akm
        self._by_real: dict[str, ConfiguredRoot] = {}
        self._out = ConfiguredRoots()

    def collect(self) -> ConfiguredRoots:
        akm, out = self._akm, self._out
        override = akm.directories.override
        if override is not None:
            if os.path.isdir(override):
                out.default = self._add(
                    ConfiguredRoot(override, _real(override), origin="override")
                )
            else:
                out.warnings.append(f"AKM_BUNDLE_DIR: no such directory: {override}.")
        default = next((e for e in akm.entries if e.key == akm.default_bundle), None)
        stash = akm.directories.platform_bundle
        if default is not None:
            found = self._add_entry(default)
            out.default = out.default or found
        elif out.default is None and os.path.isdir(stash):
            out.default = self._add(ConfiguredRoot(stash, _real(stash)))
        for entry in akm.entries:
            if entry is not default:
                self._add_entry(entry)
        out.roots = list(self._by_real.values())
        return out

    def _add_entry(self, entry: BundleEntry) -> str | None:
        place = f"bundles.{entry.key}"
        if not entry.enabled:
            self._out.notes.append(f"{place}: disabled.")
            return None
        try:
            root = effective_root(self._akm, entry)
        except (Unresolved, OSError, ValueError) as error:
            self._out.warnings.append(f"{self._akm.path}: {place}: {error}; left out.")
            return None
        return self._add(
            ConfiguredRoot(root, _real(root), entry.key, entry.adapter, entry.effective_writable)
        )

    def _add(self, root: ConfiguredRoot) -> str:
        """Add a root, or let it complete the one that has its real path already."""
        first = self._by_real.setdefault(root.real, root)
        if first is root:
            return root.real
        if first.key is None:
            first.key = root.key
        elif root.key != first.key:
            self._out.warnings.append(
                f"{self._akm.path}: bundles.{root.key} is the same directory as "
                f"bundles.{first.key}; it adds no second bundle."
            )
        first.adapter = first.adapter or root.adapter
        return root.real


def _real(path: str) -> str:
    return os.path.realpath(path)
