"""Completion of whole files, and of the comments that switch rules off."""

from __future__ import annotations

import pytest
from completing import complete, documentation, item_of, labels
from editor import Editor

from akm_ls.lint.engine import CODES


@pytest.mark.parametrize(
    ("name", "label", "has"),
    [
        ("team/skills/ship/SKILL.md", "New skill", "name: ship\ndescription: ${1:"),
        ("team/commands/ship.md", "New command", "type: command\n"),
        ("team/agents/rev.md", "New agent", "type: agent\n"),
        ("team/memories/x.md", "New memory", "observed_at: "),
        ("team/lessons/x.md", "New lesson", "when_to_use: ${2:"),
        ("team/facts/x.md", "New fact", "category: ${3|personal,team,"),
        ("team/workflows/x.md", "New workflow", "  - id: ${3:prepare}\n"),
        ("team/tasks/x.yml", "New task", "version: 2\n"),
        ("team/knowledge/x.md", "New knowledge", "# X\n"),
    ],
)
@pytest.mark.parametrize("marked", ["$0", "\n$0\n"])
async def test_an_empty_file_becomes_what_its_place_says(
    editor: Editor, name: str, label: str, has: str, marked: str
) -> None:
    await editor.start()
    found = await complete(editor, name, marked)
    assert labels(found) == [label]
    assert has in editor.accept(name, found, label)


@pytest.mark.parametrize("marked", ["sk$0", "---$0", "---\n$0"])
async def test_what_was_begun_is_replaced(editor: Editor, marked: str) -> None:
    await editor.start()
    name = "team/skills/ship/SKILL.md"
    found = await complete(editor, name, marked)
    if marked != "---\n$0":
        assert editor.accept(name, found, "New skill").count("---\n") == 2
    assert labels(found)


async def test_a_file_with_text_or_of_no_type_is_not_replaced(editor: Editor) -> None:
    await editor.start()
    found = await complete(editor, "team/skills/ship/SKILL.md", "# Ship\n\n$0\n")
    assert "New skill" not in labels(found)
    assert "New secret" not in labels(await complete(editor, "team/notes.md", "$0"))


@pytest.mark.parametrize(
    ("marked", "label", "accepted"),
    [
        (
            "x <!-- akm$0 -->\n",
            "akm-ls-disable-line",
            "x <!-- akm-ls-disable-line -->\n",
        ),
        (
            "x <!-- akm-ls-disable-line mis$0 -->\n",
            "missing-ref",
            "x <!-- akm-ls-disable-line missing-ref -->\n",
        ),
        (
            "x <!-- akm-ls-disable dead-link, mis$0sing-x\n",
            "missing-ref",
            "x <!-- akm-ls-disable dead-link, missing-ref\n",
        ),
        (
            "---\n# akm-ls-disable-next-line $0\nname: x\n---\n",
            "unquoted-colon",
            "---\n# akm-ls-disable-next-line unquoted-colon\nname: x\n---\n",
        ),
    ],
)
async def test_comments_that_switch_rules_off(
    editor: Editor, marked: str, label: str, accepted: str
) -> None:
    await editor.start()
    name = "team/knowledge/draft.md"
    found = await complete(editor, name, marked)
    assert editor.accept(name, found, label) == accepted


async def test_every_rule_is_offered_with_its_page(editor: Editor) -> None:
    await editor.start(options={"completion": {"maxItems": 200}})
    name = "team/knowledge/draft.md"
    found = await complete(editor, name, "<!-- akm-ls-disable dead-link, $0 -->\n")
    assert set(labels(found)) == CODES - {"dead-link"}
    text = documentation(item_of(found, "missing-ref"))
    assert "What to do" in text and "missing-ref.md" in text


async def test_a_comment_in_a_fence_is_an_example(editor: Editor) -> None:
    await editor.start()
    marked = "```\n<!-- akm-ls-disable mis$0 -->\n```\n"
    assert not labels(await complete(editor, "team/knowledge/draft.md", marked))
