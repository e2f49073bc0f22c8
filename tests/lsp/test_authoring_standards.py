"""``akm/conventions``: the authoring standards, for people's editors and for agents."""

from __future__ import annotations

import pytest
from editor import Editor, plain
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

FACT = (
    "---\ndescription: How skills are written\ncategory: convention\n---\n# Skills\n\nBe short.\n"
)


@pytest.mark.parametrize("method", ["akm/conventions", "workspace/executeCommand"])
async def test_the_facts_for_a_type_come_with_text_and_cost(editor: Editor, method: str) -> None:
    editor.write("team/facts/conventions/assets/skill.md", FACT)
    await editor.start()
    params = {"type": "skill", "bundle": "team"}
    if method != "akm/conventions":
        command = lsp.ExecuteCommandParams("akm.conventions", [params])
        answer = plain(await editor.client.workspace_execute_command_async(command))
    else:
        answer = await editor.request(method, params)
    (fact,) = answer["facts"]
    assert fact["ref"] == "team//facts/conventions/assets/skill"
    assert fact["title"] == "Skills" and fact["category"] == "convention"
    assert fact["content"] == "# Skills\n\nBe short."
    assert fact["estimatedTokens"] == answer["estimatedTokens"] > 0
    assert (await editor.request("akm/conventions", {"type": "memory"}))["facts"] == []


async def test_a_bundle_that_is_none_is_an_error(editor: Editor) -> None:
    await editor.start()
    with pytest.raises(JsonRpcException, match="no bundle"):
        await editor.request("akm/conventions", {"bundle": "nowhere"})
