"""Writing fixes to files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from akm_ls.bundles.bundle import Bundle
from akm_ls.cli import fixing
from akm_ls.cli.check import CheckedFile, Selection
from akm_ls.documents.text import LineIndex, Span, decode
from akm_ls.lint.finding import Finding, Fix, TextEdit

ALL = Selection(frozenset(), frozenset(), "hint")


def finding(text: str, word: str, replacement: str, *, safe: bool = True) -> Finding:
    start = text.index(word)
    span = Span(start, start + len(word))
    fix = Fix("Replace it", (TextEdit(span, replacement),), safe=safe)
    return Finding("some-rule", "warning", "wrong", span, fixes=(fix,))


def file_with(path: Path, data: bytes, *, writable: bool = True, safe: bool = True) -> CheckedFile:
    path.write_bytes(data)
    text = decode(data).text
    root = str(path.parent)
    bundle = Bundle("team", root, root, "akm", writable=writable)
    found = (finding(text, "wrong", "right", safe=safe),)
    return CheckedFile(str(path), path.name, bundle, LineIndex(text), found)


def test_a_fix_keeps_line_endings_the_byte_order_mark_and_the_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    file = file_with(path, b"\xef\xbb\xbfone\r\nwrong \xf0\x9f\x98\x80\rlast")
    os.chmod(path, 0o640)
    assert fixing._fix_file(file, ALL) == 1
    assert path.read_bytes() == b"\xef\xbb\xbfone\r\nright \xf0\x9f\x98\x80\rlast"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["a.md"]


@pytest.mark.skipif(os.name == "nt", reason="symlinks need a privilege there")
def test_a_symlink_stays_one(tmp_path: Path) -> None:
    target = tmp_path / "target.md"
    file = file_with(target, b"wrong\n")
    link = tmp_path / "link.md"
    link.symlink_to(target)
    linked = CheckedFile(str(link), "link.md", file.bundle, file.lines, file.findings)
    assert fixing._fix_file(linked, ALL) == 1
    assert link.is_symlink()
    assert target.read_bytes() == b"right\n"


@pytest.mark.parametrize(
    "data",
    [b"wrong \xff\n", "wrong\n".encode("utf-16")],
    ids=["invalid utf-8", "utf-16"],
)
def test_a_file_that_would_not_survive_is_left_alone(
    tmp_path: Path, data: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.md"
    assert fixing._fix_file(file_with(path, data), ALL) == 0
    assert path.read_bytes() == data
    assert "not fixed" in capsys.readouterr().err


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    file = file_with(path, b"wrong\n")
    path.write_bytes(b"somebody else was faster, and wrong\n")
    assert fixing._fix_file(file, ALL) == 0
    assert path.read_bytes() == b"somebody else was faster, and wrong\n"


def test_a_read_only_bundle_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.md"
    assert fixing._fix_file(file_with(path, b"wrong\n", writable=False), ALL) == 0
    assert path.read_bytes() == b"wrong\n"
    assert "read-only" in capsys.readouterr().err


def test_only_safe_fixes_of_selected_findings_are_applied(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    assert fixing._fix_file(file_with(path, b"wrong\n", safe=False), ALL) == 0
    errors_only = Selection(frozenset(), frozenset(), "error")
    assert fixing._fix_file(file_with(path, b"wrong\n"), errors_only) == 0
    ignored = Selection(frozenset(), frozenset({"some-rule"}), "hint")
    assert fixing._fix_file(file_with(path, b"wrong\n"), ignored) == 0
    assert path.read_bytes() == b"wrong\n"


def test_a_diff_is_one_that_patch_understands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = file_with(tmp_path / "a.md", b"one\nwrong")
    text, number = fixing._fixed_text(file, file.findings)
    assert number == 1
    assert fixing._unified(file, text) == (
        "--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n one\n"
        "-wrong\n\\ No newline at end of file\n"
        "+right\n\\ No newline at end of file\n"
    )
