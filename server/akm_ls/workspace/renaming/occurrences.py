"""Every place of a document that names an asset by a ref, and how a new ref is written there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from akm_ls.documents.nodes import Mapping, Node, Scalar, Sequence, resolve_plain, scalar_items
from akm_ls.documents.occurrences import RefOccurrence
from akm_ls.documents.text import Span
from akm_ls.index.catalog import readings_of
from akm_ls.refs import ASSET_DIRECTORIES, Ref, try_parse_ref

if TYPE_CHECKING:
    from akm_ls.documents.document import Document

SOURCE_KEYS = ("source", "sources", "derivedFrom", "evidenceSources")
"""Keys that may say, among other things, which asset this one was made from."""

_PLAIN = re.compile(r"\w[\w./@+~()-]*(?: [\w./@+~()-]+)*(?:#[\w-]+)?\Z")
_WIKI = "wiki:"
_ENDS = ("/SKILL.md", "/SKILL", ".md", ".yml", ".env")

Quote = Literal["", "'", '"']


@dataclass(frozen=True, slots=True)
class Citing:
    """A ref at its place.

    ``span`` covers the whole ref without quotes; ``text`` is its value, which in a quoted YAML
    scalar may differ from the source. ``prose`` is false where YAML's rules hold; ``wiki`` for
    the spelling ``wiki:bundle/id``.
    """

    span: Span
    text: str
    ref: Ref
    prose: bool = False
    wiki: bool = False


def citings(document: Document, adapter: str) -> tuple[Citing, ...]:
    """The refs of all channels, in text order. Text that only looks like one is none."""
    found = {
        occurrence.span: Citing(
            occurrence.span, occurrence.text, occurrence.ref, occurrence.channel == "prose"
        )
        for occurrence in document.refs
        if occurrence.ref is not None
    }
    for citing in (*_in_source_keys(document, adapter), *_in_wiki_keys(document, adapter)):
        found.setdefault(citing.span, citing)
    source = document.text
    # An alias repeats what its anchor says.
    return tuple(
        found[span] for span in sorted(found) if found[span].prose or source[span.start] != "*"
    )


def ref_at(document: Document, adapter: str, offset: int) -> RefOccurrence | None:
    """The ref that a cursor touches, also in the keys that may name what an asset is made from."""
    found = document.ref_at(offset)
    if found is not None or offset > document.body_start > 0:
        return found
    for citing in _in_source_keys(document, adapter):
        if citing.span.contains(offset):
            return RefOccurrence(citing.text, citing.span, "refs", citing.ref)
    return None


def _in_source_keys(document: Document, adapter: str) -> Iterator[Citing]:
    frontmatter = document.frontmatter
    if frontmatter is None:
        return
    nodes = [frontmatter.get(key) for key in SOURCE_KEYS]
    provenance = frontmatter.get("provenance")
    if isinstance(provenance, Mapping):
        nodes.append(provenance.get("sources"))
    for node in nodes:
        for scalar in _resources(node):
            ref = try_parse_ref(scalar.text)
            if ref is None or scalar.style in ("|", ">") or "/" not in ref.concept_id:
                continue
            if ref.head in ASSET_DIRECTORIES or (adapter == "llm-wiki" and ref.head == "raw"):
                yield Citing(_trimmed(document.text, scalar.inner), scalar.text.strip(), ref)


def _resources(node: Node | None) -> Iterator[Scalar]:
    for item in node.items if isinstance(node, Sequence) else (node,):
        if isinstance(item, Mapping):
            item = item.get("resource")
        if isinstance(item, Scalar):
            yield item


def _in_wiki_keys(document: Document, adapter: str) -> Iterator[Citing]:
    frontmatter = document.frontmatter
    if frontmatter is None or adapter != "llm-wiki":
        return
    for scalar in scalar_items(frontmatter.get("xrefs")):
        text = scalar.text.strip()
        bundle, slash, path = text.removeprefix(_WIKI).partition("/")
        ref = try_parse_ref(f"{bundle}//{path}") if slash and text.startswith(_WIKI) else None
        if ref is not None and scalar.style not in ("|", ">"):
            yield Citing(_trimmed(document.text, scalar.inner), text, ref, wiki=True)


def _trimmed(text: str, span: Span) -> Span:
    source = span.of(text)
    start = span.start + len(source) - len(source.lstrip())
    return Span(start, start + len(source.strip()))


def respelled(citing: Citing, old_id: str, bundle: str | None, new_id: str) -> Ref:
    """The new ref in the old one's manner: after the path of the file, if that was how it was.

    ``bundle`` is ``None`` for a bare ref; ``old_id`` is the cited asset's concept id.
    """
    written = citing.ref.concept_id
    spelled = new_id
    if written != old_id:
        if old_id.endswith((f"/{written}", f"/{written.removesuffix('.md')}")):
            spelled = new_id.partition("/")[2]
        end = next((end for end in _ENDS if written.endswith(end)), "")
        if end and not old_id.endswith(end):
            spelled += end
        if new_id not in readings_of(spelled):
            spelled = new_id
    return Ref(bundle, spelled, citing.ref.fragment)


def edit_of(document: Document, citing: Citing, ref: Ref) -> tuple[Span, str]:
    """Where to write ``ref``, and the text that reads as it there; the fragment stays as it is."""
    source = citing.span.of(document.text)
    path, mark, _ = source.partition("#")
    name = f"{_WIKI}{ref.bundle}/{ref.concept_id}" if citing.wiki else str(ref.asset)
    if citing.prose:
        return Span(citing.span.start, citing.span.start + len(path)), name
    quote = _quote_of(document.text, citing.span)
    if source == citing.text and (_is_plain(name, mark) or (quote and not _needs_escape(name))):
        return Span(citing.span.start, citing.span.start + len(path)), name
    whole = name if ref.fragment is None else f"{name}#{ref.fragment}"
    return citing.span, quoted(whole, quote)


def whole_edit(document: Document, citing: Citing, ref: Ref) -> tuple[Span, str]:
    """The same for a ref with another fragment: nothing of the old one stays."""
    text = str(ref) if citing.prose else quoted(str(ref), _quote_of(document.text, citing.span))
    return citing.span, text


def quoted(value: str, quote: Quote) -> str:
    """``value`` inside existing quotes, or with quotes of its own where it needs them."""
    if quote == "'":
        return value.replace("'", "''")
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    if quote == '"':
        return escaped
    return value if _is_plain(value, "") else f'"{escaped}"'


def _is_plain(value: str, mark: str) -> bool:
    return bool(_PLAIN.match(value)) and (bool(mark) or isinstance(resolve_plain(value), str))


def _needs_escape(value: str) -> bool:
    return "'" in value or '"' in value or "\\" in value


def _quote_of(text: str, span: Span) -> Quote:
    before, after = text[span.start - 1 : span.start].strip(), text[span.end : span.end + 1]
    for quote in ("'", '"'):
        if before == quote and after in (quote, " "):
            return "'" if quote == "'" else '"'
    return ""
