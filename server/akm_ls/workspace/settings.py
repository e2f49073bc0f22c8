"""What a user may set, read from any client's JSON with errors that name the key."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast, get_args

from akm_ls.counts import count
from akm_ls.embedders.settings import EmbeddingSettings
from akm_ls.index.matching import nearest_names
from akm_ls.lint.engine import CODES
from akm_ls.lint.settings import LintSettings, as_json, read_hosts, read_levels
from akm_ls.search.fusion import FUSIONS, Fusion
from akm_ls.search.request import PlanName
from akm_ls.workspace.annotations import Shown, read_shown
from akm_ls.workspace.semantic import read_embedding

_Choice = TypeVar("_Choice", bound=str)

_OF_THE_CLIENT = frozenset({"server", "trace"})
"""Sections that tell an editor how to start and log the server, not the server anything."""
_MANY_UNKNOWN = 10


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything `workspace.Workspace` can be told.

    ``bundle_dirs`` are exactly the roots to use, and nothing of the user's akm config is read
    then; ``bundle_dirs_from`` is where they were named. ``folders`` are an editor's workspace
    folders. ``usage`` says whether uses of assets are kept on this machine. ``max_completions``
    is a count of items.
    """

    bundle_dirs: tuple[str, ...] = ()
    bundle_dirs_from: str = "--bundle-dir"
    folders: tuple[str, ...] = ()
    data_dir: str | None = None
    config: str | None = None
    offline: bool = False
    lint: LintSettings = field(default_factory=LintSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    usage: bool = True
    shown: Shown = field(default_factory=Shown)
    max_completions: int = 100
    diagnostics_delay_ms: int = 200
    search_plan: PlanName = "default"
    search_fusion: Fusion = "convex"
    workspace_diagnostics: bool = True

    def with_folders(self, folders: Sequence[str]) -> Settings:
        return replace(self, folders=tuple(folders))


@dataclass(frozen=True, slots=True)
class SettingProblem:
    """A setting that was not usable; ``message`` names the key and the value that stays."""

    key: str
    message: str


def read_settings(
    raw: object, base: Settings | None = None, *, relative_to: str | None = None
) -> tuple[Settings, tuple[SettingProblem, ...]]:
    """Settings from an ``akm`` section as a client sends it, laid over ``base``.

    Args:
        raw: the section, ``{"bundleDirs": [...], "lint": {"rules": {...}}, ...}``, nested or
            with dotted keys, and with or without an ``akm`` around it; keys that belong to the
            client (``server``, ``trace``) are passed over.
        base: what stays where the section says nothing or something unusable.
        relative_to: the directory that relative paths start from.
    """
    settings = base or Settings()
    if raw is None:
        return settings, ()
    if isinstance(raw, Mapping):
        raw = _section(raw)
    if not isinstance(raw, Mapping):
        message = f"akm: {as_json(raw)} is not an object of settings; what was set before stays"
        return settings, (SettingProblem("akm", message),)
    reader = _Reader(raw, relative_to)
    bundle_dirs = reader.paths("bundleDirs", settings.bundle_dirs)
    if bundle_dirs != settings.bundle_dirs:
        settings = replace(settings, bundle_dirs_from="akm.bundleDirs")
    settings = replace(
        settings,
        bundle_dirs=bundle_dirs,
        data_dir=reader.path("dataDir", settings.data_dir),
        config=reader.path("config", settings.config),
        offline=reader.flag("offline", settings.offline),
        usage=reader.flag("usage", settings.usage),
        max_completions=reader.count("completion.maxItems", settings.max_completions, 1, 1000),
        diagnostics_delay_ms=reader.count(
            "diagnostics.delay", settings.diagnostics_delay_ms, 0, 10_000
        ),
        search_plan=reader.choice("search.plan", settings.search_plan, get_args(PlanName)),
        search_fusion=reader.choice("search.fusion", settings.search_fusion, FUSIONS),
        workspace_diagnostics=reader.flag("diagnostics.workspace", settings.workspace_diagnostics),
        shown=read_shown(reader.flag, settings.shown),
    )
    embedding, faults = read_embedding(reader.get, settings.embedding, reader.absolute)
    settings = replace(settings, embedding=embedding)
    reader.problems += [SettingProblem(*fault) for fault in faults]
    rules = reader.get("lint.rules")
    if rules is not None:
        lint, problems = read_levels(rules, CODES)
        settings = replace(settings, lint=replace(settings.lint, levels=lint.levels))
        reader.problems += [_of_rules(problem) for problem in problems]
    hosts, problems = read_hosts(reader.get("hosts"), settings.lint.hosts)
    portable = reader.flag("lint.portable", settings.lint.portable)
    settings = replace(settings, lint=replace(settings.lint, hosts=hosts, portable=portable))
    reader.problems += [SettingProblem("akm.hosts", problem) for problem in problems]
    reader.check_keys()
    return settings, tuple(dict.fromkeys(reader.problems))


def _section(raw: Mapping[Any, Any]) -> object:
    """The section itself, where a client has sent it inside of ``{"akm": …}`` or as ``akm.…``."""
    if not any(isinstance(key, str) and key.partition(".")[0] == "akm" for key in raw):
        return raw
    section = {
        key.removeprefix("akm.") if isinstance(key, str) else key: value
        for key, value in raw.items()
        if key != "akm"
    }
    inner = raw.get("akm")
    if inner is None:
        return section
    if not isinstance(inner, Mapping):
        return section or inner
    return {**section, **inner}


def _of_rules(problem: str) -> SettingProblem:
    message = problem if problem.endswith("?") else f"{problem}; the default stays"
    return SettingProblem(problem.partition(":")[0], message)


def _unknown(raw: Mapping[Any, Any], known: Collection[str], prefix: str = "") -> Iterator[str]:
    """The dotted keys that are neither known nor the client's own."""
    for step, value in raw.items():
        key = f"{prefix}{step}"
        if key in known or key.partition(".")[0] in _OF_THE_CLIENT:
            continue
        if not any(other.startswith(f"{key}.") for other in known):
            yield key[:80]
        elif isinstance(value, Mapping):
            yield from _unknown(value, known, f"{key}.")


class _Reader:
    def __init__(self, raw: Mapping[Any, Any], relative_to: str | None) -> None:
        self._raw = raw
        self._relative_to = relative_to
        self._known: dict[str, None] = {}
        self.problems: list[SettingProblem] = []

    def check_keys(self) -> None:
        """Note every key that was not asked for."""
        unknown = list(_unknown(self._raw, self._known))
        for key in unknown[:_MANY_UNKNOWN]:
            near = nearest_names(key, self._known, 1) or [
                known for known in self._known if known.rpartition(".")[2].lower() == key.lower()
            ]
            hint = f" Did you mean akm.{near[0]}?" if near else ""
            message = f"akm.{key}: no such setting; it is ignored.{hint}"
            self.problems.append(SettingProblem(f"akm.{key}", message))
        if len(unknown) > _MANY_UNKNOWN:
            more = count(len(unknown) - _MANY_UNKNOWN, "more key")
            message = f"akm: not known either: {more}"
            self.problems.append(SettingProblem("akm", message))

    def get(self, key: str) -> object:
        """A value by dotted key; ``None`` where it or a step to it is absent."""
        self._known[key] = None
        if key in self._raw:
            return cast(object, self._raw[key])
        value: object = self._raw
        for step in key.split("."):
            if value is None:
                return None
            if not isinstance(value, Mapping):
                self._reject(key.rpartition(".")[0], value, "an object", None)
                return None
            value = value.get(step)
        return value

    def path(self, key: str, default: str | None) -> str | None:
        value = self.get(key)
        if value is None or value == "":
            return default
        if not isinstance(value, str) or "\0" in value:
            self._reject(key, value, "a path", default)
            return default
        return self.absolute(value)

    def paths(self, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, list | tuple) or not all(isinstance(p, str) for p in value):
            self._reject(key, value, "a list of paths", default)
            return default
        return tuple(self.absolute(path) for path in value if path)

    def flag(self, key: str, default: bool) -> bool:
        value = self.get(key)
        if value is None or isinstance(value, bool):
            return default if value is None else bool(value)
        self._reject(key, value, "true or false", default)
        return default

    def count(self, key: str, default: int, low: int, high: int) -> int:
        value = self.get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self._reject(key, value, f"a whole number from {low} to {high}", default)
            return default
        return value

    def choice(self, key: str, default: _Choice, choices: Sequence[_Choice]) -> _Choice:
        value = self.get(key)
        if value is None or value == "":
            return default
        for choice in choices:
            if value == choice:
                return choice
        self._reject(key, value, f"one of {', '.join(choices)}", default)
        return default

    def absolute(self, path: str) -> str:
        path = os.path.expanduser(path)
        return os.path.normpath(os.path.join(self._relative_to or os.getcwd(), path))

    def _reject(self, key: str, value: object, wanted: str, default: object) -> None:
        kept = "the default stays" if default in (None, ()) else f"{as_json(default)} stays"
        message = f"akm.{key}: {as_json(value)} is not {wanted}; {kept}"
        self.problems.append(SettingProblem(f"akm.{key}", message))
