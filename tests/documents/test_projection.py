"""The words of a body that search sees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akm_ls.documents.document import parse
from akm_ls.documents.projection import project_body


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("# Title\n\nSome *marked* and **bold** `code`.\n", "Title Some marked and bold code ."),
        ("- [ ] one\n1. two\n> three\n", "one two three"),
        ("[label](target.md) ![alt](image.png)\n", "label alt"),
        ("[label][r]\n\n[r]: https://example.com\n", "label"),
        ("| a | b |\n|---|:-:|\n| c | d |\n", "a b c d"),
        ("before\n```sh\nhidden\n```\nafter\n", "before after"),
        ("before <!-- hidden --> after\n", "before after"),
        ('<div align="center">\n\ntext\n\n</div>\n', "text"),
        ("see team//knowledge/some_name\n", "see team//knowledge/some_name"),
        ("---\nhidden: inner block\n---\ntext\n", "text"),
    ],
)
def test_words_stay_and_marks_go(body: str, words: str) -> None:
    projected = project_body(parse(f"---\ndescription: not part of it\n---\n{body}"))
    assert projected.replace(" .", ".") == words.replace(" .", ".")


def test_the_length_is_bounded() -> None:
    assert len(project_body(parse("word " * 1000), limit=100)) <= 100


@given(st.text(alphabet=st.sampled_from("a b\n`[]()!<>-#|*:\r~=/")))
def test_any_body_becomes_one_line(text: str) -> None:
    projected = project_body(parse(text))
    assert projected == " ".join(projected.split())
