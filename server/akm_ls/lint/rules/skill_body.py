"""The body of a skill: how long it is, and how far its references reach."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from akm_ls.documents.document import Document
from akm_ls.lint.finding import Finding
from akm_ls.lint.rule import Rule, Subject

MAX_LINES = 500
"""Lines of a SKILL.md's body that the specification recommends as a limit."""
READ_DIRECTORIES = frozenset(("references", "reference", "resources"))
"""Directories of a skill whose files are for an agent to read, not to run or to copy."""
_MAX_UP = 6


def check_length(subject: Subject) -> Iterable[Finding]:
    text = subject.document.text
    return _length(subject) if text.count("\n") + text.count("\r") >= MAX_LINES else ()


def _length(subject: Subject) -> Iterator[Finding]:
    document = subject.document
    lines = document.lines
    first = lines.line_of(document.body_start)
    last = len(lines) - (0 if lines.line_text(len(lines) - 1) else 1)
    if last - first <= MAX_LINES:
        return
    yield Finding(
        code="skill-too-long",
        severity="hint",
        message=(
            f"The skill's body has {last - first} lines, all of which are loaded when it is used; "
            f"{MAX_LINES} are a good limit. Move details into files that are read when needed."
        ),
        span=lines.line_span(first + MAX_LINES),
        data={"lines": last - first, "limit": MAX_LINES},
    )


def check_depth(subject: Subject) -> Iterable[Finding]:
    document = subject.document
    if not document.links:
        return ()
    if subject.traits.is_skill:
        return _deep_paths(document)
    if os.path.basename(subject.path).lower() == "readme.md":
        return ()  # a README is for people
    skill = _skill_above(subject)
    return () if skill is None else _chained(subject, skill)


def _deep_paths(document: Document) -> Iterator[Finding]:
    """Links of a SKILL.md to files more than one directory below it."""
    seen: set[str] = set()
    for link in document.links:
        if link.target.count("/") < 2:
            continue
        target = _relative(link.target)
        if target is None or target in seen:
            continue
        steps = target.split("/")
        if len(steps) > 2 and steps[0] in READ_DIRECTORIES:
            seen.add(target)
            yield Finding(
                code="skill-deep-reference",
                severity="hint",
                message=(
                    f"`{target}` lies {len(steps) - 1} directories below the skill; the "
                    "specification recommends one, such as `references/topic.md`."
                ),
                span=link.target_span,
                data={"target": target, "reason": "path"},
            )


def _chained(subject: Subject, skill: str) -> Iterator[Finding]:
    """Links of a resource to another one that the SKILL.md never mentions."""
    main = subject.around.document(skill)
    if main is None:
        return
    root = os.path.dirname(skill)
    named = _named_by(main)
    here = os.path.relpath(subject.path, root).replace(os.sep, "/")
    if here not in named:
        return  # who reads this file at all is another question
    for link in subject.document.links:
        target = _relative(link.target)
        if target is None or not target.lower().endswith(".md"):
            continue
        path = os.path.normpath(os.path.join(os.path.dirname(subject.path), target))
        rel = os.path.relpath(path, root).replace(os.sep, "/")
        if rel.startswith("..") or rel == os.path.basename(skill) or rel == here:
            continue
        if rel in named or subject.around.kind(path) != "file":
            continue
        yield Finding(
            code="skill-deep-reference",
            severity="hint",
            message=(
                f"`{rel}` is reached only through this file; agents seldom follow a second "
                f"reference. Name it in {os.path.basename(skill)}, too."
            ),
            span=link.target_span,
            data={"target": rel, "reason": "chain"},
        )


def _named_by(main: Document) -> frozenset[str]:
    """Relative paths that a SKILL.md links to or has as inline code."""
    named = {target for link in main.links if (target := _relative(link.target))}
    for span in main.code_spans:
        if (target := _relative(span.inner.of(main.text).strip())) is not None:
            named.add(target)
    return frozenset(named)


def _relative(target: str) -> str | None:
    """A link's file as a normal relative POSIX path; ``None`` when it is none below."""
    target = target.partition("#")[0].partition("?")[0]
    if not target or ":" in target or target.startswith(("/", "~", "\\", "<")):
        return None
    if len(target) > 300 or any(char in target for char in "{}<>*|$\n\0"):
        return None
    target = os.path.normpath(unquote(target)).replace(os.sep, "/")
    return target


def is_only_a_resource(subject: Subject) -> bool:
    """Whether a page is a skill's template or reference, and in no bundle of akm's.

    Its frontmatter is for somebody else's program; akm alone would take it for its own.
    """
    if subject.type != "knowledge" or subject.bundle.adapter == "akm":
        return False
    return _skill_above(subject) is not None


def _skill_above(subject: Subject) -> str | None:
    """The SKILL.md of the skill a file belongs to, inside its bundle."""
    if "/" not in subject.rel:
        return None
    directory = os.path.dirname(subject.path)
    for _ in range(_MAX_UP):
        path = os.path.join(directory, "SKILL.md")
        if subject.around.kind(path) == "file":
            return path
        if directory == subject.bundle.real_root or len(directory) <= 1:
            return None
        directory = os.path.dirname(directory)
    return None


RULES: tuple[Rule, ...] = (
    Rule(
        code="skill-too-long",
        severity="hint",
        summary="A skill's body has more than 500 lines.",
        why="The whole body goes into the context each time the skill is used.",
        remedy="Move details into `references/` and say in the body when to read them.",
        example=("---\nname: long\ndescription: Says it again.\n---\n" + "One more line.\n" * 501),
        example_path="skills/long/SKILL.md",
        check=check_length,
        about=lambda traits: traits.is_skill,
        group="markdown",
        places=("prose",),
    ),
    Rule(
        code="skill-deep-reference",
        severity="hint",
        summary="A file of a skill lies deep, or only another resource leads to it.",
        why="Agents open what the SKILL.md names; a reference behind a reference is seldom read.",
        remedy="Keep resources one directory below the skill and name each in the SKILL.md.",
        example=(
            "---\nname: deep\ndescription: Explains.\n---\n"
            "See [the guide](references/guides/first/guide.md).\n"
        ),
        example_path="skills/deep/SKILL.md",
        check=check_depth,
        group="links",
        places=("links",),
    ),
)
