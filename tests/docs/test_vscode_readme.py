"""The first steps in the extension's README lead to what they promise."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

import pytest

from akm_ls.bundles.claims import Claim, claim
from akm_ls.cli import main

ROOT = Path(__file__).resolve().parent.parent.parent
README = (ROOT / "vscode-client" / "README.md").read_text(encoding="utf-8")
_SAMPLE = re.compile(r"^ +```markdown\n(.*?)^ +```", re.MULTILINE | re.DOTALL)
_PATH = re.compile(r"Make the file `([^`]+)`")
_QUOTED = re.compile(r"^ +> (.*)$", re.MULTILINE)


def test_the_broken_sample_is_told_in_the_words_of_the_readme(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample, path = _SAMPLE.search(README), _PATH.search(README)
    assert sample is not None
    assert path is not None
    file = tmp_path / path[1]
    file.parent.mkdir(parents=True)
    file.write_text(textwrap.dedent(sample[1]), encoding="utf-8")
    assert isinstance(claim(str(tmp_path / "first")), Claim), "the folder needs no setting"
    bundle = ["--bundle-dir", str(tmp_path / "first"), "--data-dir", str(tmp_path / "data")]
    assert main([*bundle, "check", "--format", "json", str(file)]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert finding["message"] == " ".join(_QUOTED.findall(README))
    assert finding["range"]["start"]["line"] == 2


def test_it_says_how_to_get_the_extension() -> None:
    manifest = json.loads((ROOT / "vscode-client" / "package.json").read_text(encoding="utf-8"))
    out = manifest["scripts"]["package"].rpartition("--out ")[2]
    assert f"code --install-extension vscode-client/{out}" in README
    assert "make vscode" in README
