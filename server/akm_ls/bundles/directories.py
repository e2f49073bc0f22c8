"""Where akm keeps its files, by environment variables and platform."""

from __future__ import annotations

import ntpath
import os
import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType

_TRANSIENT = ("/tmp/", "/var/tmp/", "/private/tmp/", "/private/var/folders/", "/var/folders/")


@dataclass(frozen=True, slots=True)
class Directories:
    """Where akm keeps its files. Absolute paths; none need exist."""

    config: str
    cache: str
    data: str
    state: str
    home: str
    override: str | None
    """``AKM_BUNDLE_DIR``."""
    platform_bundle: str
    """The default bundle of a user who configured none."""


def is_transient(path: str) -> bool:
    """Whether a bundle directory is a scratch one, which then holds its own configuration."""
    return path.startswith(_TRANSIENT)


def home_directory(env: Mapping[str, str]) -> str | None:
    """The user's home, from the environment given, else from the system."""
    named = env.get("HOME") or (env.get("USERPROFILE") if os.name == "nt" else None)
    if named:
        return named
    found = os.path.expanduser("~")
    return None if found == "~" else found


def akm_directories(
    env: Mapping[str, str], home: str | None = None, *, windows: bool | None = None
) -> Directories:
    """Resolve akm's directories from environment variables; the first that is set wins."""
    windows = os.name == "nt" if windows is None else windows
    paths: ModuleType = ntpath if windows else posixpath
    join: Callable[..., str] = paths.join
    home = home or home_directory(env)
    profile = (env.get("USERPROFILE") if windows else None) or home
    root = profile or paths.abspath("/")
    override = env.get("AKM_BUNDLE_DIR") or None
    if override is not None:
        override = expand(override, home=root, base=os.getcwd())
    transient = override if override is not None and is_transient(override) else None

    def first(*candidates: str | None) -> str:
        return str(paths.abspath(next(path for path in candidates if path)))

    def below(variable: str, *parts: str, only_windows: bool = False) -> str | None:
        value = env.get(variable)
        if not value or (only_windows and not windows):
            return None
        return join(value, *parts)

    roaming = join(root, "AppData", "Roaming", "akm")
    local = join(root, "AppData", "Local", "akm")
    return Directories(
        config=first(
            env.get("AKM_CONFIG_DIR"),
            below("APPDATA", "akm", only_windows=True),
            below("XDG_CONFIG_HOME", "akm"),
            transient and join(transient, ".akm"),
            roaming if windows else join(root, ".config", "akm"),
        ),
        cache=first(
            env.get("AKM_CACHE_DIR"),
            below("LOCALAPPDATA", "akm", only_windows=True),
            local if windows and profile else None,
            below("APPDATA", "..", "Local", "akm", only_windows=True),
            below("XDG_CACHE_HOME", "akm"),
            transient and join(transient, ".akm", "cache"),
            join(home, ".cache", "akm") if home else "/tmp/akm-cache",
        ),
        data=first(
            env.get("AKM_DATA_DIR"),
            below("LOCALAPPDATA", "akm", "data", only_windows=True),
            below("XDG_DATA_HOME", "akm"),
            join(root, ".local", "share", "akm"),
        ),
        state=first(
            env.get("AKM_STATE_DIR"),
            below("XDG_STATE_HOME", "akm"),
            join(root, ".local", "state", "akm"),
        ),
        home=root,
        override=override,
        platform_bundle=join(root, "Documents", "akm") if windows else join(root, "akm"),
    )


def expand(path: str, *, home: str, base: str) -> str:
    """An absolute, normalised path: ``~`` is ``home``, a relative one starts at ``base``."""
    if path == "~" or path.startswith(("~/", "~" + os.sep)):
        path = home + path[1:]
    return os.path.normpath(os.path.join(base, path))
