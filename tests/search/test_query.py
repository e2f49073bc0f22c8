"""From what somebody types to what is asked of the index."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from akm_ls.search.query import MAX_TOKENS, Browse, find_word, plan, root_of, tokens_of


def stages(query: str) -> list[tuple[str, str]]:
    return [(step.stage, step.expression) for step in plan(query).steps]


def test_a_query_is_tried_as_and_then_by_prefix_then_as_or() -> None:
    assert stages("rotate tokens") == [
        ("and", '"rotate" AND "tokens"'),
        ("prefix", '"rotate"* AND "tokens"*'),
        ("or", '"rotate"* OR "tokens"*'),
    ]


def test_one_word_has_no_or_stage() -> None:
    assert stages("tokens") == [("and", '"tokens"'), ("prefix", '"tokens"*')]


def test_words_of_two_letters_stay_exact() -> None:
    assert stages("go db") == [("and", '"go" AND "db"'), ("or", '"go" OR "db"')]
    assert stages("go tls")[1] == ("prefix", '"go" AND "tls"*')


@pytest.mark.parametrize("query", ["knowledge/target", "beta//knowledge/target", "a/b"])
def test_a_path_is_not_relaxed_to_its_words(query: str) -> None:
    assert "or" not in [stage for stage, _ in stages(query)]


def test_a_path_among_words_is_relaxed() -> None:
    assert [stage for stage, _ in stages("knowledge/target doc")] == ["and", "prefix", "or"]


def test_tokens_are_compatibility_normalised_lower_case_and_distinct() -> None:
    assert tokens_of("Ｆｕｌｌ full FULL ﬁle Straße") == ("full", "file", "straße")
    assert tokens_of("日本語 見出し ünïcode 10₂") == ("日本語", "見出し", "ünïcode", "102")


def test_operators_and_quotes_are_separators() -> None:
    query = '"target" OR (doc*) NEAR -x ^y {a}:b'
    assert tokens_of(query) == ("target", "or", "doc", "near", "x", "y", "a", "b")


def test_tokens_are_capped() -> None:
    assert len(tokens_of(" ".join(f"word{n}" for n in range(100)))) == MAX_TOKENS


@pytest.mark.parametrize(
    ("query", "browse"),
    [
        ("", Browse()),
        ("   ", Browse()),
        ("!?*", Browse()),
        ("//", Browse()),
        ("memories/projecta/", Browse(prefix="memories/projecta/")),
        ("team//", Browse("team")),
        ("team//skills/", Browse("team", "skills/")),
        (" team//skills/ ", Browse("team", "skills/")),
        ("/", Browse(prefix="/")),
    ],
)
def test_listings(query: str, browse: Browse) -> None:
    assert plan(query).browse == browse


@pytest.mark.parametrize("query", ["skills/ x", "skills", "team//skills", "a.b//x/", "x y/"])
def test_not_a_listing(query: str) -> None:
    assert plan(query).browse is None
    assert plan(query).steps


@pytest.mark.parametrize(
    ("query", "replacement"),
    [
        ("memory:projectA/", "memories/projectA/"),
        ("skill:/", "skills/"),
        ("team//agent:ops/", "team//agents/ops/"),
    ],
)
def test_the_retired_spelling_is_told_apart(query: str, replacement: str) -> None:
    retired = plan(query).retired
    assert retired is not None
    assert retired.replacement == replacement


@pytest.mark.parametrize("query", ["http://x/", "memory:note", "other:x/"])
def test_other_colons_are_ordinary_text(query: str) -> None:
    assert plan(query).retired is None


@pytest.mark.parametrize(
    ("token", "text", "found"),
    [
        ("tokens", "a token", True),
        ("rotate", "when rotating", True),
        ("the", "another", False),
        ("go", "category", False),
        ("go", "let it go", True),
        ("go", "google", False),
        ("token", "tok", False),
    ],
)
def test_words_are_found_in_their_other_forms(token: str, text: str, found: bool) -> None:
    assert (find_word(root_of(token), text) >= 0) is found


@pytest.fixture(scope="module")
def full_text() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61')")
    connection.execute("INSERT INTO t VALUES ('one two three')")
    return connection


@given(st.text(max_size=300))
@example('" OR "')
@example("a\0b NEAR(c, 3) -d ^e {f g}: h* + i")
@example("👩‍👩‍👧 ١٢٣ ②\ud83d")
@example("x" * 10_000)
@example("(" * 10_000)
@settings(deadline=None)
def test_every_expression_is_valid_full_text_syntax(full_text: apsw.Connection, query: str) -> None:
    for step in plan(query).steps:
        list(full_text.execute("SELECT rowid FROM t WHERE t MATCH ?", (step.expression,)))
