"""Whether a frontmatter value has a type that some tool expects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from akm_ls.bundles.schema import Key
from akm_ls.bundles.schema.model import TEXTS
from akm_ls.documents.nodes import Mapping, Node, Pair, Scalar, Sequence, resolve_plain
from akm_ls.documents.text import Span
from akm_ls.documents.yaml_mends import quoted
from akm_ls.lint.finding import Finding, Fix, Severity, TextEdit
from akm_ls.lint.rule import Subject

_TRUE = frozenset(("true", "yes", "on", "1"))
_FALSE = frozenset(("false", "no", "off", "0"))
_PLACEHOLDER = re.compile(r"\{\{|\$\{|<[^>\s]+>|\$[A-Z]")
_NAMES = {
    "string": "a text",
    "ref": "a ref",
    "date": "a date",
    "bool": "`true` or `false`",
    "int": "a whole number",
    "number": "a number",
    "map": "a map",
}


def judge(subject: Subject, pair: Pair, keys: tuple[Key, ...]) -> Iterator[Finding]:
    """A finding when the value fits no definition, with the edit that makes it fit one."""
    value = pair.value
    if is_template(value) or is_nothing(value):
        yield from _comment_for_value(subject, pair, keys)
        return
    if any(key.judged_by in ("skill-field-invalid", "lint-skip") for key in keys):
        return
    types = tuple(dict.fromkeys(kind for key in keys for kind in key.types))
    if fits_any(value, keys):
        return
    item = _bad_item(value, types)
    if item is not None:
        yield _of_item(subject, pair, keys[0], item)
        return
    severity = _severity(keys, value)
    fix = _fix(subject, pair, types, keys)
    yield Finding(
        code="field-type",
        severity=severity,
        message=_message(pair, types, value),
        span=_first_line(subject, value.span, pair.key.span),
        data={"key": keys[0].name, "types": list(types)},
        fixes=() if fix is None else (fix,),
    )


def is_template(node: Node) -> bool:
    """A value that some generator still has to fill in."""
    if isinstance(node, Mapping):
        return node.flow and any(
            "{" in pair.key.text or isinstance(pair.value, Mapping) for pair in node.pairs
        )
    if not isinstance(node, Scalar):
        return False
    text = node.text
    may_hold_one = "{" in text or "$" in text or "<" in text
    return may_hold_one and _PLACEHOLDER.search(text) is not None


def is_text(scalar: Scalar) -> bool:
    """Whether YAML reads a text and no number, switch or nothing: `Scalar.plain` in fewer steps."""
    return bool(scalar.style or scalar.tag) or isinstance(resolve_plain(scalar.text), str)


def are_texts(nodes: Iterable[Node]) -> bool:
    return all(isinstance(node, Scalar) and is_text(node) for node in nodes)


def is_nothing(node: Node) -> bool:
    """No value yet: somebody is typing."""
    return isinstance(node, Scalar) and not node.style and node.plain is None


def _comment_for_value(subject: Subject, pair: Pair, keys: tuple[Key, ...]) -> Iterator[Finding]:
    """`title: #5 is done` has no value: the text is a comment for YAML."""
    text = subject.document.text
    if not is_nothing(pair.value) or not any("string" in key.types for key in keys):
        return
    found = re.compile(r":[ \t]+(#[^\s#][^\r\n]*)").match(text, pair.key.span.end)
    if found is None:
        return
    span = Span(found.start(1), found.start(1) + len(found.group(1).rstrip()))
    yield Finding(
        code="field-type",
        severity="warning",
        message=f"`{pair.key.text}` has no value: `#` starts a comment. Put the text in quotes.",
        span=span,
        data={"key": keys[0].name, "types": ["string"]},
        fixes=(Fix("Quote the value", (TextEdit(span, quoted(span.of(text))),)),),
    )


def fits_any(node: Node, keys: Iterable[Key]) -> bool:
    """Whether a value is of a type that one of the definitions allows."""
    if isinstance(node, Scalar) and is_text(node):
        for key in keys:
            if key.takes_text:
                return True
    for key in keys:
        for kind in key.types:
            if fits(node, kind):
                return True
    return False


def fits(node: Node, kind: str) -> bool:
    """Whether a value is of a type as the schema spells it."""
    outer, inner_kinds = _parts(kind)
    if outer == "any":
        return True
    if outer == "map":
        if not isinstance(node, Mapping):
            return False
        return not inner_kinds or all(
            is_nothing(pair.value) or fits(pair.value, inner_kinds[0]) for pair in node.pairs
        )
    if outer == "list":
        if not isinstance(node, Sequence):
            return False
        takes_scalars = "string" in inner_kinds
        for item in node.items:
            if takes_scalars and isinstance(item, Scalar):
                continue  # most items of most lists
            if not is_nothing(item) and not any(fits(item, inner) for inner in inner_kinds):
                return False
        return True
    if not isinstance(node, Scalar):
        return False
    plain = node.plain
    if outer in TEXTS:
        return isinstance(plain, str)
    if outer == "bool":
        return isinstance(plain, bool)
    if outer == "int":
        return isinstance(plain, int) and not isinstance(plain, bool)
    if outer == "number":
        return isinstance(plain, int | float) and not isinstance(plain, bool)
    return True


@lru_cache(maxsize=256)
def _parts(kind: str) -> tuple[str, tuple[str, ...]]:
    """The outer type, and those of which a list's items or a map's values are."""
    outer, _, rest = kind.partition("<")
    if outer == "map":
        inner = rest.rstrip(">").partition(",")[2]
        return outer, (inner,) if inner else ()
    return outer, tuple(rest[:-1].split("|"))


def _bad_item(value: Node, types: tuple[str, ...]) -> Mapping | None:
    """A list's item that a `: ` has made a map of."""
    if not isinstance(value, Sequence) or "list<string>" not in types:
        return None
    maps = [item for item in value.items if isinstance(item, Mapping)]
    rest = [item for item in value.items if not isinstance(item, Scalar | Mapping)]
    if rest or not maps or len(maps[0].pairs) != 1:
        return None
    return maps[0] if isinstance(maps[0].pairs[0].value, Scalar) else None


def _of_item(subject: Subject, pair: Pair, key: Key, item: Mapping) -> Finding:
    text = item.span.of(subject.document.text)
    fixes: tuple[Fix, ...] = ()
    if not item.flow and "\n" not in text and "\r" not in text:
        fixes = (Fix("Quote the item", (TextEdit(item.span, quoted(text)),), safe=True),)
    return Finding(
        code="field-type",
        severity="warning",
        message=(
            f"This item of `{pair.key.text}` is a map for YAML, because of the colon in it; "
            "put it in quotes."
        ),
        span=_first_line(subject, item.span, pair.key.span),
        data={"key": key.name, "types": list(key.types)},
        fixes=fixes,
    )


def _severity(keys: tuple[Key, ...], value: Node) -> Severity:
    levels = {key.on_wrong_type for key in keys}
    for level in ("hint", "warning"):
        if level in levels:
            return level  # what the most lenient tool makes of it
    return "error"


def _what(value: Node) -> str:
    if isinstance(value, Sequence):
        return "a list"
    if isinstance(value, Mapping):
        return "a map"
    plain = value.plain
    if isinstance(plain, bool):
        return f"`{value.text}`, a switch"
    if isinstance(plain, int | float):
        return "a number"
    return "a text"


def _message(pair: Pair, types: tuple[str, ...], value: Node) -> str:
    names = dict.fromkeys(
        "a list" if kind.startswith("list") else _NAMES.get(kind.partition("<")[0], kind)
        for kind in types
    )
    wanted = " or ".join(names)
    message = f"`{pair.key.text}` must be {wanted}, but this is {_what(value)}."
    if "string" in types and isinstance(value, Sequence) and value.flow:
        return message + " Put it in quotes if the brackets belong to the text."
    if "string" in types and isinstance(value, Scalar):
        return message + " Put it in quotes."
    return message


def _fix(subject: Subject, pair: Pair, types: tuple[str, ...], keys: tuple[Key, ...]) -> Fix | None:
    value, text = pair.value, subject.document.text
    source = value.span.of(text)
    if not source or "\n" in source or "\r" in source:
        return None
    if isinstance(value, Scalar):
        if "bool" in types and (word := value.text.strip().lower()) in _TRUE | _FALSE:
            new = "true" if word in _TRUE else "false"
            return Fix(f"Write `{new}`", (TextEdit(value.span, new),), safe=True)
        if {"int", "number"} & set(types) and re.fullmatch(r"-?\d{1,9}(\.\d+)?", value.text):
            if "number" in types or "." not in value.text:
                return Fix("Remove the quotes", (TextEdit(value.span, value.text),), safe=True)
            return None
        if "string" in types:
            return Fix("Quote the value", (TextEdit(value.span, quoted(source)),), safe=True)
        if "list<string>" in types and isinstance(value.plain, str):
            items = _split(value.text)
            if items and all(re.fullmatch(r"[\w./*-][\w./ ()*:-]*", item) for item in items):
                shown = ", ".join(
                    quoted(item) if item[0] in "*-" or ": " in item else item for item in items
                )
                return Fix("Make it a list", (TextEdit(value.span, f"[{shown}]"),))
        return None
    if "string" in types and getattr(value, "flow", False):
        return _text_of_flow(value, source, keys)
    return None


def _text_of_flow(value: Node, source: str, keys: tuple[Key, ...]) -> Fix | None:
    """A list or map as the text it looks like, or as its one item where only that will do."""
    if _will_do(source, keys):
        return Fix("Quote the value", (TextEdit(value.span, quoted(source)),), safe=True)
    if not isinstance(value, Sequence) or len(value.items) != 1:
        return None
    item = value.items[0]
    if not isinstance(item, Scalar) or not isinstance(item.plain, str):
        return None
    if not item.text or not _will_do(item.text, keys):
        return None
    written = item.text if re.fullmatch(r"[A-Za-z][\w-]*", item.text) else quoted(item.text)
    return Fix(f"Write `{item.text}`", (TextEdit(value.span, written),), safe=True)


def _will_do(text: str, keys: tuple[Key, ...]) -> bool:
    """Whether a text is a value that no other rule would find wrong for its brackets."""
    for key in keys:
        if key.name == "name" and any(char in text for char in "[]{},"):
            continue  # no tool has names like that
        if key.values and text not in key.values and text not in key.accepted:
            continue
        if key.pattern and re.fullmatch(key.pattern, text) is None:
            continue
        return True
    return False


def _split(text: str) -> list[str]:
    """Items separated by commas that stand in no parentheses."""
    items, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth = max(0, depth + (char == "(") - (char == ")"))
        if char == "," and not depth:
            items.append(text[start:at])
            start = at + 1
    items.append(text[start:])
    return [item.strip() for item in items if item.strip()]


def _first_line(subject: Subject, span: Span, key: Span) -> Span:
    """The value's first line, or its key where the value itself has no characters."""
    if span.start >= span.end:
        return key
    lines = subject.document.lines
    end = lines.line_span(lines.line_of(span.start)).end
    return Span(span.start, max(span.start, min(span.end, end)))
