"""Words, phrases, exclusions and beginnings of a query."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from akm_ls.search.parsing import MAX_WORDS, Query, read_query


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rotate the tokens", Query(("rotate", "tokens"))),
        ("what to do when it is", Query(("what", "to", "do", "when", "it", "is"))),
        ("alpha OR beta", Query(("alpha", "beta"))),
        ('"quick brown" fox', Query(("quick", "brown", "fox"), ((("quick", "brown"),),))),
        (
            '"quick brown" OR fox hen',
            Query(("quick", "brown", "fox", "hen"), ((("quick", "brown"), ("fox",)),)),
        ),
        (
            'hen | "quick brown" | fox* "a hen"',
            Query(
                ("hen", "quick", "brown", "fox"),
                ((("hen",), ("quick", "brown"), ("fox",)), (("a", "hen"),)),
                beginnings=frozenset({"fox"}),
            ),
        ),
        ("alpha AND beta gamma", Query(("alpha", "beta", "gamma"), ((("alpha",),), (("beta",),)))),
        (
            "alpha OR beta AND gamma",
            Query(("alpha", "beta", "gamma"), ((("alpha",), ("beta",)), (("gamma",),))),
        ),
        ('"a b" OR -c d', Query(("b", "d"), ((("a", "b"),),), (("c",),))),
        ('"a b" OR', Query(("b",), ((("a", "b"),),))),
        ("AND alpha", Query(("alpha",))),
        ('"tokens"', Query(("tokens",))),
        ("alpha -beta", Query(("alpha",), (), (("beta",),))),
        ("alpha NOT beta gamma", Query(("alpha", "gamma"), (), (("beta",),))),
        ('alpha -"b c"', Query(("alpha",), (), (("b", "c"),))),
        ("git commit --no-verify", Query(("git", "commit", "verify"))),
        ("well-known", Query(("well", "known"))),
        ("-beta", Query(("beta",))),
        ("kubern*", Query(("kubern",), beginnings=frozenset({"kubern"}))),
        ("ku*", Query(("ku",))),
        ('"open', Query(("open",))),
    ],
)
def test_what_is_asked_for(text: str, expected: Query) -> None:
    assert read_query(text) == expected


@given(st.text(max_size=400))
@example('"' * 2000)
@example("- -- -a NOT NOT")
def test_any_text_can_be_read(text: str) -> None:
    query = read_query(text)
    assert len(query.words) <= MAX_WORDS
    assert query.beginnings <= set(query.words) or len(query.words) == MAX_WORDS
