"""Which asset type a file of an akm bundle has: path first, then content (akm.md §3.2).

Several rules may fire on one file. Each has a specificity; the highest wins, and of equal ones
the later in the order extension, ancestor directory, parent directory, content.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from akm_ls.bundles.asset_types import SCRIPT_EXTENSIONS, TYPE_BY_DIRECTORY, TYPE_BY_NAME

if TYPE_CHECKING:
    from akm_ls.documents.document import Document

_NUMBERED = re.compile(r"\$[123](?!\d|[.,]\d)")
_RESERVED = frozenset(("index.md", "log.md"))


@dataclass(frozen=True, slots=True)
class Classification:
    """A type, how specific the rule that gave it is, and the rule in words."""

    type: str
    specificity: int
    reason: str


@dataclass(frozen=True, slots=True)
class AssetPath:
    """What the rules ask of a path: computed once per file."""

    directories: tuple[str, ...]
    filename: str
    lowered: str
    """The file name in lower case."""
    typed_ancestor: str | None
    """The first directory from the root that is a type directory."""

    @property
    def markdown(self) -> bool:
        return self.lowered.endswith(".md")

    @property
    def readme(self) -> bool:
        return self.lowered == "readme.md"

    @property
    def script(self) -> bool:
        dot = self.lowered.rfind(".")
        return dot > 0 and self.lowered[dot:] in SCRIPT_EXTENSIONS

    @property
    def secret(self) -> bool:
        """Below a ``secrets`` directory: the content must never be read."""
        return "secrets" in self.directories

    @property
    def skill_resource(self) -> bool:
        """A file that belongs to a skill: directories in its path declare no type."""
        return (
            self.typed_ancestor == "skills"
            and self.directories[-1] != "skills"
            and self.filename != "SKILL.md"
        )


@lru_cache(maxsize=512)
def split_path(rel: str) -> AssetPath:
    *directories, filename = rel.split("/")
    typed = next((name for name in directories if name in TYPE_BY_DIRECTORY), None)
    return AssetPath(tuple(directories), filename, filename.lower(), typed)


def is_reserved(path: AssetPath) -> bool:
    """Files that are never assets of an akm bundle, whatever they contain.

    ``index.md`` and ``log.md`` anywhere, the README at the root, a wiki's ``schema.md``, and
    all of the retired ``vaults``.
    """
    lowered = path.lowered
    if lowered in _RESERVED or "vaults" in path.directories:
        return True
    if lowered == "readme.md":
        return not path.directories
    return lowered == "schema.md" and len(path.directories) == 2 and path.directories[0] == "wikis"


def classify(rel: str, document: Document | None) -> Classification | None:
    """The type of the file at ``rel``, or ``None`` when no rule fires or its name is reserved.

    ``document`` is ``None`` when the content may not or could not be read; then only the path
    counts.
    """
    path = split_path(rel)
    if is_reserved(path):
        return None
    by_path = _by_path(path)
    by_content = _by_content(path, document)
    if by_content is None or by_path is None:
        return by_path or by_content
    return by_content if by_content.specificity >= by_path.specificity else by_path


def identify(type_name: str, rel: str) -> tuple[str, str] | None:
    """The concept id and canonical name of a file with a known type (akm.md §3.1).

    The name is relative to the type's directory if that is the first one of the path, else to
    the bundle. Both are NFC, as refs are. ``None`` when the file can have no name, such as a
    Markdown file directly in ``skills/``.
    """
    asset_type = TYPE_BY_NAME[type_name]
    head, _, rest = rel.partition("/")
    if type_name == "skill" and rel.rpartition("/")[2] != "SKILL.md":
        return None
    name = asset_type.canonical_name(rest if head == asset_type.directory and rest else rel)
    if not name:
        return None
    if not name.isascii():
        name = unicodedata.normalize("NFC", name)
    return f"{asset_type.directory}/{name}", name


def _by_path(path: AssetPath) -> Classification | None:
    """The most specific of the rules that look at the path only."""
    if path.filename == "SKILL.md" and not path.secret:
        return _SKILL_FILE
    found = _by_parent(path) or _by_ancestor(path)
    if found is not None:
        return found
    # Below `secrets` nothing has a type by its extension except what a skill brings along.
    if path.secret and not path.skill_resource:
        return None
    if path.markdown:
        return _ANY_MARKDOWN
    return _ANY_SCRIPT if path.script else None


def _by_ancestor(path: AssetPath) -> Classification | None:
    if path.readme or path.skill_resource:
        return None
    for directory in path.directories:
        asset_type = TYPE_BY_DIRECTORY.get(directory)
        if asset_type is not None and asset_type.fits(path.filename):
            if asset_type.name == "secret" and _is_secret_marker(path.filename):
                return None
            return _ANCESTORS[directory]
    return None


def _by_parent(path: AssetPath) -> Classification | None:
    if path.readme or path.skill_resource or not path.directories:
        return None
    directory = path.directories[-1]
    asset_type = TYPE_BY_DIRECTORY.get(directory)
    if asset_type is None:
        return None
    if asset_type.name == "secret" and _is_secret_marker(path.filename):
        return None
    if asset_type.fits(path.filename) or (asset_type.name == "skill" and path.markdown):
        return _PARENTS[directory]
    return None


def _by_content(path: AssetPath, document: Document | None) -> Classification | None:
    if document is None or path.secret or not path.markdown:
        return None
    if path.readme:
        return _ANY_MARKDOWN
    frontmatter = document.frontmatter
    keys = frontmatter.root if frontmatter is not None and frontmatter.closed else None
    if keys is not None and frontmatter is not None:
        if frontmatter.text("type") == "workflow":
            return _WORKFLOW
        if "tools" in keys:
            return _TOOLS
        if "agent" in keys:
            return _AGENT
    if (placeholder := _placeholder(path, document)) is not None:
        return Classification("command", 18, f"the placeholder {placeholder} in its body")
    if keys is not None and "model" in keys:
        return _MODEL
    return _ANY_MARKDOWN


def _placeholder(path: AssetPath, document: Document) -> str | None:
    """A command's placeholder in the body. ``$1`` counts only where no directory has a type:

    shell and price examples in notes would otherwise turn them into commands.
    """
    text = document.text
    if path.skill_resource or text.find("$", document.body_start) < 0:
        return None
    if text.find("$ARGUMENTS", document.body_start) >= 0:
        return "$ARGUMENTS"
    if path.typed_ancestor is None and (match := _NUMBERED.search(text, document.body_start)):
        return match.group()
    return None


def _is_secret_marker(filename: str) -> bool:
    return filename.endswith((".lock", ".sensitive"))


_ANY_MARKDOWN = Classification("knowledge", 5, "the extension .md")
_ANY_SCRIPT = Classification("script", 3, "its extension")
_WORKFLOW = Classification("workflow", 19, 'the frontmatter "type: workflow"')
_TOOLS = Classification("agent", 20, 'the frontmatter key "tools"')
_AGENT = Classification("command", 18, 'the frontmatter key "agent"')
_MODEL = Classification("agent", 8, 'the frontmatter key "model"')
_SKILL_FILE = Classification("skill", 25, "the file name SKILL.md")
_ANCESTORS = {
    directory: Classification(asset_type.name, 10, f'the directory "{directory}"')
    for directory, asset_type in TYPE_BY_DIRECTORY.items()
}
_PARENTS = {
    directory: Classification(asset_type.name, 15, f'the parent directory "{directory}"')
    for directory, asset_type in TYPE_BY_DIRECTORY.items()
}
