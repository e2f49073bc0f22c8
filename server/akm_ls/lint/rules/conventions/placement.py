"""Which directory an asset belongs in: one axis, by its type (organisation conventions, S2).

What is born in a piece of work (memories, lessons, tasks, env files, secrets) lies under the slug
of the project; what is made to be used again (knowledge, skills, facts, scripts) under a domain of
the bundle's vocabulary; commands, agents and workflows are for everybody.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from akm_ls.documents.document import Kind
from akm_ls.index.neighbours import SCOPE_BORN
from akm_ls.lint.finding import Finding, Fix, Related, TextEdit
from akm_ls.lint.rule import Place, Rule, Subject
from akm_ls.lint.rules.conventions.stash import (
    Placement,
    is_placed,
    placement_of,
    top_of,
)
from akm_ls.lint.rules.conventions.vocabulary import (
    Vocabulary,
    added_line,
    domains_path,
    vocabulary_of,
)

REUSE_BORN = frozenset({"knowledge", "skill", "fact", "script"})
GLOBAL = frozenset({"command", "agent", "workflow"})
MAX_DEPTH = 2
"""Directories below a type's own (akm.md §11)."""
SHOWN_DOMAINS = 6

_DOMAIN_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")


def _fault(
    subject: Subject,
) -> tuple[str, str, Placement, Vocabulary] | None:
    """The one fault of an asset's first directories: its code, and the message."""
    placement = placement_of(subject)
    if placement is None or not placement.directories:
        return None
    vocabulary = vocabulary_of(subject)
    code_and_message = (
        _global_fault(subject, placement, vocabulary)
        if placement.type in GLOBAL
        else _axis_fault(subject, placement, vocabulary)
    )
    return None if code_and_message is None else (*code_and_message, placement, vocabulary)


def _axis_fault(
    subject: Subject, placement: Placement, vocabulary: Vocabulary
) -> tuple[str, str] | None:
    first, *rest = placement.directories
    here = placement.path(first)
    if placement.type in SCOPE_BORN and first in vocabulary:
        return "placement-axis", (
            f'{here}/ sorts {_one(placement.type)} by the domain "{first}"; what is born in a '
            f'piece of work goes under the slug of its project, with "{first}" as a tag.'
        )
    if rest and _crosses(subject, first, rest[0], vocabulary):
        return "placement-two-axes", (
            f"{placement.path(first, rest[0])}/ names a project and a domain; keep "
            f"{_kept_axis(placement, first, rest[0], vocabulary)} and make the other one a tag."
        )
    if placement.type in REUSE_BORN and first not in vocabulary:
        near = vocabulary.nearest(first)
        instead = f'the nearest one is "{near}"' if near else f"use {_some(vocabulary.domains)}"
        return "placement-domain", (
            f"{here}/ is no domain of this bundle: {instead}. Or keep the file right in "
            f'{placement.type_directory}/ with the tag "{first}", or add the domain to '
            "facts/conventions/domains."
        )
    return None


def _one(asset_type: str) -> str:
    article = "an" if asset_type[0] in "ae" else "a"
    return f"{article} {asset_type}{' file' if asset_type == 'env' else ''}"


def _some(domains: tuple[str, ...]) -> str:
    if not domains:
        return "one of them"
    shown = ", ".join(domains[:SHOWN_DOMAINS])
    return f"one of {shown}" + (" and so on" if len(domains) > SHOWN_DOMAINS else "")


def _crosses(subject: Subject, first: str, second: str, vocabulary: Vocabulary) -> bool:
    if first in vocabulary:
        return _is_project(subject, second, vocabulary)
    return second in vocabulary and _is_project(subject, first, vocabulary)


def _kept_axis(placement: Placement, first: str, second: str, vocabulary: Vocabulary) -> str:
    domain, project = (first, second) if first in vocabulary else (second, first)
    return f'"{project}"' if placement.type in SCOPE_BORN else f'"{domain}"'


def _global_fault(
    subject: Subject, placement: Placement, vocabulary: Vocabulary
) -> tuple[str, str] | None:
    directories = placement.directories
    where = placement.path(*directories)
    if len(directories) > 1:
        why = "at most one directory, named after a tool"
    elif _is_project(subject, directories[0], vocabulary):
        why = f'no directory of a project, and "{directories[0]}" is one'
    else:
        return None
    return "placement-global", (
        f"{where}/ hides {_one(placement.type)} that everybody may use: below "
        f"{placement.type_directory}/ there is {why}."
    )


def _is_project(subject: Subject, name: str, vocabulary: Vocabulary) -> bool:
    """Whether memories, lessons, tasks, env files or secrets lie already under a slug."""
    return (
        subject.catalog is not None
        and name not in vocabulary
        and name in subject.catalog.neighbours.directories(subject.bundle.id)
    )


def _reports(code: str) -> Callable[[Subject], Iterable[Finding]]:
    def check(subject: Subject) -> Iterable[Finding]:
        fault = subject.once(_fault)
        if fault is None or fault[0] != code:
            return ()
        _, message, placement, vocabulary = fault
        add = None
        if code == "placement-domain":
            add = _add_domain(subject, placement.directories[0], vocabulary)
        found = Finding(
            code=code,
            severity="hint",
            message=message,
            span=top_of(subject),
            related=()
            if add is None
            else (Related(domains_path(subject), "the domains are here"),),
            data={"directories": list(placement.directories)},
            fixes=() if add is None else (add,),
        )
        return (found,)

    return check


def _add_domain(subject: Subject, domain: str, vocabulary: Vocabulary) -> Fix | None:
    path = domains_path(subject)
    document = subject.around.document(path)
    if document is None or not subject.bundle.writable or not _DOMAIN_NAME.match(domain):
        return None
    line = added_line(document, vocabulary, domain)
    if line is None:
        return None
    return Fix(
        f'Add "{domain}" to facts/conventions/domains',
        elsewhere={path: (TextEdit(*line),)},
        preferred=False,
    )


def check_depth(subject: Subject) -> Iterator[Finding]:
    placement = placement_of(subject)
    if placement is None:
        return
    depth = len(placement.directories)
    if depth <= MAX_DEPTH:
        return
    yield Finding(
        code="placement-depth",
        severity="hint",
        message=(
            f"{placement.path(*placement.directories)}/ is {depth} directories deep; more than "
            f"{MAX_DEPTH} are not searched any better. Make the others tags."
        ),
        span=top_of(subject),
        data={"depth": depth},
    )


_KINDS: frozenset[Kind] = frozenset({"markdown", "yaml", "script", "env"})
_PLACES: tuple[Place, ...] = ("directory",)

RULES = (
    Rule(
        code="placement-axis",
        severity="hint",
        summary="A memory, lesson, task or env file lies under a domain instead of a project.",
        why=(
            "The directory is the one facet of an asset that cannot be said twice. What is born "
            "in a piece of work is looked for by its project; its domain is found as a tag."
        ),
        remedy="Move the file under the slug of its project and put the domain into `tags`.",
        example="---\ndescription: Why the token refresh failed at night\n---\n",
        example_path="memories/auth/refresh-races.md",
        check=_reports("placement-axis"),
        about=lambda traits: is_placed(traits) and traits.type in SCOPE_BORN,
        group="conventions",
        places=_PLACES,
        kinds=_KINDS,
    ),
    Rule(
        code="placement-domain",
        best_fix="offered",
        severity="hint",
        summary="Knowledge, a skill, a fact or a script lies outside the bundle's domains.",
        why=(
            "A short closed list of domains keeps what belongs together together. Each new "
            "directory splits a subject in two, and neither half finds the other."
        ),
        remedy=(
            "Use a domain of `facts/conventions/domains`, keep the file at the root of its type "
            "with a tag, or add the domain to the fact."
        ),
        example="---\ndescription: How the queue is drained before a deployment\n---\n",
        example_path="knowledge/misc/queue.md",
        check=_reports("placement-domain"),
        about=lambda traits: is_placed(traits) and traits.type in REUSE_BORN,
        group="conventions",
        places=_PLACES,
        kinds=_KINDS,
    ),
    Rule(
        code="placement-global",
        severity="hint",
        summary="A command, agent or workflow lies deep, or under one project.",
        why="Commands, agents and workflows are for everybody; a project's directory hides them.",
        remedy="Move the file to the root of its type, or into one directory named after a tool.",
        example="---\ntype: workflow\ndescription: Releases the product step by step\n---\n",
        example_path="workflows/web/release/cut.md",
        check=_reports("placement-global"),
        about=lambda traits: is_placed(traits) and traits.type in GLOBAL,
        group="conventions",
        places=_PLACES,
    ),
    Rule(
        code="placement-two-axes",
        severity="hint",
        summary="The directories of an asset name a project and a domain.",
        why=(
            "A path has one axis. With two of them one subject is spread over as many places as "
            "there are projects."
        ),
        remedy="Keep the axis of the asset's type and make the other one a tag.",
        example="---\ndescription: Why the token refresh failed at night\n---\n",
        example_path="memories/webshop/auth/refresh-races.md",
        check=_reports("placement-two-axes"),
        about=lambda traits: is_placed(traits) and traits.type not in GLOBAL,
        group="conventions",
        places=_PLACES,
        kinds=_KINDS,
        needs_catalog=True,
    ),
    Rule(
        code="placement-depth",
        severity="hint",
        summary=f"An asset lies more than {MAX_DEPTH} directories below its type's.",
        why="Nobody browses: deep directories cost long refs and are not searched any better.",
        remedy=f"Keep at most {MAX_DEPTH} directories; what the others said goes into `tags`.",
        example="---\ndescription: How the queue is drained before a deployment\n---\n",
        example_path="knowledge/databases/postgres/queues/drain.md",
        check=check_depth,
        about=lambda traits: is_placed(traits) and traits.type not in (*GLOBAL, "session"),
        group="conventions",
        places=_PLACES,
        kinds=_KINDS,
    ),
)
