"""Refs in the spelling of earlier akm versions: ``type:name`` and ``origin//type:name``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from akm_ls.documents.frontmatter import Frontmatter
from akm_ls.documents.nodes import Scalar, scalar_items
from akm_ls.documents.occurrences import LIST_CHANNELS, TASK_KEYS, Channel
from akm_ls.documents.text import Span

MAX_LEGACY = 10_000

_TYPES = {
    "skill": "skills",
    "command": "commands",
    "agent": "agents",
    "knowledge": "knowledge",
    "instruction": "instructions",
    "memory": "memories",
    "lesson": "lessons",
    "session": "sessions",
    "fact": "facts",
    "workflow": "workflows",
    "script": "scripts",
    "env": "env",
    "secret": "secrets",
    "task": "tasks",
}
"""The directory that stands for a type in today's refs."""

_LAST_LETTERS = frozenset(name[-1] for name in _TYPES)
_LONGEST_TYPE = max(map(len, _TYPES))
_LONGEST_ORIGIN = 128

_WORD_BEFORE = re.compile(r"[A-Za-z]+\Z")
_ORIGIN_BEFORE = re.compile(r"[\w@.:+-]+(?:/[\w@.:+-]+)*\Z")
_NAME = re.compile(r"(?P<name>[^\W_](?:[\w.@-]|/(?!/))*)(?:#(?P<fragment>[\w-]+))?")
# Before the type or the origin these mean a longer word, a path, a variable or a URL.
_NOT_BEFORE = frozenset(":/.#$%&?@={<\\+-")
# Behind the name these mean a call, a pattern or a longer word: `task:run()`, `env:A=1`, `a:b:c`.
_NOT_AFTER = frozenset("(=:{<$%\\[#@&+~^")


@dataclass(frozen=True, slots=True)
class LegacyRef:
    """One such ref at its place; ``span`` covers it without quotes and punctuation."""

    span: Span
    channel: Channel
    origin: str | None
    type: str
    name: str
    fragment: str | None

    @property
    def concept_id(self) -> str:
        """The concept id as it would be spelled today."""
        return f"{_TYPES[self.type]}/{self.name}"


def legacy_in_prose(text: str, spans: Iterable[Span]) -> Iterator[LegacyRef]:
    """Those within ``spans`` of ``text``, wherever ``type:name`` stands as a word of its own."""
    for start, end in spans:
        at = text.find(":", start, end)
        while at >= 0:
            if text[at - 1] in _LAST_LETTERS:
                found = _at_colon(text, at, start, end)
                if found is not None:
                    yield found
                    at = found.span.end - 1
            at = text.find(":", at + 1, end)


def legacy_in_frontmatter(frontmatter: Frontmatter, *, tasks: bool) -> Iterator[LegacyRef]:
    """Those that are the whole value of a key which holds refs."""
    root = frontmatter.root
    for channel in LIST_CHANNELS:
        node = root.get(channel)
        if node is not None:
            for scalar in scalar_items(node):
                if ":" in scalar.text:
                    yield from _whole(scalar, channel)
    if tasks:
        for key in TASK_KEYS:
            value = root.get(key)
            if isinstance(value, Scalar):
                yield from _whole(value, "task")


def bounded(found: Iterable[LegacyRef]) -> tuple[LegacyRef, ...]:
    return tuple(islice(found, MAX_LEGACY))


def _whole(scalar: Scalar, channel: Channel) -> Iterator[LegacyRef]:
    text, inner = scalar.text, scalar.inner
    if scalar.style in ("|", ">") or inner.end - inner.start != len(text):
        return  # escaped, folded over lines, or a block: its place is not its text
    at = text.find(":")
    while at >= 0:
        found = _at_colon(text, at, 0, len(text))
        if found is not None:
            if found.span == (0, len(text)):
                span = Span(inner.start, inner.end)
                yield replace(found, span=span, channel=channel)
            return
        at = text.find(":", at + 1)


def _at_colon(text: str, at: int, start: int, end: int) -> LegacyRef | None:
    """The ref whose type ends at the colon ``at``."""
    if not text[at + 1 : at + 2].isalnum():
        return None
    word = _WORD_BEFORE.search(text[max(start, at - _LONGEST_TYPE - 1) : at])
    if word is None or word.group() not in _TYPES:
        return None
    begin = at - len(word.group())
    origin = None
    if text.startswith("//", begin - 2) and begin - 2 > start:
        before = _ORIGIN_BEFORE.search(text[max(start, begin - 2 - _LONGEST_ORIGIN) : begin - 2])
        if before is None:
            return None
        origin = before.group()
        begin -= len(origin) + 2
    if begin > start and (text[begin - 1] in _NOT_BEFORE or text[begin - 1].isalnum()):
        return None
    match = _NAME.match(text, at + 1, end)
    if match is None:
        return None
    name, stop = match.group("name"), match.end()
    if match.group("fragment") is None:
        bare = name.rstrip(".-/@")
        if bare.endswith("_") and text[begin - 1 : begin] == "_":
            bare = bare.rstrip("_")  # `_memory:x_` is emphasis
        stop -= len(name) - len(bare)
        name = bare
    if not name or ".." in name or text[stop : stop + 1] in _NOT_AFTER:
        return None
    fragment = match.group("fragment")
    return LegacyRef(Span(begin, stop), "prose", origin, word.group(), name, fragment)
