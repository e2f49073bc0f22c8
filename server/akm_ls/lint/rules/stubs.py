"""Files that stand for nothing: emptied memories, and workflows nobody has written yet."""

from __future__ import annotations

import os
from collections.abc import Iterator

from akm_ls.bundles.classification import split_path
from akm_ls.documents.document import Document
from akm_ls.documents.nodes import Scalar
from akm_ls.documents.text import Span
from akm_ls.lint.finding import Finding, Fix
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules.assets import first_line, is_akm, readable

STUB_LENGTH = 100
"""A memory with a body shorter than this, in characters, is no more than its name."""

PLACEHOLDERS = ("Describe what this workflow accomplishes", "Example Workflow")
"""Texts of akm's template for new workflows."""

_DERIVED = ".derived.md"


def check_orphaned_stub(subject: Subject) -> Iterator[Finding]:
    document = subject.document
    frontmatter = readable(document)
    if frontmatter is None or subject.rel.endswith(_DERIVED):
        return
    processed = frontmatter.get("inferenceProcessed")
    if not isinstance(processed, Scalar) or processed.plain is not True:
        return
    if len(document.body.strip()) >= STUB_LENGTH:
        return
    directory, name = os.path.split(subject.path)
    derived = os.path.splitext(name)[0] + _DERIVED
    if derived in subject.around.names(directory):
        return
    yield Finding(
        code="orphaned-stub",
        severity="warning",
        message=(
            f"The content of this memory was moved to {derived}, which is not there any more. "
            "Restore that file, or delete this one."
        ),
        span=first_line(document),
        data={"derived": derived},
        fixes=(_delete(subject),),
        tags=("unnecessary",),
    )


def check_placeholder_stub(subject: Subject) -> Iterator[Finding]:
    found = placeholder(subject)
    if found is not None:
        text = found.of(subject.document.text)
        yield Finding(
            code="placeholder-stub",
            severity="warning",
            message=f'"{text}" is text of a template. Write the workflow, or delete the file.',
            span=found,
            data={"text": text},
            fixes=(_delete(subject),),
        )


def placeholder(subject: Subject) -> Span | None:
    """Where a workflow still has the template's text, if it does."""
    if not is_akm(subject) or subject.traits.head != "workflows" or split_path(subject.rel).readme:
        return None
    return placeholder_in(subject.document)


def placeholder_in(document: Document) -> Span | None:
    for text in PLACEHOLDERS:
        at = document.text.find(text, document.body_start)
        if at >= 0:
            return Span(at, at + len(text))
    return None


def _delete(subject: Subject) -> Fix:
    return Fix(f"Delete {subject.rel}", deletes=(subject.path,), preferred=False)


RULES: tuple[Rule, ...] = (
    Rule(
        code="orphaned-stub",
        severity="warning",
        summary="A memory was condensed into a file that no longer exists.",
        why=(
            "A memory marked `inferenceProcessed` only points to its `.derived.md` twin. Without "
            "the twin a search finds an asset that says nothing."
        ),
        remedy="Restore the twin, write the memory again, or delete the file.",
        example="---\nupdated: 2026-01-31\ninferenceProcessed: true\n---\nMoved.\n",
        check=check_orphaned_stub,
        about=lambda traits: (
            traits.format == "akm" and traits.head == "memories" and traits.has_frontmatter
        ),
        group="assets",
        places=("whole file", "directory"),
        example_path="memories/rate-limits.md",
    ),
    Rule(
        code="placeholder-stub",
        severity="warning",
        summary="A workflow still has the text of its template.",
        why="Agents find the workflow by its name and run steps that nobody wrote.",
        remedy="Replace the template's text, or delete the file.",
        example=(
            "---\ntype: workflow\nupdated: 2026-01-31\nsteps:\n  - id: one\n---\n"
            "# Example Workflow\n\n## one\n\nDo it.\n"
        ),
        check=check_placeholder_stub,
        about=lambda traits: traits.format == "akm" and traits.head == "workflows",
        group="assets",
        places=("prose", "headings"),
        example_path="workflows/release.md",
    ),
)
