"""What a Markdown link's fragment can name, by GitHub's rules."""

from __future__ import annotations

import pytest

from akm_ls.documents.document import parse


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("# One\n## One\n## One\n", ["one", "one-1", "one-2"]),
        ("## Function & File Health\n", ["function--file-health"]),
        ("Setext *title*\n======\n\nAnother\n---\n", ["setext-title", "another"]),
        ("two\nlines\n---\n", ["two-lines"]),
        ("# A `code_span` and _emphasis_ ##\n", ["a-code_span-and-emphasis"]),
        ("# See [the page](x.md) ![logo](l.png)\n", ["see-the-page"]),
        ("# Fish &amp; chips \\*\n", ["fish--chips-"]),
        ("# Titel: Übung\n", ["titel-übung"]),
        ("> ## Quoted\n\n- ## Item\n", ["quoted", "item"]),
        ("<h2 align='center'>Raw <b>HTML</b></h2>\n", ["raw-html"]),
        ("## Named {#custom}\n", ["named", "custom"]),
        ("<a id=\"first\"></a> <a name='second'> <div id=third>\n", ["first", "second", "third"]),
        ("```\n# code\n```\n<!-- # comment -->\n", []),
        ("| a |\n---\n- item\n---\n\n---\n", []),
        ("---\nid: x\n---\n# Body\n", ["body"]),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_anchors(text: str, names: list[str], end: str) -> None:
    assert [anchor.name for anchor in parse(text.replace("\n", end)).anchors] == names


def test_refs_know_atx_headings_only() -> None:
    assert [heading.slug for heading in parse("Setext\n---\n\n# Atx\n").headings] == ["atx"]


@pytest.mark.parametrize("text", ["<a" * 50_000, "# " + "`[" * 50_000, "a\n" * 50_000 + "---\n"])
def test_hostile_texts_are_read_in_linear_time(text: str) -> None:
    assert len(parse(text).anchors) >= 0
