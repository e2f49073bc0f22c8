"""What a rule is, and what it may ask."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, Protocol, TypeVar

from akm_ls.bundles.adapters import adapter_of
from akm_ls.bundles.adapters.adapter import Recognition
from akm_ls.bundles.bundle import Bundle, BundleSet
from akm_ls.bundles.listings import Listings, PathKind, exists
from akm_ls.bundles.schema import is_skill_path
from akm_ls.documents.checkpoints import is_checkpoint
from akm_ls.documents.document import Document, Kind
from akm_ls.documents.lazy import lazy
from akm_ls.index.catalog import Catalog
from akm_ls.index.stub import Stub
from akm_ls.lint.finding import Finding, Severity
from akm_ls.lint.settings import LintSettings
from akm_ls.lint.suppression import Suppressions, read_suppressions
from akm_ls.lint.traits import Traits, any_file, is_stash, telling_keys

T = TypeVar("T")

_UNKNOWN: Any = object()
_SKILL_FILES = frozenset(("SKILL.md", "skill.md"))

Group = Literal["frontmatter", "references", "links", "markdown", "assets", "bundle", "conventions"]
"""Topics, in the order the documentation shows them."""

Place = Literal[
    "frontmatter",
    "frontmatter refs",
    "prose",
    "headings",
    "inline code",
    "indented code",
    "fenced code",
    "links",
    "HTML comments",
    "whole file",
    "file name",
    "directory",
    "env keys",
]
"""Where in a document a rule looks; `Rule.places` of all rules is the one table of that."""

FixKind = Literal["by hand", "offered", "safe"]
"""What the editor can do about a finding, from nothing to what it may do unasked."""


class Surroundings(Protocol):
    """The files around a document. Answers are kept; nothing is read twice while it is the same."""

    def kind(self, path: str) -> PathKind | None:
        """What is at an absolute, normalised path; names count with their case."""
        ...

    def names(self, directory: str) -> Mapping[str, PathKind]:
        """A directory's entries by name; empty when there is no such directory."""
        ...

    def document(self, path: str) -> Document | None:
        """Another text file of a bundle, as its open buffer or the disk has it.

        ``None``: in no bundle, gone, too large, an env file or a secret.
        """
        ...

    def exists(self, path: str) -> bool:
        """Whether anything is at an absolute path of this machine; also when nobody may look."""
        ...

    def cited_in(self, bundle: str, concept_id: str) -> frozenset[str] | None:
        """The channels in which others cite an asset; ``None`` when nobody keeps citations."""
        ...


class Disk:
    """The surroundings of a document when nobody keeps documents: directories only."""

    def __init__(self) -> None:
        self._listings = Listings()

    def kind(self, path: str) -> PathKind | None:
        return self._listings.kind(path)

    def names(self, directory: str) -> Mapping[str, PathKind]:
        return self._listings.names(directory)

    def document(self, path: str) -> Document | None:
        return None

    def exists(self, path: str) -> bool:
        return exists(path)

    def cited_in(self, bundle: str, concept_id: str) -> frozenset[str] | None:
        return None


@dataclass(eq=False)
class Subject:
    """One document under the rules, and what they may ask about the rest of the world.

    ``path`` is canonical and absolute, ``rel`` its POSIX path in ``bundle``. ``catalog`` is
    ``None`` until every bundle has been read once: rules that need it wait. ``clock`` tells the
    date; ``recognised`` is the file's `recognition` where that is known already. Nobody changes a
    subject; it is not frozen because it is made for each file.
    """

    document: Document
    path: str
    rel: str
    bundle: Bundle
    bundles: BundleSet
    catalog: Catalog | None = None
    settings: LintSettings = field(default_factory=LintSettings)
    around: Surroundings = field(default_factory=Disk)
    clock: Callable[[], date] = date.today
    recognised: Recognition | None = None
    _facts: dict[object, Any] = field(default_factory=dict, init=False, repr=False)

    def once(self, compute: Callable[[Subject], T]) -> T:
        """What ``compute`` says of this document, worked out for the first rule that asks."""
        facts = self._facts
        fact: T = facts.get(compute, _UNKNOWN)
        if fact is _UNKNOWN:
            fact = facts[compute] = compute(self)
        return fact

    @lazy
    def traits(self) -> Traits:
        bundle, document, asset_type = self.bundle, self.document, self.type
        frontmatter = document.frontmatter
        head, slash, _ = self.rel.partition("/")
        layout = "host" if bundle.origin == "host" else bundle.adapter
        in_stash = (
            layout == "akm"
            and asset_type is not None
            and is_stash(self.around.names(bundle.real_root))
        )
        return Traits(
            layout,
            document.kind,
            asset_type,
            head if slash else "",
            self.path[-8:] in _SKILL_FILES and is_skill_path(self.path.replace(os.sep, "/")),
            in_stash,
            in_stash and asset_type != "session" and not is_checkpoint(document),
            frontmatter is not None,
            frontmatter is not None and (frontmatter.problem is not None or not frontmatter.closed),
            telling_keys(frontmatter),
        )

    @lazy
    def suppressions(self) -> Suppressions:
        """The document's comments that switch rules off."""
        return read_suppressions(self.document)

    @lazy
    def recognition(self) -> Recognition | None:
        """What the bundle's format takes this file for: type, concept id and name."""
        if self.recognised is not None:
            return self.recognised
        return adapter_of(self.bundle).recognise(self.rel, self.document)

    @lazy
    def type(self) -> str | None:
        """The asset type, such as ``skill``; ``None`` when the file is no asset."""
        return None if self.recognition is None else self.recognition.type

    @lazy
    def stub(self) -> Stub | None:
        """What the catalog holds for this file; of two files with one ref only the holder has."""
        return None if self.catalog is None else self.catalog.by_path(self.path)


@dataclass(frozen=True, slots=True)
class Rule:
    """A stable code with its check and its documentation.

    ``why`` and ``remedy`` are Markdown sentences; ``example`` is a document that fires the rule,
    as the file ``example_path`` of a bundle called ``team``, with the files ``around`` it (text by
    POSIX path; ``../other/…`` is in a second bundle). ``skippable`` rules honour akm's
    ``lint_skip`` frontmatter key. ``default`` is whether the rule runs when no setting names it.
    ``about`` says files of which traits the rule may have something to say of: `check` is asked
    about those only. A fixed severity is the gravest a rule gives: single findings may be milder.
    ``best_fix`` is the best a rule has for some finding, where its example shows less.
    """

    code: str
    severity: Severity
    summary: str
    why: str
    remedy: str
    example: str
    check: Callable[[Subject], Iterable[Finding]]
    group: Group
    places: tuple[Place, ...]
    example_path: str = "knowledge/example.md"
    kinds: frozenset[Kind] = frozenset({"markdown"})
    about: Callable[[Traits], bool] = any_file
    needs_catalog: bool = False
    skippable: bool = False
    default: bool = True
    best_fix: FixKind | None = None
    around: Mapping[str, str] = field(default_factory=dict)
