"""One workspace: which bundles are open, what is known of them, what the author is typing."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from akm_ls.bundles.bundle import Bundle
from akm_ls.bundles.reading import read_text
from akm_ls.bundles.sensitive import is_secret, is_sensitive
from akm_ls.documents.document import Document, kind_of, parse
from akm_ls.index.catalog import Catalog
from akm_ls.index.delta import Delta
from akm_ls.index.store import Store, StoreError
from akm_ls.index.stub import Stub, stub_of
from akm_ls.lint.bundle_settings import BundleSettingsFiles
from akm_ls.lint.engine import CODES, lint
from akm_ls.lint.finding import Finding
from akm_ls.lint.rule import Subject, Surroundings
from akm_ls.lint.settings import LintSettings
from akm_ls.refs import Ref
from akm_ls.search.library import Library
from akm_ls.search.references import LocatedCitation, OpenCitations, references
from akm_ls.search.request import SearchRequest
from akm_ls.search.result import SearchResult
from akm_ls.search.search import search
from akm_ls.search.show import ShowResult, show
from akm_ls.search.symbols import Symbols
from akm_ls.workspace.beside import BesideChanged, xrefs_of
from akm_ls.workspace.check_run import CheckRun
from akm_ls.workspace.checking import FileFindings, check
from akm_ls.workspace.command_finder import FinderOfSettings
from akm_ls.workspace.dependence import Dependence
from akm_ls.workspace.indexed_bundles import IndexedBundles, never, nothing
from akm_ls.workspace.open_documents import OpenDocument, OpenDocuments, open_document
from akm_ls.workspace.searching import Searching
from akm_ls.workspace.settings import Settings
from akm_ls.workspace.status import status_of
from akm_ls.workspace.store_pool import StorePool
from akm_ls.workspace.surroundings import OpenSurroundings
from akm_ls.workspace.usage import Usage
from akm_ls.workspace.words import KnownWords

if TYPE_CHECKING:
    from akm_ls.search.commands import CommandFinder

__all__ = ["FileFindings", "Workspace"]

logger = logging.getLogger(__name__)

_FOLDERS_NAMED = 3


def _is_there(bundle: Bundle, rel: str) -> bool:
    return os.path.lexists(bundle.path_of(rel))


class Workspace(IndexedBundles):
    """Bundles, index, catalog and open documents as one thing.

    Not thread-safe: one thread owns it. `index` and `searcher` are the two ways to work in
    another thread; they share nothing with the workspace but the database file.

    Paths given to and returned by it are canonical: ``bundle.real_root`` plus the path in the
    bundle. `canonical` and `display_path` translate.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        super().__init__(settings)
        self.symbols = Symbols(self.catalog)
        self.dependence = Dependence(self.catalog)
        self.documents = OpenDocuments()
        self.surroundings = OpenSurroundings(self)
        self.words = KnownWords(self)
        self.bundle_settings = BundleSettingsFiles(CODES)
        self.stores = StorePool()
        self._searching = Searching()
        self._finder = FinderOfSettings()
        self.usage = Usage(lambda: (self.settings, self.data_dir))
        self.resolve()

    @classmethod
    def open(cls, settings: Settings | None = None) -> Workspace:
        """A workspace whose catalog holds what the index knew when it was last written."""
        workspace = cls(settings)
        workspace.load()
        return workspace

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self.stores.close()
        self.usage.close()

    def resolve(self) -> bool:
        self._searching.forget_settings()
        return super().resolve()

    def _followed(self, delta: Delta) -> Delta:
        self.words.follow(delta)
        return delta

    def _refilled(self) -> None:
        self.words.forget()

    # Documents.

    def put(self, path: str, text: str, version: int | None = None) -> Delta:
        """A document was opened or changed; what that changes for all the others."""
        return self.take_document(self.read_document(path, text, version))

    def read_document(self, path: str, text: str, version: int | None = None) -> OpenDocument:
        """What an open document with this text is; may run in any thread."""
        path = self.canonical(path)
        before = self.documents.get(path)
        hidden = self._is_hidden(path) if before is None else before.hidden
        return open_document(path, text, version, self.bundles.relative(path), hidden=hidden)

    def take_document(self, opened: OpenDocument) -> Delta:
        """`put` of a document that has been read already."""
        path = opened.path
        before = self.documents.get(path)
        self.documents.put(opened)
        if opened.bundle is None:
            # Of a bundle that is not open any more it may have been one.
            return self._followed(self.catalog.drop_overlay(path))
        stubs = [stub_of(opened.entry)] if opened.entry else []
        delta = self._followed(self.catalog.overlay(path, stubs))
        cited = frozenset() if before is None else xrefs_of(before) ^ xrefs_of(opened)
        return replace(delta, cited=cited) if cited else delta

    def _is_hidden(self, path: str) -> bool:
        """Whether a file, or what a symlink leads to, is never to be read (as in the index)."""
        for place in (self.bundles.relative(path), self.bundles.relative(os.path.realpath(path))):
            if place is None:
                continue
            bundle, rel = place
            if is_secret(rel) or is_sensitive(rel, partial(_is_there, bundle)):
                return True
        return False

    def drop(self, path: str) -> Delta:
        """A document was closed: the disk counts again."""
        path = self.canonical(path)
        if self.documents.remove(path) is None:
            return Delta()
        return self._followed(self.catalog.drop_overlay(path))

    def reopen(self) -> None:
        """Lay the open documents over the catalog again, after the bundles have changed."""
        for opened in self.documents:
            owner = self.bundles.relative(opened.path)
            if owner is not None and owner == (opened.bundle, opened.rel):
                self.take_document(opened)
            else:
                self.put(opened.path, opened.text, opened.version)

    def document(self, path: str) -> Document | None:
        """The document at a path, open or on disk.

        ``None``: in no bundle, gone, too large, or a secret.
        """
        path = self.canonical(path)
        opened = self.documents.get(path)
        if opened is not None:
            return opened.document
        owner = self.bundles.relative(path)
        text = None if owner is None else read_text(*owner)
        return None if text is None else parse(text, kind_of(path))

    # Findings.

    @property
    def complete_catalog(self) -> Catalog | None:
        """The catalog once every bundle has been read; until then rules that need it wait."""
        return self.catalog if self.catalog.is_complete() else None

    def findings(self, path: str) -> tuple[Finding, ...]:
        """The findings of one open document; none outside every bundle."""
        opened = self.documents.get(self.canonical(path))
        if opened is None or opened.bundle is None:
            return ()
        return self.findings_in(opened.document, opened.path, opened.bundle, opened.rel)

    def findings_in(
        self,
        document: Document,
        path: str,
        bundle: Bundle,
        rel: str,
        *,
        around: Surroundings | None = None,
    ) -> tuple[Finding, ...]:
        """The findings of any document of a bundle; ``around`` is what the rules see of others."""
        return lint(self.subject(document, path, bundle, rel, around=around))

    def subject(
        self,
        document: Document,
        path: str,
        bundle: Bundle,
        rel: str,
        *,
        around: Surroundings | None = None,
        settings: LintSettings | None = None,
    ) -> Subject:
        """A document as the rules see it; ``settings`` if those of the bundle are at hand."""
        return Subject(
            document,
            path,
            rel,
            bundle,
            self.bundles,
            self.complete_catalog,
            settings or self.bundle_settings.over(self.settings.lint, bundle),
            around or self.surroundings,
        )

    def unusable_sources(self) -> tuple[str, ...]:
        """Configuration files and named directories that cannot be used, and what holds then."""
        bundles = self.bundles
        stays = "no bundle is open"
        if bundles.bundles and self.settings.bundle_dirs:
            stays = "the others are used"
        elif bundles.bundles:
            stays = "only bundles from elsewhere are open"
        return tuple(f"{problem.rstrip('.')}; {stays}." for problem in bundles.unusable)

    def nothing_open(self) -> str | None:
        """Why nothing happens, where no bundle is open."""
        if len(self.bundles):
            return None
        folders = self.settings.folders
        named = ", ".join(folders[:_FOLDERS_NAMED]) + (
            ", …" if len(folders) > _FOLDERS_NAMED else ""
        )
        opened = f"{named} is none that akm-ls knows" if folders else "no folder is open"
        return (
            f"No bundle is open: {opened}, and none is configured. `akm-ls doctor` says why, "
            "and the setting akm.bundleDirs names one."
        )

    def settings_problems(self) -> tuple[str, ...]:
        """What cannot be used of the bundles' own settings, each with its file and key."""
        return tuple(map(str, self.bundle_settings.problems(self.bundles)))

    def affected(self, delta: Delta) -> tuple[OpenDocument, ...]:
        """The open documents whose findings may differ after ``delta``."""
        if delta.is_empty:
            return ()
        if delta.complete:
            return tuple(self.documents)
        concepts = self.dependence.concepts(delta)
        contested = {path for claim in delta.claims for path in claim.paths}
        contested |= {
            stub.path
            for claim in delta.claims
            if (stub := self.catalog.get(claim.bundle, claim.concept_id)) is not None
        }
        beside = BesideChanged(delta, self.catalog)
        return tuple(
            opened
            for opened in self.documents
            if opened.path in contested
            or (opened.bundle is not None and beside.touches(opened.path, opened.bundle.id))
            or (opened.entry and (opened.entry.bundle, opened.entry.concept_id) in delta.refs)
            or not concepts.isdisjoint(opened.document.cited)
        )

    def check(
        self,
        paths: Sequence[str] = (),
        *,
        check_run: CheckRun | None = None,
        on_progress: Callable[[int, int, str], None] = nothing,
        cancelled: Callable[[], bool] = never,
        alone: bool = False,
    ) -> Generator[FileFindings, None, None]:
        """The findings of files on disk: of all bundles, or of some files and directories.

        ``check_run`` is what `refresh` was given just before.
        ``alone``: in this process only, for one that must not be forked.
        """
        return check(self, paths, check_run, on_progress, cancelled, alone=alone)

    # Questions.

    def prepare_search(self) -> None:
        """Load the model and its vectors before the first search; in any thread, after `embed`."""
        try:
            with Store(self.store_path, self.bundles) as store:
                index = self._searching.semantic(self.settings)
                if index.state(store).is_usable:
                    index.prepare(store)
        except StoreError as problem:
            logger.info("%s", problem)

    def retry_semantic_search(self) -> None:
        """Let the next search ask a model that failed a moment ago; from any thread."""
        self._searching.semantic(self.settings).forget_failure()

    def library(self, store: Store | None = None) -> Library:
        """What searching reads from. In another thread, give it a store of that thread."""
        return Library(
            store if store is not None else self.store,
            self.catalog,
            self.bundles,
            self.documents.text_of,
            self._searching.semantic(self.settings),
            self.usage.lookup(),
        )

    @property
    def search_defaults(self) -> SearchRequest:
        """The request that one which says nothing means: plan, fusion and project."""
        return self._searching.defaults(self.settings)

    def library_without_index(self) -> Library:
        """`library` for when the index file cannot be used: the catalog has to do."""
        return Library(
            None,
            self.catalog,
            self.bundles,
            self.documents.text_of,
            utility=self.usage.lookup(),
        )

    def search(self, request: SearchRequest, cancelled: Callable[[], bool] = never) -> SearchResult:
        return search(self.library(), request, cancelled=cancelled)

    @property
    def commands(self) -> CommandFinder:
        """Finds commands of the server and of the bundles; kept, because it learns them once."""
        return self._finder.for_settings(self.settings)

    def show(self, ref: str, home: str | None = None) -> ShowResult:
        """One asset, or one section of it.

        Raises:
            ShowError: when there is no such asset or section.
        """
        return show(self.library(), ref, home=home)

    def references(self, ref: Ref, home: str | None = None) -> tuple[LocatedCitation, ...]:
        """Every citation of an asset, those in open documents as they stand now."""
        return references(self.library(), ref, home=home, overlay=self.open_citations())

    def citing_paths(self, concept_id: str) -> frozenset[str]:
        """The files that cite an asset by that spelling, in whatever bundle, as the index knows."""
        store = self.store
        try:
            places = () if store is None else store.citations_to(concept_id)
        except StoreError:
            places = ()
        return frozenset(place.path for place in places)

    def citation_count(self, stub: Stub) -> int:
        """How often an asset is cited: the number of its `references`."""
        try:
            return len(self.references(Ref(stub.bundle, stub.concept_id)))
        except StoreError:
            return 0

    def heading_line(self, stub: Stub, fragment: str) -> int | None:
        """The 0-based line of a heading, without reading a file that is not open."""
        opened = self.documents.get(stub.path)
        if opened is not None:
            heading = opened.document.fragment(fragment)
            return None if heading is None else heading.line
        store = self.store
        try:
            known = () if store is None else store.fragments(stub.bundle, stub.concept_id)
        except StoreError:
            known = ()
        return next((item.line for item in known if item.slug == fragment), None)

    def open_citations(self) -> dict[str, OpenCitations]:
        """What every open document of a bundle cites, by path."""
        found: dict[str, OpenCitations] = {}
        for opened in self.documents:
            if opened.bundle is not None:
                held = self.catalog.by_path(opened.path)
                source = opened.path if held is None else held.ref
                found[opened.path] = OpenCitations(source, opened.bundle.id, opened.citations)
        return found

    def stub_at(self, path: str) -> Stub | None:
        """The asset that the file at a path is."""
        return self.catalog.by_path(self.canonical(path))

    def status(self) -> dict[str, Any]:
        """The answer to ``akm/status`` (protocol.md)."""
        return status_of(self)
