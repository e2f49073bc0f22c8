"""What an author is told when the frontmatter does not parse, and where it is marked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akm_ls.documents import yaml_reader
from akm_ls.documents.frontmatter import YamlProblem, read_frontmatter, read_yaml

FAULTS = [
    # block, kind, marked text, in the message
    ("d: Use when: x", "colon", "Use when: x", "`d`"),
    ("- a\n- b: c: d", "colon", "c: d", "`b`"),
    ("d: a\n  Use when: b", "colon", "Use when: b", "continues"),
    ("name: x\n description: y", "indentation", "description: y", "align"),
    ("m:\n    a: b\n  c: d", "indentation", "c: d", "indentation"),
    ("name: t\nmetadata:\n\tauthor: me", "tab", "\t", "spaces"),
    ("k: |\n\tx", "tab", "\t", "spaces"),
    ('d: "never closed\nlicense: MIT', "unclosed-quote", '"never closed', "`d`"),
    ('a: "x\nb: "y"\nc: d', "unclosed-quote", '"x', "`a`"),
    ("xrefs:\n  - 'a\n  - b\nc: d", "unclosed-quote", "'a", "never closed"),
    ("d: 'it's nice'", "text-after-value", "'it's nice'", "closing quote"),
    ("argument-hint: [a] [b]", "text-after-value", "[a] [b]", "`]`"),
    ("argument-hint: [path] | --all", "text-after-value", "[path] | --all", "quotes"),
    ("a: {{ x }} y", "text-after-value", "{{ x }} y", "`}`"),
    ("tags: [a, b\ny: 1", "unclosed-bracket", "[a, b", "`]`"),
    ("globs: **/*.ts", "indicator", "**/*.ts", "alias"),
    ("tools: *", "indicator", "*", "alias"),
    ("k: *foo", "alias", "*foo", "`&foo`"),
    ("k: @at", "indicator", "@at", "`@`"),
    ("k: `t`", "indicator", "`t`", "backtick"),
    ("k: | text", "indicator", "| text", "next line"),
    ("allowed-tools: - Read", "list-on-key-line", "- Read", "line of its own"),
    ("name: x\ndescription:foo\nb: c", "missing-colon", "description:foo", "blank after"),
    ("name:x", "missing-colon", "name:x", "blank after"),
    ("name: x\njust text\nb: c", "missing-colon", "just text", "neither"),
    (r'k: "C:\dir"', "escape", r"\d", "backslash twice"),
    ("k: a\0b", "control-character", "\0", "U+0000"),
    ("just text", "not-a-mapping", "just text", "key: value"),
    ("- a\n- b", "not-a-mapping", "- a", "a list"),
    ("k: " + "[" * 100, "too-deep", "[", "deep"),
]


@pytest.fixture(params=["libyaml", "pure"])
def _parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both of PyYAML's parsers: the second one serves where libyaml is not built in."""
    if request.param == "pure":
        monkeypatch.setattr(yaml_reader, "_parser", yaml_reader._pure_parser)


@pytest.mark.usefixtures("_parser")
@pytest.mark.parametrize(
    ("block", "kind", "marked", "says"), FAULTS, ids=[repr(block[:30]) for block, *_ in FAULTS]
)
def test_the_fault_is_named_where_it_is(block: str, kind: str, marked: str, says: str) -> None:
    text = f"---\n{block}\n---\nbody\n"
    problem = problem_of(text)
    assert problem.kind == kind
    assert problem.span.of(text).startswith(marked)
    assert says in problem.message
    assert problem.message.endswith(".") and "\n" not in problem.message


def problem_of(text: str) -> YamlProblem:
    frontmatter = read_frontmatter(text)
    assert frontmatter is not None and frontmatter.problem is not None
    return frontmatter.problem


@pytest.mark.parametrize(
    "block", ["d: Use when: x", "h: [a] [b]", "g: *.ts", "k: @at", "k: `t` u", "d: 'it's'"]
)
def test_quoting_the_value_it_names_mends_the_block(block: str) -> None:
    text = f"---\n{block}\n---\n"
    problem = problem_of(text)
    assert problem.value is not None
    start, end = problem.value
    quoted = text[start:end].replace("\\", "\\\\").replace('"', '\\"')
    mended = read_frontmatter(f'{text[:start]}"{quoted}"{text[end:]}')
    assert mended is not None and mended.problem is None
    assert list(mended.data.values()) == [text[start:end]]


def test_prose_between_an_open_block_and_a_rule_further_down_is_not_yaml() -> None:
    text = "---\nname: x\ndescription: y\n# Title\nSome text.\n\n---\nmore\n"
    frontmatter = read_frontmatter(text)
    assert frontmatter is not None and not frontmatter.closed
    assert frontmatter.data == {"name": "x", "description": "y"}
    assert text[frontmatter.span.end :].startswith("# Title")


@pytest.mark.parametrize("text", ["---\nNote: a rule, then prose.\n", "---\n\nProse.\n\n---\n"])
def test_rules_around_prose_are_no_frontmatter(text: str) -> None:
    assert read_frontmatter(text) is None


def test_blanks_behind_a_fence_are_pointed_out() -> None:
    frontmatter = read_frontmatter("---\nname: x\n---  \nbody\n")
    assert frontmatter is not None and frontmatter.problem is None
    assert frontmatter.fence_blanks is not None
    assert frontmatter.fence_blanks.of("---\nname: x\n---  \nbody\n") == "  "


def test_old_line_breaks_are_characters_like_others() -> None:
    text = "---\nd: a\u2028b\x85c\u2029d\nk: v\n---\n"
    frontmatter = read_frontmatter(text)
    assert frontmatter is not None and frontmatter.problem is None
    assert frontmatter.data == {"d": "a\u2028b\x85c\u2029d", "k": "v"}


def test_a_control_character_costs_nothing_but_itself() -> None:
    frontmatter = read_frontmatter("---\na: x\0y\nm: {n: [1]}\n---\n")
    assert frontmatter is not None and frontmatter.data == {"a": "x\0y", "m": {"n": [1]}}


def test_tabs_are_read_as_if_they_were_spaces() -> None:
    frontmatter = read_frontmatter("---\nmetadata:\n\tauthor: me\nk: v\n---\n")
    assert frontmatter is not None
    assert frontmatter.data == {"metadata": {"author": "me"}, "k": "v"}


def test_a_second_document_in_a_yaml_file() -> None:
    text = "a: 1\n---\nb: 2\n"
    root, problem = read_yaml(text)
    assert problem is not None and problem.kind == "second-document"
    assert root.plain == {"a": 1, "b": 2}


@given(
    st.lists(
        st.sampled_from(
            ["a", "k: ", "- ", '"', "'", "[", "]", "{", "}", ": ", ":", "\t", "\n", "\n  ", " #",
             "|", ">", "*", "&", "!", "@", "`", "%", "---", "...", "\\", ",", "é", "😀", "\r\n",
             "\ufeff", "\0", "\u2028", "?", "\U000f0041"]
        ),
        max_size=16,
    ).map("".join)
)  # fmt: skip
def test_whatever_is_wrong_is_said_inside_the_block(block: str) -> None:
    text = f"---\nkey: value\n{block}\n---\nbody\n"
    frontmatter = read_frontmatter(text)
    assert frontmatter is not None
    problem = frontmatter.problem
    if problem is not None:
        assert 0 <= problem.span.start < problem.span.end <= frontmatter.span.end
        assert problem.message
    for pair in frontmatter.root.pairs:
        assert frontmatter.inner.start <= pair.span.start <= pair.span.end <= frontmatter.inner.end
