"""One file as the rows it becomes, and rows as values again.

`prepare` runs in worker processes; what it returns is made of plain tuples, so that it can be
marshalled. Everything that can be computed outside the write transaction is computed here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from akm_ls.bundles.entry import Citation, Entry, FragmentInfo, Parameter
from akm_ls.bundles.reading import read_entry
from akm_ls.bundles.sensitive import is_secret
from akm_ls.index.fields import (
    embed_hash_of,
    fields_without_secrets,
    search_fields,
    search_text,
)
from akm_ls.index.stub import Stub, marks_of, pack_fragments, shorten

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle
    from akm_ls.documents.document import Document

ENTRY_COLUMNS = (
    "concept_id, rel, type, name, title, description, tags, slugs, belief_state, superseded_by,"
    " when_to_use, quality, marks"
)
"""What `stub_from_row` reads, in this order, from ``entries``."""

CITATION_COLUMNS = (
    'c.bundle, c.concept_id, c.fragment, c.channel, c.text, c.start, c."end", c.line,'
    " c.utf8_start, c.utf8_end, c.utf16_start, c.utf16_end"
)
"""What `citation_from_row` reads, in this order, from ``citations AS c``, or the files' own."""

FRAGMENT_COLUMNS = 'slug, title, level, line, start, "end"'


class PreparedEntry(NamedTuple):
    """An asset's rows without its id. ``stub`` is in the order of `ENTRY_COLUMNS`."""

    stub: tuple[Any, ...]
    embed_hash: str
    document: str
    fields: tuple[str, ...]
    fragments: Sequence[tuple[Any, ...]]
    citations: Sequence[tuple[Any, ...]]

    @property
    def concept_id(self) -> str:
        concept_id: str = self.stub[0]
        return concept_id

    @property
    def rel(self) -> str:
        rel: str = self.stub[1]
        return rel


class PreparedFile(NamedTuple):
    """A file that was read: its row in ``files``, and its asset's rows if it is one.

    ``citations`` are rows of a file that is no asset.
    """

    rel: str
    size: int
    mtime_ns: int
    racy: int
    content_hash: str
    warning: str | None
    entry: PreparedEntry | None
    citations: Sequence[tuple[Any, ...]] = ()

    @property
    def concept_id(self) -> str | None:
        return None if self.entry is None else self.entry.concept_id

    @property
    def cites(self) -> Sequence[tuple[Any, ...]]:
        """The rows of everything the file cites, whether it is an asset or not."""
        return self.citations if self.entry is None else self.entry.citations


def prepared(raw: Any) -> PreparedFile:
    """A `PreparedFile` from the plain tuple that `prepare` made."""
    *row, entry, citations = raw
    entry = None if entry is None else PreparedEntry(*entry)
    return PreparedFile._make((*row, entry, citations))


def prepare(
    bundle: Bundle,
    rel: str,
    size: int,
    mtime_ns: int,
    racy: int = 0,
    keep: Callable[[Document], None] = lambda document: None,
    *,
    for_model: bool = False,
    walked: bool = False,
) -> tuple[Any, ...]:
    """Read one file and turn it into rows, as plain nested tuples in `PreparedFile`'s order.

    Never raises: what goes wrong with one file becomes its warning. ``keep`` is given what was
    parsed on the way. ``for_model``: the searched fields without the secrets in them.
    ``walked``: see `read_entry`.
    """
    try:
        result = read_entry(bundle, rel, size, mtime_ns, walked=walked)
        entry = None if result.entry is None else _entry_rows(result.entry)
        if for_model and entry is not None and result.entry is not None:
            fields = fields_without_secrets(result.entry, result.document)
            entry = entry if fields is None else PreparedEntry(*entry)._replace(fields=fields)
        citations = _citation_rows(result.citations)
        warning, content_hash = result.warning, result.content_hash
        if result.document is not None:
            keep(result.document)
    except Exception as problem:
        # Only the kind of error: its text may quote the file.
        entry, content_hash, citations = None, "", ()
        warning = f"Skipped {rel}: reading it failed ({type(problem).__name__})"
    if warning and not content_hash:
        racy = 1  # what was in the way may go without a trace in the file's time
    # Not even the size of a secret is kept.
    size = 0 if is_secret(rel) else size
    row = (rel, size, mtime_ns, racy, content_hash, warning, entry, citations)
    return row if entry is None or _is_storable(entry) else _storable(row)


def _is_storable(entry: tuple[Any, ...]) -> bool:
    """Whether an asset's texts can be written as UTF-8.

    A file's own text is UTF-8; a lone surrogate can only come from an escape in a YAML string,
    and those are in the searchable fields or in the document.
    """
    _, _, document, fields, _, _ = entry
    try:
        for text in (document, *fields):
            if not text.isascii():
                text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _entry_rows(entry: Entry) -> tuple[Any, ...]:
    fields = search_fields(entry)
    stub = (
        entry.concept_id,
        entry.rel,
        entry.type,
        entry.name,
        entry.title,
        shorten(entry.description),
        "\n".join(entry.tags),
        pack_fragments([(item.slug, item.title) for item in entry.fragments]),
        entry.belief_state,
        "\n".join(entry.superseded_by),
        shorten(entry.when_to_use),
        entry.quality,
        marks_of(entry),
    )
    return (
        stub,
        embed_hash_of(search_text(fields)),
        _document(entry),
        tuple(fields),
        tuple(
            [
                (slug, None if title == slug else title, level, line, start, end)
                for slug, title, level, start, end, line in entry.fragments
            ]
        ),
        _citation_rows(entry.citations),
    )


def _citation_rows(citations: Iterable[Citation]) -> tuple[tuple[Any, ...], ...]:
    """A citation has the shape of its row; only plain tuples can be marshalled."""
    return tuple(map(tuple, citations))


# A frontmatter's values have been copied on the way here: there is no circle in them.
_write_document = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, separators=(",", ":")
).encode


def _document(entry: Entry) -> str:
    """What is in no column, as JSON; empty values are left out."""
    values: dict[str, Any] = {
        "description": entry.description,
        "tags": entry.tags,
        "aliases": entry.aliases,
        "hints": entry.hints,
        "whenToUse": entry.when_to_use,
        "parameters": [[item.name, item.description] for item in entry.parameters],
        "supersededBy": entry.superseded_by,
        "category": entry.category,
        "confidence": entry.confidence,
        "source": entry.source,
        "keys": entry.keys,
        "extra": dict(entry.extra),
    }
    kept = {key: value for key, value in values.items() if value}
    return _write_document(kept)


def stub_from_row(bundle: str, prefix: str, row: Sequence[Any]) -> Stub:
    """A stub from the values of `ENTRY_COLUMNS`; ``prefix`` is the real root with a separator."""
    concept_id, rel, type_, name, title, description, tags, slugs, belief, by, *rest = row
    when, quality, marks = rest
    return Stub(
        bundle,
        concept_id,
        type_,
        name,
        native_path(prefix, rel),
        title,
        description,
        tuple(tags.split("\n")) if tags else (),
        slugs,
        belief,
        tuple(by.split("\n")) if by else (),
        when,
        quality,
        marks,
    )


_read_document = json.JSONDecoder().raw_decode


def entry_from_row(
    bundle: Bundle,
    row: Sequence[Any],
    document: str,
    file: tuple[str, int, int],
    fragments: tuple[FragmentInfo, ...] = (),
    citations: tuple[Citation, ...] = (),
) -> Entry:
    """An entry from the values of `ENTRY_COLUMNS`, its document, and (hash, size, mtime_ns)."""
    concept_id, rel, type_, name, title, _, _, _, belief, _, _, quality, _ = row
    values, _ = _read_document(document)
    content_hash, size, mtime_ns = file
    return Entry(
        bundle=bundle.id,
        concept_id=concept_id,
        type=type_,
        name=name,
        adapter=bundle.adapter,
        path=native_path(root_prefix(bundle.real_root), rel),
        rel=rel,
        title=title,
        description=values.get("description", ""),
        tags=tuple(values.get("tags", ())),
        aliases=tuple(values.get("aliases", ())),
        hints=tuple(values.get("hints", ())),
        when_to_use=values.get("whenToUse", ""),
        fragments=fragments,
        parameters=tuple(Parameter(*item) for item in values.get("parameters", ())),
        citations=citations,
        belief_state=belief,
        superseded_by=tuple(values.get("supersededBy", ())),
        quality=quality,
        category=values.get("category"),
        confidence=values.get("confidence", 0.0),
        source=values.get("source", ""),
        keys=tuple(values.get("keys", ())),
        extra=values.get("extra", {}),
        content_hash=content_hash,
        size=size,
        mtime_ns=mtime_ns,
    )


def fragment_from_row(row: Sequence[Any]) -> FragmentInfo:
    slug, title, level, line, start, end = row
    return FragmentInfo(slug, slug if title is None else title, level, start, end, line)


def citation_from_row(row: Sequence[Any]) -> Citation:
    return Citation._make(row)


def root_prefix(real_root: str) -> str:
    return real_root if real_root.endswith(os.sep) else real_root + os.sep


def native_path(prefix: str, rel: str) -> str:
    return prefix + (rel if os.sep == "/" else rel.replace("/", os.sep))


def _storable(value: Any) -> Any:
    """The same with U+FFFD for every lone surrogate."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, tuple):
        return tuple([_storable(item) for item in value])
    return value
