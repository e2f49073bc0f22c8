"""Completion of relative paths: in links, behind ``@``, in a skill's code spans; and of anchors."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lsprotocol import types as lsp

from akm_ls.documents.document import kind_of
from akm_ls.documents.text import Span
from akm_ls.lint.rules.link_bases import Bases
from akm_ls.lint.rules.link_targets import read_target
from akm_ls.lsp.features.completion.offer import Kind, Offer, listed
from akm_ls.lsp.features.relative import IMAGES, Form, bases_of
from akm_ls.search.said import said_description

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

_LINK = re.compile(r"(?P<image>!?)\[[^\[\]\n]*\]\((?P<angle><?)(?P<typed>[^()<>\n]*)\Z")
_DEFINITION = re.compile(r"\A[ \t>]*\[[^\[\]\n]+\]:[ \t]*(?P<angle><?)(?P<typed>[^\s<>]*)\Z")
_INCLUSION = re.compile(r"(?:\A|(?<=[\s(]))@(?P<typed>[\w./~-]*)\Z")
_REST_OF_LINK = re.compile(r"[^\s()<>]*")
_REST_OF_PATH = re.compile(r"[\w./-]*")
_UNSAFE = re.compile(r"[\s()<>%#?\\]")
_HIDDEN = frozenset((".git", "node_modules", "__pycache__", ".DS_Store"))
_OPEN_CODE = re.compile(r"`+")


@dataclass(frozen=True, slots=True)
class _Typed:
    """A path that is being typed: its form, what is there, and where it ends."""

    form: Form
    text: str
    span: Span
    in_angles: bool = False


def complete(session: Session, opened: OpenDocument, offset: int) -> lsp.CompletionList | None:
    typed = _typed_at(session, opened, offset)
    if typed is None or "//" in typed.text or "\\" in typed.text:
        return None
    if "#" in typed.text:
        return _anchors(session, opened, offset, typed)
    return _entries(session, opened, offset, typed)


def _typed_at(session: Session, opened: OpenDocument, offset: int) -> _Typed | None:
    document = opened.document
    if document.kind != "markdown" or offset < document.body_start:
        return None
    taken = (*(fence.span for fence in document.fences), *document.comments)
    if any(start < offset < end for start, end in taken):
        return None
    line = document.lines.line_span(document.lines.line_of(offset))
    before = document.text[line.start : offset]
    code = _code_start(before)
    if code is not None:
        return _in_code(session, opened, offset, line, line.start + code)
    match = _LINK.search(before) or _DEFINITION.match(before)
    if match is not None:
        text = match["typed"]
        if any(char.isspace() for char in text) and not match["angle"]:
            return None
        rest = _REST_OF_LINK.match(document.text, offset, line.end)
        end = rest.end() if rest else offset
        image = bool(match.groupdict().get("image"))
        return _Typed(
            "image" if image else "link",
            text,
            Span(offset - len(text), end),
            bool(match["angle"]),
        )
    match = _INCLUSION.search(before)
    if match is not None and "/" in f"{match['typed']}/":
        rest = _REST_OF_PATH.match(document.text, offset, line.end)
        text = match["typed"]
        if text.startswith("~"):
            return None
        return _Typed("inclusion", text, Span(offset - len(text), rest.end() if rest else offset))
    return None


def _code_start(before: str) -> int | None:
    """Behind the backticks of a code span that is open at the end of a line's start."""
    opened: tuple[int, int] | None = None
    for run in _OPEN_CODE.finditer(before):
        length = run.end() - run.start()
        if opened is None:
            opened = (run.end(), length)
        elif opened[1] == length:
            opened = None
    return None if opened is None else opened[0]


def _in_code(
    session: Session, opened: OpenDocument, offset: int, line: Span, start: int
) -> _Typed | None:
    """A path in a code span, in a skill only: elsewhere such text is no path of the bundle."""
    bases = bases_of(session, opened)
    text = opened.text[start:offset]
    at = max(text.rfind(" "), text.rfind("\t")) + 1
    text = text[at:]
    if bases is None or bases.skill is None or "/" not in text:
        return None
    rest = _REST_OF_PATH.match(opened.text, offset, line.end)
    return _Typed("code", text, Span(start + at, rest.end() if rest else offset))


# Directories, one at a time.


def _entries(
    session: Session, opened: OpenDocument, offset: int, typed: _Typed
) -> lsp.CompletionList | None:
    bases = bases_of(session, opened)
    if bases is None:
        return None
    directory, _, name = typed.text.rpartition("/")
    directory = f"{directory}/" if _ else ""
    span = Span(typed.span.start + len(directory), typed.span.end)
    rest = opened.text[offset : typed.span.end]
    if "/" in rest:  # only this segment is replaced
        span = Span(span.start, offset + rest.index("/"))
    elif "#" in rest:
        span = Span(span.start, offset + rest.index("#"))
    found: dict[str, Offer] = {}
    for path in _directories(bases, typed, directory):
        for offer in _listing(session, opened, bases, path, name, typed):
            found.setdefault(offer.label, offer)
    offers = sorted(found.values(), key=lambda offer: _rank(typed, offer))
    followed = opened.text.startswith("/", span.end)
    if followed:
        offers = [
            Offer(offer.label, offer.kind, (offer.text or offer.label).rstrip("/"))
            for offer in offers
            if offer.label.endswith("/")
        ]
    commit = ("#",) if typed.form == "link" else ()
    return listed(session, opened, span, offset, offers, commit=commit)


def _directories(bases: Bases, typed: _Typed, directory: str) -> Iterator[str]:
    """Where the typed segment may lie; nothing outside the repository."""
    target = read_target(f"{directory}x", link=typed.form in ("link", "image"))
    if target is None:
        return
    if target.variable is not None:
        starts: tuple[str | None, ...] = (
            bases.skill if target.variable == "skill" else bases.plugin,
        )
    elif typed.form == "code":
        starts = (bases.skill, bases.folder)
    elif typed.form == "inclusion":
        starts = (bases.folder, bases.top)
    else:
        starts = (bases.folder,)
    for start in dict.fromkeys(starts):
        joined = None if start is None else bases.join(start, target.path)
        if joined is not None:
            path = os.path.dirname(joined)
            if _is_inside(path, bases.top):
                yield path


def _is_inside(path: str, top: str) -> bool:
    """Whether a directory really lies in the repository, symbolic links followed."""
    real, root = os.path.realpath(path), os.path.realpath(top)
    return real == root or real.startswith(os.path.join(root, ""))


def _listing(
    session: Session, opened: OpenDocument, bases: Bases, directory: str, name: str, typed: _Typed
) -> Iterator[Offer]:
    prefix = unquote(name).lower()
    for entry, kind in session.workspace.surroundings.names(directory).items():
        path = os.path.join(directory, entry)
        if entry in _HIDDEN or (entry.startswith(".") and not prefix.startswith(".")):
            continue
        if prefix not in entry.lower() or path == opened.path:
            continue
        slash = "/" if kind == "directory" else ""
        text = entry if typed.in_angles or typed.form in ("code", "inclusion") else _encoded(entry)
        stub = session.workspace.catalog.by_path(path) if kind == "file" else None
        yield Offer(
            entry + slash,
            Kind.Folder if slash else Kind.File,
            text + slash,
            detail="" if stub is None else stub.title or said_description(stub),
            note="" if stub is None else stub.type,
            filter=text + slash,
            data=None if stub is None else {"ref": stub.ref},
        )


def _encoded(name: str) -> str:
    """A file's name as a link spells it."""
    return _UNSAFE.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), name)


def _rank(typed: _Typed, offer: Offer) -> tuple[int, str]:
    """For an image images first; otherwise Markdown files, then directories."""
    label = offer.label.lower()
    if label.endswith("/"):
        return 1, label
    wanted = label.endswith(IMAGES) if typed.form == "image" else kind_of(label) == "markdown"
    return (0 if wanted else 2), label


# Anchors.


def _anchors(
    session: Session, opened: OpenDocument, offset: int, typed: _Typed
) -> lsp.CompletionList | None:
    if typed.form not in ("link", "image"):
        return None
    path, _, _ = typed.text.partition("#")
    document = opened.document
    if path:
        bases = bases_of(session, opened)
        target = read_target(path)
        joined = None if bases is None or target is None else bases.join(bases.folder, target.path)
        other = None if joined is None else session.workspace.surroundings.document(joined)
        if other is None:
            return None
        document = other
    offers = [
        Offer(
            anchor.name,
            Kind.Reference,
            detail=anchor.span.of(document.text).strip()[:200],
            filter=anchor.name,
        )
        for anchor in document.anchors
    ]
    span = Span(typed.span.start + len(path) + 1, typed.span.end)
    return listed(session, opened, span, offset, offers)
