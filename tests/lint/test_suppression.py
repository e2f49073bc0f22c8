"""Comments that switch rules off, and the edits that write them."""

from __future__ import annotations

import pytest
from one_document import codes, findings

from akm_ls.documents.document import kind_of, parse
from akm_ls.lint.finding import Finding
from akm_ls.lint.fixes import apply_edits
from akm_ls.lint.suppression_edits import suppression_fixes

GONE = "team//knowledge/gone"


def missing(text: str, rel: str = "knowledge/a.md") -> list[int]:
    """The 0-based lines with a missing ref that is still reported."""
    lines = parse(text, kind_of(rel)).lines
    return [
        lines.line_of(finding.span.start)
        for finding in findings(text, rel)
        if finding.code == "missing-ref"
    ]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"See {GONE}. <!-- akm-ls-disable-line missing-ref -->\n{GONE}\n", [1]),
        (f"See {GONE}. <!--akm-ls-disable-line-->\n{GONE}\n", [1]),
        (f"<!-- akm-ls-disable-next-line missing-ref -->\n{GONE}\n{GONE}\n", [2]),
        (f"<!-- akm-ls-disable-next-line\n missing-ref\n-->\n{GONE}\n{GONE}\n", [4]),
        (f"{GONE}\n\n<!-- akm-ls-disable missing-ref -->\n{GONE}\n", []),
        (f"{GONE}\n\n<!-- akm-ls-disable -->\n", []),
        (f"{GONE} <!-- akm-ls-disable-line dead-link, missing-ref: next week -->\n", []),
        (f"{GONE} <!-- akm-ls-disable-line duplicate-ref: missing-ref is meant -->\n", [0]),
        (f"{GONE} `<!-- akm-ls-disable-line -->`\n", [0]),
        (f"```\n<!-- akm-ls-disable -->\n```\n{GONE}\n", [3]),
        (f"{GONE} # akm-ls-disable-line\n", [0]),
        (f"{GONE} <!-- akm-ls-disable-lines -->\n", [0]),
        (f"{GONE} <!-- AKM-LS-DISABLE-LINE -->\n", [0]),
        (f"{GONE} <!-- akm-ls-ignore -->\n", [0]),
        (f"<!-- akm-ls-disable -->\n{GONE}\n<!-- akm-ls-enable -->\n", []),
        (f"{GONE} <!-- please do akm-ls-disable-line -->\n", [0]),
    ],
)
def test_what_a_comment_in_a_body_hides(text: str, left: list[int]) -> None:
    assert missing(text) == left
    assert missing(text.replace("\n", "\r\n")) == left


@pytest.mark.parametrize(
    ("block", "left"),
    [
        ("xrefs:\n  - knowledge/gone # akm-ls-disable-line missing-ref\n  - knowledge/no", [3]),
        ("xrefs:\n  # akm-ls-disable-next-line missing-ref\n  - knowledge/gone\n", []),
        ("# akm-ls-disable missing-ref\nxrefs: [knowledge/gone]", []),
        ("# akm-ls-disable-next-line\nxrefs: [knowledge/gone]", []),
        ('description: "about # akm-ls-disable"\nxrefs: [knowledge/gone]', [2]),
        ("description: |\n  # akm-ls-disable\nxrefs: [knowledge/gone]", [3]),
        ("lint_skip: missing-ref\nxrefs: [knowledge/gone]", []),
    ],
)
def test_what_a_comment_in_frontmatter_hides(block: str, left: list[int]) -> None:
    assert missing(f"---\n{block}\n---\n") == left
    assert missing(f"---\n{block}\n---\n".replace("\n", "\r\n")) == left


def test_comments_in_yaml_files() -> None:
    task = "version: 2\nschedule: '@daily'\nprompt: See {0} now # akm-ls-disable-line\n"
    assert missing(task.format(GONE).replace(" # akm-ls-disable-line", ""), "tasks/a.yml") == [2]
    assert missing(task.format(GONE), "tasks/a.yml") == []


@pytest.mark.parametrize(
    ("text", "rel", "message"),
    [
        ("x <!-- akm-ls-disable-line missing-reff -->\n", "knowledge/a.md", "`missing-ref`?"),
        ("---\n# akm-ls-disable missing-reff\n---\n", "knowledge/a.md", "`missing-ref`?"),
        ("---\nlint_skip: [missing-reff]\n---\n", "knowledge/a.md", "`missing-ref`?"),
        ("---\nlint_skip: duplicate-ref\n---\n", "knowledge/a.md", "no effect on `duplicate-ref`"),
        ("<!-- akm-ls-disable-nextline -->\n", "knowledge/a.md", "`akm-ls-disable-next-line`?"),
        ("<!-- AKM-LS-DISABLE-LINE missing-ref -->\n", "knowledge/a.md", "`akm-ls-disable-line`?"),
        ("<!-- akm-ls-disabled -->\n", "knowledge/a.md", "`akm-ls-disable`?"),
        ("<!-- Akm-Ls-Disable -->\n", "knowledge/a.md", "`akm-ls-disable`?"),
        ("---\n# AKM-LS-disable\n---\n", "knowledge/a.md", "`akm-ls-disable`?"),
        ("<!-- akm-ls-enable -->\n", "knowledge/a.md", "no comment switches a rule on again"),
        ("<!-- akm-ls-enable-line -->\n", "knowledge/a.md", "`akm-ls-disable-line`"),
        ("# akm-ls-ignore\nA=1\n", "env/a.env", "no comment that akm-ls knows"),
        ("<!-- akm-ls-disable MISSING-REF -->\n", "knowledge/a.md", "`missing-ref`?"),
        ("# akm-ls-disable zzz\nA=1\n", "env/a.env", "No rule is called `zzz`"),
    ],
)
def test_a_comment_that_names_no_rule_is_said_to_hide_nothing(
    text: str, rel: str, message: str
) -> None:
    found = [f for f in findings(text, rel) if f.code == "unknown-suppression"]
    assert len(found) == 1
    assert found[0].severity == "hint"
    assert message in found[0].message


def test_comments_that_name_rules_are_fine() -> None:
    text = (
        "---\nlint_skip: [missing-ref, unquoted-colon]\n# akm-ls-disable duplicate-ref\n---\n"
        "<!-- akm-ls-disable-next-line missing-ref -->\n"
        "<!-- akm-ls-server reads this; akm-ls-enable is no comment -->\n"
        "<!-- akm-ls-once -->\n"
        "```\n<!-- akm-ls-disable-line nothing-of-the-kind -->\n```\n"
    )
    assert "unknown-suppression" not in codes(text)


def offered(text: str, code: str, rel: str = "knowledge/a.md") -> dict[str, str]:
    """The texts after each way to switch off the one finding of a rule, by title."""
    (finding,) = [f for f in findings(text, rel) if f.code == code]
    document = parse(text, kind_of(rel))
    fixes = suppression_fixes(document, finding, skippable=code == "missing-ref")
    for fix in fixes:
        assert not fix.safe and not fix.preferred
    results = {fix.title: apply_edits(text, fix.edits) for fix in fixes}
    for result in results.values():
        assert code not in codes(result, rel), result
        assert ("\r\n" in result) == ("\r\n" in text)
    return results


LINE = "Disable missing-ref for this line"
FILE = "Disable missing-ref for this file"
SKIP = "Add missing-ref to lint_skip"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"# A\n\nSee {GONE}.\n", f"# A\n\nSee {GONE}. <!-- akm-ls-disable-line missing-ref -->\n"),
        (f"{GONE}  \nb\n", f"{GONE} <!-- akm-ls-disable-line missing-ref -->  \nb\n"),
        (f"{GONE}\\\nb\n", f"{GONE} <!-- akm-ls-disable-line missing-ref -->\\\nb\n"),
        (f"- {GONE}", f"- {GONE} <!-- akm-ls-disable-line missing-ref -->"),
        (
            f"a\n\n> ## On {GONE}\n",
            f"a\n\n> <!-- akm-ls-disable-next-line missing-ref -->\n> ## On {GONE}\n",
        ),
        (
            f"On {GONE}\n---\n",
            f"<!-- akm-ls-disable-next-line missing-ref -->\nOn {GONE}\n---\n",
        ),
        (
            f"---\nxrefs:\n  - {GONE}\n---\n",
            f"---\nxrefs:\n  # akm-ls-disable-next-line missing-ref\n  - {GONE}\n---\n",
        ),
        (
            f"{GONE} <!-- akm-ls-disable-line dead-link: soon -->\n",
            f"{GONE} <!-- akm-ls-disable-line dead-link, missing-ref: soon -->\n",
        ),
    ],
)
def test_where_the_comment_for_one_line_goes(text: str, expected: str) -> None:
    assert offered(text, "missing-ref")[LINE] == expected
    crlf = text.replace("\n", "\r\n")
    assert offered(crlf, "missing-ref")[LINE] == expected.replace("\n", "\r\n")


@pytest.mark.parametrize(
    "text",
    [
        f"| a | b |\n| - | - |\n| {GONE} | c |\n",
        f"{GONE} | b\n--- | ---\nc | d\n",
        f"> | a | b |\n> | - | - |\n> | {GONE} | c |\n",
    ],
)
def test_where_no_comment_can_stand_only_the_file_is_offered(text: str) -> None:
    assert LINE not in offered(text, "missing-ref")
    assert FILE in offered(text, "missing-ref")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{GONE}\n", f"<!-- akm-ls-disable missing-ref -->\n{GONE}\n"),
        (
            f"---\ntitle: A\n---\n\n{GONE}\n",
            f"---\ntitle: A\n---\n<!-- akm-ls-disable missing-ref -->\n\n{GONE}\n",
        ),
        (
            f"---\nxrefs: {GONE}\n---",
            f"---\nxrefs: {GONE}\n---\n<!-- akm-ls-disable missing-ref -->\n",
        ),
        (
            f"<!-- akm-ls-disable dead-link -->\n{GONE}\n",
            f"<!-- akm-ls-disable dead-link, missing-ref -->\n{GONE}\n",
        ),
    ],
)
def test_the_comment_for_a_file_stands_below_the_frontmatter(text: str, expected: str) -> None:
    assert offered(text, "missing-ref")[FILE] == expected


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("title: A", "title: A\nlint_skip: [missing-ref]"),
        ("lint_skip: stale-path", "lint_skip: [stale-path, missing-ref]"),
        ("lint_skip:", "lint_skip: [missing-ref]"),
        ("lint_skip: []", "lint_skip: [missing-ref]"),
        ("lint_skip: [stale-path]", "lint_skip: [stale-path, missing-ref]"),
        ("lint_skip:\n  - stale-path", "lint_skip:\n  - stale-path\n  - missing-ref"),
    ],
)
def test_the_entry_in_lint_skip(block: str, expected: str) -> None:
    text = f"---\n{block}\n---\n{GONE}\n"
    assert offered(text, "missing-ref")[SKIP] == f"---\n{expected}\n---\n{GONE}\n"


def test_lint_skip_is_offered_for_akms_basic_checks_with_frontmatter_only() -> None:
    assert SKIP not in offered(f"{GONE}\n", "missing-ref")
    twice = "---\nxrefs: [knowledge/a, knowledge/a]\nrefs: []\n---\n"
    assert [t for t in offered(twice, "duplicate-ref") if "lint_skip" in t] == []


def test_a_finding_with_no_frontmatter_end_is_offered_the_file() -> None:
    text = "---\nname: x\ndescription: y\n\n# T\n"
    (finding,) = [f for f in findings(text) if f.code == "invalid-frontmatter"]
    assert isinstance(finding, Finding)
    results = offered(text, "invalid-frontmatter")
    assert list(results) == ["Disable invalid-frontmatter for this file"]
