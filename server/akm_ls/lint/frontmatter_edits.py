"""Small edits to frontmatter and YAML files that leave all else as the author wrote it.

They keep line ends, quotes, comments, indentation and the order of keys. What cannot be edited
that way (a list over several lines of flow style with comments, a key of a flow mapping) is left
alone: the methods then say so.
"""

from __future__ import annotations

import re

from akm_ls.documents.document import Document
from akm_ls.documents.frontmatter import Frontmatter
from akm_ls.documents.nodes import Mapping, Node, Pair, Scalar, Sequence, resolve_plain
from akm_ls.documents.text import Span
from akm_ls.lint.finding import TextEdit
from akm_ls.lint.fixes import line_end

_LINE_END = re.compile(r"\r\n|\n|\r")
_BARE = re.compile(r"[A-Za-z0-9_][\w./@+-]*(?:#[\w-]+)?\Z", re.ASCII)
_DASH = re.compile(r"[ \t]*-[ \t]+\Z")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_NO_KEYS = re.compile(r"(?:(?:---)?[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r))*[ \t]*\Z")
_COLON = re.compile(r"[\"']?[ \t]*:(?P<blanks>[ \t]*)")


def quoted(value: str) -> str:
    """``value`` as a YAML scalar: bare where that reads back as the same string."""
    if _BARE.match(value) and isinstance(resolve_plain(value), str):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def is_blank(pair: Pair | None) -> bool:
    """Whether a key is not there, or has nothing behind its colon."""
    if pair is None:
        return True
    value = pair.value
    return isinstance(value, Scalar) and not value.style and not value.text.strip()


def set_keys(document: Document, values: dict[str, str], *, first: bool = False) -> TextEdit | None:
    """Give keys that are not there or empty a value, in one edit.

    ``values`` are YAML source. New keys come after the last key, with ``first`` before the first
    one. ``None`` where that takes more than one edit or changes what an author wrote.
    """
    gathered = FrontmatterEdits(document, first=first)
    if not all(gathered.fill(key, value) for key, value in values.items()):
        return None
    edits = gathered.edits()
    return edits[0] if len(edits) == 1 else None


class FrontmatterEdits:
    """Edits to one document, gathered. A method that returns ``False`` has changed nothing.

    They go to the top level of the frontmatter, of a YAML file to its own. A Markdown file
    without frontmatter gets a block. With ``first`` new keys come before all others.
    """

    def __init__(self, document: Document, *, first: bool = False) -> None:
        self._document = document
        self._text = document.text
        self._eol = line_end(document.text)
        self._first = first
        self._new_lines: list[str] = []
        self._edits: list[TextEdit] = []

    def edits(self) -> tuple[TextEdit, ...]:
        """All of them, in text order."""
        edits = list(self._edits)
        if not self._new_lines:
            return tuple(sorted(edits, key=lambda edit: edit.span))
        frontmatter = self._document.frontmatter
        if frontmatter is None:
            lines = "".join(f"{line}{self._eol}" for line in self._new_lines)
            gap = self._eol if self._text else ""
            return (TextEdit(Span(0, 0), f"---{self._eol}{lines}---{self._eol}{gap}"),)
        indent = self._indent(frontmatter) or ""
        lines = "".join(f"{indent}{line}{self._eol}" for line in self._new_lines)
        if self._first and frontmatter.root.pairs:
            at = self._line_start(frontmatter.root.pairs[0].key.span.start)
            edits.append(TextEdit(Span(at, at), lines))
            return tuple(sorted(edits, key=lambda edit: edit.span))
        end = frontmatter.inner.end
        if end > 0 and self._text[end - 1] not in "\r\n":
            lines = self._eol + lines.removesuffix(self._eol)
        for index, edit in enumerate(edits):
            if edit.span == (end, end):  # an item behind the last key
                edits[index] = TextEdit(edit.span, edit.new_text + lines)
                break
        else:
            edits.append(TextEdit(Span(end, end), lines))
        return tuple(sorted(edits, key=lambda edit: edit.span))

    def set(self, key: str, value: str) -> bool:
        """Give a top-level key a scalar value; a key that is not there comes last."""
        if not self._is_editable():
            return False
        pair = self._pair(key)
        if pair is None:
            return self._add(f"{key}: {quoted(value)}")
        node = pair.value
        if not isinstance(node, Scalar) or node.style in ("|", ">") or not self._stands_alone(pair):
            return False
        if node.tag:
            return False
        if not node.span.of(self._text):
            return self._fill(pair, quoted(value))
        self._edits.append(TextEdit(node.span, quoted(value)))
        return True

    def fill(self, key: str, source: str) -> bool:
        """Give a key that is not there or empty a value, as YAML source; change no other."""
        if not self._is_editable():
            return False
        pair = self._pair(key)
        if pair is None:
            return self._add(f"{key}: {source}")
        return is_blank(pair) and self._fill(pair, source)

    def append(self, key: str, value: str) -> bool:
        """Add an item to the list of a top-level key, making the list where there is none."""
        if not self._is_editable():
            return False
        pair = self._pair(key)
        if pair is None:
            return self._add(f"{key}: [{quoted(value)}]")
        if not self._stands_alone(pair):
            return False
        node = pair.value
        if isinstance(node, Sequence):
            return self._append_flow(node, value) if node.flow else self._append_line(node, value)
        if isinstance(node, Mapping):
            return False
        if not node.span.of(self._text).strip():
            return self._fill(pair, f"[{quoted(value)}]")
        source = node.span.of(self._text)
        if node.style in ("|", ">") or node.tag or _LINE_END.search(source):
            return False
        if not node.style and any(mark in source for mark in "[]{}#&*"):
            return False
        self._edits.append(TextEdit(node.span, f"[{source}, {quoted(value)}]"))
        return True

    def remove(self, key: str, index: int) -> bool:
        """Take one item out of the list of a top-level key; the key goes with the last one."""
        pair = self._pair(key)
        if pair is None or not self._is_editable() or not self._stands_alone(pair):
            return False
        node = pair.value
        if isinstance(node, Scalar):
            return index == 0 and self._remove_lines(pair.key.span.start, node.span.end)
        if not isinstance(node, Sequence) or not 0 <= index < len(node.items):
            return False
        if node.flow:
            return self._remove_flow(node, index)
        return self._remove_line(pair, node, index)

    # Where things stand.

    def _is_editable(self) -> bool:
        frontmatter = self._document.frontmatter
        if frontmatter is None:
            return self._document.kind == "markdown"
        return frontmatter.closed and frontmatter.problem is None and not frontmatter.root.flow

    def _pair(self, key: str) -> Pair | None:
        frontmatter = self._document.frontmatter
        return None if frontmatter is None else frontmatter.root.pair(key)

    def _add(self, line: str) -> bool:
        """A key of its own, where a new line cannot mean anything else."""
        frontmatter = self._document.frontmatter
        if frontmatter is not None and (
            self._indent(frontmatter) is None
            or "\n..." in frontmatter.inner.of(self._text)  # what comes behind it is not read
        ):
            return False
        self._new_lines.append(line)
        return True

    def _indent(self, frontmatter: Frontmatter) -> str | None:
        """What stands before each key; ``None`` when that is not blank, as with a `? key`."""
        pairs = frontmatter.root.pairs
        if not pairs:
            return ""
        start = pairs[0].key.span.start
        if not _NO_KEYS.match(self._text[frontmatter.inner.start : start]):
            return None
        return self._text[self._line_start(start) : start]

    def _line_start(self, offset: int) -> int:
        # Without the index of all lines, which many a file needs for nothing else.
        return max(self._text.rfind("\n", 0, offset), self._text.rfind("\r", 0, offset)) + 1

    def _stands_alone(self, pair: Pair) -> bool:
        """Whether a key starts its line, and its value is no alias of another one."""
        start = pair.key.span.start
        starts_line = start == 0 or self._text[start - 1] in "\r\n"
        return starts_line and not self._text.startswith("*", pair.value.span.start)

    def _fill(self, pair: Pair, value: str) -> bool:
        colon = _COLON.match(self._text, pair.key.span.end)
        if colon is None:
            return False
        comment = " " if self._text.startswith("#", colon.end()) else ""
        self._edits.append(TextEdit(Span(*colon.span("blanks")), f" {value}{comment}"))
        return True

    # Lists in brackets.

    def _append_flow(self, node: Sequence, value: str) -> bool:
        end = node.span.end - 1
        if self._text[end : end + 1] != "]":
            return False
        if not node.items:
            inner = Span(node.span.start + 1, end)
            if inner.of(self._text).strip():
                return False
            self._edits.append(TextEdit(inner, quoted(value)))
            return True
        at = node.items[-1].span.end
        trailing = "," in self._text[at:end]
        if at > end or (trailing and "#" in self._text[at:end]):
            return False
        if trailing:
            at = self._text.index(",", at) + 1
        addition = f" {quoted(value)}" if trailing else f", {quoted(value)}"
        self._edits.append(TextEdit(Span(at, at), addition))
        return True

    def _remove_flow(self, node: Sequence, index: int) -> bool:
        items = node.items
        if len(items) == 1:
            span = Span(node.span.start + 1, node.span.end - 1)
        elif index + 1 < len(items):
            span = Span(items[index].span.start, items[index + 1].span.start)
        else:
            span = Span(items[index - 1].span.end, items[index].span.end)
        removed = span.of(self._text)
        if "#" in removed.replace(items[index].span.of(self._text), ""):
            return False
        before = self._text[node.span.start : items[index].span.start].rstrip()
        if not before.endswith(("[", ",")):
            return False  # an anchor or a tag belongs to the item
        self._edits.append(TextEdit(span, ""))
        return True

    # Lists with dashes.

    def _append_line(self, node: Sequence, value: str) -> bool:
        dash = self._dash_of(node.items[-1]) if node.items else None
        if dash is None:
            return False
        line = self._line_at(node.items[-1].span.end)
        source = line.of(self._text)
        if source.endswith(("\n", "\r")):
            addition = f"{dash}{quoted(value)}{self._eol}"
        else:
            addition = f"{self._eol}{dash}{quoted(value)}"
        self._edits.append(TextEdit(Span(line.end, line.end), addition))
        return True

    def _remove_line(self, pair: Pair, node: Sequence, index: int) -> bool:
        if self._dash_of(node.items[index]) is None:
            return False
        if len(node.items) > 1:
            start = self._text.rfind("\n", 0, node.items[index].span.start) + 1
            start = max(start, self._text.rfind("\r", 0, node.items[index].span.start) + 1)
            return self._remove_lines(start, node.items[index].span.end)
        between = self._text[pair.key.span.end : node.items[0].span.start]
        if "#" in between:
            return False
        return self._remove_lines(pair.key.span.start, node.items[0].span.end)

    def _dash_of(self, item: Node) -> str | None:
        """What stands before a list's item on its line; ``None`` for all but simple ones."""
        if not isinstance(item, Scalar) or item.style in ("|", ">"):
            return None
        if _LINE_END.search(item.span.of(self._text)):
            return None
        start = item.span.start
        line_start = max(self._text.rfind("\n", 0, start), self._text.rfind("\r", 0, start)) + 1
        before = self._text[line_start:start]
        return before if _DASH.match(before) else None

    def _remove_lines(self, start: int, end: int) -> bool:
        """Remove from ``start``, which begins a line, to the end of the line of ``end``."""
        self._edits.append(TextEdit(Span(start, self._line_at(end).end), ""))
        return True

    def _line_at(self, offset: int) -> Span:
        """From ``offset`` to behind the end of its line."""
        match = _LINE.match(self._text, offset)
        return Span(offset, match.end() if match else offset)
