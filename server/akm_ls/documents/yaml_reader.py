"""YAML text to nodes with places, on libyaml's events.

Built on events rather than on PyYAML's composer: half the time, no recursion however deep the
text nests, and aliases are shared and counted instead of expanded.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Literal

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from akm_ls.documents.nodes import Mapping, Node, Pair, Scalar, Sequence
from akm_ls.documents.plain_yaml import read_plainly
from akm_ls.documents.text import Span

MAX_DEPTH = 64
"""Levels of nesting that are read; real frontmatter stays below ten."""
MAX_EXPANDED = 50_000
"""Nodes a document may have when its aliases are written out (the billion-laughs bound)."""

FailureKind = Literal[
    "syntax", "encoding", "too-deep", "alias", "alias-loop", "alias-bomb", "document"
]

_PROPERTIES = re.compile(r"(?:[!&][^\s]*[ \t\r\n]*)+")
# What YAML's readers refuse; a lone surrogate cannot even be encoded for libyaml.
_UNREADABLE = re.compile(
    r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
# YAML 1.1 counts these as line ends; YAML 1.2, akm and every editor do not.
_OLD_BREAKS = re.compile("[\x85\u2028\u2029]")
_DISGUISE = 0xF0000


class YamlFailure(Exception):
    """Why and where reading stopped; offsets are into the text that was read.

    ``reason`` and ``context`` are the parser's own words, or the alias's name.
    """

    def __init__(
        self,
        kind: FailureKind,
        reason: str,
        at: int,
        context: str = "",
        context_at: int | None = None,
    ) -> None:
        super().__init__(reason)
        self.kind: FailureKind = kind
        self.reason = reason
        self.at = at
        self.context = context
        self.context_at = context_at


def compose(source: str, base: int = 0, *, disguised: bool = False) -> Node | None:
    """The root node of the first document in ``source``; ``None`` when there is nothing.

    Spans are offset by ``base``. ``disguised`` says that `disguise` has been at work.

    Raises:
        YamlFailure: whatever is wrong; never another exception.
    """
    simple = None if disguised else read_plainly(source, base)
    if simple is not None:
        return simple
    return compose_events(source, base, disguised=disguised)


def compose_events(source: str, base: int = 0, *, disguised: bool = False) -> Node | None:
    """`compose` by libyaml alone, however simple the text is."""
    if not source.isascii():
        if source.startswith("\ufeff"):
            # libyaml would skip the mark without counting it.
            source = "\n" + source[1:]
        if _OLD_BREAKS.search(source):
            source, disguised = disguise(source, _OLD_BREAKS), True
    return _Builder(source, base, disguised).build()


def unreadable(source: str) -> re.Match[str] | None:
    """The first character that no YAML text may hold."""
    return _UNREADABLE.search(source)


def disguise(source: str, characters: re.Pattern[str] = _UNREADABLE) -> str:
    """``source`` with such characters replaced, one for one; `compose` puts them back."""
    return characters.sub(lambda match: chr(_DISGUISE + ord(match.group())), source)


_DISGUISED = re.compile("[\U000f0000-\U000fffff]")


def _undisguise(text: str) -> str:
    return _DISGUISED.sub(lambda match: chr(ord(match.group()) - _DISGUISE), text)


class _Frame:
    """A collection that is still open."""

    __slots__ = ("anchor", "children", "flow", "is_mapping", "size", "start")

    def __init__(self, is_mapping: bool, start: int, flow: bool, anchor: str | None) -> None:
        self.is_mapping = is_mapping
        self.start = start
        self.flow = flow
        self.anchor = anchor
        self.children: list[Node] = []
        self.size = 1


class _Builder:
    def __init__(self, source: str, base: int, disguised: bool) -> None:
        self._source = source
        self._base = base
        self._disguised = disguised
        self._anchors: dict[str, tuple[Node, int]] = {}
        self._total = 0

    def build(self) -> Node | None:
        parser = None
        try:
            parser = _parser(self._source)
            return self._read(parser.get_event)
        except yaml.MarkedYAMLError as error:
            raise _failure(error) from None
        except (yaml.YAMLError, UnicodeError) as error:
            raise YamlFailure("encoding", str(error), 0) from None
        except (ValueError, OverflowError, MemoryError) as error:
            # An escape such as "\UFFFFFFFF" names no character; PyYAML lets chr() complain.
            raise YamlFailure("syntax", str(error), 0) from None

    def _read(self, next_event: Any) -> Node | None:
        next_event()  # stream start
        if not isinstance(next_event(), DocumentStartEvent):
            return None
        root: Node | None = None
        stack: list[_Frame] = []
        base = self._base
        while True:
            event = next_event()
            kind = event.__class__
            if kind is ScalarEvent:
                size = 1
                node: Node
                if event.anchor is None and event.tag is None and not event.style:
                    # Written out here because most events are plain scalars.
                    value = _undisguise(event.value) if self._disguised else event.value
                    node = Scalar(
                        value, Span(base + event.start_mark.index, base + event.end_mark.index)
                    )
                else:
                    node = self._scalar(event)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self._open(stack, event, kind is MappingStartEvent)
                continue
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                node, size = self._close(stack.pop(), event.end_mark.index)
            elif kind is AliasEvent:
                node, size = self._alias(event, stack)
            else:
                break  # document end
            if stack:
                frame = stack[-1]
                frame.children.append(node)
                frame.size += size
            else:
                root = node
        event = next_event()
        if not isinstance(event, StreamEndEvent):
            raise YamlFailure("document", "a second document", event.start_mark.index)
        return root

    def _scalar(self, event: Any) -> Scalar:
        start, end = event.start_mark.index, event.end_mark.index
        style = event.style or ""
        tag = event.tag or ""
        if tag or event.anchor is not None:
            start = self._past_properties(start, end)
        if style == "|" or style == ">":
            end = start + len(self._source[start:end].rstrip())
        value = event.value
        if self._disguised:
            value = _undisguise(value)
        base = self._base
        scalar = Scalar(value, Span(base + start, base + end), style, tag)
        if event.anchor is not None:
            self._anchors[event.anchor] = scalar, 1
        return scalar

    def _past_properties(self, start: int, end: int) -> int:
        match = _PROPERTIES.match(self._source, start, end)
        return match.end() if match else start

    def _open(self, stack: list[_Frame], event: Any, is_mapping: bool) -> None:
        start = event.start_mark.index
        if len(stack) >= MAX_DEPTH:
            raise YamlFailure("too-deep", "nested too deeply", start)
        if event.anchor is not None or event.tag is not None:
            start = self._past_properties(start, len(self._source))
        stack.append(_Frame(is_mapping, start, bool(event.flow_style), event.anchor))

    def _close(self, frame: _Frame, end: int) -> tuple[Node, int]:
        children, base = frame.children, self._base
        start = base + frame.start
        if frame.flow:
            end += base
        else:
            # libyaml ends a block collection where the next token starts.
            end = max(start, children[-1].span.end) if children else start
        span = Span(start, end)
        node: Node
        if frame.is_mapping:
            keys, values = children[::2], children[1::2]
            pairs = [
                Pair(key if isinstance(key, Scalar) else self._as_key(key), value)
                for key, value in zip(keys, values, strict=False)
            ]
            node = Mapping(tuple(pairs), span, frame.flow)
        else:
            node = Sequence(tuple(children), span, frame.flow)
        if frame.anchor is not None:
            self._anchors[frame.anchor] = node, frame.size
        return node, frame.size

    def _as_key(self, node: Node) -> Scalar:
        """A collection used as a key, by its source: templates such as ``{{ name }}`` give one."""
        span, base = node.span, self._base
        return Scalar(self._source[span.start - base : span.end - base], span)

    def _alias(self, event: Any, stack: list[_Frame]) -> tuple[Node, int]:
        start, end = event.start_mark.index, event.end_mark.index
        if any(frame.anchor == event.anchor for frame in stack):
            raise YamlFailure("alias-loop", event.anchor, start)
        known = self._anchors.get(event.anchor)
        if known is None:
            raise YamlFailure("alias", event.anchor, start)
        node, size = known
        self._total += size
        if self._total > MAX_EXPANDED:
            raise YamlFailure("alias-bomb", event.anchor, start)
        span = Span(self._base + start, self._base + end)
        same = replace(node, span=span) if isinstance(node, Mapping) else node._replace(span=span)
        return same, size


def _failure(error: yaml.MarkedYAMLError) -> YamlFailure:
    reason = str(error.problem or error.context or "")
    mark, context_mark = error.problem_mark, error.context_mark
    context_at = None if context_mark is None else context_mark.index
    at = mark.index if mark is not None else context_at or 0
    if "nesting depth" in reason:
        return YamlFailure("too-deep", reason, at)
    return YamlFailure("syntax", reason, at, str(error.context or ""), context_at)


def _pure_parser(source: str) -> Any:
    return yaml.SafeLoader(source)


def _fast_parser() -> Any:
    try:
        from yaml.cyaml import CParser  # type: ignore[attr-defined, unused-ignore]
    except ImportError:  # PyYAML was built without libyaml
        return _pure_parser
    return CParser


_parser: Any = _fast_parser()
