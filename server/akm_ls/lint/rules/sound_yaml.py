"""Frontmatter that parses here, and that other readers refuse or take for something else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from akm_ls.documents.document import Document
from akm_ls.documents.frontmatter import Frontmatter
from akm_ls.documents.nodes import Mapping, Node, Pair, Scalar, Sequence
from akm_ls.documents.text import Span
from akm_ls.documents.yaml_mends import quoted
from akm_ls.lint.finding import Finding, Fix, Related, TextEdit
from akm_ls.lint.rules.cut_values import cut_values
from akm_ls.lint.rules.shallow_values import shallow_values

_PROPERTY = re.compile(r"[ \t]*:[ \t]+(?P<mark>[&!])(?P<name>[^\s]*)")


def silently_wrong(path: str, document: Document, frontmatter: Frontmatter) -> Iterator[Finding]:
    """What a lenient reader accepts and another one refuses, or reads as something else."""
    text, source = document.text, frontmatter.inner.of(document.text)
    for mapping in _suspects(source, frontmatter):
        first: dict[str, Pair] = {}
        for pair in mapping.pairs:
            earlier = first.setdefault(pair.key.text, pair)
            if earlier is not pair and pair.key.text != "<<":
                yield _duplicate(path, text, mapping, earlier, pair)
                first[pair.key.text] = pair
            start, end = pair.key.span.end, pair.value.span.start
            if end - start > 2:
                gap = text[start:end]
                if "&" in gap or "!" in gap:
                    yield from _property(text, frontmatter, pair, gap)
    if "!" in source:
        yield from _tagged_items(text, frontmatter.root)
    if "#" in source:
        yield from cut_values(text, frontmatter.root)
    # Some value goes over several lines.
    if source.count("\n") > len(frontmatter.root.pairs) or "\r" in source:
        yield from shallow_values(text, frontmatter.root)


def _duplicate(path: str, text: str, mapping: Mapping, earlier: Pair, later: Pair) -> Finding:
    key = later.key.text
    equal = earlier.value.plain == later.value.plain
    fixes: tuple[Fix, ...] = ()
    lines = None if mapping.flow or not equal else _whole_lines(text, later)
    if lines is not None:
        fixes = (Fix(f"Remove the second `{key}`", (TextEdit(lines, ""),), safe=True),)
    which = "both have the same value" if equal else "the others take this, the last value"
    return Finding(
        code="invalid-frontmatter",
        severity="error",
        message=f"The key `{key}` stands here a second time. Many tools refuse the file; {which}.",
        span=later.key.span,
        related=(Related(path, "first here", earlier.key.span),),
        data={"kind": "duplicate-key", "key": key, "equal": equal},
        fixes=fixes,
    )


def _whole_lines(text: str, pair: Pair) -> Span | None:
    """The lines of a pair with their line end, when nothing else stands in them."""
    start = max(text.rfind("\n", 0, pair.key.span.start), text.rfind("\r", 0, pair.key.span.start))
    if text[start + 1 : pair.key.span.start].strip():
        return None
    match = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n|\Z)").match(text, pair.span.end)
    return None if match is None else Span(start + 1, match.end())


def _property(text: str, frontmatter: Frontmatter, pair: Pair, gap: str) -> Iterator[Finding]:
    """A value's first word that YAML takes for an anchor or a tag."""
    found = _PROPERTY.match(gap)
    value = pair.value
    if found is None or not isinstance(value, Scalar) or value.style:
        return
    mark, name = found.group("mark", "name")
    if mark == "!" and (name.startswith("!") or not name):
        return
    if mark == "&" and f"*{name}" in frontmatter.inner.of(text):
        return
    what = "an anchor" if mark == "&" else "a tag"
    span = Span(pair.key.span.end + found.start("mark"), max(value.span.end, pair.key.span.end))
    span = Span(span.start, max(span.end, pair.key.span.end + found.end()))
    refused = ", and other tools refuse the file" if mark == "!" else ""
    yield Finding(
        code="invalid-frontmatter",
        severity="warning",
        message=(
            f"`{mark}{name}` is {what} in YAML and no part of the value of `{pair.key.text}`"
            f"{refused}; put the value in quotes."
        ),
        span=span,
        data={"kind": "indicator", "key": pair.key.text},
        fixes=(
            Fix(
                f"Quote the value of `{pair.key.text}`",
                (TextEdit(span, quoted(span.of(text))),),
                safe=mark == "!",
            ),
        ),
    )


def _tagged_items(text: str, root: Node) -> Iterator[Finding]:
    """`- !**/build/**` is a tag with nothing behind it, and no pattern."""
    for node in _collections(root):
        if not isinstance(node, Sequence):
            continue
        for item in node.items:
            if not isinstance(item, Scalar) or item.style or not item.tag.startswith("!"):
                continue
            start = text.rfind(item.tag, node.span.start, item.span.start)
            if start < 0 or "\n" in text[start : item.span.start]:
                continue
            span = Span(start, max(item.span.end, start + len(item.tag)))
            yield Finding(
                code="invalid-frontmatter",
                severity="warning",
                message=(
                    f"`{item.tag}` is a tag in YAML and no part of this item, and other tools "
                    "refuse the file; put the item in quotes."
                ),
                span=span,
                data={"kind": "indicator"},
                fixes=(Fix("Quote the item", (TextEdit(span, quoted(span.of(text))),), safe=True),),
            )


def _suspects(source: str, frontmatter: Frontmatter) -> list[Mapping]:
    """The maps with a key that stands in them twice; all, where YAML's own marks may stand."""
    mappings = _mappings(frontmatter.root)
    if "&" in source or "!" in source:
        return mappings
    return [it for it in mappings if len({pair.key.text for pair in it.pairs}) < len(it.pairs)]


def _mappings(root: Node) -> list[Mapping]:
    return [node for node in _collections(root) if isinstance(node, Mapping)]


def _collections(root: Node) -> list[Mapping | Sequence]:
    """Every map and list in a value, each once however many aliases lead to it."""
    found: list[Mapping | Sequence] = []
    pending: list[Node] = [root]
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping):
            if id(node.pairs) not in seen:
                seen.add(id(node.pairs))
                found.append(node)
                pending += [pair.value for pair in node.pairs if not isinstance(pair.value, Scalar)]
        elif isinstance(node, Sequence) and id(node.items) not in seen:
            seen.add(id(node.items))
            found.append(node)
            pending += [item for item in node.items if not isinstance(item, Scalar)]
    return found
