"""Small files made after public reports of people who write skills."""

from __future__ import annotations

from akm_ls.documents.document import Document, parse


def covered(document: Document) -> list[tuple[int, str]]:
    return [
        (document.lines.position(ref.span.start).line, ref.span.of(document.text))
        for ref in document.refs
    ]


def test_a_ref_with_sentence_punctuation() -> None:
    document = parse(
        "---\ndescription: Cites the target in every dress\n---\n# Citer\n"
        "See team//knowledge/target. Also **team//knowledge/target**, _team//knowledge/target_, "
        "(team//knowledge/target); team//knowledge/target!\n"
        "| team//knowledge/target | 😀 team//knowledge/gone. |\n"
    )
    assert covered(document) == [(4, "team//knowledge/target")] * 5 + [
        (5, "team//knowledge/target"),
        (5, "team//knowledge/gone"),
    ]


def test_a_tab_an_open_block_and_an_open_quote_are_marked_on_their_lines() -> None:
    for text, line in [
        ("---\nname: tab\ndescription: Uses a tab.\nmetadata:\n\tauthor: me\n---\n# Tab\n", 4),
        ("---\nname: open\ndescription: Never closes its block.\n# Open\nText.\n", 0),
        ('---\nname: quote\ndescription: "Never closes.\nlicense: MIT\n---\n# Quote\n', 2),
    ]:
        document = parse(text)
        assert document.frontmatter is not None and document.frontmatter.problem is not None
        span = document.frontmatter.problem.span
        assert document.lines.line_of(span.start) == document.lines.line_of(span.end) == line
        assert [heading.level for heading in document.headings] == [1]


def test_only_line_feeds_and_carriage_returns_end_lines() -> None:
    document = parse(
        "---\ndescription: Odd\n---\nA\fB\vC\u2028D\u0085E\x1cF\nSee team//knowledge/gone here.\n"
    )
    assert covered(document) == [(4, "team//knowledge/gone")]


def test_slashes_that_are_no_refs() -> None:
    document = parse(
        "See https://example.com/references//a.md and //cdn.example.com/x.\n"
        "Shell has `${name//a/b}`; `C:\\x//y`; file:///knowledge/gone.\n"
        "\n```bash\ncat team//knowledge/not-there.md\n```\n"
    )
    assert covered(document) == []


def test_carriage_returns_alone_and_with_line_feeds() -> None:
    for end in ("\r", "\r\n"):
        text = end.join(
            ["---", "xrefs:", "  - knowledge/a", "---", "# One", "```", "a//skills/no", "```",
             "a//skills/yes <!-- a//skills/no", "-->", "## Two", "text"]
        )  # fmt: skip
        document = parse(text)
        assert covered(document) == [(2, "knowledge/a"), (8, "a//skills/yes")]
        assert [(heading.text, heading.line) for heading in document.headings] == [
            ("One", 4),
            ("Two", 10),
        ]
        one = document.headings[0].section.of(text)
        assert one.startswith("# One") and one.endswith("text")


def test_bytes_that_are_no_text_do_not_hide_the_rest() -> None:
    document = parse("---\nname: x\0y\n---\n\0\ufffd team//knowledge/a\0\n")
    assert document.frontmatter is not None and document.frontmatter.text("name") == "x\0y"
    assert covered(document) == [(3, "team//knowledge/a")]
