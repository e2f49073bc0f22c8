"""Renaming in the text: the new name is everywhere the old one was meant, and nowhere else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from editor import Editor
from edits import apply, told
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

HERE = "team/knowledge/draft.md"
RELEASE = "team/skills/release/SKILL.md"


async def prepare(editor: Editor, name: str, marked: str) -> tuple[str, str] | None:
    """The text that would be selected, and the name in the box."""
    position = editor.open(name, marked)
    answer = await editor.client.text_document_prepare_rename_async(
        lsp.PrepareRenameParams(**editor.at(name, position))
    )
    if answer is None:
        return None
    assert isinstance(answer, lsp.PrepareRenamePlaceholder)
    return editor.covered(editor.texts[editor.uri(name)], answer.range), answer.placeholder


async def rename(editor: Editor, name: str, marked: str, new: str) -> lsp.WorkspaceEdit | None:
    position = editor.open(name, marked)
    return await editor.client.text_document_rename_async(
        lsp.RenameParams(**editor.at(name, position), new_name=new)
    )


async def refusal(editor: Editor, name: str, marked: str, new: str) -> str:
    with pytest.raises(JsonRpcException) as caught:
        await rename(editor, name, marked, new)
    return str(caught.value.message)


def read(editor: Editor, name: str) -> str:
    return (editor.root / name).read_bytes().decode()


# What can be renamed.


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_of_a_ref_the_concept_id_is_renamed(editor: Editor, encoding: str) -> None:
    await editor.start(encodings=[lsp.PositionEncodingKind(encoding)])
    found = await prepare(editor, HERE, "😀 team//knowledge/auth/to$0kens#daily-rotation\n")
    assert found == ("knowledge/auth/tokens", "knowledge/auth/tokens")


async def test_what_has_a_name_and_what_has_none(editor: Editor) -> None:
    await editor.start()
    marked = "---\ntags: [auth, to$0kens]\n---\n# T\n"
    assert await prepare(editor, "team/knowledge/a.md", marked) == ("tokens", "tokens")
    assert await prepare(editor, "team/knowledge/b.md", "## Daily $0use ##\n") == (
        "Daily use",
        "Daily use",
    )
    fragment = "team//knowledge/auth/tokens#daily-ro$0tation\n"
    assert await prepare(editor, "team/knowledge/c.md", fragment) == (
        "daily-rotation",
        "Daily rotation",
    )
    assert (
        await prepare(editor, "team/knowledge/d.md", "Just te$0xt, knowledge/auth/tls.\n") is None
    )
    assert (
        await prepare(editor, "team/knowledge/e.md", "```\nteam//skills/re$0lease\n```\n") is None
    )
    with pytest.raises(JsonRpcException, match="does not exist"):
        await prepare(editor, "team/knowledge/f.md", "team//knowledge/go$0ne\n")


# Assets.


async def test_an_asset_its_file_and_every_citation(editor: Editor) -> None:
    editor.write(
        "team/README.md",
        "# Team\r\n\r\n[Tokens](knowledge/auth/tokens.md#daily-rotation 'T') and\r\n"
        "`team//knowledge/auth/tokens`, but knowledge/auth/tokens is text.\r\n\r\n"
        "```\r\nteam//knowledge/auth/tokens\r\n```\r\n<!-- team//knowledge/auth/tokens -->\r\n",
    )
    await editor.start(["team", "other"])
    edit = await rename(editor, HERE, "# D\n\n😀 team//knowledge/auth/to$0kens\n", "keys")
    assert apply(editor, edit) == [
        f"{HERE} v1",
        "team/README.md vNone",
        "team/memories/note.md vNone",
        f"{RELEASE} vNone",
        "team/knowledge/auth/tokens.md -> team/knowledge/auth/keys.md",
    ]
    assert read(editor, HERE) == "# D\n\n😀 team//knowledge/auth/keys\n"
    assert read(editor, "team/README.md") == (
        "# Team\r\n\r\n[Tokens](knowledge/auth/keys.md#daily-rotation 'T') and\r\n"
        "`team//knowledge/auth/keys`, but knowledge/auth/tokens is text.\r\n\r\n"
        "```\r\nteam//knowledge/auth/tokens\r\n```\r\n<!-- team//knowledge/auth/tokens -->\r\n"
    )
    assert "  - knowledge/auth/keys\n" in read(editor, "team/memories/note.md")
    assert "team//knowledge/auth/keys#daily-rotation, then" in read(editor, RELEASE)


async def test_a_whole_concept_id_moves_the_file(editor: Editor) -> None:
    editor.write("team/knowledge/auth/tls.md", "# TLS\n\n[t](tokens.md) [s](../old.md)\n")
    await editor.start(["team", "other"])
    edit = await rename(editor, HERE, "team//knowledge/auth/t$0ls\n", "knowledge/net/tls-notes")
    touched = apply(editor, edit)
    assert touched[-1] == "team/knowledge/auth/tls.md -> team/knowledge/net/tls-notes.md"
    assert read(editor, "team/knowledge/net/tls-notes.md") == (
        "# TLS\n\n[t](../auth/tokens.md) [s](../old.md)\n"
    )
    assert "supersededBy: [knowledge/net/tls-notes]" in read(editor, "team/knowledge/old.md")


async def test_into_another_bundle_the_refs_name_it(editor: Editor) -> None:
    await editor.start(["team", "other"])
    edit = await rename(editor, HERE, "team//knowledge/auth/t$0ls\n", "other//knowledge/tls")
    apply(editor, edit)
    assert read(editor, "other/knowledge/tls.md").endswith("# TLS\n")
    assert "supersededBy: [other//knowledge/tls]" in read(editor, "team/knowledge/old.md")
    assert "See other//knowledge/tls here." in read(editor, "other/memories/seen.md")


async def test_a_skill_is_its_directory_and_its_name(editor: Editor) -> None:
    await editor.start()
    text = "[s](../skills/release/references/steps.md)\n\nteam//skills/re$0lease\n"
    edit = await rename(editor, HERE, text, "ship")
    assert apply(editor, edit)[-1] == "team/skills/release -> team/skills/ship"
    assert "name: ship\n" in read(editor, "team/skills/ship/SKILL.md")
    assert read(editor, HERE) == "[s](../skills/ship/references/steps.md)\n\nteam//skills/ship\n"


async def test_a_memory_takes_its_twin_along(editor: Editor) -> None:
    editor.write("team/memories/note.derived.md", "---\nderivedFrom: memories/note\n---\n# N\n")
    await editor.start()
    edit = await rename(editor, HERE, "team//memories/no$0te team//memories/note.derived\n", "memo")
    assert apply(editor, edit)[-2:] == [
        "team/memories/note.md -> team/memories/memo.md",
        "team/memories/note.derived.md -> team/memories/memo.derived.md",
    ]
    assert read(editor, HERE) == "team//memories/memo team//memories/memo.derived\n"
    assert "derivedFrom: memories/memo\n" in read(editor, "team/memories/memo.derived.md")


async def test_unsaved_text_counts_with_its_version(editor: Editor) -> None:
    await editor.start()
    editor.open("team/memories/note.md", "# Note\n")
    editor.change("team/memories/note.md", "# Note\n\nNow team//knowledge/auth/tls.\n")
    edit = await rename(editor, HERE, "team//knowledge/auth/t$0ls\n", "x509")
    assert "team/memories/note.md v2" in apply(editor, edit)
    assert read(editor, "team/memories/note.md") == "# Note\n\nNow team//knowledge/auth/x509.\n"


async def test_after_the_move_the_new_ref_answers_at_once(editor: Editor) -> None:
    await editor.start(["team", "other"])
    edit = await rename(editor, HERE, "team//knowledge/auth/t$0ls\n", "x509")
    apply(editor, edit)
    pairs = [lsp.FileRename(editor.uri(f"team/knowledge/auth/{n}.md"), "") for n in ("tls",)]
    pairs[0].new_uri = editor.uri("team/knowledge/auth/x509.md")
    editor.client.workspace_did_rename_files(lsp.RenameFilesParams(pairs))
    position = editor.change(HERE, "team//knowledge/auth/x5$009\n")
    answer = await editor.client.text_document_definition_async(
        lsp.DefinitionParams(**editor.at(HERE, position))
    )
    (link,) = answer or ()
    assert link.target_uri == editor.uri("team/knowledge/auth/x509.md")
    found = await editor.request("akm/references", {"ref": "team//knowledge/auth/x509"})
    assert editor.uri(HERE) in [place["uri"] for place in found]


async def test_changes_elsewhere_want_to_be_confirmed(editor: Editor) -> None:
    await editor.start()
    edit = await rename(editor, HERE, "team//knowledge/auth/to$0kens\n", "keys")
    assert edit is not None and edit.document_changes and edit.change_annotations
    asks: dict[str, bool] = {}
    for change in edit.document_changes:
        if isinstance(change, lsp.TextDocumentEdit):
            for item in change.edits:
                assert isinstance(item, lsp.AnnotatedTextEdit)
                annotation = edit.change_annotations[item.annotation_id]
                asks[editor.name(change.text_document.uri)] = bool(annotation.needs_confirmation)
    assert asks == {HERE: False, "team/memories/note.md": True, RELEASE: True}


# What is not done.


async def test_a_read_only_bundle_is_told_of_and_left_alone(editor: Editor) -> None:
    bundles: dict[str, Any] = {
        name: {"path": str(editor.root / name), "writable": name == "team"}
        for name in ("team", "other")
    }
    config = {"configVersion": "0.9.0", "bundles": bundles, "defaultBundle": "team"}
    editor.write("config.json", json.dumps(config))
    await editor.start(["team"], options={"config": str(editor.root / "config.json")})
    edit = await rename(editor, HERE, "team//knowledge/auth/t$0ls\n", "x509")
    assert not any("other" in name for name in apply(editor, edit))
    await editor.until(lambda: told(editor))
    assert told(editor) == (
        'In the read-only bundle "other" 1 place keeps the old name: memories/seen.md.'
    )
    message = await refusal(editor, "team/knowledge/x.md", "other//knowledge/the$0re\n", "here")
    assert message == (
        'other//knowledge/there is in the bundle "other", which is read-only; rename it at its '
        "origin."
    )


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("  ", "The new name is empty."),
        ("tls", "knowledge/auth/tls.md exists already in team."),
        ("index", '"index" is a reserved name'),
        ("../../outside", "Path traversal"),
        ("/etc/passwd", "Absolute path"),
        ("knowledge/.hidden/x1", "would not be found"),
        ("knowledge/auth/tls.md/deep", "is a file and cannot have"),
        ("skills/tokens", "cannot become a skill"),
        ("nowhere//knowledge/x1", 'No bundle is named "nowhere".'),
        ("a#b", 'holds a "#"'),
        ("what?", 'holds "?"'),
        ("two words", "cannot be written where it is cited"),
        ("x" * 300, "cannot be the name of a file"),
    ],
)
async def test_names_that_cannot_be(editor: Editor, typed: str, why: str) -> None:
    await editor.start()
    message = await refusal(editor, HERE, "See team//knowledge/auth/to$0kens.\n", typed)
    assert why in message
    assert (editor.root / "team/knowledge/auth/tokens.md").exists()


async def test_an_editor_that_cannot_rename_files_is_told_so(editor: Editor) -> None:
    def less(capabilities: lsp.ClientCapabilities) -> None:
        assert capabilities.workspace and capabilities.workspace.workspace_edit
        capabilities.workspace.workspace_edit.resource_operations = None

    await editor.start(adjust=less)
    message = await refusal(editor, HERE, "team//knowledge/auth/to$0kens\n", "keys")
    assert "Rename the file in the editor's file tree" in message


async def test_an_editor_of_few_words_gets_plain_changes(editor: Editor) -> None:
    def none(capabilities: lsp.ClientCapabilities) -> None:
        assert capabilities.workspace
        capabilities.workspace.workspace_edit = None

    await editor.start(adjust=none)
    edit = await rename(editor, HERE, "## He$0re\n\n[x](#here)\n", "There")
    assert edit is not None and edit.document_changes is None
    apply(editor, edit)
    assert read(editor, HERE) == "## There\n\n[x](#there)\n"


# Headings, steps, tags.


async def test_a_heading_and_all_that_names_it(editor: Editor) -> None:
    editor.write(
        "team/README.md", "[d](knowledge/auth/tokens.md#daily-rotation) [e](#daily-rotation)\n"
    )
    await editor.start()
    text = (
        "# Token rotation\n\n## Daily & $0Rotation ##\n\n[up](#daily--rotation)\n\n"
        "## Daily & Rotation\n\n[this](#daily--rotation-1)\n"
        "team//knowledge/auth/tokens#daily-rotation-1\n"
    )
    name = "team/knowledge/auth/tokens.md"
    apply(editor, await rename(editor, name, text, "Once a day"))
    assert read(editor, name) == (
        "# Token rotation\n\n## Once a day ##\n\n[up](#once-a-day)\n\n"
        "## Daily & Rotation\n\n[this](#daily--rotation)\n"
        "team//knowledge/auth/tokens#daily-rotation\n"
    )
    assert "team//knowledge/auth/tokens#once-a-day, then" in read(editor, RELEASE)
    # The README's link named no heading of the text as it stands now.
    assert "#daily-rotation)" in read(editor, "team/README.md")


async def test_from_the_fragment_of_a_ref(editor: Editor) -> None:
    await editor.start()
    text = "team//knowledge/auth/tokens#in-an-emer$0gency\n"
    touched = apply(editor, await rename(editor, HERE, text, "Größte Not"))
    assert sorted(touched) == ["team/knowledge/auth/tokens.md vNone", f"{HERE} v1"]
    assert read(editor, HERE) == "team//knowledge/auth/tokens#größte-not\n"
    assert "## Größte Not\n" in read(editor, "team/knowledge/auth/tokens.md")


async def test_headings_that_cannot_be(editor: Editor) -> None:
    await editor.start()
    text = "# D\n\n## Us$0e\n"
    assert "is empty" in await refusal(editor, HERE, text, " ")
    assert "needs a letter" in await refusal(editor, HERE, text, "!!!")


WORKFLOW = """---
type: workflow
description: Ships
steps:
  - id: build
    unit: {}
  - id: pick
    route:
      input: steps.build.output.kind
      when:
        - {match: a, step: ship}
      default: ship
  - id: ship
    inputs: [steps.build.output]
---
# Ship

## build

Build it.

## ship

Ship it as build says.
"""


async def test_a_step_its_section_and_its_uses(editor: Editor) -> None:
    editor.write("team/workflows/ship.md", WORKFLOW)
    editor.write(HERE, "team//workflows/ship#build [b](../workflows/ship.md#build)\n")
    await editor.start()
    name = "team/workflows/ship.md"
    marked = WORKFLOW.replace("steps.build.output.kind", "steps.bu$0ild.output.kind")
    apply(editor, await rename(editor, name, marked, "compile"))
    expected = (
        WORKFLOW.replace("id: build", "id: compile")
        .replace("steps.build.", "steps.compile.")
        .replace("## build", "## compile")
    )
    assert read(editor, name) == expected
    assert read(editor, HERE) == "team//workflows/ship#compile [b](../workflows/ship.md#compile)\n"
    for new, why in (("pick", "already"), ("2nd", "cannot be a step id"), ("", "empty")):
        assert why in await refusal(editor, name, marked, new)


async def test_a_step_is_renamed_on_its_section_too(editor: Editor) -> None:
    await editor.start()
    marked = WORKFLOW.replace("## ship", "## sh$0ip")
    apply(editor, await rename(editor, "team/workflows/w2.md", marked, "deliver"))
    text = read(editor, "team/workflows/w2.md")
    assert "## deliver\n" in text and "id: deliver\n" in text and "default: deliver\n" in text
    assert "step: deliver}" in text and "# Ship\n" in text


async def test_a_tag_in_the_whole_bundle(editor: Editor) -> None:
    editor.write("team/lessons/one.md", "---\ntags:\n  - 'auth'\n  - other\n---\nauth\n")
    editor.write("team/lessons/two.md", "---\ntags: [auth, security]\n---\n# Two\n")
    editor.write("other/lessons/three.md", "---\ntags: [auth]\n---\n# Three\n")
    await editor.start(["team", "other"])
    apply(editor, await rename(editor, HERE, "---\ntags: au$0th\n---\n", "security"))
    assert read(editor, HERE) == "---\ntags: security\n---\n"
    assert read(editor, "team/lessons/one.md") == (
        "---\ntags:\n  - 'security'\n  - other\n---\nauth\n"
    )
    assert "tags: [security]\n" in read(editor, "team/lessons/two.md")
    assert "tags: [security, tokens]\n" in read(editor, "team/knowledge/auth/tokens.md")
    assert "tags: [auth]\n" in read(editor, "other/lessons/three.md")
