"""Open documents: what the author sees wins over what the disk holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from akm_ls.bundles.adapters import adapter_of
from akm_ls.bundles.bundle import Bundle
from akm_ls.bundles.citations import citations_of, may_cite
from akm_ls.bundles.entry import Citation, Entry
from akm_ls.bundles.reading import entry_from_text
from akm_ls.bundles.sensitive import is_secret
from akm_ls.documents.document import Document, kind_of, parse


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """One open document as of one version.

    ``path`` is canonical (`Workspace.canonical`). ``entry`` is the asset it would be if it were
    saved now; ``None`` outside every bundle and for files that are no asset.
    """

    path: str
    version: int | None
    document: Document
    bundle: Bundle | None = None
    rel: str = ""
    entry: Entry | None = None
    hidden: bool = False
    """A secret, or what leads to one: its text is in no answer."""

    @property
    def text(self) -> str:
        return self.document.text

    @property
    def citations(self) -> tuple[Citation, ...]:
        """What the index would know that it cites, if it were saved now."""
        if self.entry is not None:
            return self.entry.citations
        if self.bundle is None or not may_cite(adapter_of(self.bundle), self.rel):
            return ()
        return citations_of(self.document, self.bundle.adapter, self.rel)


def open_document(
    path: str,
    text: str,
    version: int | None,
    owner: tuple[Bundle, str] | None,
    *,
    hidden: bool = False,
) -> OpenDocument:
    """Read an open document's text; of a ``hidden`` one it is not kept."""
    if owner is None:
        return OpenDocument(path, version, parse(text, kind_of(path)))
    bundle, rel = owner
    if not hidden:
        document = parse(text, kind_of(path))
        entry = entry_from_text(bundle, rel, text, document=document)
    else:
        # A secret that somebody edits: its name is all there is to it.
        document = parse("", "other")
        entry = entry_from_text(bundle, rel, "", document=document) if is_secret(rel) else None
    return OpenDocument(path, version, document, bundle, rel, entry, hidden)


class OpenDocuments:
    """The open documents by canonical path."""

    def __init__(self) -> None:
        self._open: dict[str, OpenDocument] = {}

    def put(self, opened: OpenDocument) -> None:
        """Open a document, or give an open one its new text."""
        self._open[opened.path] = opened

    def remove(self, path: str) -> OpenDocument | None:
        return self._open.pop(path, None)

    def get(self, path: str) -> OpenDocument | None:
        return self._open.get(path)

    def text_of(self, path: str) -> str | None:
        opened = self._open.get(path)
        return None if opened is None else opened.text

    def __contains__(self, path: object) -> bool:
        return path in self._open

    def __iter__(self) -> Iterator[OpenDocument]:
        return iter(tuple(self._open.values()))

    def __len__(self) -> int:
        return len(self._open)
