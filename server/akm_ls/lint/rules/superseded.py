"""Citations of assets that something newer replaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from akm_ls.documents.document import RefOccurrence
from akm_ls.documents.nodes import Sequence
from akm_ls.index.catalog import Catalog
from akm_ls.index.stub import Stub
from akm_ls.lint.finding import Finding, Fix, Related, TextEdit
from akm_ls.lint.frontmatter_edits import FrontmatterEdits
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules.references import refs_in_force
from akm_ls.refs import Ref, is_writable_in_prose, try_parse_ref

DEMOTING_STATES = frozenset({"superseded", "contradicted", "deprecated", "archived"})
"""Belief states that put an asset behind the others (akm.md §10.1)."""

_MAX_SEEN = 20
"""Replacements, and replacements of these, that are looked at for one ref."""
_CORRECTIONS = ("supersededBy", "contradictedBy")


def state_of(stub: Stub) -> str | None:
    """The state in which an asset should no longer be cited, or ``None``."""
    if stub.belief_state is not None:
        state = stub.belief_state.strip().lower()
        if state in DEMOTING_STATES:
            return state
    if stub.superseded_by:
        return "superseded"
    return "deprecated" if stub.mark("status") == "deprecated" else None


def check_superseded_target(subject: Subject) -> Iterable[Finding]:
    """Refs to superseded, contradicted, deprecated or archived assets (akm.md §11)."""
    suspects = [
        (occurrence, ref, stub)
        for occurrence, ref, stub in refs_in_force(subject).leading
        if stub.belief_state is not None or stub.superseded_by or "status" in stub.marks
    ]
    return _superseded(subject, suspects) if suspects else ()


def _superseded(
    subject: Subject, suspects: list[tuple[RefOccurrence, Ref, Stub]]
) -> Iterator[Finding]:
    catalog = subject.catalog
    assert catalog is not None
    own = subject.stub
    if own is not None and state_of(own) is not None:
        return  # history may cite history
    for occurrence, ref, stub in suspects:
        state = state_of(stub)
        if state is None:
            continue
        if occurrence.channel in _CORRECTIONS or stub.path == subject.path:
            continue
        if own is not None and own in _named(catalog, subject, stub, _corrections_of(stub)):
            continue  # a correction cites what it corrects
        yield _finding(subject, catalog, occurrence, ref, stub, state)


def _finding(
    subject: Subject,
    catalog: Catalog,
    occurrence: RefOccurrence,
    ref: Ref,
    stub: Stub,
    state: str,
) -> Finding:
    replacements = _current(catalog, subject, stub)
    refs = [_spelled(subject, ref, other) for other in replacements]
    by = _corrections_of(stub)
    alone = len(replacements) == len(by) == 1
    if replacements:
        message = f"{ref.asset} is {state} by {' and '.join(refs)}; cite that instead."
        if state not in ("superseded", "contradicted"):
            message = f"{ref.asset} is {state}; {' and '.join(refs)} replaces it."
    elif by:
        message = f"{ref.asset} is {state} by {' and '.join(by)}, which does not exist."
    else:
        message = f"{ref.asset} is {state}, and nothing says what replaces it."
    return Finding(
        code="superseded-target",
        # Without a replacement there is nothing to do at once, unless the target is plainly wrong.
        severity="information" if replacements or state == "contradicted" else "hint",
        message=message,
        span=occurrence.span,
        related=(
            Related(stub.path, f"says that it is {state}"),
            *(Related(other.path, "replaces it") for other in replacements),
        ),
        data={"ref": str(ref), "state": state, "replacements": [it.ref for it in replacements]},
        fixes=tuple(
            fix
            for other, text in zip(replacements, refs, strict=True)
            if (fix := _replace(subject, occurrence, ref, other, text, alone)) is not None
        ),
        tags=("deprecated",),
    )


def _replace(
    subject: Subject, occurrence: RefOccurrence, ref: Ref, other: Stub, text: str, alone: bool
) -> Fix | None:
    """Cite the replacement; in prose a sentence may be about the old asset, so ask first."""
    keeps_fragment = True
    if ref.fragment is not None:
        keeps_fragment = other.fragment(ref.fragment) is not None
        if keeps_fragment:
            text = f"{text}#{ref.fragment}"
    if occurrence.channel == "prose" and not is_writable_in_prose(text):
        return None
    safe = alone and keeps_fragment and occurrence.channel != "prose"
    index = _index_of_item(subject, occurrence)
    if index is not None and _is_listed(subject, occurrence, other):
        edits = FrontmatterEdits(subject.document)
        if not edits.remove(occurrence.channel, index):
            return None
        title = f"Remove {ref}; {other.concept_id} is in the list already"
        return Fix(title, edits.edits(), safe=safe, preferred=alone)
    edit = TextEdit(occurrence.span, text)
    return Fix(f"Replace by {text}", (edit,), safe=safe, preferred=alone)


def _index_of_item(subject: Subject, occurrence: RefOccurrence) -> int | None:
    frontmatter = subject.document.frontmatter
    node = None if frontmatter is None else frontmatter.get(occurrence.channel)
    if not isinstance(node, Sequence):
        return None
    for index, item in enumerate(node.items):
        if item.span.start <= occurrence.span.start and occurrence.span.end <= item.span.end:
            return index
    return None


def _is_listed(subject: Subject, occurrence: RefOccurrence, other: Stub) -> bool:
    target = Ref(other.bundle, other.concept_id)
    return any(
        it.ref is not None and it.ref.in_bundle(subject.bundle.id).asset == target
        for it in subject.document.refs
        if it.channel == occurrence.channel
    )


def _corrections_of(stub: Stub) -> tuple[str, ...]:
    return stub.superseded_by or stub.marked("contradictedBy")


def _current(catalog: Catalog, subject: Subject, stub: Stub) -> list[Stub]:
    """What replaces an asset now: replacements that are themselves replaced are followed."""
    seen = {stub.ref}
    current: list[Stub] = []
    waiting = _named(catalog, subject, stub, _corrections_of(stub))
    while waiting and len(seen) < _MAX_SEEN:
        other = waiting.pop(0)
        if other.ref in seen:
            continue
        seen.add(other.ref)
        if state_of(other) is None:
            current.append(other)
        else:
            waiting += _named(catalog, subject, other, _corrections_of(other))
    return current


def _named(catalog: Catalog, subject: Subject, home: Stub, refs: tuple[str, ...]) -> list[Stub]:
    """The assets that some refs in the frontmatter of ``home`` lead to."""
    found: list[Stub] = []
    for text in refs:
        ref = try_parse_ref(text)
        if ref is None:
            continue
        resolution = catalog.resolve(ref.asset, home.bundle, subject.bundles, suggest=False)
        if resolution.status == "found" and resolution.stub is not None:
            found.append(resolution.stub)
    return found


def _spelled(subject: Subject, ref: Ref, other: Stub) -> str:
    """A replacement in the way the author spells refs: bare where he leaves the bundle out."""
    if ref.bundle is None and other.bundle == subject.bundle.id:
        return other.concept_id
    return other.ref


RULES = (
    Rule(
        code="superseded-target",
        severity="information",
        summary="A ref names an asset that is superseded, contradicted, deprecated or archived.",
        why=(
            "The asset says of itself that it no longer holds, and search puts it last; an agent "
            "that follows the ref reads it all the same."
        ),
        remedy="Cite what replaces it, or remove the citation.",
        example="---\nxrefs: [knowledge/old]\n---\nKnowledge that rests on something superseded.\n",
        around={
            "knowledge/old.md": "---\nbeliefState: superseded\nsupersededBy: knowledge/new\n---\n",
            "knowledge/new.md": "# What holds now\n",
        },
        check=check_superseded_target,
        group="references",
        places=("prose", "headings", "inline code", "indented code", "frontmatter refs"),
        kinds=frozenset({"markdown", "yaml"}),
        needs_catalog=True,
    ),
)
