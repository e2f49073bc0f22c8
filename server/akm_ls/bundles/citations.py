"""The references a file makes to assets, as out-edges with their places."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote

from akm_ls.bundles.adapters.layout import is_unreadable
from akm_ls.bundles.entry import Citation, spelled
from akm_ls.documents.document import kind_of
from akm_ls.documents.nodes import scalar_items
from akm_ls.refs import ASSET_DIRECTORIES, Ref, try_parse_ref

if TYPE_CHECKING:
    from akm_ls.bundles.adapters.adapter import Adapter
    from akm_ls.documents.document import Document
    from akm_ls.documents.text import Span

Cited: TypeAlias = "tuple[Ref, str, Span]"
"""What is cited, by which channel, and where."""

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
    body = len(document.text) if prose else document.body_start
    cited: list[Cited] = [
        (ref, channel, span)
        for _, span, channel, ref, _ in document.refs
        if ref is not None
        and span[0] < body
        and (channel != "prose" or ref[0] == home or not _is_arithmetic(ref, home))
    ]
    if adapter in ("okf", "llm-wiki") and prose:
        cited = cited[:MAX_CITATIONS]
        cited += _links(document, rel)
        if adapter == "llm-wiki":
            cited += _wiki_keys(document)
        # A path and a ref can be the same text in a list of xrefs.
        cited = list({span: (ref, channel, span) for ref, channel, span in cited}.values())
        cited.sort(key=lambda item: item[2])
    return tuple(_located(document, cited[:MAX_CITATIONS]))


def _is_arithmetic(ref: Ref, home: str) -> bool:
    """Whether a ref in prose is rather ``5//2`` or ``n//k``: lint does not take it for one."""
    bundle = ref.bundle or home
    short = len(bundle) == 1 or bundle.isdecimal()
    return short and bundle != home and ref.head not in ASSET_DIRECTORIES


def _located(document: Document, cited: Iterable[Cited]) -> list[Citation]:
    """The citations of what is cited; quickest when that is in text order."""
    text = document.text
    is_ascii = text.isascii()
    # An index of all lines does not pay for the few citations of a small file.
    lines = document.lines if len(text) > _SMALL or "\r" in text else None
    new = tuple.__new__  # a named tuple's own constructor takes half as long again
    found: list[Citation] = []
    line = line_start = 0
    for (bundle, concept_id, fragment), channel, (start, end) in cited:
        if lines is not None:
            line = lines.line_of(start)
            line_start = lines.start_of(line)
        else:
            if start < line_start:
                line = line_start = 0
            if further := text.count("\n", line_start, start):
                line += further
                line_start = text.rfind("\n", line_start, start) + 1
        written = text[start:end]
        spelling = None if written == spelled(bundle, concept_id, fragment) else written
        first, last = start - line_start, end - line_start
        first16, last16 = first, last
        if not (is_ascii or text[line_start:end].isascii()):
            first, first16 = _widths(text[line_start:start])
            width, width16 = _widths(written)
            last, last16 = first + width, first16 + width16
        row = (
            bundle,
            concept_id,
            fragment,
            channel,
            spelling,
            start,
            end,
            line,
            first,
            last,
            first16,
            last16,
        )
        found.append(new(Citation, row))
    return found


def _widths(text: str) -> tuple[int, int]:
    """The length of ``text`` in utf-8 and in utf-16 code units."""
    return len(text.encode("utf-8", "surrogatepass")), len(
        text.encode("utf-16-le", "surrogatepass")
    ) // 2


def _links(document: Document, rel: str) -> Iterator[Cited]:
    directory = posixpath.dirname(rel)
    for link in document.links:
        if link.kind in ("inline", "definition"):
            ref = link_target(link.target, directory)
            if ref is not None:
                yield ref, "link", link.target_span


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


def _wiki_keys(document: Document) -> Iterator[Cited]:
    frontmatter = document.frontmatter
    if frontmatter is None:
        return
    for scalar in scalar_items(frontmatter.get("xrefs")):
        bundle, slash, path = scalar.text.strip().removeprefix("wiki:").partition("/")
        if slash and scalar.text.lstrip().startswith("wiki:"):
            ref = try_parse_ref(f"{bundle}//{path}")
            if ref is not None:
                yield ref, "wiki", scalar.span
    for scalar in scalar_items(frontmatter.get("sources")):
        source = scalar.text.strip()
        if _RAW_SOURCE.match(source):
            ref = try_parse_ref(source.removesuffix(".md"))
            if ref is not None:
                yield ref, "sources", scalar.span
