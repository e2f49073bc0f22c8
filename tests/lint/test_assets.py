"""What akm asks of an asset's frontmatter: a date, a name and a type, a category."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from repository import lint_repository

from akm_ls.bundles.bundle import Bundle, BundleSet
from akm_ls.documents.document import parse
from akm_ls.lint.engine import lint
from akm_ls.lint.finding import Finding
from akm_ls.lint.fixes import apply_edits, safe_edits
from akm_ls.lint.rule import Subject
from akm_ls.lint.rules.assets import CATEGORIES, RULES

TODAY = date(2026, 3, 1)


def findings(
    rel: str, text: str, code: str, adapter: str = "akm", origin: str = "workspace"
) -> tuple[Finding, ...]:
    bundle = Bundle("team", "/team", "/team", adapter, origin=origin)  # type: ignore[arg-type]
    subject = Subject(
        parse(text), f"/team/{rel}", rel, bundle, BundleSet((bundle,)), clock=lambda: TODAY
    )
    return lint(subject, [rule for rule in RULES if rule.code == code])


def fixed(rel: str, text: str, code: str) -> str:
    """The text after all safe fixes, and that a second run has nothing to mend."""
    mended = apply_edits(text, safe_edits(findings(rel, text, code)))
    assert not safe_edits(findings(rel, mended, code))
    return mended


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\ndescription: d\n---\nx", "---\ndescription: d\nupdated: 2026-03-01\n---\nx"),
        ("---\n---\nx", "---\nupdated: 2026-03-01\n---\nx"),
        ("---\r\na: 1 # b\r\n---\r\n", "---\r\na: 1 # b\r\nupdated: 2026-03-01\r\n---\r\n"),
        ("---\nmeta:\n  updated: 1\n---\n", "---\nmeta:\n  updated: 1\nupdated: 2026-03-01\n---\n"),
        ("---\n  a: 1\n---\n", "---\n  a: 1\n  updated: 2026-03-01\n---\n"),
        ("---\na: |\n  x\n\n---\n", "---\na: |\n  x\n\nupdated: 2026-03-01\n---\n"),
    ],
)
def test_a_missing_date_is_stamped_behind_the_last_key(before: str, after: str) -> None:
    (found,) = findings("knowledge/a.md", before, "missing-updated")
    assert found.severity == "hint"
    assert found.span.of(before) == "---"
    assert not found.fixable, "nobody vouches for the date of a file that is only passed by"
    assert apply_edits(before, found.fixes[0].edits) == after


@pytest.mark.parametrize("text", ["---\n{a: 1}\n---\n", "---\na: 1\n...\n---\n"])
def test_frontmatter_that_no_line_can_be_added_to_is_left_alone(text: str) -> None:
    (found,) = findings("knowledge/a.md", text, "missing-updated")
    assert not found.fixes


@pytest.mark.parametrize(
    ("rel", "text"),
    [
        ("knowledge/a.md", "---\nupdated: 2020-01-01\n---\n"),
        ("knowledge/a.md", "---\nupdated:\n---\n"),
        ("knowledge/a.md", "# No frontmatter\n"),
        ("knowledge/a.md", "---\ndescription: a: b\n---\n"),
        ("knowledge/a.md", "---\ndescription: half typed\n"),
        ("knowledge/a.md", "---\nlint_skip: missing-updated\n---\n"),
        ("sessions/a.md", "---\ndescription: a log\n---\n"),
        ("docs/a.md", "---\ndescription: no asset directory\n---\n"),
    ],
)
def test_no_date_is_asked_for(rel: str, text: str) -> None:
    assert not findings(rel, text, "missing-updated")


@pytest.mark.parametrize(
    ("adapter", "origin"), [("claude", "config"), ("okf", "config"), ("akm", "host")]
)
def test_only_akms_own_layout_wants_dates(adapter: str, origin: str) -> None:
    assert not findings(
        "skills/a/SKILL.md", "---\nname: a\n---\n", "missing-updated", adapter, origin
    )


def test_an_agent_says_its_name_and_type() -> None:
    before = "---\r\ndescription: Reviews\r\n---\r\nReview.\r\n"
    (found,) = findings("agents/My Agent (v2).md", before, "missing-name-or-type")
    assert (found.severity, found.data["slug"]) == ("warning", "my-agent-v2")
    assert fixed("agents/My Agent (v2).md", before, "missing-name-or-type") == (
        "---\r\nname: my-agent-v2\r\ntype: agent\r\ndescription: Reviews\r\n---\r\nReview.\r\n"
    )


def test_an_empty_key_is_filled_where_it_stands() -> None:
    before = "---\ntype:  # to do\nname:\ndescription: d\n---\n"
    after = "---\ntype: command # to do\nname: deploy\ndescription: d\n---\n"
    assert fixed("commands/ops/deploy.md", before, "missing-name-or-type") == after


def test_a_type_of_another_directory_is_an_error() -> None:
    text = "---\nname: a\ntype: command # hm\n---\n"
    (found,) = findings("agents/a.md", text, "missing-name-or-type")
    assert (found.severity, found.span.of(text)) == ("error", "command")
    assert not found.fixable, "the file may be in the wrong place instead"
    (fix,) = found.fixes
    assert apply_edits(text, fix.edits) == "---\nname: a\ntype: agent # hm\n---\n"


@pytest.mark.parametrize(
    ("rel", "text"),
    [
        ("agents/a.md", "---\nname: a\ntype: agent\n---\n"),
        ("agents/a.md", "# No frontmatter\n"),
        ("agents/README.md", "---\ntitle: Agents\n---\n"),
        ("knowledge/a.md", "---\ntitle: No agent\n---\n"),
    ],
)
def test_no_name_is_asked_for(rel: str, text: str) -> None:
    assert not findings(rel, text, "missing-name-or-type")


@pytest.mark.parametrize(
    ("rel", "text", "fires"),
    [
        ("commands/c.md", "Do it.\n", True),
        ("agents/a.md", "Do it.\n", True),
        ("commands/c.md", "Do $ARGUMENTS.\n", False),
        ("commands/c.md", "Do $1.\n", False),
        ("commands/c.md", "---\nagent: build\n---\nDo it.\n", False),
        ("agents/a.md", "---\ndescription: Builds\n---\nBuild.\n", False),
        ("CLAUDE.md", "Be kind.\n", False),
    ],
)
@pytest.mark.parametrize("adapter", ["claude", "opencode"])
def test_a_tools_own_files_need_one_sign_of_what_they_are(
    adapter: str, rel: str, text: str, fires: bool
) -> None:
    assert bool(findings(rel, text, "missing-name-or-type", adapter, "config")) is fires
    assert not findings(rel, text, "missing-name-or-type", adapter, "host")


def test_a_fact_without_a_category_may_choose_one() -> None:
    text = "---\ndescription: d\n---\nx\n"
    (found,) = findings("facts/team/a.md", text, "missing-category")
    assert found.severity == "warning"
    assert not found.fixable
    assert len(found.fixes) == len(CATEGORIES)
    preferred = [fix for fix in found.fixes if fix.preferred]
    assert [fix.title for fix in preferred] == ["Add `category: team`"]
    mended = apply_edits(text, preferred[0].edits)
    assert mended == "---\ndescription: d\ncategory: team\n---\nx\n"
    assert not findings("facts/team/a.md", mended, "missing-category")


def test_a_fact_without_frontmatter_gets_a_block() -> None:
    (found,) = findings("facts/a.md", "Facts.\n", "missing-category")
    mended = apply_edits("Facts.\n", found.fixes[0].edits)
    assert mended == "---\ncategory: personal\n---\n\nFacts.\n"


def test_a_category_that_does_not_exist() -> None:
    text = '---\ncategory: "conventions"\n---\n'
    (found,) = findings("facts/a.md", text, "missing-category")
    assert found.span.of(text) == '"conventions"'
    assert apply_edits(text, found.fixes[0].edits) == "---\ncategory: convention\n---\n"


@pytest.mark.parametrize(
    ("rel", "text"),
    [
        ("facts/a.md", "---\ncategory: meta\n---\n"),
        ("facts/README.md", "About our facts.\n"),
        ("knowledge/a.md", "No fact.\n"),
        ("facts/a.md", "---\ncategory: [\n---\n"),
    ],
)
def test_no_category_is_asked_for(rel: str, text: str) -> None:
    assert not findings(rel, text, "missing-category")


HALF = [
    (".claude/agents/a.md", "description: Reviews changes", "`name`"),
    (".claude/agents/a.md", "name: a", "`description`"),
    (".gemini/agents/a.md", "description: Reviews changes", "`name`"),
    ("plugin/agents/a.md", "name: a", "`description`"),
    ("plugin/agents/a.md", "description: Reviews changes", None),
    (".claude/agents/a.md", "name: a\ndescription: Reviews changes", None),
    (".claude/agents/a.md", "title: How agents are kept here", None),
    (".claude/agents/README.md", "description: What lies here", None),
    (".claude/commands/a.md", "description: Reviews changes", None),
    (".opencode/agents/a.md", "description: Reviews changes", None),
]


@pytest.mark.parametrize(("rel", "yaml", "lacks"), HALF)
def test_an_agent_has_all_that_its_tool_asks_for(
    tmp_path: Path, rel: str, yaml: str, lacks: str | None
) -> None:
    files = {rel: f"---\n{yaml}\n---\nReview it.\n", "plugin/.claude-plugin/plugin.json": "{}"}
    files["plugin/skills/x/SKILL.md"] = "---\nname: x\ndescription: Finds typos.\n---\n# X\n"
    found = lint_repository(tmp_path, files, "missing-name-or-type").get(rel, ())
    assert [f.severity for f in found] == ([] if lacks is None else ["warning"])
    assert all(f.message.startswith(f"The agent has no {lacks}") for f in found)


def test_a_missing_agents_name_is_its_files(tmp_path: Path) -> None:
    rel, text = ".claude/agents/code-reviewer.md", "---\ndescription: Reviews.\n---\nReview it.\n"
    (found,) = lint_repository(tmp_path, {rel: text}, "missing-name-or-type")[rel]
    assert apply_edits(text, safe_edits([found])).startswith("---\nname: code-reviewer\n")
