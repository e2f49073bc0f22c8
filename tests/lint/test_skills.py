"""Skills: names, descriptions, fields, length and references, as an author sees them."""

from __future__ import annotations

from pathlib import Path

import pytest
from repository import lint_repository
from stash import Stash, fixed, lint_stash, marked, write_stash

from akm_ls.lint.finding import Finding
from akm_ls.lint.fixes import apply_edits
from akm_ls.lint.settings import LintSettings
from akm_ls.workspace import Workspace
from akm_ls.workspace.settings import Settings

GOOD = "Does one thing. Use it for that."


def skill(name: str, description: str = GOOD, more: str = "", body: str = "# X\n") -> str:
    return f"---\nname: {name}\ndescription: {description}\n{more}---\n{body}"


def found(tmp_path: Path, files: Stash, *codes: str, rel: str = "") -> tuple[Finding, ...]:
    rel = rel or next(iter(files))
    return lint_stash(tmp_path, files, *codes).get(rel, ())


def test_a_name_in_title_case_becomes_the_directorys(tmp_path: Path) -> None:
    rel = "skills/calendar-automation/SKILL.md"
    text = skill("Calendar Automation")
    (finding,) = found(tmp_path, {rel: text}, "skill-name-invalid")
    assert marked(text, finding) == "Calendar Automation"
    assert finding.severity == "warning"
    assert "capital letters" in finding.message and "blanks" in finding.message
    assert not finding.fixable, "a name that people see is not changed unasked"
    assert apply_edits(text, finding.fixes[0].edits) == skill("calendar-automation")


def test_quotes_and_comments_around_a_name_stay(tmp_path: Path) -> None:
    rel = "skills/deep-dive/SKILL.md"
    text = skill("'Deep Dive' # the name")
    (finding,) = found(tmp_path, {rel: text}, "skill-name-invalid")
    assert apply_edits(text, finding.fixes[0].edits) == skill("'deep-dive' # the name")


def test_another_name_than_the_directorys_is_for_the_author(tmp_path: Path) -> None:
    rel = "skills/banner-design/SKILL.md"
    text = skill("acmebanner-design")
    (finding,) = found(tmp_path, {rel: text}, "skill-name-invalid")
    assert "`banner-design`" in finding.message and not finding.fixable
    assert apply_edits(text, finding.fixes[0].edits) == skill("banner-design")


@pytest.mark.parametrize("beside", [".git/HEAD", ".claude-plugin/plugin.json", None])
def test_a_skill_on_its_own_is_named_as_its_directory_too(
    tmp_path: Path, beside: str | None
) -> None:
    files: dict[str, str] = {"my-skill/SKILL.md": skill("other")}
    if beside is not None:
        files[f"my-skill/{beside}"] = "{}"
    folder = write_stash(tmp_path / "here", files) / "my-skill"
    options = Settings(folders=(str(folder),), data_dir=str(tmp_path / "data"), config="")
    with Workspace.open(options) as workspace:
        workspace.refresh()
        told = [f for file in workspace.check() for f in file.findings]
    named = [f.data["directory"] for f in told if f.code == "skill-name-invalid"]
    assert named == (["my-skill"] if beside is None else []), "a checkout is called anything"


def test_a_bad_directory_is_not_copied(tmp_path: Path) -> None:
    rel = "skills/My_Skill/SKILL.md"
    text = skill("My_Skill")
    (finding,) = found(tmp_path, {rel: text}, "skill-name-invalid")
    assert [fix.title for fix in finding.fixes] == ["Rename to `my-skill`"]


@pytest.mark.parametrize(
    ("directory", "name", "remedy"),
    [
        ("banner-design", "acmebanner", "Write `banner-design`, or rename the directory."),
        ("deep-dive", "Deep Dive", "Write `deep-dive`."),
        ("Deep_Dive", "deep-dive", "Rename the directory."),
        ("Deep_Dive", "Deep Dive", "Write `deep-dive`, and name the directory so."),
        ("A--", "'---'", "Use up to 64"),
    ],
)
def test_the_message_says_what_to_write(
    tmp_path: Path, directory: str, name: str, remedy: str
) -> None:
    rel = f"skills/{directory}/SKILL.md"
    (finding,) = found(tmp_path, {rel: skill(name)}, "skill-name-invalid")
    assert remedy in finding.message


def test_a_skill_within_a_skill_may_bear_both_names(tmp_path: Path) -> None:
    """What finds it takes its name as it is; only the specification is strict."""
    inner = "skills/database/scaling/vertical/SKILL.md"
    files = {inner: skill("database-vertical"), "skills/database/SKILL.md": skill("database")}
    (finding,) = found(tmp_path / "a", files, "skill-name-invalid", rel=inner)
    assert finding.severity == "hint" and "leave" not in finding.message

    portable = LintSettings(portable=True)
    (finding,) = lint_stash(tmp_path / "b", files, "skill-name-invalid", lint=portable)[inner]
    assert finding.severity == "error"

    files[inner] = skill("Database Vertical")
    (finding,) = found(tmp_path / "c", files, "skill-name-invalid", rel=inner)
    assert finding.severity == "warning"

    del files["skills/database/SKILL.md"]
    files[inner] = skill("database-vertical")
    (finding,) = found(tmp_path / "d", files, "skill-name-invalid", rel=inner)
    assert finding.severity == "warning", "a directory that only groups skills is none"


def test_a_missing_name_can_be_put_in(tmp_path: Path) -> None:
    rel = "skills/x/SKILL.md"
    text = f"---\r\ndescription: {GOOD}\r\n---\r\n# X\r\n"
    (finding,) = found(tmp_path, {rel: text}, "skill-name-invalid")
    assert "no name" in finding.message
    assert fixed(text, (finding,)) == f"---\r\nname: x\r\ndescription: {GOOD}\r\n---\r\n# X\r\n"


@pytest.mark.parametrize(
    ("directory", "block", "left"),
    [
        ("x", " license: MIT\n", " name: x\n license: MIT\n"),
        ("x", "# mine\nlicense: MIT\n", "# mine\nname: x\nlicense: MIT\n"),
        ("x", "", "name: x\n"),
        ("x", "name:\nlicense: MIT\n", "name: x\nlicense: MIT\n"),
        ("x", "name: # which?\n", "name: x # which?\n"),
        ("null", "license: MIT\n", 'name: "null"\nlicense: MIT\n'),
        ("42", "license: MIT\n", 'name: "42"\nlicense: MIT\n'),
    ],
)
def test_a_name_goes_where_yaml_reads_it_as_a_text(
    tmp_path: Path, directory: str, block: str, left: str
) -> None:
    text = f"---\n{block}---\n# X\n"
    rel = f"skills/{directory}/SKILL.md"
    (finding,) = found(tmp_path, {rel: text}, "skill-name-invalid", rel=rel)
    assert apply_edits(text, finding.fixes[0].edits) == f"---\n{left}---\n# X\n"


@pytest.mark.parametrize("name", ["x", "'x'", "{{ name }}"])
def test_names_that_are_fine(tmp_path: Path, name: str) -> None:
    assert not found(tmp_path, {"skills/x/SKILL.md": skill(name)}, "skill-name-invalid")


def test_other_files_of_a_skill_have_no_name_to_keep(tmp_path: Path) -> None:
    files = {"skills/x/references/a.md": skill("Any Name"), "skills/x/SKILL.md": skill("x")}
    assert not lint_stash(tmp_path, files, "skill-name-invalid")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("---\nname: x\n---\n", "no description"),
        ("---\nname: x\ndescription:\n---\n", "no description"),
        ("---\nname: x\ndescription: '  '\n---\n", "no description"),
        ("---\nname: x\ndescripton: Finds typos.\n---\n", "`descripton` is not read"),
        ("---\nname: x\ndescription: #1 choice\n---\n", "starts a comment"),
        ("# X\n", "no frontmatter"),
        ("", "no frontmatter"),
    ],
)
def test_a_description_that_is_not_there(tmp_path: Path, text: str, says: str) -> None:
    (finding,) = found(tmp_path, {"skills/x/SKILL.md": text}, "skill-description-missing")
    assert finding.severity == "error" and says in finding.message


def test_broken_yaml_is_told_once_and_not_as_a_missing_key(tmp_path: Path) -> None:
    text = "---\nname: x\n\tdescription: d\n---\n"
    codes = {finding.code for finding in found(tmp_path, {"skills/x/SKILL.md": text})}
    assert "invalid-frontmatter" in codes and "skill-description-missing" not in codes


@pytest.mark.parametrize(
    "block",
    [
        'name: "x\ndescription: d',
        "name: x: y\ndescription: d",
        "name: x\n description: d",
        "name: @x\ndescription: d",
        "description: > Finds typos.\nname: x",
        "description:\n  a: | b\nname: x",
    ],
)
def test_a_value_that_yaml_cannot_read_is_not_judged_besides(tmp_path: Path, block: str) -> None:
    text = f"---\n{block}\n---\n# X\n"
    warned = [f.code for f in found(tmp_path, {"skills/x/SKILL.md": text}) if f.severity != "hint"]
    assert warned == ["invalid-frontmatter"]


def test_claude_alone_reads_the_body_instead_of_a_description(tmp_path: Path) -> None:
    files = {"skills/x/SKILL.md": "---\nname: x\n---\nDoes it.\n"}
    lint = LintSettings(hosts=frozenset(("claude",)))
    findings = lint_stash(tmp_path, files, "skill-description-missing", lint=lint)
    assert [f.severity for f in findings["skills/x/SKILL.md"]] == ["hint"]


def test_a_description_may_have_1024_characters(tmp_path: Path) -> None:
    files = {
        "skills/x/SKILL.md": skill("x", "é" * 1024),
        "skills/y/SKILL.md": skill("y", "😀" * 1025),
        "agents/a.md": f"---\nname: a\ntype: agent\ndescription: {'x' * 3000}\n---\nDo.\n",
    }
    findings = lint_stash(tmp_path, files, "skill-description-too-long")
    assert list(findings) == ["skills/y/SKILL.md"]
    assert "1025 characters" in findings["skills/y/SKILL.md"][0].message


def test_claude_cuts_description_and_when_to_use_together(tmp_path: Path) -> None:
    text = skill("x", "d" * 1000, f"when_to_use: {'w' * 600}\n")
    (finding,) = found(tmp_path, {"skills/x/SKILL.md": text}, "skill-description-too-long")
    assert finding.severity == "hint" and "1600" in finding.message


FIELDS = [
    (f"compatibility: {'x' * 501}\n", "warning", "501 characters", None),
    ("compatibility: [linux]\n", "warning", "is a list", None),
    ("metadata: [a]\n", "warning", "map of names to texts", None),
    ("metadata:\n  v: 1.0 # first\n", "hint", "a number", 'metadata:\n  v: "1.0" # first\n'),
    ("metadata: {draft: true}\n", "hint", "true or false", 'metadata: {draft: "true"}\n'),
    ("allowed-tools: {Read: true}\n", "warning", "separated by blanks", None),
]  # fmt: skip


@pytest.mark.parametrize(("more", "severity", "says", "left"), FIELDS)
def test_a_field_that_is_not_as_specified(
    tmp_path: Path, more: str, severity: str, says: str, left: str | None
) -> None:
    text = skill("x", more=more)
    (finding,) = found(tmp_path, {"skills/x/SKILL.md": text}, "skill-field-invalid")
    assert finding.severity == severity and says in finding.message
    assert fixed(text, (finding,)) == (text if left is None else skill("x", more=left))


@pytest.mark.parametrize(
    ("more", "left"),
    [
        ("allowed-tools: Read, Bash(git add:*, x)\n", "allowed-tools: Read Bash(git add:*, x)\n"),
        ("allowed-tools: [Read, Grep]\n", "allowed-tools: Read Grep\n"),
        ("allowed-tools:\n  - Read\n  - Grep\nlicense: MIT\n",
         "allowed-tools: Read Grep\nlicense: MIT\n"),
    ],
)  # fmt: skip
def test_tools_are_separated_by_blanks_when_asked(tmp_path: Path, more: str, left: str) -> None:
    text = skill("x", more=more)
    (finding,) = found(tmp_path, {"skills/x/SKILL.md": text}, "skill-field-invalid")
    assert finding.severity == "hint" and not finding.fixable
    assert apply_edits(text, finding.fixes[0].edits) == skill("x", more=left)


@pytest.mark.parametrize(
    "more",
    [
        "allowed-tools: Read Bash(git:*, x)\n",
        "metadata:\n  author: Ann\n  version: '1.0'\n",
        "metadata:\n  internal: true\n",
        "metadata:\n  tool: {a: b}\n",  # nothing breaks
        "metadata:\n",
        f"compatibility: {'x' * 500}\n",
    ],
)
def test_fields_that_are_fine(tmp_path: Path, more: str) -> None:
    files = {"skills/x/SKILL.md": skill("x", more=more)}
    assert not lint_stash(tmp_path, files, "skill-field-invalid")


def test_claudes_own_directory_may_have_commas(tmp_path: Path) -> None:
    text = skill("x", more="allowed-tools: Read, Grep\n")
    for directory, expected in ((".claude", 0), (".agents", 1)):
        files = {f"{directory}/skills/x/SKILL.md": text}
        assert len(lint_repository(tmp_path / directory, files, "skill-field-invalid")) == expected


def test_a_body_of_more_than_500_lines(tmp_path: Path) -> None:
    files = {
        "skills/x/SKILL.md": skill("x", body="line\n" * 500),
        "skills/y/SKILL.md": skill("y", body="line\n" * 500 + "the first too many\n"),
    }
    findings = lint_stash(tmp_path, files, "skill-too-long")
    assert list(findings) == ["skills/y/SKILL.md"]
    (finding,) = findings["skills/y/SKILL.md"]
    assert finding.severity == "hint" and "501 lines" in finding.message
    assert marked(files["skills/y/SKILL.md"], finding) == "the first too many"


def test_a_reference_behind_a_reference(tmp_path: Path) -> None:
    files = {
        "skills/x/SKILL.md": skill(
            "x",
            body="See [a](references/a.md) and `references/c.md`, or [p](references/p/q/d.md).\n",
        ),
        "skills/x/references/a.md": "See [b](b.md), [c](c.md), [no](no.md), [up](../SKILL.md).\n",
        "skills/x/references/b.md": "See [d](d.md).\n",
        "skills/x/references/c.md": "# C\n",
        "skills/x/references/d.md": "# D\n",
        "skills/x/README.md": "See [b](references/b.md).\n",
    }
    findings = lint_stash(tmp_path, files, "skill-deep-reference")
    told = {
        rel: [marked(files[rel], finding) for finding in found] for rel, found in findings.items()
    }
    assert told == {
        "skills/x/SKILL.md": ["references/p/q/d.md"],
        "skills/x/references/a.md": ["b.md"],
    }
