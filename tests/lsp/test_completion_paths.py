"""Completion of relative paths and of the anchors behind them."""

from __future__ import annotations

import pytest
from completing import complete, item_of, labels
from editor import Editor

SKILL = "team/skills/release/SKILL.md"
PAGE = "team/knowledge/auth/draft.md"
HEAD = "---\nname: release\ndescription: Releases the product\n---\n# Release\n\n"


async def test_a_link_is_completed_directory_by_directory(editor: Editor) -> None:
    await editor.start()
    found = await complete(editor, PAGE, "See [it]($0)\n")
    assert labels(found) == ["tls.md", "tokens.md"]
    assert "draft.md" not in labels(found), "not the page itself"
    found = await complete(editor, PAGE, "See [it](../$0)\n")
    assert labels(found)[:1] == ["old.md"]
    assert "auth/" in labels(found)
    assert editor.accept(PAGE, found, "auth/") == "See [it](../auth/)\n"


@pytest.mark.parametrize(
    ("marked", "label", "accepted"),
    [
        ("[x](to$0)\n", "tokens.md", "[x](tokens.md)\n"),
        ("[x](to$0\n", "tokens.md", "[x](tokens.md\n"),
        ("[x](<to$0>)\n", "tokens.md", "[x](<tokens.md>)\n"),
        ("[x](to$0ld.md#part)\n", "tokens.md", "[x](tokens.md#part)\n"),
        ("[x](../au$0/tls.md)\n", "auth/", "[x](../auth/tls.md)\n"),
        ("[x]: to$0\n", "tokens.md", "[x]: tokens.md\n"),
        ("😀 [x](to$0) 😀\n", "tokens.md", "😀 [x](tokens.md) 😀\n"),
        ("- @to$0\n", "tokens.md", "- @tokens.md\n"),
        ("[x](with$0)\n", "with blank.md", "[x](with%20blank.md)\n"),
    ],
)
async def test_accepting_a_path_replaces_its_segment_and_nothing_else(
    editor: Editor, marked: str, label: str, accepted: str
) -> None:
    editor.write("team/knowledge/auth/with blank.md", "# B\n")
    await editor.start()
    found = await complete(editor, PAGE, marked)
    assert editor.accept(PAGE, found, label) == accepted


async def test_an_image_is_offered_images_first(editor: Editor) -> None:
    editor.write("team/knowledge/auth/flow.png", b"\x89PNG")
    await editor.start()
    assert labels(await complete(editor, PAGE, "![flow]($0)\n"))[0] == "flow.png"


async def test_an_asset_says_what_it_is_and_has_its_card(editor: Editor) -> None:
    await editor.start()
    found = await complete(editor, PAGE, "[x](to$0)\n")
    item = item_of(found, "tokens.md")
    assert item.detail == "knowledge: Token rotation"
    resolved = await editor.client.completion_item_resolve_async(item)
    assert "How tokens are rotated" in str(resolved.documentation)


async def test_in_a_skill_a_code_span_names_its_files(editor: Editor) -> None:
    await editor.start()
    found = await complete(editor, SKILL, HEAD + "Read `references/$0`\n")
    assert labels(found) == ["steps.md"]
    assert editor.accept(SKILL, found, "steps.md") == HEAD + "Read `references/steps.md`\n"
    found = await complete(editor, SKILL, HEAD + "Run `cat references/st$0\n")
    assert editor.accept(SKILL, found, "steps.md") == HEAD + "Run `cat references/steps.md\n"


@pytest.mark.parametrize(
    "marked",
    [
        "Read `auth/$0`\n",
        "```\n[x]($0)\n```\n",
        "<!-- [x]($0) -->\n",
        "[x](https://$0)\n",
        "[x](/etc/$0)\n",
        "[x](../../../../../../$0)\n",
        "mail a@to$0\n",
    ],
)
async def test_elsewhere_no_files_are_offered(editor: Editor, marked: str) -> None:
    await editor.start()
    found = labels(await complete(editor, PAGE, marked))
    assert not [label for label in found if not label.endswith("//")]


async def test_a_directory_that_leads_out_of_the_repository_is_not_listed(editor: Editor) -> None:
    editor.write("private/diary.md", "# Diary\n")
    (editor.root / "team/knowledge/auth/out").symlink_to(editor.root / "private")
    (editor.root / "team/.git").mkdir()
    await editor.start()
    assert labels(await complete(editor, PAGE, "[x](out/$0)\n")) == []


async def test_hidden_files_are_offered_when_a_dot_is_typed(editor: Editor) -> None:
    editor.write("team/knowledge/auth/.notes.md", "# N\n")
    await editor.start()
    assert ".notes.md" not in labels(await complete(editor, PAGE, "[x]($0)\n"))
    assert ".notes.md" in labels(await complete(editor, PAGE, "[x](.n$0)\n"))


async def test_behind_a_hash_stand_the_anchors_as_github_makes_them(editor: Editor) -> None:
    await editor.start()
    found = await complete(editor, PAGE, "[x](tokens.md#$0)\n")
    assert labels(found) == ["token-rotation", "daily-rotation", "in-an-emergency"]
    assert editor.accept(PAGE, found, "daily-rotation") == "[x](tokens.md#daily-rotation)\n"
    found = await complete(editor, PAGE, "# Über uns & Co.\n\n[x](#$0)\n")
    assert labels(found) == ["über-uns--co"]
