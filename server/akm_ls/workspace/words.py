"""Words that authors of a bundle use already: tags, domains, tools, models."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.bundles.draft import normalise_tag
from akm_ls.index.stub import DOMAINS_FACT
from akm_ls.lint.rules.conventions.vocabulary import DEFAULT_DOMAINS, read_vocabulary
from akm_ls.lint.traits import is_stash

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle
    from akm_ls.index.delta import Delta
    from akm_ls.index.stub import Stub
    from akm_ls.workspace.workspace import Workspace

MAX_READ = 100
"""Files of a bundle whose frontmatter is read for the tools and models it names."""
_TOOL_KEYS = ("tools", "allowed-tools", "disallowed-tools", "disallowedTools")
_WITH_TOOLS = ("agent", "skill", "command")
_AUTOMATIC = frozenset(
    ("fact", "pinned", "env", "secret", "secrets", "sensitive", "task", "scheduled", "session")
)
"""Tags that the index adds by itself, by an asset's type."""
_OF_FACTS = _AUTOMATIC | {"personal", "team", "project", "convention", "meta"}


@dataclass(frozen=True, slots=True)
class _Used:
    """What the frontmatter of a bundle's agents, skills and commands names."""

    tools: tuple[str, ...]
    models: tuple[str, ...]


class KnownWords:
    """Counted when somebody asks first, and kept in step with the catalog afterwards."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._tags: dict[str, Counter[str]] | None = None
        self._spelled: dict[str, dict[str, str]] = {}
        self._used: dict[str, _Used] = {}

    def forget(self) -> None:
        """The catalog was filled anew."""
        self._tags = None
        self._spelled.clear()
        self._used.clear()

    def follow(self, delta: Delta) -> None:
        """Take over what changed in the catalog."""
        gone = [*delta.removed, *(old for old, _ in delta.changed)]
        come = [*delta.added, *(new for _, new in delta.changed)]
        for stub in (*gone, *come):
            if stub.type in _WITH_TOOLS:
                self._used.pop(stub.bundle, None)
        if self._spelled:
            for tag in {tag for stub in (*gone, *come) for tag in stub.tags if " " in tag}:
                for spelled in self._spelled.values():
                    spelled.pop(tag, None)
        if self._tags is not None:
            for stub in gone:
                self._tags.setdefault(stub.bundle, Counter()).subtract(_own_tags(stub))
            for stub in come:
                self._tags.setdefault(stub.bundle, Counter()).update(_own_tags(stub))

    def tags(self, bundle: str, beside: Stub | None = None) -> tuple[tuple[str, int], ...]:
        """Tags with the number of assets that have them: the bundle's own by frequency first,
        then those of the others. An asset ``beside``, whose tags are being typed, does not count.
        """
        if self._tags is None:
            self._tags = {}
            for stub in self._workspace.catalog.stubs():
                self._tags.setdefault(stub.bundle, Counter()).update(_own_tags(stub))
        own = self._tags.get(bundle, Counter())
        if beside is not None and beside.bundle == bundle:
            own = own.copy()
            own.subtract(_own_tags(beside))
        others: Counter[str] = Counter()
        for other, counted in self._tags.items():
            if other != bundle:
                others.update(counted)
        ranked = sorted(
            (pair for pair in own.items() if pair[1] > 0), key=lambda pair: (-pair[1], pair[0])
        )
        more = sorted(
            (pair for pair in others.items() if pair[1] > 0 and own.get(pair[0], 0) <= 0),
            key=lambda pair: (-pair[1], pair[0]),
        )
        spelled = self._spellings(bundle, [tag for tag, _ in (*ranked, *more)], beside)
        return tuple((spelled.get(tag, tag), count) for tag, count in (*ranked, *more))

    def _spellings(self, bundle: str, tags: list[str], beside: Stub | None) -> dict[str, str]:
        """Tags of several words as authors join them: ``on call`` or ``on-call``.

        The index has blanks for all of them, so some of the files are read.
        """
        known = self._spelled.setdefault(bundle, {})
        missing = {tag for tag in tags if " " in tag} - known.keys()
        read = 0
        stubs = self._workspace.catalog.stubs
        for stub in (*stubs(bundle), *stubs()) if missing else ():
            if missing.isdisjoint(stub.tags) or (beside is not None and stub.ref == beside.ref):
                continue
            path = self._workspace.canonical(stub.path)
            document = self._workspace.surroundings.document(path)
            frontmatter = None if document is None else document.frontmatter
            for raw in () if frontmatter is None else frontmatter.strings("tags"):
                tag = normalise_tag(raw)
                if tag in missing:
                    known[tag] = raw.strip().lower()
                    missing.discard(tag)
            read += 1
            if not missing or read >= MAX_READ:
                break
        known.update((tag, tag.replace(" ", "-")) for tag in missing)
        return known

    def domains(self, bundle: Bundle) -> tuple[str, ...]:
        """The domains of a stash: its fact's, or akm's own list. Other bundles have none."""
        around = self._workspace.surroundings
        names = around.names(bundle.real_root)
        if bundle.adapter != "akm" or not is_stash(names):
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


def _own_tags(stub: Stub) -> list[str]:
    """The tags of an asset that the index has not added by itself."""
    directories = stub.concept_id.lower().replace("-", " ").split("/")[:-1]
    automatic = _OF_FACTS if stub.type == "fact" else _AUTOMATIC
    return [tag for tag in stub.tags if tag not in automatic and tag not in directories]


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
