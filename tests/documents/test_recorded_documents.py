"""Frontmatter, fences, headings and sections beside what the original akm answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from akm_ls.documents.document import Document, parse

VECTORS = Path(__file__).parent.parent / "conformance" / "vectors"


def vectors(name: str) -> list[Any]:
    recorded = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    return [pytest.param(v["args"], v["ok"], id=repr(v["args"][0])) for v in recorded["vectors"]]


# Where akm answers otherwise: its data, then whether its block has the same bounds.
FRONTMATTER_OTHERWISE: dict[str, tuple[dict[str, Any], bool]] = {
    # One broken key does not cost the lists of its neighbours.
    '---\nd: a: b\nlist:\n  - x\n  - y\nk: [1, "2"]\n---\nbody': (
        {"d": "a: b", "list": ["x", "y"], "k": [1, "2"]},
        True,
    ),
    "---\nx: [a, b\ny: 1\n---\nbody": ({"x": ["a", "b"], "y": 1}, True),
    "---\nk: [a, , b]\n---\nbody": ({"k": ["a", "b"]}, True),
    # JSON has no infinity, but the author's text is worth more than null.
    "---\nk: .5\nj: -.inf\nl: .nan\n---\nbody": ({"k": 0.5, "j": "-.inf", "l": ".nan"}, True),
    # Not rounded to what JavaScript can count.
    "---\nk: 12345678901234567890\n---\nbody": ({"k": 12345678901234567890}, True),
    # An empty block is empty, also when a rule follows further down or nothing does.
    "---\n---\na: 1\n---\nbody": ({}, False),
    "---\n---": ({}, False),
    # Other hosts read these; `fence_blanks` tells where akm does not.
    "---\nk: v\n--- \nb": ({"k": "v"}, False),
    "--- \nk: v\n---\nb": ({"k": "v"}, False),
    "\ufeff---\nk: v\n---\nb": ({"k": "v"}, False),
    "---\rk: v\r---\rb": ({"k": "v"}, False),
}


@pytest.mark.parametrize(("args", "recorded"), vectors("frontmatter"))
def test_frontmatter_is_akms(args: list[str], recorded: dict[str, Any]) -> None:
    (text,) = args
    document = parse(text)
    found = document.frontmatter
    data, same_bounds = FRONTMATTER_OTHERWISE.get(text, (recorded["data"], True))
    assert (found.data if found else {}) == data
    if same_bounds:
        assert document.body == recorded["content"]
        assert document.lines.line_of(document.body_start) + 1 == recorded["bodyStartLine"]
        inner = found.inner.of(text).rstrip("\r\n") if found else None
        assert inner == recorded["frontmatter"]


# Fences are CommonMark's here: a closing line is as long as the opening one and has no info
# string, one line of inline code opens nothing, and lists and quotes may hold fences.
FENCES_OTHERWISE = {
    "````\n```\nx\n````": [(0, 3)],
    "``` a ``` b\nc": [],
    "```js\nx\n```js\ny": [(0, 3)],
    "- ```\n  x\n  ```": [(0, 2)],
    "> ```\n> x\n> ```": [(0, 2)],
}


@pytest.mark.parametrize(("args", "recorded"), vectors("fences"))
def test_fences_are_akms(args: list[str], recorded: list[dict[str, int]]) -> None:
    (text,) = args
    document = parse(text)
    lines = [
        (document.lines.line_of(fence.span.start), document.lines.line_of(fence.span.end))
        for fence in document.fences
    ]
    assert lines == FENCES_OTHERWISE.get(text, [(v["start"], v["end"]) for v in recorded])


@pytest.mark.parametrize(("args", "recorded"), vectors("toc"))
def test_the_table_of_contents_is_akms(args: list[str], recorded: dict[str, Any]) -> None:
    document = parse(args[0])
    assert recorded["headings"] == [
        {"level": heading.level, "text": heading.text, "line": heading.line + 1}
        for heading in document.headings
    ]
    assert len(document.lines) == recorded["totalLines"]


@pytest.mark.parametrize(("args", "recorded"), vectors("section"))
def test_sections_are_akms(args: list[str], recorded: dict[str, Any] | None) -> None:
    text, name = args
    assert section(parse(text), name) == recorded


def section(document: Document, name: str) -> dict[str, Any] | None:
    heading = document.fragment(name)
    if heading is None:
        return None
    content = heading.section.of(document.text).rstrip("\n")
    line = document.lines.line_of(heading.section.start) + 1
    return {"content": content, "startLine": line, "endLine": line + content.count("\n")}
