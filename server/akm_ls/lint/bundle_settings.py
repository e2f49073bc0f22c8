"""Settings that travel with a bundle: ``.akm-ls.toml`` at its root, or a pyproject's table.

    hosts = ["claude-code", "codex"]   # the tools these files are written for
    portable = true                    # add the strict Agent Skills specification

    [lint.rules]
    missing-ref = "error"
    stale-path = "off"

In a ``pyproject.toml`` at the bundle's root the same keys stand below ``[tool.akm-ls]``; it is
looked at when there is no ``.akm-ls.toml``. What a bundle says wins over what the user says.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from akm_ls.bundles.bundle import Bundle
from akm_ls.lint.settings import Level, LintSettings, as_json, read_hosts, read_levels

OWN_FILE = ".akm-ls.toml"
PYPROJECT = "pyproject.toml"
FILES = (OWN_FILE, PYPROJECT)
_TABLE = "tool.akm-ls"
_MAX_BYTES = 1024 * 1024
_TOML = "tomllib" if sys.version_info >= (3, 11) else "tomli"


@dataclass(frozen=True, slots=True)
class SettingsProblem:
    """What cannot be used of a settings file. ``path`` is absolute, ``key`` dotted or empty."""

    path: str
    key: str
    problem: str

    def __str__(self) -> str:
        place = f"{self.path}: {self.key}" if self.key else self.path
        return f"{place}: {self.problem}"


@dataclass(frozen=True, slots=True)
class BundleSettings:
    """What a bundle sets; ``None`` where it says nothing. ``path`` is the file it stands in."""

    levels: Mapping[str, Level] = field(default_factory=dict)
    hosts: frozenset[str] | None = None
    portable: bool | None = None
    path: str | None = None
    problems: tuple[SettingsProblem, ...] = ()

    def over(self, base: LintSettings) -> LintSettings:
        """``base`` with everything that the bundle sets in its place."""
        if self.path is None:
            return base
        return replace(
            base,
            levels={**base.levels, **self.levels},
            hosts=base.hosts if self.hosts is None else self.hosts,
            portable=base.portable if self.portable is None else self.portable,
        )


_NOTHING = BundleSettings()
_Stamp = tuple[tuple[int, int] | None, ...]


class BundleSettingsFiles:
    """The settings of bundles, read again when their files change. Not thread-safe."""

    def __init__(self, known_codes: frozenset[str]) -> None:
        self._known = known_codes
        self._kept: dict[str, tuple[_Stamp, BundleSettings]] = {}
        self._merged: dict[str, tuple[BundleSettings, LintSettings, LintSettings]] = {}

    def of(self, bundle: Bundle) -> BundleSettings:
        """What a bundle sets now; costs a look at two files."""
        root = bundle.real_root
        stamp = tuple(_stamp(os.path.join(root, name)) for name in FILES)
        kept = self._kept.get(root)
        if kept is not None and kept[0] == stamp:
            return kept[1]
        settings = _read(root, bundle.root, self._known)
        self._kept[root] = (stamp, settings)
        return settings

    def over(self, base: LintSettings, bundle: Bundle) -> LintSettings:
        """The settings for a bundle's files: its own over ``base``."""
        own = self.of(bundle)
        merged = self._merged.get(bundle.real_root)
        if merged is None or merged[0] is not own or merged[1] is not base:
            merged = (own, base, own.over(base))
            self._merged[bundle.real_root] = merged
        return merged[2]

    def problems(self, bundles: Iterable[Bundle]) -> tuple[SettingsProblem, ...]:
        """What cannot be used of the settings of all bundles."""
        return tuple(problem for bundle in bundles for problem in self.of(bundle).problems)


def is_settings_file(path: str, bundles: Iterable[Bundle]) -> bool:
    """Whether an absolute path is the place of some bundle's settings."""
    directory, name = os.path.split(os.path.normpath(path))
    return name in FILES and any(
        directory in (os.path.normpath(bundle.root), bundle.real_root) for bundle in bundles
    )


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def _read(root: str, shown_root: str, known_codes: frozenset[str]) -> BundleSettings:
    for name in FILES:
        path = os.path.join(root, name)
        if not os.path.lexists(path):
            continue
        shown = os.path.join(shown_root, name)
        try:
            document = _load(path, root)
        except _Unusable as error:
            if name == PYPROJECT and not error.ours:
                continue  # somebody else's file, and nothing says that it is about us
            return BundleSettings(path=shown, problems=(SettingsProblem(shown, "", str(error)),))
        if name == OWN_FILE:
            return _Reader(shown, "", known_codes).read(document)
        tools = document.get("tool")
        if isinstance(tools, Mapping) and "akm-ls" in tools:
            return _Reader(shown, f"{_TABLE}.", known_codes).read(tools["akm-ls"])
    return _NOTHING


class _Unusable(Exception):
    """Why a file cannot be read as TOML. ``ours``: whether it has a table of ours."""

    def __init__(self, message: str, ours: bool = False) -> None:
        super().__init__(message)
        self.ours = ours


def _load(path: str, root: str) -> dict[str, Any]:
    real = os.path.realpath(path)
    if not real.startswith(os.path.join(root, "")):
        raise _Unusable("is a link that leads out of the bundle, and is not read", True)
    try:
        if not stat.S_ISREG(os.stat(real).st_mode):
            raise _Unusable("is not a file")
        with open(real, "rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise _Unusable(f"cannot be read: {error.strerror or error}") from error
    ours = f"[{_TABLE}".encode() in data
    if len(data) > _MAX_BYTES:
        raise _Unusable(f"is larger than {_MAX_BYTES // 1024} KiB, and is not read", ours)
    try:
        # Loaded when there is a file to read: most bundles have none.
        document: dict[str, Any] = import_module(_TOML).loads(data.decode("utf-8-sig"))
        return document
    except UnicodeDecodeError:
        raise _Unusable("is not valid TOML: it is not UTF-8", ours) from None
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise _Unusable(f"is not valid TOML: {reason}", ours) from None


class _Reader:
    """One table. A key that cannot be used is told, and counts as not there."""

    def __init__(self, path: str, prefix: str, known_codes: frozenset[str]) -> None:
        self._path = path
        self._prefix = prefix
        self._known = known_codes
        self._problems: list[SettingsProblem] = []

    def read(self, table: object) -> BundleSettings:
        top = self._table(table, "", ("lint", "hosts", "portable"))
        lint = self._table(top.get("lint"), "lint", ("rules", "portable"))
        levels, problems = read_levels(lint.get("rules"), self._known, key="lint.rules")
        for problem in problems:
            key, _, message = problem.partition(": ")
            self._reject(key, message)
        portable = self._flag(top, "portable")
        if portable is None:
            portable = self._flag(lint, "portable", "lint.")
        return BundleSettings(
            levels.levels, self._hosts(top), portable, self._path, tuple(self._problems)
        )

    def _table(self, value: object, key: str, known: tuple[str, ...]) -> Mapping[str, object]:
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self._reject(key, f"{as_json(value, 40)} is not a table")
            return {}
        for name in value:
            if name not in known:
                dotted = f"{key}.{name}" if key else name
                near = get_close_matches(name, known, n=1)
                self._reject(
                    dotted,
                    f"no such setting, did you mean {near[0]}?" if near else "no such setting",
                )
        return value

    def _flag(self, table: Mapping[str, object], key: str, prefix: str = "") -> bool | None:
        value = table.get(key)
        if value is None or isinstance(value, bool):
            return value
        self._reject(prefix + key, f"{as_json(value, 40)} is not true or false")
        return None

    def _hosts(self, table: Mapping[str, object]) -> frozenset[str] | None:
        value = table.get("hosts")
        hosts, problems = read_hosts(value, None)
        for problem in problems:
            self._reject("hosts", problem.partition(": ")[2])
        return hosts

    def _reject(self, key: str, problem: str) -> None:
        dotted = f"{self._prefix}{key}".rstrip(".")
        self._problems.append(SettingsProblem(self._path, dotted, problem))
