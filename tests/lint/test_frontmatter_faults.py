"""Frontmatter that does not parse: what is said, where, and what the quick fix leaves."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repository import lint_repository

from akm_ls.bundles.bundle import Bundle, BundleSet
from akm_ls.documents.document import parse
from akm_ls.documents.frontmatter import read_frontmatter
from akm_ls.documents.text import decode
from akm_ls.lint.engine import lint
from akm_ls.lint.finding import Finding
from akm_ls.lint.fixes import apply_edits, safe_edits
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules import fields, frontmatter, skills

TEAM = Bundle("team", "/team", "/team", "akm")
SHELF = Bundle("shelf", "/team", "/team", "agent-skills")
RULES = (*frontmatter.RULES, *fields.RULES, *skills.RULES)


def findings(
    text: str,
    rel: str = "knowledge/x.md",
    rules: tuple[Rule, ...] = frontmatter.RULES,
    bundle: Bundle = TEAM,
) -> tuple[Finding, ...]:
    subject = Subject(parse(text), f"/team/{rel}", rel, bundle, BundleSet((bundle,)))
    for rule in rules:
        list(rule.check(subject))  # the engine would keep a failure to itself
    return lint(subject, rules)


def block(yaml: str, end: str = "\n") -> str:
    return f"---\n{yaml}\n---\n# Body\n".replace("\n", end)


def mended(text: str, found: tuple[Finding, ...]) -> str:
    return apply_edits(text, safe_edits(found))


FAULTS = [
    # what is written, what the message says, what the safe fix leaves of it
    ("argument-hint: [a] [b]", "`]` breaks it", 'argument-hint: "[a] [b]"'),
    ("argument-hint: [a] | --all", "is a list", 'argument-hint: "[a] | --all"'),
    ("argument-hint: [a] [b] # two", "is a list", 'argument-hint: "[a] [b]" # two'),
    ("title: [X] - text", "`]` breaks it", 'title: "[X] - text"'),
    ("title: [X]: text", "`]` breaks it", 'title: "[X]: text"'),
    ("k: {x} y", "is a map", 'k: "{x} y"'),
    ('k: "a" b', "closing quote", "k: '\"a\" b'"),
    ("k: 'it's nice'", "closing quote", "k: 'it''s nice'"),
    ('k: "say "hi" now"', "closing quote", 'k: "say \\"hi\\" now"'),
    ("title: Use when: x", "`title`", 'title: "Use when: x"'),
    ("when_to_use: a\n  b: c d: e", "indented", 'when_to_use: "a\n  b: c d: e"'),
    ("k: @at", "`@`", 'k: "@at"'),
    ("k: `t` u", "backtick", 'k: "`t` u"'),
    ("k: *", "alias", 'k: "*"'),
    ("globs: **/*.ts", "alias", 'globs: "**/*.ts"'),
    ("k: %x", "`%`", 'k: "%x"'),
    ("k: &x", "anchor", None),
    ("k: !note well", "a tag", 'k: "!note well"'),
    ("k : !note well", "a tag", 'k : "!note well"'),
    ("k:\n- a\n- !**/b/**", "a tag", 'k:\n- a\n- "!**/b/**"'),
    ("k: [a, !b c]", "a tag", 'k: [a, "!b c"]'),
    ('k: "one\ntwo"', "deeper than its key", 'k: "one\n  two"'),
    ("k: 'one\n\n two\n'", "deeper than its key", "k: 'one\n\n two\n  '"),
    ('m:\n  k: "one\n  two"', "deeper than its key", 'm:\n  k: "one\n    two"'),
    ('k:\n- "one\ntwo"', "deeper than its key", 'k:\n- "one\n  two"'),
    ("tags: [a,\nb,\n]", "deeper than its key", "tags: [a,\n  b,\n]"),
    ("tags: [a, @b]", "`@b` in quotes", 'tags: [a, "@b"]'),
    ("tags: - a", "line of its own", "tags:\n  - a"),
    ("tags: - a\n  - b", "line of its own", "tags:\n  - a\n  - b"),
    ("title: - a", "line of its own", 'title: "- a"'),
    ("a: 1\nkey:value", "blank after the colon", "a: 1\nkey: value"),
    ("a: 1\nkey:\u00a0value", "another kind of space", "a: 1\nkey: value"),
    ("m:\n\ta: b\n\tc: d", "tab", "m:\n  a: b\n  c: d"),
    ("m:\n    a: b\n\tc: d", "tab", "m:\n    a: b\n    c: d"),
    ('k: "open\nl: m', "never closed", 'k: "open"\nl: m'),
    ("k: 'Tis so\nl: m", "never closed", 'k: "\'Tis so"\nl: m'),
    ("tags: [a, b\nl: m", "never closed", "tags: [a, b]\nl: m"),
    ("description: [a, b", "never closed", 'description: "[a, b"'),
    ("title: {a: b", "never closed", 'title: "{a: b"'),
    ("title: [a, {b\nl: m", "never closed", 'title: "[a, {b"\nl: m'),
    ("title: [a,\n  b # c\nl: m", "never closed", 'title: "[a,\n  b # c"\nl: m'),
    ("license: [MIT", "never closed", 'license: "[MIT"'),
    (r'k: "C:\dir"', "no escape", r'k: "C:\\dir"'),
    (r'k: "C:\new\dir"', "no escape", None),
    ("title: “Use: x”", "curly quotes", 'title: "Use: x"'),
    ("k: a\nand more\nl: m", "indent it", None),
    ("a: x\n description: y", "align", None),
    ("k: | text", "next line", None),
    ("name: x\ndescr", "needs a colon", None),
    ("k: a\x01b", "control character", None),
]


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize(("yaml", "says", "left"), FAULTS, ids=[f[0][:24] for f in FAULTS])
def test_a_fault_its_words_and_its_cure(yaml: str, says: str, left: str | None, end: str) -> None:
    text = block(yaml, end)
    found = findings(text)
    assert [finding.code for finding in found] == ["invalid-frontmatter"]
    assert says in found[0].message
    assert mended(text, found) == block(yaml if left is None else left, end)
    if left is not None:
        reread = read_frontmatter(mended(text, found))
        assert reread is not None and reread.problem is None
        assert not findings(mended(text, found))


@pytest.mark.parametrize(
    ("yaml", "left"),
    [
        ("k: a\nand more\nstill\nl: m", "k: a\n  and more\n  still\nl: m"),
        ("a: x\n description: y", "a: x\ndescription: y"),
        ("k: | text\n  more", "k: |\n  text\n  more"),
        (r'k: "C:\new\dir"', r'k: "C:\new\\dir"'),
        ("description: Closes #12 well", 'description: "Closes #12 well"'),
        ("argument-hint: <n> #[tag] \nl: m", 'argument-hint: "<n> #[tag]" \nl: m'),
    ],
)
def test_a_cure_that_is_a_guess_is_offered_but_not_applied_unasked(yaml: str, left: str) -> None:
    text = block(yaml)
    (found,) = findings(text)
    assert not found.fixable
    assert apply_edits(text, found.fixes[0].edits) == block(left)


@pytest.mark.parametrize(
    "yaml",
    [
        "argument-hint: '[a] [b]'",
        "tags: [a, b]",
        "k: a@b and `code`",
        "k: https://example.com:80/",
        "k: >-\n  a: b\n  [x] y",
        "a: &x {b: c}\nd: *x",
        "k: !!str 5",
        "k:\tv",
        "k: it's",
        "description: Closes issues # when they are old",
        "description: Closes C# issues",
        "description: 'Closes issue #12'",
        "license: MIT #see-below",
        "k:\n- a\n- !!str 5",
        'k: "one\n two\n\n  three"',
        'm:\n  k: "one\n   two"',
        "tags: [\n  a,\n  b\n]",
        "m: {\n  a: b\n}",
        "k: |\n one\nl: m",
        "",
        "# only a comment",
    ],
)
def test_sound_yaml_is_left_alone(yaml: str) -> None:
    assert not findings(block(yaml))


def test_all_faults_of_a_block_are_told_and_mended_at_once() -> None:
    text = block("description: Use when: x\nargument-hint: [a] [b]\nowner: @ann\ntags: [a, b")
    found = findings(text)
    assert [finding.code for finding in found] == [
        "unquoted-colon",
        "invalid-frontmatter",
        "invalid-frontmatter",
        "invalid-frontmatter",
    ]
    assert mended(text, found) == block(
        'description: "Use when: x"\nargument-hint: "[a] [b]"\nowner: "@ann"\ntags: [a, b]'
    )


def test_where_one_fault_has_no_cure_none_is_applied_unasked() -> None:
    text = block("argument-hint: [a] [b]\ndescr")
    assert mended(text, findings(text)) == text


def test_a_curly_description_with_a_colon_gets_straight_quotes() -> None:
    text = block("description: “Use when: x”")
    found = findings(text)
    assert [finding.code for finding in found] == ["unquoted-colon"]
    assert mended(text, found) == block('description: "Use when: x"')


def test_a_repeated_key_with_the_same_value_goes() -> None:
    text = block("name: x\ntags: [a]\nname: x # again\nl: m")
    (found,) = findings(text)
    assert "second time" in found.message and found.related[0].span is not None
    assert mended(text, (found,)) == block("name: x\ntags: [a]\nl: m")


def test_a_repeated_key_with_another_value_is_for_the_author() -> None:
    text = block("name: x\nm:\n  a: 1\n  a: 2")
    (found,) = findings(text)
    assert "`a`" in found.message and "last value" in found.message
    assert found.fixes == ()


@pytest.mark.parametrize(
    ("yaml", "alias"),
    [
        ("a: &a [*a]", "*a"),
        ("xrefs: &x\n  - *x", "*x"),
        ("m: &m {k: *m}", "*m"),
        ("m: &m\n  k: &k\n    - [b, *m]", "*m"),
        ("a: &a b\nc: &a [*a]", "*a"),
    ],
)
def test_a_value_that_contains_itself(yaml: str, alias: str) -> None:
    text = block(yaml)
    (found,) = findings(text)
    assert found.code == "invalid-frontmatter" and found.span.of(text) == alias
    assert "contains itself" in found.message and "nothing here" not in found.message
    assert found.fixes == ()


def test_one_name_in_two_maps_is_no_repetition() -> None:
    assert not findings(block("a:\n  name: x\nb:\n  name: x\nname: x"))


SKILL = "name: x\ndescription: Does it. Use for it."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"\n\n---\n{SKILL}\n---\n# X\n", f"---\n{SKILL}\n---\n# X\n"),
        (
            f"<!-- licence -->\n---\n{SKILL}\n---\n# X\n",
            f"---\n{SKILL}\n---\n<!-- licence -->\n# X\n",
        ),
        (f"----\n{SKILL}\n----\n# X\n", f"---\n{SKILL}\n---\n# X\n"),
        (f"---  \n{SKILL}\n---\n# X\n", f"---\n{SKILL}\n---\n# X\n"),
        (f"---\n{SKILL}\n\n# X\n", f"---\n{SKILL}\n---\n\n# X\n"),
        (f"---\n{SKILL}", f"---\n{SKILL}\n---\n"),
    ],
)
def test_a_block_that_tools_do_not_see_is_put_right(text: str, left: str) -> None:
    found = findings(text, "skills/x/SKILL.md")
    assert [finding.code for finding in found] == ["invalid-frontmatter"]
    assert mended(text, found) == left
    assert not findings(left, "skills/x/SKILL.md")


def test_a_block_below_text_is_moved_when_asked() -> None:
    text = f"# X\n\n---\n{SKILL}\n---\nBody\n"
    (found,) = findings(text, "skills/x/SKILL.md")
    assert "after text" in found.message and not found.fixable
    assert apply_edits(text, found.fixes[0].edits) == f"---\n{SKILL}\n---\n# X\n\nBody\n"


@pytest.mark.parametrize(
    "text",
    [
        f"# X\n\n```\n---\n{SKILL}\n---\n```\n",  # an example in a code block
        "# X\n\n---\nNote: a rule, then prose.\n---\n",
        "Title\n---\nname: no\n---\n",  # an underlined heading
        "\n---\nrisk: low\nowner: ann\n---\n",  # no tool's keys
        "***\n\nname: the rule of three\n\n***\n",
    ],
)
def test_rules_and_examples_are_no_frontmatter(text: str) -> None:
    assert not findings(text, "skills/x/SKILL.md")


def test_a_block_below_text_in_a_knowledge_page_is_its_own_business() -> None:
    assert not findings(f"# X\n\n---\n{SKILL}\n---\nBody\n")


def test_a_template_in_a_skill_breaks_nothing() -> None:
    found = findings(block("title: [X] - y"), "x/assets/template.md", bundle=SHELF)
    assert [finding.severity for finding in found] == ["information"]


def test_a_template_in_a_plugins_skill_breaks_nothing(tmp_path: Path) -> None:
    files = {
        ".claude/skills/x/SKILL.md": block(SKILL) + "# X\n",
        ".claude/skills/x/assets/page.md": block("title: [X] - y"),
    }
    (found,) = lint_repository(tmp_path, files)[".claude/skills/x/assets/page.md"]
    assert (found.code, found.severity) == ("invalid-frontmatter", "information")


def test_cursors_globs_need_no_quotes() -> None:
    assert not findings(block("globs: **/*.ts\nalwaysApply: false"), ".cursor/rules/x.mdc")


BINARY = decode(bytes(range(256))).text


@pytest.mark.parametrize(
    ("text", "rel", "kinds"),
    [
        (BINARY, "skills/x/SKILL.md", ["not-text"]),
        (BINARY, "agents/x.md", ["not-text"]),
        (BINARY, "knowledge/x.md", ["not-text"]),
        (f"---\n{SKILL}\n---\n{BINARY}", "skills/x/SKILL.md", ["not-text"]),
        (block("name: x\ndescription: a\0b"), "skills/x/SKILL.md", ["control-character"]),
        ("N\0o\0t\0e\0", "knowledge/x.md", ["not-text"]),
        (decode(block("name: x\ndescription: Prüft.").encode("latin-1")).text,
         "skills/x/SKILL.md", ["not-utf-8"]),
        (block(SKILL) + "U+FFFD looks like \ufffd.\n", "skills/x/SKILL.md", []),
    ],
)  # fmt: skip
def test_a_file_that_is_no_text_is_said_to_be_none(text: str, rel: str, kinds: list[str]) -> None:
    found = findings(text, rel, RULES)
    assert [finding.data.get("kind") for finding in found] == kinds
    assert not any(finding.fixable for finding in found)


PIECES = st.sampled_from(
    ["a", "name", "description", "tags", "argument-hint", "metadata", "x", " ", "  ", ": ", ":",
     "- ", "[", "]", "{", "}", '"', "'", "“", "”", "\n", "\n", "\n  ", "\r\n", "\t", "#", " # ",
     "|", ">", "*", "&", "!", "@", "`", "%", "\\", "\\n", ",", "?", "é", "😀", "\0", "\u2028",
     "---", "...", "<<", "true", "1", "~", "description: a: b", "argument-hint: [a] [b]"]
)  # fmt: skip


@settings(deadline=None, max_examples=200)
@given(st.lists(PIECES, max_size=24).map("".join), st.booleans(), st.sampled_from(["", "\n", "# "]))
def test_whatever_stands_there(yaml: str, closed: bool, before: str) -> None:
    text = f"{before}---\n{yaml}\n" + ("---\nbody\n" if closed else "")
    rel = "skills/x/SKILL.md"
    found = findings(text, rel, RULES)
    for finding in found:
        assert 0 <= finding.span.start <= finding.span.end <= len(text)
        assert finding.message
        for fix in finding.fixes:
            for edit in fix.edits:
                assert 0 <= edit.span.start <= edit.span.end <= len(text)
    edits = safe_edits(found)
    after = apply_edits(text, edits)
    block_after = read_frontmatter(after)
    broken = [f for f in found if f.code in ("invalid-frontmatter", "unquoted-colon") and f.fixable]
    if any(
        f.severity == "error" and f.data.get("kind") not in ("duplicate-key", "misplaced")
        for f in broken
    ):
        assert block_after is not None and block_after.problem is None, after
    # Sound YAML makes room for the fixes of other rules, and then there is nothing left to do.
    for _ in range(5):
        after = apply_edits(after, safe_edits(findings(after, rel, RULES)))
    assert apply_edits(after, safe_edits(findings(after, rel, RULES))) == after
