"""What a Markdown link's ``#fragment`` can name: GitHub's ids of headings, and HTML ids.

These are not the fragments of refs: akm knows ATX headings only and has slugs of its own.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from akm_ls.documents.blocks import opens_block
from akm_ls.documents.markdown import gaps, heading_text
from akm_ls.documents.slugs import github_slug, unique
from akm_ls.documents.text import Span

MAX_ANCHORS = 20_000

_LONGEST_HEADING = 2_000
_ATX = re.compile(r"#{1,6}[ \t]+(?=\S)")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*\Z")
_NO_PARAGRAPH = re.compile(
    r"#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|[|>]|(?:```|~~~)|<!--|[-*_=]{3,}\Z"
)
_HTML_HEADING = re.compile(r"<h[1-6](?:[ \t][^<>\n]*)?>([^\n]*?)</h[1-6]>", re.IGNORECASE)
_HTML_ID = re.compile(
    r"\b(?:id|name)[ \t]*=[ \t]*(?:\"([^\"\n]+)\"|'([^'\n]+)'|([^\s\"'<>=]+))", re.IGNORECASE
)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_CUSTOM_ID = re.compile(r"[ \t]*\{[ \t]*#([^\s{}]+)[^{}]*\}[ \t]*\Z")
_IMAGE = re.compile(r"!\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])")
_LINK = re.compile(r"\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_CODE = re.compile(r"(`+)([^`]+)\1")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_EMPHASIS = re.compile(r"(?<![^\W_])_+(?=\S)|(?<=\S)_+(?![^\W_])")


class Anchor(NamedTuple):
    """A name that a link of this document's form may end in, and the place it leads to."""

    name: str
    span: Span


def scan_anchors(text: str, start: int, excluded: Sequence[Span]) -> tuple[Anchor, ...]:
    """The anchors outside ``excluded`` (fences, comments): headings' first, in text order."""
    titles: list[tuple[str, Span]] = []
    given: list[Anchor] = []
    for part in gaps(start, len(text), excluded):
        for title, span in _headings(text, part):
            custom = _CUSTOM_ID.search(title)
            if custom:
                given.append(Anchor(custom.group(1), span))
                title = title[: custom.start()]
            titles.append((title, span))
            if len(titles) >= MAX_ANCHORS:
                break
        given.extend(_html_ids(text, part))
        if len(titles) + len(given) >= MAX_ANCHORS:
            break
    slugs = unique(github_slug(rendered(title)) for title, _ in titles)
    named = [Anchor(slug, span) for slug, (_, span) in zip(slugs, titles, strict=True) if slug]
    return (*named, *given)


def _headings(text: str, part: Span) -> Iterator[tuple[str, Span]]:
    """ATX, setext and HTML headings, in quotes and list items too."""
    at = part.start
    paragraph: Span | None = None
    while at < part.end:
        end = text.find("\n", at, part.end)
        end = part.end if end < 0 else end
        line = Span(at, end)
        at = end + 1
        content = text[line.start : min(line.end, line.start + _LONGEST_HEADING)]
        stripped = content.lstrip(" \t>")
        if not stripped.strip():
            paragraph = None
            continue
        mark = text.find("#", line.start, line.end)
        if mark >= 0 and _ATX.match(text, mark, line.end) and opens_block(text, line.start, mark):
            source = text[mark : line.end].lstrip("#")[:_LONGEST_HEADING]
            yield heading_text(source.strip()), line
            paragraph = None
        elif paragraph is not None and _UNDERLINE.match(stripped):
            title = text[paragraph.start : paragraph.end][:_LONGEST_HEADING]
            yield " ".join(title.replace(">", " ").split()), paragraph
            paragraph = None
        elif "</h" in stripped or "</H" in stripped:
            for match in _HTML_HEADING.finditer(stripped):
                yield match.group(1), line
        elif _NO_PARAGRAPH.match(stripped):
            paragraph = None
        else:
            begin = line.start if paragraph is None else paragraph.start
            paragraph = Span(begin, line.end)


def _html_ids(text: str, part: Span) -> Iterator[Anchor]:
    at = text.find("<", part.start, part.end)
    while at >= 0:
        after = at + 1
        if text[after : after + 1].isalpha():
            close = text.find(">", at, min(part.end, at + _LONGEST_HEADING))
            if close >= 0:
                after = close + 1
                for match in _HTML_ID.finditer(text, at, after):
                    name = match.group(1) or match.group(2) or match.group(3)
                    yield Anchor(html.unescape(name), Span(at, after))
        at = text.find("<", after, part.end)


def rendered(source: str) -> str:
    """The text a reader sees of a heading's Markdown, as far as its anchor depends on it."""
    codes: list[str] = []

    def keep(match: re.Match[str]) -> str:
        codes.append(match.group(2).strip())
        return f"\x00{len(codes) - 1}\x00"

    text = _CODE.sub(keep, source.replace("\x00", ""))
    if "[" in text:
        text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    if "<" in text:
        text = _TAG.sub("", text)
    text = html.unescape(_ESCAPE.sub(r"\1", _EMPHASIS.sub("", text)))
    return re.sub("\x00(\\d+)\x00", lambda match: codes[int(match.group(1))], text)
