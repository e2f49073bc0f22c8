"""Words that authors of a bundle use already: tags, domains, tools, models."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.index.stub import DOMAINS_FACT
from akm_ls.lint.rules.conventions.stash import SIGNS
from akm_ls.lint.rules.conventions.vocabulary import DEFAULT_DOMAINS, read_vocabulary

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle
    from akm_ls.workspace.workspace import Workspace

MAX_READ = 100
"""Files of a bundle whose frontmatter is read for the tools and models it names."""
_TOOL_KEYS = ("tools", "allowed-tools", "disallowed-tools", "disallowedTools")
_WITH_TOOLS = ("agent", "skill", "command")
_AUTOMATIC = frozenset(
    ("fact", "pinned", "env", "secret", "secrets", "sensitive", "task", "scheduled", "session")
)
"""Tags that the index adds by itself, by an asset's type."""
_CATEGORIES = frozenset(("personal", "team", "project", "convention", "meta"))


@dataclass(frozen=True, slots=True)
class _Used:
    """What the frontmatter of a bundle's agents, skills and commands names."""

    tools: tuple[str, ...]
    models: tuple[str, ...]


class KnownWords:
    """Counted when somebody asks first, and again after the index has changed."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._counted_at: tuple[int, int] = (-1, -1)
        self._tags: dict[str, tuple[tuple[str, int], ...]] = {}
        self._used: dict[str, _Used] = {}

    def tags(self, bundle: str) -> tuple[tuple[str, int], ...]:
        """Tags with the number of assets that have them: the bundle's own by frequency first,
        then those of the others."""
        self._forget_old()
        if bundle not in self._tags:
            own: Counter[str] = Counter()
            others: Counter[str] = Counter()
            for stub in self._workspace.catalog.stubs():
                count = own if stub.bundle == bundle else others
                automatic = _AUTOMATIC if stub.type not in ("fact",) else _AUTOMATIC | _CATEGORIES
                # The directories are among the tags by themselves.
                path = {part.replace("-", " ") for part in stub.concept_id.lower().split("/")[:-1]}
                count.update(
                    tag.replace(" ", "-")
                    for tag in stub.tags
                    if tag not in automatic and tag not in path
                )
            ranked = sorted(own.items(), key=lambda pair: (-pair[1], pair[0]))
            more = sorted(others.items(), key=lambda pair: (-pair[1], pair[0]))
            self._tags[bundle] = (*ranked, *(pair for pair in more if pair[0] not in own))
        return self._tags[bundle]

    def domains(self, bundle: Bundle) -> tuple[str, ...]:
        """The domains of a stash: its fact's, or akm's own list. Other bundles have none."""
        around = self._workspace.surroundings
        names = around.names(bundle.real_root)
        if bundle.adapter != "akm" or not any(names.get(sign) == "directory" for sign in SIGNS):
            return ()
        path = os.path.join(bundle.real_root, *DOMAINS_FACT.split("/")) + ".md"
        document = around.document(path)
        return DEFAULT_DOMAINS if document is None else read_vocabulary(document).domains

    def tools(self, bundle: str) -> tuple[str, ...]:
        """Names of tools that the bundle's agents, skills and commands are given."""
        return self._used_in(bundle).tools

    def models(self, bundle: str) -> tuple[str, ...]:
        return self._used_in(bundle).models

    def _used_in(self, bundle: str) -> _Used:
        self._forget_old()
        if bundle not in self._used:
            tools: Counter[str] = Counter()
            models: Counter[str] = Counter()
            read = 0
            for stub in self._workspace.catalog.stubs(bundle):
                if stub.type not in _WITH_TOOLS or read >= MAX_READ:
                    continue
                read += 1
                document = self._workspace.surroundings.document(
                    self._workspace.canonical(stub.path)
                )
                frontmatter = None if document is None else document.frontmatter
                if frontmatter is None:
                    continue
                for key in _TOOL_KEYS:
                    for value in frontmatter.strings(key):
                        tools.update(_tool_names(value))
                models.update(frontmatter.strings("model"))
            self._used[bundle] = _Used(
                tuple(name for name, _ in tools.most_common()),
                tuple(name for name, _ in models.most_common()),
            )
        return self._used[bundle]

    def _forget_old(self) -> None:
        catalog = self._workspace.catalog
        now = (catalog.generation, len(catalog))
        if now != self._counted_at:
            self._counted_at = now
            self._tags.clear()
            self._used.clear()


def _tool_names(value: str) -> list[str]:
    """``Bash(git:*), Read`` without what stands in parentheses."""
    names: list[str] = []
    depth, word = 0, ""
    for char in value:
        depth += (char == "(") - (char == ")")
        if depth == 0 and char != ")":
            if char in " ,\t":
                names.append(word)
                word = ""
            else:
                word += char
    return [name for name in (*names, word) if name]
