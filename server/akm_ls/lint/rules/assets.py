"""What akm asks of its assets' frontmatter: `updated`, `name` and `type`, `category`.

The rules speak only where the frontmatter can be read; what is wrong with it otherwise is told by
`invalid-frontmatter`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from akm_ls.bundles.classification import is_reserved, split_path
from akm_ls.bundles.schema import load_schema, place_of
from akm_ls.documents.document import Document
from akm_ls.documents.frontmatter import Frontmatter
from akm_ls.documents.nodes import Node, Pair, Scalar
from akm_ls.documents.text import Span
from akm_ls.index.matching import nearest_names
from akm_ls.lint.finding import Finding, Fix, TextEdit
from akm_ls.lint.frontmatter_edits import set_keys
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.traits import Traits

DATED_DIRECTORIES = frozenset(
    {
        "agents",
        "commands",
        "memories",
        "skills",
        "workflows",
        "lessons",
        "knowledge",
        "facts",
        "instructions",
    }
)
"""Directories whose Markdown wants a date: those akm sweeps, and ``instructions``."""

CATEGORIES = ("personal", "team", "project", "convention", "meta")

_NAMED = {"agents": "agent", "commands": "command"}
_NOT_SLUG = re.compile(r"[^a-z0-9-]+")
_HYPHENS = re.compile(r"-{2,}")
_COMMAND_SIGNAL = re.compile(r"\$ARGUMENTS|\$\d")


def is_akm(subject: Subject) -> bool:
    """Whether a file lies in a bundle of akm's own layout."""
    return subject.traits.format == "akm"


def readable(document: Document) -> Frontmatter | None:
    """The frontmatter, if it is closed and valid YAML."""
    frontmatter = document.frontmatter
    if frontmatter is None or not frontmatter.closed or frontmatter.problem is not None:
        return None
    return frontmatter


def opening(frontmatter: Frontmatter) -> Span:
    """The line that opens the block: where what is missing in it is marked."""
    start = frontmatter.span.start
    return Span(start, start + 3)


def first_line(document: Document) -> Span:
    """The first line that says something: where a whole file is marked.

    Comments are passed over, as one of them may be there to hide the finding.
    """
    if document.frontmatter is not None:
        return document.lines.line_span(0)
    text, at = document.text, 0
    ends = {comment.start: comment.end for comment in document.comments}
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif at in ends:
            at = ends[at]
        else:
            break
    return document.lines.line_span(document.lines.line_of(at))


def slug_of(rel: str) -> str:
    """The name akm would give a file: lower case, anything but letters and digits a hyphen."""
    stem = rel.rpartition("/")[2]
    stem = stem[: -len(".md")] if stem.lower().endswith(".md") else stem
    return _HYPHENS.sub("-", _NOT_SLUG.sub("-", stem.lower())).strip("-")


# updated


def check_missing_updated(subject: Subject) -> Iterator[Finding]:
    frontmatter = readable(subject.document)
    if frontmatter is None or "updated" in frontmatter.root:
        return
    if subject.traits.head == "workflows" and split_path(subject.rel).readme:
        return
    today = subject.clock().isoformat()
    edit = set_keys(subject.document, {"updated": today})
    yield Finding(
        code="missing-updated",
        severity="hint",
        message=(
            "The frontmatter has no `updated`, so nobody can tell how old this is. "
            "Add the date of your last change."
        ),
        span=opening(frontmatter),
        data={"key": "updated"},
        fixes=(Fix(f"Add `updated: {today}`", (edit,)),) if edit else (),
    )


def _wants_date(traits: Traits) -> bool:
    return traits.format == "akm" and traits.head in DATED_DIRECTORIES and traits.has_frontmatter


# name and type


def check_missing_name_or_type(subject: Subject) -> Iterator[Finding]:
    if is_akm(subject):
        yield from _unnamed(subject)
        return
    if subject.traits.format != "host":
        yield from _without_signal(subject)
    if subject.type == "agent":
        yield from _half_an_agent(subject)


def _is_named(traits: Traits) -> bool:
    if traits.format == "akm":
        return traits.head in _NAMED and traits.has_frontmatter
    # In a tool's own layout neither key is required, but something has to say what a file is.
    if traits.format == "host":
        return traits.type == "agent" and traits.has_frontmatter
    return traits.format in ("claude", "opencode") and traits.type in ("command", "agent")


def _unnamed(subject: Subject) -> Iterator[Finding]:
    head = subject.traits.head
    wanted = _NAMED[head]
    frontmatter = readable(subject.document)
    if frontmatter is None or _is_no_asset(subject):
        return
    values = {"name": slug_of(subject.rel), "type": wanted}
    missing = {key: values[key] for key in values if _is_falsy(frontmatter.get(key))}
    if missing:
        yield Finding(
            code="missing-name-or-type",
            severity="warning",
            message=(
                f"This {wanted} has no {_listed(missing)} in its frontmatter. "
                f"Add {_listed({f'{key}: {value}': '' for key, value in missing.items()})}."
            ),
            span=opening(frontmatter),
            data={"keys": list(missing), "slug": values["name"]},
            fixes=_add_keys(subject.document, missing),
        )
    declared = frontmatter.get("type")
    if "type" in missing or declared is None:
        return
    text = declared.text.strip() if isinstance(declared, Scalar) else None
    if text != wanted:
        shown = f'"{text}"' if text is not None else "no text"
        yield Finding(
            code="missing-name-or-type",
            severity="error",
            message=(
                f"The type is {shown}, but files in {head}/ have the type "
                f'"{wanted}". Correct it, or move the file.'
            ),
            span=declared.span,
            data={"keys": ["type"], "value": text},
            fixes=(Fix(f"Replace by `{wanted}`", (TextEdit(declared.span, wanted),)),),
        )


def _is_falsy(node: Node | None) -> bool:
    return node is None or (
        isinstance(node, Scalar) and (not node.text.strip() or node.plain in (None, False, 0))
    )


def _listed(keys: dict[str, str]) -> str:
    return " and ".join(f"`{key}`" for key in keys)


def _add_keys(document: Document, values: dict[str, str]) -> tuple[Fix, ...]:
    if not all(values.values()):
        return ()  # a file name without letters and digits gives no name
    together = set_keys(document, values, first=True)
    edits = (
        [set_keys(document, {key: value}, first=True) for key, value in values.items()]
        if together is None
        else [together]
    )
    known = tuple(edit for edit in edits if edit is not None)
    if len(known) < len(edits):
        return ()
    return (Fix(f"Add {_listed(values)}", known, safe=True),)


def _without_signal(subject: Subject) -> Iterator[Finding]:
    document = subject.document
    frontmatter = document.frontmatter
    if frontmatter is not None:
        if frontmatter.problem is not None:
            return
        signals = ("name", "description", "agent", "tools", "model")
        if any(not _is_falsy(frontmatter.get(key)) for key in signals):
            return
    if subject.type == "command" and _COMMAND_SIGNAL.search(document.text, document.body_start):
        return
    placeholder = ", or use $ARGUMENTS" if subject.type == "command" else ""
    yield Finding(
        code="missing-name-or-type",
        severity="warning",
        message=(
            f"Nothing says that this file is meant as {_article(str(subject.type))}: it has no "
            f"name and no description. Add a `description`{placeholder}."
        ),
        span=first_line(document),
        data={"keys": ["name", "description"]},
    )


def _half_an_agent(subject: Subject) -> Iterator[Finding]:
    """An agent with a name and no description, or the reverse, where a tool needs both.

    A file with neither may be a page about the agents.
    """
    frontmatter = readable(subject.document)
    place = place_of(subject.path, subject.type, subject.bundle.adapter)
    if frontmatter is None or place is None:
        return
    missing = [key for key in ("name", "description") if _is_falsy(frontmatter.get(key))]
    if len(missing) != 1:
        return
    key = missing[0]
    if key == "name" and not os.path.basename(subject.bundle.root).startswith("."):
        return  # a plugin's agents are named after their files
    hosts = place.narrowed(subject.settings.hosts).hosts
    needed = [k for kind in place.own_kinds if (k := kind.keys.get(key)) is not None]
    refusing = frozenset[str]().union(*(k.required_by for k in needed)) & hosts
    if not refusing:
        return
    what = "Say when to use it." if key == "description" else f"Add `name: {slug_of(subject.rel)}`."
    yield Finding(
        code="missing-name-or-type",
        severity="warning",
        message=(
            f"The agent has no `{key}`, and without one it is not offered in "
            f"{load_schema().host_names(refusing)}. {what}"
        ),
        span=opening(frontmatter),
        data={"keys": [key]},
        fixes=_add_keys(subject.document, {"name": slug_of(subject.rel)}) if key == "name" else (),
    )


def _article(name: str) -> str:
    return f"an {name}" if name.startswith("a") else f"a {name}"


# category


def check_missing_category(subject: Subject) -> Iterator[Finding]:
    document = subject.document
    if _is_no_asset(subject):
        return
    frontmatter = document.frontmatter
    if frontmatter is not None and readable(document) is None:
        return
    pair = None if frontmatter is None else frontmatter.root.pair("category")
    value = None if pair is None else pair.value
    text = value.text.strip() if isinstance(value, Scalar) else ""
    choices = ", ".join(CATEGORIES)
    if value is None or (isinstance(value, Scalar) and not text):
        yield Finding(
            code="missing-category",
            severity="warning",
            message=f"This fact has no `category` in its frontmatter. Add one of: {choices}.",
            span=first_line(document) if frontmatter is None else opening(frontmatter),
            data={"key": "category"},
            fixes=_choose_category(subject, pair),
        )
    elif text not in CATEGORIES:
        shown = f'"{text}"' if text else "a list or a mapping"
        nearest = nearest_names(text, CATEGORIES, 1)
        ordered = sorted(CATEGORIES, key=lambda name: name not in nearest)
        yield Finding(
            code="missing-category",
            severity="warning",
            message=f"A fact's category cannot be {shown}. Use one of: {choices}.",
            span=value.span,
            data={"key": "category", "value": text},
            fixes=tuple(
                Fix(
                    f"Replace by `{name}`", (TextEdit(value.span, name),), preferred=name in nearest
                )
                for name in ordered
            ),
        )


def _choose_category(subject: Subject, pair: Pair | None) -> tuple[Fix, ...]:
    """One fix per category; where the fact lies may say which is likeliest."""
    directories = subject.rel.split("/")[1:-1]
    fixes = []
    for name in sorted(CATEGORIES, key=lambda name: name not in directories):
        edit = set_keys(subject.document, {"category": name})
        if edit is not None:
            fixes.append(Fix(f"Add `category: {name}`", (edit,), preferred=name in directories))
    return tuple(fixes)


def _is_no_asset(subject: Subject) -> bool:
    path = split_path(subject.rel)
    return not path.markdown or path.readme or is_reserved(path)


RULES: tuple[Rule, ...] = (
    Rule(
        code="missing-updated",
        severity="hint",
        summary="The frontmatter has no `updated`.",
        why=(
            "Agents and people weigh a note by its age. Only the author knows when its content "
            "last changed: a file's own date changes with every checkout."
        ),
        remedy="Add `updated:` with the date of the last change, such as `updated: 2026-01-31`.",
        example="---\ndescription: How tokens are rotated\n---\n# Tokens\n",
        check=check_missing_updated,
        about=_wants_date,
        group="frontmatter",
        places=("frontmatter",),
        skippable=True,
    ),
    Rule(
        code="missing-name-or-type",
        severity="error",
        summary="An agent or a command does not say its name and type.",
        why=(
            "Without `name` and `type` a harness that loads the file cannot tell what it is; "
            "with the wrong `type` it is loaded as something else."
        ),
        remedy=(
            "Add `name:` and `type: agent` or `type: command`. In a bundle of a tool's own layout "
            "a `description` or a placeholder such as `$ARGUMENTS` is enough for a command; an "
            "agent needs what the tools named in the message ask for."
        ),
        example="---\ndescription: Reviews changes\nupdated: 2026-01-31\n---\nReview.\n",
        check=check_missing_name_or_type,
        about=_is_named,
        group="assets",
        places=("frontmatter", "whole file"),
        example_path="agents/reviewer.md",
    ),
    Rule(
        code="missing-category",
        severity="warning",
        summary="A fact has no category, or one that does not exist.",
        why=(
            "akm picks the facts it hands to an agent by their category: conventions go into every "
            "prompt, a fact without a category into none."
        ),
        remedy="Set `category:` to personal, team, project, convention or meta.",
        example="---\ndescription: Who is on call\nupdated: 2026-01-31\n---\nAsk the team.\n",
        check=check_missing_category,
        about=lambda traits: traits.format == "akm" and traits.head == "facts",
        group="assets",
        places=("frontmatter",),
        example_path="facts/on-call.md",
    ),
)
