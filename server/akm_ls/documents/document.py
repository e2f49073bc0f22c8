"""One parse of one file's text: what is in it and where."""

from __future__ import annotations

import os
from bisect import bisect_right
from typing import Literal

from akm_ls.documents import inline, markdown
from akm_ls.documents.anchors import Anchor, scan_anchors
from akm_ls.documents.blocks import scan_blocks
from akm_ls.documents.fence_faults import FenceFault, scan_fence_faults
from akm_ls.documents.frontmatter import Frontmatter, read_frontmatter, read_yaml
from akm_ls.documents.lazy import lazy
from akm_ls.documents.legacy_refs import (
    LegacyRef,
    bounded,
    legacy_in_frontmatter,
    legacy_in_prose,
)
from akm_ls.documents.markdown import CodeSpan, Fence, Heading, Link, gaps, merge
from akm_ls.documents.occurrences import Channel, RefOccurrence, in_frontmatter, in_prose
from akm_ls.documents.text import LineIndex, Span

__all__ = ["Channel", "Document", "Kind", "RefOccurrence", "kind_of", "parse"]

Kind = Literal["markdown", "yaml", "env", "script", "other"]

SCRIPT_EXTENSIONS = frozenset(
    [
        ".sh",
        ".ts",
        ".js",
        ".ps1",
        ".cmd",
        ".bat",
        ".py",
        ".rb",
        ".go",
        ".pl",
        ".php",
        ".lua",
        ".r",
        ".swift",
        ".kt",
        ".kts",
    ]
)
"""What akm takes for a script (akm.md 3.1)."""

_MARKDOWN_EXTENSIONS = frozenset({".md", ".mdc", ".markdown"})
_YAML_EXTENSIONS = frozenset({".yml", ".yaml"})


def kind_of(path: str) -> Kind:
    """The kind of a file, by its name only."""
    if path.endswith(".md") and path[-4:-3].isalnum():
        return "markdown"  # what nearly all files are
    name = os.path.basename(path).lower()
    extension = os.path.splitext(name)[1]
    if extension in _MARKDOWN_EXTENSIONS:
        return "markdown"
    if extension in _YAML_EXTENSIONS:
        return "yaml"
    if extension == ".env" or name == ".env" or name.startswith(".env."):
        return "env"
    if extension in SCRIPT_EXTENSIONS:
        return "script"
    return "other"


class Document:
    """One file's text and everything found in it.

    Immutable. Parts are computed when first asked for and kept, each from the cheapest parts it
    needs, so that asking for refs does not pay for links. Spans are ``str`` offsets into `text`,
    in text order within each property. Nothing here raises, whatever the text.
    """

    def __init__(self, text: str, kind: Kind = "markdown") -> None:
        self.text = text
        self.kind: Kind = kind

    def __repr__(self) -> str:
        # Never the text: it may be an env file's.
        return f"<Document {self.kind}, {len(self.text)} characters>"

    @lazy
    def lines(self) -> LineIndex:
        return LineIndex(self.text)

    @lazy
    def frontmatter(self) -> Frontmatter | None:
        """A Markdown file's block; for a YAML file one that spans the whole file."""
        if self.kind == "markdown":
            return read_frontmatter(self.text)
        if self.kind == "yaml":
            root, problem = read_yaml(self.text)
            whole = Span(0, len(self.text))
            return Frontmatter(whole, whole, root, problem, True)
        return None

    @lazy
    def body_start(self) -> int:
        """Where the body starts: after the frontmatter. A YAML file has none."""
        return 0 if self.frontmatter is None else self.frontmatter.span.end

    @property
    def body(self) -> str:
        return self.text[self.body_start :]

    @lazy
    def headings(self) -> tuple[Heading, ...]:
        """ATX headings outside fences and comments."""
        if self.kind != "markdown":
            return ()
        return markdown.scan_headings(self._uniform, self.body_start, self.blocks)

    @lazy
    def fences(self) -> tuple[Fence, ...]:
        return self._fences_and_comments[0]

    @lazy
    def comments(self) -> tuple[Span, ...]:
        """HTML comments outside fences."""
        return self._fences_and_comments[1]

    @lazy
    def code_spans(self) -> tuple[CodeSpan, ...]:
        if self.kind != "markdown":
            return ()
        return inline.scan_code_spans(self._uniform, self.body_start, self.blocks)

    @lazy
    def links(self) -> tuple[Link, ...]:
        """Links, images, reference definitions, autolinks and bare URLs outside code."""
        if self.kind != "markdown":
            return ()
        return inline.scan_links(
            self._uniform, self.body_start, self.blocks, self.code_spans, self._urls
        )

    @lazy
    def no_ref_spans(self) -> tuple[Span, ...]:
        """The one place for "no ref can stand here": merged, in order.

        Fences, HTML comments and URLs; of a Markdown file also the frontmatter block, whose refs
        stand in channels of their own.
        """
        urls, start = self._urls, self.body_start
        spans = merge((*self.blocks, *urls)) if urls else self.blocks
        if self.kind != "markdown" or not start:
            return spans
        block = Span(0, start)
        return merge((block, *spans)) if spans and spans[0].start <= start else (block, *spans)

    @lazy
    def refs(self) -> tuple[RefOccurrence, ...]:
        """Every ref of every channel.

        Prose keeps each qualified token that parses; whether it is meant as a ref is a question
        for `akm_ls.refs.is_citation`. In a frontmatter channel bare ids count, and what does not
        parse is kept with its error.
        """
        if self.kind not in ("markdown", "yaml"):
            return ()
        found: list[RefOccurrence] = []
        if self.frontmatter is not None:
            found = in_frontmatter(self.frontmatter, self.text, tasks=self.kind == "yaml")
        if self.kind == "markdown":
            found += in_prose(self.text, self._prose)
        else:
            taken = merge((*self.no_ref_spans, *(occurrence.span for occurrence in found)))
            found += in_prose(self.text, gaps(0, len(self.text), taken))
            found.sort(key=lambda occurrence: occurrence.span)
        return tuple(found)

    @lazy
    def cited(self) -> frozenset[str]:
        """The concept ids of `refs`, as they are written."""
        return frozenset(item.ref.concept_id for item in self.refs if item.ref is not None)

    @lazy
    def legacy_refs(self) -> tuple[LegacyRef, ...]:
        """What has the shape of a ref of earlier akm versions, where refs can stand."""
        if self.kind not in ("markdown", "yaml"):
            return ()
        found: list[LegacyRef] = []
        if self.frontmatter is not None:
            found += legacy_in_frontmatter(self.frontmatter, tasks=self.kind == "yaml")
        if self.kind == "markdown":
            found += legacy_in_prose(self.text, self._prose)
        return bounded(sorted(found, key=lambda legacy: legacy.span))

    @lazy
    def anchors(self) -> tuple[Anchor, ...]:
        """What a Markdown link's ``#fragment`` can name: as GitHub renders this document."""
        if self.kind != "markdown":
            return ()
        return scan_anchors(self._uniform, self.body_start, self.blocks)

    @lazy
    def inclusions(self) -> tuple[Span, ...]:
        """The paths behind ``@`` in running text."""
        if self.kind != "markdown" or "@" not in self.text:
            return ()
        taken = merge((*self.no_ref_spans, *(code.span for code in self.code_spans)))
        return inline.scan_inclusions(self.text, gaps(0, len(self.text), taken))

    @lazy
    def fence_faults(self) -> tuple[FenceFault, ...]:
        """Fences that do not end where they should."""
        fences = self.fences
        if self.kind != "markdown" or not fences:
            return ()
        if all(fence.info and fence.closed for fence in fences) and (
            self.text.count("```", self.body_start) == 2 * len(fences) and "~~~" not in self.text
        ):
            return ()  # each opens with a language, each closes, and no other mark is left
        return scan_fence_faults(self._uniform, self.body_start, self.comments)

    @lazy
    def doubtful_spans(self) -> tuple[Span, ...]:
        """Where a faulty fence leaves it open what is code and what is prose: merged, in order."""
        return merge(fault.doubtful for fault in self.fence_faults)

    def is_doubtful(self, offset: int) -> bool:
        """Whether ``offset`` may be code or prose; a rule should not judge such a place."""
        spans = self.doubtful_spans
        return bool(spans) and any(start <= offset < end for start, end in spans)

    @lazy
    def title(self) -> str | None:
        """The frontmatter's ``title``, else the first level-1 heading."""
        if self.frontmatter is not None and (title := self.frontmatter.text("title")):
            return title.strip() or None
        return next((heading.text for heading in self.headings if heading.level == 1), None)

    def fragment(self, slug: str) -> Heading | None:
        """The heading a ref's fragment names: by slug, else by its text, case aside."""
        for heading in self.headings:
            if heading.slug and heading.slug == slug:
                return heading
        wanted = slug.strip().casefold()
        for heading in self.headings:
            if heading.text.casefold() == wanted:
                return heading
        return None

    def heading_at(self, offset: int) -> Heading | None:
        """The heading whose section holds ``offset``: the innermost one."""
        index = bisect_right(self._heading_starts, offset) - 1
        return self.headings[index] if index >= 0 else None

    def ref_at(self, offset: int) -> RefOccurrence | None:
        """The ref that a cursor at ``offset`` touches."""
        index = bisect_right(self._ref_starts, offset) - 1
        if index >= 0 and self.refs[index].span.contains(offset):
            return self.refs[index]
        return None

    def can_hold_ref(self, offset: int) -> bool:
        """Whether a ref in prose could stand, or be typed, at ``offset``."""
        index = bisect_right(self._no_ref_starts, offset) - 1
        if index < 0:
            return True
        start, end = self.no_ref_spans[index]
        if offset < end:
            return offset == start and start > 0
        # Behind the last character of a fence, a URL or an open comment one is still in it.
        return offset > end or not self._reaches_on(end)

    def _reaches_on(self, end: int) -> bool:
        if any(span.end == end for span in self._urls):
            return True
        if any(fence.span.end == end for fence in self.fences):
            return True
        return (
            bool(self.comments)
            and self.comments[-1].end == end == len(self.text)
            and not self.text.endswith("-->")
        )

    @lazy
    def _prose(self) -> list[Span]:
        return gaps(0, len(self.text), self.no_ref_spans)

    @lazy
    def _heading_starts(self) -> list[int]:
        return [heading.span.start for heading in self.headings]

    @lazy
    def _ref_starts(self) -> list[int]:
        return [occurrence.span.start for occurrence in self.refs]

    @lazy
    def _no_ref_starts(self) -> list[int]:
        return [span.start for span in self.no_ref_spans]

    @lazy
    def _uniform(self) -> str:
        return markdown.uniform_lines(self.text)

    @lazy
    def _fences_and_comments(self) -> tuple[tuple[Fence, ...], tuple[Span, ...]]:
        if self.kind != "markdown":
            return (), ()
        return scan_blocks(self._uniform, self.body_start)

    @lazy
    def blocks(self) -> tuple[Span, ...]:
        """Fences and comments, merged."""
        fences, comments = self._fences_and_comments
        if not comments and len(fences) <= 1:
            return (fences[0].span,) if fences else ()
        return merge((*(fence.span for fence in fences), *comments))

    @lazy
    def _urls(self) -> tuple[Span, ...]:
        start = self.body_start if self.kind == "markdown" else 0
        if self.text.find(":", start) < 0:
            return ()
        return inline.scan_urls(self.text, start, self.blocks)


def parse(text: str, kind: Kind = "markdown") -> Document:
    return Document(text, kind)
