"""A source line with carets under a range."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from akm_ls.cli.excerpt import excerpt
from akm_ls.cli.terminal import cells


def width_of(text: str) -> int:
    return sum(cells(char) for char in text)


def marked(source: str, marker: str) -> str:
    """What stands above the carets, by terminal cells."""
    column, above = 0, []
    for char in source:
        if marker[column : column + 1] == "^":
            above.append(char)
        column += cells(char)
    return "".join(above)


def test_the_carets_stand_under_the_range() -> None:
    assert excerpt("see team//knowledge/gone here", 4, 24) == (
        "see team//knowledge/gone here",
        "    ^^^^^^^^^^^^^^^^^^^^",
    )


def test_a_tab_takes_the_cells_up_to_its_stop() -> None:
    assert excerpt("\ta\tref", 3, 6) == ("    a   ref", "        ^^^")


def test_wide_characters_take_two_cells_and_combining_marks_none() -> None:
    assert excerpt("日本 ref", 3, 6) == ("日本 ref", "     ^^^")
    assert excerpt("e\u0301 ref", 3, 6) == ("e\u0301 ref", "  ^^^")
    assert excerpt("a 日本 b", 2, 4) == ("a 日本 b", "  ^^^^")


def test_control_characters_are_spelt_out_and_counted() -> None:
    assert excerpt("\x1b[31m ref", 6, 9) == ("\\x1b[31m ref", "         ^^^")


def test_an_empty_range_gets_one_caret_also_at_the_end_of_the_line() -> None:
    assert excerpt("abc", 1, 1) == ("abc", " ^")
    assert excerpt("abc", 3, 3) == ("abc", "   ^")
    assert excerpt("", 0, 0) == ("", "^")


def test_a_long_line_is_cut_around_the_range() -> None:
    source, marker = excerpt("x" * 500 + "REF" + "y" * 500, 500, 503, width=60)
    assert source.startswith("…x")
    assert source.endswith("y…")
    assert marked(source, marker) == "REF"
    assert width_of(source) <= 60


def test_a_range_longer_than_the_width_is_marked_as_far_as_it_is_seen() -> None:
    source, marker = excerpt("ab" + "R" * 500, 2, 502, width=40)
    assert source == "ab" + "R" * 37 + "…"
    assert marker == "  " + "^" * 37


@settings(deadline=None)
@given(
    line=st.text(st.characters(exclude_characters="\r\n"), max_size=300),
    start=st.integers(0, 300),
    length=st.integers(0, 300),
    width=st.integers(30, 120),
)
def test_any_line_stays_within_the_width_and_holds_nothing_a_terminal_acts_on(
    line: str, start: int, length: int, width: int
) -> None:
    source, marker = excerpt(line, start, start + length, width)
    assert width_of(source) <= width
    assert len(marker) <= width + 1
    assert marker.strip() == "^" * len(marker.strip())
    assert marker.endswith("^")
    assert not any(char < " " or "\x7f" <= char <= "\x9f" for char in source)
