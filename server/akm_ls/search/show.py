"""One asset, or one section of it, read as it is now (akm.md §7, §4.3–4.5)."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from akm_ls.bundles.entry import Entry
from akm_ls.bundles.reading import entry_from_text, read_entry
from akm_ls.documents.document import kind_of, parse
from akm_ls.documents.redaction import redact
from akm_ls.refs import Ref, RefError, parse_ref
from akm_ls.search.action import action_of
from akm_ls.search.library import Library, entry_of_stub
from akm_ls.search.lookup import by_place, find, instead, orientation
from akm_ls.search.payload import Shown, body_key, payload
from akm_ls.search.references import citing_assets
from akm_ls.search.result import SCHEMA_VERSION, estimate_tokens, file_uri

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle
    from akm_ls.documents.document import Document
    from akm_ls.documents.markdown import Heading
    from akm_ls.documents.text import LineIndex, PositionEncoding, Span
    from akm_ls.index.stub import Stub

MAX_CITING = 20
MAX_SUGGESTIONS = 3
MAX_RELATED = 10
_NOT_EDITABLE = (
    "This bundle is not to be edited: what is changed here is lost when it is fetched again. "
    "Copy the asset into a bundle of your own."
)
_MACHINE_FRAGMENT = re.compile(r"akm-fragment-[0-9]{1,9}-[0-9a-f]{12}\Z")

ShowErrorCode = Literal[
    "INVALID_REF",
    "ASSET_NOT_FOUND",
    "INVALID_FLAG_VALUE",
    "RESOURCE_ALREADY_EXISTS",
]


class ShowError(Exception):
    """A ref that cannot be shown. ``str(error)`` is the sentence for the user.

    ``code`` is akm's name for the kind of failure; ``suggestions`` are whole refs to try.
    """

    def __init__(
        self, code: ShowErrorCode, message: str, suggestions: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.code: ShowErrorCode = code
        self.suggestions = suggestions


@dataclass(frozen=True, slots=True)
class ShowResult:
    """An asset to show. ``fields`` are those of its type: content, keys, run, ...

    ``cited_by`` are the refs of the citing assets by bundle priority; ``section`` is set where a
    fragment was asked for. ``document`` is ``None`` for secrets and env files.
    """

    entry: Entry
    document: Document | None
    section: Heading | None
    fields: Mapping[str, Any]
    editable: bool
    cited_by: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    """The refs of the assets that it cites or that cite it."""
    warnings: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What is there to read: the body, the template, the prompt or the section; or nothing."""
        return str(self.fields.get(body_key(self.entry.type)) or "")

    def to_json(self, encoding: PositionEncoding = "utf-16") -> dict[str, Any]:
        """*ShowResult* of protocol.md; ``encoding`` is that of the ranges' characters."""
        entry = self.entry
        answer: dict[str, Any] = {
            "schemaVersion": SCHEMA_VERSION,
            "ref": entry.ref,
            "bundle": entry.bundle,
            "conceptId": entry.concept_id,
            "type": entry.type,
            "name": entry.name,
            "title": entry.title,
            "path": entry.path,
            "uri": file_uri(entry.path),
            "range": None,
            "origin": entry.bundle,
            "editable": self.editable,
            "editHint": None if self.editable else _NOT_EDITABLE,
            "action": action_of(entry),
            "description": entry.description,
            "whenToUse": entry.when_to_use or None,
            "tags": list(entry.tags),
            **{key: value for key, value in self.fields.items() if value is not None},
            "fragments": self._fragments(encoding),
            "xrefs": [c.text.strip() for c in entry.citations if c.channel == "xrefs"],
            "citedBy": {"total": len(self.cited_by), "refs": list(self.cited_by[:MAX_CITING])},
            "related": {"total": len(self.related), "hits": list(self.related[:MAX_RELATED])},
            "beliefState": entry.belief_state,
            "supersededBy": list(entry.superseded_by),
            "quality": entry.quality,
            "contentHash": entry.content_hash or None,
            "estimatedTokens": self._tokens(),
            "warnings": list(self.warnings),
        }
        if self.section is not None and self.document is not None:
            answer["fragment"] = self.section.slug
            answer["range"] = _range(self.document.lines, self.section.section, encoding)
        return answer

    def _fragments(self, encoding: PositionEncoding) -> list[dict[str, Any]]:
        if self.document is None:
            return []
        lines = self.document.lines
        return [
            {
                "slug": heading.slug,
                "title": heading.text,
                "level": heading.level,
                "range": _range(lines, heading.span, encoding),
            }
            for heading in self.document.headings
        ]

    def _tokens(self) -> int | None:
        if self.entry.type == "secret":
            return None
        if self.entry.type == "env":
            return estimate_tokens(len("\n".join(self.entry.keys)))
        if self.section is None and self.document is not None:
            return estimate_tokens(len(self.document.text))
        return estimate_tokens(len(self.text))


def show(library: Library, text: str, *, home: str | None = None) -> ShowResult:
    """Show what ``text`` names: ``[bundle//]conceptId[#fragment]`` or ``[bundle//]meta[:name]``.

    A short ref means the asset of bundle ``home``; without ``home``, that of the default bundle,
    else that of the first bundle that has one. The file is read afresh, and an open document
    wins over its file.

    Raises:
        ShowError: the ref is malformed, leads nowhere, or to more than one file.
    """
    text = text.strip()
    found_meta = orientation(library, text, home)
    if found_meta is not None:
        bundle, entry = found_meta
        return _result(library, bundle, entry, _document(library, entry), None)
    try:
        ref = parse_ref(text)
    except RefError as error:
        raise ShowError("INVALID_REF", str(error)) from error
    bundle, entry = _resolve(library, ref, home)
    return _present(library, bundle, entry, ref)


def show_path(library: Library, path: str) -> ShowResult | None:
    """Show the asset of a file, or ``None`` when the file is none."""
    stub = library.catalog.by_path(path)
    if stub is None:
        return None
    bundle = library.bundles.get(stub.bundle)
    if bundle is None:
        return None
    entry = _fresh(library, bundle, entry_of_stub(library.bundles, stub))
    return _present(library, bundle, entry, Ref(stub.bundle, stub.concept_id))


def _resolve(library: Library, ref: Ref, home: str | None) -> tuple[Bundle, Entry]:
    """The bundle and the current entry a ref leads to."""
    if ref.bundle is not None and library.bundles.get(ref.bundle) is None:
        ids = ", ".join(bundle.id for bundle in library.bundles) or "none"
        raise ShowError(
            "ASSET_NOT_FOUND",
            f'Bundle "{ref.bundle}" is not installed (known bundles: {ids}). '
            "Run `akm-ls doctor` to see why.",
            instead(library.catalog, ref, home, MAX_SUGGESTIONS),
        )
    stub = find(library, ref, home)
    if stub is None:
        placed = by_place(library, ref, home)
        if placed is None:
            raise ShowError(
                "ASSET_NOT_FOUND",
                f"No asset found for {ref.asset}. "
                "Check the name with `akm-ls search`, or run `akm-ls index` if the file is new.",
                instead(library.catalog, ref, home, MAX_SUGGESTIONS),
            )
        bundle, known = placed
        if isinstance(known, Entry):
            return bundle, known
        stub = known
    _refuse_rivals(library, stub)
    owner = library.bundles.get(stub.bundle)
    if owner is None or not _exists(library, stub.path):
        raise ShowError(
            "ASSET_NOT_FOUND",
            f"The file of {stub.ref} is gone ({stub.path}). Run `akm-ls index`.",
        )
    return owner, _fresh(library, owner, entry_of_stub(library.bundles, stub))


def _refuse_rivals(library: Library, stub: Stub) -> None:
    paths = sorted(library.catalog.claimants(stub.bundle, stub.concept_id))
    if len(paths) > 1:
        raise ShowError(
            "RESOURCE_ALREADY_EXISTS",
            f"{len(paths)} files claim {stub.ref}: {', '.join(paths)}. "
            "Rename or remove all but one of them.",
        )


def _exists(library: Library, path: str) -> bool:
    try:
        return os.path.isfile(path) or library.text_of(path) is not None
    except ValueError:
        return False


def _fresh(library: Library, bundle: Bundle, known: Entry) -> Entry:
    """The entry of the file as it is now; what was known where it cannot be read."""
    buffered = None if known.type == "secret" else library.text_of(known.path)
    if buffered is not None:
        return entry_from_text(bundle, known.rel, buffered) or known
    try:
        status = os.stat(known.path)
    except (OSError, ValueError):
        return known
    return read_entry(bundle, known.rel, status.st_size, status.st_mtime_ns).entry or known


def _present(library: Library, bundle: Bundle, entry: Entry, ref: Ref) -> ShowResult:
    document = _document(library, entry)
    if ref.fragment is None:
        return _result(library, bundle, entry, document, None)
    if document is None or document.kind != "markdown":
        raise ShowError(
            "INVALID_FLAG_VALUE",
            f"Fragments are not supported for {entry.concept_id}: "
            "they lead to the headings of Markdown files.",
        )
    if _MACHINE_FRAGMENT.match(ref.fragment):
        note = f"#{ref.fragment} is a machine's selector; the whole asset is shown."
        return _result(library, bundle, entry, document, None, note)
    section = document.fragment(ref.fragment)
    if section is None:
        raise _no_such_fragment(entry, document, ref.fragment)
    return _result(library, bundle, entry, document, section)


def _no_such_fragment(entry: Entry, document: Document, fragment: str) -> ShowError:
    # A heading that holds a key is not told of, and its slug is the key in lower case.
    slugs = [h.slug for h in document.headings if h.slug and not redact(h.text).count]
    listed = ", ".join(f"#{slug}" for slug in slugs) or "none"
    close = difflib.get_close_matches(fragment.lower()[:200], slugs, MAX_SUGGESTIONS, 0.5)
    # Where nothing is like it, the first headings are still where to look.
    close = close or slugs[:MAX_SUGGESTIONS]
    return ShowError(
        "ASSET_NOT_FOUND",
        f'Fragment "#{fragment}" not found in {entry.name}. Available fragments: {listed}.',
        tuple(f"{entry.ref}#{slug}" for slug in close),
    )


def _document(library: Library, entry: Entry) -> Document | None:
    """The text to show, parsed; ``None`` for what must not be read."""
    if entry.type in ("secret", "env"):
        return None
    text = library.read(entry.path)
    return None if text is None else parse(text, kind_of(entry.path))


def _result(
    library: Library,
    bundle: Bundle,
    entry: Entry,
    document: Document | None,
    section: Heading | None,
    *notes: str,
) -> ShowResult:
    warnings = list(notes)
    if document is None and entry.type not in ("secret", "env"):
        warnings.append("The file cannot be read.")
    frontmatter = document.frontmatter if document is not None else None
    if frontmatter is not None and frontmatter.problem is not None:
        warnings.append(f"The frontmatter is not valid YAML: {frontmatter.problem.message}")
    primary = library.bundles.default or next((other.id for other in library.bundles), None)
    shown = Shown(entry, document, section, primary=bundle.id == primary)
    citing = citing_assets(library, entry)
    return ShowResult(
        entry=replace(entry, content="", size=0) if entry.type == "secret" else entry,
        document=document,
        section=section,
        fields=payload(shown),
        editable=bundle.writable,
        cited_by=citing,
        related=tuple(dict.fromkeys((*_cited(library, entry), *citing))),
        warnings=tuple(warnings),
    )


def _cited(library: Library, entry: Entry) -> list[str]:
    """The refs of the assets that this one cites, in its order."""
    stubs = (find(library, Ref(c.bundle, c.concept_id), entry.bundle) for c in entry.citations)
    return [stub.ref for stub in stubs if stub is not None and stub.ref != entry.ref]


def _range(lines: LineIndex, span: Span, encoding: PositionEncoding) -> dict[str, Any]:
    start, end = lines.range(span, encoding)
    return {
        "start": {"line": start.line, "character": start.character},
        "end": {"line": end.line, "character": end.character},
    }
