"""From a hit to a piece of evidence and the place in a file that backs it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from akm_ls.bundles.reading import read_entry
from akm_ls.documents.document import Document, kind_of, parse
from akm_ls.documents.redaction import (
    Redacted,
    Secret,
    redact,
    redact_span,
    redact_url,
    secrets_around,
)
from akm_ls.documents.text import Span
from akm_ls.search.excerpt import best_excerpt, said_slug
from akm_ls.search.query import tokens_of
from akm_ls.search.result import file_uri

if TYPE_CHECKING:
    from akm_ls.bundles.entry import Entry
    from akm_ls.documents.text import PositionEncoding
    from akm_ls.search.library import Library
    from akm_ls.search.result import Hit

Kind = Literal["section", "asset", "catalog"]

MAX_TITLE = 100
MAX_PREVIEW = 520
MAX_QUOTE = 220
"""Of the first three citations; the others are held to `MAX_LATER_QUOTE`."""
MAX_LATER_QUOTE = 140
QUOTES_IN_FULL = 3
MAX_METADATA_KEYS = 12
SHORT_HASH = len("sha256:") + 12
_MAX_READ_FOR_PREVIEW = 1_200
_UNQUOTED = frozenset({"session", "env", "secret"})
"""Types whose text is neither searched nor quoted."""
_SECRETIVE = ("secret", "token", "password", "passwd", "credential", "apikey", "api_key", "key")


class Source:
    """The text of one file as it is now, with what in it must not be shown."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self._path = path

    @cached_property
    def document(self) -> Document:
        return parse(self.text, kind_of(self._path))

    def quote(self, span: Span, limit: int) -> tuple[Span, Redacted]:
        """The beginning of ``span`` within ``limit`` shown characters, ending between words.

        The text at the span that is returned is the quote, but for its secrets.
        """
        secrets = secrets_around(self.text, span.start, span.end)
        end = self._word_end(span.start, span.end, limit)
        while True:
            end = _not_inside(secrets, span.start, end)
            shown = redact_span(self.text, span.start, end, secrets)
            if len(shown.text) <= limit or end <= span.start:
                return Span(span.start, end), shown
            # A stand-in may be longer than the secret.
            end = self._word_end(span.start, end - 1, end - span.start - 1)

    def _word_end(self, start: int, end: int, limit: int) -> int:
        cut = min(end, start + limit)
        if cut < end:
            blank = max(self.text.rfind(" ", start, cut + 1), self.text.rfind("\n", start, cut + 1))
            cut = blank if blank > start + limit // 2 else cut
        while cut > start and self.text[cut - 1].isspace():
            cut -= 1
        return cut

    def preview(self, span: Span) -> Redacted:
        """A longer stretch on one line."""
        end = min(span.end, span.start + _MAX_READ_FOR_PREVIEW)
        secrets = secrets_around(self.text, span.start, end)
        shown = redact_span(self.text, span.start, end, secrets)
        return Redacted(squash(shown.text), shown.count)


@dataclass(frozen=True, slots=True)
class Citation:
    """A place in a file that backs a piece of evidence.

    ``quote`` is the file's text at ``span`` (``str`` offsets) without its secrets. ``span`` is
    ``None`` where nothing of the file may be quoted: then the ref has to do.
    """

    id: str
    ref: str
    uri: str
    revision: str | None
    dirty: bool = False
    fragment: str | None = None
    source_url: str | None = None
    source: Source | None = None
    region: Span | None = None
    span: Span | None = None
    quote: str = ""
    redactions: int = 0

    def cut(self, limit: int) -> Citation:
        """The same place with a quote of at most ``limit`` characters."""
        if self.source is None or self.region is None or len(self.quote) <= limit:
            return self
        span, shown = self.source.quote(self.region, limit)
        return replace(self, span=span, quote=shown.text, redactions=shown.count)

    def to_json(self, encoding: PositionEncoding, *, detailed: bool = True) -> dict[str, Any]:
        answer: dict[str, Any] = {"id": self.id, "kind": "source", "ref": self.ref}
        if detailed:
            answer["source_ref"] = self.ref
        answer["source_uri"] = self.uri
        if self.source_url is not None:
            answer["source_url"] = self.source_url
        if self.revision is not None:
            # The hash is the revision; its beginning is enough to tell two apart.
            answer["revision"] = self.revision[:SHORT_HASH]
            if detailed:
                answer["hash"] = self.revision
        if self.dirty:
            answer["dirty"] = True
        if self.fragment is not None and detailed:
            answer["fragment"] = self.fragment
        if self.span is not None and self.source is not None:
            start, end = self.source.document.lines.range(self.span, encoding)
            answer |= {
                "start_offset": self.span.start,
                "end_offset": self.span.end,
                "range": {
                    "start": {"line": start.line, "character": start.character},
                    "end": {"line": end.line, "character": end.character},
                },
                "quote_preview": self.quote,
            }
        return answer


@dataclass(frozen=True, slots=True)
class Evidence:
    """One asset, or the section of it that answers the query best."""

    id: str
    kind: Kind
    entry: Entry
    title: str
    preview: str
    score: float
    citation: Citation
    redactions: int = 0
    stale: bool = False

    @property
    def ref(self) -> str:
        return self.citation.ref

    def cut(self, limit: int) -> Evidence:
        return replace(self, preview=cut(self.preview, limit))

    def to_json(self, *, detailed: bool = True) -> dict[str, Any]:
        provenance: dict[str, Any] = {
            "source": "search",
            "record_ref": f"{self.kind}:{self.ref}",
            "updated_at": (moment_of(self.entry.mtime_ns) or "")[:10] or None,
        }
        if detailed:
            provenance["metadata_keys"] = list(metadata_keys(self.entry))
        return {
            "id": self.id,
            "kind": self.kind,
            "ref": self.ref,
            "type": self.entry.type,
            "title": self.title,
            "text_preview": self.preview,
            "score": self.score,
            "citation_ids": [self.citation.id],
            "provenance": provenance,
        }


def evidence_of(library: Library, hit: Hit, query: str, *, quote_limit: int) -> Evidence:
    """What a hit has to say, read from its file as it is now."""
    entry = hit.entry
    source = _source(library, entry)
    kind: Kind = "catalog"
    region, fragment = None, None
    if source is not None:
        kind, region, fragment = _place(source, hit, query)
    ref = entry.ref if fragment is None else f"{entry.ref}#{fragment}"
    revision, dirty = _revision(library, hit, source)
    span, quoted = None, Redacted("")
    if source is not None and region is not None:
        span, quoted = source.quote(region, quote_limit)
    key = (ref, revision or "", str(region.start if region else -1))
    citation = Citation(
        id=f"cite_{_digest(key)[:12]}",
        ref=ref,
        uri=file_uri(entry.path),
        revision=revision,
        dirty=dirty or hit.dirty,
        fragment=fragment,
        source_url=_source_url(entry),
        source=source,
        region=region,
        span=span,
        quote=quoted.text,
        redactions=quoted.count,
    )
    title = redact(squash(entry.title or entry.name))
    preview = _preview(entry, source, region, kind)
    return Evidence(
        id=f"ev_{_digest((kind, *key))[:14]}",
        kind=kind,
        entry=entry,
        title=cut(title.text, MAX_TITLE),
        preview=cut(preview.text, MAX_PREVIEW),
        score=hit.to_json("brief")["score"],
        citation=citation,
        redactions=title.count + preview.count,
        stale=hit.stale,
    )


def squash(text: str) -> str:
    """``text`` on one line, single blanks between its words."""
    return " ".join(text.split())


def cut(text: str, limit: int) -> str:
    """``text`` within ``limit`` characters, the ellipsis of a cut included."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    blank = head.rfind(" ", limit // 2)
    return f"{head[:blank] if blank > 0 else head}…"


def moment_of(mtime_ns: int) -> str | None:
    """A file's time as ISO 8601 in UTC, to the second."""
    try:
        moment = datetime.fromtimestamp(mtime_ns // 1_000_000_000, timezone.utc)
    except (OverflowError, OSError, ValueError):
        return None
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def metadata_keys(entry: Entry) -> tuple[str, ...]:
    """The names of what else is known of an asset; those that smell of secrets are left out."""
    known = {"tags": entry.tags, "aliases": entry.aliases, "whenToUse": entry.when_to_use}
    names = {name for name, value in known.items() if value} | set(entry.extra)
    fit = (name for name in names if not any(part in name.lower() for part in _SECRETIVE))
    return tuple(sorted(fit))[:MAX_METADATA_KEYS]


def _source(library: Library, entry: Entry) -> Source | None:
    if entry.type in _UNQUOTED or entry.extra.get("checkpoint"):
        return None
    if kind_of(entry.path) != "markdown":
        return None
    text = library.read(entry.path)
    return None if text is None else Source(text, entry.path)


def _place(source: Source, hit: Hit, query: str) -> tuple[Kind, Span | None, str | None]:
    """What of the file to quote: where the query is, else the description, else the beginning."""
    text = source.text
    excerpt = hit.excerpt
    if excerpt is not None and text[excerpt.start : excerpt.end] != excerpt.text:
        # The file was written between the search and now.
        excerpt = best_excerpt(text, tokens_of(query))
    document = source.document
    if excerpt is not None:
        heading = document.heading_at(_first_text(text, excerpt.start, excerpt.end))
        if heading is None or not heading.slug:
            return "asset", Span(excerpt.start, len(text)), None
        return "section", Span(excerpt.start, heading.section.end), said_slug(heading)
    node = document.frontmatter.get("description") if document.frontmatter else None
    if node is not None and node.span.start < node.span.end:
        return "catalog", Span(*node.span), None
    start = _first_text(text, document.body_start, len(text))
    return "catalog", Span(start, len(text)) if start < len(text) else None, None


def _first_text(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def _preview(entry: Entry, source: Source | None, region: Span | None, kind: Kind) -> Redacted:
    if kind != "catalog" and source is not None and region is not None:
        return source.preview(region)
    parts = [squash(entry.description) or squash(entry.when_to_use)]
    count = 0
    if entry.type == "env" and entry.keys:
        parts.append(f"Keys: {', '.join(entry.keys)}.")
    if entry.type == "script" and isinstance(run := entry.extra.get("run"), str):
        parts.append(f"Run: {run}")
    described = redact(" ".join(filter(None, parts)))
    body = Redacted("")
    if source is not None:
        document = source.document
        start = _first_text(source.text, document.body_start, len(source.text))
        body = source.preview(Span(start, len(source.text)))
    count = described.count + body.count
    return Redacted(" ".join(filter(None, (described.text, body.text))), count)


def _revision(library: Library, hit: Hit, source: Source | None) -> tuple[str | None, bool]:
    """The hash of what is quoted, and whether that is an unsaved document."""
    entry = hit.entry
    if source is not None and library.text_of(entry.path) is not None:
        data = source.text.encode("utf-8", "surrogatepass")
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        return digest, digest != entry.content_hash
    bundle = library.bundles.get(entry.bundle)
    if hit.stale and bundle is not None:
        return read_entry(bundle, entry.rel, 0, 0).content_hash or None, False
    return entry.content_hash or None, False


def _source_url(entry: Entry) -> str | None:
    url = entry.extra.get("sourceUrl")
    return redact_url(url) if isinstance(url, str) and url else None


def _digest(parts: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()


def _not_inside(secrets: tuple[Secret, ...], start: int, end: int) -> int:
    """``end``, or the end of a secret that begins the quote, or the beginning of another one."""
    for secret in secrets:
        if secret.start < end < secret.end:
            return secret.end if secret.start <= start else secret.start
    return end
