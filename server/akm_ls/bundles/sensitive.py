"""Files that must never be opened, told by their path and by which files lie beside them."""

from __future__ import annotations

from collections.abc import Callable

SECRET_SIZE_LIMIT = 5 * 1024 * 1024
"""Larger files under ``secrets/`` are not assets, in bytes."""


def is_secret(rel: str) -> bool:
    """Whether a file lies below a ``secrets`` (or retired ``vaults``) directory: never read it."""
    if "secrets/" not in rel and "vaults/" not in rel:
        return False
    directories = rel.split("/")[:-1]
    return "secrets" in directories or "vaults" in directories


def is_sensitive(rel: str, exists: Callable[[str], bool]) -> bool:
    """Whether a file is marked as not to be touched at all: no asset, never opened.

    ``exists`` answers for paths relative to the same root, all of which end in ``.sensitive``.
    Marked are ``X.env``, ``X.md`` and every other file beside ``X.sensitive`` or
    ``X.md.sensitive``; every ``*.sensitive`` and ``*.lock`` below ``secrets/`` and every secret
    with a ``.sensitive`` twin; anything below the retired ``vaults/``.
    """
    *directories, name = rel.split("/")
    if "vaults" in directories:
        return True
    if "secrets" in directories:
        return name.endswith((".sensitive", ".lock")) or exists(f"{rel}.sensitive")
    if name.endswith(".sensitive"):
        return False
    _, dot, extension = name.rpartition(".")
    if dot and exists(f"{rel[: -len(extension) - 1]}.sensitive"):
        return True
    return exists(f"{rel}.sensitive")
