"""The stretch of a body that is quoted for a query."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akm_ls.search.excerpt import MAX_CHARS, best_excerpt
from akm_ls.search.query import tokens_of

TEXT = """---
description: About keys
---

# Keys

Keys are kept in the vault. Ask before you take one.

## Rotation

Every ninety days the signing key is rotated. Nobody needs to do anything about it, \
because a nightly task takes care of all of it.

<!-- Rotation of passwords: nobody knows. -->

```sh
rotate --passwords
```
"""


def quote(text: str, query: str) -> str | None:
    found = best_excerpt(text, tokens_of(query))
    if found is None:
        return None
    assert text[found.start : found.end] == found.text
    return found.text


def test_the_place_with_most_of_the_query() -> None:
    assert quote(TEXT, "signing key rotation") == (
        "Every ninety days the signing key is rotated. Nobody needs to do anything "
        "about it, because a nightly task takes care of all of it."
    )


def test_the_line_of_the_heading_above() -> None:
    found = best_excerpt(TEXT, ("nightly",))
    assert found is not None
    assert TEXT.split("\n")[found.line] == "## Rotation"


def test_the_own_line_where_there_is_no_heading() -> None:
    found = best_excerpt("one\ntwo\nthree cats", ("cats",))
    assert found is not None
    assert (found.line, found.text) == (2, "three cats")


@pytest.mark.parametrize("query", ["about", "elephants", "passwords", "nobody knows passwords"])
def test_what_is_not_in_the_prose(query: str) -> None:
    text = quote(TEXT, query)
    assert text is None or "password" not in text


@pytest.mark.parametrize(
    "block",
    [
        "---\nname: cats\n---\n",
        "---\rname: cats\r---\r",
        "\ufeff---  \r\nname: cats\r\n---\t\r\n",
        "---\nname: cats\n----\n --- \ntags: cats\n---\n",
        "---\r\n---\r\n",
    ],
)
def test_the_body_begins_behind_the_frontmatter(block: str) -> None:
    assert quote(f"{block}dogs", "cats") is None
    assert quote(f"{block}cats", "cats") == "cats"


def test_frontmatter_that_never_ends_is_text() -> None:
    assert quote("---\ncats\n--- dogs", "cats") == "cats\n--- dogs"


def test_nothing_of_the_frontmatter() -> None:
    assert quote("---\nname: cats\n---\ndogs", "cats") is None
    assert quote("---\r\nname: cats\r\n---\r\ncats\r\n", "cats") == "cats"


def test_lines_that_end_in_cr() -> None:
    found = best_excerpt("# A\r\rcats\r", ("cats",))
    assert found is not None
    assert (found.text, found.line) == ("cats", 0)


def test_letters_that_change_their_length_in_lower_case() -> None:
    assert quote("İİİİ the cat", "cat") == "İİİİ the cat"


def test_a_long_line_is_cut_between_words() -> None:
    text = quote("word " * 500 + "needle " + "word " * 500, "needle")
    assert text is not None
    assert len(text) <= MAX_CHARS
    assert set(text.split()) == {"word", "needle"}


def test_text_without_blanks() -> None:
    text = quote("長い文" * 500, "長い文")
    assert text is not None
    assert 0 < len(text) <= MAX_CHARS


@given(
    st.text(max_size=400)
    | st.lists(st.sampled_from(["cat", "dog", "\n", "# ", ".", " "])).map("".join),
    st.text(max_size=30),
)
@settings(deadline=None)
def test_an_excerpt_is_always_a_slice(text: str, query: str) -> None:
    for wanted in (query, "cat dog"):
        found = best_excerpt(text, tokens_of(wanted))
        if found is not None:
            assert found.text == text[found.start : found.end] != ""
            assert len(found.text) <= MAX_CHARS


def test_a_secret_in_the_excerpt_is_not_shown_and_the_offsets_stay() -> None:
    key = "sk-" + "ant-" + "Ab3dE6gH9jK2mN5pQ8sT1vW4"
    text = f"# Deploy\n\nTo deploy otters use {key} and wait.\n"
    found = best_excerpt(text, ("otters",))
    assert found is not None
    assert found.text == text[found.start : found.end]
    assert key in found.text
    assert found.to_json()["text"].endswith("use [REDACTED:anthropic_api_key] and wait.")
    plain = best_excerpt("Deploy otters.", ("otters",))
    assert plain is not None
    assert plain.to_json()["text"] == "Deploy otters."
