"""The YAML block at the top of a Markdown file, with the place of everything in it."""

from __future__ import annotations

import re
from typing import NamedTuple

from akm_ls.documents.nodes import Mapping, Node, Plain, Scalar, strings
from akm_ls.documents.text import Span
from akm_ls.documents.tolerant import read_tolerantly
from akm_ls.documents.yaml_problems import ProblemKind, YamlProblem, explain
from akm_ls.documents.yaml_reader import YamlFailure, compose, disguise, unreadable

__all__ = ["Frontmatter", "ProblemKind", "YamlProblem", "read_frontmatter", "read_yaml"]

MAX_FRONTMATTER = 256 * 1024
"""Characters of a frontmatter block that are read as YAML."""
MAX_YAML = 1024 * 1024
"""The same for a file that is YAML as a whole; akm refuses workflows above 1 MiB."""

_CLOSING = re.compile(r"(?:\A|(?<=[\r\n]))---[ \t]*(?=[\r\n]|\Z)")
_OPENING = re.compile(r"\ufeff?---[ \t]*(?:\r\n|\r|\n)")
_KEY_LINE = re.compile(r"[A-Za-z_][\w-]*:(?=[ \t\r\n]|\Z)")
_COMMON_KEY = re.compile(r"(?:name|description|title|type|tags|updated|when_to_use):")
_YAML_LINE = re.compile(r"[\w\"'.-]+[ \t]*:(?:[ \t\r\n]|\Z)|[ \t]*-[ \t]|[ \t]+\S|#|[\r\n]|\Z")
_HEADING = re.compile(r"#{1,6}[ \t]")
_LINE_END = re.compile(r"\r\n|\r|\n")


class Frontmatter(NamedTuple):
    """A frontmatter block.

    ``span`` is the whole block with both fences and the last line end: the body starts at its
    end. ``inner`` is the YAML, from the line after the opening fence to the start of the closing
    one. ``root`` is a tolerant reading when ``problem`` is set. ``closed`` is false for a block
    that was opened and never closed; it ends before the first blank line or heading.
    """

    span: Span
    inner: Span
    root: Mapping
    problem: YamlProblem | None
    closed: bool
    fence_blanks: Span | None = None
    """Blanks behind a fence: most hosts overlook them, akm then sees no frontmatter at all."""

    def get(self, key: str) -> Node | None:
        return self.root.get(key)

    def text(self, key: str) -> str | None:
        """The text of a scalar value; ``None`` for lists, mappings and keys that are not there."""
        node = self.root.get(key)
        return node.text if isinstance(node, Scalar) else None

    def meant(self, key: str) -> str | None:
        """`text` as its author means it: without the quote that a broken block never closes."""
        text = self.text(key)
        node = self.root.get(key)
        if text is None or self.problem is None or not isinstance(node, Scalar) or node.style:
            return text
        return text[1:] if text[:1] in ("'", '"') else text

    def strings(self, key: str) -> tuple[str, ...]:
        """The non-blank strings of a value that may be a scalar or a list."""
        return strings(self.root.get(key))

    @property
    def data(self) -> dict[str, Plain]:
        """Plain values by YAML 1.2's core schema; of a repeated key the last one."""
        plain = self.root.plain
        return plain if isinstance(plain, dict) else {}


def read_frontmatter(text: str) -> Frontmatter | None:
    """The block at the start of ``text``, or ``None``. Never raises.

    Beyond akm.md P0 (which is strict so that its own tools agree) a byte order mark, lone CR line
    ends and blanks behind a fence are accepted.
    """
    if not text.startswith(("---", "\ufeff---")):
        return None
    opening = _OPENING.match(text)
    if opening is None:
        return None
    start = opening.end()
    closing = _find_closing(text, start)
    if closing is None:
        return _unclosed(text, opening)
    inner = Span(start, closing[0])
    if _is_prose(text, inner):
        return None
    root, problem, fault = _read(text, inner, MAX_FRONTMATTER)
    if problem is not None and fault is not None:
        boundary = _end_of_block(text, start, inner.end)
        if boundary < fault and not _YAML_LINE.match(text, fault):
            # The `---` found belongs to the body: prose has been read as YAML.
            return _open_block(text, opening, boundary)
    span = Span(opening.start(), _after_line_end(text, closing[1]))
    return Frontmatter(span, inner, root, problem, True, _blanks(text, opening, closing))


def read_yaml(
    text: str, start: int = 0, end: int | None = None
) -> tuple[Mapping, YamlProblem | None]:
    """A text that is YAML as a whole, with the same tolerance. Spans are into ``text``."""
    end = len(text) if end is None else end
    root, problem, _ = _read(text, Span(start, end), MAX_YAML)
    return root, problem


def _find_closing(text: str, start: int) -> tuple[int, int] | None:
    """Start of the first line that is ``---``, and the end of its visible part and blanks."""
    position = start - 1
    crs = text.find("\r", start, start + 4096) >= 0
    while True:
        if crs:
            match = _CLOSING.search(text, position + 1)
            return match.span() if match else None
        position = text.find("\n---", position)
        if position < 0:
            return None
        match = _CLOSING.match(text, position + 1)
        if match:
            return match.span()
        position += 1


def _is_prose(text: str, inner: Span) -> bool:
    """Whether this is text between two thematic breaks: a blank line, then no YAML."""
    if inner.start < inner.end and text[inner.start] in "\r\n":
        first = re.compile(r"\s*").match(text, inner.start, inner.end)
        at = first.end() if first else inner.end
        return at < inner.end and not _YAML_LINE.match(text, at)
    return False


def _blanks(text: str, opening: re.Match[str], closing: tuple[int, int]) -> Span | None:
    fence_end = text.index("---", opening.start()) + 3
    if text[fence_end] in " \t":
        line = opening.group().rstrip("\r\n")
        return Span(fence_end, opening.start() + len(line))
    if closing[1] - closing[0] > 3:
        return Span(closing[0] + 3, closing[1])
    return None


def _unclosed(text: str, opening: re.Match[str]) -> Frontmatter | None:
    """A block without its closing fence, if it looks like one and not like a thematic break."""
    start = opening.end()
    if not _KEY_LINE.match(text, start):
        return None
    if not _COMMON_KEY.match(text, start):
        line_end = _LINE_END.search(text, start)
        if line_end is None or not _KEY_LINE.match(text, line_end.end()):
            return None
    return _open_block(text, opening, _end_of_block(text, start, len(text)))


def _open_block(text: str, opening: re.Match[str], end: int) -> Frontmatter:
    inner = Span(opening.end(), end)
    root, _, _ = _read(text, inner, MAX_FRONTMATTER)
    fence = opening.start() + opening.group().index("---")
    problem = YamlProblem(
        "The frontmatter that opens here is never closed; put a line `---` after its last key.",
        Span(fence, fence + 3),
        "unclosed-block",
    )
    return Frontmatter(Span(opening.start(), end), inner, root, problem, False)


def _end_of_block(text: str, start: int, limit: int) -> int:
    """Where the first blank line or heading after ``start`` begins."""
    position = start
    while position < limit:
        if text[position] in "\r\n" or _HEADING.match(text, position):
            return position
        match = _LINE_END.search(text, position, limit)
        if match is None:
            return limit
        if not text[position : match.start()].strip() or text.startswith("...", position):
            return position
        position = match.end()
    return limit


def _after_line_end(text: str, at: int) -> int:
    if text.startswith("\r\n", at):
        return at + 2
    return min(at + 1, len(text))


def _read(text: str, inner: Span, limit: int) -> tuple[Mapping, YamlProblem | None, int | None]:
    """Root, problem, and the offset of the line at fault when it is a matter of syntax."""
    source = text[inner.start : inner.end]
    base = inner.start
    if len(source) > limit:
        too_large = YamlProblem(
            f"The YAML is longer than {limit // 1024} KiB and is not read.",
            _first_line(text, inner),
            "too-large",
        )
        return read_tolerantly(source[:limit], base), too_large, None
    problem = None
    try:
        root = compose(source, base)
    except YamlFailure as failure:
        bad = unreadable(source) if failure.kind == "encoding" else None
        if bad is None:
            return _broken(source, base, failure)
        problem = YamlProblem(
            f"YAML cannot hold the control character U+{ord(bad.group()):04X}; remove it.",
            Span(base + bad.start(), base + bad.end()),
            "control-character",
        )
        try:
            root = compose(disguise(source), base, disguised=True)
        except YamlFailure as failure:
            return _broken(source, base, failure)[0], problem, None
    if isinstance(root, Mapping):
        return root, problem, None
    empty = Mapping((), Span(base, base))
    if root is None or (isinstance(root, Scalar) and root.plain is None):
        return empty, problem, None
    return empty, problem or _not_a_mapping(text, inner, root), None


def _broken(source: str, base: int, failure: YamlFailure) -> tuple[Mapping, YamlProblem, int]:
    problem = explain(source, failure)
    fault = max(
        source.rfind("\n", 0, problem.span.start), source.rfind("\r", 0, problem.span.start)
    )
    root = read_tolerantly(disguise(source), base)
    return root, problem.moved(base), base + fault + 1


def _not_a_mapping(text: str, inner: Span, root: Node) -> YamlProblem:
    span = Span(root.span.start, max(root.span.start, min(root.span.end, inner.end)))
    line = _first_line(text, span)
    if isinstance(root, Scalar):
        glued = re.match(r"([\w-]+):(?=\S)", root.text)
        if glued:
            return YamlProblem(
                f"There must be a blank after the colon of `{glued.group(1)}:`.",
                line,
                "missing-colon",
                None,
                glued.group(1),
            )
    what = "text" if isinstance(root, Scalar) else "a list"
    return YamlProblem(
        f"The YAML must consist of `key: value` lines, but this is {what}.", line, "not-a-mapping"
    )


def _first_line(text: str, span: Span) -> Span:
    match = _LINE_END.search(text, span.start, span.end)
    return Span(span.start, match.start() if match else span.end)
