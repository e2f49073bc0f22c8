"""What the rules about skills ask of a file first."""

from __future__ import annotations

from akm_ls.documents.frontmatter import Frontmatter
from akm_ls.documents.nodes import Node, Scalar
from akm_ls.documents.text import Span
from akm_ls.documents.yaml_mends import find_faults
from akm_ls.lint.finding import Severity
from akm_ls.lint.rule import Subject

_UNREAD = frozenset(("not-a-mapping", "too-large", "too-deep", "alias-bomb"))


def is_binary(text: str) -> bool:
    """Whether a file is no text at all; what it lacks besides is not worth saying."""
    return "\0" in text


def block(subject: Subject) -> Frontmatter | None:
    """A skill's frontmatter, if it says anything."""
    frontmatter = subject.document.frontmatter
    if frontmatter is None:
        return None
    problem = frontmatter.problem
    return None if problem is not None and problem.kind in _UNREAD else frontmatter


def is_faulty(subject: Subject, frontmatter: Frontmatter, key: str) -> bool:
    """Whether YAML cannot read the value of ``key``: what it is then is anybody's guess.

    The fault is told already, and what else is wrong with the value shows when it is mended.
    """
    pair = frontmatter.root.pair(key)
    if pair is None or frontmatter.problem is None:
        return False
    inner, start = frontmatter.inner, pair.key.span.start
    keys = (other.key.span.start for other in frontmatter.root.pairs)
    end = min((at for at in keys if at > start), default=inner.end)
    return any(
        start <= fault.problem.span.start + inner.start < end
        or start < fault.problem.span.end + inner.start <= end
        for fault in find_faults(inner.of(subject.document.text)).faults
    )


def stricter(subject: Subject, severity: Severity) -> Severity:
    return "error" if subject.settings.portable else severity


def is_blank(node: Node | None) -> bool:
    return node is None or (
        isinstance(node, Scalar)
        and (not node.text.strip() or (not node.style and node.plain is None))
    )


def first_line(subject: Subject, span: Span) -> Span:
    line = subject.document.lines.line_span(subject.document.lines.line_of(span.start))
    return Span(span.start, max(span.start, min(span.end, line.end)))
