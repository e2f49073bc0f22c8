"""Edits to frontmatter leave everything else as the author wrote it."""

from __future__ import annotations

import pytest

from akm_ls.documents.document import parse
from akm_ls.lint.fixes import apply_edits
from akm_ls.lint.frontmatter_edits import FrontmatterEdits, quoted, set_keys


def block(*lines: str, eol: str = "\n") -> str:
    return eol.join(("---", *lines, "---", "# Body", ""))


def appended(text: str, key: str = "xrefs", value: str = "knowledge/new") -> str | None:
    edits = FrontmatterEdits(parse(text))
    return apply_edits(text, edits.edits()) if edits.append(key, value) else None


def removed(text: str, index: int, key: str = "tags") -> str | None:
    edits = FrontmatterEdits(parse(text))
    return apply_edits(text, edits.edits()) if edits.remove(key, index) else None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("a: 1",), ("a: 1", "xrefs: [knowledge/new]")),
        (("xrefs: []", "a: 1"), ("xrefs: [knowledge/new]", "a: 1")),
        (("xrefs: [ ]",), ("xrefs: [knowledge/new]",)),
        (("xrefs: [a, 'b']  # two",), ("xrefs: [a, 'b', knowledge/new]  # two",)),
        (("xrefs: [a, ]",), ("xrefs: [a, knowledge/new ]",)),
        (("xrefs: [a,", "  b]"), ("xrefs: [a,", "  b, knowledge/new]")),
        (("xrefs:",), ("xrefs: [knowledge/new]",)),
        (("xrefs: one",), ("xrefs: [one, knowledge/new]",)),
        (('xrefs: "one"',), ('xrefs: ["one", knowledge/new]',)),
        (
            ("xrefs:", "  - a # first", "  - b", "z: 1"),
            ("xrefs:", "  - a # first", "  - b", "  - knowledge/new", "z: 1"),
        ),
        (("xrefs:", "- a # why"), ("xrefs:", "- a # why", "- knowledge/new")),
    ],
)
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_an_item_is_added_in_the_style_of_the_list(
    before: tuple[str, ...], after: tuple[str, ...], eol: str
) -> None:
    assert appended(block(*before, eol=eol)) == block(*after, eol=eol)


def test_a_file_without_frontmatter_gets_some() -> None:
    assert appended("# Body\n") == "---\nxrefs: [knowledge/new]\n---\n\n# Body\n"
    assert appended("") == "---\nxrefs: [knowledge/new]\n---\n"


def filled(text: str, key: str, source: str, *, first: bool = False) -> str | None:
    edit = set_keys(parse(text), {key: source}, first=first)
    return apply_edits(text, [edit]) if edit else None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("a: 1",), ("a: 1", "type: x")),
        (("  a: 1", "  b: 2"), ("  a: 1", "  b: 2", "  type: x")),
        (("type:", "a: 1"), ("type: x", "a: 1")),
        (("type:   ", "a: 1"), ("type: x", "a: 1")),
        (("type: # which?", "a: 1"), ("type: x # which?", "a: 1")),
        (("type: y",), None),
        (("a: 1", "..."), None),
        (("{a: 1}",), None),
    ],
)
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_a_key_is_filled_or_added_and_never_changed(
    before: tuple[str, ...], after: tuple[str, ...] | None, eol: str
) -> None:
    wanted = None if after is None else block(*after, eol=eol)
    assert filled(block(*before, eol=eol), "type", "x") == wanted


def test_a_key_can_come_before_all_others() -> None:
    assert filled(block("# note", "a: 1"), "type", "x", first=True) == block(
        "# note", "type: x", "a: 1"
    )


def test_a_value_behind_a_tag_is_not_set() -> None:
    assert not FrontmatterEdits(parse(block("beliefState: !!str old"))).set("beliefState", "new")


def test_two_new_keys_come_in_order_behind_an_item_at_the_end() -> None:
    text = block("xrefs:", "  - a")
    edits = FrontmatterEdits(parse(text))
    assert edits.append("xrefs", "b")
    assert edits.set("beliefState", "superseded")
    assert edits.append("supersededBy", "c")
    assert apply_edits(text, edits.edits()) == block(
        "xrefs:", "  - a", "  - b", "beliefState: superseded", "supersededBy: [c]"
    )


@pytest.mark.parametrize(
    "lines",
    [
        ('a: "never closed',),
        ("xrefs: {a: 1}",),
        ("xrefs: |", "  text"),
        ("xrefs:", "  - - nested"),
        ("base: &b [x]", "xrefs: *b"),
    ],
)
def test_what_cannot_be_edited_line_by_line_is_left_alone(lines: tuple[str, ...]) -> None:
    assert appended(block(*lines)) is None


@pytest.mark.parametrize(
    ("before", "index", "after"),
    [
        (("tags: [a, b, c]",), 0, ("tags: [b, c]",)),
        (("tags: [a, b, c]  # all",), 2, ("tags: [a, b]  # all",)),
        (("tags: ['a']",), 0, ("tags: []",)),
        (("tags:", "  - a", "  - b # why", "x: 1"), 1, ("tags:", "  - a", "x: 1")),
        (("tags:", "  - a", "x: 1"), 0, ("x: 1",)),
        (("x: 1", "tags: a"), 0, ("x: 1",)),
    ],
)
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_an_item_is_removed_with_its_separator(
    before: tuple[str, ...], index: int, after: tuple[str, ...], eol: str
) -> None:
    assert removed(block(*before, eol=eol), index) == block(*after, eol=eol)


def test_a_comment_between_items_is_not_lost() -> None:
    assert removed(block("tags: [a, # first", "  b]"), 0) is None


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("team//knowledge/x", "team//knowledge/x"),
        ("x", "x"),
        ("true", '"true"'),
        ("12", '"12"'),
        ("a: b", '"a: b"'),
        ('say "x" \\ y', '"say \\"x\\" \\\\ y"'),
    ],
)
def test_values_read_back_as_the_same_string(value: str, written: str) -> None:
    assert quoted(value) == written
    frontmatter = parse(f"---\nkey: {written}\n---\n").frontmatter
    assert frontmatter is not None
    assert frontmatter.data == {"key": value}
