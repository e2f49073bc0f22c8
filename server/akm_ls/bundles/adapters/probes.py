"""Does a directory look like the root of a bundle, and of which format?

One predicate per format (akm's documentation, "adapters"). Each is bounded in the entries it
lists, the files it opens and the bytes it reads, never opens a secret, and never raises: what
cannot be read is not claimed.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from functools import wraps
from itertools import islice

from akm_ls.bundles.asset_types import ASSET_TYPES
from akm_ls.documents.frontmatter import read_frontmatter, read_yaml
from akm_ls.documents.nodes import Scalar
from akm_ls.documents.text import decode

HEAD_BYTES = 32_768
"""How much of a file is read to find its frontmatter."""
MANIFEST_BYTES = 1_048_576
LISTED = 10_000
"""Entries of one directory that are looked at."""
OKF_DIRECTORIES = 1_000
OKF_FILES = 300
OKF_DEPTH = 8

CLAUDE_DIRECTORIES = ("commands", "agents", "skills")
OPENCODE_DIRECTORIES = ("commands", "command", "agents", "agent", "skills", "skill")
UNREADABLE = frozenset({"secrets", "vaults"})
"""Directories whose files are never opened."""

_TYPE_KEY = re.compile(rb"""(?:\A|[\s{,])["']?type["']?[ \t]*:""")

Probe = Callable[[str], bool]


def _careful(probe: Probe) -> Probe:
    @wraps(probe)
    def careful(root: str) -> bool:
        try:
            return probe(root)
        except (OSError, ValueError, RecursionError):
            return False

    return careful


@_careful
def website_snapshot(root: str) -> bool:
    """``manifest.json`` with the strings ``url`` and ``fetchedAt``."""
    if below_unreadable(root):
        return False
    data = read_head(os.path.join(root, "manifest.json"), MANIFEST_BYTES)
    if data is None:
        return False
    manifest = json.loads(decode(data).text)
    return isinstance(manifest, dict) and all(
        isinstance(manifest.get(key), str) for key in ("url", "fetchedAt")
    )


@_careful
def agent_skills(root: str) -> bool:
    """A direct child directory with a ``SKILL.md``."""
    return any(is_file(os.path.join(path, "SKILL.md")) for _, path in _directories(root))


@_careful
def claude(root: str) -> bool:
    """``CLAUDE.md`` beside a directory of commands, agents or skills."""
    return is_file(os.path.join(root, "CLAUDE.md")) and _has_any(root, CLAUDE_DIRECTORIES)


@_careful
def opencode(root: str) -> bool:
    """``opencode.json[c]``, or ``AGENTS.md`` beside commands, agents or skills."""
    if any(is_file(os.path.join(root, name)) for name in ("opencode.json", "opencode.jsonc")):
        return True
    return is_file(os.path.join(root, "AGENTS.md")) and _has_any(root, OPENCODE_DIRECTORIES)


@_careful
def dotenv(root: str) -> bool:
    """Directories ``env`` and ``secrets``, and no other directory."""
    names = {name for name, _ in _directories(root)}
    return bool(names) and names <= {"env", "secrets"}


@_careful
def akm_workflow(root: str) -> bool:
    """A Markdown file at the top, no README, with ``type: workflow``."""
    if below_unreadable(root):
        return False
    return any(
        frontmatter_type(path) == "workflow"
        for name, path in _files(root)
        if name.lower().endswith(".md") and name.lower() != "readme.md"
    )


@_careful
def akm_task(root: str) -> bool:
    """A ``.yml`` file at the top with a ``schedule``."""
    if below_unreadable(root):
        return False
    return any(has_schedule(path) for name, path in _files(root) if name.endswith(".yml"))


@_careful
def llm_wiki(root: str) -> bool:
    """``schema.md`` and ``pages/``."""
    return is_file(os.path.join(root, "schema.md")) and os.path.isdir(os.path.join(root, "pages"))


@_careful
def akm(root: str) -> bool:
    """``.stash/``, or two asset directories, or one that does not hold another format's files."""
    if os.path.isdir(os.path.join(root, ".stash")):
        return True
    native = [kind for kind in ASSET_TYPES if os.path.isdir(os.path.join(root, kind.directory))]
    if len(native) != 1:
        return len(native) > 1
    directory = os.path.join(root, native[0].directory)
    if native[0].directory in UNREADABLE or below_unreadable(root):
        return True
    try:
        first = next((path for name, path in _files(directory) if name.endswith(".md")), None)
        found = frontmatter_type(first) if first else None
    except (OSError, ValueError):
        return True
    return found is None or found == native[0].name


@_careful
def okf(root: str) -> bool:
    """``index.md`` at the top, or any Markdown file below that declares a ``type``."""
    if is_file(os.path.join(root, "index.md")):
        return True
    return any(frontmatter_type(path) is not None for path in okf_documents(root))


def generic_files(root: str) -> bool:
    """Never: this format takes any file, so it has to be asked for."""
    return False


def okf_documents(root: str, depth: int = OKF_DEPTH) -> Iterator[str]:
    """Markdown files below ``root`` that could declare a type, breadth first and bounded."""
    if below_unreadable(root):
        return
    queue = [(root, 0)]
    files = 0
    for position in range(OKF_DIRECTORIES):
        if position >= len(queue):
            return
        directory, level = queue[position]
        for entry in _listed(directory):
            if entry.is_symlink():
                continue
            name = entry.name
            if entry.is_dir(follow_symlinks=False):
                if level < depth and name != ".git" and name not in UNREADABLE:
                    queue.append((entry.path, level + 1))
            elif name.endswith(".md") and name.lower() not in ("index.md", "log.md"):
                files += 1
                if files > OKF_FILES:
                    return
                yield entry.path


def frontmatter_type(path: str) -> str | None:
    """The non-empty ``type`` a Markdown file declares, or ``None``.

    Raises:
        OSError: when the file cannot be read.
    """
    data = read_head(path)
    if data is None or b"---" not in data[:8] or not _TYPE_KEY.search(data):
        return None
    frontmatter = read_frontmatter(decode(data).text)
    if frontmatter is None or not frontmatter.closed:
        return None
    declared = frontmatter.text("type")
    return declared.strip() or None if declared else None


def has_schedule(path: str) -> bool:
    try:
        data = read_head(path, MANIFEST_BYTES)
    except OSError:
        return False
    if data is None or b"schedule" not in data:
        return False
    mapping, problem = read_yaml(decode(data).text)
    schedule = mapping.get("schedule")
    return (
        problem is None
        and isinstance(schedule, Scalar)
        and isinstance(schedule.plain, str)
        and bool(schedule.plain.strip())
    )


def read_head(path: str, limit: int = HEAD_BYTES) -> bytes | None:
    """The first ``limit`` bytes of a regular file; ``None`` for anything else, pipes included.

    Raises:
        OSError: when a regular file cannot be read.
    """
    try:
        # A pipe in somebody's repository must not block: O_NONBLOCK, and look before reading.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        with os.fdopen(os.dup(handle), "rb") as file:
            return file.read(limit)
    finally:
        os.close(handle)


def is_file(path: str) -> bool:
    """Whether ``path`` is a regular file (through a symlink or not)."""
    return os.path.isfile(path)


def below_unreadable(root: str) -> bool:
    """Whether ``root`` itself lies in a directory of secrets."""
    return not UNREADABLE.isdisjoint(root.split(os.sep))


def _has_any(root: str, names: tuple[str, ...]) -> bool:
    return any(os.path.isdir(os.path.join(root, name)) for name in names)


def _listed(directory: str) -> list[os.DirEntry[str]]:
    """The first entries of a directory, by name; none when it cannot be read."""
    try:
        with os.scandir(directory) as entries:
            return sorted(islice(entries, LISTED), key=lambda entry: entry.name)
    except OSError:
        return []


def _directories(root: str) -> Iterator[tuple[str, str]]:
    return ((entry.name, entry.path) for entry in _listed(root) if entry.is_dir())


def _files(root: str) -> Iterator[tuple[str, str]]:
    return ((entry.name, entry.path) for entry in _listed(root) if entry.is_file())
