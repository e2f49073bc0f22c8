"""Hover beyond refs: keys, rules, relative links, placeholders, workflows."""

from __future__ import annotations

import pytest
from editor import Editor
from lsprotocol import types as lsp

DRAFT = "team/knowledge/auth/draft.md"
COMMAND = "team/commands/draft.md"
WORKFLOW = "team/workflows/draft.md"


async def hover(editor: Editor, name: str, marked: str) -> tuple[str, str] | None:
    """What is shown, and the text it is about."""
    uri = editor.uri(name)
    position = editor.change(name, marked) if uri in editor.texts else editor.open(name, marked)
    answer = await editor.client.text_document_hover_async(
        lsp.HoverParams(**editor.at(name, position))
    )
    if answer is None:
        return None
    assert isinstance(answer.contents, lsp.MarkupContent) and answer.range is not None
    return answer.contents.value, editor.covered(editor.texts[uri], answer.range)


async def shown(editor: Editor, name: str, marked: str) -> str:
    found = await hover(editor, name, marked)
    assert found is not None
    return found[0]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_a_key_says_its_type_its_values_and_who_reads_it(
    editor: Editor, encoding: str
) -> None:
    await editor.start(encodings=[lsp.PositionEncodingKind(encoding)])
    found = await hover(editor, DRAFT, "---\ntitle: 😀\nbelief$0State: active\n---\n")
    assert found is not None
    text, about = found
    assert about == "beliefState"
    assert "`superseded`" in text and "Read by akm" in text and "text" in text


async def test_keys_inside_maps_and_of_workflows_are_known(editor: Editor) -> None:
    await editor.start()
    marked = "---\ntype: workflow\nsteps:\n  - id: a\n    unit:\n      on_err$0or: fail\n---\n"
    assert "error of the unit" in await shown(editor, WORKFLOW, marked)


@pytest.mark.parametrize(
    ("name", "marked", "value", "key"),
    [
        (DRAFT, "---\nbeliefState: super$0seded\n---\n", "superseded", "beliefState"),
        ("team/memories/d.md", "---\ncaptureMode: 'h$0ot'\n---\n", "hot", "captureMode"),
    ],
)
async def test_a_value_of_a_closed_set_says_what_its_key_is_for(
    editor: Editor, name: str, marked: str, value: str, key: str
) -> None:
    await editor.start()
    found = await hover(editor, name, marked)
    assert found is not None
    text, about = found
    assert about == value
    assert text.startswith(f"**`{value}`**") and f"**`{key}`**" in text
    assert "Values: " in text and "Read by akm" in text


async def test_a_value_that_no_set_holds_says_nothing(editor: Editor) -> None:
    await editor.start()
    assert await hover(editor, DRAFT, "---\nbeliefState: per$0haps\n---\n") is None


async def test_the_type_brings_the_authoring_standards(editor: Editor) -> None:
    editor.write(
        "team/facts/conventions/assets/knowledge.md",
        "---\ndescription: How pages are written\ncategory: convention\n---\n# Pages\n\nShort.\n",
    )
    await editor.start()
    for marked in ("---\nty$0pe: knowledge\n---\n", "---\ntype: know$0ledge\n---\n"):
        text = await shown(editor, DRAFT, marked)
        assert "team//facts/conventions/assets/knowledge" in text
        assert "How pages are written" in text


@pytest.mark.parametrize(
    "marked",
    [
        "---\nlint_skip: [stale-$0path]\n---\n",
        "x <!-- akm-ls-disable-line stale-$0path -->\n",
        "---\n# akm-ls-disable-next-line stale-p$0ath\nname: x\n---\n",
    ],
)
async def test_a_rules_code_says_why_and_what_to_do(editor: Editor, marked: str) -> None:
    await editor.start()
    found = await hover(editor, DRAFT, marked)
    assert found is not None
    assert found[1] == "stale-path"
    assert "What to do" in found[0]


async def test_a_relative_link_shows_what_is_there(editor: Editor) -> None:
    editor.write("team/knowledge/auth/flow.png", b"\x89PNG")
    await editor.start()
    text = await shown(editor, DRAFT, "[x](tok$0ens.md)\n")
    assert "How tokens are rotated" in text and "cited" in text
    text = await shown(editor, DRAFT, "[x](tokens.md#daily-$0rotation)\n")
    assert "Every night." in text and "Call somebody" not in text
    text = await shown(editor, DRAFT, "[x](tokens.md#gone$0)\n")
    assert text.startswith('No heading "#gone" here.')
    assert "# Here" in await shown(editor, DRAFT, "# Here\n\n[x](#he$0re)\n")
    picture = await shown(editor, DRAFT, "![x](fl$0ow.png)\n")
    assert picture == f"![flow.png]({editor.uri('team/knowledge/auth/flow.png')})"
    assert "auth/" in await shown(editor, DRAFT, "[x](..$0/)\n")
    assert await hover(editor, DRAFT, "[x](go$0ne.md)\n") is None


async def test_links_to_env_files_and_secrets_show_no_values(editor: Editor) -> None:
    await editor.start()
    for target in ("env/staging.env", "secrets/deploy-key"):
        text = await shown(editor, DRAFT, f"[x](../../{target}$0)\n")
        assert "MARKER" not in text


@pytest.mark.parametrize(
    ("marked", "says"),
    [
        ("---\nargument-hint: what\n---\nDo $ARGU$0MENTS\n", "Everything that is written"),
        ("---\narguments: from to\n---\nGo $1$0\n", "argument number 2, `to`"),
        ("---\narguments: from to\n---\nGo $t$0o\n", "Argument 2 of 2"),
        ("---\nparams:\n  city: Where to\n---\nGo to {{ci$0ty}}\n", "Where to"),
        ("Read ${CLAUDE_PLUGIN$0_ROOT}/x\n", "directory of the plugin"),
    ],
)
async def test_placeholders_say_what_stands_in_for_them(
    editor: Editor, marked: str, says: str
) -> None:
    await editor.start()
    assert says in await shown(editor, COMMAND, marked)


async def test_money_is_no_placeholder(editor: Editor) -> None:
    await editor.start()
    assert await hover(editor, DRAFT, "It costs $1$0 a day\n") is None
    assert await hover(editor, COMMAND, "It costs $2$0.50 a day\n") is None
    assert await hover(editor, COMMAND, "export $pa$0th\n") is None


FLOW = (
    "---\ntype: workflow\nparams:\n  service:\n    type: string\n    description: What ships\n"
    "steps:\n  - id: check\n    output:\n      properties:\n        safe: {{type: boolean}}\n"
    "  - id: ship\n    inputs:\n      - steps.{check}.output\n"
    "    map:\n      over: params.{param}\n"
    "---\n\n## {section}\n\nLook at it.\n"
)


async def test_steps_and_parameters_of_a_workflow(editor: Editor) -> None:
    await editor.start()
    parts = {"check": "check", "param": "service", "section": "check"}
    text = await shown(editor, WORKFLOW, FLOW.format(**{**parts, "check": "che$0ck"}))
    assert "step 1 of 2" in text and "`safe`" in text and "Look at it." in text
    text = await shown(editor, WORKFLOW, FLOW.format(**{**parts, "param": "serv$0ice"}))
    assert "What ships" in text and "string" in text


@pytest.mark.parametrize(
    ("place", "leads_to"),
    [
        ({"check": "ch$0eck"}, "team/workflows/draft.md:7:check"),
        ({"param": "serv$0ice"}, "team/workflows/draft.md:3:service"),
        ({"section": "ch$0eck"}, "team/workflows/draft.md:7:check"),
    ],
)
async def test_definition_of_a_workflows_names(
    editor: Editor, place: dict[str, str], leads_to: str
) -> None:
    await editor.start()
    parts = {"check": "check", "param": "service", "section": "check", **place}
    position = editor.open(WORKFLOW, FLOW.format(**parts))
    assert await leads(editor, WORKFLOW, position) == leads_to


@pytest.mark.parametrize("profile", ["visual-studio-code", "neovim"])
@pytest.mark.parametrize(
    ("marked", "leads_to"),
    [
        ("[x](to$0kens.md)\n", "team/knowledge/auth/tokens.md:0:"),
        ("[x](tokens.md#daily$0-rotation)\n", "team/knowledge/auth/tokens.md:9:## Daily rotation"),
        ("see @./tok$0ens.md now\n", "team/knowledge/auth/tokens.md:0:"),
        ("[x](go$0ne.md)\n", None),
        ("[x](https://a$0.b/c.md)\n", None),
    ],
)
async def test_definition_of_relative_paths(
    editor: Editor, profile: str, marked: str, leads_to: str | None
) -> None:
    await editor.start(profile=profile)
    assert await leads(editor, DRAFT, editor.open(DRAFT, marked)) == leads_to


async def leads(editor: Editor, name: str, position: lsp.Position) -> str | None:
    answer = await editor.client.text_document_definition_async(
        lsp.DefinitionParams(**editor.at(name, position))
    )
    if answer is None:
        return None
    if isinstance(answer, lsp.Location):
        return editor.place(answer)
    (link,) = answer
    assert isinstance(link, lsp.LocationLink) and link.origin_selection_range is not None
    return editor.place(lsp.Location(link.target_uri, link.target_selection_range))


async def test_relative_links_and_inclusions_are_document_links(editor: Editor) -> None:
    await editor.start()
    editor.open(DRAFT, "[a](tokens.md#daily-rotation) @./tls.md team//knowledge/old [b](gone.md)\n")
    links = await editor.client.text_document_document_link_async(
        lsp.DocumentLinkParams(lsp.TextDocumentIdentifier(editor.uri(DRAFT)))
    )
    assert links is not None
    text = editor.texts[editor.uri(DRAFT)]
    assert [editor.covered(text, link.range) for link in links] == [
        "tokens.md#daily-rotation",
        "./tls.md",
        "team//knowledge/old",
    ]
    resolved = await editor.client.document_link_resolve_async(links[0])
    assert resolved.target == editor.uri("team/knowledge/auth/tokens.md") + "#L10"
