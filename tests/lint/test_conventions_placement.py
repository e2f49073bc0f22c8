"""Where assets lie in a stash, and how their paths are spelled."""

from __future__ import annotations

from pathlib import Path

import pytest
from stash import lint_stash

from akm_ls.lint.fixes import apply_edits
from akm_ls.lint.rules.conventions.segments import is_opaque, is_slug, slug_of, volatile_part

TEXT = "---\ndescription: What is said here in one whole sentence\n---\n# Title\n"
DOMAINS = """---
category: convention
description: The domains of this bundle
---
<!-- - `never` -->
# Domains

## Starter domains

- `auth` — tokens and sessions
- `databases` — queries (subdomain e.g. `databases/postgres`)

## Spellings

- Postgres (not postgresql / pg)
- TLS (not ssl when you mean TLS)
"""
PLACEMENT = (
    "placement-axis",
    "placement-domain",
    "placement-global",
    "placement-two-axes",
    "placement-depth",
)
SEGMENTS = ("placement-segment-case", "placement-volatile", "placement-opaque")


def codes(root: Path, *rels: str, among: tuple[str, ...] = PLACEMENT) -> dict[str, list[str]]:
    files = {rel: "" if rel.endswith((".env", ".sh")) else TEXT for rel in rels}
    files["facts/conventions/domains.md"] = DOMAINS
    found = lint_stash(root, files, *among)
    assert all(f.severity == "hint" for findings in found.values() for f in findings)
    return {rel: [finding.code for finding in findings] for rel, findings in found.items()}


@pytest.mark.parametrize(
    ("rel", "code"),
    [
        ("memories/auth/tip.md", "placement-axis"),
        ("lessons/databases/tip.md", "placement-axis"),
        ("env/auth/prod.env", "placement-axis"),
        ("knowledge/shop/tip.md", "placement-domain"),
        ("skills/shop/tip/SKILL.md", "placement-domain"),
        ("facts/house/tip.md", "placement-domain"),
        ("workflows/shop/release/cut.md", "placement-global"),
        ("commands/a/b/c/d.md", "placement-global"),
        ("knowledge/databases/postgres/queues/drain.md", "placement-depth"),
        ("memories/shop/a/b/tip.md", "placement-depth"),
    ],
)
def test_an_asset_in_the_wrong_place(tmp_path: Path, rel: str, code: str) -> None:
    assert codes(tmp_path, rel) == {rel: [code]}


@pytest.mark.parametrize(
    "rel",
    [
        "memories/shop/tip.md",
        "memories/auth.md",
        "knowledge/tip.md",
        "knowledge/auth/tip.md",
        "knowledge/databases/postgres/tip.md",
        "skills/tip/SKILL.md",
        "skills/auth/tip/SKILL.md",
        "skills/tip/references/a/b/c.md",
        "agents/git/tip.md",
        "docs/a/b/c/d.md",
        "sessions/claude/a/b/c/d.md",
        "knowledge/shop/README.md",
        "wikis/shop/a/b/c/d.md",
    ],
)
def test_an_asset_in_its_place(tmp_path: Path, rel: str) -> None:
    assert codes(tmp_path, rel) == {}


def test_the_directory_of_a_project_is_known_from_its_memories(tmp_path: Path) -> None:
    assert codes(
        tmp_path,
        "memories/shop/tip.md",
        "workflows/shop/cut.md",
        "knowledge/auth/shop/tip.md",
        "memories/shop/auth/tip.md",
    ) == {
        "workflows/shop/cut.md": ["placement-global"],
        "knowledge/auth/shop/tip.md": ["placement-two-axes"],
        "memories/shop/auth/tip.md": ["placement-two-axes"],
    }


def test_a_domain_can_be_added_to_the_vocabulary(tmp_path: Path) -> None:
    rel = "knowledge/database/tip.md"
    files = {rel: TEXT, "facts/conventions/domains.md": DOMAINS}
    (finding,) = lint_stash(tmp_path, files, "placement-domain")[rel]
    assert 'the nearest one is "databases"' in finding.message
    (fix,) = finding.fixes
    assert not fix.safe and not fix.edits
    ((path, edits),) = fix.elsewhere.items()
    changed = apply_edits(DOMAINS, edits)
    assert changed == DOMAINS.replace("postgres`)\n", "postgres`)\n- `database`\n")
    Path(path).write_text(changed, encoding="utf-8")
    assert lint_stash(tmp_path, {}, "placement-domain") == {}


def test_a_bundle_without_a_vocabulary_goes_by_the_usual_one(tmp_path: Path) -> None:
    files = {"knowledge/tooling/a.md": TEXT, "knowledge/shop/a.md": TEXT}
    assert list(lint_stash(tmp_path, files, "placement-domain")) == ["knowledge/shop/a.md"]


@pytest.mark.parametrize(
    ("rel", "code"),
    [
        ("knowledge/auth/Token_Refresh.md", "placement-segment-case"),
        ("knowledge/auth/token--refresh.md", "placement-segment-case"),
        ("knowledge/My Notes.md", "placement-segment-case"),
        ("knowledge/auth/refresh-draft.md", "placement-volatile"),
        ("knowledge/auth/2026-05-12-refresh.md", "placement-volatile"),
        ("knowledge/auth/api-v2.1.md", "placement-volatile"),
        ("memories/shop/p1.md", "placement-volatile"),
        ("memories/@ann/tip.md", "placement-volatile"),
        ("knowledge/12.03.md", "placement-opaque"),
        ("memories/shop/3f2a9c1b77.md", "placement-opaque"),
        ("knowledge/0042.md", "placement-opaque"),
    ],
)
def test_a_segment_that_says_too_little_or_too_much(tmp_path: Path, rel: str, code: str) -> None:
    assert codes(tmp_path, rel, among=SEGMENTS) == {rel: [code]}


@pytest.mark.parametrize(
    ("rel", "instead"),
    [
        ("knowledge/auth/Token_Refresh.md", "token-refresh"),
        ("knowledge/UPPER.MD", "upper.md"),
        ("knowledge/auth/My Notes.Md", "my-notes.md"),
        ("knowledge/auth/Node.JS.md", "node-js"),
    ],
)
def test_the_spelling_that_would_do(tmp_path: Path, rel: str, instead: str) -> None:
    text = "---\ndescription: How the queue is drained before a deployment\n---\n"
    (finding,) = lint_stash(tmp_path, {rel: text}, "placement-segment-case")[rel]
    assert f'"{instead}" would be' in finding.message
    assert finding.data["suggestion"] == instead


@pytest.mark.parametrize(
    "rel",
    [
        "memories/MyShop/tip.md",
        "memories/shop/tip.derived.md",
        "scripts/tooling/Run_It_v2.sh",
        "skills/Wrong_Name/SKILL.md",
        "sessions/claude/2026-05-12.md",
        "knowledge/技能.md",
        "knowledge/README.md",
    ],
)
def test_segments_with_a_spelling_of_their_own(tmp_path: Path, rel: str) -> None:
    assert codes(tmp_path, rel, among=SEGMENTS) == {}


def test_words_that_only_sometimes_are_a_status() -> None:
    for segment in ("whats-new", "stable-diffusion", "high-availability", "todo-app", "revolver"):
        assert volatile_part(segment) is None
    for segment in ("rfc-9110", "iso-27001", "http2", "s3", "utf8", "deadbeef", "k8s"):
        assert not is_opaque(segment)
    assert is_slug("a1-b2") and not is_slug("-a")
    assert slug_of("My Agent (v2)") == "my-agent-v2"


def test_conventions_are_for_stashes_only(tmp_path: Path) -> None:
    text = "---\ndescription: d\nproject: x\n---\n"
    files = {
        "skills/A_B/c/d/e/SKILL.md": text,
        "agents/x/y/Z_1.md": text,
        "docs/2026-01-01.md": text,
    }
    conventions = (*PLACEMENT, *SEGMENTS, "project-key-invisible", "description-quality")
    assert lint_stash(tmp_path, files, *conventions) == {}
    found = lint_stash(tmp_path, {"CLAUDE.md": "# R\n", "memories/m.md": text}, *conventions)
    assert found == {}, "a claude bundle"


@pytest.mark.parametrize(
    ("rel", "says"),
    [
        ("env/auth/prod.env", "sorts an env file by"),
        ("memories/auth/tip.md", "sorts a memory by"),
        ("agents/a/b/c.md", "hides an agent that"),
        ("knowledge/shop/tip.md", "use one of auth, databases"),
    ],
)
def test_messages_name_the_thing(tmp_path: Path, rel: str, says: str) -> None:
    files = {rel: "" if rel.endswith(".env") else TEXT, "facts/conventions/domains.md": DOMAINS}
    (found,) = lint_stash(tmp_path, files, *PLACEMENT)[rel]
    assert says in found.message
