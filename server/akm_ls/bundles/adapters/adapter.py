"""What one bundle format must be able to say about its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from akm_ls.documents.document import Document


class Recognition(NamedTuple):
    """An asset that was recognised: its id in the bundle, its type and its display name."""

    concept_id: str
    type: str
    name: str


class Adapter(Protocol):
    """One bundle format. Paths (``rel``) are POSIX and relative to the bundle's root."""

    @property
    def id(self) -> str:
        """The format's name in akm's configuration, for example ``agent-skills``."""
        ...

    def probe(self, root: str) -> bool:
        """Whether a directory looks like a root of this format. Never raises."""
        ...

    def wants(self, rel: str) -> bool:
        """Whether a file could be an asset, by its path alone."""
        ...

    def reads(self, rel: str) -> bool:
        """Whether a file's content may be opened; ``False`` for secrets."""
        ...

    def recognise(self, rel: str, document: Document | None) -> Recognition | None:
        """The asset a file is, or ``None``; ``document`` is ``None`` where `reads` forbids it."""
        ...
