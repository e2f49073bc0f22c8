"""Every place in a document of what is at the cursor, with what happens there."""

from __future__ import annotations

import pytest
from editor import Editor
from lsprotocol import types as lsp

NOTE = """---
xrefs:
  - knowledge/auth/tls
  - team//knowledge/auth/tokens#daily-rotation
tags: [auth, Old tokens]
---
# Note

## Own part

😀 team//knowledge/auth/tls, team//knowledge/auth/tls#tls and team//knowledge/gone.
`team//knowledge/gone#x`, [there](#own-part), [here](./draft.md#own-part),
team//knowledge/draft#own-part
team//knowledge/auth/tokens
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
      when: [{equals: x, step: gather}]
  - id: each
    map: {over: params.depth}
---
## gather

Text.
"""
DRAFT = "team/knowledge/draft.md"
FLOW = "team/workflows/flow.md"

CASES: list[tuple[str, str, list[str]]] = [
    # A ref, in whatever spelling.
    (
        NOTE,
        "- knowledge/au$0th/tls",
        [
            "2 read knowledge/auth/tls",
            "10 read team//knowledge/auth/tls",
            "10 read team//knowledge/auth/tls#tls",
        ],
    ),
    # A ref that leads nowhere.
    (
        NOTE,
        "team//knowledge/go$0ne.",
        ["10 read team//knowledge/gone", "11 read team//knowledge/gone#x"],
    ),
    # Its fragment only.
    (
        NOTE,
        "tokens#dai$0ly-rotation",
        ["3 read team//knowledge/auth/tokens#daily-rotation"],
    ),
    (
        NOTE,
        "team//know$0ledge/auth/tokens#daily-rotation",
        [
            "3 read team//knowledge/auth/tokens#daily-rotation",
            "13 read team//knowledge/auth/tokens",
        ],
    ),
    # A heading, and the ways to get there.
    *(
        (
            NOTE,
            marked,
            [
                "8 write ## Own part",
                "11 read #own-part",
                "11 read ./draft.md#own-part",
                "12 read team//knowledge/draft#own-part",
            ],
        )
        for marked in ("## Ow$0n part", "](#own$0-part)", "draft#own-$0part")
    ),
    (NOTE, "Old to$0kens]", ["4 text Old tokens"]),
    (NOTE.replace("[auth,", "[old-tokens,"), "[ol$0d", ["4 text old-tokens", "4 text Old tokens"]),
    (NOTE, "# No$0te", ["6 write # Note"]),
    (NOTE, "xr$0efs:", []),
    # A workflow's steps and parameters.
    *(
        (
            WORKFLOW,
            marked,
            ["5 write gather", "9 read gather", "10 read gather", "14 text ## gather"],
        )
        for marked in ("id: ga$0ther", "steps.ga$0ther", "step: gath$0er}", "## gat$0her")
    ),
    (WORKFLOW, "params.de$0pth", ["3 write depth", "12 read depth"]),
]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_every_occurrence_is_lit(editor: Editor, encoding: str) -> None:
    await editor.start(["team", "other"], encodings=[lsp.PositionEncodingKind(encoding)])
    opened: set[str] = set()
    for text, marked, expected in CASES:
        name = FLOW if text is WORKFLOW else DRAFT
        at = text.index(marked.replace("$0", "")) + marked.index("$0")
        source = f"{text[:at]}$0{text[at:]}"
        position = editor.change(name, source) if name in opened else editor.open(name, source)
        opened.add(name)
        found = await editor.client.text_document_document_highlight_async(
            lsp.DocumentHighlightParams(**editor.at(name, position))
        )
        shown = [
            f"{it.range.start.line} {lsp.DocumentHighlightKind(it.kind).name.lower()} "
            f"{editor.covered(text, it.range)}"
            for it in found or ()
            if it.kind is not None
        ]
        assert shown == expected, marked
