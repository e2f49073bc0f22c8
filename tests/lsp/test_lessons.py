"""What users of other servers complain of, and what no test of a single feature shows.

docs/lessons.md has the list, and where the other themes are tested.
"""

from __future__ import annotations

import gc
import os
import weakref
from pathlib import Path
from typing import Any

import pytest
from completing import complete, labels
from editor import Editor
from lsprotocol import types as lsp

from akm_ls.lint.rules import ALL_RULES
from akm_ls.workspace import Settings, Workspace

DRAFT = "team/knowledge/draft.md"

# Stale findings after another file has changed.


async def test_a_heading_that_is_renamed_and_comes_back(editor: Editor) -> None:
    await editor.start()
    tls = "team/knowledge/auth/tls.md"
    editor.open(DRAFT, "See team//knowledge/auth/tls#part and [it](auth/tls.md#part).\n")
    editor.open(tls, "# TLS\n\n## Part\n")
    await editor.shows(DRAFT, [])
    editor.change(tls, "# TLS\n\n## Other\n")
    await editor.shows(DRAFT, [("dead-anchor", "part"), ("dead-anchor", "part")])
    editor.change(tls, "# TLS\n\n## Part\n")
    await editor.shows(DRAFT, [])


async def test_a_file_that_is_deleted_and_made_again(editor: Editor) -> None:
    await editor.start()
    tls = "team/knowledge/auth/tls.md"
    editor.open(DRAFT, "See team//knowledge/auth/tls and [it](auth/tls.md).\n")
    await editor.shows(DRAFT, [])
    text = (editor.root / tls).read_text()
    os.unlink(editor.root / tls)
    editor.outside_change((tls, lsp.FileChangeType.Deleted))
    await editor.shows(
        DRAFT, [("missing-ref", "team//knowledge/auth/tls"), ("dead-link", "auth/tls.md")]
    )
    editor.write(tls, text)
    editor.outside_change((tls, lsp.FileChangeType.Created))
    await editor.shows(DRAFT, [])


# False alarms.


@pytest.mark.parametrize(
    "text",
    [
        "Type `[[` to begin and `]]` to end.",
        "Press [[Tab]] or [Enter].",
        "- [x] done\n- [ ] to do",
        "[TOC]\n\n[[_TOC_]]",
        "> ```sh\n> cat team//knowledge/gone\n> ```",
        "- item\n\n  ```\n  team//knowledge/gone [x](gone.md)\n  ```",
        "<!-- team//knowledge/gone and [x](gone.md) -->",
        "`[x](gone.md)` and ``[[gone]] `[y](gone.md)` ``",
        "magnet:?xt=urn:btih:abc and https://example.com//knowledge/gone",
        "[m](magnet:?xt=urn:btih:abc) [p](mailto:a@b.c) [d](data:text/plain,x) [h](HTTP://x/y.md)",
        "//knowledge/gone, ///team//x, x//y, 7//2, @org//pkg:target, ${v//a/b}, s//g",
        "[x]({{path}}/gone.md) [y](<your-file>.md) {{bundle}}//knowledge/{{name}}",
        "$(team//knowledge/gone) $team//knowledge/gone ../team//knowledge/gone",
        "A footnote[^1].\n\n[^1]: Not a link.",
        "[text][undefined] and [a] (b.md)",
        "\\[x](gone.md)",
        "<img src=\"gone.png\"> <a name='x'></a>",
    ],
)
async def test_what_only_looks_like_a_ref_or_a_link(editor: Editor, text: str) -> None:
    await editor.start()
    editor.open(DRAFT, f"{text}\n\nteam//knowledge/gone1\n")
    await editor.until(lambda: editor.uri(DRAFT) in editor.client.diagnostics)
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/gone1")])


# Memory of long sessions.


def test_edits_leave_nothing_behind(root: Path) -> None:
    settings = Settings(bundle_dirs=(str(root / "team"),), data_dir=str(root / "data"))
    with Workspace.open(settings) as workspace:
        workspace.refresh()
        path = str(root / "team/knowledge/draft.md")
        seen = []
        for number in range(20):
            workspace.put(path, f"# {number}\n\nSee team//knowledge/auth/tls{number}.\n", number)
            workspace.findings(path)
            seen.append(weakref.ref(workspace.documents.get(path).document))  # type: ignore[union-attr]
        gc.collect()
        assert [document() is not None for document in seen] == [False] * 19 + [True]


# Findings that nobody can filter.


async def test_every_finding_has_a_code_and_a_page(editor: Editor) -> None:
    await editor.start()
    editor.open(DRAFT, "---\nxrefs: [knowledge/gone, knowledge/gone]\n---\n[x](gone.md)\n```\n")
    await editor.until(lambda: len(editor.client.diagnostics.get(editor.uri(DRAFT), ())) > 3)
    codes = {rule.code for rule in ALL_RULES}
    for diagnostic in editor.client.diagnostics[editor.uri(DRAFT)]:
        assert diagnostic.code in codes
        assert diagnostic.source == "akm"
        assert diagnostic.code_description is not None
        assert diagnostic.code_description.href.endswith(f"{diagnostic.code}.md")


# Nothing happens, and nobody says why.


async def test_why_nothing_happens_is_told(editor: Editor) -> None:
    editor.write("code/main.py", "print()\n")
    await editor.start(["code"])
    code = str(editor.root / "code")
    told = [message.message for message in editor.client.log_messages]
    (said,) = [message for message in told if "No bundle is open" in message]
    assert code in said and "akm-ls doctor" in said and "akm.bundleDirs" in said
    assert not editor.client.messages or all(
        "No bundle is open" not in message.message for message in editor.client.messages
    ), "it interrupts nobody"
    status = await editor.request("akm/status", {})
    assert said in status["warnings"]


# Line ends.


@pytest.mark.parametrize("end", ["\r\n", "\r"])
async def test_line_ends_make_no_difference(editor: Editor, end: str) -> None:
    await editor.start()
    text = (
        "---\ndescription: Use when: it rains\nxrefs:\n  - knowledge/gone\n---\n# D\n\n"
        "See team//knowledge/gone2, [x](gone.md) and team//knowledge/auth/tls#none.\n"
    )
    places = []
    for name, each in (("team/knowledge/lf.md", text), (DRAFT, text.replace("\n", end))):
        editor.open(name, each)
        await editor.until(lambda name=name: len(editor.diagnostics(name)) > 3)
        places.append([(item.code, item.range) for item in editor.diagnostics(name)])
    assert places[0] == places[1]


# Ambiguity.


async def test_a_name_that_begins_like_another_is_no_doubt(editor: Editor) -> None:
    for name in ("auth", "auth-x", "auth/index-of-tls", "tls", "tls-x", "auth/tl", "auth/tl-x"):
        editor.write(f"team/knowledge/{name}.md", f"# {name}\n\n## Part\n\n## Part\n")
    await editor.start()
    refs = ["team//knowledge/auth", "team//knowledge/auth/tl", "team//knowledge/tls#part-1"]
    position = editor.open(DRAFT, f"team//knowledge/auth/tl$0 {' '.join(refs)}\n")
    await editor.until(lambda: editor.uri(DRAFT) in editor.client.diagnostics)
    assert editor.diagnostics(DRAFT) == []
    answer = await editor.client.text_document_definition_async(
        lsp.DefinitionParams(**editor.at(DRAFT, position))
    )
    assert isinstance(answer, list) and len(answer) == 1
    assert answer[0].target_uri.endswith("/team/knowledge/auth/tl.md")  # type: ignore[union-attr]


# Completions that the editor throws away again.


@pytest.mark.parametrize(
    ("marked", "label"),
    [
        ("See team//kn$0\n", "team//knowledge/auth/tls"),
        ("See team//knowledge/auth/to$0kens.\n", "team//knowledge/auth/tokens"),
        ("See tea$0\n", "team//"),
        ("---\nxrefs: [know$0]\n---\n", "knowledge/auth/tls"),
        ("---\nxrefs:\n  - $0\n---\n", "knowledge/auth/tls"),
        ('---\nsupersededBy: "team//kno$0"\n---\n', "team//knowledge/auth/tls"),
        ("---\ndescr$0\n---\n", "description"),
        ("---\nbeliefState: sup$0\n---\n", "superseded"),
        ("[x](au$0)\n", "auth/"),
        ("[x](auth/t$0ls.md)\n", "tls.md"),
        ("team//knowledge/auth/tokens#dai$0\n", "daily-rotation"),
        ("# Title\n\n[x](#ti$0)\n", "title"),
    ],
)
async def test_what_was_typed_is_what_the_editor_filters_by(
    editor: Editor, marked: str, label: str
) -> None:
    await editor.start()
    offered = await complete(editor, DRAFT, marked)
    lines = editor.texts[editor.uri(DRAFT)].split("\n")
    before = marked[: marked.index("$0")]
    line, cursor = before.count("\n"), len(before) - before.rfind("\n") - 1
    kept = []
    for item in offered.items:
        where: Any = item.text_edit or offered.item_defaults.edit_range  # type: ignore[union-attr]
        span = where if isinstance(where, lsp.Range) else getattr(where, "insert", None)
        span = span or where.range
        assert span.start.line == line and span.start.character <= cursor <= span.end.character
        typed = lines[line][span.start.character : cursor].lower()
        letters = iter((item.filter_text or item.label).lower())
        if all(letter in letters for letter in typed):
            kept.append(item.label)
    assert label in kept, labels(offered)


async def test_a_blank_is_no_question(editor: Editor) -> None:
    await editor.start()
    for marked in ("A sentence. $0\n", "Is it 5: $0\n", "a / $0\n", "- $0\n"):
        assert labels(await complete(editor, DRAFT, marked, typed=" ")) == []


# Unsaved buffers.


async def test_a_file_that_is_deleted_while_it_is_open_still_counts(editor: Editor) -> None:
    await editor.start()
    tls = "team/knowledge/auth/tls.md"
    editor.open(DRAFT, "See team//knowledge/auth/tls#fresh.\n")
    editor.open(tls, "# TLS\n\n## Fresh\n")
    await editor.shows(DRAFT, [])
    os.unlink(editor.root / tls)
    editor.outside_change((tls, lsp.FileChangeType.Deleted))
    editor.change(DRAFT, "See team//knowledge/auth/tls#fresh and team//knowledge/gone.\n")
    await editor.shows(DRAFT, [("missing-ref", "team//knowledge/gone")])
    editor.close(tls)
    await editor.shows(
        DRAFT,
        [
            ("missing-ref", "team//knowledge/auth/tls#fresh"),
            ("missing-ref", "team//knowledge/gone"),
        ],
    )


# References that are not found.


async def test_citations_are_found_wherever_they_stand(editor: Editor) -> None:
    ref = "other//knowledge/there"
    places = {
        "team/knowledge/deep/er/table.md": f"| a | b |\n| --- | --- |\n| {ref} | {ref}#top |\n",
        "team/knowledge/footnote.md": f"Text[^1].\n\n[^1]: See {ref}.\n",
        "team/knowledge/quote.md": f"> - *{ref}*, **{ref}**\n",
        "team/knowledge/heading.md": f"# About {ref}\n\n1. ({ref})\n",
        "team/knowledge/list.md": f"---\nxrefs:\n- {ref}\nsupersededBy: ['{ref}']\n---\n",
        "team/commands/do.md": f"---\ndescription: Do\n---\nRead {ref}.\n",
        "team/README.md": f"Start with {ref}.\n",
        "team/skills/release/references/more.md": f"{ref}\n\n{ref}\n",
    }
    for name, text in places.items():
        editor.write(name, text)
    await editor.start(["team", "other"])
    found = await editor.request("akm/references", {"ref": ref})
    count = dict.fromkeys(places, 0)
    for location in found:
        count[editor.name(location["uri"])] += 1
    assert count == {name: text.count(ref) for name, text in places.items()}


# Names of assets and of directories.


async def test_a_bundle_whose_directory_begins_with_a_dot(editor: Editor) -> None:
    editor.write(".stash/knowledge/a.md", "# A\n")
    editor.write(".stash/knowledge/b.md", "# B\n")
    editor.write("team/node_modules/pkg/skills/x/SKILL.md", "---\nname: x\n---\n")
    await editor.start([".stash", "team"])
    status = await editor.request("akm/status", {})
    entries = {bundle["root"].rpartition("/")[2]: bundle["entries"] for bundle in status["bundles"]}
    assert entries[".stash"] == 2
    found = await editor.request("akm/search", {"query": "pkg"})
    assert not any("node_modules" in hit["path"] for hit in found["hits"])
