"""Facets that search does not see, and tags that it has anyway (S2 facts 3 and 6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from akm_ls.bundles.draft import normalise_tag, tokens
from akm_ls.documents.nodes import Scalar, Sequence, strings
from akm_ls.lint.finding import Finding, Fix
from akm_ls.lint.frontmatter_edits import FrontmatterEdits
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules.conventions.stash import placement_of


def check_project_key(subject: Subject) -> Iterator[Finding]:
    frontmatter = subject.document.frontmatter
    if frontmatter is None:
        return
    pair = frontmatter.root.pair("project")
    if pair is None or not isinstance(pair.value, Scalar):
        return
    project = pair.value.text.strip()
    if not project or normalise_tag(project) in _known_tags(subject):
        return
    edits = FrontmatterEdits(subject.document)
    added = edits.append("tags", project)
    yield Finding(
        code="project-key-invisible",
        severity="hint",
        message=f'Search does not see "project: {project}"; add the tag "{project}".',
        span=pair.key.span,
        data={"project": project},
        fixes=(Fix(f'Add the tag "{project}"', edits.edits(), safe=True),) if added else (),
    )


def _known_tags(subject: Subject) -> set[str]:
    """The tags an asset has by its frontmatter and by its directories."""
    frontmatter = subject.document.frontmatter
    assert frontmatter is not None
    known = {
        normalise_tag(part) for text in strings(frontmatter.get("tags")) for part in text.split(",")
    }
    return known | _directory_tokens(subject)


def _directory_tokens(subject: Subject) -> set[str]:
    placement = placement_of(subject)
    if placement is None:
        return set()
    return {token for name in placement.directories for token in _tokens(name)}


_tokens = lru_cache(maxsize=4096)(tokens)
_normal = lru_cache(maxsize=4096)(normalise_tag)
"""Of many files most have the same directories and tags."""


def check_tag_restates_path(subject: Subject) -> Iterable[Finding]:
    frontmatter = subject.document.frontmatter
    node = None if frontmatter is None else frontmatter.get("tags")
    if not isinstance(node, Sequence):
        return ()
    known = _directory_tokens(subject)
    if not known:
        return ()
    restating = [
        (index, item)
        for index, item in enumerate(node.items)
        if isinstance(item, Scalar) and _normal(item.text) in known
    ]
    return _restating(subject, node, restating) if restating else ()


def _restating(
    subject: Subject, node: Sequence, restating: list[tuple[int, Scalar]]
) -> Iterator[Finding]:
    for index, item in restating:
        edits = FrontmatterEdits(subject.document)
        # Without any tag of its own an asset gets the words of its file's name as tags.
        safe = len(restating) < len(node.items)
        fix = Fix(f'Remove the tag "{item.text}"', safe=safe)
        if edits.remove("tags", index):
            fix = fix._replace(edits=edits.edits())
        yield Finding(
            code="tag-restates-path",
            severity="hint",
            message=f'The tag "{item.text}" is in the path already and is added by itself.',
            span=item.span,
            data={"tag": item.text},
            fixes=(fix,) if fix.edits else (),
            tags=("unnecessary",),
        )


RULES = (
    Rule(
        code="project-key-invisible",
        severity="hint",
        summary="The key `project` is not indexed.",
        why="Search knows names, descriptions, tags and hints; a project is found as a tag.",
        remedy="Add the project to `tags`.",
        example="---\ndescription: How the queue is drained\nproject: webshop\n---\n",
        check=check_project_key,
        about=lambda traits: traits.is_own and traits.has("project"),
        group="conventions",
        places=("frontmatter",),
    ),
    Rule(
        code="tag-restates-path",
        severity="hint",
        summary="A tag repeats a directory of the asset's path.",
        why="The words of the directories become tags by themselves.",
        remedy="Remove the tag.",
        example="---\ndescription: How the queue is drained\ntags: [databases, queue]\n---\n",
        example_path="knowledge/databases/queue.md",
        check=check_tag_restates_path,
        about=lambda traits: traits.is_own and traits.has("tags"),
        group="conventions",
        places=("frontmatter",),
    ),
)
