"""Refs that lead nowhere, and refs that two files or two list items claim."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple, TypeAlias

from akm_ls.documents.document import RefOccurrence
from akm_ls.documents.frontmatter import Frontmatter, read_frontmatter
from akm_ls.documents.nodes import Scalar, Sequence
from akm_ls.documents.occurrences import in_frontmatter
from akm_ls.documents.text import Span
from akm_ls.index.catalog import Catalog, Resolution
from akm_ls.index.stub import Stub
from akm_ls.lint.finding import Finding, Fix, Related, TextEdit
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules.formats import check_page_links
from akm_ls.lint.rules.legacy_targets import told_as_legacy
from akm_ls.refs import (
    ASSET_DIRECTORIES,
    Ref,
    is_citation,
    is_plausible_name,
    is_writable_in_prose,
    parse_ref,
)

LIST_CHANNELS = ("refs", "xrefs", "supersededBy", "contradictedBy")
"""Frontmatter keys whose items are refs and may be bare concept ids."""

_FENCE = re.compile(r"\s*---")

MAX_SUGGESTED = 500
"""Missing refs of one file for which a replacement is looked for: a quarter of a millisecond
each, the first time."""


def is_checked(subject: Subject, occurrence: RefOccurrence) -> bool:
    """Whether an occurrence is a claim that its target exists."""
    ref = occurrence.ref
    if ref is None:
        return False
    if ref.bundle is not None:
        return is_citation(ref, subject.bundles.ids)
    # A bare id whose first segment is no asset directory belongs to some other format.
    return ref.head in ASSET_DIRECTORIES and is_plausible_name(ref)


def prose_is_checked(subject: Subject) -> bool:
    """False where akm takes frontmatter as the whole truth, or a checkpoint quotes a session.

    A second block at the start of the body counts as well: some tools nest them.
    """
    return subject.once(_prose_is_checked)


def _prose_is_checked(subject: Subject) -> bool:
    inner = subject.once(_inner_block)
    if inner is None and not subject.traits.has("refs", "akm_memory_kind"):
        return True  # most files
    for block in (subject.document.frontmatter, None if inner is None else inner[1]):
        if block is not None and (
            isinstance(block.get("refs"), Sequence)
            or (isinstance(kind := block.get("akm_memory_kind"), Scalar) and kind.plain is not None)
        ):
            return False
    return True


def _inner_block(subject: Subject) -> tuple[int, Frontmatter] | None:
    """A second frontmatter block at the start of the body, with the offset of its own ones."""
    document = subject.document
    if document.frontmatter is None:
        return None
    fence = _FENCE.match(document.text, document.body_start)
    if fence is None:
        return None
    at = fence.end() - len("---")
    block = read_frontmatter(document.text[at:])
    return None if block is None or not block.closed else (at, block)


def _inner_refs(subject: Subject) -> Iterator[RefOccurrence]:
    """The refs in the list keys of a second block, which some tools nest in the body."""
    found = subject.once(_inner_block)
    if found is None:
        return
    offset, block = found
    for occurrence in in_frontmatter(block, subject.document.text[offset:], tasks=False):
        start, end = occurrence.span
        # A qualified ref is read as prose already, where prose counts.
        bare = occurrence.ref is not None and occurrence.ref.bundle is None
        if bare or not prose_is_checked(subject):
            yield occurrence._replace(span=Span(start + offset, end + offset))


FaultyRef: TypeAlias = tuple[RefOccurrence, Ref, Resolution]


class RefsInForce(NamedTuple):
    """The refs of a document that claim something, by where they lead.

    ``leading`` have the asset each leads to, and stand in ``faulty`` as well when that one lacks
    the heading they name. ``faulty`` do not lead to what they name.
    """

    leading: list[tuple[RefOccurrence, Ref, Stub]]
    faulty: list[FaultyRef]


def refs_in_force(subject: Subject) -> RefsInForce:
    """Needs the catalog. None where a faulty fence hides what is code."""
    return subject.once(_refs_in_force)


def _refs_in_force(subject: Subject) -> RefsInForce:
    catalog, document, bundles = subject.catalog, subject.document, subject.bundles
    assert catalog is not None
    home, known = subject.bundle.id, bundles.ids
    with_prose = prose_is_checked(subject)
    doubts = bool(document.fence_faults)
    bundle, assets = home, catalog.of_bundle(home)
    found = RefsInForce([], [])
    inner = subject.once(_inner_block)
    for occurrence in document.refs if inner is None else (*_inner_refs(subject), *document.refs):
        ref = occurrence.ref
        if (
            ref is None
            or not (with_prose or occurrence.channel != "prose")
            or not (ref.bundle in known or is_checked(subject, occurrence))
            or (doubts and document.is_doubtful(occurrence.span.start))
        ):
            continue
        named, fragment = ref.bundle or home, ref.fragment
        if named != bundle:
            bundle, assets = named, catalog.of_bundle(named)
        stub = assets.get(ref.concept_id)
        if (
            stub is None
            or named not in known
            or (fragment is not None and stub.fragment(fragment) is None)
        ):
            # Most are spelled as the catalog spells them; of the others it has more to say.
            suggest = len(found.faulty) < MAX_SUGGESTED
            resolution = catalog.resolve(ref, home, bundles, suggest=suggest)
            if resolution.status != "found":
                found.faulty.append((occurrence, ref, resolution))
            stub = None if resolution.status == "elsewhere" else resolution.stub
        if stub is not None:
            found.leading.append((occurrence, ref, stub))
    return found


def faulty_refs(subject: Subject) -> list[FaultyRef]:
    return refs_in_force(subject).faulty


def skips_refs(subject: Subject) -> bool:
    """Whether akm's ``lint_skip`` takes refs out: to akm all that can be wrong is `missing-ref`."""
    frontmatter = subject.document.frontmatter
    return frontmatter is not None and "missing-ref" in frontmatter.strings("lint_skip")


def check_missing_ref(subject: Subject) -> Iterable[Finding]:
    faulty = faulty_refs(subject)
    if not faulty and subject.traits.format != "okf":
        return ()
    return _missing_refs(subject, faulty)


def _missing_refs(subject: Subject, faulty: list[FaultyRef]) -> Iterator[Finding]:
    for occurrence, ref, resolution in faulty:
        if resolution.status in ("unknown-bundle", "missing") and (
            ":" not in ref.concept_id or occurrence.span not in told_as_legacy(subject)
        ):
            # Else it is found, or `wrong-bundle`, `dead-anchor` and `legacy-ref` say it.
            yield _judge(subject, occurrence, ref, resolution)
    yield from check_page_links(subject)


def _judge(
    subject: Subject, occurrence: RefOccurrence, ref: Ref, resolution: Resolution
) -> Finding:
    place = _place(occurrence)
    data: dict[str, object] = {"ref": str(ref), "channel": occurrence.channel}
    if resolution.status == "unknown-bundle":
        known = ", ".join(sorted(subject.bundles.ids)) or "none"
        message = (
            f'No bundle is named "{ref.bundle}" in {ref.asset}{place}. Known bundles: {known}.'
        )
        data["reason"] = "unknown-bundle"
    else:
        where = f' in bundle "{ref.bundle}"' if ref.bundle else ""
        message = f"{ref.asset} does not exist{where}{place}."
        data["reason"] = "missing-asset"
    suggestions = _suggestions(subject, occurrence, ref, resolution)
    if suggestions:
        message += f" Did you mean {' or '.join(suggestions)}?"
        data["suggestions"] = list(suggestions)
    return Finding(
        code="missing-ref",
        severity="warning",
        message=message,
        span=occurrence.span,
        data=data,
        fixes=replacements(occurrence.span, suggestions),
    )


def _place(occurrence: RefOccurrence) -> str:
    return "" if occurrence.channel == "prose" else f" (frontmatter {occurrence.channel})"


def replacements(span: Span, suggestions: Iterable[str]) -> tuple[Fix, ...]:
    """A fix for each thing that may have been meant, the likeliest preferred."""
    return tuple(
        Fix(f"Replace by {suggestion}", (TextEdit(span, suggestion),), preferred=rank == 0)
        for rank, suggestion in enumerate(suggestions)
    )


def _suggestions(
    subject: Subject, occurrence: RefOccurrence, ref: Ref, resolution: Resolution
) -> tuple[str, ...]:
    """Replacements for a whole ref, the likeliest first, that can be written where it stands."""
    spelled: list[str] = []
    for suggestion in resolution.suggestions:
        candidate = parse_ref(suggestion)
        if ref.bundle is None and candidate.bundle == subject.bundle.id:
            candidate = Ref(None, candidate.concept_id)
        text = str(Ref(candidate.bundle, candidate.concept_id, ref.fragment))
        if occurrence.channel != "prose" or is_writable_in_prose(text):
            spelled.append(text)
    return tuple(spelled)


def check_wrong_bundle(subject: Subject) -> Iterable[Finding]:
    faulty = faulty_refs(subject)
    return _in_other_bundles(subject, faulty) if faulty and not skips_refs(subject) else ()


def _in_other_bundles(subject: Subject, faulty: list[FaultyRef]) -> Iterator[Finding]:
    for occurrence, ref, resolution in faulty:
        if ref.bundle is None or resolution.status != "elsewhere" or resolution.stub is None:
            continue
        suggestions = _suggestions(subject, occurrence, ref, resolution)
        instead = f"write {' or '.join(suggestions)}" if suggestions else resolution.stub.ref
        yield Finding(
            code="wrong-bundle",
            severity="warning",
            message=(
                f"{ref.asset} does not exist{_place(occurrence)}; the asset is in another bundle: "
                f"{instead}."
            ),
            span=occurrence.span,
            related=(Related(resolution.stub.path, "the asset that exists"),),
            data={
                "ref": str(ref),
                "channel": occurrence.channel,
                "reason": "other-bundle",
                "suggestions": list(suggestions),
            },
            fixes=replacements(occurrence.span, suggestions),
        )


def check_duplicate_ref(subject: Subject) -> Iterable[Finding]:
    catalog = subject.catalog
    contested = None if catalog is None else catalog.contested_by(subject.path)
    listed: list[RefOccurrence] = []
    if subject.traits.has(*LIST_CHANNELS):
        listed = [it for it in subject.document.refs if it.channel in LIST_CHANNELS]
    if catalog is not None and contested is not None:
        return chain(_repeated_items(subject, listed), _contested_ref(subject, catalog, contested))
    return _repeated_items(subject, listed) if len(listed) > 1 else ()


def _repeated_items(subject: Subject, listed: list[RefOccurrence]) -> Iterator[Finding]:
    """The second and later mention of one ref in one frontmatter list."""
    first: dict[tuple[str, Ref], RefOccurrence] = {}
    for occurrence in listed:
        ref = occurrence.ref
        if ref is None:
            continue
        key = (occurrence.channel, _meant(subject, ref))
        earlier = first.setdefault(key, occurrence)
        if earlier is occurrence:
            continue
        spelled = f", as {earlier.ref}" if earlier.ref != ref else ""
        yield Finding(
            code="duplicate-ref",
            severity="warning",
            message=f"{ref} is already in this {occurrence.channel} list{spelled}.",
            span=occurrence.span,
            related=(Related(subject.path, "first named here", earlier.span),),
            data={"ref": str(ref), "channel": occurrence.channel, "reason": "repeated"},
            tags=("unnecessary",),
        )


def _meant(subject: Subject, ref: Ref) -> Ref:
    """The asset that a ref leads to, so far as it is known, however the author spelled it.

    akm takes a file's path for its id as well: ``knowledge/x.md`` is ``knowledge/x``.
    """
    if subject.catalog is not None:
        home = subject.bundle.id
        found = subject.catalog.resolve(ref, home, subject.bundles, suggest=False)
        if found.stub is not None and found.status != "elsewhere":
            return Ref(found.stub.bundle, found.stub.concept_id, ref.fragment)
    return ref.in_bundle(subject.bundle.id)


def _contested_ref(subject: Subject, catalog: Catalog, contested: str) -> Iterator[Finding]:
    """Two files of one bundle that claim one ref; the index keeps the first by path."""
    claimants = catalog.claimants(subject.bundle.id, contested)
    others = [path for path in claimants if path != subject.path]
    if not others:
        return
    ref = f"{subject.bundle.id}//{contested}"
    holds = claimants[0] == subject.path
    names = ", ".join(_relative(path, subject) for path in others)
    message = (
        f"{names} claims the ref {ref} too and is not indexed; rename one of the files."
        if holds
        else f"{ref} already belongs to {names}; this file is not indexed. Rename one of them."
    )
    yield Finding(
        code="duplicate-ref",
        severity="information" if holds else "warning",
        message=message,
        span=subject.document.lines.line_span(0),
        related=tuple(Related(path, f"also claims {ref}") for path in others),
        data={"ref": ref, "files": list(claimants), "reason": "contested"},
    )


def _relative(path: str, subject: Subject) -> str:
    return os.path.relpath(path, subject.bundle.real_root).replace(os.sep, "/")


RULES = (
    Rule(
        code="missing-ref",
        severity="warning",
        summary="A ref names a bundle or an asset that does not exist.",
        why="An agent that follows the ref gets nothing and goes on with less than it needs.",
        remedy="Correct the ref, create the asset, or remove the citation.",
        example="See team//knowledge/auth/token for the details.\n",
        around={"knowledge/auth/tokens.md": "# Tokens\n"},
        check=check_missing_ref,
        group="references",
        places=("prose", "headings", "inline code", "indented code", "frontmatter refs"),
        kinds=frozenset({"markdown", "yaml"}),
        needs_catalog=True,
        skippable=True,
    ),
    Rule(
        code="wrong-bundle",
        severity="warning",
        summary="A ref names the wrong bundle: the asset is in another one.",
        why=(
            "A ref is looked up in the bundle it names: an agent that follows this one gets "
            "nothing, although the asset exists."
        ),
        remedy="Name the bundle that has the asset.",
        example="See other//knowledge/retries for the details.\n",
        around={
            "knowledge/retries.md": "# Retries\n",
            "../other/knowledge/limits.md": "# Limits\n",
        },
        check=check_wrong_bundle,
        group="references",
        places=("prose", "headings", "inline code", "indented code", "frontmatter refs"),
        kinds=frozenset({"markdown", "yaml"}),
        needs_catalog=True,
    ),
    Rule(
        code="duplicate-ref",
        severity="warning",
        summary="Two files claim one ref, or a list names one ref twice.",
        why=(
            "Of two files with one ref only the first by path is indexed; the other can be "
            "neither found nor shown."
        ),
        remedy="Rename one of the files, or remove the repeated list item.",
        example="---\nxrefs: [knowledge/auth, knowledge/auth]\n---\n",
        check=check_duplicate_ref,
        group="references",
        places=("frontmatter refs", "file name"),
        kinds=frozenset({"markdown", "yaml", "script", "env", "other"}),
    ),
)
