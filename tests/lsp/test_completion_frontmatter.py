"""Completion of frontmatter: keys by kind of file and tool, and their values."""

from __future__ import annotations

from datetime import date

import pytest
from completing import complete, documentation, item_of, labels
from editor import Editor
from lsprotocol import types as lsp

SKILL = "team/skills/draft/SKILL.md"
MEMORY = "team/memories/draft.md"
FACT = "team/facts/draft.md"
KNOWLEDGE = "team/knowledge/draft.md"


# Keys.


async def test_a_skill_is_offered_its_own_keys_first_and_none_that_is_there(
    editor: Editor,
) -> None:
    await editor.start()
    found = labels(await complete(editor, SKILL, "---\nname: draft\n$0\n---\n# Draft\n"))
    assert found[0] == "description", "what tools demand comes first"
    assert "name" not in found
    assert {"allowed-tools", "license", "tags"} <= set(found)
    assert found.index("license") < found.index("tags"), "akm's own keys come last"
    assert "captureMode" not in found


@pytest.mark.parametrize(
    ("name", "has", "has_not"),
    [
        ("team/skills/x/skill.md", {"allowed-tools", "license"}, {"captureMode"}),
        (MEMORY, {"captureMode", "observed_at"}, {"inferenceProcessed", "allowed-tools"}),
        (FACT, {"category", "pinned"}, {"captureMode"}),
        ("team/.claude/agents/a.md", {"permissionMode", "tools"}, {"mode", "temperature"}),
        ("team/.opencode/agent/a.md", {"mode", "temperature"}, {"permissionMode", "maxSteps"}),
        ("team/tasks/t.yml", {"version", "schedule", "enabled"}, {"xrefs"}),
    ],
)
async def test_keys_are_those_of_the_file_and_of_the_tool(
    editor: Editor, name: str, has: set[str], has_not: set[str]
) -> None:
    editor.write("team/.claude/agents/b.md", "---\nname: b\ndescription: B\n---\nYou are.\n")
    editor.write("team/.opencode/agent/b.md", "---\ndescription: B\n---\nYou are.\n")
    editor.write("team/tasks/other.yml", "version: 2\n")
    await editor.start()
    block = "v$0\n" if name.endswith(".yml") else "---\n$0\n---\n"
    found = set(labels(await complete(editor, name, block)))
    assert has <= found
    assert not has_not & found


async def test_a_key_says_what_it_is_for_and_who_reads_it(editor: Editor) -> None:
    await editor.start()
    found = await complete(editor, SKILL, "---\nallo$0\n---\n")
    text = documentation(item_of(found, "allowed-tools"))
    assert "without asking" in text and "Claude Code" in text


@pytest.mark.parametrize(
    ("marked", "label", "accepted"),
    [
        ("---\nbel$0\n---\n", "beliefState", "---\nbeliefState: ${1|"),
        ("---\ntag$0\n---\n", "tags", "---\ntags: [$1]\n---\n"),
        ("---\nxr$0efs: [a]\n---\n", "xrefs", "---\nxrefs: [a]\n---\n"),
        ("---\nsubj$0\n---\n", "subjective", "---\nsubjective: ${1|true,false|}\n---\n"),
        ("---\ninte$0\n---\n", "intent", "---\nintent:\n  $1\n---\n"),
        ("---\ntit$0\n", "title", "---\ntitle: \n"),
    ],
)
async def test_accepting_a_key_leaves_room_for_its_value(
    editor: Editor, marked: str, label: str, accepted: str
) -> None:
    await editor.start()
    found = await complete(editor, MEMORY, marked)
    assert editor.accept(MEMORY, found, label).startswith(accepted)


async def test_a_client_without_snippets_gets_plain_text(editor: Editor) -> None:
    def without(capabilities: lsp.ClientCapabilities) -> None:
        assert capabilities.text_document and capabilities.text_document.completion
        item = capabilities.text_document.completion.completion_item
        assert item is not None
        item.snippet_support = False
        item.label_details_support = False
        item.insert_replace_support = False
        item.commit_characters_support = False
        item.documentation_format = [lsp.MarkupKind.PlainText]
        capabilities.text_document.completion.completion_list = None

    await editor.start(adjust=without)
    found = await complete(editor, MEMORY, "---\nta$0gs\n---\n")
    item = item_of(found, "tags")
    assert isinstance(item.text_edit, lsp.TextEdit)
    assert item.insert_text_format is None and item.label_details is None
    assert item.commit_characters is None and found.item_defaults is None
    assert isinstance(item.documentation, lsp.MarkupContent)
    assert item.documentation.kind == lsp.MarkupKind.PlainText
    assert "**" not in item.documentation.value
    assert editor.accept(MEMORY, found, "tags") == "---\ntags: \n---\n"


async def test_lines_that_are_indented_already_stay_as_they_are(editor: Editor) -> None:
    def as_is(capabilities: lsp.ClientCapabilities) -> None:
        assert capabilities.text_document and capabilities.text_document.completion
        item = capabilities.text_document.completion.completion_item
        assert item is not None
        item.insert_text_mode_support = lsp.ClientCompletionItemInsertTextModeOptions(
            value_set=[lsp.InsertTextMode.AsIs, lsp.InsertTextMode.AdjustIndentation]
        )

    await editor.start(adjust=as_is)
    name = "team/workflows/draft.md"
    head = "---\ntype: workflow\nsteps:\n  - id: a\n"
    found = await complete(editor, name, f"{head}    un$0\n---\n")
    assert item_of(found, "unit").insert_text_mode == lsp.InsertTextMode.AsIs
    assert editor.accept(name, found, "unit") == f"{head}    unit:\n      $1\n---\n"


async def test_keys_inside_a_map_are_its_own(editor: Editor) -> None:
    await editor.start()
    found = labels(await complete(editor, MEMORY, "---\nintent:\n  $0\n---\n"))
    assert set(found) == {"when", "input", "output"}


@pytest.mark.parametrize(
    "marked",
    [
        "---\ndescription: [a, b\nty$0\n---\n",
        "---\ndescription: 'a\nty$0\n---\n",
        "---\ndescription: Use when: stuck\nty$0\n---\n",
        "---\nty$0\n\n# Title\n",
        "---\nty$0",
    ],
)
async def test_broken_frontmatter_is_completed_like_any_other(editor: Editor, marked: str) -> None:
    await editor.start()
    assert "type" in labels(await complete(editor, MEMORY, marked))


@pytest.mark.parametrize(
    "marked", ["# T\n\nty$0\n", "---\n# ty$0\n---\n", "---\na: |\n  ty$0\n---\n"]
)
async def test_running_text_is_offered_no_keys(editor: Editor, marked: str) -> None:
    await editor.start()
    assert "type" not in labels(await complete(editor, MEMORY, marked))


async def test_a_blank_in_running_text_asks_for_nothing(editor: Editor) -> None:
    await editor.start()
    assert not labels(await complete(editor, KNOWLEDGE, "Some $0 text\n", typed=" "))
    assert not labels(await complete(editor, KNOWLEDGE, "---\ntitle: Some $0\n---\n", typed=" "))


async def test_what_stands_before_the_cursor_counts_and_not_what_asked_first(
    editor: Editor,
) -> None:
    await editor.start()
    found = await complete(editor, KNOWLEDGE, "See team//tok$0\n", typed=" ")
    assert labels(found) == ["team//knowledge/auth/tokens"]


# Values.


@pytest.mark.parametrize(
    ("name", "marked", "has"),
    [
        (MEMORY, "---\nbeliefState: $0\n---\n", {"superseded", "active"}),
        (FACT, "---\ncategory: $0\n---\n", {"convention", "team"}),
        (MEMORY, "---\nquality: $0\n---\n", {"curated"}),
        (MEMORY, "---\nstatus: $0\n---\n", {"draft", "stable"}),
        (MEMORY, "---\ncaptureMode:$0\n---\n", {"hot", "background"}),
        (MEMORY, "---\nsubjective: t$0\n---\n", {"true", "false"}),
        (MEMORY, "---\nlint_skip: [$0]\n---\n", {"stale-path", "missing-ref"}),
        (MEMORY, "---\nlint_skip:\n  - $0\n---\n", {"stale-path", "missing-ref"}),
        (MEMORY, "---\ntype: $0\n---\n", {"memory"}),
        (SKILL, "---\nname: $0\n---\n", {"draft"}),
        (SKILL, "---\neffort: $0\n---\n", {"xhigh"}),
    ],
)
async def test_values_that_are_known_are_offered(
    editor: Editor, name: str, marked: str, has: set[str]
) -> None:
    await editor.start()
    assert has <= set(labels(await complete(editor, name, marked)))


async def test_today_is_offered_where_a_date_stands(editor: Editor) -> None:
    await editor.start()
    found = await complete(editor, MEMORY, "---\nupdated:$0\n---\n")
    today = date.today().isoformat()
    assert editor.accept(MEMORY, found, today) == f"---\nupdated: {today}\n---\n"


async def test_tags_come_from_the_bundle_and_its_domains(editor: Editor) -> None:
    editor.write(
        "team/facts/conventions/domains.md",
        "---\ncategory: convention\n---\n## Starter domains\n\n- `billing` — money\n",
    )
    await editor.start(["team", "other"])
    found = await complete(editor, MEMORY, "---\ntags: [auth, $0]\n---\n")
    assert {"tokens", "billing"} <= set(labels(found))
    assert "auth" not in labels(found), "it is in the list already"
    assert editor.accept(MEMORY, found, "tokens") == "---\ntags: [auth, tokens]\n---\n"
    found = await complete(editor, "team/memories/billing/x.md", "---\ntags: [$0]\n---\n")
    assert "billing" not in labels(found), "the directory is a tag by itself"


@pytest.mark.parametrize(
    ("marked", "accepted"),
    [
        ("---\ntags:\n  - tok$0\n---\n", "---\ntags:\n  - tokens\n---\n"),
        ("---\ntags:\n  -$0\n---\n", "---\ntags:\n  - tokens\n---\n"),
        ("---\ntags:\n  $0\n---\n", "---\ntags:\n  - tokens\n---\n"),
        ("---\ntags: $0\n---\n", "---\ntags: [tokens]\n---\n"),
        ("---\ntags: ['tok$0']\n---\n", "---\ntags: ['tokens']\n---\n"),
        ('---\ntags: ["tok$0"]\n---\n', '---\ntags: ["tokens"]\n---\n'),
        ("---\ntags: ['tok$0\n---\n", "---\ntags: ['tokens'\n---\n"),
        ('---\ntags:\n  - "tok$0\n---\n', '---\ntags:\n  - "tokens"\n---\n'),
        ("---\ntags: [a, tok$0en, b] # why\n---\n", "---\ntags: [a, tokens, b] # why\n---\n"),
        ("---\ntags: [to$0", "---\ntags: [tokens"),
    ],
)
async def test_accepting_a_value_leaves_no_debris(
    editor: Editor, marked: str, accepted: str
) -> None:
    await editor.start()
    found = await complete(editor, MEMORY, marked)
    assert editor.accept(MEMORY, found, "tokens") == accepted


async def test_tools_are_those_of_the_tool_and_those_used_in_the_bundle(editor: Editor) -> None:
    editor.write(
        "team/skills/deploy/SKILL.md",
        "---\nname: deploy\ndescription: D\nallowed-tools: Read mcp__ci__run Bash(git:*)\n---\n",
    )
    await editor.start()
    found = await complete(editor, SKILL, "---\nallowed-tools: Read Gr$0\n---\n")
    assert {"Grep", "mcp__ci__run"} <= set(labels(found))
    assert "Read" not in labels(found)
    assert editor.accept(SKILL, found, "Grep") == "---\nallowed-tools: Read Grep\n---\n"


async def test_agents_are_offered_by_name(editor: Editor) -> None:
    editor.write(
        "team/agents/rev.md",
        "---\nname: reviewer\ntype: agent\ndescription: R\n---\nYou are a reviewer.\n",
    )
    await editor.start()
    found = await complete(editor, "team/commands/c.md", "---\nagent: $0\n---\n")
    assert "reviewer" in labels(found)


async def test_refs_of_tasks_and_workflows_are_of_the_right_type(editor: Editor) -> None:
    editor.write(
        "team/workflows/ship.md", "---\ntype: workflow\nsteps:\n  - id: a\n---\n\n## a\n\nDo.\n"
    )
    await editor.start()
    found = await complete(editor, "team/tasks/t.yml", "version: 2\nworkflow: $0\n")
    assert labels(found) == ["workflows/ship"]
    block = "---\ntype: workflow\nsteps:\n  - id: a\n    unit:\n      env:\n        - $0\n---\n"
    assert labels(await complete(editor, "team/workflows/new.md", block)) == ["env/staging"]


async def test_the_insert_range_keeps_what_stands_behind_the_cursor(editor: Editor) -> None:
    def two_ranges(capabilities: lsp.ClientCapabilities) -> None:
        assert capabilities.text_document and capabilities.text_document.completion
        item = capabilities.text_document.completion.completion_item
        assert item is not None
        item.insert_replace_support = True

    await editor.start(adjust=two_ranges)
    found = await complete(editor, MEMORY, "---\nstatus: dr$0old\n---\n")
    assert editor.accept(MEMORY, found, "draft") == "---\nstatus: draft\n---\n"
    assert editor.accept(MEMORY, found, "draft", insert=True) == "---\nstatus: draftold\n---\n"


async def test_the_tag_being_typed_is_none_and_the_others_come_as_they_are_spelled(
    editor: Editor,
) -> None:
    editor.write("team/memories/other.md", "---\ntags: [naïve tag, on_call, web-app]\n---\n# O\n")
    await editor.start()
    marked = "---\ndescription: D\ntags: [naïve-tag, half$0]\n---\n# D\n"
    await complete(editor, MEMORY, marked)
    found = labels(await complete(editor, MEMORY, marked))
    assert {"naïve tag", "on_call", "web-app"} <= set(found)
    assert not {"half", "naïve-tag", "on-call"} & set(found)


@pytest.mark.parametrize(
    ("marked", "label", "accepted"),
    [
        (
            '---\nxrefs:\n  - "know$0\n---\n',
            "knowledge/auth/tls",
            '---\nxrefs:\n  - "knowledge/auth/tls"\n---\n',
        ),
        (
            "---\nxrefs:\n  - 'knowledge/auth/tokens#da$0\n---\n",
            "daily-rotation",
            "---\nxrefs:\n  - 'knowledge/auth/tokens#daily-rotation'\n---\n",
        ),
        (
            '---\nxrefs:\n  - "know$0"\n---\n',
            "knowledge/auth/tls",
            '---\nxrefs:\n  - "knowledge/auth/tls"\n---\n',
        ),
    ],
)
async def test_accepting_closes_a_quote_that_is_open(
    editor: Editor, marked: str, label: str, accepted: str
) -> None:
    await editor.start()
    found = await complete(editor, MEMORY, marked)
    assert editor.accept(MEMORY, found, label) == accepted
