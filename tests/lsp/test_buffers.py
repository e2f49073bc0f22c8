"""Open documents and their lines, without a server around them."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types
from pygls.workspace import ServerTextPosition

from akm_ls.documents.text import LineIndex, PositionEncoding, Span
from akm_ls.lsp.buffers import BufferLines, Buffers, TextBuffer

TEXTS = st.text(alphabet="ab\r\n\x0c\u2028é😀", max_size=14)
ENCODINGS: tuple[PositionEncoding, ...] = ("utf-8", "utf-16", "utf-32")


@given(TEXTS, TEXTS, st.integers(0, 14), st.integers(0, 14))
@settings(deadline=None)
def test_lines_follow_an_edit_as_if_read_anew(
    before: str, inserted: str, start: int, end: int
) -> None:
    span = Span(*sorted((min(start, len(before)), min(end, len(before)))))
    edited = BufferLines(before).edited(span, inserted)
    anew = LineIndex(before[: span.start] + inserted + before[span.end :])
    assert edited.text == anew.text
    lines = range(len(anew) + 1)
    assert [edited.start_of(line) for line in lines] == [anew.start_of(line) for line in lines]
    assert len(edited) == len(anew)


@given(TEXTS, st.integers(-1, 6), st.integers(-1, 40), st.sampled_from(ENCODINGS))
@settings(deadline=None)
def test_every_position_is_an_offset_and_comes_back(
    text: str, line: int, character: int, encoding: PositionEncoding
) -> None:
    index = LineIndex(text)
    offset = index.offset(line, character, encoding)
    assert 0 <= offset <= len(text)
    assert index.offset(*index.position(offset, encoding), encoding) == offset


def test_a_thousand_edits_leave_what_the_client_has() -> None:
    chance = random.Random(1)
    client, buffer = "one\r\ntwo\n", TextBuffer("file:///a.md", "one\r\ntwo\n", 1)
    for _ in range(1000):
        start = chance.randint(0, len(client))
        end = min(len(client), start + chance.choice((0, 0, 1, 5)))
        text = "".join(chance.choices("ab\r\n\x0b\u2029é😀", k=chance.randint(0, 3)))
        lines = LineIndex(client)
        # A position cannot point between \r and \n: the client would not send one.
        start, end = (lines.offset(*lines.position(at)) for at in (start, end))
        where = types.Range(*(types.Position(*lines.position(at)) for at in (start, end)))
        buffer.apply_change(types.TextDocumentContentChangePartial(where, text))
        client = client[:start] + text + client[end:]
        assert buffer.source == client


def test_lines_keep_their_ends_and_the_last_one_has_none() -> None:
    buffer = TextBuffer("file:///a.md", "a\x0cb\r\nc\rd\n")
    assert buffer.lines == ("a\x0cb\r\n", "c\r", "d\n", "")
    assert buffer.lines is buffer.lines
    assert TextBuffer("file:///a.md").lines == ("",)


def test_a_range_written_backwards_is_turned_round() -> None:
    buffer = TextBuffer("file:///a.md", "abc")
    backwards = types.Range(types.Position(0, 2), types.Position(0, 1))
    buffer.apply_change(types.TextDocumentContentChangePartial(backwards, "-"))
    assert buffer.source == "a-c"


def test_positions_convert_between_the_clients_units_and_characters() -> None:
    buffer = TextBuffer("file:///a.md", "x\n😀é-word", encoding="utf-8")
    client = types.Position(1, 6)
    assert buffer.position_from_client_units(client) == ServerTextPosition(1, 2)
    assert buffer.position_to_client_units(ServerTextPosition(1, 2)) == client
    assert buffer.text_in_client_range(types.Range(types.Position(1, 4), client)) == "é"
    assert buffer.word_at_position(types.Position(1, 9)) == "word"
    assert buffer.word_at_position(types.Position(9, 9)) == "word"  # clamped to the end
    assert TextBuffer("file:///a.md", "a ").word_at_position(types.Position(0, 2)) == ""


def document(uri: str, text: str = "") -> types.TextDocumentItem:
    return types.TextDocumentItem(uri, "markdown", 1, text)


def test_a_file_is_sent_under_the_clients_own_spelling_while_it_is_open() -> None:
    buffers = Buffers()
    assert buffers.uri_for("/w/a b.md") == "file:///w/a%20b.md"
    buffers.put_text_document(document("file:///w/a b.md"))
    assert buffers.uri_for("/w/a b.md") == "file:///w/a b.md"
    assert [buffer.file for buffer in buffers] == ["/w/a b.md"]
    buffers.remove_text_document("file:///w/a%20b.md")
    assert buffers.open_file("/w/a b.md") is None


def test_a_change_to_what_is_not_open_is_ignored() -> None:
    buffers = Buffers()
    version = types.VersionedTextDocumentIdentifier(2, "file:///a.md")
    buffers.update_text_document(version, types.TextDocumentContentChangeWholeDocument("x"))
    assert buffers.open("file:///a.md") is None
    assert buffers.get_text_document("file:///a.md").source == ""


def test_folders_are_paths_each_once() -> None:
    uris = ("file:///w/", "file:///w", "untitled:x", "file:///v%20v")
    folders = [types.WorkspaceFolder(uri, "name") for uri in uris]
    assert Buffers("file:///root", workspace_folders=folders).folder_paths == ("/w", "/v v")
    assert Buffers("file:///root").folder_paths == ("/root",)
    assert Buffers("untitled:x").folder_paths == ()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_long_line_is_converted_in_one_go(encoding: PositionEncoding) -> None:
    index = LineIndex("é😀" * 200_000)
    end = index.position(400_000, encoding)
    assert index.offset(*end, encoding) == 400_000
    assert index.offset(0, end.character - 1, encoding) == 399_999
