"""Refs in a spelling that akm no longer reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from stash import fixed, lint_stash, marked

from akm_ls.lint.finding import Finding
from akm_ls.lint.settings import LintSettings

FILES = {
    "knowledge/web-ux/rubric.md": "# Rubric\n",
    "skills/review/SKILL.md": "---\nname: review\ndescription: Reviews.\n---\n",
    "scripts/db/migrate.ts": "// migrates\n",
}


def check(root: Path, text: str, rel: str = "memories/note.md") -> tuple[Finding, ...]:
    return lint_stash(root, {**FILES, rel: text}, "legacy-ref").get(rel, ())


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("See knowledge:web-ux/rubric.\n", "See team//knowledge/web-ux/rubric.\n"),
        (
            "**skill:review** `skill:review#do`\n",
            "**team//skills/review** `team//skills/review#do`\n",
        ),
        ("| team//script:db/migrate.ts |\n", "| team//scripts/db/migrate.ts |\n"),
        ("local//skill:review\n", "team//skills/review\n"),
        ("github:me/team//skill:review\n", "team//skills/review\n"),
        (
            "---\nxrefs: [knowledge:web-ux/rubric]\n---\n",
            "---\nxrefs: [knowledge/web-ux/rubric]\n---\n",
        ),
        ("---\nrefs:\n  - 'skill:review'\n---\n", "---\nrefs:\n  - 'skills/review'\n---\n"),
        ("---\nxrefs: team//skill:review\n---\n", "---\nxrefs: team//skills/review\n---\n"),
        ("knowledge:web-ux/rubric.md\r\n", "team//knowledge/web-ux/rubric\r\n"),
    ],
)
def test_the_exact_ref_is_offered_and_safe(tmp_path: Path, text: str, mended: str) -> None:
    found = check(tmp_path, text)
    assert {f.severity for f in found} == {"warning"}
    assert fixed(text, found) == mended
    assert check(tmp_path, mended) == ()


def test_an_asset_that_is_no_more_is_told_beside_one_that_is(tmp_path: Path) -> None:
    text = "Follow knowledge:web-ux/rubric and workflow:gone. Ratio 3:4, time 10:30, key:value.\n"
    found = check(tmp_path, text)
    assert [(marked(text, f), f.severity) for f in found] == [
        ("knowledge:web-ux/rubric", "warning"),
        ("workflow:gone", "information"),
    ]
    assert not found[1].fixes


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("team//skill:review\n", [("legacy-ref", "team//skill:review")]),
        ("team//skill:b skill:b\n", [("legacy-ref", "team//skill:b"), ("legacy-ref", "skill:b")]),
        ("team//skill:review#do\n", [("legacy-ref", "team//skill:review#do")]),
        ("---\nxrefs: [team//skill:b]\n---\n", [("legacy-ref", "team//skill:b")]),
        ("skill:c, a ratio of skill:x\n", []),
        ("skill:b, task:x\n", [("legacy-ref", "skill:b")]),
        ("team//skill:gone\n", [("missing-ref", "team//skill:gone")]),
        (
            "skill:b, team//skill:gone\n",
            [("legacy-ref", "skill:b"), ("missing-ref", "team//skill:gone")],
        ),
        ("---\nxrefs: [team//skill:gone]\n---\n", [("legacy-ref", "team//skill:gone")]),
    ],
)
def test_one_fault_is_told_once(tmp_path: Path, text: str, told: list[tuple[str, str]]) -> None:
    one_letter = {"skills/b/SKILL.md": "---\nname: b\ndescription: Reviews.\n---\n"}
    stash = {**FILES, **one_letter, "memories/note.md": text}
    found = lint_stash(tmp_path, stash, "legacy-ref", "missing-ref").get("memories/note.md", ())
    assert [(finding.code, marked(text, finding)) for finding in found] == told


def test_a_rule_that_is_off_leaves_its_fault_to_the_other(tmp_path: Path) -> None:
    text = "team//skill:review and team//skill:gone\n"
    for off, told in (
        (
            "legacy-ref",
            [("missing-ref", "team//skill:review"), ("missing-ref", "team//skill:gone")],
        ),
        ("missing-ref", [("legacy-ref", "team//skill:review"), ("legacy-ref", "team//skill:gone")]),
    ):
        settings = LintSettings({off: "off"})
        stash = {**FILES, "memories/note.md": text}
        found = lint_stash(tmp_path, stash, "legacy-ref", "missing-ref", lint=settings)
        assert [(f.code, marked(text, f)) for f in found["memories/note.md"]] == told


def test_in_a_list_of_refs_it_can_be_nothing_else(tmp_path: Path) -> None:
    text = "---\nxrefs: [knowledge:gone]\n---\n"
    assert [marked(text, f) for f in check(tmp_path, text)] == ["knowledge:gone"]


@pytest.mark.parametrize(
    "text",
    [
        "agent:foo is no asset; note: this, skill: that.\n",
        "https://example.com/skill:review std::env::var task:run()\n",
        "```\nskill:review\n```\n",
        "---\ndescription: uses skill:review\n---\n",
        "my-skill:review\n",
    ],
)
def test_other_colons_stay_silent(tmp_path: Path, text: str) -> None:
    assert check(tmp_path, text) == ()


def test_hosts_have_spellings_of_their_own(tmp_path: Path) -> None:
    files = {**FILES, "CLAUDE.md": "# Rules\n", "commands/go.md": "Run skill:review $ARGUMENTS\n"}
    assert lint_stash(tmp_path, files, "legacy-ref") == {}
