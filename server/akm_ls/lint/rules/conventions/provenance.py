"""What an asset was made from is cited, and checked again when it has changed (S2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from akm_ls.documents.document import Document
from akm_ls.documents.nodes import Mapping, Node, Scalar, Sequence
from akm_ls.documents.text import Span
from akm_ls.index.stub import Stub
from akm_ls.lint.finding import Finding, Fix, Related
from akm_ls.lint.frontmatter_edits import FrontmatterEdits
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules.conventions.xrefs import cited_stubs
from akm_ls.refs import ASSET_DIRECTORIES, Ref, try_parse_ref

_KEYS = ("source", "sources", "derivedFrom", "evidenceSources")
_DERIVED = re.compile(
    r"\b(?:derived from|synthesi[sz]ed from|based on)[ \t]+(?:the[ \t]+)?[`\"'(\[*_]{0,3}\Z",
    re.IGNORECASE,
)
_PHRASES = ("erived from", "ynthesised from", "ynthesized from", "ased on")
"""A document without these, which most are, need not be looked at ref by ref."""
_MAY_DERIVE = re.compile("d (?:from|on)")
"""What all of them have, for one quick look in place of four."""
_BEFORE = 60
"""Characters before a ref that may say that it is a source."""
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Source:
    """An asset that another says it was made from, and where it says so."""

    stub: Stub
    span: Span


def sources_of(subject: Subject) -> tuple[Source, ...]:
    """The assets a document was made from by its own words; each once."""
    return subject.once(_sources_of)


def _sources_of(subject: Subject) -> tuple[Source, ...]:
    catalog = subject.catalog
    assert catalog is not None
    found: list[Source] = []
    seen: set[str] = set()
    in_keys = _in_keys(subject) if subject.traits.has(*_KEYS) else ()
    for ref, span in (*in_keys, *_in_prose(subject)):
        target = catalog.resolve(ref.asset, subject.bundle.id, subject.bundles, suggest=False)
        stub = target.stub if target.status == "found" else None
        if stub is not None and stub.path != subject.path and stub.ref not in seen:
            seen.add(stub.ref)
            found.append(Source(stub, span))
    return tuple(found)


def _in_keys(subject: Subject) -> Iterator[tuple[Ref, Span]]:
    frontmatter = subject.document.frontmatter
    if frontmatter is None:
        return
    for key in _KEYS:
        node = frontmatter.get(key)
        if node is None:
            continue
        for scalar in _scalars(node):
            ref = try_parse_ref(scalar.text)
            if ref is not None and ref.head in ASSET_DIRECTORIES:
                yield ref, scalar.span


def _scalars(node: Node) -> Iterator[Scalar]:
    items: Iterable[Node | None] = node.items if isinstance(node, Sequence) else (node,)
    for item in items:
        if isinstance(item, Mapping):
            item = item.get("resource")
        if isinstance(item, Scalar):
            yield item


def _in_prose(subject: Subject) -> Iterable[tuple[Ref, Span]]:
    text = subject.document.text
    if not _MAY_DERIVE.search(text) or not any(phrase in text for phrase in _PHRASES):
        return ()
    return _said_in_prose(subject.document)


def _said_in_prose(document: Document) -> Iterator[tuple[Ref, Span]]:
    text = document.text
    for occurrence in document.refs:
        if occurrence.channel != "prose" or occurrence.ref is None:
            continue
        start = occurrence.span.start
        before = text[max(document.body_start, start - _BEFORE) : start]
        if _DERIVED.search(before):
            yield occurrence.ref, occurrence.span


def _is_derived_by_akm(subject: Subject) -> bool:
    """A memory's twin, which akm writes and keeps."""
    frontmatter = subject.document.frontmatter
    return subject.rel.endswith(".derived.md") or (
        frontmatter is not None and frontmatter.text("inferred") == "true"
    )


def check_provenance(subject: Subject) -> Iterable[Finding]:
    sources = sources_of(subject)
    return _uncited(subject, sources) if sources and not _is_derived_by_akm(subject) else ()


def _uncited(subject: Subject, sources: tuple[Source, ...]) -> Iterator[Finding]:
    cited = cited_stubs(subject, "xrefs", "refs")
    for source in sources:
        stub = source.stub
        if stub.ref in cited:
            continue
        spelled = stub.concept_id if stub.bundle == subject.bundle.id else stub.ref
        edits = FrontmatterEdits(subject.document)
        added = edits.append("xrefs", spelled)
        yield Finding(
            code="provenance-missing",
            severity="hint",
            message=f"This asset was made from {spelled} but does not cite it; add it to xrefs.",
            span=source.span,
            related=(Related(stub.path, "the source"),),
            data={"ref": stub.ref},
            fixes=(Fix(f"Add {spelled} to xrefs", edits.edits(), safe=True),) if added else (),
        )


def check_source_changed(subject: Subject) -> Iterable[Finding]:
    """By the dates that authors keep: a file's own time changes with every checkout."""
    frontmatter, sources = subject.document.frontmatter, sources_of(subject)
    if frontmatter is None or not sources:
        return ()
    match = _DATE.match((frontmatter.text("updated") or "").strip())
    return () if match is None else _changed_since(match, sources)


def _changed_since(match: re.Match[str], sources: tuple[Source, ...]) -> Iterator[Finding]:
    for source in sources:
        changed = source.stub.mark("updated")
        if changed is None or changed <= match.group():
            continue
        yield Finding(
            code="source-changed",
            severity="hint",
            message=(
                f"{source.stub.concept_id} was updated on {changed}, after this asset "
                f"({match.group()}); check whether what was made from it still holds."
            ),
            span=source.span,
            related=(Related(source.stub.path, f"updated on {changed}"),),
            data={"ref": source.stub.ref, "updated": changed},
        )


RULES = (
    Rule(
        code="provenance-missing",
        severity="hint",
        summary="An asset says what it was made from and does not cite it.",
        why=(
            "A cross reference is how somebody later finds what a claim rests on, and what has "
            "to be looked at when the source turns out to be wrong. Original notes need none."
        ),
        remedy="Add the source to `xrefs`.",
        example=(
            "---\ndescription: How the queue is drained\nsources: [memories/webshop/outage]\n---\n"
        ),
        around={"memories/webshop/outage.md": "---\ndescription: Outage\n---\n"},
        check=check_provenance,
        about=lambda traits: traits.is_own,
        group="conventions",
        places=("frontmatter", "prose"),
        needs_catalog=True,
    ),
    Rule(
        code="source-changed",
        severity="hint",
        summary="A source has a later `updated` date than the asset made from it.",
        why="What was made from an older state may no longer be true.",
        remedy="Read the source again, correct the asset, and set its `updated`.",
        example=(
            "---\ndescription: How the queue is drained\nupdated: 2026-01-02\n"
            "sources: [memories/webshop/outage]\n---\n"
        ),
        around={
            "memories/webshop/outage.md": ("---\ndescription: Outage\nupdated: 2026-02-03\n---\n")
        },
        check=check_source_changed,
        about=lambda traits: traits.is_own and traits.has("updated"),
        group="conventions",
        places=("frontmatter", "prose"),
        needs_catalog=True,
    ),
)
