"""What holds for every document, however broken."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akm_ls.documents.document import Kind, parse
from akm_ls.documents.frontmatter import read_frontmatter
from akm_ls.documents.inline import MAX_FOUND
from akm_ls.documents.text import LineIndex, PositionEncoding, Span, decode

FRAGMENTS = st.sampled_from(
    [
        "---\n", "---\r\n", "---", "xrefs: [a/b, 'c//d']\n", "xrefs:\n  - knowledge/x\n",
        "a: b: c\n",
        "\tx: y\n", "k: \"open\n", "k: |\n  text\n", "```\n", "~~~~sh\n", "> ```\n", "# Title\n",
        "## A `b` <i>c</i> ##\n", "team//knowledge/x", " **team//env/y#z**. ", "<!-- ", " -->",
        "[a](b.md)", "![i](<p q.png> \"t\")", "[r]: x.md\n", "https://e.x//a",
        "\x00", "\x0b", "\x0c",
        "\u2028", "\r", "\r\n", "\n", "😀", "é", "&a *a", "- ", "`", "``",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.lists(FRAGMENTS, max_size=14).map("".join), st.text(max_size=200))
ENCODINGS: tuple[PositionEncoding, ...] = ("utf-8", "utf-16", "utf-32")


def inside(span: Span, text: str) -> bool:
    return 0 <= span.start <= span.end <= len(text)


@given(TEXTS, st.sampled_from(["markdown", "yaml", "env", "script", "other"]))
def test_any_text_is_parsed_and_every_span_lies_in_it(text: str, kind: Kind) -> None:
    document = parse(text, kind)
    spans = [
        *(heading.span for heading in document.headings),
        *(heading.section for heading in document.headings),
        *(fence.span for fence in document.fences),
        *(code.span for code in document.code_spans),
        *(link.span for link in document.links),
        *document.comments,
        *document.no_ref_spans,
        *(occurrence.span for occurrence in document.refs),
    ]
    assert all(inside(span, text) for span in spans)
    starts = [occurrence.span.start for occurrence in document.refs]
    assert starts == sorted(starts)
    frontmatter = document.frontmatter
    if frontmatter is not None:
        assert inside(frontmatter.span, text) and inside(frontmatter.inner, text)
        assert frontmatter.problem is None or inside(frontmatter.problem.span, text)
        for pair in frontmatter.root.pairs:
            assert inside(pair.span, text)
    for offset in range(0, len(text) + 1, 7):
        document.ref_at(offset)
        document.can_hold_ref(offset)


@given(TEXTS)
def test_refs_in_prose_stay_out_of_where_no_ref_can_be(text: str) -> None:
    document = parse(text)
    for occurrence in document.refs:
        if occurrence.channel == "prose":
            assert not any(
                span.start < occurrence.span.end and occurrence.span.start < span.end
                for span in document.no_ref_spans
            )


@given(st.binary(max_size=300))
def test_any_bytes_are_text(data: bytes) -> None:
    decoded = decode(data)
    parse(decoded.text)
    assert decoded.invalid_utf8 or not decoded.text or isinstance(decoded.text, str)


@given(TEXTS)
def test_lines_end_at_line_feeds_and_carriage_returns_only(text: str) -> None:
    lines = LineIndex(text)
    assert [lines.line_text(number) for number in range(len(lines))] == re.split(
        r"\r\n|\n|\r", text
    )


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_positions_go_there_and_back(text: str, encoding: PositionEncoding) -> None:
    lines = LineIndex(text)
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] == "\r\n":
            continue  # between the two is no place an editor knows
        position = lines.position(offset, encoding)
        assert lines.offset(*position, encoding) == offset


@given(st.integers(-5, 50), st.integers(-5, 10_000), st.sampled_from(ENCODINGS))
def test_positions_outside_are_clamped(
    line: int, character: int, encoding: PositionEncoding
) -> None:
    text = "a😀b\r\nsecond\nlast é"
    assert 0 <= LineIndex(text).offset(line, character, encoding) <= len(text)


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 5), ("utf-16", 3), ("utf-32", 2)])
def test_an_emoji_before_the_place_counts_as_the_encoding_has_it(
    encoding: PositionEncoding, character: int
) -> None:
    assert LineIndex("😀 x").position(2, encoding) == (0, character)


@pytest.mark.parametrize(
    "text",
    [
        "`" * 300_000,
        "[" * 300_000,
        "<!--" * 100_000,
        "a//" * 100_000,
        "```\n" * 100_000,
        "# x\n" * 100_000,
        "---\n" + "a: &a [*a]\n" * 20_000 + "---\n",
        "---\nk: " + "[" * 50_000 + "\n---\n",
        "---\nk: " + "{a: " * 50_000 + "\n---\n",
        "> " * 100_000 + "```\n",
        "](" * 100_000,
        "\t- " * 50_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_hostile_texts_are_read_in_linear_time(text: str) -> None:
    document = parse(text)
    assert len(document.refs) >= 0 and len(document.links) >= 0
    assert len(document.headings) >= 0 and len(document.no_ref_spans) >= 0
    read_frontmatter(text)


def test_ten_megabytes_are_no_trouble() -> None:
    text = "# Title\n\n" + "Some words and team//knowledge/x here.\n" * 260_000
    assert len(text) > 10_000_000
    document = parse(text)
    assert len(document.headings) == 1
    assert len(document.refs) == MAX_FOUND, "more than anybody reads are not kept"
