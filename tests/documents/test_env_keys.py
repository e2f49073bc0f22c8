"""Names of an env file; a value never passes for a name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akm_ls.documents.env_keys import read_env_keys


def names(source: str | bytes) -> list[str]:
    return [key.name for key in read_env_keys(source)]


def test_names_and_where_they_are() -> None:
    text = "A=1\r\n  export  B = 'x'\r# C=no\nd_1=\n9X=no\nE F=no\n\ufeffG\n"
    keys = read_env_keys(text)
    assert [(key.name, key.line, key.exported) for key in keys] == [
        ("A", 0, False),
        ("B", 1, True),
        ("d_1", 3, False),
    ]
    assert [key.span.of(text) for key in keys] == ["A", "B", "d_1"]


def test_bytes_with_a_byte_order_mark_or_none_that_are_utf_8() -> None:
    assert names(b"\xef\xbb\xbfA=1\nB=\xff\n") == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('A="one\nLEAK=two\n"\nB=3', ["A", "B"]),
        ("A='one\nLEAK=it\\'\nB=3", ["A", "B"]),
        ('A="say \\"\nLEAK=\n"\nB=1', ["A", "B"]),
        ("A=-----BEGIN KEY-----\nMIIEvQ==\nLEAK=\n-----END KEY-----\nB=1", ["A", "B"]),
        ("A=MIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC==\nB=1", ["A", "B"]),
        ("A=one\\\nLEAK=two\nB=1", ["A", "B"]),
        ("A=it's\nB='it'", ["A", "B"]),
        ("A='never closed\nB=1", ["A", "B"]),
        ("MYLONGAPPLICATIONKEY=\nAnother_Key_Of_Mine=", ["MYLONGAPPLICATIONKEY",
                                                          "Another_Key_Of_Mine"]),
    ],
)  # fmt: skip
def test_lines_of_a_value_are_no_names(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_a_comment_accepts_the_next_key() -> None:
    keys = read_env_keys(
        "# akm-lint-ok: dangerous-env-key\n\nPAGER=less\nPATH=x\n"
        "#  akm-lint-ok: dangerous-env-key\nEDITOR=vim\n# AKM-LINT-OK: dangerous-env-key\nPS1=x\n"
    )
    assert {key.name: key.suppressed for key in keys} == {
        "PAGER": True,
        "PATH": False,
        "EDITOR": False,
        "PS1": True,
    }


@given(st.text(alphabet=st.sampled_from("AB=\"'`\n\r\\ -#é\0")), st.binary(max_size=60))
def test_anything_is_read(text: str, data: bytes) -> None:
    for key in read_env_keys(text):
        assert key.span.of(text) == key.name
    read_env_keys(data)
