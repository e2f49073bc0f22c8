"""What a script's head comments say of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akm_ls.documents.script_comments import ScriptParameter, read_script_comments


def test_every_tag() -> None:
    comments = read_script_comments(
        "#!/bin/sh\n"
        "# @description Ships the build\n# @tags deploy, release\n# @alias ship\n"
        "# @searchHint rollout\n# @usage ship.sh ENV\n# @example ship.sh prod\n"
        "# @run ./ship.sh\n# @setup make deps\n# @cwd tools\n# @scope user=me agent=bot\n"
        "# @intent.when shipping\n# @intent.output a release\n"
        "# @param {string} env - Where to ship\n# @param force\n"
    )
    assert (comments.description, comments.tagged) == ("Ships the build", True)
    assert comments.tags == ("deploy", "release")
    assert (comments.aliases, comments.search_hints) == (("ship",), ("rollout",))
    assert (comments.usage, comments.examples) == (("ship.sh ENV",), ("ship.sh prod",))
    assert (comments.run, comments.setup, comments.cwd) == ("./ship.sh", "make deps", "tools")
    assert comments.scope == {"user": "me", "agent": "bot"}
    assert comments.intent == {"when": "shipping", "output": "a release"}
    assert comments.params == (
        ScriptParameter("env", "string", "Where to ship"),
        ScriptParameter("force"),
    )


@pytest.mark.parametrize(
    "head",
    [
        "# Ships it.",
        "// Ships it.",
        "#!/usr/bin/env node\n\n// Ships it.\n// @tags x",
        "/**\n * Ships it.\n * @tags x\n */",
        "/* Ships it. */",
    ],
)
def test_the_first_comment_describes_a_script_without_a_tag(head: str) -> None:
    comments = read_script_comments(f"{head}\nrun()\n# later\n")
    assert (comments.description, comments.tagged) == ("Ships it.", False)


@pytest.mark.parametrize("mark", ["//", "#", "*", ";", "--", "'", "/*"])
def test_tags_stand_behind_any_comment_mark(mark: str) -> None:
    assert read_script_comments(f"{mark} @tag deploy\n").tags == ("deploy",)


def test_only_the_head_counts() -> None:
    assert read_script_comments("\n" * 50 + "# @tags late\n").tags == ()
    assert read_script_comments("x = '@tags code'\n").tags == ()


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    read_script_comments(text)
