"""Which fixes are applied together, and that applying them comes to an end."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from one_document import findings

from akm_ls.bundles.bundle import Bundle
from akm_ls.documents.document import kind_of, parse
from akm_ls.documents.text import Span
from akm_ls.lint.engine import SKIPPABLE
from akm_ls.lint.finding import Finding, Fix, TextEdit
from akm_ls.lint.fixes import (
    apply_edits,
    edits_between,
    fix_text,
    line_end,
    safe_edits,
    safe_fixes,
)
from akm_ls.lint.rules import ALL_RULES
from akm_ls.lint.settings import LintSettings
from akm_ls.lint.suppression_edits import suppression_fixes


def finding(*edits: tuple[int, int, str], safe: bool = True, **more: object) -> Finding:
    fix = Fix(
        "Fix",
        tuple(TextEdit(Span(start, end), text) for start, end, text in edits),
        safe,
        **more,  # type: ignore[arg-type]
    )
    start = edits[0][0] if edits else 0
    return Finding("some-rule", "warning", "wrong", Span(start, start), fixes=(fix,))


@pytest.mark.parametrize(
    ("fixes", "expected"),
    [
        ([finding((0, 1, "A")), finding((2, 3, "C"))], "AbCdef"),
        ([finding((0, 3, "X")), finding((2, 4, "Y"))], "Xdef"),
        ([finding((2, 4, "Y")), finding((0, 3, "X"))], "Xdef"),
        ([finding((0, 2, "X")), finding((2, 4, "Y"))], "XYef"),
        ([finding((3, 3, "X")), finding((3, 3, "Y"))], "abcXdef"),
        ([finding((3, 3, "X")), finding((2, 4, "Y"))], "abYef"),
        ([finding((3, 3, "X")), finding((3, 4, "Y"))], "abcXYef"),
        ([finding((0, 1, "X"), (4, 5, "X")), finding((4, 5, "Y"))], "XbcdXf"),
        ([finding((0, 1, "X")), finding((1, 2, "Y"), (0, 1, "Z"))], "Xbcdef"),
        ([finding((0, 2, "X"), (1, 3, "Y"))], "abcdef"),
        ([finding((0, 1, "X"), safe=False)], "abcdef"),
        ([finding((0, 1, "X"), elsewhere={"/b.md": (TextEdit(Span(0, 0), "y"),)})], "abcdef"),
        ([finding((0, 1, "X"), creates={"/b.md": ""})], "abcdef"),
        ([finding((0, 1, "X"), deletes=("/b.md",))], "abcdef"),
        ([finding()], "abcdef"),
    ],
)
def test_which_fixes_are_applied_unasked(fixes: list[Finding], expected: str) -> None:
    assert apply_edits("abcdef", safe_edits(fixes)) == expected


def test_the_first_safe_fix_of_a_finding_is_the_one() -> None:
    unsafe = Fix("Guess", (TextEdit(Span(0, 1), "X"),))
    one = Fix("One", (TextEdit(Span(0, 1), "Y"),), safe=True)
    two = Fix("Two", (TextEdit(Span(0, 1), "Z"),), safe=True)
    found = Finding("some-rule", "warning", "wrong", Span(0, 1), fixes=(unsafe, one, two))
    assert found.fixable
    assert safe_fixes([found]) == (one,)


TAGGED = """\
---
name: x
description: !!python/object:os.system "a text that is long enough"
disable-model-invocation: !!bool "yes"
tags: !!set {a, b}
metadata:
  version: !!float 1.0
  internal: &number 2
allowed-tools: !!seq [Read, Write]
---
"""


def test_no_fix_changes_a_value_behind_a_tag_or_an_anchor() -> None:
    found = findings(TAGGED, "skills/x/SKILL.md")
    told = {f.data.get("key"): f.fixes for f in found if f.code.startswith(("field", "skill"))}
    assert told == {
        "disable-model-invocation": (),
        "tags": (),
        "metadata.internal": (),
        "allowed-tools": (),
    }


def test_no_fix_is_offered_in_a_read_only_bundle() -> None:
    text = "---\ndescription: Fridays: no deploys\n---\n"
    for writable in (True, False):
        bundle = Bundle("team", "/team", "/team", "akm", writable=writable)
        assert any(found.fixes for found in findings(text, bundle=bundle)) == writable


def test_thousands_of_fixes_are_sorted_out_at_once() -> None:
    many = [finding((at, at + 1, "y")) for at in range(20_000)]
    assert len(safe_edits(many)) == 20_000


@pytest.mark.parametrize(
    ("text", "end"), [("", "\n"), ("a", "\n"), ("a\nb\r\n", "\n"), ("a\r\n", "\r\n"), ("a\r", "\r")]
)
def test_the_line_end_of_a_text_is_that_of_its_first_line(text: str, end: str) -> None:
    assert line_end(text) == end


@given(st.text("ab\n\r\x0b", max_size=30), st.text("ab\n\r\x0b", max_size=30))
@settings(deadline=None)
def test_edits_between_two_texts_lead_from_one_to_the_other(old: str, new: str) -> None:
    edits = edits_between(old, new)
    assert apply_edits(old, edits) == new
    assert bool(edits) == (old != new)


def test_edits_between_leave_common_lines_alone() -> None:
    (edit,) = edits_between("a\nb\nc\n", "a\nX\nc\n")
    assert edit == TextEdit(Span(2, 4), "X\n")
    long = "line\n" * 6_000
    (edit,) = edits_between(long, long + "more\n")
    assert edit.new_text == "more\n"


# Documents made of what rules look at, right, wrong and half typed.

KEYS = st.sampled_from(
    [
        "name: a",
        "name: Not A Name",
        "description: plain words",
        "description: Use when: it hurts",
        "description: 'it''s: fine'",
        "description: a: b # a comment",
        "description: |\n  Use: this\n  or that",
        'description: "never closed',
        "argument-hint: [a] [b]",
        "tags: [a, a, 'b']",
        "tags:\n  - a\n\t- b",
        "xrefs: [knowledge/a, team//knowledge/a, knowledge/a]",
        "xrefs:\n  - knowledge/gone # why\n  - knowledge/gone",
        "supersededBy: knowledge/a",
        "type: Agent",
        "project: checkout",
        "allowed_tools: Read, Write",
        "updated:",
        "updated: yesterday",
        "lint_skip: [missing-ref, nothing]",
        "# akm-ls-disable-next-line",
        "😀: 日本",
        "",
    ]
)
LINES = st.sampled_from(
    [
        "# Heading",
        "## Heading",
        "See team//knowledge/gone and knowledge:old here.",
        "team//skill:review, origin//memory:note",
        "[a](gone.md) ![b](./pic.png) [c](a.md#nowhere)",
        "`references/gone.md` and @file.md",
        "```",
        "~~~ python",
        "    indented team//knowledge/gone",
        "> quoted team//knowledge/gone",
        "| a | b |\n| - | - |\n| team//knowledge/gone | c |",
        "- item `team//knowledge/gone`",
        "<!-- akm-ls-disable-line -->",
        "<!-- never closed",
        "/home/nobody/file.txt  ",
        "Describe what this workflow accomplishes",
        "---",
        "",
        "😀 日本 \u2028 \x0b",
    ]
)
PATHS = st.sampled_from(
    [
        "knowledge/a.md",
        "skills/a/SKILL.md",
        "skills/a/references/b.md",
        "agents/a.md",
        "commands/a.md",
        "memories/a.md",
        "facts/a.md",
        "workflows/a.md",
        "tasks/a.yml",
        "env/a.env",
    ]
)
ENDS = st.sampled_from(["\n", "\r\n"])
FORMATS = st.sampled_from(["akm", "agent-skills", "claude", "opencode", "okf", "llm-wiki"])
EVERY_RULE = LintSettings(
    {rule.code: rule.severity for rule in ALL_RULES if not rule.default}, portable=True
)


@dataclass(frozen=True)
class Sample:
    """A file of a bundle in some format, whose text has one kind of line end."""

    path: str
    text: str
    adapter: str = "akm"

    def findings(self, text: str) -> tuple[Finding, ...]:
        bundle = Bundle("team", "/team", "/team", self.adapter)
        return findings(text, self.path, EVERY_RULE, bundle)


@st.composite
def documents(draw: st.DrawFn) -> Sample:
    path = draw(PATHS)
    keys = draw(st.lists(KEYS, max_size=6))
    lines = draw(st.lists(LINES, max_size=8))
    if path.endswith(".env"):
        parts = ["export PATH=/x", "A=1", *(line for line in lines if line.startswith("#"))]
    elif path.endswith(".yml"):
        parts = keys
    else:
        block = ["---", *keys, "---"] if draw(st.booleans()) else []
        parts = [*block, *lines]
    text = "\n".join(parts) + draw(st.sampled_from(["", "\n"]))
    return Sample(path, text.replace("\n", draw(ENDS)), draw(FORMATS))


@given(documents())
@example(Sample("knowledge/a.md", "---\r\ndescription: a: b\r\n---\r\n"))
@settings(deadline=None, max_examples=150)
def test_safe_fixes_reach_an_end_and_keep_line_ends(sample: Sample) -> None:
    fixed = fix_text(sample.text, sample.findings).text
    again = fix_text(fixed, sample.findings)
    assert again.text == fixed, "a second application changes something"
    assert not any(f.fixable for f in sample.findings(fixed)), "something is left to fix"
    if "\r\n" in sample.text:
        assert "\n" not in fixed.replace("\r\n", "")
    else:
        assert "\r" not in fixed


@given(documents())
@settings(deadline=None, max_examples=100)
def test_a_suppression_hides_its_finding_and_keeps_line_ends(sample: Sample) -> None:
    text = sample.text
    parsed = parse(text, kind_of(sample.path))
    before = sample.findings(text)
    for found in before[:5]:
        for fix in suppression_fixes(parsed, found, skippable=found.code in SKIPPABLE):
            changed = apply_edits(text, fix.edits)
            assert ("\r\n" in changed) == ("\r\n" in text) or "\n" not in text
            same = [f for f in before if f.code == found.code]
            left = [f for f in sample.findings(changed) if f.code == found.code]
            assert len(left) < len(same), changed
