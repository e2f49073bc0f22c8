"""Refs in a retired spelling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from akm_ls.documents.legacy_refs import LegacyRef
from akm_ls.index.stub import Stub
from akm_ls.lint.finding import Finding, Fix, TextEdit
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules.legacy_targets import legacy_targets
from akm_ls.lint.rules.references import refs_in_force
from akm_ls.refs import Ref


def check_legacy_ref(subject: Subject) -> Iterable[Finding]:
    candidates = legacy_targets(subject)
    return _legacy_refs(subject, candidates) if candidates else ()


def _legacy_refs(
    subject: Subject, candidates: Sequence[tuple[LegacyRef, Stub | None]]
) -> Iterator[Finding]:
    document = subject.document
    # One that leads somewhere shows that the author writes this spelling: then `workflow:gone` is
    # a ref as well, to an asset that is no more. Alone it may be anything.
    is_spelled_here = any(target is not None for _, target in candidates)
    for legacy, target in candidates:
        written = legacy.span.of(document.text)
        if target is not None:
            ref = _spelled(subject, legacy, target)
            yield Finding(
                code="legacy-ref",
                severity="warning",
                message=f"{written} is a spelling that akm no longer reads. Write {ref}.",
                span=legacy.span,
                data={"ref": str(ref), "channel": legacy.channel, "reason": "exists"},
                fixes=(Fix(f"Replace by {ref}", (TextEdit(legacy.span, str(ref)),), safe=True),),
                tags=("deprecated",),
            )
        elif _is_meant(subject, legacy, is_spelled_here):
            yield Finding(
                code="legacy-ref",
                severity="information",
                message=(
                    f"{written} is a spelling that akm no longer reads, and there is no "
                    f"{legacy.concept_id} either. Correct the ref or remove it."
                ),
                span=legacy.span,
                data={"channel": legacy.channel, "reason": "gone"},
                tags=("deprecated",),
            )


def _is_meant(subject: Subject, legacy: LegacyRef, is_spelled_here: bool) -> bool:
    """Whether a ref to nothing is one at all, and no other rule's to tell."""
    if legacy.channel == "prose" and (not is_spelled_here or len(legacy.name) < 2):
        return False
    if legacy.origin is None or not subject.settings.runs("missing-ref"):
        return True
    found = refs_in_force(subject)
    return all(told[0].span != legacy.span for told in (*found.leading, *found.faulty))


def _spelled(subject: Subject, legacy: LegacyRef, target: Stub) -> Ref:
    """Today's ref: in a list of the asset's own bundle without the bundle's name."""
    bare = legacy.channel != "prose" and legacy.origin is None
    bundle = None if bare and target.bundle == subject.bundle.id else target.bundle
    return Ref(bundle, target.concept_id, legacy.fragment)


RULES = (
    Rule(
        code="legacy-ref",
        severity="warning",
        summary="A ref is written as `type:name`, which akm no longer reads.",
        why="Earlier versions of akm linked this way; an agent that follows it gets nothing.",
        remedy="Write `bundle//conceptId`; in a frontmatter list the concept id alone will do.",
        example=(
            "---\nxrefs: [knowledge:web-ux/rubric]\n---\n# Note\n\nSee knowledge:web-ux/rubric.\n"
        ),
        around={"knowledge/web-ux/rubric.md": "# Rubric\n"},
        check=check_legacy_ref,
        group="references",
        places=("prose", "headings", "inline code", "indented code", "frontmatter refs"),
        kinds=frozenset({"markdown", "yaml"}),
        needs_catalog=True,
    ),
)
