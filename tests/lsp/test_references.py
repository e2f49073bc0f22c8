"""Who cites this: all bundles, all channels, open documents as they stand."""

from __future__ import annotations

import pytest
from editor import Editor
from lsprotocol import types as lsp


async def references(editor: Editor, name: str, marked: str, *, declaration: bool = False):
    position = editor.open(name, marked)
    answer = await editor.client.text_document_references_async(
        lsp.ReferenceParams(
            **editor.at(name, position),
            context=lsp.ReferenceContext(include_declaration=declaration),
        )
    )
    return [editor.place(location) for location in answer or ()]


TOKENS = [
    "team/memories/note.md:3:knowledge/auth/tokens",
    "team/skills/release/SKILL.md:6:team//knowledge/auth/tokens#daily-rotation",
]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_on_a_ref_every_citation_of_its_asset(editor: Editor, encoding: str) -> None:
    await editor.start(["team", "other"], encodings=[lsp.PositionEncodingKind(encoding)])
    found = await references(
        editor, "team/knowledge/draft.md", "# D\n\n😀 team//knowledge/auth/to$0kens\n"
    )
    assert found == ["team/knowledge/draft.md:2:team//knowledge/auth/tokens", *TOKENS]


async def test_in_an_asset_the_citations_of_it_from_all_bundles(editor: Editor) -> None:
    await editor.start(["team", "other"])
    found = await references(editor, "team/knowledge/auth/tls.md", "$0# TLS\n", declaration=True)
    assert found == [
        "team/knowledge/auth/tls.md:0:",
        "team/knowledge/old.md:3:knowledge/auth/tls",
        "team/skills/release/SKILL.md:6:team//knowledge/auth/tls",
        "other/memories/seen.md:2:team//knowledge/auth/tls",
    ]


async def test_on_a_heading_the_citations_of_that_heading(editor: Editor) -> None:
    await editor.start()
    found = await references(
        editor, "team/knowledge/auth/tokens.md", "# Token rotation\n\n## Daily $0rotation\n"
    )
    assert found == [TOKENS[1]]


async def test_the_declaration_of_a_heading_is_the_heading(editor: Editor) -> None:
    await editor.start()
    for marked in (
        "# Tokens\n\n## Daily ro$0tation\n",
        "# T\n\n## Daily rotation\n\nteam//knowledge/auth/tokens#daily$0-rotation\n",
    ):
        name = "team/knowledge/auth/tokens.md"
        found = await references(editor, name, marked, declaration=True)
        assert found[0] == f"{name}:2:## Daily rotation"
        assert TOKENS[1] in found
        editor.close(name)


WORKFLOW = """---
type: workflow
params:
  depth: How deep
steps:
  - id: gather
    unit: {agent: agents/reader}
  - id: each
    map: {over: params.depth}
    inputs: [steps.gather.output.files]
---
# Flow

## gather

Text.
"""
FLOW = "team/workflows/flow.md"
STEPS = [
    ("id: ga$0ther", False, ["9:gather", "13:## gather"]),
    ("steps.gat$0her", True, ["5:gather", "9:gather", "13:## gather"]),
    ("params.de$0pth", False, ["8:depth"]),
    ("dep$0th: How", True, ["3:depth", "8:depth"]),
]


async def test_a_step_of_a_workflow_knows_who_uses_it(editor: Editor) -> None:
    await editor.start()
    for marked, declaration, expected in STEPS:
        text = WORKFLOW.replace(marked.replace("$0", ""), marked, 1)
        found = await references(editor, FLOW, text, declaration=declaration)
        assert found == [f"{FLOW}:{place}" for place in expected], marked
        editor.close(FLOW)
    editor.open("team/memories/note.md", "team//workflows/flow#gather and team//workflows/flow\n")
    found = await references(editor, FLOW, WORKFLOW.replace("## ga", "## g$0a"))
    assert found == [
        f"{FLOW}:9:gather",
        f"{FLOW}:13:## gather",
        "team/memories/note.md:0:team//workflows/flow#gather",
    ]


async def test_a_ref_removed_in_an_unsaved_document_no_longer_counts(editor: Editor) -> None:
    await editor.start()
    editor.open("team/memories/note.md", "# Note without refs\n")
    found = await references(
        editor, "team/knowledge/draft.md", "See team//skills/release and team//kn$0owledge/none\n"
    )
    assert found == ["team/knowledge/draft.md:0:team//knowledge/none"]
    editor.change("team/knowledge/draft.md", "nothing\n")
    position = editor.open("team/knowledge/auth/tokens.md", "$0# Tokens\n")
    answer = await editor.client.text_document_references_async(
        lsp.ReferenceParams(
            **editor.at("team/knowledge/auth/tokens.md", position),
            context=lsp.ReferenceContext(include_declaration=False),
        )
    )
    assert [editor.place(location) for location in answer or ()] == TOKENS[1:]


async def test_the_custom_request_names_the_channel(editor: Editor) -> None:
    await editor.start(["team", "other"])
    found = await editor.request("akm/references", {"ref": "team//knowledge/auth/tokens"})
    assert [citation["channel"] for citation in found] == ["xrefs", "prose"]


async def test_files_that_are_no_assets_cite_from_disk_and_as_they_stand(editor: Editor) -> None:
    readme, index = "team/README.md", "team/knowledge/index.md"
    editor.write(readme, "# Team\n\nSee team//memories/note.\n")
    editor.write(index, "---\nxrefs: [memories/note]\n---\n")
    await editor.start()

    async def found() -> list[tuple[str, str, str]]:
        places = await editor.request("akm/references", {"ref": "team//memories/note"})
        return [(editor.name(it["uri"]), it["channel"], it["source"]) for it in places]

    path, other = str(editor.root / readme), str(editor.root / index)
    assert await found() == [(readme, "prose", path), (index, "xrefs", other)]
    editor.open(readme, "Not cited, but team//memories/note#note is, and team//memories/note.\n")
    assert await found() == [(readme, "prose", path)] * 2 + [(index, "xrefs", other)]
    editor.close(readme)
    assert await found() == [(readme, "prose", path), (index, "xrefs", other)]
    editor.write(index, "Nothing.\n")
    editor.outside_change((index, lsp.FileChangeType.Changed))
    await editor.until(lambda: len(editor.indexed) > 1)
    assert await found() == [(readme, "prose", path)]


async def test_a_document_whose_ref_another_file_holds_is_named_by_its_path(
    editor: Editor,
) -> None:
    await editor.start()
    editor.open("team/draft.md", "Holds the ref.\n")
    editor.open("team/knowledge/draft.md", "See team//skills/release.\n")
    (place,) = await editor.request("akm/references", {"ref": "team//skills/release"})
    assert place["source"] == str(editor.root / "team/knowledge/draft.md")
    editor.close("team/draft.md")
    (place,) = await editor.request("akm/references", {"ref": "team//skills/release"})
    assert place["source"] == "team//knowledge/draft"
