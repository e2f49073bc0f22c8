"""The workspace as a plan sees it, and the files in which a name occurs."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from akm_ls.bundles.adapters import adapter_of
from akm_ls.bundles.adapters.layout import is_unreadable
from akm_ls.bundles.reading import read_text
from akm_ls.bundles.walker import list_bundles
from akm_ls.documents.document import Document, kind_of, parse
from akm_ls.documents.text import decode

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle, BundleSet
    from akm_ls.index.catalog import Catalog
    from akm_ls.workspace.open_documents import OpenDocument
    from akm_ls.workspace.workspace import Workspace

_ENDINGS = (".md", ".mdc", ".markdown", ".yml", ".yaml")


@dataclass(frozen=True, slots=True)
class Source:
    """A file that may cite: its text as the author sees it.

    ``path`` is canonical; ``version`` that of the open document, ``None`` for a file on disk.
    """

    path: str
    bundle: Bundle
    rel: str
    document: Document
    version: int | None = None
    is_open: bool = False

    @property
    def name(self) -> str:
        """What a message calls the file."""
        return f"{self.bundle.id}: {self.rel}"

    def is_damaged(self) -> bool:
        """Whether the file has bytes that an editor would not write back."""
        if self.is_open or "\ufffd" not in self.document.text:
            return False
        try:
            with open(self.path, "rb") as file:
                return decode(file.read()).invalid_utf8
        except OSError:
            return True


@dataclass(frozen=True, slots=True)
class View:
    """Assets, bundles and open documents at one moment.

    The catalog is the live one, which is read by single look-ups only: a plan that is made beside
    the event loop sees each asset as it was before or after some change, never in between.
    """

    catalog: Catalog
    bundles: BundleSet
    opened: Mapping[str, OpenDocument]

    def source(self, path: str) -> Source | None:
        """The file at a canonical path; ``None``: in no bundle, gone, or not to be read."""
        opened = self.opened.get(path)
        if opened is not None:
            return _of_open(opened)
        owner = self.bundles.relative(path)
        if owner is None or not _may_cite(*owner):
            return None
        text = read_text(*owner)
        return None if text is None else Source(path, *owner, parse(text, kind_of(path)))

    def document(self, path: str) -> Document | None:
        source = self.source(path)
        return None if source is None else source.document

    def canonical(self, path: str) -> str:
        """The one spelling of a path: below its bundle's real root."""
        owner = self.bundles.relative(path)
        if owner is None:
            return os.path.normpath(path)
        bundle, rel = owner
        return os.path.join(bundle.real_root, *rel.split("/")) if rel else bundle.real_root

    def sources_with(self, needles: Iterable[str], also: Collection[str] = ()) -> Iterator[Source]:
        """Every file that may hold one of some names, by bundle and path.

        Slashes and backslashes do not count in a name, percent escapes and Unicode forms are
        seen through: whoever asks parses the file and decides. Open documents and the files
        ``also`` are always among them. Reads every Markdown and YAML file of every bundle: the
        index has no links by path, and may be behind the disk.
        """
        wanted = _Needles(needles)
        given = set(self.opened)
        for opened in self.opened.values():
            source = _of_open(opened)
            if source is not None:
                yield source
        for bundle_id, walk in list_bundles(self.bundles, _citing).items():
            bundle = self.bundles.get(bundle_id)
            if bundle is None:
                continue
            for file in walk.files:
                path = os.path.join(bundle.real_root, *file.rel.split("/"))
                if path in given:
                    continue
                text = read_text(bundle, file.rel)
                if text is not None and (path in also or wanted.occur_in(text)):
                    yield Source(path, bundle, file.rel, parse(text, kind_of(path)))


def view_of(workspace: Workspace) -> View:
    """The workspace as it stands now; in the thread that owns it."""
    return View(
        workspace.catalog,
        workspace.bundles,
        {opened.path: opened for opened in workspace.documents},
    )


def _of_open(opened: OpenDocument) -> Source | None:
    if opened.bundle is None or not _may_cite(opened.bundle, opened.rel):
        return None
    return Source(
        opened.path, opened.bundle, opened.rel, opened.document, opened.version, is_open=True
    )


def _may_cite(bundle: Bundle, rel: str) -> bool:
    """Whether a file is one whose refs and links are kept right, by its path alone."""
    if not rel.lower().endswith(_ENDINGS):
        return False
    return not is_unreadable(rel) and adapter_of(bundle).reads(rel)


def _citing(bundle: Bundle) -> Callable[[str], bool]:
    return lambda rel: _may_cite(bundle, rel)


class _Needles:
    def __init__(self, names: Iterable[str]) -> None:
        found: dict[str, None] = {}
        for name in names:
            bare = name.replace("/", "").replace("\\", "")
            for form in ("NFC", "NFD"):
                found[bare if bare.isascii() else unicodedata.normalize(form, bare)] = None
        shortest_first = sorted((name for name in found if name), key=len)
        kept: list[str] = []
        for name in shortest_first:
            if not any(other in name for other in kept):
                kept.append(name)
        self._names = tuple(kept)

    def occur_in(self, text: str) -> bool:
        bare = text.replace("/", "").replace("\\", "")
        if any(name in bare for name in self._names):
            return True
        if "%" not in bare:
            return False
        plain = unquote(bare)
        return plain != bare and any(name in plain for name in self._names)
