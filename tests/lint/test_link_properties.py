"""Whatever the text, the rules of links and fences answer, and their safe fixes come to an end."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from stash import write_stash

from akm_ls.bundles.bundle import Bundle, BundleSet
from akm_ls.documents.document import parse
from akm_ls.index.catalog import Catalog
from akm_ls.index.stub import Stub
from akm_ls.lint.engine import lint
from akm_ls.lint.finding import Finding
from akm_ls.lint.fixes import apply_edits, safe_edits
from akm_ls.lint.rule import Subject
from akm_ls.lint.rules import anchors, fences, legacy_refs, links, references

RULES = (*links.RULES, *anchors.RULES, *fences.RULES, *legacy_refs.RULES, *references.RULES)

PIECES = st.sampled_from(
    [
        "---\nxrefs: [knowledge:a, 'skill:x y', team//knowledge/a#q]\n---\n",
        "# A & B\n",
        "\n",
        "\r\n",
        "\r",
        "[a](References/A.md#x)",
        "[b](<references/a b.md> 't')",
        "[c](",
        "](../x/",
        ".md)",
        "![i](i/i.png)",
        "[r]: references/a.md#nope\n",
        "`references/gone.md`",
        "`python scripts/x.py`",
        "`${CLAUDE_SKILL_DIR}/a/b.md`",
        "knowledge:a",
        " team//knowledge:a. ",
        "other//knowledge/a",
        "x//y#z",
        "@docs/x.md ",
        "```\n",
        "```md\n",
        "```` \n",
        "~~~\n",
        "> ```sh\n",
        "  - ```\n",
        "<!--",
        "-->",
        "<a id=x>",
        "Title\n---\n",
        "%zz",
        "%00",
        "\x00",
        "\ud800",
        "😀",
        "|",
        "#",
        "?",
        "\\",
        " ",
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=16).map("".join), st.text(max_size=120))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_stash(
        tmp_path_factory.mktemp("stash").resolve() / "team",
        {
            "skills/ios/SKILL.md": "",
            "skills/ios/references/a.md": "",
            "skills/ios/references/a b.md": "",
        },
    )


def check(root: Path, text: str) -> tuple[Finding, ...]:
    team = Bundle("team", str(root), str(root), "akm")
    catalog = Catalog()
    path = str(root / "knowledge" / "a.md")
    catalog.load([Stub("team", "knowledge/a", "knowledge", "a", path, slugs="b\nc")])
    document = parse(text)
    rel = "skills/ios/SKILL.md"
    subject = Subject(document, str(root / rel), rel, team, BundleSet((team,)), catalog)
    return lint(subject, RULES)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=TEXTS)
@example(text="[a](References/A.md) knowledge:a")
@example(text="[a](" + "%" * 50 + ".md)")
def test_any_markdown_is_judged_within_its_text(
    root: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.clear()
    with caplog.at_level(logging.ERROR):
        found = check(root, text)
    assert not caplog.records, caplog.text
    for finding in found:
        assert 0 <= finding.span.start <= finding.span.end <= len(text)
        for fix in finding.fixes:
            assert all(0 <= e.span.start <= e.span.end <= len(text) for e in fix.edits)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=TEXTS)
@example(text="[a](References/A.md) [b](<References/A B.md>) knowledge:a")
def test_safe_fixes_leave_nothing_safe_to_fix(root: Path, text: str) -> None:
    once = apply_edits(text, safe_edits(check(root, text)))
    assert apply_edits(once, safe_edits(check(root, once))) == once


@pytest.mark.parametrize(
    "text",
    [
        "[a](x/" * 20_000,
        "`references/" * 20_000,
        "knowledge:" * 20_000,
        "a//skill:b " * 5_000,
        "```md\n" * 5_000,
        "```\n" * 5_001,
        "> ```\n" * 5_001,
        "@a/" * 20_000,
        "## A\n" * 20_000 + "[x](#nope)\n" * 2_000,
    ],
    ids=lambda text: repr(text[:10]),
)
def test_hostile_texts_are_judged_in_linear_time(root: Path, text: str) -> None:
    assert len(check(root, text)) >= 0
