"""What the refs of a document in a retired spelling mean today."""

from __future__ import annotations

from akm_ls.documents.legacy_refs import LegacyRef
from akm_ls.documents.text import Span
from akm_ls.index.catalog import Catalog
from akm_ls.index.stub import Stub
from akm_ls.lint.rule import Subject
from akm_ls.refs import try_parse_ref

HOST_ADAPTERS = frozenset(("claude", "opencode", "agent-skills", "website-snapshot"))
"""Formats in which akm's refs are rare and ``skill:name`` is somebody else's spelling."""


def legacy_targets(subject: Subject) -> tuple[tuple[LegacyRef, Stub | None], ...]:
    """Each such ref and the asset it leads to, if there is one; needs the catalog."""
    return subject.once(_legacy_targets)


def _legacy_targets(subject: Subject) -> tuple[tuple[LegacyRef, Stub | None], ...]:
    catalog, document = subject.catalog, subject.document
    assert catalog is not None
    if subject.bundle.adapter in HOST_ADAPTERS or not document.legacy_refs:
        return ()
    return tuple(
        (legacy, _target(subject, catalog, legacy))
        for legacy in document.legacy_refs
        if not document.is_doubtful(legacy.span.start)
    )


def told_as_legacy(subject: Subject) -> frozenset[Span]:
    """Where `legacy-ref` has the one word to say: the asset is there, its spelling is old."""
    return subject.once(_told_as_legacy)


def _told_as_legacy(subject: Subject) -> frozenset[Span]:
    if not subject.settings.runs("legacy-ref"):
        return frozenset()
    return frozenset(
        legacy.span for legacy, target in legacy_targets(subject) if target is not None
    )


def _target(subject: Subject, catalog: Catalog, legacy: LegacyRef) -> Stub | None:
    """The asset that is meant: of the bundle named, else of this one, else of the first."""
    bundles = subject.bundles
    order = [subject.bundle.id, bundles.default, *(bundle.id for bundle in bundles)]
    if legacy.origin is not None:
        named = [legacy.origin, legacy.origin.rpartition("/")[2]]
        order = [name for name in named if bundles.get(name) is not None] or order
    if try_parse_ref(legacy.concept_id) is None:
        return None
    for bundle in dict.fromkeys(order):
        if bundle is not None and (stub := catalog.find(bundle, legacy.concept_id)) is not None:
            return stub
    return None
