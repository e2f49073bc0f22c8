"""Absolute paths that are not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from repository import lint_repository
from stash import lint_stash, marked, write_stash

from akm_ls.lint.fixes import apply_edits

pytestmark = pytest.mark.skipif(os.sep != "/", reason="the paths are those of Unix")

CODE = "stale-path"


def stale(tmp_path: Path, text: str, rel: str = "knowledge/a.md") -> list[str]:
    found = lint_stash(tmp_path, {rel: text}, CODE)
    return [marked(text, finding) for finding in found.get(rel, ())]


def test_each_place_is_marked(tmp_path: Path) -> None:
    text = (
        "---\nsource: /home/nobody-here/x.txt\n---\nSee `/opt/not-there/a`, /var/not-there.\n\n"
        "```sh\ncat /tmp/not-there-either\n```\n/opt/not-there/a\n"
    )
    assert stale(tmp_path, text) == [
        "/home/nobody-here/x.txt",
        "/opt/not-there/a",
        "/var/not-there",
        "/tmp/not-there-either",
        "/opt/not-there/a",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The logs are in /tmp, /var/ and /tmp.\n",
        "docs/tmp/foo and ./home/x are relative, ~/opt/x is somebody's.\n",
        "https://example.com/home/user/x and file:///tmp/nothing-there\n",
        "/home/<user>/x /home/$USER/y /tmp/*.log /tmp/{a,b} /home/... /opt/…/x\n",
        "/home/user/project and /home/you/x\n",
        "- /home/alice/.claude\n- /home/jdoe/project\n",
        "/usr/not-there and /etc/not-there\n",
        "---\nlint_skip: [stale-path]\n---\n/tmp/not-there\n",
    ],
)
def test_what_is_no_claim(tmp_path: Path, text: str) -> None:
    assert not stale(tmp_path, text)


def test_that_a_temporary_file_is_gone_says_little(tmp_path: Path) -> None:
    text = "See /opt/not-there, /tmp/not-there and /var/tmp/not-there.\n"
    found = lint_stash(tmp_path, {"knowledge/a.md": text}, CODE)["knowledge/a.md"]
    assert [it.severity for it in found] == ["warning", "information", "information"]


@pytest.mark.parametrize(
    "files",
    [
        {
            "README.md": "# Skills\n",
            "shot/SKILL.md": "---\nname: shot\ndescription: Takes a picture.\n---\n%s",
        },
        {".claude/skills/shot/SKILL.md": "%s", ".claude/agents/shot.md": "%s"},
        {".opencode/agent/shot.md": "---\ndescription: Takes a picture.\n---\n%s"},
    ],
)
def test_other_tools_make_no_claim_of_this_machine(tmp_path: Path, files: dict[str, str]) -> None:
    """akm alone looks such paths up; elsewhere they are outputs, servers and examples."""
    text = "```python\npage.screenshot(path='/tmp/inspect.png')\nopen('/var/uploads/a')\n```\n"
    written = {rel: content.replace("%s", text) for rel, content in files.items()}
    assert not lint_repository(tmp_path, written, CODE)


def test_a_task_and_its_comments_are_read(tmp_path: Path) -> None:
    text = "version: 2\nschedule: '@daily'\n# see /opt/not-there\nprompt: read /opt/gone-too\n"
    assert stale(tmp_path, text, "tasks/a.yml") == ["/opt/not-there", "/opt/gone-too"]


def test_a_session_tells_of_its_own_time(tmp_path: Path) -> None:
    assert not stale(tmp_path, "# Log\n\nIn /opt/not-there.\n", "sessions/a.md")


def test_a_path_in_the_bundle_has_a_portable_form(tmp_path: Path) -> None:
    root = tmp_path / "team"
    if not str(root).startswith(("/tmp/", "/home/", "/var/", "/root/", "/opt/")):
        pytest.skip("temporary files lie elsewhere here")
    text = f"See {root}/knowledge/gone.md and {root}/knowledge/here.md.\n"
    write_stash(root, {"knowledge/here.md": "# Here\n"})
    found = lint_stash(tmp_path, {"knowledge/a.md": text}, CODE)
    (finding,) = found["knowledge/a.md"]
    assert not finding.fixable
    mended = apply_edits(text, finding.fixes[0].edits)
    assert mended == f"See $AKM_BUNDLE_DIR/knowledge/gone.md and {root}/knowledge/here.md.\n"
    assert not stale(tmp_path, mended)
