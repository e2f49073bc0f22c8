"""Small skills, agents and commands made after reports of people who lost one."""

from __future__ import annotations

from pathlib import Path

from repository import lint_repository
from stash import fixed, lint_stash, marked

MINE = (
    "unquoted-colon",
    "invalid-frontmatter",
    "skill-name-invalid",
    "skill-description-missing",
    "skill-description-too-long",
    "skill-field-invalid",
    "unknown-key",
    "field-type",
    "field-value",
)


def test_a_colon_in_the_description(tmp_path: Path) -> None:
    rel = "skills/harden/SKILL.md"
    value = "Make pages ready for users: errors, empty states, overflow."
    text = f"---\nname: harden\ndescription: {value}\n---\n# Harden\n"
    findings = lint_stash(tmp_path, {rel: text}, *MINE)[rel]
    assert [(f.code, f.severity, marked(text, f)) for f in findings] == [
        ("unquoted-colon", "error", value)
    ]
    assert fixed(text, findings) == f'---\nname: harden\ndescription: "{value}"\n---\n# Harden\n'


def test_a_folded_description_needs_no_quotes(tmp_path: Path) -> None:
    text = (
        "---\nname: fold\ndescription: >-\n  Use when: the page is long.\n  Then: split it.\n"
        "---\n# Fold\n"
    )
    assert not lint_stash(tmp_path, {"skills/fold/SKILL.md": text}, *MINE)


def test_a_tab_an_open_block_and_an_open_quote(tmp_path: Path) -> None:
    files = {
        "skills/tab/SKILL.md": (
            "---\nname: tab\ndescription: Uses a tab.\nmetadata:\n\tauthor: me\n---\n# Tab\n"
        ),
        "skills/open/SKILL.md": (
            "---\nname: open\ndescription: Never closes its block.\n# Open\nText.\n"
        ),
        "skills/quote/SKILL.md": (
            '---\nname: quote\ndescription: "Never closes its quote.\nlicense: MIT\n---\n# Q\n'
        ),
    }
    found = lint_stash(tmp_path, files, *MINE)
    told = {
        rel: [(f.code, files[rel].count("\n", 0, f.span.start)) for f in findings]
        for rel, findings in found.items()
    }
    assert told == {
        "skills/tab/SKILL.md": [("invalid-frontmatter", 4)],
        "skills/open/SKILL.md": [("invalid-frontmatter", 0)],
        "skills/quote/SKILL.md": [("invalid-frontmatter", 2)],
    }


def test_misspelt_keys(tmp_path: Path) -> None:
    rel = "skills/typo/SKILL.md"
    text = (
        "---\nname: typo\ndescripton: Finds typos. Use for text.\nallowed_tools: Read\n---\n# T\n"
    )
    findings = lint_stash(tmp_path, {rel: text}, *MINE)[rel]
    assert [(f.code, marked(text, f), f.data.get("suggestions")) for f in findings] == [
        ("skill-description-missing", "---", None),
        ("unknown-key", "descripton", ["description"]),
        ("unknown-key", "allowed_tools", ["allowed-tools"]),
    ]
    assert fixed(text, findings) == (
        "---\nname: typo\ndescription: Finds typos. Use for text.\nallowed_tools: Read\n---\n# T\n"
    )


def test_an_argument_hint_in_brackets(tmp_path: Path) -> None:
    files = {
        ".claude/commands/deploy.md": (
            "---\ndescription: Deploys\nargument-hint: [env] [--dry-run]\n---\nDeploy $ARGUMENTS\n"
        ),
        ".claude/commands/open.md": (
            "---\ndescription: Opens\nargument-hint: [path]\n---\nOpen $ARGUMENTS\n"
        ),
        "CLAUDE.md": "# Rules\n",
    }
    found = lint_repository(tmp_path, files, *MINE)
    told = {rel: [(f.code, f.severity) for f in findings] for rel, findings in found.items()}
    assert told == {
        ".claude/commands/deploy.md": [("invalid-frontmatter", "error")],
        ".claude/commands/open.md": [("field-type", "hint")],
    }
    deploy = ".claude/commands/deploy.md"
    assert 'argument-hint: "[env] [--dry-run]"\n' in fixed(files[deploy], found[deploy])


def test_agents_may_have_long_descriptions(tmp_path: Path) -> None:
    text = (
        f"---\nname: talker\ndescription: {'Talks at length about one thing. ' * 40}\n"
        "tools: Read, Grep\n---\nTalk.\n"
    )
    files = {".claude/agents/talker.md": text, "CLAUDE.md": "# Rules\n"}
    assert not lint_repository(tmp_path, files, *MINE)
