"""akm's ``config.json`` and ``akm.lock``: what the user set up.

Nothing here raises for what stands in a file: every fault becomes a warning that names the key,
and the rest is used.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, cast

from akm_ls.bundles.adapters import is_adapter
from akm_ls.bundles.adapters.probes import read_head
from akm_ls.bundles.bundle import printable
from akm_ls.bundles.directories import Directories, akm_directories, expand
from akm_ls.bundles.jsonc import parse_jsonc
from akm_ls.documents.nodes import Plain
from akm_ls.documents.text import decode

LocatorKind = Literal["path", "git", "npm", "website"]

LOCATORS: tuple[LocatorKind, ...] = ("path", "git", "npm", "website")
CONFIG_VERSION = "0.9.0"
RETIRED_KEYS = (
    "stashDir",
    "sources",
    "installed",
    "profiles",
    "llm",
    "agent",
    "features",
    "stashes",
    "bindings",
    "writable",
)
RETIRED_DEFAULTS = ("llm", "agent", "improve")

_CONFIG_BYTES = 4 * 1024 * 1024
_LOCK_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class BundleEntry:
    """One entry of ``bundles`` in ``config.json``. ``locator`` is a path, URL or package."""

    key: str
    kind: LocatorKind
    locator: str
    writable: bool | None = None
    enabled: bool = True
    component_root: str = "."
    component_writable: bool | None = None
    adapter: str | None = None

    @property
    def effective_writable(self) -> bool:
        if self.kind in ("npm", "website"):
            return False
        if self.component_writable is not None:
            return self.component_writable
        return self.kind == "path" if self.writable is None else self.writable


@dataclass(frozen=True, slots=True)
class LockRecord:
    """What ``akm.lock`` says of a bundle from elsewhere; ``id`` is its key in the config."""

    id: str
    local_root: str | None
    source: str = ""
    ref: str = ""


@dataclass(frozen=True, slots=True)
class AkmConfig:
    """What akm's configuration says. ``data`` holds all of it as plain values, keys of models
    included: never log it."""

    path: str
    found: bool
    directories: Directories
    entries: tuple[BundleEntry, ...] = ()
    default_bundle: str | None = None
    lock: tuple[LockRecord, ...] = ()
    lock_path: str = ""
    warnings: tuple[str, ...] = ()
    unusable: str | None = None
    """The warning that says why the file is not ``found`` though there should be one."""
    data: Mapping[str, Plain] = field(default_factory=dict, repr=False)


def load_config(
    env: Mapping[str, str], home: str | None = None, *, path: str | None = None
) -> AkmConfig:
    """Read the user's configuration and lock; ``path`` names another ``config.json``.

    Raises nothing: a missing file is an empty configuration, a broken one a warning.
    """
    directories = akm_directories(env, home)
    warnings: list[str] = []
    if path is None:
        config_path = os.path.join(directories.config, "config.json")
    else:
        config_path = expand(path, home=directories.home, base=os.getcwd())
        if os.path.isdir(config_path):
            config_path = os.path.join(config_path, "config.json")
    data = _read_json(config_path, _CONFIG_BYTES, warnings)
    if data is None and path is not None and not warnings:
        warnings.append(f"{config_path}: no such configuration file.")
    if data is not None and not isinstance(data, dict):
        warnings.append(f"{config_path}: the configuration must be an object; ignored.")
        data = None
    unusable = printable(warnings[0]) if warnings else None
    lock_path = os.path.join(directories.data, "akm.lock")
    lock = _lock_records(_read_json(lock_path, _LOCK_BYTES, warnings), lock_path, warnings)
    reader = _ConfigReader(config_path, warnings)
    settings: dict[str, Plain] = data if isinstance(data, dict) else {}
    entries, default_bundle = reader.read(settings)
    return AkmConfig(
        path=config_path,
        found=isinstance(data, dict),
        directories=directories,
        entries=entries,
        default_bundle=default_bundle,
        lock=lock,
        lock_path=lock_path,
        warnings=tuple(map(printable, warnings)),
        unusable=unusable,
        data=settings,
    )


def _read_json(path: str, limit: int, warnings: list[str]) -> Plain:
    """The value in a JSON file; ``None`` when it is missing or, with a warning, unusable."""
    try:
        data = read_head(path, limit + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        warnings.append(f"{path}: cannot be read ({reason}); ignored.")
        return None
    if data is None:
        return None
    if len(data) > limit:
        warnings.append(f"{path}: larger than {limit // 1024 // 1024} MiB; ignored.")
        return None
    value, problem = parse_jsonc(decode(data).text)
    if problem is not None:
        warnings.append(
            f"{path}:{problem.line}:{problem.column}: not valid JSON: {problem.message}; ignored."
        )
    return value


def _lock_records(data: Plain, path: str, warnings: list[str]) -> tuple[LockRecord, ...]:
    if data is None:
        return ()
    if not isinstance(data, list):
        warnings.append(f"{path}: must be a list of records; ignored.")
        return ()
    records = []
    for index, item in enumerate(data):
        if not isinstance(item, dict) or not isinstance(item.get("id"), str):
            warnings.append(f"{path}: record {index} has no id; ignored.")
            continue
        root = item.get("localRoot")
        if root is not None and not isinstance(root, str):
            warnings.append(f"{path}: record {index}: localRoot must be a string; ignored.")
            root = None
        records.append(
            LockRecord(
                str(item["id"]),
                root or None,
                source=str(item.get("source") or ""),
                ref=str(item.get("ref") or ""),
            )
        )
    return tuple(records)


class _Expected(NamedTuple):
    name: str
    types: tuple[type, ...]


_STRING = _Expected("a string", (str,))
_NUMBER = _Expected("a number", (int, float))
_OBJECT = _Expected("an object", (dict,))
_TYPES = {
    "semanticSearchMode": _STRING,
    "embedding": _OBJECT,
    "search": _OBJECT,
    "output": _OBJECT,
    "engines": _OBJECT,
    "defaults": _OBJECT,
    "modelAliases": _OBJECT,
    "workflow": _OBJECT,
    "archiveRetentionDays": _NUMBER,
}
_NESTED_TYPES = {
    "embedding": {
        "endpoint": _STRING,
        "model": _STRING,
        "localModel": _STRING,
        "dimension": _NUMBER,
        "maxInputTokens": _NUMBER,
        "maxTokens": _NUMBER,
        "batchSize": _NUMBER,
        "timeoutMs": _NUMBER,
        "concurrency": _NUMBER,
        "contextLength": _NUMBER,
    },
    "search": {"minScore": _NUMBER, "defaultExcludeTypes": _Expected("a list", (list,))},
}
"""Settings other parts read; they check values, this reader checks types."""


class _ConfigReader:
    """Turns plain values into entries, and every wrong one into a warning."""

    def __init__(self, path: str, warnings: list[str]) -> None:
        self._path = path
        self._warnings = warnings

    def read(self, data: Mapping[str, Plain]) -> tuple[tuple[BundleEntry, ...], str | None]:
        self._retired(data)
        self._check_types(data, _TYPES, "")
        for key, types in _NESTED_TYPES.items():
            section = data.get(key)
            if isinstance(section, dict):
                self._check_types(section, types, f"{key}.")
        bundles = self._object(data, "bundles", "bundles")
        entries = []
        for key, value in bundles.items():
            entry = self._entry(key, value)
            if entry is not None:
                entries.append(entry)
        for key in ("defaultBundle", "defaultWriteTarget"):
            name = self._string(data, key, key)
            if name is not None and name not in bundles:
                self._warn(f'{key} names "{name}", which is not in bundles; ignored.')
        default = data.get("defaultBundle")
        return tuple(entries), default if isinstance(default, str) and default in bundles else None

    def _check_types(
        self, data: Mapping[str, Plain], types: Mapping[str, _Expected], prefix: str
    ) -> None:
        for key, expected in types.items():
            value = data.get(key)
            wrong_bool = isinstance(value, bool) and bool not in expected.types
            if value is not None and (wrong_bool or not isinstance(value, expected.types)):
                self._warn(f"{prefix}{key} must be {expected.name}; ignored.")

    def _retired(self, data: Mapping[str, Plain]) -> None:
        for key in RETIRED_KEYS:
            if key in data:
                self._warn(f"{key} is retired, and akm refuses a configuration that has it.")
        defaults = data.get("defaults")
        if isinstance(defaults, dict):
            for key in RETIRED_DEFAULTS:
                if key in defaults:
                    self._warn(
                        f"defaults.{key} is retired, and akm refuses a configuration that has it."
                    )
        version = self._string(data, "configVersion", "configVersion")
        if version is not None and version != CONFIG_VERSION:
            self._warn(f'configVersion is "{version}", not "{CONFIG_VERSION}"; read all the same.')

    def _entry(self, key: str, value: Plain) -> BundleEntry | None:
        place = f"bundles.{key}"
        if not isinstance(value, dict):
            self._warn(f"{place} must be an object; ignored.")
            return None
        enabled = self._boolean(value, "enabled", place)
        named = [kind for kind in LOCATORS if value.get(kind) is not None]
        if len(named) != 1:
            found = ", ".join(named) or "none"
            self._warn(
                f"{place} must have exactly one of path, git, npm and website"
                f" (it has {found}); ignored."
            )
            return None
        kind = named[0]
        if kind == "website":
            locator = self._string(
                self._object(value, kind, f"{place}.{kind}"), "url", f"{place}.website.url"
            )
            place_of_locator = f"{place}.website.url"
        else:
            locator = self._string(value, kind, f"{place}.{kind}")
            place_of_locator = f"{place}.{kind}"
        if not locator or "\0" in locator:
            if locator is not None or kind == "website":
                self._warn(f"{place_of_locator} must be a non-empty string; ignored.")
            return None
        component, component_place = self._component(value, place)
        writable = self._boolean(value, "writable", place)
        component_writable = self._boolean(component, "writable", component_place)
        if kind in ("npm", "website") and (writable or component_writable):
            self._warn(f"{place}.writable: a bundle from {kind} cannot be writable.")
        adapter = self._string(component, "adapter", f"{component_place}.adapter")
        if adapter is not None and not is_adapter(adapter):
            self._warn(f'{component_place}.adapter: there is no adapter "{adapter}"; ignored.')
            adapter = None
        return BundleEntry(
            key=key,
            kind=kind,
            locator=locator,
            writable=writable,
            enabled=enabled is not False,
            component_root=self._string(component, "root", f"{component_place}.root") or ".",
            component_writable=component_writable,
            adapter=adapter,
        )

    def _component(self, entry: Mapping[str, Plain], place: str) -> tuple[dict[str, Plain], str]:
        components = self._object(entry, "components", f"{place}.components")
        if len(components) > 1:
            self._warn(f"{place}.components may have one component; the first is used.")
        for name, value in components.items():
            where = f"{place}.components.{name}"
            return self._object({name: value}, name, where), where
        return {}, f"{place}.components"

    def _string(self, data: Mapping[str, Plain], key: str, place: str) -> str | None:
        value = data.get(key)
        if value is None or isinstance(value, str):
            return value
        self._warn(f"{place} must be a string; ignored.")
        return None

    def _boolean(self, data: Mapping[str, Plain], key: str, place: str) -> bool | None:
        value = data.get(key)
        if value is None or isinstance(value, bool):
            return value
        self._warn(f"{place}.{key} must be true or false; ignored.")
        return None

    def _object(self, data: Mapping[str, Plain], key: str, place: str) -> dict[str, Plain]:
        value = data.get(key)
        if value is None or isinstance(value, dict):
            return cast("dict[str, Plain]", value or {})
        self._warn(f"{place} must be an object; ignored.")
        return {}

    def _warn(self, message: str) -> None:
        self._warnings.append(f"{self._path}: {message}")
