"""Keys, types and values of frontmatter, by who reads the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from repository import lint_repository
from stash import lint_stash

from akm_ls.bundles.bundle import Bundle, BundleSet
from akm_ls.documents.document import parse
from akm_ls.lint.engine import lint
from akm_ls.lint.finding import Finding
from akm_ls.lint.fixes import apply_edits, safe_edits
from akm_ls.lint.rule import Subject
from akm_ls.lint.rules import fields
from akm_ls.lint.settings import LintSettings
from akm_ls.workspace.settings import read_settings

SKILL = "skills/x/SKILL.md"
AGENT = ".claude/agents/a.md"
COMMAND = ".claude/commands/c.md"
OPENCODE = ".opencode/agents/a.md"
GEMINI = ".gemini/agents/a.md"
COPILOT = ".github/agents/a.agent.md"


def findings(rel: str, yaml: str, settings: LintSettings | None = None) -> tuple[Finding, ...]:
    text = f"---\n{yaml}\n---\n# Body\n"
    root, adapter = "/team", "akm"
    if rel.startswith("."):
        root, adapter = f"/team/{rel.split('/')[0]}", "claude"
    bundle = Bundle("team", root, root, adapter)
    inner = rel.partition("/")[2] if rel.startswith(".") else rel
    subject = Subject(
        parse(text), f"/team/{rel}", inner, bundle, BundleSet((bundle,)),
        settings=settings or LintSettings(),
    )  # fmt: skip
    for rule in fields.RULES:
        list(rule.check(subject))  # the engine would keep a failure to itself
    return lint(subject, fields.RULES)


def mended(yaml: str, found: tuple[Finding, ...], *, asked: bool = False) -> str:
    text = f"---\n{yaml}\n---\n# Body\n"
    edits = found[0].fixes[0].edits if asked else safe_edits(found)
    return apply_edits(text, edits).removeprefix("---\n").removesuffix("\n---\n# Body\n")


TYPES = [
    # file, key line, severity, in the message, what the fix leaves (None: no fix)
    (COMMAND, "argument-hint: [path]", "hint", "a list", 'argument-hint: "[path]"'),
    (SKILL, "name: 42", "warning", "a number", 'name: "42"'),
    (SKILL, "description: true", "warning", "a switch", 'description: "true"'),
    (SKILL, "description: [a, b]", "warning", "a list", 'description: "[a, b]"'),
    (SKILL, "license: {spdx: MIT}", "warning", "a map", 'license: "{spdx: MIT}"'),
    (SKILL, 'user-invocable: "true"', "warning", "`true` or `false`", "user-invocable: true"),
    (SKILL, "user-invocable: yes", "warning", "`true` or `false`", "user-invocable: true"),
    (SKILL, "user-invocable: maybe", "warning", "`true` or `false`", None),
    (AGENT, 'maxTurns: "5"', "warning", "a whole number", "maxTurns: 5"),
    (AGENT, "hooks: none", "warning", "a map", None),
    (AGENT, "skills: [a: b]", "warning", "a map", None),
    (OPENCODE, "tools: Read, Grep", "error", "a map", None),
    (OPENCODE, "temperature: warm", "error", "a number", None),
    (COPILOT, "handoffs:\n  - label: [x]", "warning", "`label`", 'handoffs:\n  - label: "[x]"'),
    ("knowledge/k.md", "tags:\n  - a: b", "warning", "in quotes", 'tags:\n  - "a: b"'),
    ("memories/m.md", "subjective: 'no'", "warning", "`false`", "subjective: false"),
]


@pytest.mark.parametrize(("rel", "yaml", "severity", "says", "left"), TYPES)
def test_a_wrong_type(rel: str, yaml: str, severity: str, says: str, left: str | None) -> None:
    found = findings(rel, yaml)
    assert [(f.code, f.severity) for f in found] == [("field-type", severity)]
    assert says in found[0].message
    assert mended(yaml, found) == (yaml if left is None else left)
    if left is not None:
        assert not findings(rel, left)


def test_text_where_a_list_is_needed_becomes_one_when_asked() -> None:
    yaml = "name: a\ndescription: d\ntools: read_file, mcp_*"
    found = findings(GEMINI, yaml)
    assert [(f.code, f.severity) for f in found] == [("field-type", "error")]
    assert mended(yaml, found) == yaml
    assert mended(yaml, found, asked=True).endswith("tools: [read_file, mcp_*]")


def test_a_value_that_is_a_comment() -> None:
    (found,) = findings(COMMAND, "description: #5 is done")
    assert "`#` starts a comment" in found.message
    assert mended("description: #5 is done", (found,), asked=True) == 'description: "#5 is done"'


@pytest.mark.parametrize(
    ("rel", "yaml"),
    [
        (SKILL, "description:"),  # somebody is typing
        (SKILL, "description: # to be written"),
        (SKILL, "allowed-tools: [Read]"),  # the skill rules speak of it
        (SKILL, "license: {{ license }}"),
        (SKILL, "metadata:\n  internal: true"),
        (AGENT, "tools: Read, Grep"),
        (AGENT, "tools: [Read, Grep]"),
        (AGENT, "mcpServers:\n  - github\n  - db: {command: x}"),
        ("agents/a.md", "tools: {read: true}"),  # OpenCode's, in a bundle for every tool
        ("knowledge/k.md", "tags: one, two"),
        ("knowledge/k.md", "updated: 2026-01-02"),
        ("memories/m.md", "expires: 30d"),
        ("workflows/w.md", "params: nonsense"),  # workflows have rules of their own
    ],
)
def test_types_that_are_fine(rel: str, yaml: str) -> None:
    assert not findings(rel, yaml)


VALUES = [
    (AGENT, "memory: team", "warning", "`user`, `project`, `local`", None),
    (AGENT, "color: magenta", "hint", "`red`", None),
    (AGENT, "color: Red", "hint", "`red`", "color: red"),
    (AGENT, 'effort: "High"', "warning", "`xhigh`", 'effort: "high"'),
    (AGENT, "name: team:a", "error", "no colon", None),
    (AGENT, "maxTurns: 0", "warning", "1 or more", None),
    (SKILL, "effort: extreme", "warning", "`xhigh`", None),
    (SKILL, "agent: Explore", "hint", "without `context: fork`", None),
    (OPENCODE, "model: sonnet", "warning", "`provider/model`", None),
    (OPENCODE, "mode: main", "error", "`primary`", None),
    (GEMINI, "name: My Agent\ndescription: d", "error", "lower-case", None),
    ("knowledge/k.md", "updated: yesterday", "hint", "YYYY-MM-DD", None),
    ("memories/m.md", "beliefState: old", "warning", "`superseded`", None),
]  # fmt: skip


@pytest.mark.parametrize(("rel", "yaml", "severity", "says", "left"), VALUES)
def test_a_wrong_value(rel: str, yaml: str, severity: str, says: str, left: str | None) -> None:
    found = findings(rel, yaml)
    assert [(f.code, f.severity) for f in found] == [("field-value", severity)]
    assert says in found[0].message
    assert mended(yaml, found) == (yaml if left is None else left)


@pytest.mark.parametrize(
    ("rel", "yaml"),
    [
        (AGENT, "memory: project"),
        (AGENT, "permissionMode: delegate"),  # an old value that still works
        (AGENT, "model: claude-something-new"),
        (AGENT, "description: " + "Talks at length. " * 100),  # the limit is a skill's
        (SKILL, "context: fork\nagent: Explore"),
        (SKILL, "effort: $LEVEL"),
        (OPENCODE, "model: anthropic/claude"),
        ("agents/a.md", "color: '#aabbcc'"),  # Claude Code does not take it, OpenCode does
        ("facts/f.md", "category: odd"),  # missing-category says it
        ("knowledge/k.md", "updated: 2026-01-02T10:00:00Z"),
    ],
)
def test_values_that_are_fine(rel: str, yaml: str) -> None:
    assert not findings(rel, yaml)


@pytest.mark.parametrize(
    ("rel", "yaml", "left"),
    [
        (SKILL, "allowed_tools: Bash", "allowed-tools: Bash"),
        (AGENT, "disallowed-tools: Bash", "disallowedTools: Bash"),
        (AGENT, "permissionmode: plan", "permissionMode: plan"),
        (AGENT, "permissionMode: BypassPermissions", "permissionMode: bypassPermissions"),
        (AGENT, "Tools: Bash", "tools: Bash"),
        (SKILL, "Hooks: {}", "hooks: {}"),
        (SKILL, "Model: opus", "model: opus"),
    ],
)
def test_what_an_agent_may_do_changes_only_when_asked(rel: str, yaml: str, left: str) -> None:
    found = findings(rel, yaml)
    assert mended(yaml, found) == yaml
    assert mended(yaml, found, asked=True) == left


def test_a_quoted_list_that_would_be_no_value_is_not_written() -> None:
    for yaml, left in (
        ("name: [two]", "name: two"),
        ("name: ['two']", "name: two"),
        ("name: [1.5]", "name: [1.5]"),
        ("name: [one, two]", "name: [one, two]"),
        ("name: {one: two}", "name: {one: two}"),
        ("effort: [high]", "effort: high"),
        ("effort: [lots]", "effort: [lots]"),
    ):
        assert mended(yaml, findings(SKILL, yaml)) == left


UNKNOWN = [
    (SKILL, "descripton: d", "hint", "`description`", "description: d"),
    (SKILL, "allowed_tools: Read", "hint", "`allowed-tools`", None),
    (SKILL, '"Description": d', "hint", "`description`", '"description": d'),
    (SKILL, "licence: MIT", "hint", "Did you mean `license`", None),
    (SKILL, "risk: low", "hint", "under `metadata`", None),
    (SKILL, "tools: [claude, cursor]", "hint", "`allowed-tools`", None),
    (SKILL, "user-invokable: true", "hint", "`user-invocable`", "user-invocable: true"),
    (AGENT, "disallowed-tools: Bash", "hint", "`disallowedTools`", None),
    (AGENT, "capabilities: [a]", "hint", "tools pass over it", None),
    (GEMINI, "mcpServers: {}", "error", "`mcp_servers`", None),
    (GEMINI, "owner: ann", "error", "refuses", None),
    (OPENCODE, "maxSteps: 5", "hint", "`steps`", "steps: 5"),
    (".agents/skills/x/SKILL.md", "model: opus", "hint", "Claude Code", None),
    ("knowledge/k.md", "serchHints: [a]", "hint", "`searchHints`", "searchHints: [a]"),
]


@pytest.mark.parametrize(("rel", "yaml", "severity", "says", "left"), UNKNOWN)
def test_an_unknown_key(rel: str, yaml: str, severity: str, says: str, left: str | None) -> None:
    found = findings(rel, yaml)
    assert [(f.code, f.severity) for f in found] == [("unknown-key", severity)]
    assert says in found[0].message
    assert mended(yaml, found) == (yaml if left is None else left)


@pytest.mark.parametrize(
    ("rel", "yaml"),
    [
        (SKILL, "model: opus"),
        (SKILL, "displayName: X\ndefault_enabled: true"),  # read in any style
        (SKILL, "tags: [a]\naliases: [b]"),  # akm's
        (SKILL, "when_to_use: t"),
        ("knowledge/k.md", "author: ann\nrisk: low"),  # pages hold what their authors like
        (OPENCODE, "reasoningEffort: high"),  # goes to the provider
        (COPILOT, "mcp-servers: {}"),
        ("tasks/t.md", "anything: goes"),
    ],
)
def test_keys_that_are_fine(rel: str, yaml: str) -> None:
    assert not findings(rel, yaml)


def test_the_keys_an_author_thought_of_are_one_hint() -> None:
    yaml = "version: 1\nauthor: Ann\ndescripton: d\ndependencies: [x]"
    own, slip = findings(SKILL, yaml)
    assert own.message.startswith("`version`, `author` and `dependencies` are no keys of a skill")
    assert own.data["keys"] == ["version", "author", "dependencies"]
    assert [related.message for related in own.related] == ["`author`", "`dependencies`"]
    assert slip.data["key"] == "descripton", "each slip of the pen has a finding and a fix"
    (many,) = findings(SKILL, "\n".join(f"own{number}: x" for number in range(9)))
    assert "`own4` and 4 more" in many.message


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("version: 1.0\nname: x", 'metadata:\n  version: "1.0"\nname: x'),
        (
            "name: x\nversion: 1.0 # first\nauthor: Ann\nlicense: MIT",
            'name: x\nmetadata:\n  version: "1.0" # first\n  author: Ann\nlicense: MIT',
        ),
        (
            "metadata:\n    team: web\nversion: '2'\nname: x",
            "metadata:\n    team: web\n    version: '2'\nname: x",
        ),
        ("own: [a]\nauthor: Ann", "own: [a]\nmetadata:\n  author: Ann"),
        ("metadata:\n  author: Bob\nauthor: Ann", None),
        ("metadata: {team: web}\nauthor: Ann", None),
        ("own:\n  - a", None),
        ("own: >\n  text", None),
        ("own: &a x\nname: *a", None),
        ("own: two\n  lines", None),
    ],
)
def test_facts_of_ones_own_move_under_metadata(before: str, after: str | None) -> None:
    (found,) = [f for f in findings(SKILL, before) if f.data.get("reason") == "authors-own"]
    if after is None:
        assert not found.fixes
        return
    (fix,) = found.fixes
    assert not fix.safe
    assert mended(before, (found,), asked=True) == after


def test_moving_a_key_keeps_the_line_ends() -> None:
    before, after = "version: 1\r\nname: x\r", 'metadata:\r\n  version: "1"\r\nname: x\r'
    text = f"---\r\n{before}\n---\r\n# Body\r\n"
    document = Subject(parse(text), f"/team/{SKILL}", SKILL, *_skill_bundle())
    (fix,) = next(f.fixes for f in lint(document, fields.RULES) if f.code == "unknown-key")
    assert apply_edits(text, fix.edits) == text.replace(before, after)


def _skill_bundle() -> tuple[Bundle, BundleSet]:
    bundle = Bundle("team", "/team", "/team", "akm")
    return bundle, BundleSet((bundle,))


@pytest.mark.parametrize("rel", [SKILL, AGENT, "skills/x/SKILL.md", ".agents/skills/x/SKILL.md"])
def test_the_effect_that_command_search_goes_by_is_known(rel: str) -> None:
    assert not findings(rel, "effect: write")


def test_an_effect_is_one_of_three() -> None:
    (found,) = findings("skills/x/SKILL.md", "effect: wrte")
    assert (found.code, found.severity) == ("field-value", "hint")
    assert "`write`" in found.message


def test_a_misspelt_key_beside_the_right_one_is_not_renamed_onto_it() -> None:
    (found,) = findings(SKILL, "description: d\ndescripton: e")
    assert [fix.title for fix in found.fixes] == ["Move `descripton` under `metadata`"]


def test_a_shared_skill_that_claude_finds_through_a_link(tmp_path: Path) -> None:
    rel = ".agents/skills/x/SKILL.md"
    text = "---\nname: x\ndescription: d\nmodel: opus\n---\n"
    assert list(lint_repository(tmp_path / "a", {rel: text}, "unknown-key")) == [rel]
    linked = {rel: text, ".claude/skills/x/README.md": "# X\n"}
    assert not lint_repository(tmp_path / "b", linked, "unknown-key")


def test_the_tools_in_question_can_be_named() -> None:
    for_cursor = LintSettings(hosts=frozenset(("cursor",)))
    assert [f.code for f in findings(SKILL, "model: opus", for_cursor)] == ["unknown-key"]
    assert not findings(SKILL, "license: MIT", for_cursor)
    assert not findings(AGENT, "memory: team", LintSettings(hosts=frozenset(("codex",))))
    (left_out,) = findings(AGENT, "memory: user", for_cursor)
    assert "for Claude Code, left out by the setting `hosts`" in left_out.message
    both = LintSettings(hosts=frozenset(("cursor", "claude")))
    assert not findings(SKILL, "model: opus", both)


def test_portable_skills_have_six_keys() -> None:
    portable = LintSettings(portable=True)
    found = findings(SKILL, "name: x\nmodel: opus\ntags: [a]\nlicense: MIT", portable)
    assert [(f.code, f.severity) for f in found] == [("unknown-key", "error")] * 2
    assert not findings(AGENT, "model: opus", portable)


def test_settings_name_the_tools() -> None:
    settings, problems = read_settings({"hosts": ["claude", "codex"], "lint": {"portable": True}})
    assert settings.lint.hosts == {"claude", "codex"} and settings.lint.portable
    assert problems == ()


@pytest.mark.parametrize("hosts", ["claude", ["cluade"], [5], {"claude": True}])
def test_an_unusable_list_of_tools_names_its_key(hosts: object) -> None:
    settings, (problem,) = read_settings({"hosts": hosts})
    assert settings.lint.hosts is None
    assert problem.key == "akm.hosts" and problem.message.startswith("akm.hosts: ")


def test_rule_levels_and_tools_are_kept_side_by_side() -> None:
    raw = {"hosts": ["claude"], "lint": {"rules": {"unknown-key": "off"}}}
    settings, _ = read_settings(raw)
    assert settings.lint.hosts == {"claude"} and not settings.lint.runs("unknown-key")


def test_a_template_of_a_skill_is_written_for_another_program(tmp_path: Path) -> None:
    page = "---\nsources: 0\ntags: 5\nbeliefState: nope\ndescripton: x\n---\n# X\n"
    files = {
        ".claude/skills/x/SKILL.md": "---\nname: x\ndescription: Builds a wiki.\n---\n# X\n",
        ".claude/skills/x/assets/page.md": page,
    }
    codes = ("field-type", "field-value", "unknown-key")
    assert not lint_repository(tmp_path, files, *codes)
    akm = lint_stash(tmp_path / "akm", {"skills/x/assets/page.md": page}, *codes)
    assert akm, "akm indexes it with its tags"
