"""The optional keys of a skill that the specification has a word on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from akm_ls.documents.nodes import Mapping, Node, Scalar, Sequence
from akm_ls.documents.text import Span
from akm_ls.documents.yaml_mends import quoted
from akm_ls.lint.finding import Finding, Fix, Severity, TextEdit
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules.skill_files import block, first_line, is_blank, stricter

MAX_COMPATIBILITY = 500


def check_fields(subject: Subject) -> Iterator[Finding]:
    frontmatter = block(subject)
    if frontmatter is None or (frontmatter.problem is not None and not frontmatter.closed):
        return
    yield from _compatibility(subject, frontmatter.get("compatibility"))
    if frontmatter.problem is not None:
        return  # what is no text may be so because of the fault
    yield from _metadata(subject, frontmatter.get("metadata"))
    yield from _allowed_tools(subject, frontmatter.get("allowed-tools"))


def _field(
    key: str, severity: Severity, message: str, span: Span, fix: Fix | None = None
) -> Finding:
    return Finding(
        code="skill-field-invalid",
        severity=severity,
        message=message,
        span=span,
        data={"key": key},
        fixes=() if fix is None else (fix,),
    )


def _compatibility(subject: Subject, node: Node | None) -> Iterator[Finding]:
    if node is None:
        return
    if not isinstance(node, Scalar):
        what = "a list" if isinstance(node, Sequence) else "a map"
        yield _field(
            "compatibility",
            stricter(subject, "warning"),
            f"`compatibility` is {what}; it must be a text of up to {MAX_COMPATIBILITY} "
            "characters.",
            first_line(subject, node.span),
        )
    elif len(node.text) > MAX_COMPATIBILITY:
        yield _field(
            "compatibility",
            stricter(subject, "warning"),
            f"`compatibility` has {len(node.text)} characters; the limit is {MAX_COMPATIBILITY}.",
            node.span,
        )


def _metadata(subject: Subject, node: Node | None) -> Iterator[Finding]:
    if node is None or is_blank(node):
        return
    if not isinstance(node, Mapping):
        yield _field(
            "metadata",
            stricter(subject, "warning"),
            "`metadata` must be a map of names to texts; Codex drops a skill with anything else.",
            first_line(subject, node.span),
        )
        return
    for pair in node.pairs:
        key, value = pair.key.text, pair.value
        if isinstance(value, Scalar):
            if isinstance(value.plain, str) or value.plain is None:
                continue
            if key == "internal" and isinstance(value.plain, bool):
                continue
            kind = "true or false" if isinstance(value.plain, bool) else "a number"
            edit = TextEdit(value.span, quoted(value.text))
            yield _field(
                f"metadata.{key}",
                "hint",
                f"Values in `metadata` are texts; `{value.text}` is {kind}. Put it in quotes.",
                value.span,
                Fix(f"Quote the value of `{key}`", (edit,), safe=True),
            )
        elif subject.settings.portable:
            yield _field(
                f"metadata.{key}",
                "hint",
                f"Values in `metadata` are texts; `{key}` has several. Write them as one text.",
                pair.key.span,
            )


def _allowed_tools(subject: Subject, node: Node | None) -> Iterator[Finding]:
    if node is None or is_blank(node):
        return
    portable = subject.settings.portable
    if isinstance(node, Mapping):
        yield _field(
            "allowed-tools",
            stricter(subject, "warning"),
            "`allowed-tools` must be the names of tools in one text, separated by blanks.",
            first_line(subject, node.span),
        )
        return
    if not portable and not _is_portable_place(subject):
        return
    if isinstance(node, Sequence):
        tools = [item.text.strip() for item in node.items if isinstance(item, Scalar)]
        whole = len(tools) == len(node.items)
        severity: Severity = "error" if portable else "hint"
        what = "a list"
    else:
        tools = _split_tools(node.text)
        if "," not in _outside_brackets(node.text):
            return
        whole, severity, what = True, "hint", "separated by commas"
    text = " ".join(tools)
    fix = None
    if whole and node.span.end > node.span.start:
        plain = re.fullmatch(r"[A-Za-z][^\n#]*", text) and ": " not in text
        fix = Fix(
            "Separate the tools by blanks",
            (TextEdit(node.span, text if plain else quoted(text)),),
        )
        if isinstance(node, Sequence) and not node.flow:
            fix = None if len(tools) != len(node.items) else _joined(subject, node, text)
    yield _field(
        "allowed-tools",
        severity,
        f"`allowed-tools` is {what}; the specification, and tools other than Claude Code, want "
        "one text with blanks between the tools.",
        first_line(subject, node.span),
        fix,
    )


def _joined(subject: Subject, node: Sequence, text: str) -> Fix | None:
    """A block list as one text behind its key."""
    source = subject.document.text
    colon = source.rfind(":", 0, node.span.start)
    if (
        colon < 0
        or source[colon + 1 : node.span.start].strip(" \t\r\n-")
        or "#" in node.span.of(source)
    ):
        return None
    edit = TextEdit(
        Span(colon + 1, node.span.end), f" {text if ': ' not in text else quoted(text)}"
    )
    return Fix("Separate the tools by blanks", (edit,))


def _is_portable_place(subject: Subject) -> bool:
    """A place that tools other than Claude Code read first: `.agents/skills`, a bundle's skills."""
    posix = subject.path.replace("\\", "/")
    if "/.claude/" in posix:
        return False
    return "/.agents/skills/" in posix or subject.bundle.adapter in ("akm", "agent-skills")


def _split_tools(text: str) -> list[str]:
    """Tools of a text that separates them by commas or blanks, not those inside parentheses."""
    tools, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth = max(0, depth + (char == "(") - (char == ")"))
        if not depth and (char == "," or char.isspace()):
            tools.append(text[start:at])
            start = at + 1
    tools.append(text[start:])
    return [tool for tool in tools if tool]


def _outside_brackets(text: str) -> str:
    kept, depth = [], 0
    for char in text:
        depth = max(0, depth + (char == "(") - (char == ")"))
        if not depth:
            kept.append(char)
    return "".join(kept)


RULES: tuple[Rule, ...] = (
    Rule(
        code="skill-field-invalid",
        best_fix="safe",
        severity="warning",
        summary="`compatibility`, `metadata` or `allowed-tools` of a skill is not as specified.",
        why="Tools read these keys as the Agent Skills specification has them, or not at all.",
        remedy=(
            "`compatibility` is a text of up to 500 characters, `metadata` a map of texts, "
            "`allowed-tools` one text with blanks between the tools."
        ),
        example=("---\nname: pdf\ndescription: Reads PDF files.\nmetadata: [a, b]\n---\n# PDF\n"),
        example_path="skills/pdf/SKILL.md",
        check=check_fields,
        about=lambda traits: traits.is_skill and traits.has_frontmatter,
        group="frontmatter",
        places=("frontmatter",),
    ),
)
