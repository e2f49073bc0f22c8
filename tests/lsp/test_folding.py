"""What folds, as the first visible and the last hidden line."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from editor import Editor
from lsprotocol import types as lsp

SKILL = """---
name: release
tags:
  - one
  - two
metadata:
  deep:
    deeper: x

---
# Release

Text.

```sh
make
```

<!-- a
comment -->

## Next

One line.


# Last
"""
FOLDS = [
    ("---", "---", "region"),
    ("tags:", "  - two", None),
    ("metadata:", "    deeper: x", None),
    ("  deep:", "    deeper: x", None),
    ("# Release", "One line.", None),
    ("```sh", "```", None),
    ("<!-- a", "comment -->", "comment"),
    ("## Next", "One line.", None),
]
OTHERS = [
    ("team/env/prod.env", "A=1\nB='x\ny'\n", []),
    ("team/knowledge/empty.md", "", []),
    ("team/knowledge/open.md", "# A\n\n```\nnever closed\n", [("# A", "never closed", None)]),
    ("team/knowledge/cr.md", "# A\r\rx\r# B\r", [("# A", "x", None)]),
    (
        "team/tasks/nightly.yml",
        "version: 2\nparams:\n  a: 1\nprompt: |\n  Do\n  it\n",
        [("params:", "  a: 1", None), ("prompt: |", "  it", None)],
    ),
]

Shape = Callable[[lsp.FoldingRangeClientCapabilities], None]


async def folds(editor: Editor, name: str, text: str) -> list[lsp.FoldingRange]:
    editor.open(name, text)
    found = await editor.client.text_document_folding_range_async(
        lsp.FoldingRangeParams(lsp.TextDocumentIdentifier(editor.uri(name)))
    )
    return list(found or ())


def lines_of(text: str, found: list[lsp.FoldingRange]) -> list[tuple[str, str, str | None]]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [(lines[it.start_line], lines[it.end_line], it.kind) for it in found]


async def test_each_part_folds_to_its_first_line(editor: Editor) -> None:
    await editor.start()
    found = await folds(editor, "team/skills/release/SKILL.md", SKILL)
    assert lines_of(SKILL, found) == FOLDS
    for name, text, expected in OTHERS:
        found = await folds(editor, name, text)
        assert lines_of(text, found)[: len(expected)] == expected, name


def _limited(folding: lsp.FoldingRangeClientCapabilities) -> None:
    folding.range_limit = 3


def _titled(folding: lsp.FoldingRangeClientCapabilities) -> None:
    folding.folding_range = lsp.ClientFoldingRangeOptions(collapsed_text=True)


@pytest.mark.parametrize(
    ("shape", "starts", "collapsed"),
    [
        (_limited, ["---", "# Release", "tags:"], None),
        (_titled, [first for first, _, _ in FOLDS], "--- release ---"),
    ],
)
async def test_the_client_says_how_many_and_whether_with_a_text(
    editor: Editor, shape: Shape, starts: list[str], collapsed: str | None
) -> None:
    def adjust(capabilities: lsp.ClientCapabilities) -> None:
        assert capabilities.text_document and capabilities.text_document.folding_range
        shape(capabilities.text_document.folding_range)

    await editor.start(adjust=adjust)
    found = await folds(editor, "team/skills/release/SKILL.md", SKILL)
    assert sorted(first for first, _, _ in lines_of(SKILL, found)) == sorted(starts)
    assert found[0].collapsed_text == collapsed
