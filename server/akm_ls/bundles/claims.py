"""Whether an opened folder is a bundle, or lies in one, although no configuration says so.

akm's probes decide what a directory that somebody installed is. An opened folder was not
installed: it may be anybody's repository, with a ``scripts/`` or an ``index.md`` of its own. So a
probe's claim counts here only with evidence, which is a file the format would take as an asset.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from akm_ls.bundles.adapters import ADAPTERS, probes
from akm_ls.bundles.asset_types import ASSET_TYPES
from akm_ls.bundles.bundle import BundleOrigin
from akm_ls.bundles.bundle_ids import slug
from akm_ls.bundles.host_layouts import (
    HOST_DIRECTORIES,
    SKILL_DIRECTORIES,
    TOOL_DIRECTORIES,
    HostBundle,
    holds,
    host_bundle,
    is_plugin,
    is_prose_file,
    is_skill_file,
    listed,
    plugin_bundle,
)
from akm_ls.bundles.locators import is_within

MAX_CLIMB = 16
"""Directories looked at above an opened folder."""

SOFTWARE_MANIFESTS = (
    "package.json",
    "pyproject.toml",
    "setup.py",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "Gemfile",
    "CMakeLists.txt",
    "mix.exs",
    "deno.json",
)
SITE_MANIFESTS = ("mkdocs.yml", "_config.yml", "hugo.toml", "config.toml", "conf.py", "book.toml")

_OWN_DIRECTORIES = ("knowledge", "memories", "facts")
"""Directories whose names are akm's own: any Markdown in them is convincing."""
_SHARED_DIRECTORIES = ("instructions", "lessons", "sessions", "workflows")
"""Directories that courses and conferences have too: their Markdown needs frontmatter."""
_NESTED_SIGNS = frozenset((*_OWN_DIRECTORIES, *_SHARED_DIRECTORIES, *SKILL_DIRECTORIES))
_TASK_KEYS = (b"command", b"prompt", b"workflow", b"uses", b"run")
_CHECKED_FILES = 20
_OKF_DEPTH = 2
_OKF_SAMPLE = 60


@dataclass(frozen=True, slots=True)
class Claim:
    """A directory that is a bundle: its format, who says so, and the evidence in words."""

    root: str
    adapter: str
    origin: BundleOrigin
    why: str
    label: str = ""
    wish: str | None = None


@dataclass(frozen=True, slots=True)
class Declined:
    """A directory that is left alone, and why in words."""

    why: str


def claim(root: str) -> Claim | Declined:
    """Whether a directory is a bundle by what is in it. Never raises for anything on disk."""
    plugin = plugin_bundle(root)
    if plugin is not None and _own_evidence(root) is None:
        return Claim(root, plugin.adapter, "host", plugin.why, plugin.label)
    host = host_bundle(root)
    if host is not None:
        return Claim(root, host.adapter, "host", host.why, host.label, host.wish)
    if os.path.isfile(os.path.join(root, "SKILL.md")) and not _has_marker(root):
        return Claim(root, "agent-skills", "host", "SKILL.md", "skill")
    declined: list[str] = []
    for adapter in ADAPTERS:
        evidence = _EVIDENCE[adapter.id]
        if adapter.id == "okf":
            # Its evidence satisfies its probe too, and the probe would read it all twice.
            why = evidence(root)
            if why is not None and _holds_stashes(root):
                declined.append(adapter.id)
                continue  # the pages are those of the bundles in it
        elif adapter.probe(root):
            why = evidence(root)
            if why is None:
                declined.append(adapter.id)
        else:
            continue
        if why is None:
            continue
        if adapter.id == "akm" and _is_repository_with_tools(root):
            return Claim(root, "claude", "host", f"{why} in an ordinary repository", "skills")
        return Claim(root, adapter.id, "workspace", why)
    if declined:
        formats = " and ".join(declined)
        return Declined(f"its layout would suit {formats}, but nothing in it is clearly an asset")
    return Declined("no bundle format claims it")


def names_itself(root: str) -> bool:
    """Whether a marker in a directory says that it is a bundle of its own, wherever it lies."""
    return _has_marker(root) or is_plugin(root)


def _holds_stashes(root: str) -> bool:
    """Whether a directory in this one is an akm bundle by itself."""
    for entry in listed(root):
        if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
            inner = [item.name for item in listed(entry.path) if item.is_dir(follow_symlinks=False)]
            if nested_claim(entry.path, inner) is not None:
                return True
    return False


def nested_claim(directory: str, names: list[str]) -> HostBundle | None:
    """The akm bundle a directory somewhere in a repository is, by its own kinds of directory.

    ``names`` are the directories in it: most need no second look.
    """
    if ".stash" not in names and len(_NESTED_SIGNS.intersection(names)) < 2:
        return None
    found = claim(directory)
    if not isinstance(found, Claim) or found.adapter != "akm" or _own_evidence(directory) is None:
        return None
    wish = slug(os.path.basename(directory))
    return HostBundle(directory, "akm", "", wish, found.why, "workspace")


def enclosing_claim(folder: str, home: str) -> Claim | None:
    """The bundle in one of whose asset directories ``folder`` lies, or ``None``.

    The nearest wins, but a directory of skills, which passes for a bundle by itself, gives way
    to the bundle it is the ``skills/`` of.
    """
    skills: Claim | None = None
    for parent in _parents(folder, home):
        head = os.path.relpath(folder, parent).split(os.sep)[0]
        if not (
            os.path.basename(parent) in HOST_DIRECTORIES
            or is_plugin(parent)
            or head in _ASSET_HEADS
            or os.path.isfile(os.path.join(parent, head, "SKILL.md"))
        ):
            continue
        found = claim(parent)
        if isinstance(found, Claim) and _takes(found, head):
            if found.adapter != "agent-skills":
                return found
            if skills is None or skills.origin == "host":  # one skill, and now a directory of them
                skills = found
    return skills


def climbed_claim(folder: str, home: str) -> Claim | None:
    """The nearest akm bundle above ``folder``, or ``None``: it owns all its directories."""
    for parent in _parents(folder, home):
        if probes.akm(parent):
            found = claim(parent)
            if isinstance(found, Claim) and found.adapter == "akm":
                return found
    return None


_TOOL_HEADS = frozenset((*TOOL_DIRECTORIES, *SKILL_DIRECTORIES))
_ASSET_HEADS = _TOOL_HEADS | {kind.directory for kind in ASSET_TYPES} | {"pages", "raw"}


def _takes(found: Claim, head: str) -> bool:
    if found.origin == "host":
        return True
    if found.adapter == "agent-skills":
        return _is_collection(found.root)
    if found.adapter in ("claude", "opencode"):
        return head in SKILL_DIRECTORIES or head in TOOL_DIRECTORIES
    if found.adapter == "llm-wiki":
        return head in ("pages", "raw")
    return found.adapter == "akm"


def _is_collection(directory: str) -> bool:
    """Whether most directories in ``directory`` are skills, unlike in somebody's ``~/code``."""
    children = [
        entry.path
        for entry in listed(directory)
        if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
    ]
    skills = sum(os.path.isfile(os.path.join(child, "SKILL.md")) for child in children)
    return skills > 1 and 2 * skills >= len(children)


def _parents(folder: str, home: str) -> Iterator[str]:
    """Directories above ``folder``: up to its git work tree, below home, never the root."""
    directory = folder
    for _ in range(MAX_CLIMB):
        if os.path.lexists(os.path.join(directory, ".git")):
            return
        parent = os.path.dirname(directory)
        if parent == directory or is_within(home, parent) or parent == os.path.dirname(parent):
            return
        directory = parent
        yield directory


def _always(root: str) -> str | None:
    return "its marker files"


def _tool_evidence(root: str) -> str | None:
    for name in (*SKILL_DIRECTORIES, *TOOL_DIRECTORIES):
        accepts = is_skill_file if name in SKILL_DIRECTORIES else is_prose_file
        if holds(os.path.join(root, name), accepts):
            return f"{name}/"
    return None


def _dotenv_evidence(root: str) -> str | None:
    if os.path.isfile(os.path.join(root, "env", "pyvenv.cfg")):
        return None
    if holds(os.path.join(root, "env"), lambda name: name.endswith(".env"), depth=0):
        return "env/"
    return "secrets/" if holds(os.path.join(root, "secrets"), lambda name: True, 0) else None


def _task_evidence(root: str) -> str | None:
    """A schedule is in many tools' YAML; a task also says what to run."""
    return "a task" if _any_task(root) else None


def _any_task(directory: str) -> bool:
    for path in _some_files(directory, ".yml"):
        if probes.has_schedule(path):
            data = probes.read_head(path) or b""
            if any(line.startswith(_TASK_KEYS) for line in data.splitlines()):
                return True
    return False


def _own_evidence(root: str) -> str | None:
    """What no other tool has: akm's marker, or Markdown in a directory named by akm."""
    if _has_marker(root):
        return ".stash/"
    for name in _OWN_DIRECTORIES:
        if holds(os.path.join(root, name), is_prose_file):
            return f"{name}/"
    return None


def _has_marker(root: str) -> bool:
    return os.path.isdir(os.path.join(root, ".stash"))


def _akm_evidence(root: str) -> str | None:
    """What makes an akm bundle more than a directory of skills, agents and commands."""
    own = _own_evidence(root)
    if own is not None:
        return own
    for name in _SHARED_DIRECTORIES:
        if _has_frontmatter(os.path.join(root, name)):
            return f"{name}/"
    tasks = os.path.join(root, "tasks")
    return "tasks/" if not os.path.islink(tasks) and _any_task(tasks) else None


def _any_akm_evidence(root: str) -> str | None:
    return _akm_evidence(root) or _tool_evidence(root) or _lesser_evidence(root)


def _lesser_evidence(root: str) -> str | None:
    """Markdown without frontmatter counts when two kinds of directory have some."""
    names = [name for name in _SHARED_DIRECTORIES if holds(os.path.join(root, name), is_prose_file)]
    return " and ".join(f"{name}/" for name in names) if len(names) > 1 else None


def _has_frontmatter(directory: str) -> bool:
    if os.path.islink(directory) or probes.below_unreadable(directory):
        return False
    for path in _some_files(directory, ".md", nested=True):
        try:
            head = probes.read_head(path, 2048) or b""
        except OSError:
            continue
        if head.removeprefix(b"\xef\xbb\xbf").startswith(b"---") and b"\nlayout:" not in head:
            return True
    return False


def _some_files(directory: str, suffix: str, *, nested: bool = False) -> list[str]:
    """A few files with a suffix, in ``directory`` or also below it."""
    found: list[str] = []
    directories = [directory]
    for current in directories:
        for entry in listed(current):
            if entry.is_dir(follow_symlinks=False):
                if nested and len(directories) < _CHECKED_FILES:
                    directories.append(entry.path)
            elif entry.name.endswith(suffix) and entry.is_file(follow_symlinks=False):
                if suffix == ".md" and not is_prose_file(entry.name):
                    continue
                found.append(entry.path)
                if len(found) >= _CHECKED_FILES:
                    return found
    return found


def _okf_evidence(root: str) -> str | None:
    index = os.path.join(root, "index.md")
    try:
        if b"okf_version" in (probes.read_head(index, 2048) or b""):
            return "okf_version in index.md"
    except OSError:
        return None
    if _has_file(root, SOFTWARE_MANIFESTS) or _has_file(root, SITE_MANIFESTS):
        return None
    seen = typed = 0
    for path in probes.okf_documents(root, depth=_OKF_DEPTH):
        rel = os.path.relpath(path, root)
        if rel.startswith(".") or f"{os.sep}." in rel:
            continue
        if not _TOOL_HEADS.isdisjoint(rel.split(os.sep)[:-1]):
            continue  # some tools' agents declare a type too
        try:
            typed += probes.frontmatter_type(path) is not None
        except OSError:
            continue
        seen += 1
        if seen >= _OKF_SAMPLE:
            break
    if typed and 3 * typed >= seen:
        return f"a type in {typed} of {seen} Markdown files"
    return None


def _is_repository_with_tools(root: str) -> bool:
    """Skills, agents or commands beside other things: a repository, not a bundle of its own.

    akm's format would take every Markdown file and script in it for an asset.
    """
    if _akm_evidence(root) is not None or _lesser_evidence(root) is not None:
        return False
    if _has_file(root, SOFTWARE_MANIFESTS):
        return True
    return any(
        entry.is_dir(follow_symlinks=False)
        and not entry.name.startswith(".")
        and entry.name not in _ASSET_HEADS
        for entry in listed(root)
    )


def _has_file(root: str, names: tuple[str, ...]) -> bool:
    return any(os.path.isfile(os.path.join(root, name)) for name in names)


_EVIDENCE = {
    "website-snapshot": _always,
    "agent-skills": _always,
    "claude": _tool_evidence,
    "opencode": _tool_evidence,
    "dotenv": _dotenv_evidence,
    "akm-workflow": _always,
    "akm-task": _task_evidence,
    "llm-wiki": _always,
    "akm": _any_akm_evidence,
    "okf": _okf_evidence,
    "generic-files": _always,
}
