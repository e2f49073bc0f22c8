"""What a selection grows to, from the word to the document."""

from __future__ import annotations

import pytest
from editor import Editor
from lsprotocol import types as lsp

SECTION = "## Daily\n\nSee team//knowledge/auth/tls#top 😀 and\nmore `make all`.\n"
LIST = "- one\n  - two words\n    go on\n- three\n"
FRONTMATTER = "---\ntitle: A title\ntags: [auth, 'old tokens']\n---\n"
DOCUMENT = f"{FRONTMATTER}# Top\n\n{SECTION}\n{LIST}\n```sh\nmake it\n```\n"
BODY = DOCUMENT.removeprefix(FRONTMATTER)
DAILY = DOCUMENT[DOCUMENT.index("## Daily") :]
PARAGRAPH = "See team//knowledge/auth/tls#top 😀 and\nmore `make all`."
BLOCK = FRONTMATTER.removeprefix("---\n").removesuffix("\n---\n")

CHAINS: list[tuple[str, list[str]]] = [
    (
        "auth/t$0ls#top",
        ["tls", "team//knowledge/auth/tls#top", PARAGRAPH, DAILY, BODY, DOCUMENT],
    ),
    ("make $0all`", ["all", "make all", "`make all`", PARAGRAPH, DAILY, BODY, DOCUMENT]),
    (
        "go $0on",
        [
            "on",
            "- two words\n    go on",
            "- one\n  - two words\n    go on",
            LIST.removesuffix("\n"),
            DAILY,
            BODY,
            DOCUMENT,
        ],
    ),
    ("$0make it", ["make", "make it\n", "```sh\nmake it\n```", DAILY, BODY, DOCUMENT]),
    ("## Dai$0ly", ["Daily", "## Daily", DAILY, BODY, DOCUMENT]),
    (
        "old tok$0ens",
        [
            "tokens",
            "old tokens",
            "'old tokens'",
            "[auth, 'old tokens']",
            "tags: [auth, 'old tokens']",
            BLOCK,
            FRONTMATTER,
            DOCUMENT,
        ],
    ),
    ("tit$0le:", ["title", "title: A title", BLOCK, FRONTMATTER, DOCUMENT]),
]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_a_selection_grows_by_what_a_reader_sees(editor: Editor, encoding: str) -> None:
    await editor.start(encodings=[lsp.PositionEncodingKind(encoding)])
    name = "team/knowledge/draft.md"
    positions = []
    for number, (marked, _) in enumerate(CHAINS):
        at = DOCUMENT.index(marked.replace("$0", "")) + marked.index("$0")
        text = f"{DOCUMENT[:at]}$0{DOCUMENT[at:]}"
        positions.append(editor.change(name, text) if number else editor.open(name, text))
    answers = await editor.client.text_document_selection_range_async(
        lsp.SelectionRangeParams(lsp.TextDocumentIdentifier(editor.uri(name)), positions)
    )
    assert answers is not None and len(answers) == len(CHAINS)
    for answer, (marked, expected) in zip(answers, CHAINS, strict=True):
        chain, step = [], answer
        while step is not None:
            chain.append(editor.covered(DOCUMENT, step.range))
            step = step.parent
        assert chain == expected, marked


ODD = [
    ("team/knowledge/a.md", "$0"),
    ("team/knowledge/b.md", "---\ntags: [x, $0\n"),
    ("team/knowledge/c.md", "\r\n\r\n$0\r\n- \r\n"),
    ("team/env/x.env", "A=va$0lue\n"),
    ("team/scripts/x.sh", "echo $0\n"),
    ("team/knowledge/d.md", "a: &x [1]\n---\n---\nb: *x$0\n---\n"),
]


async def test_every_document_has_an_answer(editor: Editor) -> None:
    await editor.start()
    for name, marked in ODD:
        position = editor.open(name, marked)
        answers = await editor.client.text_document_selection_range_async(
            lsp.SelectionRangeParams(
                lsp.TextDocumentIdentifier(editor.uri(name)), [position, lsp.Position(99, 99)]
            )
        )
        assert answers is not None and len(answers) == 2
        outermost = answers[0]
        while outermost.parent is not None:
            outermost = outermost.parent
        assert editor.covered(marked.replace("$0", ""), outermost.range) == marked.replace("$0", "")
