"""Relative links, images, inclusions and named resources that lead nowhere.

Most paths in such texts are no claim that a file is there: outputs, examples, files of the user's
project. What counts as one, and how surely, is decided by agent-skills.md 4.6.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from akm_ls.documents.document import Document
from akm_ls.documents.markdown import CodeSpan, Link
from akm_ls.documents.text import Span
from akm_ls.lint.finding import Finding, Fix, Severity, TextEdit
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules import link_cues as cues
from akm_ls.lint.rules.formats import LINKED_BY_PATH
from akm_ls.lint.rules.link_bases import Bases
from akm_ls.lint.rules.link_targets import (
    PROJECT_FOLDERS,
    RESOURCE_FOLDERS,
    RUN_TIME_FOLDERS,
    TEXT_FOLDERS,
    Target,
    is_domain,
    is_placeholder,
    read_target,
)
from akm_ls.lint.rules.run_lines import missing_scripts, run_lines

_USUAL_FILES = frozenset(("license", "readme", "contributing", "changelog", "code_of_conduct"))
_SCRIPT_ENDINGS = frozenset(("md", "py", "sh", "js", "ts"))
_MEMORY_FILES = frozenset(("CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"))
_INCLUDED = frozenset(("md", "mdc", "txt", "json", "yaml", "yml", "toml"))
_TEXT_OR_IMAGE = frozenset(("md", "mdx", "txt", "png", "jpg", "jpeg", "gif", "svg", "webp", ""))
_SAMPLE_DIRECTORY = re.compile(
    r"(?:\A|/)(?:templates?|assets|examples?|samples?|fixtures|evals?|tests?)/|template|example|sample",
    re.IGNORECASE,
)
_RUN = re.compile(
    r"(?:uv run |poetry run )?(?:python3?|bash|sh|node|npx tsx|ruby|deno run)[ ]+"
    r"(?P<path>[^\s;|&<>]+)"
)
_VARIABLE = re.compile(
    r"(?:\$\{?(?:CLAUDE_SKILL_DIR|SKILL_DIR|CLAUDE_PLUGIN_ROOT)\}?|\{baseDir\}|\{skill_dir\}|<skill[-_]dir>)/[^\s;|&<>\"'`)]+"
)


def check_dead_link(subject: Subject) -> Iterable[Finding]:
    document = subject.document
    links, inclusions = document.links, document.inclusions
    # Where the skill is takes looking into directories: only when something may be named.
    named = [(code.span, *path) for code in document.code_spans if (path := _path(document, code))]
    runs = run_lines(document)
    if not links and not inclusions and not named and not runs:
        return ()
    return _dead_links(subject, links, inclusions, named, runs)


def _dead_links(
    subject: Subject,
    links: Sequence[Link],
    inclusions: Sequence[Span],
    named: Sequence[tuple[Span, Target, Span]],
    runs: Sequence[tuple[Target, Span]],
) -> Iterator[Finding]:
    document = subject.document
    bases = Bases(subject)
    for link in links:
        if link.kind != "autolink" and not document.is_doubtful(link.span.start):
            finding = _check_link(subject, bases, link)
            if finding is not None:
                yield finding
    if not named and not inclusions and not runs:
        return
    if bases.skill is not None:
        told: set[str] = set()
        labels = [link.text_span for link in links if link.kind != "autolink"]
        for code_span, target, span in named:
            if document.is_doubtful(code_span.start) or _within(code_span, labels):
                continue
            told.add(target.path)
            finding = _check_code(subject, bases, bases.skill, target, span)
            if finding is not None:
                yield finding
        where = f"skill {os.path.basename(bases.skill)}"
        for target, span in missing_scripts(subject, bases, bases.skill, runs, told):
            yield _dead(bases, target, span, "information", document, bases.skill, rooted_in=where)
    else:
        for span in inclusions:
            if not document.is_doubtful(span.start):
                finding = _check_inclusion(subject, bases, span)
                if finding is not None:
                    yield finding


def _within(span: Span, labels: list[Span]) -> bool:
    return any(start <= span.start and span.end <= end for start, end in labels)


# Links and images.


def _check_link(subject: Subject, bases: Bases, link: Link) -> Finding | None:
    document = subject.document
    target = read_target(link.target)
    if target is None or not target.path or is_placeholder(target) or is_domain(target):
        return None
    if target.variable is not None:
        return _check_rooted(document, bases, target, link.target_span)
    if bases.kind(bases.folder, target.path) is not None:
        return None
    if bases.join(bases.folder, target.path) is None:
        return None  # out of what may be looked at
    if _judged_as_page(subject, link, target):
        return None
    if not _claims_a_file(target):
        return None
    severity: Severity = "warning"
    name = os.path.basename(subject.path).lower()
    if (
        name.startswith("readme")
        or target.head.startswith(".")
        or _SAMPLE_DIRECTORY.search(subject.rel)
        or cues.is_planned(document, link.span)
        or (target.extension not in _TEXT_OR_IMAGE and _leaves_skill(bases, target))
    ):
        severity = "information"
    span = Span(link.target_span.start, link.target_span.start + target.written)
    found = bases.elsewhere(target.path)
    if found is not None:
        path, called = found
        right = bases.relative(path) + ("/" if target.path.endswith("/") else "")
        return _finding(
            "information",
            f"From here {target.path} does not exist; it does from {called}. Write {right}.",
            span,
            target,
            "other-base",
            (_fix(document, span, right, safe=True),),
        )
    return _dead(bases, target, span, severity, document, bases.folder, rooted_in="here")


def _leaves_skill(bases: Bases, target: Target) -> bool:
    """Whether a target lies outside the skill: code there is the user's project's."""
    joined = bases.join(bases.folder, target.path)
    if bases.skill is None or joined is None:
        return False
    return not joined.startswith(os.path.join(bases.skill, ""))


def _judged_as_page(subject: Subject, link: Link, target: Target) -> bool:
    """Whether another rule says it: formats that link their pages by path."""
    return (
        subject.bundle.adapter in LINKED_BY_PATH
        and link.kind in ("inline", "definition")
        and target.path.endswith(".md")
    )


def _claims_a_file(target: Target) -> bool:
    """Whether a link's target is a path and not a word in its place."""
    if not target.extension and not target.is_dotted:
        return False
    if target.is_bare:
        stem = target.name.partition(".")[0].lower()
        return target.extension == "md" and stem not in _USUAL_FILES
    return True


# Inline code.


def _path(document: Document, code: CodeSpan) -> tuple[Target, Span] | None:
    """The path that inline code in a skill may name, and where it stands."""
    inner = code.inner
    source = inner.of(document.text)
    written = source.strip()
    if "/" not in written or len(written) > 512 or "\n" in written:
        return None
    start = inner.start + source.find(written)
    if " " in written or written.startswith(("$", "{", "<")):
        part = _VARIABLE.search(written) or _RUN.match(written)
        if part is None:
            return None
        group = "path" if "path" in part.re.groupindex else 0
        start += part.start(group)
        written = part.group(group)
    target = read_target(written, link=False)
    if target is None or not target.path or is_placeholder(target):
        return None
    if target.variable is None and (
        target.is_bare
        or target.path.endswith("/")
        or not target.extension
        or target.head.startswith(".")
        or is_domain(target)
    ):
        return None
    return target, Span(start, start + target.written)


def _check_code(
    subject: Subject, bases: Bases, skill: str, target: Target, span: Span
) -> Finding | None:
    """A path in a skill's inline code that names one of its resources."""
    document = subject.document
    if target.variable is not None:
        return _check_rooted(document, bases, target, span)
    near = (bases.folder, skill, os.path.dirname(skill))
    if any(bases.kind(base, target.path) is not None for base in near):
        return None
    if bases.join(skill, target.path) is None or cues.is_made_here(document, target.path):
        return None
    return _judge_code(subject, bases, skill, target, span)


def _judge_code(
    subject: Subject, bases: Bases, skill: str, target: Target, span: Span
) -> Finding | None:
    document = subject.document
    upwards = target.path.startswith("../")
    head = target.head
    if not upwards and head not in RESOURCE_FOLDERS and not bases.folder_in_skill(head):
        # `References/List.md` claims a file where only the letters' case is another.
        respelled = bases.respelled(skill, target.path) if head != head.lower() else None
        if respelled is None or respelled[1] != "case":
            return None
        head = os.path.relpath(respelled[0], skill).replace(os.sep, "/").partition("/")[0]
    if bases.in_sibling(target.path, cues.paragraph(document, span.start)) is not None:
        return None
    found = bases.elsewhere(target.path)
    if found is not None:
        if subject.bundle.label.startswith("."):
            return None  # a project's own file: the agent works in the project's root
        path, called = found
        right = bases.relative(path)
        return _finding(
            "information",
            f"{target.path} exists from {called} only, and an agent reads it from the skill's. "
            f"Write {right}.",
            span,
            target,
            "other-base",
            (_fix(document, span, right),),
        )
    if upwards:
        if target.extension not in _SCRIPT_ENDINGS or cues.has_output_verb(document, span):
            return None
        # `../other-project/src/cli.ts` is another project's, beside a checkout of this one.
        project = not PROJECT_FOLDERS.isdisjoint(target.path.split("/"))
        level: Severity = "information" if project else "warning"
        return _dead(bases, target, span, level, document, bases.folder, rooted_in="here")
    if cues.is_output(document, span) or cues.is_labelled_example(document, span):
        return None
    severity: Severity = "information"
    line = cues.introduction(document, span.start)
    if (
        (head in TEXT_FOLDERS or bases.folder_in_skill(head))
        and not cues.introduces_examples(line)
        and not cues.is_planned(document, span)
        and not cues.makes_skills(subject, skill)
        and not _SAMPLE_DIRECTORY.search(posixpath.relpath(subject.path, skill))
    ):
        severity = "warning"
    name = os.path.basename(skill)
    return _dead(bases, target, span, severity, document, skill, rooted_in=f"skill {name}")


# Inclusions, and paths below a variable.


def _check_inclusion(subject: Subject, bases: Bases, span: Span) -> Finding | None:
    """``@path`` where a host reads the file in: a memory file, or a command."""
    memory = os.path.basename(subject.path) in _MEMORY_FILES
    if not memory and subject.type != "command":
        return None
    target = read_target(span.of(subject.document.text))
    if target is None or is_placeholder(target) or target.extension not in _INCLUDED:
        return None
    if target.is_bare and not memory:
        return None
    places = (bases.folder,) if memory else (bases.folder, bases.top, subject.bundle.real_root)
    if any(bases.kind(base, target.path) is not None for base in places):
        return None
    if bases.join(bases.folder, target.path) is None:
        return None
    severity: Severity = "warning" if memory else "information"
    if cues.is_output(subject.document, Span(span.start - 1, span.end)):
        if not memory:
            return None  # of the project the command is run in: `@docs/plan.md (if it exists)`
        severity = "information"
    return _dead(bases, target, span, severity, subject.document, bases.folder, rooted_in="here")


def _check_rooted(document: Document, bases: Bases, target: Target, span: Span) -> Finding | None:
    base = bases.skill if target.variable == "skill" else bases.plugin
    if base is None or bases.kind(base, target.path) is not None:
        return None
    if bases.join(base, target.path) is None or not target.extension:
        return None
    return _finding(
        "information" if _is_made_at_run_time(document, bases, target, span) else "warning",
        f"{target.path} does not exist in the {target.variable}'s directory "
        f"{os.path.basename(base)}.",
        span,
        target,
        "missing",
    )


def _is_made_at_run_time(document: Document, bases: Bases, target: Target, span: Span) -> bool:
    """Whether a file below a variable may be what the skill makes, not what it brings along."""
    head = target.head
    if head in RESOURCE_FOLDERS - RUN_TIME_FOLDERS or bases.folder_in_skill(head):
        return False
    return (
        head.startswith(".")
        or head in RUN_TIME_FOLDERS
        or cues.has_output_verb(document, span)
        or cues.introduces_examples(cues.introduction(document, span.start))
    )


# What a finding says.


def _dead(
    bases: Bases,
    target: Target,
    span: Span,
    severity: Severity,
    document: Document,
    base: str,
    *,
    rooted_in: str,
) -> Finding:
    """A target that exists nowhere, with what it may have meant."""
    where = "" if rooted_in == "here" else f" in {rooted_in}"
    respelled = bases.respelled(base, target.path)
    other = bases.same_name(target.name) if respelled is None else None
    near = None
    if respelled is not None:
        near, reason = respelled
        what = "other-case" if reason == "case" else "other-extension"
    elif other is not None:
        near, what = other, "moved"
        if rooted_in != "here":
            severity = "information"
    else:
        near, what = bases.misspelled(base, target.path), "misspelled"
    message = f"{target.path} does not exist{where}."
    if near is None:
        return _finding(severity, message, span, target, "missing")
    right = bases.relative(near) if base == bases.folder else _from(base, near)
    return _finding(
        severity,
        f"{message} Did you mean {right}?",
        span,
        target,
        what,
        (_fix(document, span, right, safe=what == "other-case"),),
        suggestion=right,
    )


def _from(base: str, path: str) -> str:
    return os.path.relpath(path, base).replace(os.sep, "/")


def _fix(document: Document, span: Span, path: str, *, safe: bool = False) -> Fix:
    written = span.of(document.text)
    in_link = document.text[span.start - 1 : span.start] in ("(", " ", ":")
    if "%" in written or (in_link and any(char in path for char in " ()<>#?")):
        path = quote(path, safe="/!$&'*+,;=:@~")
    if written.startswith("./") and not path.startswith("."):
        path = f"./{path}"
    return Fix(f"Replace by {path}", (TextEdit(span, path),), safe=safe)


def _finding(
    severity: Severity,
    message: str,
    span: Span,
    target: Target,
    reason: str,
    fixes: tuple[Fix, ...] = (),
    *,
    suggestion: str | None = None,
) -> Finding:
    data: dict[str, object] = {"target": target.path, "reason": reason}
    if suggestion is not None:
        data["suggestions"] = [suggestion]
    return Finding(
        code="dead-link",
        severity=severity,
        message=message,
        span=span,
        data=data,
        fixes=fixes,
    )


RULES = (
    Rule(
        code="dead-link",
        best_fix="safe",
        severity="warning",
        summary="A link, an image or a named resource leads nowhere.",
        why=(
            "An agent that is told to read the file finds nothing and carries on with less than "
            "it needs."
        ),
        remedy=(
            "Correct the path, add the file, or remove the mention. Paths are read from the "
            "directory of the file they stand in.\n\n"
            "Not every name is a claim that a file is there. The target of a link or an image "
            "that has no directory counts only when it ends in `.md`: instead of `flow.png` write "
            "`./flow.png` to have it checked. `@docs/setup.md` is a warning in memory files "
            "(`CLAUDE.md`), an information in commands, which may mean a file of the project they "
            "are run in, and is not looked at in skills. Of code blocks only commands count that "
            "run a script of the skill, such as `python scripts/x.py`: one that is not there is "
            "an information."
        ),
        example=(
            "---\nname: ios\ndescription: Builds small iOS apps. Use for Swift work.\n---\n"
            "# iOS\n\nFor details open `references/playbook.md`.\n"
        ),
        example_path="skills/ios/SKILL.md",
        check=check_dead_link,
        group="links",
        places=("links", "inline code", "indented code", "prose", "fenced code"),
    ),
)
