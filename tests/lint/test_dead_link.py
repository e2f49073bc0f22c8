"""Links and named resources that lead nowhere, and the many paths that are no claim."""

from __future__ import annotations

from pathlib import Path

import pytest
from stash import fixed, lint_stash, marked

from akm_ls.lint.finding import Finding
from akm_ls.lint.fixes import apply_edits
from akm_ls.lint.rules.links import RULES

HEAD = "---\nname: ios\ndescription: Builds small iOS apps. Use for Swift work.\n---\n# iOS\n"
SKILL = "skills/ios/SKILL.md"


def check(root: Path, text: str, **around: str) -> tuple[str, tuple[Finding, ...]]:
    """A skill's body, and what `dead-link` says of it; ``around`` has files by path."""
    files = {path.replace("__", "/"): content for path, content in around.items()}
    return check_file(root, SKILL, HEAD + text, files)


def check_file(
    root: Path, rel: str, text: str, around: dict[str, str]
) -> tuple[str, tuple[Finding, ...]]:
    return text, lint_stash(root, {**around, rel: text}, "dead-link").get(rel, ())


@pytest.mark.parametrize(
    ("body", "target"),
    [
        ("See [the list](references/list.md).\n", "references/list.md"),
        ("See [the list](<references/a list.md> 'Title').\n", "references/a list.md"),
        ("See [the list](references/a%20list.md#top).\n", "references/a%20list.md"),
        ("See [the list](./list.md?plain=1).\n", "./list.md"),
        ("![chart](images/chart.png)\n", "images/chart.png"),
        ("See [the list][l].\n\n[l]: references/list.md 'Title'\n", "references/list.md"),
        ("Load [the generator](../draw/SKILL.md) too.\n", "../draw/SKILL.md"),
        ("| a | [b](references/list.md) |\n", "references/list.md"),
        ("> [b](references/list.md)\n", "references/list.md"),
        ("- [b](references/list.md)\n", "references/list.md"),
        ("## See [b](references/list.md)\n", "references/list.md"),
        ("For details open `references/list.md`.\n", "references/list.md"),
        ("For details open `references/list.md#top`.\n", "references/list.md"),
        (
            "Read `${CLAUDE_SKILL_DIR}/scripts/run.py` first.\n",
            "${CLAUDE_SKILL_DIR}/scripts/run.py",
        ),
        ("Run `python {baseDir}/scripts/run.py --all`.\n", "{baseDir}/scripts/run.py"),
        ("**Guide**: `{baseDir}/docs/guide.md`\n", "{baseDir}/docs/guide.md"),
        ("Load `../draw/notes.md` too.\n", "../draw/notes.md"),
    ],
)
def test_what_is_certainly_dead_is_a_warning(tmp_path: Path, body: str, target: str) -> None:
    text, found = check(tmp_path, body)
    assert [(marked(text, f), f.severity) for f in found] == [(target, "warning")]


@pytest.mark.parametrize(
    "body",
    [
        "Skills share `{baseDir}/data/cache.json` to save calls.\n",
        "The project's memory is at `{baseDir}/.memories/project.json`.\n",
        "The tests are written to `{baseDir}/tests/users.test.js`.\n",
        "Generated files by resource:\n- `{baseDir}/tests/users.test.js` - users\n",
    ],
)
def test_a_skill_may_make_a_file_below_its_directory_itself(tmp_path: Path, body: str) -> None:
    _, found = check(tmp_path, body)
    assert [f.severity for f in found] == ["information"]


@pytest.mark.parametrize(
    "body",
    [
        "[a](https://example.com/a.md) <https://example.com/b.md> [m](mailto:a@b.example)\n",
        "[site](/docs/a.md) [home](~/a.md) [drive](C:/a.md) [net](//example.com/a.md)\n",
        "[ref](team//knowledge/gone) [here](#top) [word](link) [thing](internal-wiki/pools)\n",
        "[license](LICENSE) [read](README.md) [image](thumbnail.png)\n",
        "[a]({lang}/a.md) [b](path/to/b.md) [c](your-file.md) [d](report-YYYY-MM-DD.md)\n",
        "[e](references/*.md) [f](filename.md) [g](foo/bar.md) [h](file-1.md) [i](<skill>.md)\n",
        "[dom](example.com/a.md) `example.com/references/a.md`\n",
        "`state.json` `package.json` `src/main.py` `docs/a.md` `.claude/settings.json`\n",
        "`build/` `references/` `refs/heads/` `@clerk/nextjs` `gr.HTML`\n",
        "Save it to `references/report.md`. Write `references/b.md` as you go.\n",
        "Read `references/list.md` if it exists.\n",
        "Use `references/list.md` in your project.\n",
        "[`references/x.md`](https://example.com/x.md)\n",
        "```bash\ncat references/gone.md\npython scripts/gone.py\n```\n[x](#y)\n",
        "```\nx > references/made.md\n```\n\nThen read `references/made.md`.\n",
        "<!-- [a](references/gone.md) -->\n",
        "`$HOME/scripts/x.sh` `{skill}/scripts/y.py` `${OTHER_ROOT}/references/z.md`\n",
        "Attach @references/gone.md here.\n",
        "`..\\..\\windows\\win.ini`\n",
    ],
)
def test_what_is_no_claim_is_let_be(tmp_path: Path, body: str) -> None:
    _, found = check(tmp_path, body)
    assert not [f for f in found if f.severity in ("error", "warning")], found


@pytest.mark.parametrize(
    "body",
    [
        "[a](references/a.md) `references/a.md` [b](./references/) [c](../ios/SKILL.md)\n",
        "[a](references/a.md:12) [b](references/a.md?x#y) [c](references%2Fa.md)\n",
        "`scripts/run.py` `python scripts/run.py --all` `${CLAUDE_SKILL_DIR}/scripts/run.py`\n",
        "`../draw/references/a.md` `draw/SKILL.md` [d](../draw/) \n",
        "See the `draw` skill's `references/other.md`.\n",
    ],
)
def test_what_is_there_is_fine(tmp_path: Path, body: str) -> None:
    _, found = check(
        tmp_path,
        body,
        **{
            "skills__ios__references__a.md": "# A\n",
            "skills__ios__scripts__run.py": "print()\n",
            "skills__draw__SKILL.md": "---\nname: draw\ndescription: Draws.\n---\n",
            "skills__draw__references__a.md": "# A\n",
            "skills__draw__references__other.md": "# O\n",
        },
    )
    assert found == ()


@pytest.mark.parametrize(
    "body",
    [
        "- **Example**: `scripts/rotate_pdf.py` for PDF rotation tasks\n",
        "- **Examples**: `references/finance.md` for schemas, `assets/logo.png`\n",
        "* ✓ **Good**: `scripts/helper.py`, `references/guide.md`\n",
        "  * Bad: `references/doc2.md`\n",
        "2. A `scripts/rotate_pdf.py` script would be helpful to store in the skill\n",
    ],
)
def test_a_labelled_example_is_no_mention_at_all(tmp_path: Path, body: str) -> None:
    _, found = check(tmp_path, body)
    assert found == ()
    _, found = check(tmp_path / "told", "Good advice: it is in `references/finance.md`.\n")
    assert [f.severity for f in found] == ["warning"]


def test_a_command_may_read_what_its_project_has(tmp_path: Path) -> None:
    text = "---\nname: c\ntype: command\ndescription: d\n---\n- Plan: @docs/plan.md{}\n"
    files = {
        "commands/sure.md": text.format(""),
        "commands/maybe.md": text.format(" (if it exists)"),
    }
    assert set(lint_stash(tmp_path, files, "dead-link")) == {"commands/sure.md"}


def test_a_symlink_is_what_it_leads_to(tmp_path: Path) -> None:
    target = tmp_path / "team" / "skills" / "ios" / "references"
    target.mkdir(parents=True)
    (tmp_path / "elsewhere.md").write_text("# E\n")
    (target / "a.md").symlink_to(tmp_path / "elsewhere.md")
    (target / "gone.md").symlink_to(tmp_path / "nowhere.md")
    text, found = check(tmp_path, "[a](references/a.md) [b](references/gone.md)\n")
    assert [marked(text, f) for f in found] == ["references/gone.md"]


def test_a_target_out_of_the_bundle_is_not_looked_for(tmp_path: Path) -> None:
    _, found = check(tmp_path, "[a](../../../outside.md) [b](../../../../../../etc/passwd.md)\n")
    assert found == ()


def test_right_from_the_root_only_is_information_with_the_right_path(tmp_path: Path) -> None:
    text, found = check(
        tmp_path,
        "Check `references/done.md` and [the list](references/done.md#one).\n",
        **{"references__done.md": "# One\n"},
    )
    assert [(marked(text, f), f.severity) for f in found] == [
        ("references/done.md", "information"),
        ("references/done.md", "information"),
    ]
    assert "[the list](../../references/done.md#one)" in fixed(text, found)
    assert "`references/done.md`" in fixed(text, found), "in code it is for the author to decide"
    assert all(f.fixes[0].edits[0].new_text == "../../references/done.md" for f in found)


def test_another_case_is_mended_unasked(tmp_path: Path) -> None:
    text, found = check(
        tmp_path,
        "[p](References/Patterns.Md) and [again](References/Patterns.Md#x)\n",
        **{"skills__ios__references__patterns.md": "# P\n"},
    )
    assert [f.severity for f in found] == ["warning", "warning"]
    mended = fixed(text, found)
    assert "[p](references/patterns.md) and [again](references/patterns.md#x)" in mended


def test_a_resource_directory_in_another_case_is_one_in_inline_code_too(tmp_path: Path) -> None:
    around = {"skills__ios__references__patterns.md": "# P\n"}
    text, found = check(tmp_path, "Open `References/Patterns.md`.\n", **around)
    assert [f.severity for f in found] == ["warning"]
    assert "Open `references/patterns.md`." in fixed(text, found)


@pytest.mark.parametrize(
    ("body", "there", "suggestion"),
    [
        ("[a](references/guide.txt)\n", "skills/ios/references/guide.md", "references/guide.md"),
        ("[a](a-guide.md)\n", "skills/ios/references/a-guide.md", "references/a-guide.md"),
        (
            "[a](references/patern-guide.md)\n",
            "skills/ios/references/pattern-guide.md",
            "references/pattern-guide.md",
        ),
        (
            "Open `templates/flow.json`.\n",
            "skills/ios/templates/flow.drawio",
            "templates/flow.drawio",
        ),
        ("Open `references/deep-dive.md`.\n", "skills/ios/docs/deep-dive.md", "docs/deep-dive.md"),
    ],
)
def test_what_may_have_been_meant_is_offered(
    tmp_path: Path, body: str, there: str, suggestion: str
) -> None:
    text, (found,) = check(tmp_path, body, **{there: "x\n"})
    assert f"Did you mean {suggestion}?" in found.message
    (fix,) = found.fixes
    assert not fix.safe
    mended = apply_edits(text, fix.edits)
    assert suggestion in mended
    assert check(tmp_path, mended.removeprefix(HEAD), **{there: "x\n"})[1] == ()


def test_a_path_with_blanks_is_encoded_in_a_link(tmp_path: Path) -> None:
    text, (found,) = check(
        tmp_path, "[a](references/My%20list.md)\n", **{"skills__ios__references__my list.md": "x"}
    )
    assert "[a](references/my%20list.md)" in apply_edits(text, found.fixes[0].edits)


@pytest.mark.parametrize(
    ("rel", "text"),
    [
        ("README.md", "[a](docs/gone.md)\n"),
        ("knowledge/templates/t.md", "[a](docs/gone.md)\n"),
        ("knowledge/a.md", "[a](docs/gone.md) (planned)\n"),
        ("knowledge/a.md", "[template](.github/pull_request_template.md)\n"),
        (SKILL, HEAD + "Use `scripts/gone.py` for it.\n"),
        (SKILL, HEAD + "- `../akm/src/cli.ts`\n- `../akm/docs/cli.md`\n"),
        (SKILL, HEAD + "Such as:\n\n- `references/one.md`\n"),
        ("skills/skill-maker/SKILL.md", HEAD + "Open `references/gone.md`.\n"),
        (".claude/commands/go.md", "Read @docs/gone.md first.\n"),
    ],
)
def test_what_is_probably_dead_is_no_warning(tmp_path: Path, rel: str, text: str) -> None:
    _, found = check_file(tmp_path, rel, text, {})
    assert {f.severity for f in found} <= {"information"}


def test_the_page_of_the_rule_says_what_is_no_claim(tmp_path: Path) -> None:
    (rule,) = RULES
    bare, dotted = "![flow](flow.png)\n", "![flow](./flow.png)\n"
    assert "instead of `flow.png` write `./flow.png`" in rule.remedy
    assert check_file(tmp_path / "a", SKILL, HEAD + bare, {})[1] == ()
    assert [f.severity for f in check_file(tmp_path / "b", SKILL, HEAD + dotted, {})[1]] == [
        "warning"
    ]
    included = "Read @docs/setup.md first.\n"
    assert "`@docs/setup.md`" in rule.remedy
    for at, (rel, severities) in enumerate(
        {"CLAUDE.md": ["warning"], "commands/c.md": ["information"], SKILL: []}.items()
    ):
        around = {
            "skills/x/SKILL.md": "---\nname: x\ndescription: X.\n---\n",
            "commands/y.md": "---\ndescription: Y\n---\nY $ARGUMENTS\n",
        }
        text = (HEAD if rel == SKILL else "") + included
        _, found = check_file(tmp_path / str(at), rel, text, around)
        assert [f.severity for f in found] == severities


def test_a_memory_file_includes_others(tmp_path: Path) -> None:
    rel, text = "CLAUDE.md", "See @docs/setup.md and @docs/gone.md, not me@docs.example.md.\n"
    around = {
        "docs/setup.md": "# S\n",
        "skills/x/SKILL.md": "---\nname: x\ndescription: X.\n---\n",
        "commands/y.md": "---\ndescription: Y\n---\nY $ARGUMENTS\n",
    }
    text, found = check_file(tmp_path, rel, text, around)
    assert [(marked(text, f), f.severity) for f in found] == [("docs/gone.md", "warning")]


def test_text_behind_a_fault_in_the_fences_is_not_judged(tmp_path: Path) -> None:
    body = (
        "```markdown\n# T\n```sh\nx\n```\n[sample](references/gone.md)\n```\n\n"
        "```sh\ny\n```\n\n[b](b/gone.md)\n"
    )
    text, found = check(tmp_path, body)
    assert [marked(text, f) for f in found] == ["b/gone.md"]


def test_a_new_file_settles_it(tmp_path: Path) -> None:
    assert check(tmp_path, "[a](references/new.md)\n")[1]
    _, found = check(
        tmp_path, "[a](references/new.md)\n", **{"skills__ios__references__new.md": "x"}
    )
    assert found == ()


@pytest.mark.parametrize(
    "block",
    [
        "```bash\npython scripts/gone.py --all\n```\n",
        "```\n$ uv run python3 scripts/gone.py\n```\n",
        "1. Run it:\n\n   ```sh\n   python scripts/gone.py\n   ```\n",
        "```bash\npython scripts/run.py\npython scripts/gone.py\npython scripts/gone.py\n```\n",
    ],
)
def test_a_command_that_runs_a_missing_script_is_an_information(tmp_path: Path, block: str) -> None:
    text, found = check(tmp_path, block, **{f"skills/ios/{RUN}": ""})
    assert [(marked(text, f), f.severity) for f in found] == [("scripts/gone.py", "information")]


RUN = "scripts/run.py"


@pytest.mark.parametrize(
    "block",
    [
        "```bash\npython scripts/run.py\n```\n",
        "```bash\ncd my-project\npython scripts/train.py\n```\n",
        "```bash\ngit clone https://example.com/x && cd x\npython scripts/train.py\n```\n",
        "```yaml\nrun: python scripts/lint.py\n```\n",
        "```python\npython scripts/lint.py\n```\n",
        "```bash\npython ./scripts/lint.py\npython lint.py\npython src/lint.py\n```\n",
        "```bash\npython data/prepare.py\n```\n",
        "Set it in `Resources/Base.plist`.\n",
        "```bash\npython scripts/{name}.py\npython scripts/your-x.py\n```\n",
        "```bash\necho x > scripts/made.py\npython scripts/made.py\n```\n",
        "```bash\nls scripts/gone.py\n```\n",
    ],
)
def test_other_commands_are_no_claim(tmp_path: Path, block: str) -> None:
    _, found = check(tmp_path, block, **{f"skills/ios/{RUN}": ""})
    assert not found


def test_a_script_is_told_once_and_where_it_is_surest(tmp_path: Path) -> None:
    text, found = check(
        tmp_path, "```bash\npython references/gone.py\n```\n\nSee `references/gone.py`.\n"
    )
    assert [(marked(text, f), f.severity) for f in found] == [("references/gone.py", "warning")]


def test_commands_outside_skills_run_where_the_reader_is(tmp_path: Path) -> None:
    text = "```bash\npython scripts/gone.py\n```\n"
    assert not check_file(tmp_path, "knowledge/a.md", text, {})[1]
