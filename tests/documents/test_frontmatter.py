"""Frontmatter: values with their places, faults in words, and a reading that goes on."""

from __future__ import annotations

import pytest

from akm_ls.documents.document import parse
from akm_ls.documents.frontmatter import read_frontmatter
from akm_ls.documents.nodes import Scalar, Sequence


def test_every_key_value_and_item_has_its_place() -> None:
    text = "---\nname: x\ntags: [a, 'b c']\nxrefs:\n  - knowledge/y\n---\nbody\n"
    frontmatter = read_frontmatter(text)
    assert frontmatter is not None and frontmatter.problem is None
    (name, tags, xrefs) = frontmatter.root.pairs
    assert (name.key.span.of(text), name.value.span.of(text)) == ("name", "x")
    assert isinstance(tags.value, Sequence)
    assert [item.span.of(text) for item in tags.value.items] == ["a", "'b c'"]
    assert isinstance(xrefs.value, Sequence)
    assert [item.span.of(text) for item in xrefs.value.items] == ["knowledge/y"]
    assert (
        frontmatter.inner.of(text).startswith("name") and text[frontmatter.span.end :] == "body\n"
    )


def test_strings_stay_strings() -> None:
    frontmatter = read_frontmatter("---\nupdated: 2026-01-01\nflag: yes\nt: 12:30:00\nn: 7\n---\n")
    assert frontmatter is not None
    assert frontmatter.data == {"updated": "2026-01-01", "flag": "yes", "t": "12:30:00", "n": 7}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_line_ends_and_a_byte_order_mark(end: str, bom: str) -> None:
    text = bom + end.join(["---", "name: x", "xrefs: [knowledge/y]", "---", "# T", ""])
    document = parse(text)
    assert document.frontmatter is not None and document.frontmatter.data["name"] == "x"
    assert [occurrence.span.of(text) for occurrence in document.refs] == ["knowledge/y"]
    assert [heading.text for heading in document.headings] == ["T"]


@pytest.mark.parametrize(
    ("block", "covers", "says"),
    [
        ("description: Use when: x", "Use when: x", "colon"),
        ("a: b\n\tc: d", "\t", "tab"),
        ('description: "never closed\nname: x', '"never closed', "never closed"),
        ("argument-hint: [a] [b]", "[a] [b]", "after its closing"),
        ("globs: *.ts", "*.ts", ""),
        ("name: @x", "@x", ""),
        ("a: b\x01c", "\x01", "control character"),
    ],
)
def test_a_fault_is_named_at_its_place(block: str, covers: str, says: str) -> None:
    text = f"---\n{block}\n---\nbody\n"
    frontmatter = read_frontmatter(text)
    assert frontmatter is not None and frontmatter.problem is not None
    problem = frontmatter.problem
    start = text.index(covers)
    assert start <= problem.span.start <= start + len(covers), problem.span.of(text)
    assert says in problem.message
    assert "\n" not in problem.message


def test_a_block_that_never_closes_is_marked_at_its_fence() -> None:
    text = "---\nname: open\ndescription: Never closes.\n# Open\nText.\n"
    frontmatter = read_frontmatter(text)
    assert frontmatter is not None and not frontmatter.closed
    assert frontmatter.problem is not None and frontmatter.problem.span.start == 0
    assert frontmatter.text("name") == "open"


def test_a_rule_at_the_start_is_no_frontmatter() -> None:
    assert read_frontmatter("---\n\nJust a line above.\n") is None


def test_one_fault_does_not_hide_the_rest() -> None:
    text = "---\ndescription: a: b\nxrefs:\n  - knowledge/x\nrefs: [knowledge/y]\n---\n"
    document = parse(text)
    assert [occurrence.text for occurrence in document.refs] == ["knowledge/x", "knowledge/y"]
    assert document.frontmatter is not None
    assert document.frontmatter.text("description") == "a: b"


def test_duplicate_keys_keep_their_places_and_the_last_counts() -> None:
    frontmatter = read_frontmatter("---\na: 1\na: 2\n---\n")
    assert frontmatter is not None and frontmatter.problem is None
    assert len(frontmatter.root.pairs) == 2
    value = frontmatter.get("a")
    assert isinstance(value, Scalar) and value.text == "2"


@pytest.mark.parametrize(
    "block",
    [
        "a: &a [x, x, x, x, x, x, x, x]\n"
        + "".join(
            f"k{n}: &k{n} [{', '.join([f'*k{n - 1}' if n else '*a'] * 9)}]\n" for n in range(9)
        ),
        "k: " + "[" * 5_000,
        "k: " + "x" * 1_000_000,
        "a: *nowhere",
        "? complex\n: v",
        "<<: {a: 1}",
        "!!python/object/apply:os.system ['true']",
    ],
    ids=["alias bomb", "deep", "long", "undefined alias", "complex key", "merge", "object"],
)
def test_hostile_yaml_is_bounded_and_never_raises(block: str) -> None:
    document = parse(f"---\n{block}\n---\n# T\n")
    assert document.frontmatter is not None
    assert isinstance(document.frontmatter.data, dict)
    assert [heading.text for heading in document.headings] == ["T"]
