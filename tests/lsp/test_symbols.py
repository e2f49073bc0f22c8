"""Outlines of documents, and going to assets and headings by what they are called."""

from __future__ import annotations

from typing import Any

import pytest
from editor import Editor
from lsprotocol import types as lsp

SKILL = """---
name: release
description: Releases the product
metadata:
  author: somebody
---
# Release

## Before

### Check

## After

# Appendix
"""
WORKFLOW = """---
type: workflow
params:
  depth: How deep
steps:
  - id: gather
    unit: {agent: agents/reader}
  - id: choose
    route:
      input: steps.gather.output
      when: []
---
# Review

## gather

Read everything.
"""
TASK = "version: 2\nschedule: 15 3 * * *\nworkflow: workflows/review\nparams:\n  token: abc\n"
ENV = "# comment\nexport API_TOKEN=MARKER-7f3a\nKEY='-----BEGIN X\nMIIEvQIBADANBg==\n-----END X'\n"

OUTLINES: list[tuple[str, str, list[str]]] = [
    (
        "team/skills/release/SKILL.md",
        SKILL,
        [
            "frontmatter",
            "  name",
            "  description",
            "  metadata",
            "    author",
            "Release | #",
            "  Before | ##",
            "    Check | ###",
            "  After | ##",
            "Appendix | #",
        ],
    ),
    (
        "team/workflows/review.md",
        WORKFLOW,
        [
            "frontmatter",
            "  type",
            "  params",
            "    depth",
            "  steps",
            "    gather | unit",
            "    choose | route",
            "Review | #",
            "  gather | ##",
        ],
    ),
    (
        "team/tasks/nightly.yml",
        TASK,
        [
            "version | 2",
            "schedule | 15 3 * * *",
            "workflow | workflows/review",
            "params",
            "  token",
        ],
    ),
    ("team/env/prod.env", ENV, ["API_TOKEN", "KEY"]),
    ("team/secrets/key.md", "# MARKER\n", []),
    ("team/knowledge/half.md", "---\ntitle: x\ntags: [a\n# Heading\n\n## \n", ["frontmatter"]),
    ("team/knowledge/jump.md", "### Deep\n\n# Top\n\n### Under\n", ["Deep", "Top", "  Under"]),
    ("team/knowledge/empty.md", "", []),
    ("elsewhere/notes.md", "# In no bundle\n", ["In no bundle | #"]),
]


def tree(symbols: list[lsp.DocumentSymbol], depth: int = 0) -> list[str]:
    lines = []
    for symbol in symbols:
        lines.append("  " * depth + " | ".join(filter(None, [symbol.name, symbol.detail])))
        lines += tree(list(symbol.children or ()), depth + 1)
    return lines


async def outline(editor: Editor, name: str) -> Any:
    return await editor.client.text_document_document_symbol_async(
        lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(editor.uri(name)))
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_every_kind_of_document_has_its_outline(editor: Editor, encoding: str) -> None:
    await editor.start(encodings=[lsp.PositionEncodingKind(encoding)])
    for name, text, expected in OUTLINES:
        editor.open(name, text)
        symbols = await outline(editor, name)
        lines = tree(symbols)
        if not any("#" in line for line in expected):
            lines = [line.replace(" | ###", "").replace(" | #", "") for line in lines]
        assert lines[: len(expected)] == expected, name
        assert "MARKER" not in str(symbols)


async def test_a_name_is_selected_within_what_belongs_to_it(editor: Editor) -> None:
    await editor.start()
    text = SKILL.replace("Before", "😀 Before").replace("\n", "\r\n")
    editor.open("team/skills/release/SKILL.md", text)
    symbols = await outline(editor, "team/skills/release/SKILL.md")
    found = {}
    waiting = list(symbols)
    while waiting:
        symbol = waiting.pop()
        waiting += symbol.children or ()
        found[symbol.name] = (
            editor.covered(text, symbol.selection_range),
            editor.covered(text, symbol.range),
        )
        assert found[symbol.name][0] in found[symbol.name][1]
    assert found["😀 Before"] == ("## 😀 Before", "## 😀 Before\r\n\r\n### Check\r\n\r\n")
    assert found["author"] == ("author", "author: somebody")
    assert found["frontmatter"][1].endswith("---")


async def test_a_client_without_trees_gets_a_list(editor: Editor) -> None:
    def flat(capabilities: lsp.ClientCapabilities) -> None:
        assert capabilities.text_document and capabilities.text_document.document_symbol
        capabilities.text_document.document_symbol.hierarchical_document_symbol_support = False

    await editor.start(adjust=flat)
    editor.open("team/skills/release/SKILL.md", SKILL)
    symbols = await outline(editor, "team/skills/release/SKILL.md")
    assert [(symbol.name, symbol.container_name) for symbol in symbols] == [
        ("frontmatter", None),
        ("name", "frontmatter"),
        ("description", "frontmatter"),
        ("metadata", "frontmatter"),
        ("author", "metadata"),
        ("Release", None),
        ("Before", "Release"),
        ("Check", "Before"),
        ("After", "Release"),
        ("Appendix", None),
    ]
    assert editor.place(symbols[6].location).startswith("team/skills/release/SKILL.md:8:## Before")


# Symbols of the workspace.


def lazy(capabilities: lsp.ClientCapabilities) -> None:
    assert capabilities.workspace and capabilities.workspace.symbol
    capabilities.workspace.symbol.resolve_support = lsp.ClientSymbolResolveOptions(
        properties=["location.range"]
    )


async def symbols_of(editor: Editor, query: str) -> list[Any]:
    found = await editor.client.workspace_symbol_async(lsp.WorkspaceSymbolParams(query))
    return list(found or ())


QUERIES = [
    ("token", ["auth/tokens"]),
    ("knowledge/auth", ["auth/tls", "auth/tokens"]),
    ("certificates", ["auth/tls"]),
    ("type:skill", ["release"]),
    ("type:sk relea", ["release"]),
    ("type: release", ["release"]),
    ("bundle:other there", ["there"]),
    ("type:memory bundle:other", ["seen"]),
    ("type:nothing", []),
    ("emergency", ["In an emergency"]),
    ("daily ROT", ["Daily rotation"]),
    ("rlse", ["release"]),
    ("xyzzy", []),
]


async def test_words_and_filters_find_assets_and_then_headings(editor: Editor) -> None:
    await editor.start(["team", "other"])
    for query, expected in QUERIES:
        found = [symbol.name for symbol in await symbols_of(editor, query)]
        assert found[: len(expected)] == expected, query
        assert bool(found) == bool(expected), query


async def test_without_words_everything_is_listed_by_type(editor: Editor) -> None:
    await editor.start()
    found = await symbols_of(editor, "")
    assert [symbol.container_name.split()[0] for symbol in found] == [
        "type:env",
        "type:knowledge",
        "type:knowledge",
        "type:knowledge",
        "type:knowledge",
        "type:memory",
        "type:secret",
        "type:skill",
    ]


async def test_what_is_no_longer_believed_comes_last_and_is_struck_through(editor: Editor) -> None:
    editor.write("team/knowledge/way.md", "---\ndescription: The way\n---\n# A new way\n")
    await editor.start()
    found = await symbols_of(editor, "way")
    assert [(symbol.name, list(symbol.tags or ())) for symbol in found[:2]] == [
        ("way", []),
        ("old", [lsp.SymbolTag.Deprecated]),
    ]


PLACES = [
    ("type:knowledge auth/tokens", "auth/tokens", "team/knowledge/auth/tokens.md", 5, 0),
    ("emergency", "In an emergency", "team/knowledge/auth/tokens.md", 13, 13),
    ("type:env", "staging", "team/env/staging.env", 0, 0),
    ("type:secret", "deploy-key", "team/secrets/deploy-key", 0, 0),
]
"""Query, name, file, and the line that is told when somebody goes there, or at once."""


@pytest.mark.parametrize("resolves", [True, False])
async def test_the_place_is_told_at_once_or_when_somebody_goes_there(
    editor: Editor, resolves: bool
) -> None:
    await editor.start(adjust=lazy if resolves else lambda _: None)
    for query, name, file, resolved, at_once in PLACES:
        symbol = next(it for it in await symbols_of(editor, query) if it.name == name)
        if resolves:
            assert isinstance(symbol, lsp.WorkspaceSymbol)
            assert isinstance(symbol.location, lsp.LocationUriOnly)
            symbol = await editor.client.workspace_symbol_resolve_async(symbol)
            assert editor.place(symbol.location).startswith(f"{file}:{resolved}:")
        else:
            assert isinstance(symbol, lsp.SymbolInformation)
            assert editor.place(symbol.location) == f"{file}:{at_once}:"


async def test_open_documents_count_as_they_stand(editor: Editor) -> None:
    await editor.start()
    editor.open("team/knowledge/draft.md", "# Draft\n\n## Zeppelins\n")
    found = await symbols_of(editor, "zeppelins")
    assert [symbol.name for symbol in found] == ["Zeppelins"]
    assert found[0].location.range.start.line == 2
    editor.change("team/knowledge/draft.md", "# Draft\n")
    assert await symbols_of(editor, "zeppelins") == []
