"""The Agent Skills specification: what a SKILL.md's frontmatter must hold.

Limits and characters are those of agentskills.io and its reference validator. Tools are more
lenient than it, so its verdicts are warnings, and errors only where the skill is lost or under
`akm.lint.portable`.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator

from akm_ls.bundles.host_layouts import PLUGIN_DIRECTORIES
from akm_ls.bundles.schema import load_schema, place_of
from akm_ls.bundles.schema.spelling import likely
from akm_ls.documents.frontmatter import Frontmatter
from akm_ls.documents.misplaced import find_misplaced
from akm_ls.documents.nodes import Node, Scalar
from akm_ls.documents.text import Span
from akm_ls.lint.finding import Finding, Fix, Severity, TextEdit
from akm_ls.lint.frontmatter_edits import quoted, set_keys
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules import skill_body, skill_fields
from akm_ls.lint.rules.skill_files import block, is_binary, is_blank, is_faulty, stricter

MAX_NAME = 64
MAX_DESCRIPTION = 1024
MAX_LISTED = 1536
"""Characters of ``description`` and ``when_to_use`` together that Claude Code shows a model."""

_ANY_NAME = (".git", *PLUGIN_DIRECTORIES)
"""What is in a directory that may be called anything."""
_NOT_A_NAME = re.compile(r"[\W_]+")


def check_name(subject: Subject) -> Iterator[Finding]:
    frontmatter = block(subject)
    if frontmatter is None:
        return
    node = frontmatter.get("name")
    directory = _directory(subject)
    if node is None or (isinstance(node, Scalar) and is_blank(node)):
        if frontmatter.problem is None or (
            node is not None and not is_faulty(subject, frontmatter, "name")
        ):
            yield _no_name(subject, frontmatter, node, directory)
        return
    if not isinstance(node, Scalar) or "{{" in node.text or "}}" in node.text:
        return
    if is_faulty(subject, frontmatter, "name"):
        return
    name = unicodedata.normalize("NFKC", node.text.strip())
    faults = list(_faults_of(name))
    inner = False
    if directory is not None and name != directory:
        # The tools that look for skills within skills do not compare their names.
        inner = not faults and _is_within_a_skill(subject)
        faults.append(f"is not the name of its directory, `{directory}`")
    if not faults:
        return
    effect = "" if inner else ": some tools leave such a skill out"
    yield Finding(
        code="skill-name-invalid",
        severity=stricter(subject, "hint" if inner else "warning"),
        message=(
            f"The skill name `{_short(name)}` {_and(faults)}{effect}. {_remedy(name, directory)}"
        ),
        span=node.span,
        data={"name": name, "directory": directory},
        fixes=tuple(_name_fixes(node, name, directory)),
    )


def _directory(subject: Subject) -> str | None:
    """The skill's directory as its name must spell it.

    ``None`` for a checkout, a plugin or an installed bundle that is a skill as a whole: what its
    directory is called is for whoever puts it there.
    """
    directory = os.path.dirname(subject.path)
    if "/" not in subject.rel:
        names = subject.around.names(directory)
        if subject.bundle.origin == "config" or any(name in names for name in _ANY_NAME):
            return None
    return unicodedata.normalize("NFKC", os.path.basename(directory))


def _is_within_a_skill(subject: Subject) -> bool:
    """Whether a directory above the skill's own, below the bundle's, holds a SKILL.md too."""
    above = os.path.dirname(os.path.dirname(subject.path))
    for _ in range(subject.rel.count("/") - 1):
        if subject.around.kind(os.path.join(above, "SKILL.md")) == "file":
            return True
        above = os.path.dirname(above)
    return False


def _remedy(name: str, directory: str | None) -> str:
    slug = _slug(name)
    if directory is not None and not list(_faults_of(directory)):
        if slug == directory:
            return f"Write `{directory}`."
        return f"Write `{directory}`, or rename the directory."
    if slug and not list(_faults_of(slug)):
        if slug == name:
            return "Rename the directory."
        return f"Write `{slug}`" + ("." if directory is None else ", and name the directory so.")
    return f"Use up to {MAX_NAME} lower-case letters and digits, with single hyphens between words."


def _faults_of(name: str) -> Iterator[str]:
    if len(name) > MAX_NAME:
        yield f"has {len(name)} characters and may have {MAX_NAME}"
    if name != name.lower():
        yield "has capital letters"
    if name.startswith("-") or name.endswith("-"):
        yield "starts or ends with a hyphen"
    if "--" in name:
        yield "has two hyphens in a row"
    bad = dict.fromkeys(char for char in name if not (char.isalnum() or char == "-"))
    if bad:
        shown = ["blanks" if char == " " else f"`{char}`" for char in bad if char.isprintable()]
        shown += ["control characters"] if len(shown) < len(bad) else []
        yield f"has {_and(shown[:5])} (only letters, digits and hyphens are allowed)"


def _name_fixes(node: Scalar, name: str, directory: str | None) -> Iterator[Fix]:
    slug = _slug(name)
    if directory is not None and not list(_faults_of(directory)):
        edit = _replaced(node, directory)
        # Only where the name is the directory's in another spelling there is no doubt.
        yield Fix(f"Rename to `{directory}`", (edit,))
    elif slug and slug != name and not list(_faults_of(slug)):
        yield Fix(f"Rename to `{slug}`", (_replaced(node, slug),))


def _replaced(node: Scalar, text: str) -> TextEdit:
    return TextEdit(node.span if node.style in ("|", ">") else node.inner, text)


def _slug(name: str) -> str:
    return _NOT_A_NAME.sub("-", name.lower()).strip("-")


def _no_name(
    subject: Subject, frontmatter: Frontmatter, node: Node | None, directory: str | None
) -> Finding:
    edit: TextEdit | None = None
    misspelt = any(
        pair.key.text != "name"
        and (found := likely(pair.key.text, ("name",))) is not None
        and found[0] == "name"
        for pair in frontmatter.root.pairs
    )
    if directory and not list(_faults_of(directory)) and not misspelt:
        edit = set_keys(subject.document, {"name": quoted(directory)}, first=True)
    fixes: tuple[Fix, ...] = ()
    if edit is not None:
        fixes = (Fix(f"Name it `{directory}`", (edit,), safe=node is None),)
    return Finding(
        code="skill-name-invalid",
        severity=stricter(subject, "warning"),
        message=(
            "The skill has no name. Claude Code and Codex take the directory's; "
            "most other tools leave the skill out."
        ),
        span=_key_span(frontmatter, "name") or _opening(subject),
        data={"name": None, "directory": directory},
        fixes=fixes,
    )


def check_description(subject: Subject) -> Iterator[Finding]:
    frontmatter = subject.document.frontmatter
    if frontmatter is None:
        text = subject.document.text
        if find_misplaced(text) is None and not is_binary(text):
            yield Finding(
                code="skill-description-missing",
                severity=_missing_severity(subject),
                message=(
                    "The skill has no frontmatter: it needs a name and a description between "
                    "two lines `---` at the start, or no tool offers it."
                ),
                span=_opening(subject),
                data={"reason": "no-frontmatter"},
            )
        return
    frontmatter = block(subject)
    if frontmatter is None:
        return
    node = frontmatter.get("description")
    if node is None and frontmatter.problem is not None:
        return
    if (node is not None and not is_blank(node)) or is_faulty(subject, frontmatter, "description"):
        return
    message = (
        "The skill has no description, and a model chooses skills by it: most tools leave this "
        "one out. Say what the skill does and when to use it."
    )
    meant = next(
        (
            pair.key.text
            for pair in frontmatter.root.pairs
            if pair.key.text != "description" and likely(pair.key.text, ("description",))
        ),
        None,
    )
    if meant is not None:
        message = f"The skill has no description; `{meant}` is not read. Is it misspelt?"
    elif node is not None and _starts_comment(subject.document.text, node):
        message = "The description is empty: `#` starts a comment in YAML. Put the text in quotes."
    yield Finding(
        code="skill-description-missing",
        severity=_missing_severity(subject),
        message=message,
        span=_key_span(frontmatter, "description") or _opening(subject),
        data={"reason": "missing" if node is None else "empty"},
    )


def _starts_comment(text: str, node: Node) -> bool:
    return re.match(r"[ \t]*#", text[node.span.start : node.span.start + 40]) is not None


def _missing_severity(subject: Subject) -> Severity:
    """A hint where every tool in question falls back on the body's first paragraph."""
    place = place_of(subject.path, "skill", subject.bundle.adapter)
    if place is None or subject.settings.portable:
        return "error"
    hosts = place.hosts & (subject.settings.hosts or place.hosts)
    required = load_schema().kinds["skill"].keys["description"].required_by
    return "error" if hosts & required or not hosts else "hint"


def check_description_length(subject: Subject) -> Iterator[Finding]:
    frontmatter = block(subject)
    if frontmatter is None:
        return
    node = frontmatter.get("description")
    if not isinstance(node, Scalar):
        return
    text = frontmatter.meant("description") or ""
    text = text if subject.settings.portable else text.strip()
    if len(text) > MAX_DESCRIPTION:
        yield Finding(
            code="skill-description-too-long",
            severity=stricter(subject, "warning"),
            message=(
                f"The skill's description has {len(text)} characters; the limit is "
                f"{MAX_DESCRIPTION}. Move details into the body."
            ),
            span=node.span,
            data={"length": len(text), "limit": MAX_DESCRIPTION},
        )
        return
    more = frontmatter.get("when_to_use")
    if isinstance(more, Scalar) and len(text) + len(more.text.strip()) > MAX_LISTED:
        length = len(text) + len(more.text.strip())
        yield Finding(
            code="skill-description-too-long",
            severity="hint",
            message=(
                f"Description and when_to_use have {length} characters together; Claude Code "
                f"shows a model the first {MAX_LISTED}."
            ),
            span=more.span,
            data={"length": length, "limit": MAX_LISTED},
        )


def _key_span(frontmatter: Frontmatter, key: str) -> Span | None:
    pair = frontmatter.root.pair(key)
    return None if pair is None else pair.key.span


def _opening(subject: Subject) -> Span:
    """The first line, where a key that is not there is missed."""
    return subject.document.lines.line_span(0)


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"


def _and(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


RULES: tuple[Rule, ...] = (
    Rule(
        code="skill-name-invalid",
        severity="warning",
        summary="A skill's name is missing, malformed or not its directory's.",
        why=(
            "The name is what people type and what tools install and look up. VS Code leaves out "
            "a skill whose name is not its directory's, and others list it under a name nobody "
            "finds."
        ),
        remedy=(
            "Name the skill as its directory: up to 64 lower-case letters and digits, with single "
            "hyphens between words."
        ),
        example="---\nname: Calendar Tools\ndescription: Finds free slots.\n---\n# Calendar\n",
        example_path="skills/calendar-tools/SKILL.md",
        check=check_name,
        about=lambda traits: traits.is_skill and traits.has_frontmatter,
        group="frontmatter",
        places=("frontmatter",),
    ),
    Rule(
        code="skill-description-missing",
        severity="error",
        summary="A skill has no description.",
        why="A model sees nothing of a skill but its description; without one it is never chosen.",
        remedy="Add a `description` that says what the skill does and when to use it.",
        example="---\nname: review\n---\n# Review\n",
        example_path="skills/review/SKILL.md",
        check=check_description,
        about=lambda traits: traits.is_skill,
        group="frontmatter",
        places=("frontmatter",),
    ),
    Rule(
        code="skill-description-too-long",
        severity="warning",
        summary="A skill's description has more than 1024 characters.",
        why="Codex drops the skill; others cut the text. Agents and commands have no such limit.",
        remedy="Keep what the skill does and when to use it; move the rest into the body.",
        example=f"---\nname: long\ndescription: {'Says it again. ' * 70}\n---\n# Long\n",
        example_path="skills/long/SKILL.md",
        check=check_description_length,
        about=lambda traits: traits.is_skill and traits.has_frontmatter,
        group="frontmatter",
        places=("frontmatter",),
    ),
    *skill_fields.RULES,
    *skill_body.RULES,
)
