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
from akm_ls.lint.suppression_edits import suppression_fixes

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


@pytest.mark.parametrize("value", ['"a: b" c: d', '"a: b', "'a:b"])
def test_a_quote_that_is_at_fault_is_no_matter_of_colons(value: str) -> None:
    found = findings(f"---\ndescription: {value}\nlicense: MIT\n---\n")
    assert [finding.code for finding in found] == ["invalid-frontmatter"]


def test_another_fault_beside_it_is_told_as_well() -> None:
    text = "---\ndescription: a: b\nargument-hint: [a] [b]\n---\n"
    assert {finding.code for finding in findings(text)} == {"unquoted-colon", "invalid-frontmatter"}


@pytest.mark.parametrize(
    "value",
    ["Use when: x", "Use when: x\n  and: y", "[a]: b", "“Use: x”", "- a: b", "plain:colon"],
)
def test_each_way_to_switch_it_off_leaves_silence(value: str) -> None:
    text = f"---\nname: x\ndescription: {value}\nlicense: MIT\n---\n# X\n"
    (found,) = (f for f in findings(text) if f.code == "unquoted-colon")
    fixes = suppression_fixes(parse(text), found, skippable=True)
    assert "Add unquoted-colon to lint_skip" in [fix.title for fix in fixes]
    for fix in fixes:
        assert [f.code for f in findings(apply_edits(text, fix.edits))] == [], fix.title


def test_other_faults_are_told_when_the_colon_is_not() -> None:
    text = "---\nlint_skip: [unquoted-colon]\ndescription: Use when: x\nk: @at\n---\n"
    assert [(f.code, f.span.of(text)) for f in findings(text)] == [("invalid-frontmatter", "@at")]
