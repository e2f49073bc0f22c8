"""The colon in a description: one finding, and a fix that leaves sound YAML."""

from __future__ import annotations

import pytest

from akm_ls.bundles.bundle import Bundle, BundleSet
from akm_ls.documents.document import parse
from akm_ls.documents.frontmatter import read_frontmatter
from akm_ls.lint.engine import lint
from akm_ls.lint.finding import Finding
from akm_ls.lint.fixes import apply_edits, safe_edits
from akm_ls.lint.rule import Subject

TEAM = Bundle("team", "/team", "/team", "akm")


def findings(text: str) -> tuple[Finding, ...]:
    document = parse(text)
    return lint(Subject(document, "/team/x.md", "x.md", TEAM, BundleSet((TEAM,))))


@pytest.mark.parametrize(
    ("value", "reads"),
    [
        ("Ready for users: errors.", "Ready for users: errors."),
        ("on: '/x', \"be \\kind\", C:\\new", "on: '/x', \"be \\kind\", C:\\new"),
        ("First: line\n  second: line", "First: line second: line"),
        ("Use: this\n\n  <example>\n  User: hi\n  </example>", None),
        ("tickets: #12 and #13", "tickets: #12 and #13"),
        ("no deploys: ever  # keep it short", "no deploys: ever"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_quoting_keeps_the_text_and_is_enough(value: str, reads: str | None, end: str) -> None:
    text = f"---\nname: x\ndescription: {value}\nlicense: MIT\n---\n# X\n".replace("\n", end)
    found = findings(text)
    assert [finding.code for finding in found] == ["unquoted-colon"]
    assert found[0].severity == "error"
    fixed = apply_edits(text, safe_edits(found))
    frontmatter = read_frontmatter(fixed)
    assert frontmatter is not None and frontmatter.problem is None
    assert frontmatter.text("license") == "MIT"
    if reads is not None:
        assert frontmatter.text("description") == reads
    assert "# keep it short" not in text or '"  # keep it short' in fixed
    assert not findings(fixed), "a second run has nothing to mend"
    assert ("\r\n" in fixed) == (end == "\r\n")


def test_a_colon_that_yaml_accepts_is_a_hint() -> None:
    (found,) = findings("---\ndescription: See https://example.com/a at 10:30.\n---\n")
    assert (found.code, found.severity) == ("unquoted-colon", "hint")


@pytest.mark.parametrize(
    "block",
    [
        "description: >-\n  Use when: long.\n  Then: split.",
        "description: 'a: b'",
        'description: "a: b"',
        "description: plain words",
    ],
)
def test_quoted_and_block_texts_are_fine(block: str) -> None:
    assert not findings(f"---\n{block}\n---\n")


def test_another_fault_beside_it_is_told_as_well() -> None:
    text = "---\ndescription: a: b\nargument-hint: [a] [b]\n---\n"
    assert {finding.code for finding in findings(text)} == {"unquoted-colon", "invalid-frontmatter"}
