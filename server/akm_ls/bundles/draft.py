"""An entry in the making, and the spellings of words and tags that go into it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from akm_ls.bundles.entry import Parameter
from akm_ls.documents.nodes import Plain

_CAMEL = re.compile(r"([a-z0-9])([A-Z])")
_SEPARATORS = re.compile(r"[-_]+")
_TOKEN_BREAKS = re.compile(r"[-_.]+")


@dataclass(slots=True)
class Draft:
    """What the phases have gathered so far. Lists may hold duplicates until the end."""

    type: str
    name: str
    """The canonical name, with its directories."""
    stem: str
    """The file's name without its extension."""
    description: str = ""
    source: str = "filename"
    confidence: float = 0.55
    tags: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    when_to_use: str = ""
    parameters: dict[str, Parameter] = field(default_factory=dict)
    belief_state: str | None = None
    superseded_by: tuple[str, ...] = ()
    quality: str = "generated"
    category: str | None = None
    scope: dict[str, str] = field(default_factory=dict)
    extra: dict[str, Plain] = field(default_factory=dict)
    body_hidden: bool = False
    """The body may not be searched or shown as a summary: sessions and their checkpoints."""

    def describe(self, description: str, source: str, confidence: float) -> None:
        self.description = description
        self.source = source
        self.confidence = confidence

    def ask_for(self, name: str, description: str = "") -> None:
        """Note a parameter; the first mention of a name with a description wins."""
        known = self.parameters.get(name)
        if known is None or (description and not known.description):
            self.parameters[name] = Parameter(name, description)


def normalise_tag(text: str) -> str:
    """Lower case, runs of ``-``, ``_`` and white space become one blank."""
    # For a few characters `str.translate` takes four times as long.
    return " ".join(text.lower().replace("-", " ").replace("_", " ").split())


def tokens(name: str) -> list[str]:
    """The words of one path segment that are long enough to be tags."""
    return [word for word in _TOKEN_BREAKS.split(name.lower()) if len(word) > 1]


def words(name: str) -> str:
    """A file name as words: ``deployNotes_v2`` is ``deploy notes v2``."""
    return _SEPARATORS.sub(" ", _CAMEL.sub(r"\1 \2", name)).strip().lower()


def stem_of(filename: str) -> str:
    """``notes.md`` without its extension; a name that only has one (``.env``) is kept."""
    dot = filename.rfind(".")
    return filename[:dot] if dot > 0 else filename
