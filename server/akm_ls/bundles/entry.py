"""What is known about one asset: the value that goes into the index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from akm_ls.documents.nodes import Plain


class FragmentInfo(NamedTuple):
    """One heading an asset can be cited by.

    ``start`` is the offset of the heading line, ``end`` of its section's end (``str`` offsets in
    the file); ``line`` is 0-based.
    """

    slug: str
    title: str
    level: int
    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value the asset asks for: a frontmatter ``params`` key or a placeholder of its body."""

    name: str
    description: str = ""


class Citation(NamedTuple):
    """One reference to an asset: the target as normalised, and where it stands.

    The fields are those of the index's rows, in their order: a large bundle has many of these.
    """

    bundle: str | None
    """As written; ``None`` for a bare concept id."""
    concept_id: str
    fragment: str | None
    channel: str
    spelling: str | None
    """As written, where that is not the usual spelling of the ref: see `text`."""
    start: int
    end: int
    line: int
    """0-based, as are the columns on it: with them a location needs no read."""
    utf8_start: int
    utf8_end: int
    utf16_start: int
    utf16_end: int

    @property
    def text(self) -> str:
        """As written."""
        return spelled(*self[:3]) if self.spelling is None else self.spelling

    @property
    def columns(self) -> tuple[int, int, int, int]:
        """(utf-8 start, utf-8 end, utf-16 start, utf-16 end)."""
        return self[8:]


def spelled(bundle: str | None, concept_id: str, fragment: str | None) -> str:
    """The usual spelling of a ref."""
    text = concept_id if bundle is None else f"{bundle}//{concept_id}"
    return text if fragment is None else f"{text}#{fragment}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One indexed asset. Never holds a secret's content or an env value."""

    bundle: str
    concept_id: str
    type: str
    name: str
    adapter: str
    path: str
    """Absolute, native."""
    rel: str
    """Relative to the bundle root, POSIX."""
    title: str | None = None
    description: str = ""
    tags: tuple[str, ...] = ()
    """Normalised: lower case, blanks for ``-`` and ``_``, no duplicates."""
    aliases: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    when_to_use: str = ""
    content: str = ""
    """The body as searchable text, bounded; ``""`` where a body must not be indexed."""
    fragments: tuple[FragmentInfo, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    citations: tuple[Citation, ...] = ()
    belief_state: str | None = None
    superseded_by: tuple[str, ...] = ()
    quality: str = "generated"
    category: str | None = None
    confidence: float = 0.55
    source: str = "filename"
    """Where the description came from: filename, package, comments or frontmatter."""
    keys: tuple[str, ...] = ()
    """Names of an env file's variables; no values."""
    extra: Mapping[str, Plain] = field(default_factory=dict)
    """Everything else worth keeping (run, agent, model, scope, ...), JSON-able."""
    content_hash: str = ""
    """``sha256:<hex>`` of the bytes; ``""`` for secrets, which are never opened."""
    size: int = 0
    mtime_ns: int = 0

    @property
    def ref(self) -> str:
        return f"{self.bundle}//{self.concept_id}"
