"""The quick reading of simple YAML says what libyaml says, place by place, or leaves it to it."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from akm_ls.documents.plain_yaml import read_plainly
from akm_ls.documents.yaml_reader import YamlFailure, compose_events

WORDS = st.sampled_from(
    [
        "a", "name", "x-1", "12", "~", "null", "knowledge/auth", "two words", "é — ok", "a:b",
        "http://x/y", "a #b", "a#b", "c: d", "e:", "-", "- f", "[g]", "[a, b]", "[a b , c]", "[]",
        "[a,]", "[ ]", "[,a]", "{h}", '"q: r"', '"q\\n"', "'s'", "'t''u'", '"', "''", "%v", "@w",
        "&x", "*y", "!z", "|", ">", "?", "? k", "a,b", "(n) m", "$ARG", "...", "---", "=", "<<",
        "`b`", "a\tb", "\t", "\u3000", "\u00a0x", "x\u00a0", "\u2028", "\U0001f600", "日本",
        "[a/b.md, c-d]", "[a-]", "[-a]", "a  ", "+1", "/x", "", " ", "\x85",
    ]
)  # fmt: skip
LINES = st.one_of(
    st.tuples(st.sampled_from(["k", "name", "a_b", "x-y", "K9", "", "7", "é"]), WORDS).map(
        lambda pair: f"{pair[0]}: {pair[1]}"
    ),
    st.sampled_from(["k:", "tags:", "k:v", "k :v", "# c", "", "  ", "  more", "key", "k:  "]),
    st.tuples(st.sampled_from(["- ", "  - ", "    - ", "-  ", " -"]), WORDS).map("".join),
)
SOURCES = st.lists(LINES, max_size=6).map(lambda lines: "".join(f"{line}\n" for line in lines))


@settings(max_examples=1500, deadline=None)
@given(SOURCES)
@example("k:\n")
@example("k:\n- a\nl:\n  - b\n  - c\n")
@example('k: "a"\nl: [x, y z]\n')
@example("k:\n  - a\n    - b\n")
@example("k: a\nk: b\n")
@example("k: a\n b\n")
@example("k: 'a\n")
def test_both_readings_agree(source: str) -> None:
    simple = read_plainly(source, 4)
    if simple is None:
        return
    try:
        events = compose_events(source, 4)
    except YamlFailure as failure:
        raise AssertionError(f"libyaml refuses {source!r}: {failure}") from None
    assert simple == events


@pytest.mark.parametrize(
    "source",
    [
        "name: x\ndescription: Use it when http://a/b fails, at 10:30.\ntags: [a, b-c]\n",
        'xrefs:\n  - knowledge/a\n  - team//knowledge/b#c\nwhen_to_use: "Quoted: yes"\n',
        "empty:\nupdated: 2026-01-01\n",
    ],
)
def test_common_frontmatter_takes_the_quick_way(source: str) -> None:
    assert read_plainly(source, 0) is not None
