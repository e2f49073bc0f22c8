"""Where the content of a configured bundle lies on this machine."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator

from akm_ls.bundles.config import AkmConfig, BundleEntry
from akm_ls.bundles.directories import expand

_GITHUB = re.compile(r"(?:github:)?([\w.-]+)/([\w.-]+?)(?:\.git)?(?:#(.+))?\Z")


class Unresolved(Exception):
    """A bundle whose content is not on this machine; ``str`` says why."""


def effective_root(config: AkmConfig, entry: BundleEntry) -> str:
    """The directory of a bundle's one component.

    Raises:
        Unresolved: when it is not there, or lies outside the bundle's content.
    """
    content = content_root(config, entry)
    root = os.path.normpath(os.path.join(content, entry.component_root))
    if not is_within(os.path.realpath(root), os.path.realpath(content)) or not is_within(
        root, content
    ):
        raise Unresolved(f'component root "{entry.component_root}" lies outside {content}')
    if not os.path.isdir(root):
        raise Unresolved(f"no such directory: {root}")
    return root


def content_root(config: AkmConfig, entry: BundleEntry) -> str:
    """Where a locator's content was put.

    Raises:
        Unresolved: when akm has not fetched it.
    """
    home = config.directories.home
    if entry.kind == "path":
        return expand(entry.locator, home=home, base=os.path.dirname(config.path))
    if entry.kind in ("git", "npm"):
        for record in config.lock:
            if record.id == entry.key and record.local_root:
                return expand(record.local_root, home=home, base=config.directories.data)
    if entry.kind == "npm":
        raise Unresolved(f"its npm package is not in {config.lock_path}")
    registry = os.path.join(config.directories.cache, "registry-index")
    spellings = _git_urls(entry.locator) if entry.kind == "git" else _web_urls(entry.locator)
    for url in spellings:
        digest = hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        root = os.path.join(registry, f"{entry.kind}-{digest}")
        if entry.kind == "git":
            root = os.path.join(root, "repo")
            content = os.path.join(root, "content")
            root = content if os.path.isdir(content) else root
        if os.path.isdir(root):
            return root
    # Not the URL itself: it may hold a password.
    raise Unresolved(f"its {entry.kind} content has not been fetched by akm")


def is_within(path: str, root: str) -> bool:
    """Whether ``path`` is ``root`` or lies below it; both normalised."""
    return path == root or path.startswith(os.path.join(root, ""))


def _git_urls(locator: str) -> Iterator[str]:
    """The spellings under which akm may have filed a repository, the canonical one first."""
    match = _GITHUB.match(locator)
    if match:
        owner, name, revision = match.groups()
        base = f"https://github.com/{owner}/{name}"
        yield f"{base}/tree/{revision}" if revision else base
        return
    url, _, revision = locator.partition("#")
    bare = url.removesuffix("/").removesuffix(".git")
    yield f"{bare}/tree/{revision}" if revision else bare
    yield locator


def _web_urls(locator: str) -> Iterator[str]:
    bare = locator.partition("#")[0]
    yield bare.removesuffix("/")
    yield bare if bare.endswith("/") else f"{bare}/"
    yield locator
