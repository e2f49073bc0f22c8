"""Who cites whom, as a hierarchy of calls."""

from __future__ import annotations

import pytest
from editor import Editor
from lsprotocol import types as lsp

RELEASE = "team/skills/release/SKILL.md"
TOKENS = "team/knowledge/auth/tokens.md"
TOKENS_TEXT = """---
title: Tokens
---
# Token rotation

See team//knowledge/auth/tls.

## Daily rotation

Like knowledge/auth/tls: team//knowledge/old, team//knowledge/old#old, team//knowledge/gone.
"""


async def prepare(editor: Editor, name: str, marked: str) -> lsp.CallHierarchyItem | None:
    position = editor.open(name, marked)
    items = await editor.client.text_document_prepare_call_hierarchy_async(
        lsp.CallHierarchyPrepareParams(**editor.at(name, position))
    )
    return items[0] if items else None


async def callers(editor: Editor, item: lsp.CallHierarchyItem) -> dict[str, list[str]]:
    calls = await editor.client.call_hierarchy_incoming_calls_async(
        lsp.CallHierarchyIncomingCallsParams(item)
    )
    return {
        call.from_.detail or call.from_.name: [
            editor.place(lsp.Location(call.from_.uri, where)).partition(":")[2]
            for where in call.from_ranges
        ]
        for call in calls or ()
    }


async def callees(editor: Editor, item: lsp.CallHierarchyItem) -> dict[str, list[str]]:
    calls = await editor.client.call_hierarchy_outgoing_calls_async(
        lsp.CallHierarchyOutgoingCallsParams(item)
    )
    return {
        call.to.detail or "": [
            editor.place(lsp.Location(item.uri, where)).partition(":")[2]
            for where in call.from_ranges
        ]
        for call in calls or ()
    }


PREPARED = [
    (TOKENS_TEXT, "-$0--\ntitle", "Tokens", "team//knowledge/auth/tokens", "# Token rotation"),
    (TOKENS_TEXT, "title: To$0kens", "Tokens", "team//knowledge/auth/tokens", "# Token rotation"),
    (TOKENS_TEXT, "# To$0ken", "Tokens", "team//knowledge/auth/tokens", "# Token rotation"),
    (
        TOKENS_TEXT,
        "## Daily$0 rot",
        "Daily rotation",
        "team//knowledge/auth/tokens#daily-rotation",
        "## Daily rotation",
    ),
    (TOKENS_TEXT, "knowledge/auth/t$0ls.", "TLS", "team//knowledge/auth/tls", "# TLS"),
    (TOKENS_TEXT, "old#o$0ld", "Old", "team//knowledge/old#old", "# Old"),
    (TOKENS_TEXT, "Se$0e", None, None, None),
    (TOKENS_TEXT, "knowledge/go$0ne", None, None, None),
    ("# Title\n", "# T$0itle", "Title", "team//knowledge/auth/tokens", "# Title"),
]


async def test_it_starts_at_refs_headings_titles_and_the_first_line(editor: Editor) -> None:
    await editor.start()
    for text, marked, name, detail, place in PREPARED:
        item = await prepare(editor, TOKENS, text.replace(marked.replace("$0", ""), marked, 1))
        if item is None:
            assert name is None, marked
        else:
            assert (item.name, item.detail) == (name, detail)
            assert editor.place(lsp.Location(item.uri, item.selection_range)).endswith(f":{place}")
        editor.close(TOKENS)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_citations_are_grouped_by_the_citing_file(editor: Editor, encoding: str) -> None:
    editor.write("team/README.md", "# Team\n\n😀 team//knowledge/auth/tls\n")
    await editor.start(["team", "other"], encodings=[lsp.PositionEncodingKind(encoding)])
    editor.open(TOKENS, TOKENS_TEXT)
    item = await prepare(editor, "team/knowledge/auth/tls.md", "$0# TLS\n")
    assert item is not None
    assert await callers(editor, item) == {
        "team: README.md": ["2:team//knowledge/auth/tls"],
        "team//knowledge/auth/tokens": ["5:team//knowledge/auth/tls"],
        "team//knowledge/old": ["3:knowledge/auth/tls"],
        "team//skills/release": ["6:team//knowledge/auth/tls"],
        "other//memories/seen": ["2:team//knowledge/auth/tls"],
    }
    assert await callees(editor, item) == {}


async def test_of_a_heading_only_what_concerns_its_section(editor: Editor) -> None:
    await editor.start()
    item = await prepare(editor, TOKENS, TOKENS_TEXT.replace("## Da", "## D$0a"))
    assert item is not None
    assert await callers(editor, item) == {
        "team//skills/release": ["6:team//knowledge/auth/tokens#daily-rotation"]
    }
    old = ["9:team//knowledge/old", "9:team//knowledge/old#old"]
    assert await callees(editor, item) == {"team//knowledge/old": old}
    editor.close(TOKENS)
    item = await prepare(editor, TOKENS, f"$0{TOKENS_TEXT}")
    assert item is not None
    assert await callees(editor, item) == {
        "team//knowledge/auth/tls": ["5:team//knowledge/auth/tls"],
        "team//knowledge/old": old,
    }


async def test_the_way_goes_on_from_what_was_found(editor: Editor) -> None:
    await editor.start()
    item = await prepare(editor, "team/knowledge/auth/tls.md", "$0# TLS\n")
    assert item is not None
    calls = await editor.client.call_hierarchy_incoming_calls_async(
        lsp.CallHierarchyIncomingCallsParams(item)
    )
    release = next(call.from_ for call in calls or () if call.from_.name == "Release")
    assert await callees(editor, release) == {
        "team//knowledge/auth/tokens": ["6:team//knowledge/auth/tokens#daily-rotation"],
        "team//knowledge/auth/tls": ["6:team//knowledge/auth/tls"],
    }
    release.data = None
    assert await callers(editor, release) == {}


async def test_what_is_kept_secret_cites_nothing(editor: Editor) -> None:
    await editor.start()
    for name in ("team/env/staging.env", "team/secrets/deploy-key"):
        item = await prepare(editor, name, "$0team//knowledge/auth/tls=team//knowledge/old\n")
        assert item is not None
        assert await callees(editor, item) == {}
