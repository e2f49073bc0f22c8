"""What the frontmatter schema says, as values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from akm_ls.bundles.schema.spelling import likely

Sureness = Literal["high", "medium", "low"]
Level = Literal["error", "warning", "hint"]

TEXTS = frozenset(("string", "ref", "date"))
"""Types of which every text is."""


@dataclass(frozen=True, slots=True)
class Key:
    """One frontmatter key of one kind of file.

    ``name`` is dotted for a key inside a map (``metadata.internal``) and has ``[]`` for one inside
    a list of maps (``handoffs[].label``). ``types`` are alternatives: ``string``, ``bool``,
    ``int``, ``number``, ``map``, ``ref``, ``any``, ``list<T>`` or ``map<string,T>``. ``values`` is
    a closed set, ``suggestions`` an open one for completion; ``accepted`` are old values that
    still work. ``minimum`` and ``maximum`` count characters (code points) of a text and bound a
    number. ``pattern`` is a regular expression for the whole value, ``pattern_says`` its words.
    ``only_with`` is the key and value without which this key has no effect. ``replacement`` is
    what to write instead of a key that is no longer, or never was, read. ``judged_by`` names the
    lint rule with an eye of its own on this key's value. ``advice`` is one or two sentences of
    Markdown for a hover.
    """

    name: str
    types: tuple[str, ...]
    advice: str
    read_by: frozenset[str] = frozenset()
    required_by: frozenset[str] = frozenset()
    values: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    pattern: str | None = None
    pattern_says: str = ""
    default: str | None = None
    only_with: tuple[str, str] | None = None
    replacement: str | None = None
    subkeys: tuple[str, ...] = ()
    judged_by: str | None = None
    on_wrong_type: Level = "warning"
    on_wrong_value: Level = "warning"
    managed: bool = False
    sure: Sureness = "high"
    restricts: bool = field(init=False, repr=False, compare=False)
    """Whether not every value of the right type will do."""
    takes_text: bool = field(init=False, repr=False, compare=False)
    """Whether any text is of the right type."""

    def __post_init__(self) -> None:
        bounded = self.minimum is not None or self.maximum is not None
        restricts = bool(self.values or self.pattern or self.only_with or bounded)
        object.__setattr__(self, "restricts", restricts)
        takes_text = "any" in self.types or not TEXTS.isdisjoint(self.types)
        object.__setattr__(self, "takes_text", takes_text)

    @property
    def item_types(self) -> tuple[str, ...]:
        """What the items of a list may be, where the value may be one."""
        lists = (kind[len("list<") : -1] for kind in self.types if kind.startswith("list<"))
        return tuple(item for items in lists for item in items.split("|"))

    @property
    def is_top_level(self) -> bool:
        return "." not in self.name


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file, such as a skill or a Claude Code agent.

    ``title`` is its name with an article. ``envelope`` kinds also have the keys every akm asset
    may have; ``open`` kinds are free to hold other keys. ``strict_for`` is the tool that refuses
    a file with a key it does not know. ``body_max`` is the most characters the whole file may
    have. ``judged_by`` names the lint rule that judges all keys of the kind.
    """

    id: str
    title: str
    keys: Mapping[str, Key]
    envelope: bool = False
    open: bool = False
    strict_for: str | None = None
    body_max: int | None = None
    judged_by: str | None = None


class Definition(NamedTuple):
    """What the tools that read a file in one place say about one key."""

    keys: tuple[Key, ...]
    """Each kind's own word."""
    of_text: tuple[Key, ...]
    """Those of them that allow any text."""
    takes_scalars: bool
    """Whether one of them allows any list of scalars: in one of texts a number is read as one."""
    takes_texts: bool
    """Whether one of them allows any list of texts."""
    restricts: bool
    """Whether to one of them not every value of the right type will do."""
    is_settled: bool
    """Whether nobody minds the key: some tool reads it and none has another in its place, or it
    is the author's own where keys are free."""


_UNDEFINED = Definition((), (), False, False, False, False)
_FREE = Definition((), (), False, False, False, True)
_MAX_NAMES = 1_000


@dataclass(frozen=True, slots=True)
class Place:
    """What a file is, by its path: the kinds it may be, and the tools that read it there.

    ``own_kinds`` are its own, ``kinds`` has the akm envelope after them where it applies.
    """

    own_kinds: tuple[Kind, ...]
    envelope: Kind | None
    hosts: frozenset[str]
    kinds: tuple[Kind, ...] = field(init=False, repr=False, compare=False)
    is_judged: bool = field(init=False, repr=False, compare=False)
    """Whether other rules judge all the keys."""
    _definitions: dict[str, Definition] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _unlike: dict[str, bool] = field(default_factory=dict, init=False, repr=False, compare=False)
    _all: dict[str, Key] = field(default_factory=dict, init=False, repr=False, compare=False)
    _current: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
    _narrowed: dict[frozenset[str], Place] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        kinds = self.own_kinds if self.envelope is None else (*self.own_kinds, self.envelope)
        object.__setattr__(self, "kinds", kinds)
        object.__setattr__(self, "is_judged", all(kind.judged_by for kind in self.own_kinds))

    @property
    def kind(self) -> Kind:
        """The first kind: the one to name to people."""
        return self.own_kinds[0]

    @property
    def open(self) -> bool:
        return any(kind.open for kind in self.own_kinds)

    def narrowed(self, hosts: frozenset[str] | None) -> Place:
        """The same place for fewer tools; the specification counts as read everywhere."""
        if hosts is None:
            return self
        kept = self.hosts & (hosts | {"spec"})
        narrowed = self._narrowed.get(kept)
        if narrowed is None:
            narrowed = self._narrowed[kept] = Place(self.own_kinds, self.envelope, kept)
        return narrowed

    def definitions(self, name: str) -> tuple[Key, ...]:
        """What the tools that read the file here say about a key, each kind's own word."""
        return self.definition(name).keys

    def definition(self, name: str) -> Definition:
        """The same with what follows from it; `Definition.keys` may be empty."""
        # Every file asks for the same few keys.
        found = self._definitions.get(name)
        if found is None:
            known = self.known(name)
            keys = tuple(key for key in known if key.read_by & self.hosts)
            if not keys:
                found = _FREE if not known and self._is_free(name) else _UNDEFINED
            else:
                found = Definition(
                    keys,
                    tuple(key for key in keys if key.takes_text),
                    any("string" in key.item_types for key in keys),
                    not all(TEXTS.isdisjoint(key.item_types) for key in keys),
                    any(key.restricts for key in keys),
                    not any(key.replacement for key in keys),
                )
            if len(self._definitions) < _MAX_NAMES:
                self._definitions[name] = found
        return found

    def _is_free(self, name: str) -> bool:
        """Whether a key that nobody knows may stand here: it is no slip, and no tool refuses it."""
        return self.open and self.kind.strict_for not in self.hosts and self.is_unlike(name)

    def is_unlike(self, name: str) -> bool:
        """Whether ``name`` is no misspelling of any of `current_keys`."""
        unlike = self._unlike.get(name)
        if unlike is None:
            unlike = likely(name, self.current_keys()) is None
            if len(self._unlike) < _MAX_NAMES:
                self._unlike[name] = unlike
        return unlike

    def known(self, name: str) -> tuple[Key, ...]:
        """The same, whoever reads it: also keys that are in the schema because none does."""
        return tuple(key for kind in self.kinds if (key := kind.keys.get(name)) is not None)

    def all_keys(self) -> Collection[Key]:
        """Every key some tool reads here, once by name; of two kinds the first one's word."""
        if not self._all:
            for kind in self.kinds:
                for key in kind.keys.values():
                    if key.read_by & self.hosts:
                        self._all.setdefault(key.name, key)
        return self._all.values()

    def current_keys(self) -> Sequence[str]:
        """The names of those that stand at the top and are not out of use, in their order."""
        if not self._current:
            self._current[:] = [
                key.name for key in self.all_keys() if key.is_top_level and not key.replacement
            ]
        return self._current


@dataclass(frozen=True, slots=True)
class DirectoryPlace:
    """Files below ``directory`` (POSIX, such as ``.claude/skills``) that end in ``ends``."""

    directory: str
    kinds: tuple[str, ...]
    hosts: frozenset[str]
    ends: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NamePlace:
    """Files whose path ends in one of ``ends``, wherever they lie."""

    ends: tuple[str, ...]
    kinds: tuple[str, ...]
    hosts: frozenset[str]


@dataclass(frozen=True, slots=True)
class AssetPlace:
    """Files of one asset type in no tool's own directory."""

    kinds: tuple[str, ...]
    hosts: frozenset[str]


@dataclass(frozen=True, slots=True)
class Schema:
    """Everything in ``frontmatter.json``. ``hosts`` maps a tool's id to its name for people."""

    hosts: Mapping[str, str]
    kinds: Mapping[str, Kind]
    directories: Mapping[str, DirectoryPlace]
    names: tuple[NamePlace, ...]
    assets: Mapping[str, AssetPlace]

    def host_names(self, hosts: frozenset[str]) -> str:
        """Tools in words, in the order of the schema: ``Claude Code, VS Code and Cursor``."""
        names = [name for host, name in self.hosts.items() if host in hosts]
        if len(names) < 2:
            return "".join(names)
        return f"{', '.join(names[:-1])} and {names[-1]}"
