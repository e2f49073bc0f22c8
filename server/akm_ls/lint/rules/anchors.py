"""Fragments of links and refs that no heading has."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import chain
from urllib.parse import unquote

from akm_ls.documents.document import Document
from akm_ls.documents.markdown import Link
from akm_ls.documents.text import Span
from akm_ls.index.matching import nearest_names
from akm_ls.index.stub import Stub
from akm_ls.lint.finding import Finding, Related
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules.link_targets import read_target
from akm_ls.lint.rules.references import FaultyRef, faulty_refs, replacements, skips_refs

SUGGESTIONS = 3
MAX_COMPARISONS = 50_000
"""Headings that a document's dead anchors are compared with; links after that get no advice."""

_NO_HEADING = re.compile(
    r"L\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?\Z|:~:|top\Z|user-content-|[!/]|fn[:-]?\d|\d"
)
"""Lines of a file, places a browser knows by itself, footnotes, routes of single-page sites."""
_NUMBER = re.compile(r"\A-*\d+[a-z]?-+")
_HYPHENS = re.compile(r"[-_]+")
_PLACEHOLDER = re.compile(r"[{}<>$*|…\[\]]|\.\.\.")
_SAMPLES = frozenset(("anchor", "section", "heading", "link", "section-name", "heading-name", "id"))


def check_dead_anchor(subject: Subject) -> Iterable[Finding]:
    faulty = () if subject.catalog is None else faulty_refs(subject)
    if not faulty or skips_refs(subject):
        return _in_links(subject) if subject.document.links else ()
    return chain(_in_links(subject), _in_refs(subject, faulty))


class _Anchors:
    """What a document's headings are called, prepared for many links to them."""

    def __init__(self, document: Document) -> None:
        self.names = list(dict.fromkeys(anchor.name for anchor in document.anchors))
        self.comparable = {_comparable(name): name for name in reversed(self.names)}
        # Headings are in doubt, or another renderer makes the anchors.
        self.in_doubt = bool(document.fence_faults) or "{%" in document.text
        self._folded: dict[str, str] | None = None
        self._cores: list[tuple[str, str]] | None = None
        self._comparisons = MAX_COMPARISONS

    def in_another_case(self, wanted: str) -> str | None:
        if self._folded is None:
            self._folded = {name.lower(): real for name, real in self.comparable.items()}
        return self._folded.get(wanted.lower())

    def nearest(self, wanted: str) -> tuple[str, ...]:
        """Those that may have been meant: the same words first, then more words, then like ones."""
        if self._comparisons <= 0:
            return ()
        self._comparisons -= len(self.names)
        if self._cores is None:
            self._cores = [(f"-{_core(name)}-", name) for name in self.names]
        core = _core(wanted)
        whole = f"-{core}-"
        same = [name for other, name in self._cores if other == whole]
        longer = [name for other, name in self._cores if core and whole in other]
        near = nearest_names(wanted, self.names, SUGGESTIONS)
        return tuple(dict.fromkeys((*same, *longer, *near)))[:SUGGESTIONS]


def _in_links(subject: Subject) -> Iterator[Finding]:
    document = subject.document
    prepared: dict[str, _Anchors] = {}
    for link in document.links:
        if (
            link.kind == "autolink"
            or "#" not in link.target
            or document.is_doubtful(link.span.start)
        ):
            continue
        target = read_target(link.target)
        if target is None or not target.fragment or _means_no_heading(target.fragment):
            continue
        path, other = subject.path, document
        if target.path:
            if target.variable is not None or not target.path.lower().endswith((".md", ".mdc")):
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(subject.path), target.path))
            if subject.around.kind(path) != "file":
                continue  # dead-link says it
            found = subject.around.document(path)
            if found is None or found.kind != "markdown":
                continue
            other = found
        anchors = prepared.get(path)
        if anchors is None:
            anchors = prepared[path] = _Anchors(other)
        finding = _judge(subject, link, target.fragment, path, anchors)
        if finding is not None:
            yield finding


def _means_no_heading(fragment: str) -> bool:
    return (
        _NO_HEADING.match(fragment) is not None
        or _PLACEHOLDER.search(fragment) is not None
        or fragment.lower() in _SAMPLES
    )


def _judge(
    subject: Subject, link: Link, fragment: str, path: str, anchors: _Anchors
) -> Finding | None:
    wanted = _comparable(unquote(fragment))
    if wanted in anchors.comparable or anchors.in_doubt:
        return None
    here = path == subject.path
    where = "this document" if here else os.path.basename(path)
    same = anchors.in_another_case(wanted)
    if same is not None:
        suggestions: tuple[str, ...] = (same,)
        message = f'The heading in {where} is "#{same}"; anchors are told apart by case.'
    else:
        suggestions = anchors.nearest(unquote(fragment))
        message = f'No heading in {where} has the anchor "#{fragment}".'
        if suggestions:
            message += f" Did you mean {' or '.join(f'#{name}' for name in suggestions)}?"
    start = link.target_span.start + link.target.index("#") + 1
    span = Span(start, link.target_span.end)
    return Finding(
        code="dead-anchor",
        severity="warning" if same is None else "information",
        message=message,
        span=span,
        related=() if here else (Related(path, "the headings it has"),),
        data={"fragment": fragment, "reason": "missing-anchor", "suggestions": list(suggestions)},
        fixes=replacements(span, suggestions),
    )


def _core(name: str) -> str:
    """The words of an anchor, without a leading number and doubled hyphens."""
    return _HYPHENS.sub("-", _NUMBER.sub("", name.lower())).strip("-")


def _comparable(name: str) -> str:
    """``name`` without what renderers do not agree on: variation selectors and forms."""
    return unicodedata.normalize("NFC", name.replace("\ufe0f", "").replace("\u200d", ""))


def _in_refs(subject: Subject, faulty: Iterable[FaultyRef]) -> Iterator[Finding]:
    for occurrence, ref, found in faulty:
        if ref.fragment is None:
            continue
        if found.status != "missing-fragment" or found.stub is None or _hides_its_body(found.stub):
            continue
        written = occurrence.span.of(subject.document.text)
        span = Span(occurrence.span.start + written.find("#") + 1, occurrence.span.end)
        message = f'{ref.asset} has no heading "#{ref.fragment}".'
        if found.suggestions:
            message += f" Did you mean {' or '.join(f'#{name}' for name in found.suggestions)}?"
        yield Finding(
            code="dead-anchor",
            severity="warning",
            message=message,
            span=span,
            related=(Related(found.stub.path, "the headings it has"),),
            data={
                "ref": str(ref),
                "channel": occurrence.channel,
                "reason": "missing-fragment",
                "fragments": [slug for slug, _ in found.stub.fragments()],
                "suggestions": list(found.suggestions),
            },
            fixes=replacements(span, found.suggestions),
        )


def _hides_its_body(stub: Stub) -> bool:
    """Whether an asset's headings are kept out of the index: sessions and their checkpoints."""
    return stub.type == "session" or (stub.type == "memory" and not stub.slugs)


RULES = (
    Rule(
        code="dead-anchor",
        severity="warning",
        summary="A link or a ref ends in a `#fragment` that no heading has.",
        why=(
            "The reader lands at the top of the page; an agent that asks for the section gets "
            "nothing."
        ),
        remedy=(
            "Write the heading's anchor: GitHub's for a Markdown link, akm's for a ref. They "
            "differ: `Files & Names` is `#files--names` in a link, `#files-names` in a ref."
        ),
        example="[Rotation](#rotation-of-key)\n\n## Rotation of keys\n",
        check=check_dead_anchor,
        group="links",
        places=("links", "prose", "headings", "inline code", "indented code", "frontmatter refs"),
        kinds=frozenset({"markdown", "yaml"}),
    ),
)
