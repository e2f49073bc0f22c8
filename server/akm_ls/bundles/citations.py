"""The references a file makes to assets, as out-edges with their places."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import unquote

from akm_ls.bundles.adapters.layout import is_unreadable
from akm_ls.bundles.entry import Citation
from akm_ls.documents.document import kind_of
from akm_ls.documents.nodes import scalar_items
from akm_ls.refs import ASSET_DIRECTORIES, Ref, try_parse_ref

if TYPE_CHECKING:
    from akm_ls.bundles.adapters.adapter import Adapter
    from akm_ls.documents.document import Document
    from akm_ls.documents.text import Span

MAX_CITATIONS = 20_000
"""Of one file; a file with more is a dump, not a text with references."""

_SMALL = 20_000
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_RAW_SOURCE = re.compile(r"raw/[^/\s]+\Z")
_YAML_DIRECTORIES = frozenset(("tasks", "workflows"))


def may_cite(adapter: Adapter, rel: str) -> bool:
    """Whether a file that is no asset is read for what it cites, by its path alone.

    A README, an ``index.md``, what a skill of some format brings along: all Markdown, and YAML
    where tasks and workflows lie (elsewhere it is other programs' configuration). Never a file
    that may not be opened.
    """
    match kind_of(rel):
        case "markdown":
            pass
        case "yaml":
            if _YAML_DIRECTORIES.isdisjoint(rel.split("/")[:-1]):
                return False
        case _:
            return False
    return not is_unreadable(rel) and adapter.reads(rel)


def citations_of(
    document: Document, adapter: str, rel: str, *, home: str = "", prose: bool = True
) -> tuple[Citation, ...]:
    """Every reference in ``document``, in text order.

    These are the refs of all channels, and in the two formats that link their pages by path
    (``okf``, ``llm-wiki``) also those links, with the channels ``link``, ``wiki`` and
    ``sources``. Without ``prose`` only those in the frontmatter. ``home`` is the document's
    bundle; which others there are is not known here, nor does it stay so.
    """
    found: list[Citation] = []
    body = document.body_start
    for occurrence in document.refs:
        ref = occurrence.ref
        if ref is None or not (prose or occurrence.span.start < body):
            continue
        if occurrence.channel != "prose" or not _is_arithmetic(ref, home):
            found.append(_citation(document, ref, occurrence.channel, occurrence.span))
            if len(found) >= MAX_CITATIONS:
                break
    if adapter in ("okf", "llm-wiki") and prose:
        found += _links(document, rel)
        if adapter == "llm-wiki":
            found += _wiki_keys(document)
        # A path and a ref can be the same text in a list of xrefs.
        found = list({(citation.start, citation.end): citation for citation in found}.values())
        found.sort(key=lambda citation: (citation.start, citation.end))
    return tuple(found[:MAX_CITATIONS])


def _is_arithmetic(ref: Ref, home: str) -> bool:
    """Whether a ref in prose is rather ``5//2`` or ``n//k``: lint does not take it for one."""
    bundle = ref.bundle or home
    short = len(bundle) == 1 or bundle.isdecimal()
    return short and bundle != home and ref.head not in ASSET_DIRECTORIES


def _citation(document: Document, ref: Ref, channel: str, span: Span) -> Citation:
    text = document.text
    start, end = span
    line, line_start = _line_at(document, start)
    written = text[start:end]
    before = text[line_start:start]
    if before.isascii() and written.isascii():
        first, last = start - line_start, end - line_start
        columns = (first, last, first, last)
    else:
        bytes_before, units_before = _widths(before)
        bytes_in, units_in = _widths(written)
        columns = (bytes_before, bytes_before + bytes_in, units_before, units_before + units_in)
    return Citation(
        ref.bundle, ref.concept_id, ref.fragment, channel, written, start, end, line, columns
    )


def _line_at(document: Document, offset: int) -> tuple[int, int]:
    """The line that holds ``offset`` and where it starts."""
    text = document.text
    if len(text) > _SMALL or "\r" in text:
        line = document.lines.line_of(offset)
        return line, document.lines.start_of(line)
    # An index of all lines does not pay for the few citations of a small file.
    return text.count("\n", 0, offset), text.rfind("\n", 0, offset) + 1


def _widths(text: str) -> tuple[int, int]:
    """The length of ``text`` in utf-8 and in utf-16 code units."""
    return len(text.encode("utf-8", "surrogatepass")), len(
        text.encode("utf-16-le", "surrogatepass")
    ) // 2


def _links(document: Document, rel: str) -> Iterator[Citation]:
    directory = posixpath.dirname(rel)
    for link in document.links:
        if link.kind in ("inline", "definition"):
            ref = link_target(link.target, directory)
            if ref is not None:
                yield _citation(document, ref, "link", link.target_span)


def link_target(target: str, directory: str) -> Ref | None:
    """The page a link by path leads to: from the bundle root with ``/``, else relative."""
    path, _, fragment = target.partition("#")
    path = unquote(path.partition("?")[0])
    if not path.endswith(".md") or path.startswith("//") or _SCHEME.match(path):
        return None
    path = path.lstrip("/") if path.startswith("/") else posixpath.join(directory, path)
    path = posixpath.normpath(path)
    ref = None if path.startswith("..") else try_parse_ref(path[: -len(".md")])
    return None if ref is None else Ref(None, ref.concept_id, fragment or None)


def _wiki_keys(document: Document) -> Iterator[Citation]:
    frontmatter = document.frontmatter
    if frontmatter is None:
        return
    for scalar in scalar_items(frontmatter.get("xrefs")):
        bundle, slash, path = scalar.text.strip().removeprefix("wiki:").partition("/")
        if slash and scalar.text.lstrip().startswith("wiki:"):
            ref = try_parse_ref(f"{bundle}//{path}")
            if ref is not None:
                yield _citation(document, ref, "wiki", scalar.span)
    for scalar in scalar_items(frontmatter.get("sources")):
        source = scalar.text.strip()
        if _RAW_SOURCE.match(source):
            ref = try_parse_ref(source.removesuffix(".md"))
            if ref is not None:
                yield _citation(document, ref, "sources", scalar.span)
