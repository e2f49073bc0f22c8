"""How a directory that nobody named gets a bundle id."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable

_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def slug(text: str) -> str:
    """Lower case, runs of anything but ``a-z0-9`` as one hyphen, none at the ends; maybe empty."""
    return _NOT_SLUG.sub("-", text.lower()).strip("-")


def slug_for_path(path: str) -> str:
    """The id of a directory by its own name, or by a hash of its path when that says nothing."""
    return slug(os.path.basename(os.path.normpath(path))) or f"bundle-{_hash8(path)}"


class BundleIds:
    """Hands out ids, each once. ``reserved`` are the keys of the user's configuration."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = set(reserved)

    def derive(self, path: str, wish: str | None = None) -> str:
        """A free id for ``path``: ``wish`` or its slug, then with a hash, then with a number."""
        name = wish or slug_for_path(path)
        if name in self._taken:
            hashed = name = f"{name}-{_hash8(path)}"
            number = 2
            while name in self._taken:
                name = f"{hashed}-{number}"
                number += 1
        self._taken.add(name)
        return name


def _hash8(path: str) -> str:
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:8]
