"""Definition and document links."""

from __future__ import annotations

import pytest
from editor import Editor
from lsprotocol import types as lsp

DRAFT = "team/knowledge/draft.md"


async def definition(editor: Editor, marked: str) -> str | None:
    """Where the ref at the cursor leads, as ``name:line:text of that line``."""
    position = editor.open(DRAFT, marked)
    answer = await editor.client.text_document_definition_async(
        lsp.DefinitionParams(**editor.at(DRAFT, position))
    )
    if answer is None:
        return None
    if isinstance(answer, lsp.Location):
        uri, where = answer.uri, answer.range
    else:
        (link,) = answer
        assert isinstance(link, lsp.LocationLink)
        uri, where = link.target_uri, link.target_selection_range
        assert link.origin_selection_range is not None
        text = editor.texts[editor.uri(DRAFT)]
        assert "//" in editor.covered(text, link.origin_selection_range) or "xrefs" in text
    return editor.place(lsp.Location(uri, where))


@pytest.mark.parametrize("profile", ["visual-studio-code", "neovim"])
@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("See team//knowledge/auth/to$0kens.\n", "team/knowledge/auth/tokens.md:0:"),
        (
            "See team//knowledge/auth/tokens#daily-rota$0tion.\n",
            "team/knowledge/auth/tokens.md:9:## Daily rotation",
        ),
        ("See team//skills/rel$0ease.\n", "team/skills/release/SKILL.md:0:"),
        (
            "See team//skills/release/references/st$0eps.md\n",
            "team/skills/release/references/steps.md:0:",
        ),
        ("Set team//env/stag$0ing\n", "team/env/staging.env:0:"),
        ("---\nxrefs: [knowledge/auth/t$0ls]\n---\n", "team/knowledge/auth/tls.md:0:"),
        ("See other//knowledge/th$0ere#top\n", "other/knowledge/there.md:5:## Top"),
        ("Nothing $0here\n", None),
        ("See team//knowledge/go$0ne\n", None),
    ],
)
async def test_definition(editor: Editor, profile: str, marked: str, expected: str | None) -> None:
    await editor.start(["team", "other"], profile=profile)
    assert await definition(editor, marked) == expected


async def test_an_id_of_another_bundle_is_found_when_the_own_bundle_has_none(
    editor: Editor,
) -> None:
    await editor.start(["team", "other"])
    marked = "---\nxrefs: [knowledge/th$0ere]\n---\n"
    assert await definition(editor, marked) == "other/knowledge/there.md:0:"


async def test_every_ref_that_leads_somewhere_is_a_link(editor: Editor) -> None:
    await editor.start()
    editor.open(
        DRAFT,
        "---\nxrefs: [knowledge/auth/tls]\n---\n"
        "See team//knowledge/auth/tokens#daily-rotation, team//knowledge/gone.\n",
    )
    links = await editor.client.text_document_document_link_async(
        lsp.DocumentLinkParams(lsp.TextDocumentIdentifier(editor.uri(DRAFT)))
    )
    assert links is not None
    text = editor.texts[editor.uri(DRAFT)]
    assert [editor.covered(text, link.range) for link in links] == [
        "knowledge/auth/tls",
        "team//knowledge/auth/tokens#daily-rotation",
    ]
    assert links[0].target == editor.uri("team/knowledge/auth/tls.md")
    resolved = await editor.client.document_link_resolve_async(links[1])
    assert resolved.target == editor.uri("team/knowledge/auth/tokens.md") + "#L10"


@pytest.mark.parametrize("key", ["derivedFrom: ", "sources: [x, ", "xrefs: ["])
async def test_what_an_asset_is_made_from_is_a_ref_like_any_other(editor: Editor, key: str) -> None:
    await editor.start()
    name = "team/memories/made.md"
    close = "]" if "[" in key else ""
    text = f"---\ndescription: D\n{key}knowledge/auth/to$0kens{close}\n---\n# M\n"
    at = editor.at(name, editor.open(name, text))
    client = editor.client
    shown = await client.text_document_hover_async(lsp.HoverParams(**at))
    assert shown is not None and "How tokens are rotated" in str(shown.contents)
    assert await client.text_document_definition_async(lsp.DefinitionParams(**at))
    assert await client.text_document_references_async(
        lsp.ReferenceParams(**at, context=lsp.ReferenceContext(False))
    )
    named = await client.text_document_prepare_rename_async(lsp.PrepareRenameParams(**at))
    assert isinstance(named, lsp.PrepareRenamePlaceholder)
    assert named.placeholder == "knowledge/auth/tokens"
