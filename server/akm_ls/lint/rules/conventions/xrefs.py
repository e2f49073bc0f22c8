"""The list of cross references: few, to other assets, each once (S2, backlinks)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from akm_ls.documents.document import RefOccurrence
from akm_ls.documents.nodes import Scalar, Sequence
from akm_ls.index.stub import Stub
from akm_ls.lint.finding import Finding, Fix, Related
from akm_ls.lint.frontmatter_edits import FrontmatterEdits
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.traits import Traits

MAX_XREFS = 5
"""Beyond this, cross references blur the ranking (S2: a heuristic)."""

_CHANNELS = ("xrefs", "supersededBy", "contradictedBy")


def check_xref_cap(subject: Subject) -> Iterable[Finding]:
    frontmatter = subject.document.frontmatter
    pair = None if frontmatter is None else frontmatter.root.pair("xrefs")
    if pair is None or not isinstance(pair.value, Sequence):
        return ()
    count = len(pair.value.items)
    if count <= MAX_XREFS:
        return ()
    found = Finding(
        code="xref-cap",
        severity="hint",
        message=(
            f"{count} cross references: their words are searched as this asset's own, and "
            f"more than about {MAX_XREFS} blur what it is about. Keep those to its sources."
        ),
        span=pair.key.span,
        data={"count": count},
    )
    return (found,)


def check_xref_self(subject: Subject) -> Iterator[Finding]:
    own = subject.recognition
    if own is None:
        return
    for occurrence in subject.document.refs:
        ref = occurrence.ref
        if (
            ref is None
            or occurrence.channel not in _CHANNELS
            or ref.concept_id != own.concept_id
            or ref.bundle not in (None, subject.bundle.id)
        ):
            continue
        yield Finding(
            code="xref-self",
            severity="hint",
            message=f"{ref} is this asset itself; remove it from {occurrence.channel}.",
            span=occurrence.span,
            data={"ref": str(ref), "channel": occurrence.channel},
            fixes=_removal(subject, occurrence, safe=occurrence.channel == "xrefs"),
            tags=("unnecessary",),
        )


def check_xref_duplicate(subject: Subject) -> Iterable[Finding]:
    """Two spellings of one asset; the same spelling twice is `duplicate-ref`."""
    listed = [it for it in subject.document.refs if it.channel == "xrefs"]
    return _duplicates(subject, listed) if len(listed) > 1 else ()


def _duplicates(subject: Subject, listed: list[RefOccurrence]) -> Iterator[Finding]:
    catalog = subject.catalog
    assert catalog is not None
    first: dict[tuple[str, str, str | None], RefOccurrence] = {}
    resolve = partial(
        catalog.resolve, home=subject.bundle.id, bundles=subject.bundles, suggest=False
    )
    for occurrence in listed:
        ref = occurrence.ref
        if ref is None:
            continue
        found = resolve(ref)
        stub = found.stub
        if stub is None or found.status != "found":
            continue
        earlier = first.setdefault((stub.bundle, stub.concept_id, found.fragment), occurrence)
        if earlier is occurrence or earlier.ref is None:
            continue
        if earlier.ref.in_bundle(subject.bundle.id) == ref.in_bundle(subject.bundle.id):
            continue
        yield Finding(
            code="xref-duplicate",
            severity="hint",
            message=f"{ref} is the same asset as {earlier.ref}, which is in the list already.",
            span=occurrence.span,
            related=(Related(subject.path, "named here already", earlier.span),),
            data={"ref": str(ref)},
            fixes=_removal(subject, occurrence, safe=True),
            tags=("unnecessary",),
        )


def _removal(subject: Subject, occurrence: RefOccurrence, *, safe: bool) -> tuple[Fix, ...]:
    index = index_of(subject, occurrence)
    edits = FrontmatterEdits(subject.document)
    if index is None or not edits.remove(occurrence.channel, index):
        return ()
    return (Fix(f"Remove {occurrence.text}", edits.edits(), safe=safe),)


def index_of(subject: Subject, occurrence: RefOccurrence) -> int | None:
    """Which item of its frontmatter list a ref is; a lone scalar is the first."""
    frontmatter = subject.document.frontmatter
    node = None if frontmatter is None else frontmatter.get(occurrence.channel)
    items = node.items if isinstance(node, Sequence) else (node,)
    for index, item in enumerate(items):
        if (
            isinstance(item, Scalar)
            and item.span.start <= occurrence.span.start
            and occurrence.span.end <= item.span.end
        ):
            return index
    return None


def cited_stubs(subject: Subject, *channels: str) -> dict[str, Stub]:
    """The assets that some frontmatter lists name, by ref."""
    found: dict[str, Stub] = {}
    if subject.catalog is None:
        return found
    for occurrence in subject.document.refs:
        if occurrence.ref is None or occurrence.channel not in channels:
            continue
        resolution = subject.catalog.resolve(
            occurrence.ref.asset, subject.bundle.id, subject.bundles, suggest=False
        )
        if resolution.status == "found" and resolution.stub is not None:
            found[resolution.stub.ref] = resolution.stub
    return found


def _has_xrefs(traits: Traits) -> bool:
    return traits.is_own and traits.has("xrefs")


RULES = (
    Rule(
        code="xref-cap",
        severity="hint",
        summary=f"An asset has more than {MAX_XREFS} cross references.",
        why=(
            "Cross references are searched like hints: a source that dozens of assets cite is "
            "found under each of their words, and no longer by its own."
        ),
        remedy="Keep the refs to what the asset was made from and the few that truly help.",
        example=(
            "---\ndescription: How the queue is drained\n"
            "xrefs: [facts/a1, facts/a2, facts/a3, facts/a4, facts/a5, facts/a6]\n---\n"
        ),
        check=check_xref_cap,
        about=_has_xrefs,
        group="conventions",
        places=("frontmatter refs",),
    ),
    Rule(
        code="xref-self",
        severity="hint",
        summary="An asset refers to itself.",
        why="The ref leads nowhere new and takes the place of one that would.",
        remedy="Remove the ref.",
        example="---\ndescription: How the queue is drained\nxrefs: [knowledge/example]\n---\n",
        check=check_xref_self,
        about=lambda traits: traits.is_own and traits.has(*_CHANNELS),
        group="conventions",
        places=("frontmatter refs",),
    ),
    Rule(
        code="xref-duplicate",
        severity="hint",
        summary="Two cross references lead to one asset.",
        why="The second one adds nothing, and its words count twice.",
        remedy="Remove one of them.",
        example=(
            "---\ndescription: How the queue is drained\n"
            "xrefs: [knowledge/other, knowledge/other.md]\n---\n"
        ),
        around={"knowledge/other.md": "---\ndescription: Other\n---\n"},
        check=check_xref_duplicate,
        about=_has_xrefs,
        group="conventions",
        places=("frontmatter refs",),
        needs_catalog=True,
    ),
)
