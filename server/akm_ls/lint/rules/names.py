"""Skills, agents and commands that a tool, or an agent that chooses, cannot tell apart."""

from __future__ import annotations

from collections.abc import Iterator

from akm_ls.bundles.host_layouts import HOST_DIRECTORIES
from akm_ls.documents.nodes import Scalar
from akm_ls.documents.text import Span
from akm_ls.index.neighbours import ALIKE, Scope, alike, called, scope_of
from akm_ls.index.stub import NAMED_TYPES, Stub
from akm_ls.lint.finding import Finding, Related
from akm_ls.lint.rule import Rule, Subject
from akm_ls.refs import ASSET_DIRECTORIES

MAX_NAMED = 3
"""Other assets that a message names."""

_CLAUDE_LABELS = (".claude", "plugin")


def check_duplicate_name(subject: Subject) -> Iterator[Finding]:
    """Assets of one scope that hosts load under one name (agent-skills.md §2)."""
    stub = _named_stub(subject)
    if stub is None:
        return
    assert subject.catalog is not None
    neighbours = subject.catalog.neighbours
    scope, name = scope_of(stub), called(stub)
    others = [
        other
        for other in neighbours.namesakes(scope, name)
        if other.path != stub.path and _clash(subject, stub, other)
    ]
    if others:
        yield _duplicate(subject, stub, name, others)
    elif stub.type in ("skill", "command") and _is_claude(subject):
        yield from _skill_and_command(subject, stub, scope, name)


def _duplicate(subject: Subject, stub: Stub, name: str, others: list[Stub]) -> Finding:
    others.sort(key=lambda other: other.path)
    loaded_together = _are_loaded_together(subject, stub, others)
    places = " and ".join(_shown(subject, other) for other in others[:MAX_NAMED])
    if len(others) > MAX_NAMED:
        places += f" and {len(others) - MAX_NAMED} more"
    return Finding(
        code="duplicate-name",
        severity="warning" if loaded_together else "information",
        message=(
            f'The {stub.type} "{name}" has the same name as {places}: most tools load only one '
            "of them, often the last. Rename one, or remove it if it is a copy."
            if loaded_together
            else f'The {stub.type} "{name}" has the same name as {places}: a tool that is given '
            "both loads only one of them."
        ),
        span=_name_span(subject),
        related=tuple(Related(other.path, f'also named "{name}"') for other in others[:MAX_NAMED]),
        data={"name": name, "refs": [other.ref for other in others]},
    )


def _are_loaded_together(subject: Subject, stub: Stub, others: list[Stub]) -> bool:
    """Whether some tool reads the files where they lie, and so loses one of them.

    akm names assets by their path. In a catalogue whose parts lie in directories by topic
    (``skills/design/x`` and ``skills/writing/x``) people pick what they install.
    """
    bundle = subject.bundle
    if bundle.adapter == "akm" and bundle.origin != "host":
        return False
    if bundle.label in HOST_DIRECTORIES or bundle.label == "plugin":
        return True
    topic = _topic(stub)
    return not topic or any(_topic(other) in ("", topic) for other in others)


def _topic(stub: Stub) -> str:
    """The directories between the one of its type and the asset's own; ``""`` without any."""
    segments = stub.concept_id.split("/")[:-1]
    at = next((at for at, name in enumerate(segments) if name in ASSET_DIRECTORIES), -1)
    return "/".join(segments[at + 1 :])


def _skill_and_command(subject: Subject, stub: Stub, scope: Scope, name: str) -> Iterator[Finding]:
    """Claude Code runs both as ``/name``, and the skill wins."""
    assert subject.catalog is not None
    other_type = "command" if stub.type == "skill" else "skill"
    namesakes = subject.catalog.neighbours.namesakes(scope._replace(type=other_type), name)
    other = next(namesakes, None)
    if other is None:
        return
    yield Finding(
        code="duplicate-name",
        severity="warning" if stub.type == "command" else "information",
        message=(
            f'The skill and the command "{name}" are both /{name}; Claude Code runs the skill, and '
            "the command cannot be reached. Rename or remove one of them."
        ),
        span=_name_span(subject),
        related=(Related(other.path, f"the {other_type} of that name"),),
        data={"name": name, "refs": [other.ref]},
    )


def _clash(subject: Subject, one: Stub, other: Stub) -> bool:
    """Whether the tools that read the bundle would give both the one name."""
    bundle = subject.bundle
    if one.type == "skill":
        return True
    if bundle.adapter == "opencode":
        return False  # it names agents and commands by their paths, which differ
    if one.type == "agent":
        # Without a `name` a file is documentation; only a plugin's goes by its file name.
        return bundle.label == "plugin" or (
            one.mark("name") is not None and other.mark("name") is not None
        )
    return not _is_claude(subject)  # where a command's `name` has no effect


def _is_claude(subject: Subject) -> bool:
    bundle = subject.bundle
    if bundle.origin == "host":
        return bundle.label in _CLAUDE_LABELS
    return bundle.adapter == "claude"


def check_similar_description(subject: Subject) -> Iterator[Finding]:
    """Descriptions with the same word pairs: an agent chooses by nothing else."""
    stub = _named_stub(subject)
    if stub is None or not stub.description:
        return
    assert subject.catalog is not None
    shares = [
        (share, other)
        for share, other in subject.catalog.neighbours.lookalikes(stub)
        if other.path != stub.path and _is_alike_in_full(subject, stub, other)
    ]
    if not shares:
        return
    span = _key_span(subject, "description")
    if span is None:
        return
    names = " and ".join(_shown(subject, other) for _, other in shares)
    percent = round(100 * max(share for share, _ in shares))
    yield Finding(
        code="similar-description",
        severity="hint",
        message=(
            f"The description is nearly that of {names} ({percent} % of the word pairs are the "
            "same): an agent that reads both cannot choose. Say what sets this one apart."
        ),
        span=span,
        related=tuple(Related(other.path, "described alike") for _, other in shares),
        data={"refs": [other.ref for _, other in shares], "percent": percent},
    )


def _is_alike_in_full(subject: Subject, stub: Stub, other: Stub) -> bool:
    """The catalog has only the beginning of long descriptions."""
    if not (stub.description.endswith("…") and other.description.endswith("…")):
        return True
    own = subject.document.frontmatter
    document = subject.around.document(other.path)
    theirs = None if document is None else document.frontmatter
    if own is None or theirs is None:
        return True
    texts = own.text("description"), theirs.text("description")
    if texts[0] is None or texts[1] is None:
        return True
    return alike(stub._replace(description=texts[0]), other._replace(description=texts[1])) >= ALIKE


def _named_stub(subject: Subject) -> Stub | None:
    stub = subject.stub
    return stub if stub is not None and stub.type in NAMED_TYPES else None


def _name_span(subject: Subject) -> Span:
    return _key_span(subject, "name") or subject.document.lines.line_span(0)


def _key_span(subject: Subject, key: str) -> Span | None:
    frontmatter = subject.document.frontmatter
    node = None if frontmatter is None else frontmatter.get(key)
    return node.span if isinstance(node, Scalar) and node.text.strip() else None


def _shown(subject: Subject, other: Stub) -> str:
    return other.ref if other.bundle != subject.bundle.id else other.concept_id


RULES = (
    Rule(
        code="duplicate-name",
        severity="warning",
        summary="Two skills, agents or commands of one directory or plugin have one name.",
        why=(
            "A tool knows a skill or an agent by its name. Of two with one name it loads one and "
            "says nothing of the other."
        ),
        remedy=(
            "Rename one of them, in its frontmatter and in the name of its directory or file; "
            "remove it if it is a copy."
        ),
        example="---\nname: review\ndescription: Reviews a change. Use before a merge.\n---\n",
        example_path="skills/review/SKILL.md",
        around={
            "skills/other/SKILL.md": "---\nname: review\ndescription: Reviews a design.\n---\n"
        },
        check=check_duplicate_name,
        about=lambda traits: traits.type in NAMED_TYPES,
        group="assets",
        places=("frontmatter", "file name", "directory"),
        needs_catalog=True,
    ),
    Rule(
        code="similar-description",
        severity="hint",
        summary="Two skills, agents or commands say nearly the same of themselves.",
        why=(
            "An agent chooses a skill by its description. Two descriptions count as alike when at "
            f"least {round(100 * ALIKE)} % of their pairs of neighbouring words are the same "
            "(Jaccard index) and no word of the assets' own names tells them apart."
        ),
        remedy="Say in each description what sets it apart: another input, another moment.",
        example=(
            "---\nname: b\ndescription: Reviews a change before it is merged into main.\n---\n"
        ),
        example_path="skills/b/SKILL.md",
        around={
            "skills/a/SKILL.md": (
                "---\nname: a\ndescription: Reviews a change before it is merged into main.\n---\n"
            )
        },
        check=check_similar_description,
        about=lambda traits: traits.type in NAMED_TYPES,
        group="assets",
        places=("frontmatter",),
        needs_catalog=True,
    ),
)
