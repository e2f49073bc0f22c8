"""A Markdown body as the plain words that search should see (akm.md §5, P5)."""

from __future__ import annotations

import re

from akm_ls.documents.document import Document
from akm_ls.documents.frontmatter import read_frontmatter

# Every pattern is linear: no nested repetition, and each stays on one line. Line patterns start
# with the line end before them, which the engine finds far faster than `^` in multiline mode.
_DEFINITION = re.compile(r"\n[ ]{0,3}\[[^\]\r\n]{1,200}\]:[^\r\n]*")
_HTML_LINE = re.compile(r"\n[ \t]*</?[A-Za-z][^<>\r\n]*>[ \t]*(?=[\r\n]|\Z)")
_LINK_TARGET = re.compile(r"\]\([^()\r\n]{0,2000}(?:\([^()\r\n]{0,200}\)[^()\r\n]{0,200})?\)")
_REFERENCE_LABEL = re.compile(r"\]\[[^\]\r\n]{0,200}\]")
# A line that is a rule, or what opens a heading, a list item or a quote.
_RULE_OR_MARKER = re.compile(
    r"\n[ \t|:=*_-]+(?=[\r\n]|\Z)"
    r"|\n[ \t>]*(?:#{1,6}[ \t]+|[-+*][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,9}[.)][ \t]+)"
    r"|\n[ \t]*>[ \t>]*"
)
_BLANK = re.compile(r"\s+")
_BLANKS = re.compile("  +")
_RARE_BLANKS = "\t\r\v\f\x1c\x1d\x1e\x1f"
_DECORATION = "|*`[]!"


def project_body(document: Document, limit: int = 1_000_000) -> str:
    """The words of a document's body: no code, comments, markup or link targets.

    Link labels stay. White space is collapsed; at most ``limit`` characters are given.
    """
    text = document.text
    start = document.body_start
    pieces: list[str] = [""]  # so that the first line, too, has a line end before it
    # Twice the limit is more than enough raw text, and bounds the work on a huge file.
    end = min(len(text), start + 2 * limit)
    at = _after_inner_frontmatter(text, start, end)
    for hidden_from, hidden_to in document.blocks:
        if hidden_from >= end:
            break
        if hidden_from > at:
            pieces.append(text[at:hidden_from])
        at = max(at, hidden_to)
    pieces.append(text[at:end])
    body = "\n".join(pieces)
    # Looking for one character is many times faster than for two.
    has_brackets = "]" in body
    if has_brackets and "]:" in body:
        body = _DEFINITION.sub("\n", body)
    if "<" in body:
        body = _HTML_LINE.sub("\n", body)
    if has_brackets and "](" in body:
        body = _LINK_TARGET.sub("] ", body)
    if has_brackets and "][" in body:
        body = _REFERENCE_LABEL.sub("] ", body)
    body = _RULE_OR_MARKER.sub("\n", body)
    for mark in _DECORATION:  # `str.translate` takes ten times as long
        body = body.replace(mark, " ")
    return _collapsed(body)[:limit]


def _collapsed(text: str) -> str:
    """``text`` with one blank for every run of white space, and none at its ends."""
    if not text.isascii() or any(map(text.__contains__, _RARE_BLANKS)):
        return " ".join(text.split())
    # The same, without making a string of every word.
    return _BLANKS.sub(" ", text.replace("\n", " ")).strip(" ")


def _after_inner_frontmatter(text: str, start: int, end: int) -> int:
    """Where a second frontmatter block that opens the body ends: some tools nest them."""
    blank = _BLANK.match(text, start, end)
    begin = start if blank is None else blank.end()
    if not text.startswith("---", begin):
        return start
    inner = read_frontmatter(text[begin:end])
    return start if inner is None or not inner.closed else begin + inner.span.end
