"""What holds for every ref and every text."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from akm_ls import refs
from akm_ls.refs import Ref, RefError, find_refs, is_citation, parse_ref, token_end

# Texts near the grammar's own characters find more than arbitrary ones.
PIECES = st.text(
    alphabet=st.one_of(st.sampled_from("ab/.#:\\_-* \t\n\r(`é\u0301\0"), st.characters()),
    max_size=24,
)


@given(PIECES)
def test_parsing_gives_a_ref_or_the_documented_error(text: str) -> None:
    try:
        ref = parse_ref(text)
    except RefError as error:
        assert str(error) and error.code
    else:
        assert parse_ref(str(ref)) == ref


@given(PIECES)
@example("0 /")
@example("team//x \\")
def test_formatting_is_canonical(text: str) -> None:
    try:
        ref = parse_ref(text)
    except RefError:
        return
    assert str(parse_ref(str(ref))) == str(ref)
    segments = ref.concept_id.split("/")
    assert not {"", ".", ".."} & set(segments)
    assert "#" not in ref.concept_id and "\\" not in ref.concept_id


@given(PIECES, PIECES)
def test_what_is_found_in_text_lies_where_it_says(before: str, after: str) -> None:
    text = f"{before} team//knowledge/x {after}"
    found = list(find_refs(text))
    for token in found:
        assert text[token.start : token.end] == token.text
        assert "//" in token.text
    assert [token.start for token in found] == sorted(token.start for token in found)


@given(st.lists(st.sampled_from(["a//b", "//", *"/_.#-x *()é設。🎉\u0301²"])).map("".join))
@example("a//b/#x ")
@example("a//b.#x ")
def test_the_quick_way_finds_what_the_rules_find(text: str) -> None:
    quickly = list(find_refs(text))
    assert all(token.ref is None or token.ref == parse_ref(token.text) for token in quickly)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(refs, "_USUAL_PATH", re.compile("(?!)"))
        assert [token[:3] for token in find_refs(text)] == [token[:3] for token in quickly]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See team//knowledge/target.", ["team//knowledge/target"]),
        ("**team//knowledge/target**", ["team//knowledge/target"]),
        ("_team//knowledge/target_", ["team//knowledge/target"]),
        ("(team//knowledge/target); ", ["team//knowledge/target"]),
        ("team//knowledge/target!", ["team//knowledge/target"]),
        ("`team//knowledge/target`", ["team//knowledge/target"]),
        (
            "“team//knowledge/target”，（team//knowledge/x）。",
            ["team//knowledge/target", "team//knowledge/x"],
        ),
        ("| a//knowledge/b | 😀 a//knowledge/c. |", ["a//knowledge/b", "a//knowledge/c"]),
        ("a//skills/v1.2.3, a//skills/x.", ["a//skills/v1.2.3", "a//skills/x"]),
        ("team//knowledge/a#top: it", ["team//knowledge/a#top"]),
        ("https://example.com//a, file:///x//y", []),
        ("${v//a/b} $(x//y)", []),
    ],
)
def test_a_ref_in_a_sentence_comes_without_its_dress(text: str, found: list[str]) -> None:
    assert [token.text for token in find_refs(text)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see team//knowledge/auth🎉", ["team//knowledge/auth"]),
        ("team//knowledge/auth🎉🎉 and more", ["team//knowledge/auth"]),
        ("team//knowledge/auth⚠️", ["team//knowledge/auth"]),
        ("team//knowledge/auth👩‍🚀", ["team//knowledge/auth"]),
        ("team//knowledge/auth\ufe0f", ["team//knowledge/auth"]),
        ("team//knowledge/auth。次", ["team//knowledge/auth"]),
        ("team//knowledge/auth〜", ["team//knowledge/auth"]),
        ("team//knowledge/auth／more", ["team//knowledge/auth"]),
        ("team//knowledge/auth™", ["team//knowledge/auth"]),
        ("team//knowledge/auth¿qué?", ["team//knowledge/auth"]),
        ("team//knowledge/auth\u00ad", ["team//knowledge/auth"]),
        ("team//knowledge/auth⇒team//skills/x", ["team//knowledge/auth", "team//skills/x"]),
        ("🎉team//knowledge/auth", ["team//knowledge/auth"]),
        ("❤️team//knowledge/auth", ["team//knowledge/auth"]),
        ("team//knowledge/auth🎉//x", ["team//knowledge/auth"]),
        ("team//knowledge/a//🎉", ["team//knowledge/a"]),
        ("team//🎉", []),
        ("🎉//knowledge/auth", []),
        ("team//knowledge/設計・team//skills/実装", ["team//knowledge/設計", "team//skills/実装"]),
    ],
)
def test_emoji_and_the_punctuation_of_any_script_end_a_ref(text: str, found: list[str]) -> None:
    assert [token.text for token in find_refs(text)] == found


@pytest.mark.parametrize(
    "name",
    [
        "café",
        "cafe\u0301",
        "設計",
        "エンド・ツー・エンド",
        "données-2024",
        "हिन्दी",
        "می\u200cخواهم",
        "col·lecció",
        "überblick/größe",
        "x²",
        "①",
    ],
)
def test_a_name_may_be_in_any_script(name: str) -> None:
    ref = f"team//knowledge/{name}"
    assert [token.text for token in find_refs(f"See {ref}, {ref}。（{ref}）")] == [ref] * 3


@pytest.mark.parametrize("behind", ["🎉", "。次", "⚠️", " x", "\u00ad", ""])
def test_a_ref_being_typed_ends_where_a_whole_one_does(behind: str) -> None:
    typed = "team//knowledge/設計-ab"
    for cursor in range(len(typed) + 1):
        assert token_end(typed + behind, cursor, len(typed + behind)) == len(typed)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("team//anything/at-all", True),
        ("nosuch//knowledge/x1", True),
        ("x//y", False),
        ("nosuch//pkg/target", False),
        ("nosuch//knowledge/**", False),
        ("nosuch//knowledge/<name>", False),
    ],
)
def test_a_token_counts_when_its_bundle_or_its_directory_is_known(text: str, meant: bool) -> None:
    assert is_citation(parse_ref(text), {"team"}) is meant


def test_a_long_line_of_slashes_takes_no_time() -> None:
    assert list(find_refs("a//" * 200_000)) is not None
    assert list(find_refs("//" * 400_000)) == []
    assert list(find_refs("a//é🎉" * 100_000)) is not None
    assert list(find_refs("a//é//" * 100_000)) is not None


def test_a_bare_ref_can_be_put_into_a_bundle() -> None:
    assert Ref(None, "knowledge/x").in_bundle("team") == Ref("team", "knowledge/x")
    assert str(parse_ref("team//knowledge/x#a").asset) == "team//knowledge/x"
