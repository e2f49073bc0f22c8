"""Cutting a stream of bytes into messages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akm_ls.lsp.framing import BadFrame, FrameReader, decode_message, encode_message


def refuse(value: object) -> object:
    raise TypeError(f"{value!r} is not JSON")


BODIES = st.lists(st.binary(max_size=40), max_size=5)


@given(BODIES, st.lists(st.integers(1, 30), min_size=1))
@settings(deadline=None)
def test_bodies_come_out_whole_however_they_are_cut(bodies: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies)
    reader, found, turn = FrameReader(), [], 0
    while stream:
        size = cuts[turn % len(cuts)]
        found += reader.feed(stream[:size])
        stream, turn = stream[size:], turn + 1
    assert found == bodies


@given(st.lists(st.binary(max_size=60), max_size=6))
@settings(deadline=None)
def test_no_bytes_raise_or_grow_without_bound(chunks: list[bytes]) -> None:
    reader = FrameReader()
    for chunk in chunks:
        for item in reader.feed(chunk):
            assert isinstance(item, bytes | BadFrame)


def test_a_message_that_is_too_long_is_passed_over() -> None:
    reader = FrameReader(max_body=10)
    first, *rest = reader.feed(b"Content-Length: 12\r\n\r\n" + b"x" * 8)
    assert isinstance(first, BadFrame)
    assert rest == []
    assert list(reader.feed(b"xxxxContent-Length: 2\r\n\r\nok")) == [b"ok"]


def test_junk_without_a_line_end_is_not_kept() -> None:
    reader = FrameReader()
    for _ in range(50):
        assert list(reader.feed(b"x" * 10_000)) == []
    bad, body = reader.feed(b"Content-Length: 2\r\n\r\nok")
    assert bad == BadFrame("skipped 500,000 bytes before a header")
    assert body == b"ok"


def test_a_single_byte_of_junk() -> None:
    bad, body = FrameReader().feed(b"xContent-Length: 2\r\n\r\nok")
    assert (bad, body) == (BadFrame("skipped 1 byte before a header"), b"ok")


def test_a_message_swallowed_by_a_wrong_length_is_found_again() -> None:
    reader, found = FrameReader(), []
    inner = b"Content-Length: 2\r\n\r\n{}"
    for item in reader.feed(b"Content-Length: 40\r\n\r\n[]" + inner + b"x" * 30):
        found.append(item)
        if item not in (b"{}", b"[]") and isinstance(item, bytes):
            assert reader.resume_in(item)
    assert found[1:] == [b"{}"]
    assert not FrameReader().resume_in(b"no header in here")


def test_text_is_sent_as_utf8_and_counted_in_bytes() -> None:
    assert (
        encode_message({"t": "é😀"}, refuse)
        == b'Content-Length: 14\r\n\r\n{"t":"\xc3\xa9\xf0\x9f\x98\x80"}'
    )


def test_lone_surrogates_are_replaced_both_ways() -> None:
    assert "\ufffd😀".encode() in encode_message(["\ud83d\U0001f600"], refuse)
    assert decode_message(b'{"\\ud83d": ["\\ude00", "\\ud83d\\ude00", 1]}') == {
        "\ufffd": ["\ufffd", "😀", 1]
    }


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), float("inf"), {(1, 2): 3}, object()])
def test_what_is_not_json_is_refused(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        encode_message(value, refuse)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b"1" * 10_000])
def test_a_body_that_is_not_json_is_a_value_error(body: bytes) -> None:
    with pytest.raises(ValueError):
        decode_message(body)
