"""The commands the documentation shows do what it says.

Every ``$ akm-ls …`` line of a ``console`` block runs on a copy of the example bundle. Lines below a
command have to appear in its output, in this order; ``...`` stands for anything.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from akm_ls.cli import main

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!\w+:)([^)#]+)(?:#[^)]*)?\)")


class Example(NamedTuple):
    page: str
    command: str
    output: tuple[str, ...]


def examples() -> Iterator[Example]:
    for page in PAGES:
        for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
            command: str | None = None
            output: list[str] = []
            for line in [*block.splitlines(), "$ "]:
                if line.startswith("$ "):
                    if command is not None and command.startswith("akm-ls"):
                        yield Example(page.name, command, tuple(output))
                    command, output = line[2:], []
                else:
                    output.append(line)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    copy = tmp_path / "example-bundle"
    shutil.copytree(ROOT / "docs" / "example-bundle", copy)
    return copy


@pytest.mark.parametrize("example", list(examples()), ids=lambda e: f"{e.page}: {e.command}")
def test_the_command_runs(
    example: Example,
    bundle: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home = bundle.parent / "home"
    home.mkdir()
    for name in ("AKM_BUNDLE_DIR", "AKM_CONFIG_DIR", "AKM_DATA_DIR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("LOCALAPPDATA", str(home))
    monkeypatch.chdir(bundle)
    try:
        code = main(shlex.split(example.command)[1:])
    finally:
        printed = capsys.readouterr()
    assert code in (0, 1), printed.err
    assert code == 0 or "check" in example.command, printed.out + printed.err
    assert printed.out
    at = 0
    for line in example.output:
        for piece in line.split("..."):
            found = printed.out.find(piece.rstrip(), at)
            assert found >= 0, f"{piece!r} is not in\n{printed.out}"
            at = found + len(piece.rstrip())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = _LINK.findall(page.read_text(encoding="utf-8"))
    assert [t for t in targets if not (page.parent / t).exists()] == []


def test_only_one_directory_of_the_example_bundle_has_faults(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--bundle-dir", str(ROOT / "docs" / "example-bundle"), "--data-dir", str(tmp_path)]
    main([*arguments, "check", "--format", "json"])
    findings = json.loads(capsys.readouterr().out)["findings"]
    places = {(Path(finding["file"]).parent.as_posix(), finding["code"]) for finding in findings}
    assert places == {
        ("knowledge/broken-on-purpose", code)
        for code in (
            "missing-ref",
            "dead-anchor",
            "duplicate-ref",
            "invalid-frontmatter",
            "unquoted-colon",
        )
    }


def test_the_demo_gets_every_answer(tmp_path: Path) -> None:
    picture = tmp_path / "images" / "demo.svg"
    demo = [sys.executable, str(ROOT / "scripts" / "demo.py"), "--svg", str(picture)]
    done = subprocess.run(demo, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert "https://cdn" not in picture.read_text(encoding="utf-8")
    for scene in ("squiggles", "completion", "Hover", "definition", "references", "Search"):
        assert scene in done.stdout
