"""What each asset type adds to an entry by itself (akm.md §5, P3)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from akm_ls.bundles.frontmatter_keys import text_of
from akm_ls.documents.checkpoints import is_checkpoint
from akm_ls.documents.nodes import Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from akm_ls.bundles.draft import Draft
    from akm_ls.documents.document import Document
    from akm_ls.documents.frontmatter import Frontmatter

_PLACEHOLDER = re.compile(r"\$(?:ARGUMENTS\b|[1-9](?![0-9]))|\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}")
_HINT_LIMIT = 500

_INTERPRETERS = {
    ".sh": "bash",
    ".ts": "bun",
    ".js": "bun",
    ".py": "python",
    ".rb": "ruby",
    ".go": "go run",
    ".ps1": "powershell -File",
    ".cmd": "cmd /c",
    ".bat": "cmd /c",
    ".pl": "perl",
    ".php": "php",
    ".lua": "lua",
    ".r": "Rscript",
    ".swift": "swift",
    ".kt": "kotlin",
    ".kts": "kotlin",
}

_SETUPS = {
    "package.json": "bun install",
    "requirements.txt": "pip install -r requirements.txt",
    "Gemfile": "bundle install",
    "go.mod": "go mod download",
}
SETUP_FILES = tuple(_SETUPS)
"""Files beside a script that say how to prepare its directory, first one first."""


def contribute(draft: Draft, document: Document | None, path: str, setup_file: str = "") -> None:
    """Add what the draft's type contributes.

    ``path`` is the file's; ``setup_file`` the first of `SETUP_FILES` beside a script, or empty.
    """
    if draft.type == "script":
        _script(draft, path, setup_file)
        return
    contribution = _CONTRIBUTIONS.get(draft.type)
    if contribution is not None:
        contribution(draft, document)


def _frontmatter(document: Document | None) -> Frontmatter | None:
    return None if document is None else document.frontmatter


def _text(frontmatter: Frontmatter | None, key: str) -> str:
    return "" if frontmatter is None else text_of(frontmatter.get(key))


def _hint(draft: Draft, frontmatter: Frontmatter | None, key: str) -> None:
    if value := _text(frontmatter, key):
        draft.hints.append(f"{key}:{value[:_HINT_LIMIT]}")


def _command(draft: Draft, document: Document | None) -> None:
    if document is None:
        return
    text, start = document.text, document.body_start
    if text.find("$", start) < 0 and text.find("{{", start) < 0:
        return
    for match in _PLACEHOLDER.finditer(text, start):
        draft.ask_for(match.group(1) or match.group())


def _memory(draft: Draft, document: Document | None) -> None:
    frontmatter = _frontmatter(document)
    for key in ("source", "observed_at", "expires"):
        _hint(draft, frontmatter, key)
    if _text(frontmatter, "subjective") == "true":
        draft.hints.append("subjective")
    if document is not None and is_checkpoint(document):
        draft.body_hidden = True
        draft.extra["checkpoint"] = True
    _derivation(draft, frontmatter)


def _derivation(draft: Draft, frontmatter: Frontmatter | None) -> None:
    if draft.extra.get("derivedFrom"):
        return
    parent = ""
    if draft.stem.endswith(".derived"):
        parent = draft.name.removesuffix(".derived")
    elif _text(frontmatter, "inferred") == "true":
        parent = _text(frontmatter, "source")
    if parent:
        has_place = parent.startswith("memories/") or "//" in parent
        draft.extra["derivedFrom"] = parent if has_place else f"memories/{parent}"


def _session(draft: Draft, document: Document | None) -> None:
    draft.tags.append("session")
    draft.body_hidden = True
    frontmatter = _frontmatter(document)
    for key in ("harness", "project", "log_path"):
        _hint(draft, frontmatter, key)


def _fact(draft: Draft, document: Document | None) -> None:
    draft.tags.append("fact")
    if draft.category:
        draft.tags.append(draft.category)
        draft.hints.append(f"category:{draft.category}")
    if draft.extra.get("pinned") is True:
        draft.tags.append("pinned")
        draft.hints.append("pinned")


def _task(draft: Draft, document: Document | None) -> None:
    draft.tags += ("task", "scheduled")
    frontmatter = _frontmatter(document)
    for key in ("schedule", "workflow", "prompt", "uses", "run"):
        _hint(draft, frontmatter, key)
        if value := _text(frontmatter, key):
            draft.extra[key] = value


def _workflow(draft: Draft, document: Document | None) -> None:
    frontmatter = _frontmatter(document)
    steps = None if frontmatter is None else frontmatter.get("steps")
    if isinstance(steps, Sequence):
        ids = [
            node.text
            for item in steps.items
            if isinstance(item, Mapping) and isinstance(node := item.get("id"), Scalar)
        ]
        draft.hints += ids
        draft.extra["steps"] = list(ids)


def _env(draft: Draft, document: Document | None) -> None:
    draft.tags += ("env", "secrets")


def _secret(draft: Draft, document: Document | None) -> None:
    draft.tags += ("secret", "sensitive")


def _script(draft: Draft, path: str, setup_file: str) -> None:
    directory, filename = os.path.split(path)
    extension = filename[filename.rfind(".") :].lower()
    interpreter = _INTERPRETERS.get(extension)
    if interpreter is not None:
        draft.extra.setdefault("run", f"{interpreter} {filename}")
    if setup_file:
        draft.extra.setdefault("setup", _SETUPS[setup_file])
        draft.extra.setdefault("cwd", directory)


_CONTRIBUTIONS: dict[str, Callable[[Draft, Document | None], None]] = {
    "command": _command,
    "memory": _memory,
    "session": _session,
    "fact": _fact,
    "task": _task,
    "workflow": _workflow,
    "env": _env,
    "secret": _secret,
}
