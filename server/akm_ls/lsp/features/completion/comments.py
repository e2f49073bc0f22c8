"""Completion inside the comments that switch rules off."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from akm_ls.documents.text import Span
from akm_ls.documents.yaml_places import yaml_block
from akm_ls.lint.engine import CODES
from akm_ls.lint.suppression import WORDS, Scope
from akm_ls.lsp.features.completion.offer import Kind, Offer, listed
from akm_ls.lsp.features.rule_card import rule_card, summary_of

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

_OPENING = re.compile(
    r"(?P<mark><!--|#)[ \t]*(?P<words>akm[\w-]*)(?P<codes>[ \t][^:\r\n]*)?\Z", re.IGNORECASE
)
_TOKEN = re.compile(r"[\w-]*")
_WHAT: dict[Scope, str] = {
    "file": "switch rules off in the whole file",
    "line": "switch rules off for this line",
    "next-line": "switch rules off for the next line",
}


def complete(session: Session, opened: OpenDocument, offset: int) -> lsp.CompletionList | None:
    """The words of the comment, then the codes of the rules."""
    document = opened.document
    lines = document.lines
    line = lines.line_span(lines.line_of(offset))
    before = document.text[line.start : offset]
    if "akm" not in before.lower():
        return None
    match = _OPENING.search(before)
    if match is None or not _is_comment(opened, match["mark"], line.start + match.start()):
        return None
    codes = match["codes"]
    typed = match["words"] if codes is None else _last_word(codes)
    after = _TOKEN.match(document.text, offset, line.end)
    span = Span(offset - len(typed), after.end() if after else offset)
    if codes is None:
        offers = [Offer(words, Kind.Keyword, detail=_WHAT[scope]) for scope, words in WORDS.items()]
        return listed(session, opened, span, offset, offers)
    if match["words"] not in WORDS.values():
        return None
    named = set(re.findall(r"[\w-]+", codes[: len(codes) - len(typed)]))
    offers = [
        Offer(code, Kind.EnumMember, detail=summary_of(code), documentation=rule_card(code))
        for code in sorted(CODES - named)
    ]
    return listed(session, opened, span, offset, offers)


def _is_comment(opened: OpenDocument, mark: str, at: int) -> bool:
    document = opened.document
    if mark == "#":
        return document.kind == "env" or yaml_block(document, at) is not None
    if document.kind != "markdown" or at < document.body_start:
        return False
    return not any(fence.span.start < at < fence.span.end for fence in document.fences)


def _last_word(codes: str) -> str:
    match = re.search(r"[\w-]*\Z", codes)
    return match.group() if match else ""
