"""What the target of a link or a code span names, by its text alone (agent-skills.md 4.6)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

Variable = Literal["skill", "plugin"]

RESOURCE_FOLDERS = frozenset(
    (
        "references",
        "reference",
        "resources",
        "resource",
        "scripts",
        "assets",
        "templates",
        "examples",
        "data",
    )
)
"""Directories in which a skill keeps what its text names."""
TEXT_FOLDERS = frozenset(("references", "reference", "resources"))
"""Of these the ones that no user's project has."""

PROJECT_FOLDERS = frozenset(("src", "lib", "app", "apps", "docs", "packages", "test", "tests"))
"""Directories that projects have and skills have not."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_EXTENSIONS = _words(
    """
    md mdc mdx markdown txt rst pdf html htm css scss js mjs cjs jsx ts tsx mts cts json jsonc
    json5 jsonl ndjson yaml yml toml ini cfg conf env xml xsd svg png jpg jpeg gif webp ico bmp
    avif mp4 webm mp3 wav csv tsv xlsx xls docx doc pptx ppt odt py pyi ipynb rb go rs java kt
    kts scala swift c h cc cpp hpp cs fs php pl pm lua r jl sh bash zsh fish ps1 psm1 bat cmd
    sql graphql gql proto tf tfvars hcl dockerfile vue svelte astro ejs hbs j2 jinja jinja2 tmpl
    tpl template mustache liquid lock log diff patch zip tar gz tgz wasm ttf otf woff woff2
    prisma sol zig dart ex exs erl clj hs ml nix excalidraw drawio puml mmd dot bib tex cypher
    rego bicep cue jsonnet xaml csproj sln feature snap parquet db sqlite
    """
)
"""Endings that make a word the name of a file."""

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_DRIVE = re.compile(r"[A-Za-z]:(?:/|\Z)")
_LINE_SUFFIX = re.compile(r":\d+(?:[:-]\d+)?\Z")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_ROOT = re.compile(
    r"(?:\$\{(?P<braced>[A-Z_]+)\}|\$(?P<bare>[A-Z_]+)|\{(?P<template>baseDir|skill_dir|skillDir"
    r"|SKILL_DIR)\}|<(?P<angle>skill[-_]dir|skill-directory)>)/"
)
RUN_TIME_FOLDERS = frozenset(("data", "cache", "logs", "output", "outputs", "state", "tmp"))
"""Directories in which a skill mostly keeps what it makes."""
_SKILL_VARIABLES = frozenset(("CLAUDE_SKILL_DIR", "SKILL_DIR", "SKILL_ROOT", "CODEX_SKILL_DIR"))
_PLUGIN_VARIABLES = frozenset(("CLAUDE_PLUGIN_ROOT",))

_PLACEHOLDER = re.compile(
    r"[{}<>*?|…$\[\]%^`\"]|\.\.\.|YYYY|yyyy|MM-DD|HHMM|\bNN+\b|(?:\b|[a-z_])N\b|XX+|xxx|#"
    r"|(?:\A|[/_-])(?:your|my|the)[-_]|path/to|/to/|[A-Z]{2,}_[A-Z_]*(?:NAME|SLUG|TITLE|ID|PATH)\b"
    r"|(?:file|doc|page|step|part|section|chapter|script|skill|agent)[-_]?(?:\d|[a-z]\b)[^/]*\Z"
    r"|[_-](?:name|slug|id|title)(?:[./]|\Z)"
    r"|(?:\A|/)(?:NAME|SLUG|TITLE|TOPIC|FILE|FILENAME|ID|PATH|FEATURE|DATE)(?:[/.]|\Z)"
)
_SAMPLE_STEMS = _words(
    """
    filename file-name file_name file name foo bar baz qux example examples sample topic slug
    xyz abc placeholder something whatever somefile some-file otherfile other-file other another
    file1 file2 file3 doc1 doc2 page1 page2 page link url path image img href thumbnail_url
    image_url src a b c x y z n foobar domain feature-name skill-name plugin-name agent-name
    topic-name module component thing
    """
)
_SAMPLE_FOLDERS = _words(
    """
    foo bar baz example-skill some-skill other-skill another-skill skill-name plugin-name
    feature-name folder dir directory subfolder subdir project-name xxx
    """
)
_DOMAIN = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}\Z")


@dataclass(frozen=True, slots=True)
class Target:
    """A relative target. ``path`` has ``/`` only and is decoded, without fragment and query.

    ``variable`` is the directory a variable before the path stands for; ``written`` the length of
    the source that spells the path (and the variable).
    """

    path: str
    fragment: str | None
    written: int
    variable: Variable | None = None

    @property
    def name(self) -> str:
        return self.path.rstrip("/").rpartition("/")[2]

    @property
    def head(self) -> str:
        """The first segment that is no dot."""
        return next((part for part in self.path.split("/") if part not in (".", "..")), "")

    @property
    def extension(self) -> str:
        """The ending in lower case if it is one that files have, else ``""``."""
        stem, dot, ending = self.name.rpartition(".")
        return ending.lower() if dot and stem and ending.lower() in _EXTENSIONS else ""

    @property
    def is_bare(self) -> bool:
        """Whether it is one name, with no directory."""
        return "/" not in self.path.rstrip("/")

    @property
    def is_dotted(self) -> bool:
        """Whether it starts with ``./`` or ``../``."""
        return self.path.startswith(("./", "../"))


def read_target(source: str, *, link: bool = True) -> Target | None:
    """The relative target a link (or with ``link`` false a code span) is written with.

    ``None`` for what names no place near the document: URLs, absolute and home paths, addresses
    of packages, refs (``bundle//id``), and a variable that nobody here can resolve.
    """
    variable: Variable | None = None
    lead = 0
    root = _ROOT.match(source)
    if root is not None:
        name = root.group("braced") or root.group("bare")
        if name is None or name in _SKILL_VARIABLES:
            variable = "skill"
        elif name in _PLUGIN_VARIABLES:
            variable = "plugin"
        else:
            return None
        lead = root.end()
    end = len(source)
    for mark in "#?":
        at = source.find(mark, lead)
        if at >= 0:
            end = min(end, at)
    fragment = source[end + 1 :] if source[end : end + 1] == "#" else None
    path = source[lead:end]
    if variable is None and (
        path.startswith(("/", "~", "\\", "@", "$"))
        or "//" in path
        or _DRIVE.match(path)
        or (_URI.match(path) and not _LINE_SUFFIX.search(path))
    ):
        return None
    suffix = _LINE_SUFFIX.search(path)
    if suffix is not None:
        end -= len(suffix.group())
        path = path[: suffix.start()]
        if _URI.match(path):
            return None
    if link:
        path = unquote(_ESCAPE.sub(r"\1", path))
    path = path.replace("\\", "/")
    if "\0" in path or "\n" in path or len(path) > 1024:
        return None
    return Target(path, fragment or None, end, variable)


def is_placeholder(target: Target) -> bool:
    """Whether a target stands for any file of a kind rather than for one."""
    path = target.path
    if _PLACEHOLDER.search(path):
        return True
    parts = [part.lower() for part in path.rstrip("/").split("/")]
    if any(part in _SAMPLE_FOLDERS for part in parts[:-1]):
        return True
    return parts[-1].partition(".")[0] in _SAMPLE_STEMS


def is_domain(target: Target) -> bool:
    """Whether the first segment looks like a host name written without a scheme."""
    head, slash, _ = target.path.partition("/")
    if not slash or head in (".", "..") or head.startswith("."):
        return False
    return _DOMAIN.match(head) is not None and head.rpartition(".")[2].lower() not in _EXTENSIONS
